"""`lookalike interact`: answers typed in, undone, kept in a session, and turned into a release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app

runner = CliRunner()


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    la.datasets.population(300, seed=1).write_csv(path)
    return path


def call(people: Path, *options: str, typed: str) -> tuple[int, str, str]:
    quasi = ["--quasi", "age,gender,marital_status", "-k", "5", "--json"]
    result = runner.invoke(app, ["interact", str(people), *quasi, *options], input=typed)
    return result.exit_code, result.stdout, result.stderr


def test_typed_answers_are_learnt_and_released(people: Path, tmp_path: Path) -> None:
    session, out = tmp_path / "s.json", tmp_path / "out"
    code, printed, asked = call(
        people, "--session", str(session), "-o", str(out), typed="a\nwhat\n?\nu\nb\nq\n"
    )
    assert code == 0
    result = json.loads(printed)
    assert result["answers"] == 2
    assert result["release"]["k"] >= 5
    assert "Type a, b, ?, u or q." in asked
    assert [one["answer"] for one in json.loads(session.read_text())["answers"]] == ["A", "B"]
    assert la.verify(out / "release.csv", out / "certificate.json").ok


def test_a_session_is_taken_up_where_it_was_left(people: Path, tmp_path: Path) -> None:
    session = tmp_path / "s.json"
    call(people, "--session", str(session), typed="a\nb\nq\n")
    code, printed, _ = call(people, "--session", str(session), "--answers", "1", typed="a\n")
    assert code == 0
    assert json.loads(printed)["answers"] == 3


def test_undoing_nothing_and_closing_the_input_are_no_failures(people: Path) -> None:
    code, printed, asked = call(people, typed="u\n")
    assert code == 0
    assert json.loads(printed)["answers"] == 0
    assert "no answer to take back" in asked


def test_a_session_that_cannot_be_kept_is_said_before_the_first_question(
    people: Path, tmp_path: Path
) -> None:
    code, _, said = call(people, "--session", str(tmp_path / "nowhere" / "s.json"), typed="q\n")
    assert code == 2
    assert "Question" not in said


def test_the_release_of_a_dialogue_is_told_as_any_other(people: Path, tmp_path: Path) -> None:
    arguments = ["interact", str(people), "--quasi", "age,gender", "-k", "5", "-o", str(tmp_path / "out")]
    shown = " ".join(runner.invoke(app, [*arguments, "--others", ""], input="a\nq\n").stdout.split())
    assert "Weights after 1 answer:" in shown
    assert "of 300 records released in" in shown
    assert "Check it: lookalike verify" in shown


def test_a_wrong_slider_is_refused(people: Path) -> None:
    code, _, said = call(people, "--sliders", "agee=2", typed="")
    assert code == 2
    assert "Did you mean 'age'" in said
