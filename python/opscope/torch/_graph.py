"""Captured ops as the JSON that the core reads (docs/aten.md)."""

from __future__ import annotations

import json
import weakref
from typing import Any, Dict, List, Optional, Set, Tuple

import torch

Json = Dict[str, Any]


def storage_key(tensor: torch.Tensor) -> Tuple[Any, ...]:
    """The same for every tensor object over the same elements: tied weights are one."""
    try:
        storage = tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):  # no storage of its own
        return (id(tensor),)
    return (storage, tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()))


class Weights:
    """The parameters and buffers of a module, each once."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.kinds: Dict[Tuple[Any, ...], Tuple[str, str, torch.Tensor]] = {}
        for kind, tensors in (
            ("parameters", module.named_parameters()),
            ("buffers", module.named_buffers()),
        ):
            for name, tensor in tensors:
                self.kinds.setdefault(storage_key(tensor), (kind, name, tensor))

    def find(self, tensor: torch.Tensor) -> Optional[Tuple[str, str]]:
        """("parameters" or "buffers", name in the module)."""
        found = self.kinds.get(storage_key(tensor))
        return None if found is None else found[:2]

    def parameters(self) -> Dict[str, int]:
        """Elements by name."""
        return {n: t.numel() for kind, n, t in self.kinds.values() if kind == "parameters"}


class Graph:
    """Values and nodes in the order of execution."""

    def __init__(self) -> None:
        self._weight_values: Dict[str, str] = {}
        self._names: Dict[int, Tuple[Any, str]] = {}
        self._count = 0
        self._node_names: Dict[str, int] = {}
        self.inputs: List[str] = []
        self.outputs: List[str] = []
        self.nodes: List[Json] = []
        self.values: Dict[str, Json] = {}
        self.weights: Dict[str, Dict[str, str]] = {"parameters": {}, "buffers": {}, "constants": {}}
        self.modules: Dict[str, str] = {}  # node name -> module path
        self.calls: List[Tuple[str, Optional[str]]] = []  # every op: "aten::relu", its node
        self._devices: Set[str] = set()  # of inputs and weights

    def new_value(self, tensor: torch.Tensor, name: str = "") -> str:
        """A new name for what `tensor` holds from here on."""
        if not name:
            name = f"v{self._count}"
            self._count += 1
        self._names[id(tensor)] = (weakref.ref(tensor), name)
        self.values[name] = {
            "dtype": str(tensor.dtype).replace("torch.", ""),
            "sizes": [int(size) for size in tensor.shape],
        }
        return name

    def add_input(self, tensor: torch.Tensor, name: str) -> None:
        self._devices.add(tensor.device.type)
        self.inputs.append(self.new_value(tensor, name))

    def knows(self, tensor: torch.Tensor) -> bool:
        known = self._names.get(id(tensor))
        return known is not None and known[0]() is tensor

    def alias(self, tensor: torch.Tensor, name: str) -> None:
        """Another tensor object with the value `name`."""
        self._names[id(tensor)] = (weakref.ref(tensor), name)

    def value(self, tensor: torch.Tensor) -> str:
        """The name of `tensor`; one that nothing made is a constant."""
        if self.knows(tensor):
            return self._names[id(tensor)][1]
        name = self.new_value(tensor)
        self.weights["constants"][name] = name
        self.inputs.append(name)
        return name

    def add_weight(self, tensor: torch.Tensor, kind: str, name: str) -> None:
        """Names a weight of the module; tensors over the same elements are one value."""
        value = self._weight_values.get(name)
        if value is not None:
            return self.alias(tensor, value)
        self._devices.add(tensor.device.type)
        value = self._weight_values[name] = self.new_value(tensor)
        self.weights[kind][value] = name
        self.inputs.append(value)

    def add_node(
        self, op: Any, args: Any, kwargs: Any, result: Any, module: str, kind: str, function: str
    ) -> None:
        inputs = self._arguments(op, args, kwargs)
        outputs = self._results(result)
        if not outputs:
            self.calls.append((op._schema.name, None))
            return
        name = self._node_name(module, op)
        self.calls.append((op._schema.name, name))
        self.modules[name] = module
        self.nodes.append(
            {
                "target": "torch.ops." + str(op),
                "name": name,
                "module": module,
                "type": kind,
                "function": function,
                "inputs": inputs,
                "outputs": outputs,
            }
        )

    def _node_name(self, module: str, op: Any) -> str:
        base = op._schema.name.split("::")[-1]
        name = f"{module}.{base}" if module else base
        times = self._node_names.get(name, 0)
        self._node_names[name] = times + 1
        return f"{name}_{times}" if times else name

    def _arguments(self, op: Any, args: Any, kwargs: Any) -> List[Json]:
        schema = op._schema.arguments
        out = [{"name": a.name, "arg": self._argument(v)} for a, v in zip(schema, args)]
        return out + [{"name": n, "arg": self._argument(v)} for n, v in kwargs.items()]

    def _argument(self, value: Any) -> Json:
        if isinstance(value, torch.Tensor):
            return {"as_tensor": {"name": self.value(value)}}
        if isinstance(value, (list, tuple)):
            return self._list(value)
        if isinstance(value, bool):
            return {"as_bool": value}
        if isinstance(value, (int, torch.SymInt)):
            return {"as_int": int(value)}
        if isinstance(value, float):
            return {"as_float": value} if abs(value) < float("inf") else {"as_string": str(value)}
        if isinstance(value, str):
            return {"as_string": value}
        if isinstance(value, torch.dtype):
            return {"as_scalar_type": str(value).replace("torch.", "")}
        return {"as_none": True}  # devices, layouts, generators: no size hangs on them

    def _list(self, value: Any) -> Json:
        if any(isinstance(item, torch.Tensor) for item in value):
            if all(isinstance(item, torch.Tensor) for item in value):
                return {"as_tensors": [{"name": self.value(item)} for item in value]}
            return {"as_optional_tensors": [self._argument(item) for item in value]}
        if all(isinstance(item, bool) for item in value):
            return {"as_bools" if value else "as_ints": list(value)}
        if all(isinstance(item, (int, torch.SymInt)) for item in value):
            return {"as_ints": [int(item) for item in value]}
        if all(isinstance(item, (int, float)) for item in value):
            return {"as_floats": [float(item) for item in value]}
        if all(isinstance(item, str) for item in value):
            return {"as_strings": list(value)}
        return {"as_none": True}

    def _results(self, result: Any) -> List[Json]:
        if isinstance(result, torch.Tensor):
            return [{"as_tensor": {"name": self.new_value(result)}}]
        if isinstance(result, list):
            names = [{"name": self.new_value(r)} for r in result if isinstance(r, torch.Tensor)]
            return [{"as_tensors": names}] if names else []
        if isinstance(result, tuple):
            return [part for item in result for part in self._results(item)]
        return []

    def to_json(self) -> str:
        def tensors(names: List[str]) -> List[Json]:
            return [{"as_tensor": {"name": name}} for name in names]

        device = next(iter(self._devices), "")
        return json.dumps(
            {
                "opscope": "aten",
                "version": 1,
                "producer": "torch " + torch.__version__,
                **({"device": device} if len(self._devices) == 1 else {}),
                "graph": {
                    "inputs": tensors(self.inputs),
                    "outputs": tensors(self.outputs),
                    "nodes": self.nodes,
                    "tensor_values": self.values,
                    "sym_int_values": {},
                },
                **self.weights,
            },
            separators=(",", ":"),
        )
