#!/usr/bin/env python3
"""Speed and memory of `opscope import` on big PyTorch traces, whole processes, in turn.

usage: traces.py BUILD-FOLDER [ROUNDS [MEGABYTES…]]

Makes traces of 10, 100 and 1,000 MB in torch's own layout, and the events of 100 MB in two others,
with known answers, which are checked first. Beside them Python's reader, which builds the tree that
other tools start from. Ratios are of CPU time, which other work on the machine disturbs least.
Exit 1: a wrong answer; another layout takes over 1.5 times as long; ten times the input over 12 times
as long; less than 5 times as fast as Python; over 0.35 bytes of memory a byte of the largest.
"""

import json
import subprocess
import sys
from pathlib import Path

from run import BUILD, ROUNDS, in_turn

FOLDER = BUILD / "bench-traces"
STEP_US = 40
LAYOUTS = ("pretty", "compact", "shuffled")


def events(i):
    """A function, an op, its launch and its kernel."""
    at = 1_428_625_700_000 + i * STEP_US
    host = {"pid": 25286, "tid": 25286}
    yield {"ph": "X", "cat": "python_function", "name": f"torch/nn/modules/m.py({i % 90}): forward", **host,
           "ts": f"{at}.125", "dur": "30.000",
           "args": {"Python parent id": i, "Python id": i + 1, "Ev Idx": i * 4}}
    yield {"ph": "X", "cat": "cpu_op", "name": f"aten::op_{i % 50}", **host, "ts": f"{at + 1}.250", "dur": "20.500",
           "args": {"External id": i, "Record function id": 0, "Concrete Inputs": ["", "1", "[1, 2]"],
                    "Input type": ["float", "Scalar"], "Input Dims": [[1, 64, 56, 56], []], "Ev Idx": i * 4 + 1}}
    yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", **host, "ts": f"{at + 3}.000", "dur": "5.001",
           "args": {"External id": i, "cbid": 211, "correlation": i}}
    yield {"ph": "X", "cat": "kernel", "name": f"void kernel_{i % 30}<float>(float*, int)", "pid": 0, "tid": 7,
           "ts": f"{at + 10}.001", "dur": "12.000",
           "args": {"External id": i, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": i,
                    "registers per thread": 32, "shared memory": 0, "blocks per SM": 1.5, "warps per SM": 12.0,
                    "grid": [200, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 18}}


def text(event, layout):
    numbers = {"ts", "dur"}
    value = lambda key: event[key] if key in numbers else json.dumps(event[key])
    if layout == "pretty":
        arguments = ",\n".join(f'      "{key}": {json.dumps(item)}' for key, item in event["args"].items())
        lines = [f'    "{key}": {value(key)}' for key in event if key != "args"]
        return "  {\n" + ",\n".join(lines) + ',\n    "args": {\n' + arguments + "\n    }\n  }"
    keys = list(event) if layout == "compact" else sorted(event)
    return "{" + ",".join(f'"{key}":{value(key)}' for key in keys) + "}"


def make(path, megabytes, layout, most=None):
    """Writes the trace unless it is there; how many kernels it has. `most`: ends there."""
    count_file = path.with_suffix(".count")
    if path.exists() and count_file.exists():
        return int(count_file.read_text())
    FOLDER.mkdir(parents=True, exist_ok=True)
    written = count = 0
    with open(path, "w") as out:
        out.write('{"schemaVersion": 1, "traceEvents": [\n')
        while count < most if most else written < megabytes * 1_000_000:
            block = ",\n".join(text(event, layout) for i in range(count, count + 200) for event in events(i))
            written += out.write((",\n" if count else "") + block)
            count += 200
        out.write("\n]}\n")
    count_file.write_text(str(count))
    return count


def wrong_answers(path, kernels):
    command = [BUILD / "opscope", "import", path, "--format", "json"]
    run = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["runs"][0]
    device = run["timeline"]["devices"][0]
    expected = {"kernels": kernels, "busy_ns": kernels * 12_000, "orphans": 0,
                "span_ns": (kernels - 1) * STEP_US * 1000 + 12_000}
    return [f"{path.name}: {key} is {device[key]}, should be {value}"
            for key, value in expected.items() if device[key] != value]


def main():
    sizes = [int(size) for size in sys.argv[3:]] or [10, 100, 1000]
    traces = {f"{size} MB pretty": (FOLDER / f"pretty_{size}.json", size, "pretty") for size in sizes}
    traces |= {f"100 MB {layout}": (FOLDER / f"{layout}_100.json", 100, layout) for layout in LAYOUTS[1:]}
    failures = []
    reference = make(*traces["100 MB pretty"])
    for path, size, layout in traces.values():
        failures += wrong_answers(path, make(path, size, layout, None if layout == "pretty" else reference))
    ours = {name: [str(BUILD / "opscope"), "import", str(trace[0])] for name, trace in traces.items()}
    python = [sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))", str(FOLDER / "pretty_100.json")]
    *costs, beside = in_turn([*ours.values(), python])
    costs = dict(zip(ours, costs))
    for name, (wall, size, cpu) in costs.items():
        print(f"{name:16} opscope import {wall:9.1f} ms wall {cpu:9.1f} ms CPU {size:8.1f} MB", flush=True)
    torch = costs["100 MB pretty"][2]
    print(f"{'100 MB pretty':16} Python json    {beside[0]:9.1f} ms wall {beside[2]:9.1f} ms CPU {beside[1]:8.1f} MB"
          f"   {beside[2] / torch:.1f}x")
    for layout in LAYOUTS[1:]:
        if costs[f"100 MB {layout}"][2] > 1.5 * torch:
            failures.append(f"{layout}: over 1.5 times the time of torch's layout")
    for small, large in zip(sizes, sizes[1:]):
        ratio = costs[f"{large} MB pretty"][2] / costs[f"{small} MB pretty"][2]
        if ratio > 1.2 * large / small:
            failures.append(f"{large} MB take {ratio:.1f} times as long as {small} MB")
    if beside[2] < 5 * torch:
        failures.append("less than 5 times as fast as Python's reader")
    if costs[f"{sizes[-1]} MB pretty"][1] > 0.35 * sizes[-1]:
        failures.append("over 0.35 bytes of memory a byte of input")
    print("\n".join(failures) or f"answers right, {ROUNDS} rounds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
