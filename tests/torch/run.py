"""Known counts of networks that torch wrote: run.py OPSCOPE FOLDER PYTHON_WITH_TORCH [NAME…]"""
import json
import os
import subprocess
import sys

WRITER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "torch_networks.py")
KNOWN = {  # MACs, parameters
    "resnet18": (1814073344, 11689512),
    "resnet50": (4089184256, 25557032),
    "mobilenet_v2": (300774272, 3504872),
    "vit_b_16": (17563828224, 86567656),
    "bert_sdpa": (11174215680, 109482240),
    "bert_matmul": (11174215680, 109482240),
}
PICTURE, TOKENS = "x=1x3x224x224", "ids=1x128"


# torch's exporter folds batch normalisation into convolutions: two numbers a channel become one.
FOLDED = {"resnet18": 11684712, "resnet50": 25530472, "mobilenet_v2": 3487816}


def counts(program, path, *options):
    run = subprocess.run([program, "inspect", path, "--format", "json", *options], capture_output=True, text=True)
    if run.returncode != 0:
        return run.stderr.strip()
    totals = json.loads(run.stdout)["static"]["totals"]
    return totals["macs"], totals["parameters"]


def main(program, folder, python, names):
    if not python:
        print("skipped: no Python with torch; ./dev test --torch makes one")
        return 77
    subprocess.run([python, WRITER, folder, *names], check=True, stdout=subprocess.DEVNULL)
    wrong = 0
    for name in names:
        macs, parameters = KNOWN[name]
        shape = ["--shape", TOKENS if name.startswith("bert") else PICTURE]
        for ending in (".pt2", ".core.pt2", ".trace.pt", ".script.pt", ".onnx"):
            path = os.path.join(folder, name + ending)
            if not os.path.exists(path):
                continue
            got = counts(program, path, *(shape if ending.endswith(".pt") else []))
            fine = not isinstance(got, str) and got[0] == macs and (
                got[1] == (FOLDED.get(name, parameters) if ending == ".onnx" else parameters))
            wrong += not fine
            print("ok" if fine else "WRONG", name + ending, got)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:] or list(KNOWN)))
