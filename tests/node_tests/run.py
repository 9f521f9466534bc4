#!/usr/bin/env python3
"""Asks opscope what the outputs of ONNX's backend tests are, and compares.

usage: run.py OPSCOPE WHEEL [--keep-inputs] [--list]

  WHEEL           an onnx wheel with the test data (1.20.0); cases of the newest opsets are made by
                  the onnx that is installed
  --keep-inputs   leave the small inputs on which shapes hang unknown
  --list          name every case that is not right

Exit 1 when an answer is wrong, or fewer are right than BARS says.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import cases

# By whether small inputs are kept: the share of right answers that must be reached.
BARS = {False: 0.965, True: 0.79}
FILES_A_CALL = 400

Judged = collections.namedtuple("Judged", "question verdict why")


def inspect(opscope, files):
    """What `opscope inspect` says of each file, by file name."""
    said = {}
    for begin in range(0, len(files), FILES_A_CALL):
        some = files[begin : begin + FILES_A_CALL]
        command = [opscope, "inspect", "--format", "json", *some]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"opscope inspect ended with {done.returncode}:\n{done.stderr[-2000:]}")
        document = json.loads(done.stdout)
        for report in document.get("reports", [document]):
            said[Path(report["model"]["file"]).name] = report
        for failed in document.get("failed", []):
            said[Path(failed["file"]).name] = failed
    return said


def tensors_of(report):
    """dtype, shape and layer of every tensor that the model's own nodes compute."""
    found = {}
    for layer in report["static"]["layers"]:
        for output in layer["outputs"]:
            if not layer["path"]:
                found[output["tensor"]] = (output["dtype"], output["shape"], layer)
    return found


def compare(expected, got):
    """right, wrong or unknown, and why."""
    dtype, dims = expected
    got_dtype, got_dims, layer = got
    text = f"{got_dtype} {got_dims}, is {dtype} {dims}"
    if got_dtype not in (None, "unknown", dtype):
        return "wrong", text
    if got_dims is not None:
        if len(got_dims) != len(dims):
            return "wrong", text
        if any(isinstance(a, int) and a != b for a, b in zip(got_dims, dims)):
            return "wrong", text
        open_dims = [a for a in got_dims if not isinstance(a, int)]
        if not open_dims and got_dtype == dtype:
            return "right", ""
        symbols = [a for a in open_dims if isinstance(a, str)]
        if symbols:
            return "unknown", "a size that the data decide"
    return "unknown", layer.get("because") or "hangs on elements that are not known"


def judge(question, report):
    if "static" not in report:
        return Judged(question, "unknown", report.get("message", "not read"))
    tensors = tensors_of(report)
    verdicts = []
    for name, expected in question.answer.items():
        got = tensors.get(name)
        verdicts.append(compare(expected, got) if got else ("unknown", "tensor not listed"))
    for kind in ("wrong", "unknown"):
        for verdict, why in verdicts:
            if verdict == kind:
                return Judged(question, verdict, why)
    return Judged(question, "right", "")


def ask(opscope, questions):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for question in questions:
            path = Path(folder) / f"{question.name}.onnx"
            path.write_bytes(question.model.SerializeToString())
            files.append(str(path))
        said = inspect(opscope, files)
    return [judge(q, said[f"{q.name}.onnx"]) for q in questions]


def table(title, judged):
    counts = collections.Counter(j.verdict for j in judged)
    share = counts["right"] / len(judged)
    lines = [f"{title}: {len(judged)} cases, right {counts['right']} ({share:.2%}), "
             f"wrong {counts['wrong']}, unknown {counts['unknown']}"]
    reasons = collections.defaultdict(collections.Counter)
    for j in judged:
        if j.verdict == "unknown":
            reasons[j.why][j.question.op] += 1
    for why, ops in sorted(reasons.items(), key=lambda r: -r[1].total()):
        named = ", ".join(f"{op} {n}" if n > 1 else op for op, n in ops.most_common())
        lines.append(f"  {ops.total():4}  {why}: {named}")
    for j in judged:
        if j.verdict == "wrong":
            lines.append(f"  wrong  {j.question.name}: {j.why}")
    return lines


def passes(judged, keep_inputs):
    right = sum(j.verdict == "right" for j in judged)
    wrong = any(j.verdict == "wrong" for j in judged)
    return not wrong and right >= BARS[keep_inputs] * len(judged)


def run_set(opscope, title, found, keep_inputs, listing):
    questions = [q for q in (cases.question(case, keep_inputs) for case in found) if q]
    judged = ask(opscope, questions)
    print("\n".join(table(title, judged)), flush=True)
    if listing:
        for j in judged:
            if j.verdict == "unknown":
                print(f"        {j.question.name} ({j.question.op}): {j.why}")
    return judged


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("opscope")
    parser.add_argument("wheel")
    parser.add_argument("--keep-inputs", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    import onnx

    sets = [(f"stored in {Path(options.wheel).name.split('-cp')[0]}",
             list(cases.stored_cases(options.wheel))),
            (f"made by onnx-{onnx.__version__}, opsets up to {onnx.defs.onnx_opset_version()}",
             list(cases.made_cases()))]
    good = True
    for title, found in sets:
        judged = run_set(options.opscope, title, found, options.keep_inputs, options.list)
        good = passes(judged, options.keep_inputs) and good
    if not good:
        print(f"below the bar: nothing wrong and {BARS[options.keep_inputs]:.1%} right")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
