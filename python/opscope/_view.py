"""Objects over the JSON of a report: attributes instead of keys, made when they are asked for."""

from __future__ import annotations

from typing import Any, ClassVar, Dict, Tuple


def _shown(value: Any, code: str) -> Any:
    """`value` as its type shows it.

    The code: "[" a list of what follows, "{" an object with such values, "int" an exact integer
    (the JSON holds those beyond 2^53 as text), a name of a type, or nothing: as it is.
    """
    if value is None or not code:
        return value
    if code == "int":
        return int(value)
    if code[0] == "[":
        return [_shown(item, code[1:]) for item in value] if code[1:] else value
    if code[0] == "{":
        return {k: _shown(v, code[1:]) for k, v in value.items()} if code[1:] else value
    return View._types[code](value)


class View:
    """A part of a report. Attributes are its fields; ``to_dict()`` gives the JSON itself."""

    _types: "ClassVar[Dict[str, type]]" = {}
    # Attribute: key of the JSON, code of the type, what stands for an absent value.
    _fields: "ClassVar[Dict[str, Tuple[str, str, str]]]" = {}
    _data: Dict[str, Any]

    def __init__(self, data: Dict[str, Any]) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        # Only called for what is not there yet.
        if name not in self._fields:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        key, code, absent = self._fields[name]
        value = _shown(self._data.get(key), code)
        if value is None and absent != "None":
            value = [] if absent == "[]" else {}
        self.__dict__[name] = value
        return value

    def __dir__(self) -> "list[str]":
        return sorted({*super().__dir__(), *self._fields})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        scalars = (f"{k}={v!r}" for k, v in self._data.items() if not isinstance(v, (dict, list)))
        return f"{type(self).__name__}({', '.join(scalars)})"

    def to_dict(self) -> Dict[str, Any]:
        """The part as the JSON of the report has it (a reference, not a copy)."""
        return self._data
