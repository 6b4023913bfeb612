"""What a warning advises about the type of a column can be done where it is said."""

from __future__ import annotations

import warnings
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app

ADVICE = "give it the type 'nominal' to accept this"


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Dates with stray words among them, and a few rows that do not say whose they are."""
    days = [
        f"{1 + i % 28:02}/{1 + i % 12:02}/{1990 + i % 9}" if i % 12 else f"in spring {i}" for i in range(600)
    ]
    path = tmp_path / "visits.csv"
    pl.DataFrame(
        {
            "patient_id": [f"P{1000 + i // 3}" if i >= 6 else None for i in range(600)],
            "age": [20 + i // 3 % 40 for i in range(600)],
            "sex": ["fm"[i // 3 % 2] for i in range(600)],
            "seen": days,
        }
    ).write_csv(path)
    return path


def say(*arguments: object, code: int = 0) -> str:
    found = CliRunner().invoke(app, [str(one) for one in arguments])
    assert found.exit_code == code, found.output
    return " ".join(found.output.split())


@pytest.mark.parametrize("command", ["inspect", "prepare", "run"])
def test_the_type_that_a_warning_asks_for_can_be_given_to_the_command_that_warns(
    visits: Path, tmp_path: Path, command: str
) -> None:
    more = {
        "inspect": [],
        "prepare": ["-o", tmp_path / "recipe.toml"],
        "run": ["--yes", "-o", tmp_path / "out"],
    }
    said = say(command, visits, *more[command])
    assert said.count(f"{ADVICE} (--types, or `type` in a recipe)") == 1
    (tmp_path / "recipe.toml").unlink(missing_ok=True)
    again = say(command, visits, *more[command], "--types", "seen=nominal", *["--force"][: command == "run"])
    assert ADVICE not in again


def test_nobody_is_warned_of_what_is_right_once_codes_are_read_as_missing(tmp_path: Path) -> None:
    days = [f"{1 + i % 28:02}.{1 + i % 12:02}.{2000 + i % 9}" if i % 10 else "-9" for i in range(300)]
    rows = pl.DataFrame({"age": [20 + i % 40 for i in range(300)], "seen": days})
    rows.write_csv(tmp_path / "people.csv")
    said = say("prepare", tmp_path / "people.csv", "-o", tmp_path / "recipe.toml")
    assert "read as missing, in every column: -9" in said
    assert "warning" not in said


def test_inspect_hands_the_types_on_to_the_commands_it_proposes(visits: Path) -> None:
    assert say("inspect", visits, "--types", "seen=nominal").count("--types=seen=nominal ") == 2


def test_a_drafted_recipe_keeps_the_types_that_were_given(visits: Path, tmp_path: Path) -> None:
    order = ["m", "f"]
    recipe = la.prepare(visits, types={"seen": "nominal", "sex": order})
    assert recipe.columns["seen"].type == "nominal"
    assert recipe.columns["sex"].type == order
    assert "types" not in recipe.source
    recipe.save(visits.parent / "recipe.toml")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        la.run(visits.parent / "recipe.toml")
    assert not any(ADVICE in str(one.message) for one in told)


def test_a_recipe_is_run_with_the_types_it_says_and_no_others(visits: Path, tmp_path: Path) -> None:
    la.prepare(visits, types={"seen": "nominal"}).save(visits.parent / "recipe.toml")
    refused = say(
        "run", visits.parent / "recipe.toml", "--types", "seen=date", "-o", tmp_path / "out", code=2
    )
    assert "edit it" in refused
