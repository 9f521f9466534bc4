"""Progress of work that takes time."""

from __future__ import annotations

import sys
from typing import Callable, NamedTuple, Optional, Union


class Progress(NamedTuple):
    """Where the work stands.

    Fields: `phase` (a stable id, ``"progress.timing"``), `done` of `of` (0 = not known),
    `median_ns` (running median, nanoseconds) and `seconds_left`, where they are known.
    """

    phase: str
    done: int
    of: int
    median_ns: Optional[int]
    seconds_left: Optional[float]


ProgressArgument = Union[None, bool, Callable[[Progress], object]]
CoreProgress = Callable[[str, int, int, Optional[int], Optional[float]], object]


def _print_line(at: Progress) -> None:
    line = at.phase.split(".")[-1]
    if at.of:
        line += f"  {at.done + 1}/{at.of}"
    if at.median_ns is not None:
        line += f"  {at.median_ns / 1e6:.3f} ms"
    if at.seconds_left is not None:
        line += f"  ~{at.seconds_left:.0f} s"
    sys.stderr.write("\r" + line.ljust(60))
    sys.stderr.flush()


def _in_notebook() -> bool:
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module else None
    return shell is not None and hasattr(shell, "kernel")


def for_core(progress: ProgressArgument) -> Optional[CoreProgress]:
    """What the core calls; None: nothing is shown."""
    if progress is None:
        progress = _in_notebook()
    if progress is False:
        return None
    show = _print_line if progress is True else progress
    return lambda *at: show(Progress(*at))
