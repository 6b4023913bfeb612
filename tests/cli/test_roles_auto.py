"""`--roles auto`: all that `inspect` proposes, but for what is named; and promises for every sensitive column."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import Result
from typer.testing import CliRunner

from lookalike.cli import app

N = 300
RNG = np.random.default_rng(5)
ROWS = pl.DataFrame(
    {
        "patient_id": range(1001, 1001 + N),
        "age": RNG.integers(20, 60, N),
        "sex": RNG.choice(["m", "f"], N),
        "city": RNG.choice(["Leeds", "York", "Hull"], N),
        "visit year": RNG.integers(2015, 2020, N),
        "disease": RNG.choice(["flu", "asthma", "migraine"], N),
        "smoker": RNG.choice(["yes", "no"], N),
        "xkv": RNG.integers(0, 7, N),
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    ROWS.write_csv(path)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def asked(*arguments: object) -> list[str]:
    told = run("risk", *arguments, "--no-special", "--json")
    assert told.exit_code == 0, told.output
    return list(json.loads(told.stdout)["quasi"])


def test_the_proposed_quasi_identifiers_are_taken(file: Path) -> None:
    assert asked(file, "--roles", "auto") == ["age", "sex", "city", "visit year"]


def test_columns_are_added_and_taken_away(file: Path) -> None:
    assert asked(file, "--roles", "auto", "--quasi", "+xkv,-visit year") == ["age", "sex", "city", "xkv"]
    assert asked(file, "--roles", "auto", "--quasi", "-visit year", "-s", "city") == ["age", "sex"]


def test_without_either_the_command_says_what_to_type(file: Path) -> None:
    told = run("risk", file)
    assert told.exit_code == 2
    assert "--roles auto" in told.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--roles", "mine"], "expected auto, found 'mine'"),
        (["--roles", "auto", "--quasi", "+moon"], "moon"),
        (["--roles", "auto", "--quasi", "-disease"], "takes a role that was not proposed"),
        (["--roles", "auto", "--quasi", "+xkv", "--sensitive", "xkv"], "Give it one role"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(file: Path, arguments: list[str], said: str) -> None:
    told = run("risk", file, *arguments)
    assert told.exit_code == 2
    assert said in told.stderr


def test_a_column_nobody_knows_is_not_published_before_somebody_decides(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    auto = ("anonymize", file, "--roles", "auto", "-k", "3", "--method", "mondrian", "-o", out, "--force")
    told = run(*auto)
    assert told.exit_code == 2
    assert "1 column holds: xkv" in told.stderr
    assert (
        run(*auto, "--others", "sex").exit_code == 2
    )  # naming another column decides nothing about this one
    assert not out.exists()
    for decided, published in (
        (["--others", "xkv"], True),
        (["--others", ""], True),
        (["--drop", "xkv"], False),
    ):
        done = run(*auto, *decided)
        assert done.exit_code == 0, done.output
        columns = pl.read_csv(out / "release.csv").columns
        assert ("xkv" in columns) is published
        assert "patient_id" not in columns


def test_a_promise_is_made_for_every_sensitive_column_in_one_word(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    auto = (
        "anonymize",
        file,
        "--roles",
        "auto",
        "--drop",
        "xkv",
        "--method",
        "mondrian",
        "-o",
        out,
        "--json",
    )
    done = run(*auto, "-k", "3", "-l", "all=2", "-t", "all=0.4,disease=0.5")
    assert done.exit_code == 0, done.output
    release = pl.read_csv(out / "release.csv")
    classes = release.group_by(["age", "sex", "city", "visit year"]).agg(
        pl.len().alias("k"), pl.col("disease", "smoker").n_unique()
    )
    assert classes["k"].min() >= 3  # type: ignore[operator]
    assert classes["disease"].min() == classes["smoker"].min() == 2


def test_a_promise_for_all_needs_a_sensitive_column(file: Path, tmp_path: Path) -> None:
    told = run("anonymize", file, "-q", "age,sex", "--others", "", "-l", "all=2", "-o", tmp_path / "out")
    assert told.exit_code == 2
    assert "no sensitive columns" in told.stderr


def test_where_people_have_several_rows_they_are_counted(tmp_path: Path) -> None:
    rows = [f"P{i % 30:03d},{20 + i % 30},{'fm'[i % 2]},{i}" for i in range(120)]
    (tmp_path / "visits.csv").write_text("patient_id,age,sex,visit number\n" + "\n".join(rows), "utf-8")
    told = run("risk", tmp_path / "visits.csv", "--roles", "auto", "--json")
    assert told.exit_code == 0, told.stderr
    assert json.loads(told.stdout)["people"] == 30
    assert "People have several rows: patient_id tells them apart" in told.stderr
