"""What a draft decides where nobody is asked: it errs on the side of leaving out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.runs.explaining import explain

N = 600
DRAW = np.random.default_rng(9)
HOME = np.sort(DRAW.integers(0, N // 2, N))  # households of about two
PEOPLE = {"age": DRAW.integers(3, 90, N), "sex": DRAW.choice(["f", "m"], N)}


def test_keys_and_contacts_of_households_are_left_out() -> None:
    kept = {"qrz": DRAW.choice(["u", "v", "w"], N)}
    contact = [f"0171/{2_000_000 + 37 * h}" if h % 3 else f"someone{h}@web.org" for h in HOME]
    frame = pl.DataFrame(
        {
            **PEOPLE,
            **kept,
            "lat": 47 + HOME / 1000,
            "kzx": [f"F{7 * h + 10_000}" for h in HOME],
            "qx": contact,
        }
    )
    recipe = la.prepare(frame)
    assert recipe.columns["qx"].role is la.Role.IDENTIFIER
    assert recipe.columns["kzx"].drop
    assert not recipe.columns["qrz"].drop
    nobody = la.prepare(
        frame.select("kzx", "qrz")
    )  # nothing is known to outsiders: all else is taken for known
    assert nobody.columns["kzx"].drop
    assert nobody.columns["qrz"].role is la.Role.QUASI


def test_sensitive_texts_that_find_nearly_everybody_are_left_out_and_warned_about() -> None:
    frame = pl.DataFrame(
        {
            **PEOPLE,
            "mutation": [f"c.{17 * i}A>T" for i in range(N)],
            "diagnosis": DRAW.choice(["asthma", "flu", "gout"], N),
            "income": DRAW.normal(2_000, 500, N),
        }
    )
    drafted = la.prepare(frame).columns
    assert drafted["mutation"].role is la.Role.SENSITIVE
    assert drafted["mutation"].drop
    assert "100.0% of the records are alone with their value: left out" in drafted["mutation"].reason
    assert not drafted["diagnosis"].drop
    assert drafted["income"].round == 20
    people = la.table(frame, quasi=["age", "sex"], sensitive=["mutation", "diagnosis", "income"])
    with pytest.warns(la.LookalikeWarning, match="a value of its own in: mutation. Published as it is"):
        la.anonymize(people, la.KAnonymity(5))


def test_alone_is_who_has_a_value_that_no_other_person_has() -> None:
    visit = np.repeat(np.arange(N // 3), 3)
    frame = pl.DataFrame(
        {
            "patient_id": [f"P{i:04d}" for i in visit],
            "age": PEOPLE["age"][visit],
            "mutation": [f"c.{17 * i}A>T" for i in visit],
        }
    )
    drafted = la.prepare(frame).columns["mutation"]
    assert drafted.drop
    assert "100.0% of the records have a value that no other person has" in drafted.reason


@pytest.mark.parametrize(("rows", "k"), [(12, 5), (420, 5), (4_999, 5), (5_000, 11), (4, 3)])
def test_the_smallest_group_is_one_that_offices_use_and_the_draft_says_why(rows: int, k: int) -> None:
    frame = pl.DataFrame({"age": DRAW.integers(3, 90, rows), "sex": DRAW.choice(["f", "m"], rows)})
    recipe = la.prepare(frame)
    assert recipe.promises[0] == la.KAnonymity(k)
    size = "smaller" if k == 5 else "larger"
    reason = "there are fewer than 5 rows" if rows < 5 else f"the {size} of the two sizes that offices use"
    why = f"Groups of {k}: {reason}"
    assert why in explain(recipe)
    assert f"# {why}" in recipe.to_toml()


def test_what_is_left_out_is_not_called_an_identifier(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "name": [f"Anna {i}" for i in range(N)],
            **PEOPLE,
            "birth_year": 2024 - PEOPLE["age"],
            "mutation": [f"c.{17 * i}A>T" for i in range(N)],
        }
    )
    frame.write_csv(tmp_path / "people.csv")
    recipe = la.prepare(tmp_path / "people.csv")
    assert recipe.columns["birth_year"].drop or recipe.columns["age"].drop
    la.run(recipe, output=tmp_path / "out")
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    roles = {name: column["role"] for name, column in certificate["columns"].items()}
    assert roles["name"] == "identifier"
    assert roles["mutation"] == "left out"
    assert sorted([roles["age"], roles["birth_year"]]) == ["left out", "quasi"]
    assert la.verify(tmp_path / "out" / "release.csv", tmp_path / "out" / "certificate.json").ok
    again = la.run(
        la.Recipe.load(tmp_path / "out" / "private" / "recipe.toml", anywhere=True), source=frame
    ).release
    assert again.rows.equals(pl.read_csv(tmp_path / "out" / "release.csv", infer_schema=False))


@pytest.mark.parametrize("engine", [[], ["--engine", "streaming"]], ids=["in memory", "streaming"])
def test_dropped_columns_are_left_out_in_the_shell_too(tmp_path: Path, engine: list[str]) -> None:
    pl.DataFrame({**PEOPLE, "town": ["Graz"] * N, "note": [f"n{i % 9}" for i in range(N)]}).write_csv(
        tmp_path / "people.csv"
    )
    asked = [
        "--quasi",
        "age,sex",
        "--identifiers",
        "town",
        "--drop",
        "note",
        "-k",
        "3",
        "-o",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(app, ["anonymize", str(tmp_path / "people.csv"), *asked, *engine])
    assert done.exit_code == 0, done.output
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    roles = {name: column["role"] for name, column in certificate["columns"].items()}
    assert roles == {"age": "quasi", "sex": "quasi", "town": "identifier", "note": "left out"}
