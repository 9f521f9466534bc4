#!/usr/bin/env python3
"""Writes the networks of tests/python/modules/nets.py as PyTorch's files and as ONNX:

    python3 torch_networks.py FOLDER [NAME…]

NAME.pt2 and NAME.core.pt2 (torch.export, with composed ops and without), NAME.trace.pt and
NAME.script.pt (TorchScript), NAME.onnx and NAME.dynamo.onnx (torch's two exporters; the newer one needs
onnxscript). Weights are random: only shapes are looked at.
"""
import os
import sys
import warnings

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python", "modules"))
from nets import FILES  # noqa: E402

warnings.filterwarnings("ignore")


def say_why(what, problem):
    print(f"{what}: {str(problem).splitlines()[0]}", file=sys.stderr)


def write(name, folder):
    make, example = FILES[name][:2]
    model, inputs = make().eval(), (example(),)
    # The exporter to ONNX joins weights that are the same bit by bit, as fresh biases of 0 are.
    for tensor in [*model.parameters(), *model.buffers()]:
        if tensor.is_floating_point():
            tensor.data.uniform_(0.01, 0.02)
    path = os.path.join(folder, name)
    with torch.no_grad():
        program = torch.export.export(model, inputs)
        torch.export.save(program, path + ".pt2")
        torch.export.save(program.run_decompositions(), path + ".core.pt2")
        torch.jit.save(torch.jit.trace(model, inputs, check_trace=False), path + ".trace.pt")
        try:
            torch.jit.save(torch.jit.script(model), path + ".script.pt")
        except Exception as problem:  # torch's scripting does not take every module
            say_why(f"{name}: no script", problem)
        torch.backends.mha.set_fastpath_enabled(False)
        for ending, dynamo in ((".onnx", False), (".dynamo.onnx", True)):
            try:
                torch.onnx.export(model, inputs, path + ending, dynamo=dynamo)
            except Exception as problem:
                say_why(f"{name}{ending} was not written", problem)
        torch.backends.mha.set_fastpath_enabled(True)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for wanted in sys.argv[2:] or FILES:
        write(wanted, sys.argv[1])
