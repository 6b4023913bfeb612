"""`lookalike attack`: a table to read, JSON for machines, exit code 1 beyond the promise."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from measures.attacks.releases import crowd

run = CliRunner()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    crowd(400).head(200).drop("name").write_csv(tmp_path / "people.csv")
    made = run.invoke(
        app,
        [
            *("anonymize", str(tmp_path / "people.csv"), "--quasi", "age,town,sex", "--sensitive", "illness"),
            *("-k", "5", "--method", "local", "-o", str(tmp_path / "out")),
        ],
    )
    assert made.exit_code == 0, made.output
    return tmp_path / "out"


def test_the_table_shows_rates_beside_baselines(out: Path) -> None:
    found = run.invoke(app, ["attack", str(out.parent / "people.csv"), str(out)])
    assert found.exit_code == 0, found.output
    assert "prosecutor linkage" in found.output
    assert "95 % interval" in found.output
    assert "not tried: composition, subtraction (a second release is needed)" in found.output


def test_json_has_the_promised_keys(out: Path) -> None:
    found = run.invoke(
        app, ["attack", str(out.parent / "people.csv"), str(out), "--json", "--only", "linkage,homogeneity"]
    )
    assert found.exit_code == 0, found.output
    written = json.loads(found.stdout)
    assert {"name", "rate", "low", "high", "baseline"} <= set(written["attacks"][0])
    assert {one["name"] for one in written["attacks"]} == {
        "prosecutor linkage",
        "marketer linkage",
        "homogeneity",
        "background knowledge",
    }


def test_a_second_release_and_a_population_are_read(out: Path) -> None:
    crowd(400).drop("name").write_csv(out.parent / "register.csv")
    found = run.invoke(
        app,
        [
            *("attack", str(out.parent / "people.csv"), str(out), "--second", str(out), "--json"),
            *("--population", str(out.parent / "register.csv"), "--only", "linkage,composition"),
        ],
    )
    assert found.exit_code == 0, found.output
    names = {one["name"] for one in json.loads(found.stdout)["attacks"]}
    assert {"journalist linkage", "composition"} <= names


def test_beyond_the_promise_the_exit_code_is_1(tmp_path: Path) -> None:
    frame = crowd(60, towns=2)
    hashes = pl.Series([hashlib.sha256(n.encode()).hexdigest() for n in frame["name"]])
    frame = frame.with_columns(code=hashes)
    frame.write_csv(tmp_path / "people.csv")
    people = la.read(
        tmp_path / "people.csv",
        identifiers=["name"],
        quasi=["age", "town", "sex"],
        sensitive=["illness", "code"],
    )
    la.anonymize(people, la.KAnonymity(5)).save(tmp_path / "out")
    found = run.invoke(
        app, ["attack", str(tmp_path / "people.csv"), str(tmp_path / "out"), "--identifiers", "name"]
    )
    assert found.exit_code == 1
    assert "pseudonym recomputation of code: Beyond the promise" in found.output


def test_a_folder_without_its_private_part_is_refused(out: Path) -> None:
    (out / "private" / "recoding.json").unlink()
    found = run.invoke(app, ["attack", str(out.parent / "people.csv"), str(out)])
    assert found.exit_code == 2
    assert "private/recoding.json" in found.output


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """A release by a recipe: latin-1, semicolons, -99 for missing, three rows per person."""
    rows = pl.concat([crowd(120, missing=0.1)] * 3).sort("name").with_columns(pl.col("age").fill_null(-99))
    rows = rows.with_columns(town=pl.concat_str(pl.lit("Köln "), "town"))
    (tmp_path / "visits.csv").write_bytes(rows.write_csv(separator=";").encode("latin-1"))
    recipe = """
        format = 1
        [source]
        file = "visits.csv"
        encoding = "latin-1"
        na = ["-99"]
        unit = "name"
        [columns]
        name = {role = "identifier"}
        age = {role = "quasi"}
        town = {role = "quasi"}
        sex = {role = "quasi"}
        illness = {role = "sensitive", drop = true}
        [[promise]]
        model = "k-anonymity"
        k = 5
        [method]
        name = "local"
    """
    (tmp_path / "recipe.toml").write_text(recipe, encoding="utf-8")
    made = run.invoke(app, ["run", str(tmp_path / "recipe.toml"), "-o", str(tmp_path / "out")])
    assert made.exit_code == 0, made.output
    return tmp_path


def test_the_table_is_read_as_the_release_says_unless_something_else_is_typed(visits: Path) -> None:
    command = ["attack", str(visits / "visits.csv"), str(visits / "out"), "--only", "linkage"]
    told = run.invoke(app, [*command, "--json"])
    assert told.exit_code == 0, told.output
    assert "--na=-99 --unit=name --encoding=latin-1" in told.stderr
    typed = run.invoke(app, [*command, "--json", "--na=-99", "--unit=name", "--encoding=latin-1"])
    assert "read as the release was" not in typed.stderr
    assert typed.stdout == told.stdout
    worst = json.loads(told.stdout)["attacks"][0]["worst"]
    assert worst <= 1 / 5  # of people; three records each
    other = run.invoke(app, [*command, "--na=?"])
    assert other.exit_code == 2
    assert "do not give this release again" in other.stderr
    used = run.invoke(app, ["evaluate", str(visits / "visits.csv"), str(visits / "out")])
    assert "--na=-99" in used.stderr


def test_a_frame_is_read_as_the_folder_says(visits: Path) -> None:
    rows = pl.read_csv(visits / "visits.csv", separator=";", encoding="latin-1")
    found = la.attack(rows, visits / "out", only=["linkage"])
    assert found["prosecutor linkage"].worst <= 1 / 5
    roles = {"quasi": ["age", "town", "sex"], "others": []}
    with pytest.raises(la.RequestError, match="the release counts people"):
        la.attack(la.table(rows, na=["-99"], **roles), visits / "out", only=["linkage"])


def test_new_rows_are_read_as_the_release_says(visits: Path) -> None:
    command = ["apply", str(visits / "out"), str(visits / "visits.csv"), "-o"]
    made = run.invoke(app, [*command, str(visits / "next")])
    assert made.exit_code == 0, made.output
    assert "--encoding=latin-1" in made.stderr
    rows = la.read_release(visits / "next").height
    other = run.invoke(app, [*command, str(visits / "other"), "--na=?", "--suppression=1"])
    assert other.exit_code == 0, other.output
    assert la.read_release(visits / "other").height < rows  # -99 is an age that no rule covers
