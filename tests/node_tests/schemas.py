#!/usr/bin/env python3
"""Asks opscope for every operator and version that onnx, and ONNX Runtime where it is installed,
have a schema for, and names those it does not know.

usage: schemas.py OPSCOPE       exit 1 when one is missing
"""

import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from onnx import TensorProto, helper


def schemas():
    """(domain, name, version) of every schema."""
    found = {(s.domain, s.name, s.since_version) for s in onnx.defs.get_all_schemas_with_history()}
    try:
        from onnxruntime.capi import onnxruntime_pybind11_state as ort
    except ImportError:
        print("onnxruntime is not installed: its operators are not looked at")
    else:
        # Experimental ops that ORT still carries in ai.onnx are not ONNX's.
        found |= {(s.domain, s.name, s.since_version) for s in ort.get_all_operator_schema()
                  if s.domain.startswith("com.")}
    return found


def model_of(domain, version, names):
    """One node an operator. Nothing is known of its input, so nothing can contradict it."""
    nodes = [helper.make_node(name, ["x"], [f"y{i}"], name=name, domain=domain)
             for i, name in enumerate(names)]
    graph = helper.make_graph(nodes, "schemas", [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
                              [onnx.ValueInfoProto(name="y0")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, version)])


def unknown_ops(opscope, path):
    said = subprocess.run([opscope, "inspect", "--format", "json", path], capture_output=True,
                          text=True)
    if said.returncode:
        sys.exit(f"opscope inspect ended with {said.returncode}: {said.stderr[-1000:]}")
    layers = json.loads(said.stdout)["static"]["layers"]
    return [layer["op"] for layer in layers if layer["because"] == "unknown op"]


def main():
    opscope = sys.argv[1]
    by_version = collections.defaultdict(list)
    for domain, name, version in sorted(schemas()):
        by_version[domain, version].append(name)
    missing, asked = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for (domain, version), names in by_version.items():
            path = Path(folder) / "schemas.onnx"
            path.write_bytes(model_of(domain, version, names).SerializeToString())
            asked += len(names)
            missing += [f"{domain or 'ai.onnx'}.{name} {version}"
                        for name in unknown_ops(opscope, path)]
    print(f"{asked} operators and versions, {len(missing)} unknown")
    for name in missing:
        print(f"  {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
