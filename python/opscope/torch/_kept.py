"""Modules are left as they were found."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, Tuple

import torch
from torch.utils import _pytree as pytree


def _holds_tensors(value: Any) -> bool:
    return any(isinstance(leaf, torch.Tensor) for leaf in pytree.tree_leaves(value))


@contextlib.contextmanager
def attributes_kept(module: torch.nn.Module) -> Iterator[None]:
    """Tensors that a call keeps in its modules (tables of positions, caches) go again.

    What a call without data has made is of no use to the next one. Numbers that it counts stay.
    """
    stores: List[Dict[str, Any]] = []
    for part in module.modules():
        stores += [part.__dict__, part._buffers, part._parameters]
    before: List[Tuple[Dict[str, Any], Dict[str, Any]]] = [(s, dict(s)) for s in stores]
    try:
        yield
    finally:
        for store, was in before:
            for name in [n for n, v in store.items() if v is not was.get(n) and _holds_tensors(v)]:
                if name in was:
                    store[name] = was[name]
                else:
                    del store[name]


@contextlib.contextmanager
def statistics_kept(module: torch.nn.Module) -> Iterator[None]:
    """Buffers, and the state of random numbers, are as before when it ends."""
    buffers = [(b, b.detach().clone()) for b in module.buffers() if b.device.type != "meta"]
    devices = sorted({p.device.index or 0 for p in module.parameters() if p.device.type == "cuda"})
    try:
        with torch.random.fork_rng(devices=devices):
            yield
    finally:
        with torch.no_grad():
            for buffer, was in buffers:
                buffer.copy_(was)
