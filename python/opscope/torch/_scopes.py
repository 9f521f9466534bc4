"""What runs while a module is called: the module, its class, the function that was called in it."""

from __future__ import annotations

import contextlib
import dis
import sys
import threading
from types import CodeType, FrameType
from typing import Any, Callable, Dict, Iterator, List, Tuple

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes

Hook = Callable[[torch.nn.Module, Any, Any], object]


class Scopes:
    """Which module runs; the path of a shared one is its first."""

    def __init__(self, module: torch.nn.Module, hooks: Dict[torch.nn.Module, Hook]) -> None:
        self._paths = {id(child): path for path, child in module.named_modules()}
        self._hooks = hooks
        self._thread = threading.get_ident()  # modules that others call meanwhile are not ours
        self._stack: List[Tuple[str, str]] = [("", class_of(module))]
        self.calls: List[Tuple[str, torch.nn.Module]] = []  # every call of a module of the network

    @property
    def path(self) -> str:
        """Of the innermost module of the network."""
        return self._stack[-1][0]

    @property
    def type(self) -> str:
        """Class of the innermost module, one made on the fly included."""
        return self._stack[-1][1]

    def _enter(self, module: torch.nn.Module, _: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        path = self._paths.get(id(module))
        self._stack.append((self.path if path is None else path, class_of(module)))
        if path is not None:
            self.calls.append((path, module))

    def _leave(self, module: torch.nn.Module, inputs: Any, output: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        hook = self._hooks.get(module)
        if hook is not None and output is not None:
            with _disable_current_modes():
                hook(module, inputs, output)
        if len(self._stack) > 1:
            self._stack.pop()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        registry = torch.nn.modules.module
        handles = [
            registry.register_module_forward_pre_hook(self._enter),
            registry.register_module_forward_hook(self._leave, always_call=True),
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


def class_of(module: torch.nn.Module) -> str:
    """``"torch.nn.modules.conv.Conv2d"``."""
    kind = type(module)
    return f"{kind.__module__}.{kind.__qualname__}"


class Functions(TorchFunctionMode):
    """Which function of torch runs: the outermost one, where functions call each other.

    `name` is ``"torch.nn.functional.relu"``, ``"torch.matmul"``, ``"torch.Tensor.add"`` for a
    method, ``"operator.add"`` for ``a + b``; empty outside of all. Functions that C code offers
    for `torch.nn.functional` (``gelu``) go as ``"torch.gelu"``.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call,unused-ignore]
        self.name = ""
        self._codes: Dict[int, Tuple[CodeType, bytes]] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        was = self.name
        if not was:
            self.name = self._name_of(func, sys._getframe(1))
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.name = was

    def _name_of(self, func: Any, caller: FrameType) -> str:
        name = getattr(func, "__name__", "")
        where = getattr(func, "__module__", None)
        if where == "torch._C._nn":
            return "torch." + name
        if where not in (None, "torch._tensor"):
            return f"{where}.{name}"
        # a + b and a.add(b) are one function to torch; the instruction of the caller tells.
        method = name not in _OPERATORS or not self._at_operator(caller)
        return ("torch.Tensor." if method else "operator.") + name

    def _at_operator(self, frame: FrameType) -> bool:
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = (code, code.co_code)
        name = dis.opname[known[1][frame.f_lasti]]
        return name.startswith(("BINARY_", "INPLACE_"))


_OPERATORS = {"add", "sub", "mul", "div", "matmul", "add_", "sub_", "mul_", "div_"}
