"""A missing library is named with the extra that brings it: every place that says so names them in this order."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_whoever_misses_a_library_is_told_its_name_and_an_extra_that_has_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    found = 0
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtra":
                library, extra = (ast.literal_eval(argument) for argument in node.args[:2])
                assert any(needed.startswith(library) for needed in extras.get(extra, ())), (
                    path,
                    library,
                    extra,
                )
                found += 1
    assert found >= 15
