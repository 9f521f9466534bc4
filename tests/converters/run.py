#!/usr/bin/env python3
"""Runs the judge of one converter in the environment that has it.

usage: run.py NAME OPSCOPE FOLDER MODELS ENVIRONMENT     (exit 77 = the converter is not there)
"""

import shutil
import subprocess
import sys
from pathlib import Path

NEEDS = {"coreml": "coremltools", "litert": "ai_edge_litert", "ncnn": "pnnx", "openvino": "openvino"}


def main(name, opscope, folder, models, environment):
    python = Path(environment) / "bin" / "python"
    found = python.exists() and subprocess.run(
        [python, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{NEEDS[name]}') is None)"]
    ).returncode == 0
    if not found:
        print(f"skipped: no {NEEDS[name]}; ./dev test --models puts it into build/venv-converters")
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    script = Path(__file__).resolve().parent / f"{name}_judge.py"
    return subprocess.run([python, "-B", script, opscope, folder, models]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
