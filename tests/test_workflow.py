"""The workflow of the public repository: its jobs are targets of the Makefile, on every Python that is supported."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = (ROOT / ".github/workflows/gate.yml").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_job_is_a_target_of_the_makefile_and_explained_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    called = re.findall(r"run: make ([a-z-]+)", WORKFLOW)
    assert {"test-oldest", "test-newest", "docs", "test-dist", "coverage"} <= set(called)
    for target in called:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
        assert f'@echo "make {target} ' in makefile, target
    assert "run: .ci/run" in WORKFLOW


def test_the_gate_runs_on_every_supported_python() -> None:
    versions = re.search(r"python: \[(.*)\]", WORKFLOW)
    assert versions is not None
    supported = [
        one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: Python :: 3\.\d+$", one)
    ]
    assert re.findall(r"[\d.]+", versions[1]) == supported
    oldest = re.search(r"run: make test-oldest", WORKFLOW)
    assert oldest is not None
    assert re.findall(r'python-version: "([\d.]+)"', WORKFLOW[: oldest.start()])[-1] == supported[0]


def test_every_requirement_names_the_oldest_version_that_works() -> None:
    """`make test-oldest` installs just these; without one there would be no oldest version to try."""
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *(one for extra in extras.values() for one in extra)]
    bare = [one for one in asked if not re.search(r"[>=]=", one) and not one.startswith("lookalike[")]
    assert bare == []


@pytest.mark.parametrize(
    ("file", "room"),
    [
        ("src/lookalike/__init__.py", "(ground floor)"),
        ("/somewhere/src/lookalike/web/steps/blur.py", "web"),
        ("src/lookalike/tables/columns/coding.py", "tables/columns"),
        ("src/lookalike/tables/table.py", "tables"),
    ],
)
def test_coverage_is_added_up_by_room(file: str, room: str) -> None:
    spec = importlib.util.spec_from_file_location("coverage_by_room", ROOT / ".ci" / "coverage_by_room.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.room_of(file) == room
    files = {file: {"summary": {"num_statements": 10, "covered_lines": 4}}}
    assert module.by_room({"files": files}) == [(room, 10, 4)]
