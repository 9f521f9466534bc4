"""Known counts of networks in every file that torch writes of them:

run.py OPSCOPE FOLDER PYTHON_WITH_TORCH [NAME…]
"""

import json
import os
import shutil
import subprocess
import sys

WRITER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "torch_networks.py")
KNOWN = {  # MACs, parameters, channels that a BatchNorm scales
    "resnet18": (1814073344, 11689512, 4800),
    "resnet50": (4089184256, 25557032, 26560),
    "mobilenet_v2": (300774272, 3504872, 17056),
    "vit_b_16": (17563828224, 86567656, 0),
    "bert_sdpa": (11174215680, 109482240, 0),
    "bert_matmul": (11174215680, 109482240, 0),
    "recurrent": (128 * (2 * 4 * 48 * (32 + 48) + 2 * 4 * 48 * (96 + 48) + 3 * 24 * (96 + 24)) + 240, None, 0),
}
SHAPES = {"x": "x=1x3x224x224", "ids": "ids=1x128"}
ENDINGS = (".pt2", ".core.pt2", ".trace.pt", ".script.pt", ".onnx", ".dynamo.onnx")


def counts(program, path, *options):
    run = subprocess.run([program, "inspect", path, "--format", "json", *options], capture_output=True, text=True)
    if run.returncode != 0:
        return run.stderr.strip()
    totals = json.loads(run.stdout)["static"]["totals"]
    return totals["macs"], totals["parameters"], totals["uncounted"]


def expected(name, ending):
    macs, parameters, channels = KNOWN[name]
    # The newer exporter looks up the types of tokens, which are all 0: 128 rows for a table of 2.
    if name.startswith("bert") and ending == ".dynamo.onnx":
        return macs, parameters + (128 - 2) * 768
    # torch's exporters fold a BatchNorm into the convolution before it: of its scale and its shift, two
    # numbers a channel, one is left, the convolution's bias.
    return macs, parameters - channels if parameters and ending.endswith(".onnx") else parameters


def check(program, folder, name):
    """How many files of the network are wrong; a network without any is wrong as well."""
    wrong = seen = 0
    shape = SHAPES["x" if name in ("resnet18", "resnet50", "mobilenet_v2", "vit_b_16") else "ids"]
    for ending in ENDINGS:
        # Taken apart, a first step without a state multiplies constants, which is no work.
        if (name, ending) == ("recurrent", ".core.pt2"):
            continue
        path = os.path.join(folder, name + ending)
        if not os.path.exists(path):
            print("none ", name + ending)
            continue
        got = counts(program, path, *(["--shape", shape] if ending.endswith(".pt") else []))
        macs, parameters = expected(name, ending)
        fine = not isinstance(got, str) and got[0] == macs and got[1] == (parameters or got[1]) and not got[2]
        seen, wrong = seen + 1, wrong + (not fine)
        print("ok   " if fine else "WRONG", name + ending, got)
    return wrong + (seen == 0)


def main(program, folder, python, names):
    if not python:
        print("skipped: no Python with torch; ./dev test --torch makes one")
        return 77
    wrong = 0
    for name in names:  # one at a time: the files of all take gigabytes
        subprocess.run([python, "-B", WRITER, folder, name], check=True, stdout=subprocess.DEVNULL)
        wrong += check(program, folder, name)
        shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:] or list(KNOWN)))
