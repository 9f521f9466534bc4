"""What the stand-ins for other counters share."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch as _torch

from . import torch as _opscope_torch
from .torch._module_report import ModuleReport, ModuleRow, ancestors

Hook = Callable[[_torch.nn.Module, Any, Any], object]


class Rules:
    """Modules that the caller counts, and what is not to be counted."""

    def __init__(self, hooks: Optional[Dict[_torch.nn.Module, Hook]] = None) -> None:
        self.hooks = hooks or {}
        self.own: Callable[[_torch.nn.Module], int] = lambda module: 0
        self.reset: Callable[[], None] = lambda: None
        self.ignored: Callable[[_torch.nn.Module], bool] = lambda module: False
        self.ignored_ops: "set[str]" = set()


class Count:
    """A module counted: the report, rows a module, sums by the rules of the caller."""

    def __init__(self, module: _torch.nn.Module, args: Any, kwargs: Any, rules: Rules) -> None:
        captured = _opscope_torch.called(
            module, args, kwargs, hooks=rules.hooks, reset=rules.reset
        )
        self.report: ModuleReport = _opscope_torch.report_of(module, captured)
        self._module = module
        self._paths = dict(module.named_modules())
        self._rules = rules
        self.rows: List[ModuleRow] = self._rows()
        self.macs = self.rows[0].macs
        self.params = self.report.parameters

    def _left_out(self, path: str) -> bool:
        modules = [self._paths[p] for p in ancestors(path) if p in self._paths]
        return any(m in self._rules.hooks or self._rules.ignored(m) for m in modules)

    def _rows(self) -> List[ModuleRow]:
        left_out = {path: self._left_out(path) for path in self._paths}

        def counts(layer: Any, path: str) -> Optional[int]:
            if left_out.get(path) or layer.op in self._rules.ignored_ops:
                return 0
            macs: Optional[int] = layer.macs
            return macs

        rows = self.report.modules(counts)
        by_path = {row.path: row for row in rows}
        for path, module in self._paths.items():
            if module in self._rules.hooks:
                for p in ancestors(path):
                    by_path[p].macs += self._rules.own(module)
        return rows

    def warn_if_incomplete(self) -> None:
        assert self.report.static is not None
        totals = self.report.static.totals
        if not totals.complete:
            missing = ", ".join(f"{op.op} ({op.nodes})" for op in totals.uncounted)
            warnings.warn(f"opscope: the count is a lower bound; not counted: {missing}", stacklevel=4)

    def convention(self, name: str) -> Tuple[Optional[int], Optional[int]]:
        """(MACs, parameters) as another tool counts."""
        totals = self.report.convention(name)
        macs = totals.macs
        if macs is None and totals.flops is not None:
            macs = totals.flops // 2
        return macs, totals.params

    def differences(self, name: str) -> List[str]:
        """Line by line: what the other tool adds or leaves out."""
        totals = self.report.convention(name)
        printed = totals.macs if totals.macs is not None else totals.flops
        lines = [f"exact: {self.macs:,} MAC"]
        for part in totals.differences:
            if part.amount:
                lines.append(f"  {part.amount:+,} {part.group}: {part.because}")
        shown = "unknown" if printed is None else f"{printed:,}"
        return [*lines, f"{name} counts: {shown} {totals.unit}"]
