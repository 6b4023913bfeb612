"""`lookalike risk`: numbers, words and a picture for people, JSON for machines, exit codes for pipelines."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app

run = CliRunner().invoke


@pytest.fixture
def people(tmp_path: Path) -> str:
    frame = pl.DataFrame(
        {
            "age": [30, 30, 30, 41, 41, 50],
            "sex": ["f", "f", "f", "m", "m", "f"],
            "disease": ["flu", "flu", "cold", "flu", "flu", "zzyzx"],
            "who": [1, 2, 3, 4, 5, 5],
            "note": ["x"] * 6,
        }
    )
    frame.write_csv(tmp_path / "people.csv")
    return str(tmp_path / "people.csv")


def test_json_is_what_the_library_says(people: str) -> None:
    result = run(app, ["risk", people, "--quasi", "age,sex", "--sensitive", "disease", "--json"])
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    keys = ("records", "classes", "k_min", "k_mean", "uniques", "max", "average")
    assert [told[key] for key in keys] == [6, 3, 1, 2, 1, 1, 0.5]
    library = la.risk(la.read(people, quasi=["age", "sex"], sensitive=["disease"], others=[])).to_dict()
    assert {key: told[key] for key in library} == json.loads(json.dumps(library))
    assert told["special"]["sets"] == [{"columns": ["age"], "people": 1}]


def test_the_report_says_it_in_words_and_shows_no_cell(people: str) -> None:
    result = run(app, ["risk", people, "-q", "age,sex", "-s", "disease", "--regime", "cms"])
    assert result.exit_code == 0
    for words in ("k = 1", "look like nobody else", "US CMS", "prosecutor", "Not looked at: who, note"):
        assert words in result.output
    assert "zzyzx" not in result.output


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("k=1", 0),
        ("k=2", 1),
        ("average=0.5,k=1", 0),
        ("average=0.49", 1),
        ("l=1,t=1", 0),
        ("l=2", 1),
        ("uniques=0", 1),
    ],
)
def test_a_gate_decides_the_exit_code_and_says_which_was_missed(people: str, gate: str, code: int) -> None:
    request = ["risk", people, "-q", "age,sex", "-s", "disease", "--require", gate]
    result = run(app, request)
    assert result.exit_code == code
    assert ("missed" in result.output) == bool(code)
    told = json.loads(run(app, [*request, "--json"]).stdout)
    assert told["ok"] == (code == 0)
    assert {check["name"] for check in told["required"] if not check["met"]} == (
        {gate.split("=")[0]} if code else set()
    )


def test_people_populations_and_wildcards_can_be_named(people: str, tmp_path: Path) -> None:
    told = json.loads(run(app, ["risk", people, "-q", "sex", "--unit", "who", "--json"]).stdout)
    assert (told["people"], told["k_min"]) == (5, 2)
    everyone = pl.concat([pl.read_csv(people)] * 3)
    everyone.write_csv(tmp_path / "everyone.csv")
    request = ["risk", people, "-q", "age,sex", "--population", str(tmp_path / "everyone.csv")]
    told = json.loads(run(app, [*request, "--json"]).stdout)
    assert told["journalist"]["max"] == pytest.approx(1 / 3)
    assert "by a population table" in " ".join(run(app, request).output.split())
    Path(tmp_path, "stars.csv").write_text("age;sex\n30;f\n*;f\n30;*\n")
    request = ["risk", str(tmp_path / "stars.csv"), "-q", "age,sex", "--json"]
    assert json.loads(run(app, request).stdout)["k_min"] == 1
    assert json.loads(run(app, [*request, "--missing", "wildcard", "--delimiter", ";"]).stdout)["k_min"] == 3


@pytest.mark.parametrize(
    "wrong",
    [
        ["--quasi", "nobody"],
        ["--quasi", "age", "--require", "k"],
        ["--quasi", "age", "--require", "beauty=3"],
        ["--quasi", "age", "--require", "l=3"],
        ["--quasi", "age", "--require", "journalist=0.1"],
        ["--quasi", "age", "--regime", "astrology"],
        ["--quasi", "age", "--missing", "drop"],
        ["--quasi", "age", "--types", "age"],
        [],
    ],
    ids=str,
)
def test_a_wrong_request_exits_with_2(people: str, wrong: list[str]) -> None:
    result = run(app, ["risk", people, *wrong])
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_one_person_is_not_called_people(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age\n30\n")
    shown = " ".join(run(app, ["risk", str(path), "--quasi", "age"]).stdout.split())
    assert "1 person is told apart by age." in shown
    assert "of up to 1 column)" in shown


def test_every_number_counts_people_where_a_unit_tells_them_apart(tmp_path: Path) -> None:
    lines = ["id,age", *(f"p{i // 4},{30 + i // 8}" for i in range(40)), "q,99"]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    said = run(app, ["risk", str(tmp_path / "people.csv"), "--quasi", "age", "--unit", "id"]).output
    assert "11 people in 41 records" in said
    assert "9.1%" in said  # one of eleven people is alone; of the records it would be 2.4 %
    assert "90.9%" in said
    assert "2.4%" not in said
