#!/usr/bin/env python3
"""Speed and memory of `opscope inspect` beside other tools, whole processes, in turn.

usage: run.py BUILD-FOLDER [ROUNDS]

First the answers are checked (a fast wrong number is worth nothing), then every command runs ROUNDS
times (3), one after the other, so that all meet the same machine. Ratios are of medians; "start" is what
the Python tool costs before it opens a file. Exit 1: a wrong answer, or less faster than ASKED.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

import make_models

BUILD = Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
MODELS = BUILD / "bench-models"
PYTHON = BUILD / "venv-bench/bin/python"

# Tool -> (what it imports, what it does). "outside": weights are not read, as opscope does not.
TOOLS = {
    "onnx load + shapes": (
        "import onnx",
        "import sys, onnx; onnx.shape_inference.infer_shapes(onnx.load(sys.argv[1]))",
    ),
    "onnx load": ("import onnx", "import sys, onnx; onnx.load(sys.argv[1])"),
    "onnx load + shapes, outside": (
        "import onnx",
        "import sys, onnx;"
        "onnx.shape_inference.infer_shapes(onnx.load(sys.argv[1], load_external_data=False))",
    ),
    "onnx-tool": ("import onnx_tool", "import sys, onnx_tool; onnx_tool.model_profile(sys.argv[1])"),
    "onnxsim model info": (
        "import onnx, onnxsim.model_info",
        "import sys, onnx, onnxsim.model_info; onnxsim.model_info.ModelInfo(onnx.load(sys.argv[1]))",
    ),
}
# Model -> tools beside it. What is missing takes minutes, or fails: `infer_shapes` has a limit of
# 2 GB.
BESIDE = {
    "resnet50.onnx": ["onnx load + shapes", "onnx-tool", "onnxsim model info"],
    "llm.onnx": ["onnx load", "onnx load + shapes, outside"],
    "chain_10000.onnx": ["onnx load + shapes", "onnx-tool"],
    "chain_100000.onnx": ["onnx load + shapes", "onnxsim model info"],
}
# How many times as long the other tool has to take, where it reads what people give it.
ASKED = {
    ("resnet50.onnx", "onnx load + shapes"): 30,
    ("resnet50.onnx", "onnx-tool"): 30,
    ("resnet50.onnx", "onnxsim model info"): 100,
    ("llm.onnx", "onnx load"): 30,
}


def inspect(name, form="text"):
    return [str(BUILD / "opscope"), "inspect", str(MODELS / name), "--format", form]


def wrong_answers(name):
    totals = json.loads(subprocess.run(inspect(name, "json"), capture_output=True, check=True).stdout)
    totals = totals["static"]["totals"]
    expected = make_models.ANSWERS[name] | {"complete": True}
    return [
        f"{name}: {key} is {totals[key]}, should be {value}"
        for key, value in expected.items()
        if totals[key] != value
    ]


def in_turn(commands):
    """Median milliseconds, largest size in MB and median CPU milliseconds of each command."""
    line = [str(BUILD / "bench/opscope-alternate"), str(ROUNDS)]
    for command in commands:
        line += ["--", *command]
    walls, cpus, sizes = [[] for _ in commands], [[] for _ in commands], [0] * len(commands)
    for row in subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines():
        index, wall, size, cpu = map(int, row.split())
        walls[index].append(wall / 1e6)
        cpus[index].append(cpu / 1e6)
        sizes[index] = max(sizes[index], size * 1024 / 1e6)
    return [(statistics.median(wall), size, statistics.median(cpu)) for wall, size, cpu in zip(walls, sizes, cpus)]


def others_ready(*packages):
    if not PYTHON.exists():
        subprocess.run(["python3", "-m", "venv", BUILD / "venv-bench"], check=True)
    install = [PYTHON, "-m", "pip", "install", "-q", *packages]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode:
        print(f"comparison skipped, the other tools cannot be installed: {done.stderr.strip()[-200:]}")
    return done.returncode == 0


def compare(name, tools):
    commands = [inspect(name)]
    for tool in tools:
        start, work = TOOLS[tool]
        commands += [[str(PYTHON), "-c", start], [str(PYTHON), "-c", work, str(MODELS / name)]]
    (ours, size, _), *rest = in_turn(commands)
    print(f"{name:18} {'opscope inspect':28} {ours:9.1f} ms {size:8.1f} MB", flush=True)
    slow = []
    for tool, (start, *_), (wall, tool_size, _) in zip(tools, rest[::2], rest[1::2]):
        print(
            f"{'':18} {tool:28} {wall:9.1f} ms {tool_size:8.1f} MB {wall / ours:7.1f}x"
            f"   without its start {(wall - start) / ours:7.1f}x",
            flush=True,
        )
        asked = ASKED.get((name, tool), 0)
        if wall < asked * ours:
            slow.append(f"{name}: {tool} takes only {wall / ours:.1f} times as long, not {asked}")
    return slow


def main():
    make_models.main(MODELS)
    failures = [line for name in make_models.ANSWERS for line in wrong_answers(name)]
    ready = others_ready("onnx==1.23.2", "onnx-tool==1.0.1", "onnxsim==0.8.1")
    for name, tools in BESIDE.items():
        failures += compare(name, tools if ready else [])
    print("\n".join(failures) or f"answers right, {ROUNDS} rounds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
