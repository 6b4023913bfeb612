"""`lookalike paper`: a table on the terminal, files in a folder, JSON for machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lookalike.cli import app
from lookalike.papers.dei import paper as dei

run = CliRunner().invoke


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The de-identification study on fewer people, and fewer times."""
    monkeypatch.setattr(dei, "PEOPLE", 2_000)
    monkeypatch.setattr(dei, "SEEDS", 2)


def test_the_dei_paper_is_printed_beside_ours(few: None, tmp_path: Path) -> None:
    done = run(app, ["paper", "dei", "--json", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["lines"][0]["printed"] == "97,358 classes, 95,426 unique"
    assert found["lines"][0]["seeds"] == 2
    assert "| **Steps** after area | 81,432 classes" in (tmp_path / "dei.md").read_text()


def test_the_terminal_gets_an_aligned_table_not_markdown(few: None) -> None:
    shown = run(app, ["paper", "dei"]).stdout
    assert "81,432 classes" in " ".join(shown.split())
    assert "verdict" in shown
    assert "|" not in shown
    assert "#" not in shown
    assert len({len(line) for line in shown.splitlines()[1:]}) == 1, "every line of the table is as long"


def test_a_file_in_the_place_of_the_folder_is_said_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    done = run(app, ["paper", "dei", "-o", str(tmp_path / "taken")])
    assert done.exit_code == 2
    assert "cannot be the folder of results" in done.stderr
    assert done.stdout == ""


def test_an_unknown_paper_is_refused_with_those_there_are() -> None:
    done = run(app, ["paper", "nope"])
    assert done.exit_code == 2
    assert "cfk, iml, qid, fca, dei, all, data" in done.stderr
