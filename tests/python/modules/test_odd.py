"""Modules that counters trip over: an answer with its coverage, or an error that says what failed."""

import concurrent.futures
import threading

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: ./dev test --torch")

import opscope  # noqa: E402
import opscope.torch  # noqa: E402
from nets import Basic, Bert, ResNet  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

analyze = opscope.torch.analyze


class Looks(nn.Module):
    """A loop that hangs on values: torch.export refuses it."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        while x.sum() < 10:
            x = self.linear(x).abs() + 5
        return x


def test_export_where_it_works_and_else_the_call():
    module = Bert(False, depth=1, dim=64, heads=4, hidden=128, vocabulary=99).eval()
    ids = torch.zeros(2, 16, dtype=torch.long)
    exported, called = (analyze(module, ids, method=method) for method in ("auto", "call"))
    assert (exported.how, called.how) == ("export", "without data")
    assert exported.static.totals.macs == called.static.totals.macs
    assert exported.static.totals.parameters == called.static.totals.parameters
    rows, others = exported.modules(), called.modules()
    assert [(r.path, r.macs) for r in rows] == [(r.path, r.macs) for r in others]
    looks = analyze(Looks(), torch.zeros(2, 4), method="auto")
    assert looks.how == "with data" and looks.static.totals.macs == 2 * 16
    with pytest.raises(opscope.Error) as caught:
        analyze(Looks(), torch.zeros(2, 4), method="export")
    assert caught.value.code == "torch.export" and caught.value.place == "Looks"


def test_free_sizes_are_formulas():
    batch = torch.export.Dim("batch", min=2)
    report = analyze(nn.Linear(4, 5), torch.zeros(3, 4), method="export", dynamic_shapes=[{0: batch}])
    totals = report.static.totals
    assert totals.macs is None and totals.formula["macs"].endswith("*20")


class Rotary(nn.Module):
    """Keeps a table that it has computed, in an attribute, in a buffer, and in a list."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.cached = None
        self.tables = {}

    def forward(self, x):
        if self.cached is None:
            self.cached = self.linear.weight.sum(0)
            self.register_buffer("table", torch.cos(self.cached), persistent=False)
            self.tables = {"x": self.cached}
        return self.linear(x * self.table * self.tables["x"])


def test_what_a_call_keeps_goes_again():
    module, x = Rotary(), torch.ones(2, 8)
    for record in (False, True):
        assert analyze(module, x, record=record, runs=1).static.totals.macs == 128
        assert module.cached is None and "table" not in module._buffers and module.tables == {}
    y = module(x)  # real tensors, with gradients
    y.sum().backward()
    assert module.cached.device.type == "cpu"
    kept = module.cached
    assert analyze(module, x).static.totals.macs == 128 and module.cached is kept


class Complex(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(8, 8, dtype=torch.complex64))

    def forward(self, x):
        return torch.fft.ifft(torch.fft.fft(x) @ self.w).real


def test_complex_numbers_are_counted_or_named():
    totals = analyze(Complex(), torch.zeros(3, 8)).static.totals
    assert totals.macs == 3 * 64 and totals.parameters == 64
    assert all(op.because for op in totals.uncounted)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w @ w

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Customs(nn.Module):
    """A function with a gradient of its own, views that are written through, and checkpoints."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.eye(6))
        self.linear = nn.Linear(6, 6)

    def forward(self, x):
        y = Twice.apply(x, self.w)
        y[:, 1:3] = y[:, 3:5] * 2
        y.view(-1)[::2].mul_(3)
        y.t()[0].zero_()
        y = torch.utils.checkpoint.checkpoint(self.linear, y, use_reentrant=False)
        return y.unbind(0)[0], {"all": y, "none": None}


def test_functions_views_and_checkpoints():
    for context in (torch.no_grad, torch.enable_grad):
        with context():
            report = analyze(Customs(), torch.ones(4, 6))
        assert report.static.totals.complete and report.static.totals.macs == 3 * 4 * 36


class Empty(nn.Module):
    def forward(self, *args, **kwargs):
        return None


def test_nothing_to_count():
    totals = analyze(Empty(), ()).static.totals
    assert (totals.nodes, totals.macs, totals.parameters) == (0, 0, 0)
    assert analyze(nn.Identity(), torch.ones(3)).static.totals.macs == 0
    assert analyze(nn.Sequential(), torch.ones(3)).table()


def test_other_kinds_of_modules_and_inputs():
    small = ResNet(Basic, [1, 1, 1, 1]).eval()
    x = torch.zeros(1, 3, 32, 32)
    exact = analyze(small, x).static.totals.macs
    assert analyze(small.to(memory_format=torch.channels_last),
                   x.to(memory_format=torch.channels_last)).static.totals.macs == exact  # fmt: skip
    assert analyze(torch.jit.trace(small, x), x).static.totals.macs == exact
    assert analyze(small.bfloat16(), x.bfloat16()).static.totals.macs == exact
    assert analyze(nn.DataParallel(ResNet(Basic, [1, 1, 1, 1]).eval()), x).static.totals.macs == exact
    assert analyze(nn.Embedding(10, 4), torch.zeros(2, 3, dtype=torch.int)).static.totals.macs == 0
    bag = nn.EmbeddingBag(10, 4)
    report = analyze(bag, (torch.zeros(6, dtype=torch.long), torch.tensor([0, 3])))
    assert report.static.totals.parameters == 40
    lazy = nn.Sequential(nn.LazyLinear(5), nn.utils.parametrizations.weight_norm(nn.Linear(5, 2)))
    lazy(torch.zeros(1, 7))
    assert analyze(lazy, torch.zeros(1, 7)).static.totals.macs == 35 + 10


def test_a_failing_module_leaves_nothing_behind():
    class Fails(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(3, 3)

        def forward(self, x):
            self.inner(x)
            raise KeyError("no such key")

    before = torch.backends.mha.get_fastpath_enabled()
    hooks = torch.nn.modules.module
    counts = [len(hooks._global_forward_hooks), len(hooks._global_forward_pre_hooks)]
    for record in (False, True):
        with pytest.raises(opscope.Error) as caught:
            analyze(Fails(), torch.zeros(1, 3), record=record)
        assert caught.value.code == "torch.call" and "no such key" in str(caught.value)
    assert torch.backends.mha.get_fastpath_enabled() == before
    assert [len(hooks._global_forward_hooks), len(hooks._global_forward_pre_hooks)] == counts
    assert not torch.is_inference_mode_enabled()
    with pytest.raises(KeyboardInterrupt):
        analyze(Interrupts(), torch.zeros(1))


class Interrupts(nn.Module):
    def forward(self, x):
        raise KeyboardInterrupt


def test_threads_do_not_mix_their_modules():
    modules = [nn.Sequential(*[nn.Linear(4, 4) for _ in range(depth)]) for depth in range(1, 9)]
    barrier = threading.Barrier(len(modules))

    def count(module):
        barrier.wait()
        rows = analyze(module, torch.zeros(1, 4)).modules()
        return [row.macs for row in rows]

    with concurrent.futures.ThreadPoolExecutor(len(modules)) as pool:
        counts = list(pool.map(count, modules))
    assert counts == [[16 * depth] + [16] * depth for depth in range(1, 9)]


def test_a_large_constant_is_not_written_out():
    class Big(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.zeros(1000, 1000)

        def forward(self, x):
            return x @ self.table + F.one_hot(torch.arange(1000)).float()[0]

    totals = analyze(Big(), torch.zeros(2, 1000)).static.totals
    assert totals.macs == 2 * 1000 * 1000
