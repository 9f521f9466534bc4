"""One call of a module, op by op.

The call runs under `torch.inference_mode`, where ops arrive whole (``linear``, ``conv2d``,
``scaled_dot_product_attention``) whether or not gradients are on outside, and with the fused fast
paths of attention and encoders switched off, which compute the same. Weights and inputs are replaced
by tensors without data as they are met: nothing is computed and nothing of the module changes. A
module that looks at values (``.item()``, ``if mask.any()``) is run again with its data.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ._graph import Graph, Weights
from ._kept import attributes_kept, statistics_kept
from ._record import Recording, record
from ._scopes import Functions, Hook, Scopes

# Hooks of all modules, and the switch of the fast paths, belong to the process.
_ONE_AT_A_TIME = threading.RLock()


def _writes(op: Any) -> bool:
    """True for ops that write into an argument; normalisations do so without their schema's word."""
    schema = op._schema
    return bool(schema.is_mutable) or any(a.name == "running_mean" for a in schema.arguments)


def _result_without_data(op: Any, args: Any, kwargs: Any) -> Any:
    """What `op` gives for tensors without data."""
    if op is torch.ops.aten.batch_norm.default and _is_plain_batch_norm(args, kwargs):
        return torch.empty_like(args[0])
    return op(*args, **kwargs)


def _result(op: Any, args: Any, kwargs: Any) -> Any:
    return op(*args, **kwargs)


def _is_plain_batch_norm(args: Any, kwargs: Any) -> bool:
    # PyTorch works the result out of thirty small ops in Python, a millisecond for each layer. What
    # is odd goes that way all the same, for its error.
    if kwargs or args[0].dim() < 2:
        return False
    channels = args[0].shape[1]
    return all(t is None or t.shape == (channels,) for t in args[1:5])


class Capture(TorchDispatchMode):  # type: ignore[no-untyped-call,unused-ignore]
    """Writes every op into `graph`; with `meta`, runs it on tensors without data."""

    def __init__(
        self, graph: Graph, weights: Weights, scopes: Scopes, functions: Functions, meta: bool
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call,unused-ignore]
        self._graph, self._weights, self._meta = graph, weights, meta
        self._scopes, self._functions = scopes, functions
        # Real tensors and what stands for them; the real one is kept so that its id stays its own.
        self._stand_ins: Dict[int, Tuple[torch.Tensor, torch.Tensor]] = {}
        self._copies: Dict[int, Tuple[torch.Tensor, torch.Tensor]] = {}  # of weights written into

    def stand_in(self, tensor: torch.Tensor) -> torch.Tensor:
        """What ops see instead of `tensor`: the same value of the graph, without data."""
        self._declare(tensor)
        known = self._stand_ins.get(id(tensor))
        stand_in = tensor if known is None else known[1]
        if known is None and tensor.device.type != "meta":
            # No inference tensor: a view of a weight must be one of an ordinary tensor.
            with torch.inference_mode(False):
                stand_in = torch.empty_strided(
                    tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta"
                )
        self._stand_ins[id(tensor)] = (tensor, stand_in)
        if stand_in is not tensor:
            self._graph.alias(stand_in, self._graph.value(tensor))
        return stand_in

    def _declare(self, tensor: torch.Tensor) -> None:
        """Weights are named when they are met first."""
        if not self._graph.knows(tensor):
            weight = self._weights.find(tensor)
            if weight is not None:
                self._graph.add_weight(tensor, *weight)

    def _has_no_data(self, tensor: torch.Tensor) -> bool:
        # What a module makes itself (positions, masks) is small and may decide what it does next: it
        # stays real as long as it meets its own kind.
        return tensor.device.type == "meta" or (
            tensor.is_floating_point() and self._weights.find(tensor) is not None
        )

    def __torch_dispatch__(
        self, op: Any, types: Any, args: Any = (), kwargs: Optional[Dict[str, Any]] = None
    ) -> Any:
        if op.namespace == "profiler":  # a range that the program marks
            return op(*args, **(kwargs or {}))
        flat, spec = pytree.tree_flatten((args, kwargs or {}))
        tensors = [item for item in flat if isinstance(item, torch.Tensor)]
        without_data = self._meta and any(map(self._has_no_data, tensors))
        if without_data:
            flat = [self._without_data(item) for item in flat]
        else:
            writes = _writes(op)
            flat = [self._with_data(i, writes) if isinstance(i, torch.Tensor) else i for i in flat]
        args, kwargs = pytree.tree_unflatten(flat, spec)
        run = _result_without_data if without_data else _result
        result = run(op, args, kwargs or {})
        scopes = self._scopes
        self._graph.add_node(
            op, args, kwargs, result, scopes.path, scopes.type, self._functions.name
        )
        return result

    def _with_data(self, tensor: torch.Tensor, writes: bool) -> torch.Tensor:
        """`tensor`, or a copy of it when the op may write into a weight: the module's own stays."""
        self._declare(tensor)
        known = self._copies.get(id(tensor))
        if known is not None:
            return known[1]
        if not writes or self._weights.find(tensor) is None:
            return tensor
        with torch.inference_mode(False), torch.no_grad():
            copy = tensor.detach().clone()
        self._copies[id(tensor)] = (tensor, copy)
        self._graph.alias(copy, self._graph.value(tensor))
        return copy

    def _without_data(self, item: Any) -> Any:
        if isinstance(item, torch.Tensor):
            return self.stand_in(item)
        return torch.device("meta") if isinstance(item, torch.device) else item


