"""Stands in for the package thop: the same functions, right numbers.

    >>> from opscope.thop import profile, clever_format
    >>> macs, params = profile(model, inputs=(x,))
    >>> macs, params = clever_format([macs, params], "%.3f")

``convention="thop"`` gives the number that thop counts for the same ops, for comparison with old
tables; ``verbose`` shows the difference line by line.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

import torch

from ._dropin import Count, Rules
from .torch._module_report import ModuleRow

__all__ = ["clever_format", "profile"]

_LayerInfo = Dict[str, Tuple[float, float, Any]]


def profile(
    model: torch.nn.Module,
    inputs: Any,
    custom_ops: Optional[Dict[type, Callable[..., Any]]] = None,
    verbose: bool = True,
    ret_layer_info: bool = False,
    report_missing: bool = False,
    *,
    convention: Optional[str] = None,
) -> Any:
    """Multiply-accumulates and parameters of one call of `model` in eval mode.

    Args:
        model: any module; it is left as it was.
        inputs: the tuple of positional arguments.
        custom_ops: module type -> ``fn(module, inputs, output)`` that adds to
            ``module.total_ops``: counts these modules instead of what runs inside them.
        verbose: print what thop would count and why, line by line.
        ret_layer_info: return a third value: name -> (MACs, parameters, the same of its children).
        report_missing: print the ops that could not be counted.
        convention: None for the exact number, or a tool ("thop") whose number is wanted.

    Returns:
        (MACs, parameters) as floats; 1 MAC = one multiplication and one addition. Parameters are
        those of the module, shared ones once.

    Raises:
        opscope.Error: the module cannot be called.
    """
    count = _counted(model, inputs, custom_ops or {})
    count.warn_if_incomplete()
    macs: Optional[int] = count.macs
    params: Optional[int] = count.params
    if verbose or report_missing:
        for line in count.differences("thop"):
            print("[INFO]", line)
    if report_missing:
        assert count.report.static is not None
        for op in count.report.static.totals.uncounted:
            print(f"[WARN] not counted: {op.op} ({op.nodes}): {op.because}")
    if convention is not None:
        macs, params = count.convention(convention)
    total = (_float(macs), _float(params))
    return (*total, _layer_info(count.rows)) if ret_layer_info else total


def _float(value: Optional[int]) -> float:
    return float("nan") if value is None else float(value)


def _counted(model: torch.nn.Module, inputs: Any, custom: Dict[type, Callable[..., Any]]) -> Count:
    own = {m: custom[type(m)] for m in model.modules() if type(m) in custom}
    rules = Rules(dict(own))

    def reset() -> None:
        for module in own:
            module.register_buffer("total_ops", torch.zeros(1, dtype=torch.float64))
            module.register_buffer("total_params", torch.zeros(1, dtype=torch.float64))

    rules.reset = reset
    rules.own = lambda module: int(module.total_ops.item())  # type: ignore[operator]
    training = {module: module.training for module in model.modules()}
    model.eval()
    try:
        reset()
        return Count(model, tuple(inputs), {}, rules)
    finally:
        for module, was in training.items():
            module.training = was
        for module in own:
            module._buffers.pop("total_ops", None)
            module._buffers.pop("total_params", None)


def _layer_info(rows: Iterable[ModuleRow]) -> _LayerInfo:
    known: Dict[str, _LayerInfo] = {}
    for row in rows:
        known[row.path] = {}
        if row.path:
            parent, _, name = row.path.rpartition(".")
            known[parent][name] = (float(row.macs), float(row.parameters), known[row.path])
    return known[""]


def clever_format(
    nums: Union[float, Iterable[float]], format: str = "%.2f"
) -> Union[str, Tuple[str, ...]]:
    """Numbers with a prefix: ``"4.089G"``, ``"25.557M"``, ``"1.200K"``; below 1000 with ``"B"``.

    Returns a text for one number, a tuple for several.
    """
    numbers = list(nums) if isinstance(nums, Iterable) else [nums]
    texts = []
    for number in numbers:
        scales = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K"))
        scale, letter = next(((s, n) for s, n in scales if number > s), (1, "B"))
        texts.append(format % (number / scale) + letter)
    return texts[0] if len(texts) == 1 else tuple(texts)
