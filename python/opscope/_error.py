"""The one exception of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._report import Report


class Error(Exception):
    """An input or a request that cannot be used, or an engine that failed.

    Attributes:
        code: stable, for programs: ``"onnx.truncated"``; the part before the dot names the area
            (``usage``, ``input``, a format, ``engine`` …).
        message: what is wrong and the way out, in words.
        place: the file, node or option that it is about; may be empty.
        report: what was found before an engine failed (the static part stands by itself), or None.
    """

    def __init__(
        self, code: str, message: str, place: str = "", report: "Optional[Report]" = None
    ) -> None:
        super().__init__(code, message, place)
        self.code = code
        self.message = message
        self.place = place
        self.report = report

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message
