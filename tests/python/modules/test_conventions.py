"""What other counters print, beside what opscope says that they print; both run here."""

import contextlib
import io

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: ./dev test --torch")

import opscope  # noqa: E402
from nets import NETS  # noqa: E402

CONVS = ["resnet18", "resnet50"]


def ours(name, tool):
    make, make_input, _, _ = NETS[name]
    totals = opscope.torch.analyze(make().eval(), make_input()).convention(tool)
    return totals.macs if totals.unit == "MAC" else totals.flops, totals.params


def quietly(function, *args, **options):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return function(*args, **options)


# mobilenet_v2 pools by a function and vit_b_16 has nn.MultiheadAttention: thop sees neither, and no list
# of ops says so (docs/moving-from.md).
@pytest.mark.parametrize("name", [*CONVS, "bert_sdpa", "bert_matmul"])
def test_thop(name):
    thop = pytest.importorskip("thop")
    make, make_input, _, _ = NETS[name]
    printed = quietly(thop.profile, make(), (make_input(),), verbose=False)
    assert printed == ours(name, "thop")


@pytest.mark.parametrize("name, backend", [(n, "pytorch") for n in CONVS] + [(n, "aten") for n in NETS])
def test_ptflops(name, backend):
    ptflops = pytest.importorskip("ptflops")
    make, make_input, _, _ = NETS[name]
    key = "ids" if name.startswith("bert") else "x"
    printed = quietly(
        ptflops.get_model_complexity_info, make(), (1,), False, False,
        input_constructor=lambda _: {key: make_input()}, backend=backend,
    )  # fmt: skip
    assert printed == ours(name, "ptflops" if backend == "pytorch" else "ptflops-aten")


@pytest.mark.parametrize("name", NETS)
def test_fvcore(name):
    fvcore = pytest.importorskip("fvcore.nn")
    make, make_input, _, _ = NETS[name]
    analysis = fvcore.FlopCountAnalysis(make().eval(), (make_input(),))
    analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    assert quietly(analysis.total) == ours(name, "fvcore")[0]


# FlopCounterMode has no rule for the CPU's fused attention.
@pytest.mark.parametrize("name", [*CONVS, "mobilenet_v2", "bert_matmul"])
def test_flop_counter_mode(name):
    from torch.utils.flop_counter import FlopCounterMode

    make, make_input, _, _ = NETS[name]
    module = make().eval()
    with torch.no_grad(), FlopCounterMode(display=False) as mode:
        module(make_input())
    assert mode.get_total_flops() == ours(name, "torch")[0]


def test_faster_than_thop_in_the_same_process():
    thop = pytest.importorskip("thop")
    import time

    make, make_input, _, _ = NETS["resnet50"]
    module, x = make().eval(), make_input()

    def seconds(function):
        begun = time.perf_counter()
        quietly(function)
        return time.perf_counter() - begun

    opscope.torch.analyze(module, x), quietly(thop.profile, make(), (x,), verbose=False)
    mine = min(seconds(lambda: opscope.torch.analyze(module, x)) for _ in range(3))
    theirs = min(seconds(lambda: thop.profile(module, (x,), verbose=False)) for _ in range(3))
    assert mine < theirs
