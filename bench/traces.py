#!/usr/bin/env python3
"""Speed and memory of `opscope import` on big traces, whole processes, in turn.

usage: traces.py BUILD-FOLDER [ROUNDS [MEGABYTES…]]

Makes traces of 10, 100 and 1,000 MB in torch's own layout, the events of 100 MB in two others, and
exports of Nsight Systems of half a million and of 5 million rows, with known answers, which are
checked first. Beside them Python's reader, which builds the tree that other tools start from, and
Meta's HolisticTraceAnalysis where it can be installed. Ratios are of CPU time, which other work on
the machine disturbs least. Exit 1: a wrong answer; another layout takes over 1.5 times as long; ten
times the input over 12 times the time or memory; a packed trace takes longer than unpacking it and
reading it; less faster than ASKED; over 0.35 bytes of memory a
byte of the largest trace.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import make_nsys
from run import BUILD, PYTHON, ROUNDS, in_turn, others_ready

FOLDER = BUILD / "bench-traces"
STEP_US = 40
LAYOUTS = ("pretty", "compact", "shuffled")
ROWS = {520_160: 160_000, 5_201_600: 1_600_000}  # of exports of Nsight Systems -> launches
HTA = ("HolisticTraceAnalysis==0.5.0", "pandas==2.3.3")
HTA_WORK = (
    "import sys; from hta.trace_analysis import TraceAnalysis;"
    "TraceAnalysis(trace_files={0: sys.argv[1]}).get_temporal_breakdown(visualize=False)"
)
ASKED = {"Python json": 5, "HTA": 5}  # how many times the CPU time the other tool has to take


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


def wrong_rows(path, launches):
    """As make_nsys.py makes them: a copy every four kernels, half of the copies without a call of their number."""
    command = [BUILD / "opscope", "import", path, "--format", "json"]
    run = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["runs"][0]
    devices = run["timeline"]["devices"]
    expected = {"kernels": launches, "work": launches + launches // 4, "orphans": launches // 8}
    found = {key: sum(device[key] for device in devices) for key in expected}
    return [] if found == expected else [f"{path.name}: {found}, should be {expected}"]


def beside():
    """Others that read the trace of 100 MB: name -> command. An asked ratio stands in ASKED."""
    trace = str(FOLDER / "pretty_100.json")
    tools = {"gzip -dc": ["sh", "-c", f"gzip -dc {trace}.gz > {os.devnull}"]}
    tools["Python json"] = [sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))", trace]
    if others_ready(*HTA):
        # As it comes, it rounds to microseconds.
        tools["HTA"] = ["env", "HTA_DISABLE_NS_ROUNDING=1", str(PYTHON), "-c", HTA_WORK, trace]
    return tools


def show(name, tool, cost, rest=""):
    wall, size, cpu = cost
    print(f"{name:16} {tool:14} {wall:9.1f} ms wall {cpu:9.1f} ms CPU {size:8.1f} MB{rest}", flush=True)


def too_slow(sizes, costs):
    """Failures: what is asked of traces in one layout and another, and of ten times the size."""
    failures = []
    torch = costs["100 MB pretty"]
    for layout in LAYOUTS[1:]:
        if costs[f"100 MB {layout}"][2] > 1.5 * torch[2]:
            failures.append(f"{layout}: over 1.5 times the time of torch's layout")
    pairs = [(f"{small} MB pretty", f"{large} MB pretty", large / small) for small, large in zip(sizes, sizes[1:])]
    fewer, more = ROWS
    pairs.append((f"{fewer:,} rows", f"{more:,} rows", more / fewer))
    for small, large, times in pairs:
        for what, index in (("CPU time", 2), ("memory", 1)):
            ratio = costs[large][index] / costs[small][index]
            if ratio > 1.2 * times:
                failures.append(f"{large} take {ratio:.1f} times the {what} of {small}")
    if costs[f"{sizes[-1]} MB pretty"][1] > 0.35 * sizes[-1]:
        failures.append("over 0.35 bytes of memory a byte of input")
    return failures


def main():
    sizes = [int(size) for size in sys.argv[3:]] or [10, 100, 1000]
    traces = {f"{size} MB pretty": (FOLDER / f"pretty_{size}.json", size, "pretty") for size in sizes}
    traces |= {f"100 MB {layout}": (FOLDER / f"{layout}_100.json", 100, layout) for layout in LAYOUTS[1:]}
    failures = []
    reference = make(*traces["100 MB pretty"])
    for path, size, layout in traces.values():
        failures += wrong_answers(path, make(path, size, layout, None if layout == "pretty" else reference))
    files = {name: path for name, (path, *_) in traces.items()}
    for rows, launches in ROWS.items():
        files[f"{rows:,} rows"] = path = FOLDER / f"nsys_{launches}.sqlite"
        if not path.exists():
            make_nsys.main(path, launches)
        failures += wrong_rows(path, launches)
    packed = files["100 MB packed"] = FOLDER / "pretty_100.json.gz"
    if not packed.exists():
        with open(files["100 MB pretty"], "rb") as plain, gzip.open(packed, "wb", 6) as out:
            shutil.copyfileobj(plain, out)
    tools = beside()
    ours = [[str(BUILD / "opscope"), "import", str(path)] for path in files.values()]
    results = in_turn([*ours, *tools.values()])
    costs = dict(zip(files, results[: len(files)]))
    for name, cost in costs.items():
        rows = int(name.split()[0].replace(",", "")) if name.endswith("rows") else 0
        show(name, "opscope import", cost, f"   {rows / cost[0] / 1e3:.1f} M rows/s" if rows else "")
    torch = costs["100 MB pretty"]
    for tool, cost in zip(tools, results[len(files):]):
        show("100 MB pretty", tool, cost, f"   {cost[2] / torch[2]:.1f}x CPU {cost[1] / torch[1]:.1f}x memory")
        if cost[2] < ASKED.get(tool, 0) * torch[2]:
            failures.append(f"less than {ASKED[tool]} times as fast as {tool}")
    unpacking = dict(zip(tools, results[len(files):]))["gzip -dc"][2]
    if costs["100 MB packed"][2] > torch[2] + unpacking:
        failures.append("a packed trace takes longer than unpacking and reading it")
    failures += too_slow(sizes, costs)
    print("\n".join(failures) or f"answers right, {ROUNDS} rounds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
