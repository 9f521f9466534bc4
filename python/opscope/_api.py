"""The use cases, as functions."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

from . import _core
from ._error import Error
from ._progress import ProgressArgument, for_core
from ._report import Report

PathLike = Union[str, "os.PathLike[str]"]
Shapes = Optional[Mapping[str, Sequence[int]]]
Bindings = Optional[Mapping[str, int]]

_BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")


class Format(NamedTuple):
    """A format that this build reads: `kind` is ``"model"`` or ``"trace"``."""

    id: str
    kind: str
    title: str
    endings: str
    what: str


class Engine(NamedTuple):
    """An engine: `state` is ``"ready"``, ``"broken"`` or ``"missing"`` (then see `how_to_get`)."""

    id: str
    title: str
    state: str
    version: str
    library: str
    how_to_get: str
    providers: List[str]


class Line(NamedTuple):
    """A line of an explanation: `what` is stable (``"macs.rule"``), `label` and `text` are words."""

    what: str
    label: str
    text: str


def _surroundings() -> _core.Surroundings:
    out = _core.Surroundings()
    out.program_dir = _BIN
    out.ort_library_env = os.environ.get("OPSCOPE_ORT_LIBRARY", "")
    # The packages of the Python in use go first.
    out.path_env = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
    out.ld_library_path = os.environ.get("LD_LIBRARY_PATH", "")
    out.current_dir = os.getcwd()
    out.temp_dir = os.environ.get("TMPDIR", "/tmp")
    return out


_Options = TypeVar("_Options")


def _set(options: _Options, values: Mapping[str, Any]) -> _Options:
    for name, value in values.items():
        try:
            setattr(options, name, value)
        except TypeError:
            raise Error("usage.value", f"{name} does not take {value!r}", name) from None
    return options


def _model(
    path: PathLike, shapes: Shapes, bind: Bindings, options: Mapping[str, Any]
) -> _core.ModelOptions:
    known = {"as_", "allow_external", "hash", "strict", "full_paths"}
    _only(options, known)
    out = _core.ModelOptions()
    return _set(
        out,
        {
            "path": os.fspath(path),
            "shapes": {name: list(dims) for name, dims in (shapes or {}).items()},
            "bindings": dict(bind or {}),
            **options,
        },
    )


def _only(options: Mapping[str, Any], known: "set[str]") -> None:
    for name in options:
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(sorted(known))}"
            raise Error("usage.arguments", f"unknown option {name!r}{hint}", name)


def inspect(
    model: PathLike,
    *,
    shapes: Shapes = None,
    bind: Bindings = None,
    progress: ProgressArgument = None,
    **options: Any,
) -> Report:
    """Layers, MACs, parameters, bytes and peak memory of a model file, without running it.

    Args:
        model: a file of any format that `formats` lists.
        shapes: dims of inputs, by name: ``{"x": (1, 3, 224, 224)}``.
        bind: sizes of free dims: ``{"N": 1}``. Dims that stay free give formulas, and ``None`` for
            the number.
        progress: ``True`` prints a line on standard error, a function gets a `Progress`; by
            default a notebook shows it.
        **options: `as_` (format by name), `allow_external` (external data outside the model's
            folder), `hash` (of the whole file), `strict` (any damage is an error), `full_paths`.

    Returns:
        The report: ``.static.totals`` has counts in MAC, FLOP, operations and bytes (see the
        docstrings of its types), ``.static.layers`` one entry a node.

    Raises:
        Error: the file cannot be used; `code` says why, `place` where.
    """
    request = _model(model, shapes, bind, options)
    return Report(_core.inspect(request, _surroundings(), for_core(progress)))


_RUN_OPTIONS = {
    "engine", "library", "providers", "provider_libraries", "custom_ops", "config", "threads",
    "level", "spinning", "warmup", "runs", "seconds", "seed", "inputs", "memory_limit_bytes",
    "time_limit_seconds",
}  # fmt: skip


def _at_least(options: Mapping[str, Any], name: str, least: int) -> None:
    value = options.get(name)
    if value is not None and not value >= least:
        raise Error("usage.value", f"{name} does not take {value!r}; at least {least}", name)


def analyze(
    model: PathLike,
    *,
    profiles: Sequence[PathLike] = (),
    run: bool = True,
    shapes: Shapes = None,
    bind: Bindings = None,
    optimized_model: PathLike = "",
    profile_as: str = "",
    save_profile: PathLike = "",
    progress: ProgressArgument = None,
    **options: Any,
) -> Report:
    """Static analysis and measured time of a model, joined per layer.

    The model is run by an engine in a process of its own; with `profiles`, profiles of a run
    elsewhere are joined instead; with ``run=False`` the answer is that of `inspect`.

    Args:
        model, shapes, bind, progress: as for `inspect`.
        profiles: profile files that an engine wrote.
        optimized_model: the optimised model that the engine saved, for `profiles`.
        save_profile: where the engine's own profile is kept.
        **options: those of `inspect`, and of the run: `engine`, `library`, `providers`, `threads`
            (1), `level` (``"none"``, ``"basic"``, ``"extended"``, ``"all"``), `warmup`, `runs`,
            `seconds` (budget), `seed`, `inputs` (``.npz`` or folder), `memory_limit_bytes`,
            `time_limit_seconds`, `spinning`, `config`, `custom_ops`, `provider_libraries`.

    Returns:
        The report; times are integers in nanoseconds, and layers, runtime and gaps sum to the wall
        clock exactly.

    Raises:
        Error: as for `inspect`; when the engine failed, ``error.report`` has the static part.
        KeyboardInterrupt: the run was stopped.
    """
    run_options = {name: options.pop(name) for name in list(options) if name in _RUN_OPTIONS}
    for name, least in (("threads", 1), ("runs", 1), ("warmup", 0)):
        _at_least(run_options, name, least)
    request = _core.AnalyzeRequest()
    request.model = _model(model, shapes, bind, options)
    request.run = _set(_core.RunOptions(), run_options)
    request.no_run = not run
    request.profiles = [os.fspath(file) for file in profiles]
    request.profile_as = profile_as
    request.optimized_model = os.fspath(optimized_model)
    request.keep_profile = os.fspath(save_profile)
    document, failure = _core.analyze(request, _surroundings(), for_core(progress))
    report = Report(document)
    if failure:
        code, message, place = failure
        raise Error(code, message, place, report)
    return report


def profile(model: PathLike, save_profile: PathLike, **options: Any) -> Report:
    """Runs a model and keeps the engine's profile in the file `save_profile`; see `analyze`."""
    return analyze(model, save_profile=save_profile, **options)


