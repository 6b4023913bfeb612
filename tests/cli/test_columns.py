"""Commands about columns and recodings: hierarchy, search, measure, deidentify, apply."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.runs.explaining import explain

ROWS = pl.DataFrame(
    {
        "age": [20 + i % 40 for i in range(200)],
        "zip": [f"{80 + i % 3}{i % 5}0" for i in range(200)],
        "poor": ["yes" if i % 7 == 0 else "no" for i in range(200)],
    }
)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    ROWS.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def call(*arguments: object) -> dict:  # type: ignore[type-arg]
    found = CliRunner().invoke(app, [str(one) for one in (*arguments, "--json")])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)  # type: ignore[no-any-return]


def say(*arguments: object, code: int = 0) -> str:
    found = CliRunner().invoke(app, [str(one) for one in arguments])
    assert found.exit_code == code, found.output
    return found.output


def test_hierarchy_shows_levels_groups_and_counts(people: Path) -> None:
    found = call("hierarchy", people, "--column", "age", "--hierarchy", "age=intervals:10,20")
    assert found["text"] == "intervals:10,20"
    assert {one["label"]: one["records"] for one in found["levels"][1]} == {
        "[20, 30)": 50, "[30, 40)": 50, "[40, 50)": 50, "[50, 60)": 50,
    }  # fmt: skip
    assert found["levels"][-1] == [{"label": "*", "records": 200}]
    assert "level 1, 4 groups of 50 to 50 records" in say(
        "hierarchy", people, "-c", "age", "--hierarchy", "age=intervals:10,20"
    )


def test_a_written_hierarchy_can_be_used_again(people: Path, tmp_path: Path) -> None:
    written = tmp_path / "edited" / "zip.csv"
    before = call("hierarchy", people, "-c", "zip", "--hierarchy", "zip=mask", "-o", written)
    after = call("hierarchy", people, "-c", "zip", "--hierarchy", f"zip={written}")
    assert after["levels"] == before["levels"]
    assert "exists already" in say("hierarchy", people, "-c", "zip", "-o", written, code=2)


def test_anonymize_takes_hierarchies_in_words(people: Path, tmp_path: Path) -> None:
    made = call(
        "anonymize", people, "-q", "age,zip", "--others", "", "-k", "5", "--method", "levels", "--levels",
        "age=2,zip=4", "--hierarchy", "age=intervals:10,20", "--hierarchy", "zip=mask", "-o", tmp_path / "out",
    )  # fmt: skip
    assert made["k"] >= 5
    assert set(pl.read_csv(tmp_path / "out" / "release.csv")["age"]) == {"[20, 40)", "[40, 60)"}
    assert "expected column=form" in say(
        "anonymize", people, "-q", "age", "-k", "5", "--hierarchy", "age", "-o", tmp_path / "no", code=2
    )


def test_apply_recodes_new_rows_into_a_folder_that_verifies(people: Path, tmp_path: Path) -> None:
    call(
        "anonymize",
        people,
        "-q",
        "age,zip",
        "-s",
        "poor",
        "-k",
        "5",
        "--method",
        "optimal",
        "-o",
        tmp_path / "out",
    )
    ROWS.with_columns(pl.col("age") + 1).write_csv(tmp_path / "next.csv")
    found = call(
        "apply", tmp_path / "out", tmp_path / "next.csv", "-o", tmp_path / "out2", "--suppression", "0.5"
    )
    assert found["k"] >= 5
    assert found["records"] == 200
    assert say("verify", tmp_path / "out2" / "release.csv", tmp_path / "out2" / "certificate.json")
    both = call(
        "apply",
        tmp_path / "out",
        tmp_path / "next.csv",
        "--joins",
        "-o",
        tmp_path / "all",
        "--suppression",
        "1",
    )
    assert both["records"] == 400
    assert both["joined"] > 0


def test_search_and_measure_speak_of_the_same_numbers(people: Path) -> None:
    best = call("search", people, "--columns", "age,zip", "--method", "exhaustive")["best"]
    assert set(best["columns"]) <= {"age", "zip"}
    found = call("measure", people, "-q", ",".join(best["columns"]), "--metric", "distinction,separation")
    assert found["distinction"]["value"] == pytest.approx(best["distinction"])
    assert found["separation"]["value"] == pytest.approx(best["separation"])
    assert call("search", people, "--columns", "age,zip", "--minimal", "0.5")["sets"]
    assert "lookalike risk" in say("search", people, "--columns", "age,zip")
    assert "not measured" in say("measure", people, "-q", "age,zip")


def test_deidentify_shows_each_step_and_saves(people: Path, tmp_path: Path) -> None:
    found = call(
        "deidentify", people, "-q", "age,zip", "--levels", "age=2,zip=4", "-k", "5", "--negative", "poor=yes",
        "--hierarchy", "age=intervals:10,20", "--hierarchy", "zip=mask", "-o", tmp_path / "out",
    )  # fmt: skip
    assert [step["classes"] for step in found["steps"]][-1] == 2
    assert found["costs"][-1]["k"] == 5
    assert (tmp_path / "out" / "release.csv").is_file()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["choose-k"], "--questions questions.toml"),
        (["deidentify", "-k", "5"], "--levels age=2,zip=1"),
        (["deidentify", "--levels", "age=1"], "-k 5"),
    ],
)
def test_what_is_missing_is_asked_for_in_words(people: Path, typed: list[str], said: str) -> None:
    told = say(typed[0], people, "-q", "age,zip", *typed[1:], code=2)
    assert told.startswith("error: say ")
    assert said in told


def test_a_recipe_remembers_how_its_file_is_read_and_what_a_dictionary_says(tmp_path: Path) -> None:
    lines = ["|".join(map(str, row)) for row in ROWS.with_columns(pl.lit("k.A.").alias("wkz")).iter_rows()]
    (tmp_path / "people.txt").write_text("\n".join(lines), encoding="latin-1")
    (tmp_path / "ours.toml").write_text(
        'title = "ours"\n[mnemonics]\npostcode = "COLUMN_2"\nbirth_year = "COLUMN_1"\n'
    )
    typed = ["--no-header", "--delimiter", "|", "--encoding", "latin-1", "--na", "?,k.A."]
    for command in ("inspect", "prepare"):
        recipe = tmp_path / f"{command}.toml"
        option = "--recipe" if command == "inspect" else "-o"
        say(command, tmp_path / "people.txt", *typed, "--dictionary", tmp_path / "ours.toml", option, recipe)
        read = la.Recipe.load(recipe)
        assert dict(read.source) == {
            "file": "people.txt", "header": False, "delimiter": "|", "encoding": "latin-1", "na": ["?", "k.A."],
        }  # fmt: skip
        assert read.columns["column_2"].role == "quasi"
        assert "ours" in recipe.read_text(encoding="utf-8")
    out = tmp_path / "out"
    say("run", tmp_path / "people.txt", *typed, "--dictionary", tmp_path / "ours.toml", "--yes", "-o", out)
    assert "column_2" in (out / "release.csv").read_text()
    assert "edit it" in say(
        "run", tmp_path / "prepare.toml", "--delimiter", ";", "-o", tmp_path / "o", code=2
    )


def test_a_title_above_the_names_can_be_passed_over_and_the_recipe_says_so(
    people: Path, tmp_path: Path
) -> None:
    titled = tmp_path / "titled.csv"
    titled.write_text(f"Extract of May,,\n{people.read_text()}")
    refused = say("inspect", titled, code=2)
    assert "--skip-rows" in refused
    assert "--no-header" not in refused
    assert say("inspect", titled, "--skip-rows", 1).count(" --skip-rows=1 ") == 2
    say("run", titled, "--skip-rows", 1, "--yes", "-o", tmp_path / "out")
    say("run", people, "--yes", "-o", tmp_path / "same")
    assert (tmp_path / "out/release.csv").read_bytes() == (tmp_path / "same/release.csv").read_bytes()
    assert la.Recipe.load(tmp_path / "out/private/recipe.toml", anywhere=True).source["skip_rows"] == 1
    assert "--skip-rows=1" in say("attack", titled, tmp_path / "out", "--only", "linkage")
    assert "--skip-rows does not go with" in say(
        "inspect", people, "--skip-rows", 1, "--engine", "streaming", code=2
    )


def test_inspect_counts_people_where_they_have_several_rows(tmp_path: Path) -> None:
    """What it proposes next keeps k by person."""
    visits = pl.DataFrame(
        {
            "patient_id": [f"P{1000 + i // 3}" for i in range(360)],
            "age": [20 + i // 3 % 40 for i in range(360)],
            "sex": ["f" if i // 3 % 2 else "m" for i in range(360)],
            "diagnosis": [["flu", "asthma", "gout"][i % 3] for i in range(360)],
        }
    )
    visits.write_csv(tmp_path / "visits.csv")
    assert la.inspect(visits).unit() == "patient_id"
    said = " ".join(say("inspect", tmp_path / "visits.csv").split())
    assert "People have several rows: patient_id tells them apart." in said
    assert said.count("--unit patient_id") == 2
    assert la.inspect(visits[::3]).unit() is None
    visits[::3].write_csv(tmp_path / "people.csv")
    assert "--unit" not in say("inspect", tmp_path / "people.csv")


def test_inspect_reads_in_its_next_commands_what_can_only_be_missing_as_missing(tmp_path: Path) -> None:
    """A word among dates made words of all of them, and `anonymize` as proposed masked the days."""
    seen = [f"{1 + i % 28:02}.{1 + i % 12:02}.{2000 + i % 9}" if i % 10 else "unbekannt" for i in range(300)]
    people = pl.DataFrame({"age": [20 + i % 40 for i in range(300)], "first seen": seen})
    people.write_csv(tmp_path / "people.csv")
    said = " ".join(say("inspect", tmp_path / "people.csv").split())
    assert "the next commands read them so: unbekannt (in first seen)" in said
    assert said.count("--na='?,unbekannt'") == 2
    people.with_columns(colour=pl.Series(["red", "blue", "unknown"] * 100)).write_csv(tmp_path / "asked.csv")
    asked = " ".join(say("inspect", tmp_path / "asked.csv").split())
    assert "the next commands read them so: unbekannt (in first seen)" in asked
    assert (
        "Do these stand for missing: unknown (in colour)? That is not sure, so the next commands leave"
        in asked
    )
    assert "if they do, write --na='?,unbekannt,unknown' there" in asked
    assert asked.count("--na='?,unbekannt' ") == 2


def test_inspect_asks_once_about_a_code_that_several_columns_share(tmp_path: Path) -> None:
    rows = {"age": [20 + i % 40 for i in range(300)], "xa": ["yes", "abs", "no"] * 100}
    rows |= {f"x{i}": [str(j % 7) if j % 9 else "abs" for j in range(300)] for i in range(8)}
    pl.DataFrame(rows, strict=False).write_csv(tmp_path / "people.csv")
    said = " ".join(say("inspect", tmp_path / "people.csv").split())
    assert said.count("'abs'") == 1
    assert "Is 'abs' missing in x0, x1, x2, x3, x4, x5, …? The next commands leave it as a value" in said
    assert "since it is one of xa. If it says nothing there either, write --na='?,abs'" in said


def test_run_says_which_sensitive_columns_nothing_is_promised_about(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {
            "age": [20 + i % 40 for i in range(400)],
            "sex": ["f", "m"] * 200,
            "diagnosis": [["flu", "asthma", "gout"][i % 3] for i in range(400)],
            "hiv positive": ["no"] * 398 + ["yes"] * 2,
        }
    )
    rows.write_csv(tmp_path / "people.csv")
    lines = explain(la.prepare(tmp_path / "people.csv")).splitlines()
    assert "protected (sensitive): diagnosis" in lines
    (bare,) = [line for line in lines if line.startswith("sensitive, but nothing is promised")]
    assert bare.endswith(": hiv positive")
