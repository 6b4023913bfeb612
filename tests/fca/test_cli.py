"""`lookalike risk --semantic` from a file to a report, and its refusals."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from fca.known import SEX, YEARS
from lookalike.cli import app

BOUNDS = "year=intervals:1935..1955,1945..1965,1955..1975,1965..1985,1975..1995"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(
        "sex,year\n" + "".join(f"{s},{y}\n" for s, y in zip(SEX, YEARS, strict=True)), encoding="utf-8"
    )
    return str(path)


def run(*words):
    return CliRunner().invoke(app, ["risk", *words])


def test_the_report_has_both_risks_and_advice(file, tmp_path):
    picture = tmp_path / "lattice.svg"
    result = run(file, "-q", "sex,year", "--semantic", "--scale", BOUNDS, "--picture", str(picture))
    assert result.exit_code == 0, result.output
    for words in (
        "along chains",
        "Who is at risk, and why",
        "row 20: sex=M",
        "20 of 27 can stay",
        "What to do next",
    ):
        assert words in result.output
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_json_holds_the_semantic_part_beside_the_classical(file):
    result = run(
        file, "-q", "sex,year", "--semantic", "--scale", BOUNDS, "--semantic-threshold", "0.35", "--json"
    )
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["records"] == 27
    assert told["semantic"]["at_risk"] == 7
    assert told["semantic"]["safe_set"]["kept"] == 20


def test_without_the_option_nothing_semantic_is_computed(file):
    assert "semantic" not in json.loads(run(file, "-q", "sex,year", "--json").stdout)


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ("year", "expected column=scale"),
        ("year=fuzzy", "there is no scale 'fuzzy'"),
        ("age=nominal", "there is no column 'age'"),
        ("year=intervals:1950..1960", "row 2 and 17 more"),
    ],
)
def test_wrong_scales_exit_with_2_and_say_what_is_wrong(file, scale, message):
    result = run(file, "-q", "sex,year", "--scale", scale)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "1969" not in result.stderr  # the year of row 2


def test_a_scale_given_twice_is_refused(file):
    result = run(file, "-q", "sex,year", "--scale", "year=nominal", "--scale", "year=ordinal")
    assert result.exit_code == 2
    assert "given twice" in result.stderr
