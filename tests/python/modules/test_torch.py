"""opscope.torch: any module, counted by the core, the same number however it is called."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: ./dev test --torch")

import opscope  # noqa: E402
from nets import NETS, Basic, Bert, ResNet  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

analyze = opscope.torch.analyze


def macs(module, *inputs, **options):
    totals = analyze(module, inputs, **options).static.totals
    assert totals.complete, totals.uncounted
    return totals.macs


@pytest.mark.parametrize("name", NETS)
def test_known_networks(name):
    make, make_input, expected, parameters = NETS[name]
    module = make().eval()
    before = {key: value.clone() for key, value in module.state_dict().items()}
    report = analyze(module, make_input())
    totals = report.static.totals
    assert (totals.macs, totals.parameters) == (expected, parameters)
    assert totals.complete and report.parameters == parameters and report.unused == []
    assert report.how == "without data"
    assert report.modules()[0].macs == expected
    assert report.modules()[0].peak_bytes == totals.memory.live_peak_bytes
    assert all(torch.equal(before[key], value) for key, value in module.state_dict().items())


def test_grad_mode_and_training_mode_make_no_difference():
    module, x = ResNet(Basic, [1, 1, 1, 1]), torch.zeros(2, 3, 64, 64)
    numbers = set()
    for training in (False, True):
        module.train(training)
        for context in (torch.no_grad(), torch.enable_grad(), torch.inference_mode()):
            with context:
                numbers.add(macs(module, x))
    assert len(numbers) == 1
    assert int(module.bn1.num_batches_tracked) == 0  # nothing of the module changes


class LooksAndNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        y = self.norm(x)
        return y if y.sum().item() > 1 else -y


def test_running_statistics_stay_where_data_is_needed():
    module = LooksAndNorms().train()
    assert analyze(module, torch.arange(12.0).reshape(3, 4)).how == "with data"
    assert int(module.norm.num_batches_tracked) == 0
    assert torch.equal(module.norm.running_mean, torch.zeros(4))


def test_encoder_fast_path_is_counted():
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True).eval()
    x = torch.zeros(2, 10, 64)
    linear = 20 * (4 * 64 * 64 + 2 * 64 * 128)
    attention = 2 * 2 * 10 * 10 * 64
    with torch.no_grad():
        assert macs(layer, x) == linear + attention
    layer.train()
    assert macs(layer, x) == linear + attention


def test_recurrent_kernels():
    lstm = nn.LSTM(8, 16, num_layers=2, bidirectional=True)
    steps = 5 * 3
    first, second = 4 * 16 * (8 + 16) * 2, 4 * 16 * (32 + 16) * 2
    assert macs(lstm, torch.zeros(5, 3, 8)) == steps * (first + second)
    assert macs(nn.GRU(8, 16), torch.zeros(5, 3, 8)) == steps * 3 * 16 * (8 + 16)


class Functional(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(8, 4))

    def forward(self, x):
        return F.linear(x @ self.w, self.w) + torch.einsum("ab,bc->ac", x, x.t()).sum()


def test_functional_calls_and_operators():
    assert macs(Functional(), torch.zeros(3, 8)) == 3 * 8 * 4 * 2 + 3 * 3 * 8


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 6)
        self.b = self.a
        self.tied = nn.Linear(6, 6, bias=False)
        self.tied.weight = self.a.weight
        self.unused = nn.Linear(6, 7)

    def forward(self, x):
        return self.tied(self.b(self.a(x)))


def test_shared_weights_count_once():
    report = analyze(Shared(), torch.zeros(1, 6))
    assert report.static.totals.parameters == 6 * 6 + 6
    assert report.parameters == 42 + 49
    assert report.unused == ["unused.weight", "unused.bias"]
    assert report.static.totals.macs == 3 * 36


class Looks(nn.Module):
    """Control flow on values."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum().item() > 0:
            return self.linear(self.linear(x))
        return self.linear(x)


def test_control_flow_as_executed():
    report = analyze(Looks(), torch.ones(1, 4))
    assert report.how == "with data" and report.static.totals.macs == 32
    assert analyze(Looks(), -torch.ones(1, 4)).static.totals.macs == 16


class Custom(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x @ x.t()

    @staticmethod
    def backward(ctx, grad):
        return grad


class Odd(nn.Module):
    """In-place views, a custom autograd function, a hook."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.linear.register_forward_hook(lambda module, inputs, output: output * 2)

    def forward(self, x):
        y = self.linear(x).clone()
        y[:, :2].add_(1)
        y[0] = 0
        return Custom.apply(y)


def test_odd_modules():
    assert macs(Odd(), torch.ones(3, 4)) == 3 * 16 + 9 * 4
    assert macs(nn.Linear(4, 5), torch.ones(4)) == 20  # unbatched
    assert macs(nn.Conv2d(3, 8, 3), torch.ones(3, 8, 8)) == 8 * 36 * 27
    with torch.device("meta"):
        assert macs(nn.Linear(4, 5), torch.ones(2, 4)) == 40


def test_errors_say_what_failed():
    with pytest.raises(opscope.Error) as caught:
        analyze(nn.Linear(4, 5), torch.zeros(1, 3))
    assert caught.value.code == "torch.call" and caught.value.place == "Linear"


def test_modules_and_tables():
    report = analyze(ResNet(Basic, [1, 1, 1, 1]).eval(), torch.zeros(1, 3, 64, 64))
    rows = {row.path: row for row in report.modules()}
    children = [row for path, row in rows.items() if path and "." not in path]
    assert sum(row.macs for row in children) == rows[""].macs == report.static.totals.macs
    assert sum(row.parameters for row in children) == report.parameters
    assert rows["layer2.0.conv1"].macs == 128 * 64 * 9 * 8 * 8
    # Two tensors of 128x8x8 float32 and the input of 64x16x16, which the shortcut still needs.
    assert rows["layer2.0.conv2"].peak_bytes == 4 * (2 * 128 * 8 * 8 + 64 * 16 * 16)
    assert rows[""].peak_bytes == max(row.peak_bytes for row in rows.values())
    assert rows["layer2.0.conv1"].calls == 1 and rows["layer2.0.conv1"].type == "Conv2d"
    assert rows["layer2"].macs == sum(
        row["macs"] for row in report.rows() if row["module"].startswith("layer2.")
    )
    assert "layer4" in report.table(depth=1) and "conv1" not in report.table(depth=0)
    pytest.importorskip("pandas")
    assert list(report.to_dataframe("modules")["path"])[0] == ""


def test_export_gives_the_same():
    if "pt2" not in [row.id for row in opscope.formats()]:
        pytest.skip("this build reads no .pt2")
    module = Bert(True, depth=1).eval()
    ids = torch.zeros(1, 16, dtype=torch.long)
    called, exported = analyze(module, ids), analyze(module, ids, method="export")
    assert exported.static.totals.macs == called.static.totals.macs
    assert exported.static.totals.parameters == called.static.totals.parameters
