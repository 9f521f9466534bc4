"""Real calls of a module under PyTorch's profiler, and whose time is whose.

The profiler writes one event for every op that is called, with those that it calls inside it. The
ops of a captured call are looked for in that order, by name: all of them are found, each once, or
none is taken. Nothing is estimated.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import torch
from torch.utils import _pytree as pytree

CALL = "opscope.call"


@dataclasses.dataclass
class Row:
    """An event: on the host (with what runs inside it), or on a device."""

    name: str
    begin: int  # ns
    ns: int
    thread: int
    device: bool = False
    id: int = 0  # of a host event
    launched_by: int = 0  # id of the host event that launched a device row
    inside: "List[Row]" = dataclasses.field(default_factory=list)

    @property
    def own_ns(self) -> int:
        """Without the events inside."""
        return self.ns - sum(row.ns for row in self.inside)


@dataclasses.dataclass
class RunTimes:
    """One call: `ops` has the time of each op that was captured, in their order, on the host and on
    the device; ``sum(ops) + sum(others) + gap_ns == wall_ns``."""

    wall_ns: int
    ops: List[int]
    device: List[int]
    others: Dict[str, int]  # events that belong to no captured op, by name

    @property
    def gap_ns(self) -> int:
        """Time in which no op ran: the module's own Python code."""
        return self.wall_ns - sum(self.ops) - sum(self.others.values())


@dataclasses.dataclass
class Recording:
    """`plain_ns`: calls without the profiler. `runs`: calls under it, the first one left out."""

    plain_ns: List[int]
    runs: List[RunTimes]
    has_device: bool
    marked: bool  # the ops were marked one by one, because their order alone did not tell them


def nested(rows: Iterable[Row]) -> List[Row]:
    """Events of one thread as trees, in the order of their begin."""
    roots: List[Row] = []
    around: List[Row] = []
    for row in sorted(rows, key=lambda row: (row.begin, -row.ns, row.id)):
        while around and row.begin >= around[-1].begin + around[-1].ns:
            around.pop()
        row.inside = []
        (around[-1].inside if around else roots).append(row)
        around.append(row)
    return roots


def placed(rows: Sequence[Row], calls: Sequence[str]) -> Optional[Tuple[List[Row], List[Row]]]:
    """The event of each call, and the events that are none and lie in none. None: not all are there."""
    found: List[Row] = []
    rest: List[Row] = []
    ahead = list(reversed(rows))
    while ahead:
        row = ahead.pop()
        if len(found) < len(calls) and row.name == calls[len(found)]:
            found.append(row)
        else:
            rest.append(row)
            ahead.extend(reversed(row.inside))
    return (found, rest) if len(found) == len(calls) else None


def times_of(call: Row, calls: Sequence[str], device: Dict[int, int]) -> Optional[RunTimes]:
    """What one recorded call says of the ops `calls`; `device`: time by the launching event."""
    both = placed(call.inside, calls)
    if both is None:
        return None
    found, rest = both
    others: Dict[str, int] = {}
    for row in rest:
        # Ranges that a program marks itself are no ops: what is left of them is its own code.
        if "::" in row.name or row.name.startswith("cuda"):
            others[row.name] = others.get(row.name, 0) + row.own_ns
    launched = [sum(device.get(inner.id, 0) for inner in _all(row)) for row in found]
    return RunTimes(call.ns, [row.ns for row in found], launched, others)


def _all(row: Row) -> Iterator[Row]:
    ahead = [row]
    while ahead:
        row = ahead.pop()
        yield row
        ahead.extend(row.inside)


def runs_of(rows: Sequence[Row], calls: Sequence[str]) -> Optional[List[RunTimes]]:
    """Every call that was marked with `CALL`; None where the ops of one are not all found."""
    device: Dict[int, int] = {}
    for row in rows:
        if row.device:
            device[row.launched_by] = device.get(row.launched_by, 0) + row.ns
    threads = {row.thread for row in rows if row.name == CALL and not row.device}
    out: List[RunTimes] = []
    for thread in sorted(threads):
        roots = nested(row for row in rows if row.thread == thread and not row.device)
        for root in roots:
            if root.name != CALL:
                continue
            times = times_of(root, calls, device)
            if times is None:
                return None
            out.append(times)
    return out


def rows_of(profiler: Any) -> List[Row]:
    """The events of a finished profiler."""
    out = []
    for event in profiler.profiler.kineto_results.events():
        device = event.device_type() != torch.autograd.DeviceType.CPU
        out.append(
            Row(event.name(), event.start_ns(), event.duration_ns(), event.start_thread_id(),
                device, event.correlation_id(), event.linked_correlation_id())
        )  # fmt: skip
    return out


def record(
    call: Callable[..., Any], args: Any, kwargs: Any, calls: Sequence[str], runs: int,
    fresh: Callable[[], Any], markers: Callable[[], Any],
) -> Optional[Recording]:
    """`runs` calls without and with the profiler, after one each that is left out.

    `fresh` gives a context, outside of the time, in which a call finds the module as the first did.
    `markers` gives a context in which every op is marked by its number (slow, so only where the
    order of events does not tell which op is which), one for each call. None: not even that does.
    """  # fmt: skip
    flat, spec = pytree.tree_flatten((args, kwargs))
    on_device = any(isinstance(t, torch.Tensor) and t.device.type == "cuda" for t in flat)

    def once(around: Callable[[], Any] = contextlib.nullcontext) -> None:
        # A module may write into its inputs: every call gets its own.
        copies = [t.clone() if isinstance(t, torch.Tensor) else t for t in flat]
        own_args, own_kwargs = pytree.tree_unflatten(copies, spec)
        with fresh():
            begun.append(time.perf_counter_ns())
            with torch.profiler.record_function(CALL), around():
                call(*own_args, **own_kwargs)
                if on_device:
                    torch.cuda.synchronize()
            ended.append(time.perf_counter_ns())

    begun: List[int] = []
    ended: List[int] = []
    for _ in range(1 + runs):
        once()
    plain = [end - begin for begin, end in zip(begun, ended)][1:]
    found = runs_of(_profiled(once, 1 + runs, on_device), calls)
    marked = found is None
    if found is None:
        numbers = [f"opscope::{index}" for index in range(len(calls))]
        found = runs_of(_profiled(lambda: once(markers), 1 + runs, on_device), numbers)
    if not found:
        return None
    has_device = any(any(run.device) for run in found)
    return Recording(plain, found[1:], has_device, marked)


def _profiled(once: Callable[[], None], times: int, on_device: bool) -> List[Row]:
    activities = [torch.profiler.ProfilerActivity.CPU]
    if on_device:
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities) as profiler:
        for _ in range(times):
            once()
    return rows_of(profiler)
