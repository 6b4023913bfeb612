"""`lookalike demo`: says what it found and where it is, leaves whole files, gives machines JSON."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app

run = CliRunner().invoke


def test_the_demo_says_where_the_result_is(tmp_path: Path) -> None:
    result = run(app, ["demo", "--rows", "2000", "-o", str(tmp_path / "out")])
    assert result.exit_code == 0
    assert "2,000 people who do not exist" in result.output
    assert "people.csv" in result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "people.csv",
        "release",
        "report.html",
        "risk.json",
    ]
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").count("<svg") >= 5


def test_the_saved_people_are_the_population(tmp_path: Path) -> None:
    run(app, ["demo", "--rows", "500", "--seed", "4", "-o", str(tmp_path)])
    people = pl.read_csv(tmp_path / "people.csv", try_parse_dates=True)
    assert people.equals(la.datasets.population(500, seed=4))


def test_json_has_a_risk_summary_per_step(tmp_path: Path) -> None:
    result = run(app, ["demo", "--rows", "3000", "--json", "-o", str(tmp_path)])
    summary = json.loads(result.stdout)
    assert [step["records"] for step in summary["steps"]] == [3000] * 7
    names = ("records", "classes", "k_min", "k_mean", "uniques", "max", "average")
    assert {name: summary["risk"][name] for name in names} == pytest.approx(
        {name: summary["steps"][0][name] for name in names}
    )
    assert json.loads((tmp_path / "risk.json").read_text())["steps"] == summary["steps"]


def test_the_first_and_last_step_agree_with_a_plain_group_by(tmp_path: Path) -> None:
    result = run(app, ["demo", "--rows", "3000", "--json", "-o", str(tmp_path)])
    summary = json.loads(result.stdout)
    people = la.datasets.population(3000, seed=0)
    for step in (0, -1):
        if step:
            for column, groups in la.datasets.population_groupings().items():
                group_of = {value: group for group, values in groups.items() for value in values}
                people = people.with_columns(pl.col(column).replace_strict(group_of, return_dtype=pl.String))
        sizes = people.group_by(summary["risk"]["quasi"]).len()["len"]
        assert summary["steps"][step]["classes"] == len(sizes)
        assert summary["steps"][step]["uniques"] == (sizes == 1).sum()
        assert summary["steps"][step]["average"] == pytest.approx(len(sizes) / 3000)


def test_blurring_never_makes_anyone_easier_to_find(tmp_path: Path) -> None:
    result = run(app, ["demo", "--rows", "3000", "--json", "-o", str(tmp_path)])
    averages = [step["average"] for step in json.loads(result.stdout)["steps"]]
    assert averages == sorted(averages, reverse=True)


def test_the_demos_release_keeps_its_promise_and_verifies(tmp_path: Path) -> None:
    result = run(app, ["demo", "--rows", "100", "--json", "-o", str(tmp_path)])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["verified"] is True
    assert found["release"]["k"] >= 10
    assert la.verify(tmp_path / "release/release.csv", tmp_path / "release/certificate.json").ok


def test_a_folder_that_cannot_be_written_is_a_wrong_request(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    result = run(app, ["demo", "--rows", "100", "-o", str(tmp_path / "taken")])
    assert result.exit_code == 2
    assert "cannot write the results here" in result.stderr
    assert (tmp_path / "taken").read_text() == "a file"


def test_the_commands_the_demo_ends_with_work_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    said = run(app, ["demo", "--rows", "300", "-o", "out"]).output
    commands = [
        line.partition("lookalike ")[2].split() for line in said.splitlines() if "   lookalike " in line
    ]
    assert [command[0] for command in commands] == ["verify", "run", "serve"]
    for command in commands[:2]:
        done = run(app, command)
        assert done.exit_code == 0, done.output
    assert (tmp_path / commands[1][-1] / "certificate.json").is_file()
