#!/usr/bin/env python3
"""Writes the Python types of a report from its JSON schema.

usage: make_types.py SCHEMA.json OUT.py

The schema comes from the field lists of the C++ structs, so that no second list of fields exists.
Every struct becomes a class with annotations (for editors and type checkers), a docstring with what
the schema says of each field and its unit, and `_fields`: how each value is shown.
"""

import json
import keyword
import sys

HEAD = '''"""The types of a report, made from its schema by make_types.py."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union

from ._view import View

__all__ = {names}
'''


class Kind:
    """A type: its annotation, its code in `_fields` (see _view.py), its value when absent."""

    def __init__(self, annotation, code, absent="None"):
        self.annotation, self.code, self.absent = annotation, code, absent


def kind_of(schema):
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name == "Integer":
            return Kind("int", "int")
        if name == "Messages":
            return Kind("Dict[str, Any]", "", "{}")
        return Kind(name, name)
    if "anyOf" in schema:
        inner = kind_of(schema["anyOf"][0])
        return Kind(f"Optional[{inner.annotation}]", inner.code)
    if "enum" in schema:
        return Kind(f"Literal[{', '.join(repr(v) for v in schema['enum'])}]", "")
    if isinstance(schema.get("type"), list):
        words = {"integer": "int", "string": "str", "number": "float", "null": "None"}
        return Kind(f"Union[{', '.join(words[t] for t in schema['type'])}]", "")
    if schema["type"] == "array":
        inner = kind_of(schema["items"])
        return Kind(f"List[{inner.annotation}]", "[" + inner.code, "[]")
    if schema["type"] == "object":
        values = schema.get("additionalProperties", {})
        inner = kind_of(values) if values else Kind("Any", "")
        return Kind(f"Dict[str, {inner.annotation}]", "{" + inner.code, "{}")
    return Kind({"string": "str", "number": "float", "boolean": "bool"}[schema["type"]], "")


def field_line(name, schema):
    said = [schema["description"]] if "description" in schema else []
    unit = schema.get("x-unit")
    said += [f"in {unit}"] if unit and unit != "1" else []
    return f"        {name}: {'; '.join(said)}." if said else f"        {name}."


def class_text(name, schema):
    lines = [f"class {name}(View):", f'    """{name} of a report.', "", "    Fields:"]
    annotations, codes, absents = [], [], []
    for key, field in schema.get("properties", {}).items():
        attribute = key + "_" if keyword.iskeyword(key) else key
        kind = kind_of(field)
        lines.append(field_line(attribute, field))
        annotations.append(f"    {attribute}: {kind.annotation}")
        codes.append(f"        {attribute!r}: ({key!r}, {kind.code!r}, {kind.absent!r}),")
    body = ['    """', "", *annotations, "", "    _fields = {", *codes, "    }"]
    return "\n".join(lines + body) + "\n"


def main(schema_file, out_file):
    with open(schema_file, encoding="utf-8") as file:
        structs = json.load(file)["$defs"]
    for not_a_struct in ("Integer", "Messages"):
        structs.pop(not_a_struct)
    parts = [HEAD.format(names=sorted(structs))]
    parts += [class_text(name, schema) for name, schema in sorted(structs.items())]
    names = ", ".join(f"{name!r}: {name}" for name in sorted(structs))
    parts.append(f"View._types.update({{{names}}})\n")
    with open(out_file, "w", encoding="utf-8") as file:
        file.write("\n\n".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
