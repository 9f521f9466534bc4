"""opscope: how fast a neural network runs, where the time goes, and whether the numbers add up.

    >>> import opscope
    >>> report = opscope.inspect("model.onnx", bind={"N": 1})
    >>> report.static.totals.macs                # exact; 1 MAC = 1 multiplication + 1 addition
    >>> report.to_dataframe()                    # a row a layer
    >>> opscope.analyze("model.onnx").save("report.html")    # runs it, joins time to layers

`opscope.torch.analyze(module, inputs)` does the same for a PyTorch module; `opscope.thop` and
`opscope.ptflops` stand in for those packages. What goes wrong is an `opscope.Error`.
"""

TYPE_CHECKING = False  # as in typing, which takes as long to import as all the rest
if TYPE_CHECKING:
    from typing import Any

    from ._api import Engine as Engine
    from ._api import Format as Format
    from ._api import Line as Line
    from ._api import analyze as analyze
    from ._api import compare as compare
    from ._api import engines as engines
    from ._api import explain as explain
    from ._api import formats as formats
    from ._api import import_profile as import_profile
    from ._api import inspect as inspect
    from ._api import profile as profile
    from ._api import report_schema as report_schema
    from ._core import __version__ as __version__
    from ._error import Error as Error
    from ._progress import Progress as Progress
    from ._report import Report as Report

# Where each name comes from; it is loaded when it is first used.
_HOMES = {
    "_api": (
        "Engine Format Line analyze compare engines explain formats import_profile inspect profile "
        "report_schema"
    ),
    "_core": "__version__",
    "_error": "Error",
    "_progress": "Progress",
    "_report": "Report",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_MODULES = ("ptflops", "thop", "torch")

__all__ = sorted(_HOME_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name in _MODULES:
        return import_module("." + name, __name__)
    if name not in _HOME_OF:
        raise AttributeError(f"module 'opscope' has no attribute {name!r}")
    value = getattr(import_module("." + _HOME_OF[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return [*__all__, *_MODULES]
