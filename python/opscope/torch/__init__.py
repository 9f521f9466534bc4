"""PyTorch modules, counted by the same core as files.

    >>> import opscope.torch
    >>> report = opscope.torch.analyze(model, torch.zeros(1, 3, 224, 224))
    >>> report.static.totals.macs, report.parameters
    >>> print(report.table(depth=2))
    >>> report.to_dataframe("modules")
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Mapping, Optional, Tuple

import torch
from torch.utils import _pytree as pytree

from .. import _core
from .._api import _surroundings
from .._error import Error
from ._capture import Captured, capture, recorded
from ._module_report import ModuleReport, ModuleRow
from ._times import Times

__all__ = ["ModuleReport", "ModuleRow", "analyze"]


def _arguments(inputs: Any, kwargs: Optional[Mapping[str, Any]]) -> Tuple[Any, Dict[str, Any]]:
    if isinstance(inputs, Mapping):
        return (), {**inputs, **(kwargs or {})}
    return (inputs if isinstance(inputs, tuple) else (inputs,)), dict(kwargs or {})


def _count(text: "str | None", exported: Any, name: str) -> _core.Document:
    """The report of captured ops, or of an exported program, through a file of the moment."""
    with tempfile.TemporaryDirectory(prefix="opscope-") as folder:
        options = _core.ModelOptions()
        options.path = os.path.join(folder, name + (".json" if exported is None else ".pt2"))
        if exported is None:
            with open(options.path, "w", encoding="utf-8") as file:
                file.write(text or "")
        else:
            torch.export.save(exported, options.path)
        return _core.inspect(options, _surroundings())


def _failed(module: torch.nn.Module, what: str, error: Exception) -> Error:
    kind = type(module).__name__
    said = " ".join(str(error).split())[:300]
    return Error("torch." + what, f"the module could not be called: {type(error).__name__}: {said}",
                 kind)  # fmt: skip


def analyze(
    module: torch.nn.Module,
    inputs: Any,
    *,
    kwargs: Optional[Mapping[str, Any]] = None,
    method: str = "call",
    dynamic_shapes: Any = None,
    record: bool = False,
    runs: int = 10,
) -> ModuleReport:
    """What one call of a module computes and moves, per op and per module.

    The module is called once, in the mode (train or eval) that it is in; ops are caught as they are
    dispatched, functional ones, operators (``a @ b``) and fused attention included, and counted by
    the core. Nothing is computed where the module allows it (no look at values), its weights and
    statistics stay as they are, and gradients being on or off makes no difference.

    Args:
        module: any ``nn.Module``, with real or meta tensors.
        inputs: a tensor, a tuple of positional arguments, or a mapping of keyword arguments.
        kwargs: keyword arguments beside `inputs`.
        method: ``"call"``; ``"export"``: what `torch.export` makes of the module, where
            `dynamic_shapes` may keep sizes free (numbers become formulas); ``"auto"``: that where
            it works, else the call. The counts are the same; ``.how`` says which it was.
        record: measure too: `runs` real calls under `torch.profiler`, after as many without it, on
            the device where module and inputs are, with the ops that were counted (no fused fast
            path, no gradients). Every op has its time (``.joined``, ``.rows()``: ``median_ns``),
            every module that of its ops (``.modules()``: ``time_ns``); what lies between ops is the
            gap: ``.runs[1].reconciliation`` adds up to the wall, exactly.
        runs: calls that are measured; one before them is left out.

    Returns:
        The report: ``.static.totals`` (counts in MAC, FLOP, operations, bytes), ``.static.layers``
        (ops), ``.modules()``, ``.table()``, ``.parameters``, ``.unused``, ``.convention("thop")``.
        ``.static.totals.complete`` is False and ``.uncounted`` names the ops that have no rule:
        the sums are lower bounds then.

    Raises:
        Error: ``torch.call``, ``torch.export``: the module failed; ``torch.record``: its ops were
            others in every call; ``usage.method``, ``usage.record``.
    """
    args, named = _arguments(inputs, kwargs)
    if method not in ("call", "export", "auto"):
        raise Error("usage.method", f"method is 'call', 'export' or 'auto', not {method!r}", "method")
    if record:
        return _recorded(module, args, named, method, runs)
    if method != "call":
        try:
            return _exported(module, args, named, dynamic_shapes)
        except Error:
            if method == "export" or dynamic_shapes is not None:
                raise
    return report_of(module, called(module, args, named))


def _exported(
    module: torch.nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any], dynamic_shapes: Any
) -> ModuleReport:
    try:
        exported = torch.export.export(
            module, args, kwargs, dynamic_shapes=dynamic_shapes, strict=False
        )
    except Exception as error:
        raise _failed(module, "export", error) from error
    return ModuleReport(_count(None, exported, type(module).__name__), module, None)


def _recorded(
    module: torch.nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any], method: str, runs: int
) -> ModuleReport:
    if method == "export" or runs < 1:
        raise Error("usage.record", "record=True measures calls: method 'call', runs 1 or more", "record")
    tensors = [*module.parameters(), *(t for t in pytree.tree_leaves((args, kwargs))
                                       if isinstance(t, torch.Tensor))]  # fmt: skip
    if any(tensor.device.type == "meta" for tensor in tensors):
        raise Error("usage.record", "tensors without data (meta) cannot be run", "record")
    captured = called(module, args, kwargs, with_data=True)
    try:
        recording = recorded(module, args, kwargs, captured, runs)
    except Exception as error:
        raise _failed(module, "call", error) from error
    if recording is None:
        raise Error("torch.record", "the ops of the module are others in every call", type(module).__name__)
    report = report_of(module, captured)
    times = Times(recording, [node for _, node in captured.graph.calls])
    return ModuleReport(times.into(report._document), module, captured, times)


def called(
    module: torch.nn.Module, args: Tuple[Any, ...], kwargs: Dict[str, Any], **hooks: Any
) -> Captured:
    """One call of the module, op by op. Errors: torch.call."""
    try:
        return capture(module, args, kwargs, **hooks)
    except Exception as error:
        raise _failed(module, "call", error) from error


def report_of(module: torch.nn.Module, captured: Captured) -> ModuleReport:
    """What the core makes of captured ops."""
    return ModuleReport(_count(captured.graph.to_json(), None, type(module).__name__), module, captured)
