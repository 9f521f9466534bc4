#!/usr/bin/env python3
"""Nothing is quadratic in nodes or events: ten times the input may take at most LIMIT times the time.

usage: run.py OPSCOPE FOLDER

A chain of nodes and a profile of it, in two sizes; CPU time of the process, the least of three.
"""

import resource
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
import make_models

LIMIT = 20  # linear is 10, n log n 12, quadratic 100
SMALL, LARGE = 4000, 40000
RUNS = 3


def write_profile(path, nodes):
    """ONNX Runtime's own layout, one event a line, times in whole microseconds."""
    line = '{"cat" : "%s","pid" :1,"tid" :1,"dur" :%d,"ts" :%d,"ph" : "X","name" :"%s","args" : {%s}}'
    rows = [line % ("Session", 90, 0, "model_loading_uri", "")]
    at = 100
    for _ in range(RUNS):
        for i in range(nodes):
            op, name = ("Add", f"add{i}") if i % 2 else ("Relu", f"relu{i}")
            args = f'"op_name" : "{op}","provider" : "CPUExecutionProvider","node_index" : "{i}"'
            rows.append(line % ("Node", 3, at + 2 + 4 * i, name + "_kernel_time", args))
        rows.append(line % ("Session", 4 * nodes + 2, at + 1, "SequentialExecutor::Execute", ""))
        rows.append(line % ("Session", 4 * nodes + 4, at, "model_run", ""))
        at += 4 * nodes + 10
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n")


def cpu_seconds(command):
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    best = float("inf")
    for _ in range(RUNS):
        before = used()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        best = min(best, used() - before)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}")
    return best


def main(opscope, folder):
    folder.mkdir(parents=True, exist_ok=True)
    seconds = {"inspect": [], "import": [], "compare": []}
    for nodes in (SMALL, LARGE):
        model, profile = folder / f"chain_{nodes}.onnx", folder / f"chain_{nodes}.json"
        make_models.chain(model)
        write_profile(profile, nodes)
        seconds["inspect"].append(cpu_seconds([opscope, "inspect", model, "--format", "json"]))
        join = [opscope, "import", profile, "--model", model, "--format", "json"]
        seconds["import"].append(cpu_seconds(join))
        other = folder / f"chain_{nodes - 10}.onnx"
        make_models.chain(other)
        seconds["compare"].append(cpu_seconds([opscope, "compare", model, other]))
    steep = False
    for verb, (small, large) in seconds.items():
        steep |= large > LIMIT * small
        print(f"{verb}: {SMALL} nodes {small:.3f} s, {LARGE} nodes {large:.3f} s: {large / small:.1f}x")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
