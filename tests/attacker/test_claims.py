"""Every test that SECURITY.md and docs/reliability.md name is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/reliability.md"])
def test_every_test_that_is_named_exists(page: str) -> None:
    named = NAMED.findall((ROOT / page).read_text(encoding="utf-8"))
    assert named
    for file, test in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not test or test in defined, f"{page}: {file} has no {test}"


def test_every_claim_names_a_test() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    claims = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line][1:]
    assert len(claims) >= 10
    assert all(NAMED.search(line) for line in claims)
