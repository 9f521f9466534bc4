"""Networks of the tests in plain torch: the architectures that published numbers are about."""

import torch
from torch import nn
from torch.nn import functional as F


def conv_bn(ci, co, k, stride=1, groups=1):
    return [nn.Conv2d(ci, co, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(co)]


class Basic(nn.Module):
    expansion = 1

    def __init__(self, ci, width, stride):
        super().__init__()
        self.conv1, self.bn1 = conv_bn(ci, width, 3, stride)
        self.conv2, self.bn2 = conv_bn(width, width, 3)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or ci != width:
            self.downsample = nn.Sequential(*conv_bn(ci, width, 1, stride))

    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, ci, width, stride):
        super().__init__()
        co = width * 4
        self.conv1, self.bn1 = conv_bn(ci, width, 1)
        self.conv2, self.bn2 = conv_bn(width, width, 3, stride)
        self.conv3, self.bn3 = conv_bn(width, co, 1)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or ci != co:
            self.downsample = nn.Sequential(*conv_bn(ci, co, 1, stride))

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, block, depths):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        ci = 64
        for stage, depth in enumerate(depths):
            width = 64 << stage
            blocks = []
            for i in range(depth):
                blocks.append(block(ci, width, 2 if i == 0 and stage else 1))
                ci = width * block.expansion
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(ci, 1000)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class Inverted(nn.Module):
    def __init__(self, ci, co, stride, expand):
        super().__init__()
        hidden = ci * expand
        layers = []
        if expand != 1:
            layers += [*conv_bn(ci, hidden, 1), nn.ReLU6(inplace=True)]
        layers += [*conv_bn(hidden, hidden, 3, stride, hidden), nn.ReLU6(inplace=True)]
        self.conv = nn.Sequential(*layers, *conv_bn(hidden, co, 1))
        self.residual = stride == 1 and ci == co

    def forward(self, x):
        return x + self.conv(x) if self.residual else self.conv(x)


class MobileNetV2(nn.Module):
    ROWS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
            (6, 160, 3, 2), (6, 320, 1, 1)]  # fmt: skip

    def __init__(self):
        super().__init__()
        layers = [nn.Sequential(*conv_bn(3, 32, 3, 2), nn.ReLU6(inplace=True))]
        ci = 32
        for expand, co, times, stride in self.ROWS:
            for i in range(times):
                layers.append(Inverted(ci, co, stride if i == 0 else 1, expand))
                ci = co
        layers.append(nn.Sequential(*conv_bn(ci, 1280, 1), nn.ReLU6(inplace=True)))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), 1)
        return self.classifier(torch.flatten(x, 1))


class VitBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.ln_1 = nn.LayerNorm(dim, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Dropout(0.0),
                                 nn.Linear(hidden, dim), nn.Dropout(0.0))  # fmt: skip

    def forward(self, x):
        y = self.ln_1(x)
        y, _ = self.self_attention(y, y, y, need_weights=False)
        x = x + y
        return x + self.mlp(self.ln_2(x))


class VitB16(nn.Module):
    def __init__(self, depth=12, dim=768, heads=12, hidden=3072):
        super().__init__()
        self.conv_proj = nn.Conv2d(3, dim, 16, 16)
        self.class_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embedding = nn.Parameter(torch.zeros(1, 197, dim))
        self.layers = nn.Sequential(*[VitBlock(dim, heads, hidden) for _ in range(depth)])
        self.ln = nn.LayerNorm(dim, eps=1e-6)
        self.head = nn.Linear(dim, 1000)

    def forward(self, x):
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1) + self.pos_embedding
        return self.head(self.ln(self.layers(x))[:, 0])


class BertLayer(nn.Module):
    def __init__(self, dim, heads, hidden, fused):
        super().__init__()
        self.heads, self.fused = heads, fused
        self.query, self.key, self.value = (nn.Linear(dim, dim) for _ in range(3))
        self.output = nn.Linear(dim, dim)
        self.norm1 = nn.LayerNorm(dim, eps=1e-12)
        self.up, self.down = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.norm2 = nn.LayerNorm(dim, eps=1e-12)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            scores = torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5
            y = torch.matmul(torch.softmax(scores, -1), v)
        y = y.transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.output(y))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """BERT base with its pooler: 109,482,240 parameters."""

    def __init__(self, fused, depth=12, dim=768, heads=12, hidden=3072, vocabulary=30522):
        super().__init__()
        self.words = nn.Embedding(vocabulary, dim)
        self.positions = nn.Embedding(512, dim)
        self.types = nn.Embedding(2, dim)
        self.norm = nn.LayerNorm(dim, eps=1e-12)
        self.layers = nn.ModuleList(BertLayer(dim, heads, hidden, fused) for _ in range(depth))
        self.pooler = nn.Linear(dim, dim)

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        x = self.words(ids) + self.positions(places) + self.types(torch.zeros_like(ids))
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x)
        return torch.tanh(self.pooler(x[:, 0]))


def image():
    return torch.zeros(1, 3, 224, 224)


def tokens():
    return torch.zeros(1, 128, dtype=torch.long)


# name: (make the network, make its input, multiply-accumulates, parameters)
NETS = {
    "resnet18": (lambda: ResNet(Basic, [2, 2, 2, 2]), image, 1_814_073_344, 11_689_512),
    "resnet50": (lambda: ResNet(Bottleneck, [3, 4, 6, 3]), image, 4_089_184_256, 25_557_032),
    "mobilenet_v2": (MobileNetV2, image, 300_774_272, 3_504_872),
    "vit_b_16": (VitB16, image, 17_563_828_224, 86_567_656),
    "bert_sdpa": (lambda: Bert(True), tokens, 11_174_215_680, 109_482_240),
    "bert_matmul": (lambda: Bert(False), tokens, 11_174_215_680, 109_482_240),
}


class Habits(nn.Module):
    """One thing done in several ways, which counters see differently."""

    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.act = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU6()
        self.silu, self.pool = nn.SiLU(), nn.AvgPool2d(2)
        self.norm, self.soft = nn.LayerNorm(8), nn.Softmax(-1)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.linear = nn.Linear(8, 8)
        self.bare = nn.Parameter(torch.zeros(8, 8))

    def forward(self, x):
        x = self.act(self.bn(self.conv(x)))
        x = F.max_pool2d(F.relu(x), 2) + self.pool(F.silu(torch.relu(x)))
        x = F.gelu(F.leaky_relu(self.silu(x)))
        x = F.interpolate(x, scale_factor=2).flatten(2).transpose(1, 2).contiguous()
        y, _ = self.attention(x, x, x)  # with the weights of attention
        y = torch.add(y, x) * 2 + torch.mul(x, x)
        y = F.linear(self.norm(y), self.bare) + y @ self.bare + torch.matmul(y, self.bare)
        y = self.linear(y).add(y)
        scores = torch.bmm(y, y.transpose(1, 2))
        y = torch.softmax(scores, -1) @ y + self.soft(scores) @ y + F.softmax(scores, -1) @ y
        return F.layer_norm(y, (8,)).mean(1)


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


# What tests/support/torch_networks.py writes.
FILES = {**NETS, "recurrent": (Recurrent, lambda: torch.randint(0, 100, (1, 128)))}
