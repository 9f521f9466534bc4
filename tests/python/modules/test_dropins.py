"""opscope.thop and opscope.ptflops: signatures, types, and right numbers."""

import io

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: ./dev test --torch")

from nets import Basic, ResNet, VitB16  # noqa: E402
from torch import nn  # noqa: E402

from opscope.ptflops import get_model_complexity_info  # noqa: E402
from opscope.thop import clever_format, profile  # noqa: E402


@pytest.fixture(scope="module")
def small():
    return ResNet(Basic, [1, 1, 1, 1]).train()


X = torch.zeros(1, 3, 64, 64)


def test_thop_signature(small, capsys):
    macs, params = profile(small, inputs=(X,), verbose=False)
    assert capsys.readouterr().out == ""
    assert isinstance(macs, float) and isinstance(params, float)
    assert params == sum(p.numel() for p in small.parameters())
    assert small.training and not any("total_ops" in name for name, _ in small.named_buffers())
    again, _, info = profile(small, (X,), verbose=False, ret_layer_info=True)
    assert again == macs == sum(part[0] for part in info.values())
    assert info["layer1"][2]["0"][2]["conv1"][0] == 64 * 64 * 9 * 16 * 16


def test_thop_difference_line_by_line(small, capsys):
    exact, _ = profile(small, (X,))
    lines = capsys.readouterr().out.splitlines()
    theirs, _ = profile(small, (X,), verbose=False, convention="thop")
    parts = [int(line.split()[1].replace(",", "")) for line in lines[1:-1]]
    assert exact + sum(parts) == theirs != exact


def test_thop_custom_ops(small):
    def count(module, inputs, output):
        module.total_ops += torch.DoubleTensor([output.numel()])

    macs, _ = profile(small, (X,), custom_ops={nn.Conv2d: count}, verbose=False)
    convs = 32 * 32 * 64 + 2 * 64 * 256 + 3 * 128 * 64 + 3 * 256 * 16 + 3 * 512 * 4
    assert macs == convs + 512 * 1000


def test_clever_format():
    assert clever_format([4089184256.0, 25557032.0], "%.3f") == ("4.089G", "25.557M")
    assert clever_format(1200) == "1.20K" and clever_format([12]) == "12.00B"


def test_ptflops_signature(small):
    ost = io.StringIO()
    macs, params = get_model_complexity_info(
        small, (3, 64, 64), as_strings=True, print_per_layer_stat=True, ost=ost
    )
    assert macs.endswith(" MMac") and params.endswith(" M")
    assert "(conv1): Conv2d" in ost.getvalue()
    exact, elements = get_model_complexity_info(
        small, (3, 64, 64), as_strings=False, print_per_layer_stat=False, backend="aten",
        input_constructor=lambda size: {"x": torch.zeros(1, *size)}
    )  # fmt: skip
    assert isinstance(exact, int) and macs == f"{round(exact / 1e6, 2)} MMac"
    units = get_model_complexity_info(
        small, (3, 64, 64), False, flops_units="GMac", param_units="K", output_precision=3
    )
    assert units == (f"{round(exact / 1e9, 3)} GMac", f"{round(elements / 1e3, 3)} K")


def test_ptflops_ignored_and_custom_modules(small):
    def run(**options):
        return get_model_complexity_info(small, (3, 64, 64), False, False, **options)[0]

    assert run() - run(ignore_modules=[nn.Linear]) == 512 * 1000
    assert run() - run(ignore_modules=[torch.ops.aten.linear]) == 512 * 1000

    def hook(module, inputs, output):
        module.__flops__ += 7

    assert run(custom_modules_hooks={nn.Linear: hook}) == run() - 512 * 1000 + 7
    assert not hasattr(small.fc, "__flops__")


def test_ptflops_failure_is_none(small):
    ost = io.StringIO()
    assert get_model_complexity_info(small, (5, 8, 8), ost=ost) == (None, None)
    assert "No count" in ost.getvalue()


def test_vit_is_right():
    macs, params = profile(VitB16().eval(), (torch.zeros(1, 3, 224, 224),), verbose=False)
    assert (macs, params) == (17_563_828_224, 86_567_656)
