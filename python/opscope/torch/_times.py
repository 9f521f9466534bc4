"""Measured times into a report, as the runs of an engine stand there."""

from __future__ import annotations

import json
import statistics
from typing import Any, Dict, List, Optional, Sequence

import torch

from .. import _core
from ._record import Recording

Json = Dict[str, Any]


def median(samples: Sequence[int]) -> int:
    return int(statistics.median(samples))


def _number(value: Any) -> Optional[int]:
    return None if value is None else int(value)


class Times:
    """The time of nodes of a captured graph in every recorded call; `nodes`: of each call, or None."""

    def __init__(self, recording: Recording, nodes: Sequence[Optional[str]]) -> None:
        self.recording = recording
        self.samples: Dict[str, List[int]] = {}  # by node, one a run, ns
        self.device: Dict[str, int] = {}  # by node, median, ns
        for index, node in enumerate(nodes):
            if node is not None:
                self.samples[node] = [run.ops[index] for run in recording.runs]
                self.device[node] = median([run.device[index] for run in recording.runs])
        self._rest: Dict[str, List[int]] = {}  # ops that give no tensor, events that are no op
        for at, run in enumerate(recording.runs):
            rest = dict(run.others)
            for index, node in enumerate(nodes):
                if node is None:
                    rest["(op without a result)"] = (
                        rest.get("(op without a result)", 0) + run.ops[index]
                    )
            for name, ns in rest.items():
                self._rest.setdefault(name, [0] * len(recording.runs))[at] = ns

    def into(self, document: _core.Document) -> _core.Document:
        """The document with the runs, and its layers with their time."""
        report: Json = json.loads(document.emit("json"))
        plain, runs = self.recording.plain_ns, self.recording.runs
        wall = sum(run.wall_ns for run in runs)
        layers = [layer for layer in report["static"]["layers"] if layer["name"] in self.samples]
        events = [self._event(layer, wall) for layer in layers]
        rest = [_row("unmatched", name, samples, wall) for name, samples in self._rest.items()]
        layers_ns, rest_ns = (sum(e["wall_ns"] for e in part) for part in (events, rest))
        report["runs"] = [
            {**_run(0, "timing", plain), "profiling_overhead": None},
            {
                **_run(1, "profiled", [run.wall_ns for run in runs]),
                "profiling_overhead": median([r.wall_ns for r in runs]) / median(plain) - 1,
                "format": "torch.profiler",
                "reconciliation": {
                    "wall_ns": wall, "layers_ns": layers_ns, "runtime_ns": 0,
                    "unmatched_ns": rest_ns, "gap_ns": wall - layers_ns - rest_ns,
                },
                "events": events + rest,
                "coverage": {
                    "rows": len(events) + len(rest), "placed": len(events),
                    "rows_ns": layers_ns + rest_ns, "placed_ns": layers_ns,
                },
            },
        ]  # fmt: skip
        report["joined"] = [self._joined(layer, wall) for layer in layers]
        return _core.read_report(json.dumps(report))

    def _event(self, layer: Json, wall: int) -> Json:
        row = _row("layer", layer["name"], self.samples[layer["name"]], wall)
        match = {"method": "op-order", "confidence": "exact"}
        return {**row, "op": layer["op"], "layers": [{"id": layer["id"], "weight": 1}], "match": match}

    def _joined(self, layer: Json, wall: int) -> Json:
        samples = self.samples[layer["name"]]
        ns = median(samples)
        flops = _number(layer["flops"])
        moved = [_number(layer[k]) for k in ("read_bytes", "write_bytes", "weight_bytes")]
        known = [size for size in moved if size is not None]
        return {
            "layer": layer["id"], "run": 1, "wall_ns": sum(samples), "median_ns": ns,
            "share": sum(samples) / wall if wall else None,
            "gflops_per_s": flops / ns if flops and ns else None,
            "gbytes_per_s": sum(known) / ns if len(known) == len(moved) and ns else None,
            "bound": "unknown", "shared_with": [], "state": "measured",
        }  # fmt: skip


def _row(kind: str, name: str, samples: List[int], wall: int) -> Json:
    total = sum(samples)
    return {
        "kind": kind, "name": name, "calls": len(samples), "busy_ns": total, "wall_ns": total,
        "share": total / wall if wall else None, "samples_ns": samples, "layers": [],
    }  # fmt: skip


def _run(index: int, role: str, samples: List[int]) -> Json:
    return {
        "id": index, "role": role, "latency_ns": {"samples": samples},
        "producer": {"name": "pytorch", "version": torch.__version__},
        "iterations": {
            "found": 1 + len(samples), "warmup": 1, "used": len(samples), "unit": "call",
        },
        "events": [], "placement": [],
    }  # fmt: skip
