"""How many bytes of activations exist while each op runs, by the rule of the report's peak.

Inputs and outputs of an op live together; an input of the network until its last use, an output to
the end; views share storage; nothing is computed in place; weights, constants and what nobody reads
are left out.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Set


def bytes_of(use: Any) -> Optional[int]:
    """Of a tensor; None where a size or the element type is not known."""
    if use.shape is None or not all(isinstance(dim, int) for dim in use.shape):
        return None
    bits = 8 if use.dtype == "bool" else int((re.findall(r"\d+", use.dtype or "") or [0])[0])
    if not bits:
        return None
    elements = 1
    for dim in use.shape:
        elements *= dim
    return -(-elements * bits // 8)


class _Storage:
    """Bytes that one tensor and its views share, and the ops between which they are there."""

    def __init__(self, size: Optional[int], first: int) -> None:
        self.size, self.first, self.last = size, first, -1


def live_bytes(report: Any) -> List[Optional[int]]:
    """By layer; None: unknown, since a size is."""
    layers = report.static.layers
    storages: Dict[str, _Storage] = {}
    every: List[_Storage] = []
    for port in report.model.inputs:
        storages[port.name] = _Storage(bytes_of(port), 0)
        every.append(storages[port.name])
    for at, layer in enumerate(layers):
        known = [storages[use.tensor] for use in layer.inputs if use.tensor in storages]
        for storage in known:
            storage.last = at
        if layer.status == "constant":
            continue
        view = layer.status == "view" and bool(known)
        for use in layer.outputs:
            if view:
                storages[use.tensor] = known[0]
            else:
                storages[use.tensor] = _Storage(bytes_of(use), at)
                every.append(storages[use.tensor])
    for port in report.model.outputs:
        if port.name in storages:
            storages[port.name].last = len(layers) - 1
    return _sums(every, len(layers))


def _sums(storages: List[_Storage], count: int) -> List[Optional[int]]:
    begins = [0] * (count + 1)
    unknown: Set[int] = set()
    for storage in storages:
        if storage.last < storage.first:  # nobody reads it
            continue
        if storage.size is None:
            unknown.update(range(storage.first, storage.last + 1))
            continue
        begins[storage.first] += storage.size
        begins[storage.last + 1] -= storage.size
    out: List[Optional[int]] = []
    live = 0
    for at in range(count):
        live += begins[at]
        out.append(None if at in unknown else live)
    return out
