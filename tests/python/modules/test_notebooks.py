"""The notebooks of docs/examples run, cell after cell."""

import ast
import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: ./dev test --torch")

NOTEBOOKS = sorted((Path(__file__).resolve().parents[3] / "docs/examples").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path):
    names = {}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(path), "exec"), names)
        if last is not None:  # what the notebook shows
            value = eval(compile(ast.Expression(last.value), str(path), "eval"), names)
            shown = getattr(value, "_repr_html_", lambda: repr(value))()  # noqa: B023
            assert shown
