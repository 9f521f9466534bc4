#!/usr/bin/env python3
"""Counting a PyTorch module beside other counters, in one process, in turn.

usage: modules.py BUILD-FOLDER [ROUNDS]

Runs itself with the Python of `./dev test --torch`, says so where there is none. Answers are checked
first; then every counter works ROUNDS times (9, at least 5) on resnet50, one after the other, so that all
meet the same machine. Ratios are of medians. Exit 1: a wrong answer, or thop is faster.
"""

import contextlib
import importlib
import io
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACS = 4_089_184_256


def counters():
    """name -> a function of (module, input)."""
    import opscope.torch
    import torch

    found = {"opscope.torch.analyze": lambda m, x: opscope.torch.analyze(m, x).static.totals.macs}
    found["opscope, from torch.export"] = lambda m, x: (
        opscope.torch.analyze(m, x, method="export").static.totals.macs
    )

    def add(name, package, count):
        with contextlib.suppress(ImportError):
            tool = importlib.import_module(package)
            found[name] = lambda m, x: count(tool, m, x)

    def flop_counter_mode(tool, m, x):
        with torch.no_grad(), tool.FlopCounterMode(display=False):
            m(x)

    add("thop", "thop", lambda tool, m, x: tool.profile(m, (x,), verbose=False))
    add("ptflops", "ptflops", lambda tool, m, x: tool.get_model_complexity_info(
        m, (1,), False, False, input_constructor=lambda _: {"x": x}))  # fmt: skip
    add("fvcore", "fvcore.nn", lambda tool, m, x: tool.FlopCountAnalysis(m, (x,)).total())
    add("FlopCounterMode", "torch.utils.flop_counter", flop_counter_mode)
    return found


def measure(rounds):
    sys.path.insert(0, str(ROOT / "tests/python/modules"))
    from nets import NETS

    make, make_input, *_ = NETS["resnet50"]
    module, x = make().eval(), make_input()
    found = counters()
    seconds = {name: [] for name in found}
    for name in list(found)[:2]:
        if found[name](module, x) != MACS:
            sys.exit(f"{name}: wrong answer")
    for _ in range(1 + rounds):  # the first round is left out
        for name, count in found.items():
            begun = time.perf_counter()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                count(module, x)
            seconds[name].append(time.perf_counter() - begun)
    medians = {name: 1e3 * statistics.median(times[1:]) for name, times in seconds.items()}
    ours = medians["opscope.torch.analyze"]
    for name, ms in medians.items():
        print(f"{'resnet50':18} {name:28} {ms:9.1f} ms {ms / ours:7.1f}x")
    return 1 if medians.get("thop", ours) < ours else 0


def main():
    build = Path(sys.argv[1]).resolve()
    python = build / "venv-torch/bin/python"
    if not python.exists() or not (build / "python/opscope").exists():
        print("modules: skipped, ./dev test --torch makes the Python with torch")
        return 0
    if len(sys.argv) > 3:  # inside that Python
        return measure(max(5, int(sys.argv[2])))
    environment = {**os.environ, "PYTHONPATH": str(build / "python"), "PYTHONWARNINGS": "ignore"}
    rounds = sys.argv[2] if len(sys.argv) > 2 else "9"
    command = [python, "-B", __file__, str(build), rounds, "inside"]
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