@contextlib.contextmanager
def _plain_paths() -> Iterator[None]:
    """Without the fused fast paths of nn.MultiheadAttention and nn.TransformerEncoderLayer."""
    was = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(was)


class Captured:
    """What one call gave."""

    def __init__(self, graph: Graph, weights: Weights, scopes: Scopes, how: str) -> None:
        self.graph, self.weights, self.scopes, self.how = graph, weights, scopes, how


class Marker(TorchDispatchMode):  # type: ignore[no-untyped-call,unused-ignore]
    """Puts a range "opscope::7" around the op that comes eighth."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call,unused-ignore]
        self._next = 0

    def __torch_dispatch__(
        self, op: Any, types: Any, args: Any = (), kwargs: Optional[Dict[str, Any]] = None
    ) -> Any:
        if op.namespace == "profiler":
            return op(*args, **(kwargs or {}))
        number, self._next = self._next, self._next + 1
        with torch.profiler.record_function(f"opscope::{number}"):
            return op(*args, **(kwargs or {}))


def recorded(
    module: torch.nn.Module, args: Any, kwargs: Any, captured: Captured, runs: int
) -> Optional[Recording]:
    """Real calls in the way of the captured one: the same ops, one after the other."""
    names = [name for name, _ in captured.graph.calls]

    @contextlib.contextmanager
    def fresh() -> Iterator[None]:
        with attributes_kept(module), statistics_kept(module):
            yield

    with _ONE_AT_A_TIME, torch.inference_mode(), _plain_paths():
        return record(module, args, kwargs, names, runs, fresh, Marker)


def _call(
    module: torch.nn.Module, args: Any, kwargs: Any, hooks: Dict[torch.nn.Module, Hook], meta: bool
) -> Captured:
    weights = Weights(module)
    graph = Graph()
    scopes = Scopes(module, hooks)
    functions = Functions()
    mode = Capture(graph, weights, scopes, functions, meta)
    flat, spec = pytree.tree_flatten((args, kwargs))
    for index, item in enumerate(flat):
        if isinstance(item, torch.Tensor):
            if not graph.knows(item):
                graph.add_input(item, f"input{len(graph.inputs)}")
            flat[index] = mode.stand_in(item) if meta else item
    args, kwargs = pytree.tree_unflatten(flat, spec)
    with torch.inference_mode(), _plain_paths(), scopes.watched(), functions, mode:
        result = module(*args, **kwargs)
    for item in pytree.tree_leaves(result):
        if isinstance(item, torch.Tensor):
            graph.outputs.append(graph.value(item))
    return Captured(graph, weights, scopes, "without data" if meta else "with data")


def capture(
    module: torch.nn.Module,
    args: Tuple[Any, ...],
    kwargs: Dict[str, Any],
    hooks: Optional[Dict[torch.nn.Module, Hook]] = None,
    reset: Callable[[], None] = lambda: None,
    with_data: bool = False,
) -> Captured:
    """One call without data; with data where the module needs its values, or where it is said.

    `hooks` see (module, inputs, output) of calls, as forward hooks do; `reset` forgets what they did
    when the call starts again. Raises what the module raises.
    """
    with _ONE_AT_A_TIME:
        with attributes_kept(module):
            try:
                if not with_data:
                    return _call(module, args, kwargs, hooks or {}, True)
            except Exception:
                reset()
        with attributes_kept(module), torch.random.fork_rng(devices=[]):
            return _call(module, args, kwargs, hooks or {}, False)
