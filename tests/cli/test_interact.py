"""`lookalike interact`: answers typed in, undone, kept in a session, and turned into a release."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
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
    quasi = ["--quasi", "age,gender,marital_status", "-k", "5", "--json", "--linked", "dob=drop"]
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


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("-k", "50"), "-k is 50, but 5 in"),
        (("--rule", "eg"), "--rule is 'eg', but 'bayes' in"),
        (("--sliders", "age=9"), "--sliders is {'age': 9.0}, but None in"),
        (("--seed", "3"), "--seed is 3, but 0 in"),
    ],
)
def test_an_option_that_differs_from_the_session_is_refused_and_nothing_released(
    people: Path, tmp_path: Path, option: tuple[str, str], message: str
) -> None:
    session, out = tmp_path / "s.json", tmp_path / "out"
    call(people, "--session", str(session), typed="a\nq\n")
    before = session.read_text()
    code, _, said = call(people, "--session", str(session), "-o", str(out), *option, typed="q\n")
    assert code == 2
    assert message in json.loads(said.splitlines()[-1])["error"]
    assert session.read_text() == before
    assert not out.exists()


def test_options_left_out_are_taken_from_the_session(people: Path, tmp_path: Path) -> None:
    session, out = tmp_path / "s.json", tmp_path / "out"
    call(people, "--session", str(session), typed="a\nq\n")
    arguments = ["interact", str(people), "--quasi", "age,gender,marital_status", "--session", str(session)]
    result = runner.invoke(app, [*arguments, "-o", str(out), "--linked", "dob=drop", "--json"], input="q\n")
    assert result.exit_code == 0
    assert json.loads(session.read_text())["dialogue"]["k"] == 5
    assert json.loads(result.stdout)["release"]["k"] >= 5


@pytest.mark.parametrize(
    "content", ["xx", '{"format": 2, "dialogue": {}}', '{"format": 2, "dialogue": null}']
)
def test_a_broken_session_is_refused_before_the_first_question(
    people: Path, tmp_path: Path, content: str
) -> None:
    session = tmp_path / "s.json"
    session.write_text(content)
    code, _, said = call(people, "--session", str(session), typed="a\n")
    assert code == 2
    assert "is not a saved dialogue" in json.loads(said.splitlines()[-1])["error"]
    assert session.read_text() == content


def test_a_misspelt_method_or_a_folder_that_cannot_be_is_said_before_the_first_question(
    people: Path, tmp_path: Path
) -> None:
    for options, message in (
        (["--method", "lokal", "-o", str(tmp_path / "out")], "no method 'lokal'"),
        (["--method", "datafly", "-o", str(tmp_path / "out")], "choose from sangreea, local"),
        (["-o", str(tmp_path)], "exists already"),
        (["-o", str(people / "deep" / "out")], "cannot be written"),
    ):
        code, _, said = call(people, *options, typed="a\nq\n")
        assert code == 2
        assert message in json.loads(said.splitlines()[-1])["error"]
        assert "Question" not in said


def test_values_and_names_are_shown_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    towns = ["[bold]x\\", ":smile:"] * 30
    pl.DataFrame({"town\\": towns, "age": [i % 30 for i in range(60)]}).write_csv(path)
    arguments = ["interact", str(path), "--quasi", "town\\,age", "-k", "5"]
    result = runner.invoke(app, arguments, input="a\nq\n", env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "town\\ " in result.stderr
    assert "town\\\\" not in result.stderr + result.stdout
    assert "[bold]x\\ " in result.stderr
    assert ":smile:" in result.stderr


@pytest.mark.parametrize("json_wanted", [False, True])
def test_a_terminal_that_does_not_know_every_letter_is_no_failure(people: Path, json_wanted: bool) -> None:
    renamed = pl.read_csv(people).rename({"age": "年齢"})
    renamed.write_csv(people)
    done = subprocess.run(
        [sys.executable, "-m", "lookalike", "interact", people, "--quasi", "年齢,gender", "-k", "5"]
        + ["--json"] * json_wanted,
        input=b"a\n\xff\nq\n",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode("latin-1")
    assert b"??" in done.stderr
    if json_wanted:
        assert "年齢" in json.loads(done.stdout)["weights"]


def test_the_release_of_a_dialogue_is_told_as_any_other(people: Path, tmp_path: Path) -> None:
    arguments = ["interact", str(people), "--quasi", "age,gender", "-k", "5", "-o", str(tmp_path / "out")]
    shown = " ".join(
        runner.invoke(
            app, [*arguments, "--others", "", "--linked", "dob=drop"], input="a\nq\n"
        ).stdout.split()
    )
    assert "Weights after 1 answer:" in shown
    assert "of 300 records released in" in shown
    assert "Check it: lookalike verify" in shown


def test_a_wrong_slider_is_refused(people: Path) -> None:
    code, _, said = call(people, "--sliders", "agee=2", typed="")
    assert code == 2
    assert "Did you mean 'age'" in said
