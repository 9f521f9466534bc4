"""What other counters print, beside what opscope says that they print; both run here."""

import contextlib
import functools
import io

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: ./dev test --torch")

import opscope.torch  # noqa: E402
from nets import NETS, Habits  # noqa: E402

ALL = {**NETS, "habits": (Habits, lambda: torch.zeros(1, 3, 16, 16), 0, 0)}


@functools.lru_cache(maxsize=1)
def network(name):
    return ALL[name][0]().eval()


@functools.lru_cache(maxsize=None)
def counted(name):
    return opscope.torch.analyze(network(name), ALL[name][1](), method="call")


def ours(name, tool):
    totals = counted(name).convention(tool)
    exact = {"MAC": 1, "FLOP": 2}[totals.unit] * counted(name).static.totals.macs
    value = totals.macs if totals.unit == "MAC" else totals.flops
    assert value == exact + sum(part.amount for part in totals.differences)
    return value, totals.params


def quietly(function, *args, **options):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return function(*args, **options)


def each(*tools):
    """Tests in the order of the networks, so that each is made once."""
    return pytest.mark.parametrize("name, tool", [(name, tool) for name in ALL for tool in tools])


@each("thop", "ptflops", "ptflops-aten", "fvcore", "torch", "calflops")
def test_what_the_original_prints(name, tool):
    printed = ORIGINALS[tool](network(name), ALL[name][1]())
    value, params = ours(name, tool)
    assert printed == ((value, params) if isinstance(printed, tuple) else value)


def thop(module, x):
    original = pytest.importorskip("thop")
    try:
        return quietly(original.profile, module, (x,), verbose=False)
    finally:
        for part in module.modules():  # thop leaves its buffers behind
            for left in ("total_ops", "total_params"):
                part._buffers.pop(left, None)


def ptflops(backend, module, x):
    original = pytest.importorskip("ptflops")
    key = "x" if x.is_floating_point() else "ids"
    return quietly(
        original.get_model_complexity_info, module, (1,), False, False,
        input_constructor=lambda _: {key: x}, backend=backend,
    )  # fmt: skip


def fvcore(module, x):
    original = pytest.importorskip("fvcore.nn")
    analysis = original.FlopCountAnalysis(module, (x,))
    analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    return quietly(analysis.total)


def flop_counter_mode(module, x):
    from torch.utils.flop_counter import FlopCounterMode

    # With gradients: without them the fused path of nn.MultiheadAttention hides its parts.
    with FlopCounterMode(display=False) as mode:
        module(x)
    return mode.get_total_flops()


def calflops(module, x):
    original = pytest.importorskip("calflops")
    pytest.importorskip("transformers")
    flops, _, params = original.calculate_flops(
        module, args=[x], print_results=False, print_detailed=False, output_as_string=False
    )
    return flops, params


ORIGINALS = {
    "thop": thop,
    "ptflops": functools.partial(ptflops, "pytorch"),
    "ptflops-aten": functools.partial(ptflops, "aten"),
    "fvcore": fvcore,
    "torch": flop_counter_mode,
    "calflops": calflops,
}


@pytest.mark.parametrize("name", ["mobilenet_v2", "vit_b_16", "bert_matmul"])
def test_an_exported_program_says_the_same(name):
    exported = opscope.torch.analyze(network(name), ALL[name][1](), method="export")
    assert exported.static.totals.macs == counted(name).static.totals.macs == ALL[name][2]
    for tool in ORIGINALS:
        there, here = exported.convention(tool), counted(name).convention(tool)
        assert (there.macs, there.flops, there.params) == (here.macs, here.flops, here.params)
