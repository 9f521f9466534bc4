"""What the tests of the Python package share: a small model made here, byte by byte."""

import os
import struct
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("OPSCOPE_BUILD_DIR", "build"))


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """A protobuf field: an int as a varint, bytes or text with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def value_info(name, dims):
    shape = b"".join(
        field(1, field(2, dim) if isinstance(dim, str) else field(1, dim)) for dim in dims
    )
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


def tensor(name, dims):
    count = 1
    for dim in dims:
        count *= dim
    head = b"".join(field(1, dim) for dim in dims)
    return head + field(2, 1) + field(8, name) + field(9, struct.pack(f"<{count}f", *[0.5] * count))


def node(op, inputs, outputs, name):
    edges = b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs)
    return edges + field(3, name) + field(4, op)


@pytest.fixture
def model(tmp_path):
    """y = Relu(x w + b): x Nx8, w 8x4."""
    graph = b"".join(
        [
            field(1, node("MatMul", ["x", "w"], ["xw"], "matmul")),
            field(1, node("Add", ["xw", "b"], ["s"], "add")),
            field(1, node("Relu", ["s"], ["y"], "relu")),
            field(2, "g"),
            field(5, tensor("w", [8, 4])),
            field(5, tensor("b", [4])),
            field(11, value_info("x", ["N", 8])),
            field(12, value_info("y", ["N", 4])),
        ]
    )
    path = tmp_path / "small.onnx"
    path.write_bytes(field(1, 8) + field(8, field(2, 17)) + field(7, graph))
    return path