def import_profile(
    files: Union[PathLike, Sequence[PathLike]],
    *,
    model: Optional[PathLike] = None,
    shapes: Shapes = None,
    bind: Bindings = None,
    as_: str = "",
    optimized_model: PathLike = "",
    exports: Sequence[PathLike] = (),
    window: str = "",
    strict: bool = False,
    full_paths: bool = False,
    progress: ProgressArgument = None,
) -> Report:
    """Reads profiles and traces; with `model`, joins them to its layers.

    Args:
        files: one file, or several of one run (ranks).
        as_: format by name; by content otherwise.
        exports: files to write the events into for other viewers (``.trace.json``, ``.folded`` …).
        window: the range whose critical path is wanted: ``"NAME"`` or ``"NAME#K"``.

    Returns:
        The report; ``.runs`` has the rows, times in nanoseconds.

    Raises:
        Error: a file cannot be used.
    """
    one = isinstance(files, (str, os.PathLike))
    paths: List[PathLike] = [files] if one else list(files)  # type: ignore[list-item,arg-type]
    request = _core.ImportRequest()
    request.files = [os.fspath(file) for file in paths]
    request.as_ = as_
    if model is not None:
        request.model = _model(model, shapes, bind, {"strict": strict, "full_paths": full_paths})
    request.optimized_model = os.fspath(optimized_model)
    request.exports = [os.fspath(file) for file in exports]
    request.window = window
    request.strict = strict
    request.full_paths = full_paths
    return Report(_core.import_profile(request, _surroundings(), for_core(progress)))


def compare(
    a: PathLike,
    b: PathLike,
    *,
    shapes: Shapes = None,
    bind: Bindings = None,
    progress: ProgressArgument = None,
    **options: Any,
) -> Report:
    """Two models: totals side by side, nodes added, removed and changed.

    Args:
        a, b: the model before and after; the other arguments are those of `inspect`, for both.

    Returns:
        The report; see ``.comparison``.
    """
    request = _core.CompareRequest()
    request.a = _model(a, shapes, bind, options)
    request.b = _model(b, shapes, bind, options)
    return Report(_core.compare(request, _surroundings(), for_core(progress)))


def explain(
    topic: PathLike,
    node: Optional[str] = None,
    *,
    lang: str = "en",
    shapes: Shapes = None,
    bind: Bindings = None,
    **options: Any,
) -> List[Line]:
    """How numbers come about, in words.

    Args:
        topic: a model file; or, without `node`, a word of the reports (``"macs"``) or
            ``"convention:thop"``: how another tool counts.
        node: a node's name, the name of a tensor it writes, or ``"#0"`` for the first layer.

    Raises:
        Error: ``usage.node``, ``usage.topic``, ``usage.convention``, with the nearest names.
    """
    if node is not None:
        model = _model(topic, shapes, bind, options)
        lines = _core.explain_node(model, node, lang, _surroundings())
    elif os.fspath(topic).startswith("convention:"):
        lines = _core.explain_convention(os.fspath(topic).split(":", 1)[1])
    else:
        lines = _core.explain_topic(os.fspath(topic), lang)
    return [Line(line.what, line.label, line.text) for line in lines]


def formats() -> List[Format]:
    """The formats that this build reads."""
    return [Format(f.id, f.kind, f.title, f.endings, f.what) for f in _core.formats()]


def engines(library: PathLike = "") -> List[Engine]:
    """The engines that run models, and which of them are ready here.

    Args:
        library: ONNX Runtime's library, where it is not found by itself.
    """
    return [
        Engine(e.id, e.title, e.state, e.version, e.library, e.how_to_get, list(e.providers))
        for e in _core.engines(os.fspath(library), _surroundings())
    ]


def report_schema() -> Dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a report."""
    import json

    schema: Dict[str, Any] = json.loads(_core.report_schema())
    return schema
