"""Measured times: whose they are, and that they add up."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: ./dev test --torch")

import opscope  # noqa: E402
import opscope.torch  # noqa: E402
from nets import Bert, Basic, ResNet  # noqa: E402
from opscope.torch import _record  # noqa: E402
from opscope.torch._record import CALL, Row  # noqa: E402
from torch import nn  # noqa: E402

analyze = opscope.torch.analyze


def reconcile(report):
    """Every sum of the recorded run, exactly."""
    timing, run = report.runs
    sums = run.reconciliation
    assert sums.wall_ns == sums.layers_ns + sums.runtime_ns + sums.unmatched_ns + sums.gap_ns
    assert sums.wall_ns == sum(run.latency_ns.samples) > 0 and sums.gap_ns >= 0
    layers = [event for event in run.events if event.kind == "layer"]
    assert sums.layers_ns == sum(event.wall_ns for event in layers)
    assert sums.layers_ns == sum(joined.wall_ns for joined in report.joined)
    assert all(sum(event.samples_ns) == event.wall_ns for event in run.events)
    assert [event.layers[0].id for event in layers] == [layer.id for layer in report.static.layers]
    assert timing.role == "timing" and run.role == "profiled"
    assert timing.latency_ns.median > 0 and run.latency_ns.ci95 is not None


@pytest.mark.parametrize("grad", [torch.no_grad, torch.enable_grad, torch.inference_mode])
def test_every_op_has_its_time(grad):
    module, x = ResNet(Basic, [1, 1, 1, 1]).eval(), torch.zeros(1, 3, 64, 64)
    with grad():
        report = analyze(module, x, record=True, runs=5)
    reconcile(report)
    assert report.static.totals.macs == analyze(module, x).static.totals.macs
    assert report.runs[1].iterations.used == 5 and len(report.runs[0].latency_ns.samples) == 5
    assert not report.marked
    rows = {row.path: row for row in report.modules()}
    assert rows["layer2.0.conv1"].time_ns > 0 and rows["layer2.0.conv1"].device_ns is None
    assert rows[""].time_ns >= rows["layer2"].time_ns >= rows["layer2.0.conv1"].time_ns
    assert "ms" in report.table(depth=1)
    assert all(row["median_ns"] is not None for row in report.rows())
    assert report.to_text() and report._repr_html_()
    assert opscope.torch.ModuleReport is type(report)


def test_attention_and_lists():
    reconcile(analyze(Bert(True, depth=2, dim=64, heads=4, hidden=128, vocabulary=99).eval(),
                      torch.zeros(1, 16, dtype=torch.long), record=True, runs=3))  # fmt: skip
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval()
    reconcile(analyze(layer, torch.zeros(2, 5, 32), record=True, runs=3))
    reconcile(analyze(nn.LSTM(8, 16, bidirectional=True), torch.zeros(4, 2, 8), record=True, runs=3))


class Looks(nn.Module):
    """Looks at values, marks a range of its own, and keeps what it has computed."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.5)
        self.seen = None

    def forward(self, x):
        with torch.profiler.record_function("mine"):
            y = self.drop(self.norm(x))
            self.seen = y
            a, b = y.chunk(2, 1)
        if x.sum().item() > 1 and bool((x > 0).any()):
            a.add_(b)
        return a @ b.t()


def test_a_module_that_looks_at_values_is_left_as_it_was():
    module, x = Looks().train(), torch.arange(12.0).reshape(3, 4)
    state = torch.get_rng_state()
    report = analyze(module, x, record=True, runs=3)
    reconcile(report)
    assert report.how == "with data" and torch.equal(torch.get_rng_state(), state)
    assert int(module.norm.num_batches_tracked) == 0 and module.seen is None
    assert torch.equal(x, torch.arange(12.0).reshape(3, 4))


def test_ops_that_the_order_does_not_tell_are_marked(monkeypatch):
    wanted = []

    def order_fails(rows, calls):
        wanted.append(list(calls))
        return None if not calls[0].startswith("opscope::") else real(rows, calls)

    real = _record.runs_of
    monkeypatch.setattr(_record, "runs_of", order_fails)
    report = analyze(nn.Sequential(nn.Linear(4, 4), nn.ReLU()), torch.zeros(2, 4), record=True, runs=2)
    reconcile(report)
    assert report.marked and wanted[1] == ["opscope::0", "opscope::1"]


def test_what_cannot_be_recorded():
    with pytest.raises(opscope.Error) as caught:
        analyze(nn.Linear(2, 2, device="meta"), torch.zeros(1, 2, device="meta"), record=True)
    assert caught.value.code == "usage.record"
    with pytest.raises(opscope.Error) as caught:
        analyze(nn.Linear(2, 2), torch.zeros(1, 2), record=True, runs=0)
    assert caught.value.code == "usage.record"


# Rows as a profiler of a GPU gives them: the host launches, the device runs later. No GPU is needed;
# on one, nothing of this has been tried.
def test_device_rows_belong_to_the_op_that_launched_them():
    rows = [
        Row(CALL, 0, 1000, 1, id=1),
        Row("aten::linear", 10, 200, 1, id=2),
        Row("aten::addmm", 20, 150, 1, id=3),
        Row("cudaLaunchKernel", 30, 20, 1, id=4),
        Row("aten::relu", 300, 100, 1, id=5),
        Row("cudaLaunchKernel", 320, 30, 1, id=6),
        Row("cudaDeviceSynchronize", 500, 450, 1, id=7),
        Row("aten::linear", 5, 900, 2, id=8),  # of another thread
        Row("sgemm", 600, 400, 7, device=True, launched_by=3),
        Row("splitk", 1000, 50, 7, device=True, launched_by=3),
        Row("relu_kernel", 1050, 70, 7, device=True, launched_by=5),
    ]
    (run,) = _record.runs_of(rows, ["aten::linear", "aten::relu"])
    assert run.ops == [200, 100] and run.device == [450, 70]
    assert run.others == {"cudaDeviceSynchronize": 450}
    assert run.wall_ns == 1000 == sum(run.ops) + 450 + run.gap_ns


def test_ops_that_are_not_all_there_are_not_guessed():
    rows = [Row(CALL, 0, 100, 1), Row("aten::relu", 10, 20, 1), Row("aten::add", 40, 20, 1)]
    assert _record.runs_of(rows, ["aten::add", "aten::relu"]) is None
    (run,) = _record.runs_of(rows, ["aten::add"])  # the other one is not hidden
    assert run.others == {"aten::relu": 20} and run.gap_ns == 60
