"""What is said on the command line is decided in the draft, with that as the reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.models.registry import parse_promise
from lookalike.runs.preparing import draft
from lookalike.runs.wishes import Wishes

DRAW = np.random.default_rng(6)
N = 300
ROWS = pl.DataFrame(
    {
        "person_no": [f"P{i // 2}" for i in range(N)],
        "age": DRAW.integers(20, 60, N),
        "sex": DRAW.choice(["f", "m"], N),
        "city": DRAW.choice(["Leeds", "York", "Hull"], N),
        "diagnosis": DRAW.choice(["asthma", "flu", "gout", "none"], N),
        "score": DRAW.integers(0, 9, N),
    }
)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    ROWS.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def test_options_of_run_are_written_into_its_recipe_with_the_reason(people: Path) -> None:
    out = people.parent / "out"
    options = ["-k", "4", "--quasi=+score,-city", "--drop", "sex", "--promise", "l=3 of diagnosis"]
    done = CliRunner().invoke(app, ["run", str(people), "--yes", "-o", str(out), *options])
    assert done.exit_code == 0, done.output
    text = (out / "private" / "recipe.toml").read_text(encoding="utf-8")
    recipe = la.Recipe.load(out / "private" / "recipe.toml", anywhere=True)
    assert [model.to_dict() for model in recipe.promises] == [
        {"model": "k-anonymity", "k": 4},
        la.LDiversity("diagnosis", 3).to_dict(),
    ]
    roles = {name: column.role for name, column in recipe.columns.items()}
    assert roles["score"] is la.Role.QUASI
    assert roles["city"] is la.Role.OTHER
    assert recipe.columns["sex"].drop
    assert text.lower().count("said on the command line") == 6  # four columns, k and the promise
    assert pl.read_csv(out / "release.csv").columns == ["age", "city", "diagnosis", "score"]


def test_a_unit_that_is_said_is_counted_by(people: Path) -> None:
    recipe = draft(people, Wishes(unit="person_no")).recipe
    assert recipe.source["unit"] == "person_no"


def test_a_target_that_is_said_is_published(people: Path) -> None:
    assert draft(people, Wishes(target=["score"])).recipe.columns["score"].role is la.Role.TARGET


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        (Wishes(quasi=["zip"]), "zip"),
        (Wishes(unit="zip"), "zip"),
        (Wishes(quasi=["age"], drop=["age"]), "--quasi and in --drop"),
        (Wishes(quasi=["-diagnosis"]), "was not proposed"),
        (Wishes(quasi=["+person_no"]), "'person_no' was read as an identifier.*with --unit person_no"),
    ],
)
def test_what_does_not_fit_the_table_is_refused(people: Path, wishes: Wishes, words: str) -> None:
    with pytest.raises(la.LookalikeError, match=words):
        draft(people, wishes)


def test_an_option_of_another_command_points_to_the_line_of_the_recipe(people: Path) -> None:
    refused = CliRunner().invoke(app, ["run", str(people), "--suppression", "0.1"])
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.replace("│", " ").split())
    assert "write `suppression` (a share from 0 to 1) under [method]; `lookalike prepare` drafts it." in said
    recipe = people.parent / "recipe.toml"
    la.prepare(people).save(recipe)
    refused = CliRunner().invoke(app, ["run", str(recipe), "--suppression", "0.1"])
    line = recipe.read_text(encoding="utf-8").splitlines().index("suppression = 0.05") + 1
    assert f"line {line}" in " ".join(refused.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("k=11", la.KAnonymity(11)),
        ("l=3 of diagnosis", la.LDiversity("diagnosis", 3)),
        ("L-Diversity=3, kind=entropy of day of visit", la.LDiversity("day of visit", 3, kind="entropy")),
        ("t=0.2 of income", la.TCloseness("income", 0.2)),
    ],
)
def test_a_promise_is_spelled_as_it_is_said(text: str, model: la.Model) -> None:
    assert parse_promise(text) == model


@pytest.mark.parametrize("text", ["l", "l= of x", "q=3 of x", "l=3 of ", "k=3,m=2"])
def test_a_promise_that_cannot_be_read_says_how_it_is_spelled(text: str) -> None:
    with pytest.raises(la.LookalikeError, match=r"privacy model|spelled|do not fit"):
        parse_promise(text)
