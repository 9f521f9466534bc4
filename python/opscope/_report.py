"""A report: the answer of every use case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from . import _core, _types
from ._error import Error

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]


class Report(_types.Document):
    """What is known of a model, a run of it, a profile, or two models.

    Attributes are the fields of the report's JSON (docs: the schema ``opscope.report/1``), with
    nested objects for nested parts: ``report.static.totals.macs``, ``report.static.layers[0].name``,
    ``report.runs[0].latency_ns.median``. An absent value is ``None``, never 0. Counts are exact
    integers; units stand in the names (``_ns``, ``_bytes``) or in the docstring of the type:
    1 MAC = one multiplication and one addition, FLOP = 2 x MAC.
    """

    def __init__(self, document: _core.Document) -> None:
        self._document = document
        self._lang = "en"

    def __getattr__(self, name: str) -> Any:
        if name == "_data":
            import json

            self._data: Dict[str, Any] = json.loads(self.to_json())
            return self._data
        return super().__getattr__(name)

    def to_json(self) -> str:
        """The report as JSON text, the same bytes as the program writes."""
        return self._document.emit("json")

    def to_text(self, *, lang: str = "en", top: int = 10, convention: str = "") -> str:
        """The report as the program prints it.

        Args:
            lang: ``"en"`` or ``"zh"``.
            top: rows of the table of layers.
            convention: another tool whose number is shown beside: ``"thop"``, ``"fvcore"`` …
        """
        return self._document.emit("text", lang, top, convention)

    def to_markdown(self, *, lang: str = "en", top: int = 10, convention: str = "") -> str:
        """The same answer as Markdown tables."""
        return self._document.emit("md", lang, top, convention)

    def save(self, path: Any, *, lang: str = "en", top: int = 10, convention: str = "") -> None:
        """Writes the report; the ending picks the format.

        Args:
            path: ``.json``, ``.csv``, ``.md``, ``.html``, ``.netron.json`` or ``.txt``.

        Raises:
            Error: ``usage.output`` (no such format), ``output.unwritable``.
        """
        import os

        self._document.save(os.fspath(path), lang, top, convention)

    def rows(self, what: str = "layers") -> List[Dict[str, Any]]:
        """Plain rows for tables.

        Args:
            what: ``"layers"`` (one row a node in graph order: static counts, joined with the time
                of the last profiled run where there is one), ``"ops"`` (summed by op type), or
                ``"events"`` (the rows of the last profile).
        """
        from . import _tables

        return _tables.rows_of(self, what)

    def to_dataframe(self, what: str = "layers") -> "pandas.DataFrame":
        """`rows` as a pandas DataFrame; exact integers as ``Int64`` with ``<NA>`` for the unknown.

        Raises:
            Error: ``python.pandas`` when pandas is not installed.
        """
        from . import _tables

        return _tables.frame_of(self.rows(what))

    def __repr__(self) -> str:
        name = self.model.file if self.model else "profile"
        if not self.static:
            return f"<opscope.Report {name}>"
        totals = self.static.totals
        known = "" if totals.complete else ", incomplete"
        return (
            f"<opscope.Report {name}: {_number(totals.macs)} MACs, "
            f"{_number(totals.parameters)} parameters, {totals.nodes} nodes{known}>"
        )

    def __str__(self) -> str:
        return self.to_text()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        import html

        style = "line-height:1.2;max-height:40em;overflow:auto;white-space:pre"
        return f'<pre style="{style}">{html.escape(self.to_text())}</pre>'


def _number(value: Optional[int]) -> str:
    return "unknown" if value is None else f"{value:,}"


__all__ = ["Report", "Error"]
