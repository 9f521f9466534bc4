"""Rows of a report, and pandas when it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional

from . import _types
from ._error import Error

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]

    from ._report import Report

_SUMMED = ("macs", "operations", "parameters", "read_bytes", "write_bytes", "wall_ns", "median_ns")


def _scalars(view: type, without: Iterable[str] = ()) -> List[str]:
    """The fields that fit a cell."""
    fields = view._fields.items()  # type: ignore[attr-defined]
    return [k for k, (_, code, absent) in fields if code in ("", "int") and absent == "None"
            and k not in without]


def _shape(use: Any) -> Optional[str]:
    if use.shape is None:
        return None
    return "x".join("?" if dim is None else str(dim) for dim in use.shape)


def _layer_rows(report: "Report") -> List[Dict[str, Any]]:
    if report.static is None:
        raise Error("usage.rows", 'the report has no layers; rows("events") has the profile', "what")
    columns = _scalars(_types.Layer)
    timed = _scalars(_types.Joined, ("layer", "run", "because"))
    last = max((joined.run for joined in report.joined), default=None)
    times = {joined.layer: joined for joined in report.joined if joined.run == last}
    rows = []
    for layer in report.static.layers:
        row = {column: getattr(layer, column) for column in columns}
        row["scope"] = "/".join(layer.scope)
        row["output"] = _shape(layer.outputs[0]) if layer.outputs else None
        if times:
            joined = times.get(layer.id)
            row.update({column: getattr(joined, column, None) for column in timed})
        rows.append(row)
    return rows


def _op_rows(report: "Report") -> List[Dict[str, Any]]:
    ops: Dict[str, Dict[str, Any]] = {}
    for layer in _layer_rows(report):
        row = ops.setdefault(layer["op"], {"op": layer["op"], "layers": 0})
        row["layers"] += 1
        for column in _SUMMED:
            if column not in layer:
                continue
            # Unknown stays unknown in a sum; a layer that took no time has none to add.
            if column.endswith("_ns"):
                row[column] = (row.get(column) or 0) + (layer[column] or 0)
            elif layer[column] is None or (column in row and row[column] is None):
                row[column] = None
            else:
                row[column] = row.get(column, 0) + layer[column]
    return list(ops.values())


def _event_rows(report: "Report") -> List[Dict[str, Any]]:
    runs = [run for run in report.runs if run.events]
    if not runs:
        raise Error("usage.rows", "the report holds no profile", "what")
    columns = _scalars(_types.Event)
    return [{column: getattr(event, column) for column in columns} for event in runs[-1].events]


def rows_of(report: "Report", what: str) -> List[Dict[str, Any]]:
    kinds = {"layers": _layer_rows, "ops": _op_rows, "events": _event_rows}
    if what not in kinds:
        raise Error("usage.rows", f"no rows {what!r}; there are: {', '.join(kinds)}", "what")
    return kinds[what](report)


def frame_of(rows: List[Dict[str, Any]]) -> "pandas.DataFrame":
    try:
        import pandas
    except ImportError:
        raise Error(
            "python.pandas", "pandas is not installed; rows() gives the same as plain dicts", ""
        ) from None
    frame = pandas.DataFrame(rows)
    for column in frame.columns:
        values = [row.get(column) for row in rows]
        whole = [type(value) is int for value in values if value is not None]
        if whole and all(whole) and all(v is None or abs(v) < 2**63 for v in values):
            frame[column] = pandas.array(values, dtype="Int64")
    return frame
