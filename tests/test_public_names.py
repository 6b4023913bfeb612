"""What `import lookalike as la` offers: every promised name is there, found on first use and not before."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike as la

PACKAGE = Path(la.__file__).parent


@pytest.mark.parametrize("name", la.__all__)
def test_every_promised_name_is_there(name: str) -> None:
    assert getattr(la, name) is not None


def test_names_are_promised_once_and_listed_by_dir() -> None:
    assert len(la.__all__) == len(set(la.__all__))
    assert dir(la) == sorted(la.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'anonymous'"):
        _ = la.anonymous


def test_no_room_shadows_a_verb_or_noun() -> None:
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms & set(la.__all__) == set()


def test_no_two_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_a_name_loads_its_own_room_only() -> None:
    script = (
        "import sys, lookalike as la; before = 'lookalike.base.errors' in sys.modules; la.RequestError;"
        "print(before, 'lookalike.base.errors' in sys.modules, 'lookalike.tables.table' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True", "False"]


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    imported = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname for node in imported for alias in node.names if alias.asname == alias.name}
    assert {"__version__", *seen} == set(la.__all__)
