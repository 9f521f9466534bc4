#!/usr/bin/env python3
"""Writes known networks, in plain torch, as PyTorch's files and as ONNX:

    python3 torch_networks.py FOLDER [NAME…]

NAME.pt2 (torch.export), NAME.trace.pt and NAME.script.pt (TorchScript), NAME.onnx (exporter of torch,
where onnxscript or the older exporter is at hand). Weights are random: only shapes are looked at.
"""
import os
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = shortcut(inputs, width, stride)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.downsample(x))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, width * 4, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(width * 4)
        self.downsample = shortcut(inputs, width * 4, stride)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + self.downsample(x))


def shortcut(inputs, outputs, stride):
    if inputs == outputs and stride == 1:
        return nn.Identity()
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))


class ResNet(nn.Module):
    def __init__(self, block, depths):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        layers, inputs = [], 64
        for stage, depth in enumerate(depths):
            width = 64 << stage
            for i in range(depth):
                layers.append(block(inputs, width, 2 if i == 0 and stage > 0 else 1))
                inputs = width * block.expansion
        self.layers = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(inputs, 1000)

    def forward(self, x):
        x = self.maxpool(F.relu(self.bn1(self.conv1(x))))
        return self.fc(torch.flatten(self.avgpool(self.layers(x)), 1))


def conv_bn(inputs, outputs, kernel=3, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(outputs), nn.ReLU6())


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, stride, expand):
        super().__init__()
        hidden = inputs * expand
        parts = [conv_bn(inputs, hidden, 1)] if expand != 1 else []
        parts += [conv_bn(hidden, hidden, 3, stride, hidden), nn.Conv2d(hidden, outputs, 1, bias=False),
                  nn.BatchNorm2d(outputs)]
        self.conv = nn.Sequential(*parts)
        self.same = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.conv(x) if self.same else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        layers, inputs = [conv_bn(3, 32, 3, 2)], 32
        for expand, outputs, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                               (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
            for i in range(count):
                layers.append(Inverted(inputs, outputs, stride if i == 0 else 1, expand))
                inputs = outputs
        layers.append(conv_bn(inputs, 1280, 1))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


class ViTLayer(nn.Module):
    def __init__(self, width=768, heads=12, inner=3072):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, eps=1e-6)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Dropout(0.0), nn.Linear(inner, width))

    def forward(self, x):
        y = self.ln_1(x)
        y, _ = self.attention(y, y, y, need_weights=False)
        x = x + y
        return x + self.mlp(self.ln_2(x))


class ViT(nn.Module):
    def __init__(self, width=768, layers=12):
        super().__init__()
        self.conv_proj = nn.Conv2d(3, width, 16, 16)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embedding = nn.Parameter(torch.zeros(1, 197, width))
        self.layers = nn.Sequential(*[ViTLayer(width) for _ in range(layers)])
        self.ln = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1) + self.pos_embedding
        return self.head(self.ln(self.layers(x))[:, 0])


class BertLayer(nn.Module):
    def __init__(self, fused: bool, width: int = 768, heads: int = 12, inner: int = 3072):
        super().__init__()
        self.fused, self.heads = fused, heads
        self.query, self.key, self.value, self.dense = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.intermediate, self.output = nn.Linear(width, inner), nn.Linear(inner, width)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            scores = torch.matmul(q, k.transpose(-1, -2)) / 8.0
            y = torch.matmul(torch.softmax(scores, -1), v)
        y = y.transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.dense(y))
        return self.norm2(x + self.output(F.gelu(self.intermediate(x))))


class Bert(nn.Module):
    def __init__(self, fused):
        super().__init__()
        self.word, self.position = nn.Embedding(30522, 768), nn.Embedding(512, 768)
        self.kind = nn.Embedding(2, 768)
        self.norm = nn.LayerNorm(768, eps=1e-12)
        self.layers = nn.Sequential(*[BertLayer(fused) for _ in range(12)])
        self.pooler = nn.Linear(768, 768)

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        x = self.word(ids) + self.position(places) + self.kind(torch.zeros_like(ids))
        x = self.layers(self.norm(x))
        return x, torch.tanh(self.pooler(x[:, 0]))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 32)
        self.lstm = nn.LSTM(32, 48, num_layers=2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(96, 24, batch_first=True)
        self.out = nn.Linear(24, 10)

    def forward(self, ids):
        x, _ = self.lstm(self.embed(ids))
        x, _ = self.gru(x)
        return self.out(x[:, -1])


PICTURE = lambda: torch.randn(1, 3, 224, 224)  # noqa: E731
TOKENS = lambda: torch.randint(0, 100, (1, 128))  # noqa: E731
NETWORKS = {
    "resnet18": (lambda: ResNet(BasicBlock, (2, 2, 2, 2)), PICTURE),
    "resnet50": (lambda: ResNet(Bottleneck, (3, 4, 6, 3)), PICTURE),
    "mobilenet_v2": (MobileNetV2, PICTURE),
    "vit_b_16": (ViT, PICTURE),
    "bert_sdpa": (lambda: Bert(True), TOKENS),
    "bert_matmul": (lambda: Bert(False), TOKENS),
    "recurrent": (Recurrent, TOKENS),
}


def write(name, folder):
    make, example = NETWORKS[name]
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
            print(f"{name}: no script: {str(problem).splitlines()[0]}", file=sys.stderr)
        torch.backends.mha.set_fastpath_enabled(False)
        try:
            torch.onnx.export(model, inputs, path + ".onnx", dynamo=False)
        except Exception as problem:
            print(f"{name}: no ONNX: {str(problem).splitlines()[0]}", file=sys.stderr)
        torch.backends.mha.set_fastpath_enabled(True)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for wanted in sys.argv[2:] or NETWORKS:
        write(wanted, sys.argv[1])
