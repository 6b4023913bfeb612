"""`lookalike attack`: a table to read, JSON for machines, exit code 1 beyond the promise."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from attacks.releases import crowd
from lookalike.cli import app

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
    assert "not tried: composition (a second release is needed)" in found.output


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
