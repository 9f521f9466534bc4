#!/usr/bin/env python3
"""Writes the big models of the benches, without any package: protobuf by hand.

usage: make_models.py FOLDER

  resnet50.onnx   the real network with batch normalisation, 102 MB of made-up float32 weights
  llm.onnx        a decoder of 22 layers; its 2.5 GB of float16 weights stand in llm.onnx.data,
                  a file with size and without content (it takes no room on most file systems)
  chain_N.onnx    N nodes one after the other

A file that is there is left alone. `ANSWERS` is what a correct count of them gives.
"""

import random
import sys
from array import array
from pathlib import Path

FLOAT, INT64, FLOAT16 = 1, 7, 10  # onnx.TensorProto.DataType
WIDTH = {FLOAT: 4, INT64: 8, FLOAT16: 2}

LAYERS, HIDDEN, INNER, HEADS, VOCABULARY, TOKENS = 22, 2048, 5504, 16, 32000, 128
LLM_WEIGHTS = LAYERS * (4 * HIDDEN**2 + 3 * HIDDEN * INNER) + VOCABULARY * HIDDEN
ANSWERS = {
    # Conv and Gemm of ResNet-50 v1.5 at 1x3x224x224: the figure of its many published counts.
    "resnet50.onnx": {"macs": 4089184256, "parameters": 25557032, "statistics": 53120},
    # Every weight once a token, and two products of each token with all tokens in every layer.
    "llm.onnx": {"macs": TOKENS * LLM_WEIGHTS + LAYERS * 2 * TOKENS**2 * HIDDEN},
    "chain_10000.onnx": {"nodes": 10000},
    "chain_100000.onnx": {"nodes": 100000},
}


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def chunk(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    """AttributeProto: name 1, i 3, ints 8, type 20 (INT 2, INTS 7)."""
    if isinstance(value, int):
        return chunk(1, name) + number(3, value) + number(20, 2)
    return chunk(1, name) + b"".join(number(8, item) for item in value) + number(20, 7)


def node(op, inputs, outputs, name, **attributes):
    """NodeProto: input 1, output 2, name 3, op_type 4, attribute 5."""
    return (
        b"".join(chunk(1, tensor) for tensor in inputs)
        + b"".join(chunk(2, tensor) for tensor in outputs)
        + chunk(3, name)
        + chunk(4, op)
        + b"".join(chunk(5, attribute(*item)) for item in attributes.items())
    )


def value_info(name, dtype, shape):
    """ValueInfoProto: name 1, type 2 { tensor_type 1 { elem_type 1, shape 2 { dim 1 } } }."""
    dims = b"".join(chunk(1, number(1, dim)) for dim in shape)
    return chunk(1, name) + chunk(2, chunk(1, number(1, dtype) + chunk(2, dims)))


def tensor(name, dtype, shape, raw=None, external=None):
    """TensorProto: dims 1, data_type 2, name 8, raw_data 9, external_data 13, location 14."""
    out = b"".join(number(1, dim) for dim in shape) + number(2, dtype) + chunk(8, name)
    if external:
        file, offset, length = external
        for key, value in (("location", file), ("offset", str(offset)), ("length", str(length))):
            out += chunk(13, chunk(1, key) + chunk(2, value))
        return out + number(14, 1)
    return out + chunk(9, raw)


class Graph:
    """Nodes and weights as they come; `write` makes the file."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.block = array("f", (random.Random(0).gauss(0, 0.02) for _ in range(1 << 16))).tobytes()

    def add(self, op, inputs, name, **attributes):
        output = name + "_out"
        self.nodes.append(node(op, inputs, [output], name, **attributes))
        return output

    def weight(self, name, shape, dtype=FLOAT):
        size = WIDTH[dtype]
        for dim in shape:
            size *= dim
        raw = (self.block * (size // len(self.block) + 1))[:size]
        self.weights.append(tensor(name, dtype, shape, raw))
        return name

    def constant(self, name, values):
        raw = array("q", values).tobytes()
        self.weights.append(tensor(name, INT64, [len(values)], raw))
        return name

    def write(self, path, inputs, output):
        """ModelProto: ir_version 1, producer_name 2, graph 7, opset_import 8;
        GraphProto: node 1, name 2, initializer 5, input 11, output 12."""
        graph = [chunk(1, one) for one in self.nodes] + [chunk(2, path.stem)]
        graph += [chunk(5, one) for one in self.weights]
        graph += [chunk(11, value_info(*one)) for one in inputs] + [chunk(12, value_info(*output))]
        opset = chunk(8, number(2, 17))
        partial = path.with_suffix(".partial")
        with open(partial, "wb") as file:
            file.write(number(1, 8) + chunk(2, "opscope bench") + opset)
            file.write(varint(7 << 3 | 2) + varint(sum(map(len, graph))))
            file.writelines(graph)
        partial.rename(path)


def resnet50(path):
    graph = Graph()

    def conv(x, name, channels, filters, size, stride):
        weight = graph.weight(name + ".weight", [filters, channels, size, size])
        pads = [size // 2] * 4
        out = graph.add("Conv", [x, weight], name, kernel_shape=[size, size],
                        strides=[stride, stride], pads=pads)  # fmt: skip
        parts = [graph.weight(f"{name}.bn.{part}", [filters]) for part in ("w", "b", "mean", "var")]
        return graph.add("BatchNormalization", [out, *parts], name + ".bn")

    def bottleneck(x, name, channels, width, stride, project):
        out = graph.add("Relu", [conv(x, name + ".conv1", channels, width, 1, 1)], name + ".relu1")
        out = conv(out, name + ".conv2", width, width, 3, stride)
        out = graph.add("Relu", [out], name + ".relu2")
        out = conv(out, name + ".conv3", width, 4 * width, 1, 1)
        if project:
            x = conv(x, name + ".downsample", channels, 4 * width, 1, stride)
        return graph.add("Relu", [graph.add("Add", [out, x], name + ".add")], name + ".relu3")

    out = graph.add("Relu", [conv("x", "conv1", 3, 64, 7, 2)], "relu")
    out = graph.add("MaxPool", [out], "maxpool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)], 1):
        for block in range(blocks):
            stride = 2 if stage > 1 and block == 0 else 1
            out = bottleneck(out, f"layer{stage}.{block}", channels, width, stride, block == 0)
            channels = 4 * width
    out = graph.add("Flatten", [graph.add("GlobalAveragePool", [out], "avgpool")], "flatten")
    fc = [graph.weight("fc.weight", [1000, 2048]), graph.weight("fc.bias", [1000])]
    out = graph.add("Gemm", [out, *fc], "fc", transB=1)
    graph.write(path, [("x", FLOAT, [1, 3, 224, 224])], (out, FLOAT, [1, 1000]))


class Decoder(Graph):
    """Weights stand one after the other in the external file."""

    def __init__(self, data):
        super().__init__()
        self.data, self.size = data, 0

    def outside(self, name, shape):
        size = 2
        for dim in shape:
            size *= dim
        external = (self.data.name, self.size, size)
        self.weights.append(tensor(name, FLOAT16, shape, external=external))
        self.size += size
        return name

    def linear(self, x, name, rows, columns):
        return self.add("MatMul", [x, self.outside(name + ".weight", [rows, columns])], name)

    def norm(self, x, name):
        weights = [self.weight(name + ".w", [HIDDEN], FLOAT16), self.weight(name + ".b", [HIDDEN], FLOAT16)]
        return self.add("LayerNormalization", [x, *weights], name)

    def heads(self, x, name, perm):
        split = self.add("Reshape", [x, "split"], name + ".split")
        return self.add("Transpose", [split], name + ".turn", perm=perm)

    def attention(self, x, name):
        q, k, v = (self.linear(x, f"{name}.{part}", HIDDEN, HIDDEN) for part in "qkv")
        scores = self.add("MatMul", [self.heads(q, name + ".q", [0, 2, 1, 3]),
                                     self.heads(k, name + ".k", [0, 2, 3, 1])], name + ".scores")  # fmt: skip
        shares = self.add("Softmax", [scores], name + ".softmax", axis=3)
        mixed = self.add("MatMul", [shares, self.heads(v, name + ".v", [0, 2, 1, 3])], name + ".mix")
        turned = self.add("Transpose", [mixed], name + ".back", perm=[0, 2, 1, 3])
        return self.linear(self.add("Reshape", [turned, "join"], name + ".join"), name + ".o", HIDDEN, HIDDEN)

    def feed_forward(self, x, name):
        gate = self.linear(x, name + ".gate", HIDDEN, INNER)
        opened = self.add("Mul", [gate, self.add("Sigmoid", [gate], name + ".sigmoid")], name + ".silu")
        up = self.linear(x, name + ".up", HIDDEN, INNER)
        return self.linear(self.add("Mul", [opened, up], name + ".mul"), name + ".down", INNER, HIDDEN)


def llm(path):
    data = path.with_name(path.name + ".data")
    graph = Decoder(data)
    graph.constant("split", [1, TOKENS, HEADS, HIDDEN // HEADS])
    graph.constant("join", [1, TOKENS, HIDDEN])
    out = graph.add("Gather", [graph.outside("embed", [VOCABULARY, HIDDEN]), "ids"], "embed_tokens")
    for layer in range(LAYERS):
        name = f"layers.{layer}"
        mixed = graph.attention(graph.norm(out, name + ".norm1"), name + ".attn")
        out = graph.add("Add", [out, mixed], name + ".add1")
        fed = graph.feed_forward(graph.norm(out, name + ".norm2"), name + ".mlp")
        out = graph.add("Add", [out, fed], name + ".add2")
    out = graph.linear(graph.norm(out, "norm"), "lm_head", HIDDEN, VOCABULARY)
    with open(data, "wb") as file:
        file.truncate(graph.size)
    graph.write(path, [("ids", INT64, [1, TOKENS])], (out, FLOAT16, [1, TOKENS, VOCABULARY]))


def chain(path):
    """chain_N.onnx: Relu and Add, in turn."""
    graph = Graph()
    graph.weight("bias", [64])
    out = "x"
    for i in range(int(path.stem.split("_")[1])):
        out = graph.add("Add", [out, "bias"], f"add{i}") if i % 2 else graph.add("Relu", [out], f"relu{i}")
    graph.write(path, [("x", FLOAT, [1, 64])], (out, FLOAT, [1, 64]))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ANSWERS:
        make = {"resnet50": resnet50, "llm": llm}.get(Path(name).stem, chain)
        if not (folder / name).exists():
            make(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
