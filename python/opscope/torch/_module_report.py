"""The report of a module: that of its ops, and sums by module."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, Iterator, List, Optional

import torch

from .. import _core
from .._report import Report
from .._types import ConventionTotals
from ._capture import Captured
from ._live import live_bytes
from ._times import Times, median


@dataclasses.dataclass
class ModuleRow:
    """A module with all that runs inside it.

    Fields: `path` (dotted; "" for the whole), `type`, `depth`, `calls`; `macs` (1 MAC = one
    multiplication and one addition), `operations` (2 x MAC and all element-wise work), `parameters`
    (elements; a shared one stands where it is named first), `activation_bytes` (written by its
    ops), `peak_bytes` (the most activations of the whole network that exist while one of its ops
    runs; None = unknown), `unknown` (ops that could not be counted: the sums are lower bounds); where calls were
    recorded: `time_ns` (median over calls of the time of its ops on the host), `device_ns` (of what
    they launched on a device; None where nothing ran there).
    """

    path: str
    type: str
    depth: int
    calls: int = 0
    macs: int = 0
    operations: int = 0
    parameters: int = 0
    activation_bytes: int = 0
    peak_bytes: Optional[int] = 0
    unknown: int = 0
    time_ns: Optional[int] = None
    device_ns: Optional[int] = None

    @property
    def flops(self) -> int:
        """2 x MAC."""
        return 2 * self.macs


def _larger(a: Optional[int], b: Optional[int]) -> Optional[int]:
    return None if a is None or b is None else max(a, b)


def ancestors(path: str) -> Iterator[str]:
    """The module itself, then those around it, the whole last."""
    while path:
        yield path
        path = path.rpartition(".")[0]
    yield ""


class ModuleReport(Report):
    """What one call of a module computes and moves; see `opscope.torch.analyze`.

    Everything of `opscope.Report`: the layers are ATen ops. In addition:

    Attributes:
        how: how the ops were taken: "without data", "with data" or "export".
        parameters: elements of all parameters of the module, each once, those that the call does
            not use included.
        unused: names of parameters that the call does not read.
        marked: the recorded ops were marked one by one (their order alone did not tell them), which
            makes calls slower: the time of an op is right, the gap is larger.
    """

    def __init__(
        self, document: _core.Document, module: torch.nn.Module, captured: Optional[Captured],
        times: Optional[Times] = None,
    ) -> None:  # fmt: skip
        super().__init__(document)
        self._times = times
        self.how = "export" if captured is None else captured.how
        self._captured = captured
        self._kinds = {path: type(child).__name__ for path, child in module.named_modules()}
        self._elements: Dict[str, int] = {n: p.numel() for n, p in module.named_parameters()}
        if captured is not None:
            self._elements = captured.weights.parameters()
        self.parameters = sum(self._elements.values())
        read = set(captured.graph.weights["parameters"].values()) if captured else set()
        self.marked = times is not None and times.recording.marked
        self.unused = [name for name in self._elements if name not in read] if captured else []

    def module_of(self, layer: Any) -> str:
        """The path of the module that runs a layer."""
        if self._captured is not None:
            return self._captured.graph.modules.get(layer.name, "")
        path = ".".join(layer.scope)
        return path if path in self._kinds else ""

    def modules(self, counts: Callable[[Any, str], Optional[int]] = lambda l, _: l.macs
                ) -> List[ModuleRow]:
        """A row a module, in the order of the definition; every row holds all that is inside.

        Args:
            counts: the multiply-accumulates of (layer, path of its module); None = unknown.
        """
        rows = {path: ModuleRow(path, kind, path.count(".") + bool(path))
                for path, kind in self._kinds.items()}
        assert self.static is not None
        live = live_bytes(self)
        for at, layer in enumerate(self.static.layers):
            path = self.module_of(layer)
            macs = counts(layer, path)
            for row in (rows[p] for p in ancestors(path) if p in rows):
                row.peak_bytes = _larger(row.peak_bytes, live[at])
                row.unknown += macs is None or layer.status == "unknown"
                row.macs += macs or 0
                row.operations += layer.operations or 0
                row.activation_bytes += layer.write_bytes or 0
        for name, elements in self._elements.items():
            for p in ancestors(name.rpartition(".")[0]):
                rows[p].parameters += elements
        for path, _ in self._captured.scopes.calls if self._captured else []:
            rows[path].calls += 1
        self._add_times(rows)
        return list(rows.values())

    def _add_times(self, rows: Dict[str, ModuleRow]) -> None:
        if self._times is None or self._captured is None:
            return
        count = len(self._times.recording.runs)
        samples = {path: [0] * count for path in rows}
        for node, path in self._captured.graph.modules.items():
            for p in ancestors(path):
                for run, ns in enumerate(self._times.samples[node]):
                    samples[p][run] += ns
                if self._times.recording.has_device:
                    rows[p].device_ns = (rows[p].device_ns or 0) + self._times.device[node]
        for path, row in rows.items():
            row.time_ns = median(samples[path])

    def convention(self, name: str) -> ConventionTotals:
        """What another tool counts for the same ops, and the differences line by line.

        Raises:
            Error: ``usage.convention``: there is no such tool in the report.
        """
        assert self.static is not None
        known = self.static.totals.by_convention
        if name not in known:
            from .._error import Error

            raise Error("usage.convention", f"no convention {name!r}; there are: {', '.join(known)}")
        return known[name]

    def rows(self, what: str = "layers") -> List[Dict[str, Any]]:
        """As `opscope.Report.rows`, with ``"modules"`` as well; layers name their module."""
        if what == "modules":
            return [{**dataclasses.asdict(row), "flops": row.flops} for row in self.modules()]
        rows = super().rows(what)
        if what == "layers":
            assert self.static is not None
            for row, layer in zip(rows, self.static.layers):
                row["module"] = self.module_of(layer)
        return rows

    def table(self, depth: Optional[int] = None) -> str:
        """Modules as text, down to `depth`: MACs, share, parameters, bytes written, bytes alive at
        most; where calls were recorded, their time."""
        rows = [row for row in self.modules() if depth is None or row.depth <= depth]
        total = rows[0].macs or 1
        lines = [["module", "type", "MAC", "share", "params", "act. bytes", "peak bytes"]]
        for row in rows:
            name = "  " * row.depth + (row.path.rpartition(".")[2] or "(whole)")
            mark = "+?" if row.unknown else ""
            lines.append([name, row.type, f"{row.macs:,}{mark}", f"{100 * row.macs / total:.1f} %",
                          f"{row.parameters:,}", f"{row.activation_bytes:,}",
                          "?" if row.peak_bytes is None else f"{row.peak_bytes:,}"])  # fmt: skip
        self._add_time_columns(rows, lines)
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        text = [
            "  ".join(c.ljust(w) if i < 2 else c.rjust(w)
                      for i, (c, w) in enumerate(zip(line, widths))).rstrip()
            for line in lines
        ]
        return "\n".join(text + self._footer())

    def _add_time_columns(self, rows: List[ModuleRow], lines: List[List[str]]) -> None:
        if self._times is None:
            return
        wall = median([run.wall_ns for run in self._times.recording.runs])
        lines[0] += ["time", "of wall"]
        for row, line in zip(rows, lines[1:]):
            ns = row.time_ns or 0
            line += [f"{ns / 1e6:.3f} ms", f"{100 * ns / wall:.1f} %"]
        if self._times.recording.has_device:
            lines[0].append("device")
            for row, line in zip(rows, lines[1:]):
                line.append(f"{(row.device_ns or 0) / 1e6:.3f} ms")

    def _footer(self) -> List[str]:
        assert self.static is not None
        totals = self.static.totals
        peak = totals.memory.live_peak_bytes
        lines = ["1 MAC = 1 multiplication + 1 addition; a row holds all that is inside it"]
        lines.append(f"peak of live activations: {'unknown' if peak is None else f'{peak:,}'} bytes")
        if self._times is not None:
            runs = self._times.recording.runs
            wall, gap = median([r.wall_ns for r in runs]), median([r.gap_ns for r in runs])
            lines.append(
                f"a call takes {wall / 1e6:.3f} ms under the profiler (median of {len(runs)}), "
                f"{gap / 1e6:.3f} ms of it between ops; "
                f"{median(self._times.recording.plain_ns) / 1e6:.3f} ms without it"
            )
        if not totals.complete:
            missing = ", ".join(f"{op.op} ({op.nodes})" for op in totals.uncounted)
            lines.append(f"lower bound: not counted are {missing}")
        return lines
