"""Stands in for the package ptflops: the same function, right numbers.

    >>> from opscope.ptflops import get_model_complexity_info
    >>> macs, params = get_model_complexity_info(model, (3, 224, 224), as_strings=True)

``convention="ptflops"`` (or ``"ptflops-aten"``) gives the number that ptflops counts for the same
ops, for comparison with old tables; ``verbose`` shows the difference line by line.
"""

from __future__ import annotations

import enum
import sys
from typing import Any, Callable, Dict, List, Optional, TextIO, Tuple, Union

import torch

from ._dropin import Count, Rules

__all__ = ["FLOPS_BACKEND", "flops_to_string", "get_model_complexity_info", "params_to_string"]


class FLOPS_BACKEND(enum.Enum):
    """The two ways of counting of ptflops; here both give the same, exact number."""

    PYTORCH = "pytorch"
    ATEN = "aten"


def get_model_complexity_info(
    model: torch.nn.Module,
    input_res: Tuple[int, ...],
    print_per_layer_stat: bool = True,
    as_strings: bool = True,
    input_constructor: Optional[Callable[[Tuple[int, ...]], Any]] = None,
    ost: TextIO = sys.stdout,
    verbose: bool = False,
    ignore_modules: List[Any] = [],
    custom_modules_hooks: Dict[Any, Any] = {},
    backend: Union[str, FLOPS_BACKEND] = FLOPS_BACKEND.PYTORCH,
    flops_units: Optional[str] = None,
    param_units: Optional[str] = None,
    output_precision: int = 2,
    backend_specific_config: Dict[str, Any] = {},
    *,
    convention: Optional[str] = None,
) -> Tuple[Union[str, int, None], Union[str, int, None]]:
    """Multiply-accumulates and parameters of one call of `model` in eval mode.

    Args:
        model: any module; it is left in eval mode, as ptflops leaves it.
        input_res: size of one sample: (3, 224, 224); a batch of 1 is put before it.
        print_per_layer_stat: print a tree of modules to `ost`.
        as_strings: texts ("4.09 GMac", "25.56 M") instead of numbers.
        input_constructor: gives the input from `input_res`: a tensor, or a dict of arguments.
        ost: where everything is printed.
        verbose: print the difference to ptflops line by line.
        ignore_modules: module types, or ops (``torch.ops.aten.bmm``), that count 0.
        custom_modules_hooks: module type -> ``hook(module, inputs, output)`` that adds to
            ``module.__flops__``: counts these modules instead of what runs inside them.
        backend: checked, and the convention that `verbose` speaks of.
        flops_units, param_units: "GMac", "MMac", "KMac"; "M", "K", "B"; by size otherwise.
        output_precision: decimals of texts.
        convention: None for the exact number, or a tool whose number is wanted.

    Returns:
        (MACs, parameters); (None, None), with the reason on `ost`, when the module cannot be
        called. 1 MAC = one multiplication and one addition.
    """
    tool = "ptflops" if FLOPS_BACKEND(backend) is FLOPS_BACKEND.PYTORCH else "ptflops-aten"
    model.eval()
    try:
        args, kwargs = _inputs(model, input_res, input_constructor)
        count = _counted(model, args, kwargs, ignore_modules, custom_modules_hooks)
    except Exception as error:
        print(f"No count: {type(error).__name__}: {error}", file=ost)
        return None, None
    count.warn_if_incomplete()
    macs: Optional[int] = count.macs
    params: Optional[int] = count.params
    if convention is not None:
        macs, params = count.convention(convention)
    if print_per_layer_stat:
        _print_tree(count, ost, flops_units, param_units, output_precision)
    if verbose:
        print("\n".join(count.differences(convention or tool)), file=ost)
    if as_strings and macs is not None and params is not None:
        return (
            flops_to_string(macs, flops_units, output_precision),
            params_to_string(params, param_units, output_precision),
        )
    return macs, params


def _inputs(
    model: torch.nn.Module, size: Tuple[int, ...], make: Optional[Callable[..., Any]]
) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    if make is not None:
        made = make(size)
        return ((), made) if isinstance(made, dict) else ((made,), {})
    first = next(model.parameters(), None)
    options: Dict[str, Any] = {} if first is None else {"dtype": first.dtype, "device": first.device}
    return (torch.empty((1, *size), **options),), {}


def _counted(
    model: torch.nn.Module, args: Any, kwargs: Any, ignore: List[Any], custom: Dict[Any, Any]
) -> Count:
    types = {kind: hook for kind, hook in custom.items() if isinstance(kind, type)}
    own = {m: types[type(m)] for m in model.modules() if type(m) in types}
    rules = Rules(dict(own))

    def reset() -> None:
        for module in own:
            module.__flops__ = 0  # type: ignore[assignment]

    rules.reset = reset
    rules.own = lambda module: int(module.__flops__)  # type: ignore[arg-type]
    ignored_types = tuple(kind for kind in ignore if isinstance(kind, type))
    rules.ignored = lambda module: isinstance(module, ignored_types)
    rules.ignored_ops = {str(op).split(".")[-1] for op in ignore if not isinstance(op, type)}
    try:
        reset()
        return Count(model, args, kwargs, rules)
    finally:
        for module in own:
            del module.__flops__


def _print_tree(
    count: Count, ost: TextIO, flops_units: Optional[str], param_units: Optional[str], digits: int
) -> None:
    all_macs, all_params = count.macs or 1, count.params or 1
    for row in count.rows:
        name = f"({row.path.rpartition('.')[2]}): " if row.path else ""
        print(
            "  " * row.depth + f"{name}{row.type}: "
            f"{params_to_string(row.parameters, param_units, digits)}, "
            f"{100 * row.parameters / all_params:.3f}% Params, "
            f"{flops_to_string(row.macs, flops_units, digits)}, "
            f"{100 * row.macs / all_macs:.3f}% MACs",
            file=ost,
        )


_MAC_UNITS = {"GMac": 9, "MMac": 6, "KMac": 3}
_PARAM_UNITS = {"B": 9, "M": 6, "K": 3}


def flops_to_string(flops: int, units: Optional[str] = None, precision: int = 2) -> str:
    """``"4.09 GMac"``; `units` is "GMac", "MMac", "KMac" or chosen by size."""
    if units is None:
        units = next((unit for unit, power in _MAC_UNITS.items() if flops >= 10**power), "Mac")
    if units not in _MAC_UNITS:
        return f"{flops} Mac"
    return f"{round(flops / 10.0 ** _MAC_UNITS[units], precision)} {units}"


def params_to_string(params_num: int, units: Optional[str] = None, precision: int = 2) -> str:
    """``"25.56 M"``; `units` is "M", "K", "B" or chosen by size (up to "M"; thousands as "k")."""
    if units is None:
        if params_num >= 10**6:
            return f"{round(params_num / 10**6, precision)} M"
        return f"{round(params_num / 10**3, precision)} k" if params_num >= 1000 else f"{params_num}"
    if units not in _PARAM_UNITS:
        return f"{params_num}"
    return f"{round(params_num / 10.0 ** _PARAM_UNITS[units], precision)} {units}"
