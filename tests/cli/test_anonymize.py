"""`lookalike anonymize`, `verify` and `key` as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from lookalike.cli import app

run = CliRunner().invoke


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(40)],
            "age": [20 + i % 8 for i in range(40)],
            "sex": ["f", "m"] * 20,
            "zip": [f"90{i % 4}1" for i in range(40)],
            "disease": ["flu", "ulcer", "cancer", "flu"] * 10,
        }
    ).write_csv(path)
    return path


def _args(people: Path, *more: str) -> list[str]:
    return [
        "anonymize", str(people), "--quasi", "age,sex,zip", "--sensitive", "disease", "--identifiers", "name",
        "-o", str(people.parent / "out"), *more,
    ]  # fmt: skip


def test_a_file_becomes_a_folder_that_verifies(people: Path) -> None:
    done = run(app, _args(people, "-k", "5", "-l", "disease=2"))
    assert done.exit_code == 0, done.output
    assert "the smallest has" in done.output
    out = people.parent / "out"
    assert sorted(p.name for p in out.iterdir()) == [
        "certificate.json",
        "csv-metadata.json",
        "datapackage.json",
        "dictionary.md",
        "private",
        "release.csv",
        "report.html",
    ]
    checked = run(app, ["verify", str(out / "release.csv"), str(out / "certificate.json")])
    assert checked.exit_code == 0
    assert "Everything holds" in checked.output
    folder = run(app, ["verify", str(out), str(out / "certificate.json")])
    assert folder.exit_code == 2
    assert "is a folder" in folder.stderr


def test_json_has_the_promised_keys(people: Path) -> None:
    done = run(app, _args(people, "-k", "5", "--json"))
    found = json.loads(done.stdout)
    keys = {
        "records",
        "suppressed",
        "classes",
        "k",
        "loss",
        "ncp",
        "method",
        "levels",
        "proven_optimal",
        "seconds",
    }
    assert keys <= set(found)
    assert found["k"] >= 5
    out = people.parent / "out"
    checked = run(app, ["verify", str(out / "release.csv"), str(out / "certificate.json"), "--json"])
    assert json.loads(checked.stdout)["ok"] is True


@pytest.mark.parametrize(
    "more",
    [
        ["--method", "local", "--publish", "hierarchy", "-k", "3"],
        ["--method", "mondrian", "--relaxed", "-k", "3"],
        ["--method", "sangreea", "-k", "3"],
        ["--method", "datafly", "-k", "3"],
        [
            "--method",
            "semantic",
            "--semantic-threshold",
            "0.5",
            "--scale",
            "age=nominal",
            "--suppression",
            "1",
        ],
        ["--loss", "ncp", "-k", "3", "--weights", "age=2,zip=1"],
    ],
)
def test_every_method_runs_from_the_command_line(people: Path, more: list[str]) -> None:
    done = run(app, _args(people, *more))
    assert done.exit_code == 0, done.output
    out = people.parent / "out"
    assert run(app, ["verify", str(out / "release.csv"), str(out / "certificate.json")]).exit_code == 0


def test_a_tampered_release_fails_with_exit_code_1(people: Path) -> None:
    run(app, _args(people, "-k", "5"))
    out = people.parent / "out"
    lines = (out / "release.csv").read_text().splitlines()
    (out / "release.csv").write_text("\n".join(lines[:-1]) + "\n")
    checked = run(app, ["verify", str(out / "release.csv"), str(out / "certificate.json")])
    assert checked.exit_code == 1
    assert "FAILS" in checked.output


def test_an_impossible_promise_is_exit_code_1_and_writes_nothing(people: Path) -> None:
    done = run(app, _args(people, "-k", "41"))
    assert done.exit_code == 1
    assert "largest reachable k is 40" in done.stderr
    assert not (people.parent / "out").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "say what to promise"),
        (["-k", "3", "--weights", "age=x"], "--weights"),
        (["-k", "3", "--method", "magic"], "no method"),
        (["-l", "zip=2"], "not sensitive"),
        (["-k", "3", "--types", "age"], "--types"),
        (["-k", "3", "--hierarchies", "nowhere"], "no such folder"),
        (["-k", "3", "--key", "key"], "--key is for pseudonyms"),
        (["-k", "3", "--method", "levels"], "--levels age=2,zip=1"),
        (["-k", "3", "--levels", "age=2"], "--levels goes with --method levels, not with auto"),
        (["-k", "3", "--relaxed"], "--relaxed goes with --method mondrian, not with auto"),
        (["-k", "3", "--method", "optimal", "--publish", "sets"], "--publish goes with --method local"),
        (["-k", "3", "--method", "levels", "--levels", "age=1.5"], "whole number"),
        (["-k", "3", "--method", "levels", "--levels", "age=99"], "has levels 0 to"),
        (["-t", "disease=0.4:near"], ":ordered, :equal, :hierarchical"),
        (["-k", "3", "--drop", "nmae"], "drop: there is no column 'nmae'. Did you mean 'name'?"),
        (["-k", "3", "--drop", "zip", "--identifiers", "nmae"], "identifiers: there is no column 'nmae'"),
        (["-k", "3", "--method", "levels", "--levels", "agge=1"], "levels: there is no column 'agge'"),
    ],
)
def test_wrong_requests_are_exit_code_2(people: Path, more: list[str], message: str) -> None:
    done = run(app, _args(people, *more))
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (people.parent / "out").exists()


def test_a_linked_column_is_refused_until_told_what_to_do(people: Path) -> None:
    linked = pl.read_csv(people).with_columns(area=pl.col("zip") * 2 - 7)
    linked.write_csv(people)
    args = ("-k", "20", "--others", "")
    refused = run(app, _args(people, *args))
    assert refused.exit_code == 1
    assert "area is one to one with zip" in refused.output
    assert "Say in --linked what to do" in refused.output
    assert not (people.parent / "out").exists()
    told = run(app, _args(people, *args, "--linked", "area=follow"))
    assert told.exit_code == 0, told.output
    assert "blurred as" in told.output
    wrong = run(app, _args(people, *args, "--linked", "area", "--force"))
    assert wrong.exit_code == 2
    assert "expected column=choice" in wrong.output


def test_levels_can_be_chosen_by_hand(people: Path) -> None:
    done = run(app, _args(people, "-k", "5", "--method", "levels", "--levels", "age=2,zip=1", "--json"))
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["levels"] == {"age": 2, "sex": 0, "zip": 1}


def test_t_closeness_says_which_distance_it_took(people: Path) -> None:
    def said(promise: str) -> str:
        done = run(app, _args(people, "-k", "5", "-t", promise, "--force"))
        assert done.exit_code == 0, done.output
        return " ".join(done.stdout.split())

    by_type = said("disease=0.4")
    assert "all values are equally far apart (equal)" in by_type
    assert by_type.count("apart") == 1, "k-anonymity leaves no choice"
    assert "values are as far apart as their ranks (ordered)" in said("disease=0.4:ordered")
    hierarchies = people.parent / "hierarchies"
    hierarchies.mkdir()
    (hierarchies / "disease.csv").write_text("flu;mild;*\nulcer;grave;*\ncancer;grave;*\n")
    done = run(
        app, _args(people, "-t", "disease=0.4:hierarchical", "--force", "--hierarchies", str(hierarchies))
    )
    assert done.exit_code == 0, done.output
    assert "(hierarchical)" in done.stdout


def test_a_promise_says_that_missing_counts_as_a_value_where_some_are(tmp_path: Path) -> None:
    path, sentence = tmp_path / "people.csv", "'meals' being missing counts as a value"
    for last, said in ((",", True), (",y", False)):
        path.write_text("age,meals\n" + "30,n\n" * 9 + f"30{last}\n" + "40,n\n40,y\n" * 9)
        arguments = ["anonymize", str(path), "-q", "age", "-s", "meals", "-k", "2", "-l", "meals=2"]
        done = run(app, [*arguments, "-o", str(tmp_path / "out"), "--force"])
        assert done.exit_code == 0, done.output
        assert (sentence in " ".join(done.stdout.split())) == said


def test_the_sign_for_missing_is_explained_once_where_an_example_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    for other, explained in (("", 1), ("32", 0)):
        ages = ["30", other, "30", other, "30", "60", "61", "62", "63"]
        path.write_text("\n".join(["age,sex", *(f"{age},f" for age in ages)]))
        arguments = ["anonymize", str(path), "-q", "age,sex", "-k", "4", "-o", str(tmp_path / "out")]
        done = run(app, [*arguments, "--force"])
        assert done.exit_code == 0, done.output
        shown = " ".join(done.stdout.split())
        assert ("] | ∅" in shown) == bool(explained)
        assert shown.count("∅ stands for missing: 30 | ∅ is 30 or missing") == explained


def test_one_record_is_not_called_records(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "30,f\n" * 39 + "80,m\n")
    arguments = [
        "anonymize",
        str(path),
        "--quasi",
        "age,sex",
        "-o",
        str(tmp_path / "out"),
        "--method",
        "levels",
    ]
    done = run(app, [*arguments, "--levels", "age=0", "-k", "2"])
    assert done.exit_code == 0, done.output
    words = " ".join(done.stdout.split())
    assert (
        "39 of 40 records released in 1 class; the smallest has 39 people. 1 record left out (2.5%)." in words
    )


def test_names_in_square_brackets_are_shown_as_they_are(tmp_path: Path) -> None:
    frame = pl.DataFrame({"[red]age": [20, 20, 30, 30], "ill[/]": ["flu", "ulcer"] * 2})
    frame.write_csv(tmp_path / "people.csv")
    out = tmp_path / "out"
    roles = ["-q", "[red]age", "-s", "ill[/]", "-k", "2", "-l", "ill[/]=2", "-o", str(out)]
    done = run(app, ["anonymize", str(tmp_path / "people.csv"), *roles])
    assert done.exit_code == 0, done.output
    assert "l-diversity (ill[/]" in done.output
    assert "[red]age " in done.output
    checked = run(app, ["verify", str(out / "release.csv"), str(out / "certificate.json")])
    assert checked.exit_code == 0, checked.output
    assert "ill[/]" in checked.output


def test_a_semantic_release_says_which_risk_it_promises(people: Path) -> None:
    semantic = ["--method", "semantic", "--semantic-threshold", "0.5", "--scale", "age=nominal"]
    done = run(app, _args(people, *semantic, "--suppression", "1", "-k", "2"))
    assert "promised k-anonymity (k=2)" in done.output
    assert "promised a semantic risk of at most 0.5" in done.output


def test_an_existing_folder_is_kept_unless_forced(people: Path) -> None:
    assert run(app, _args(people, "-k", "3")).exit_code == 0
    again = run(app, _args(people, "-k", "3"))
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert run(app, _args(people, "-k", "3", "--force")).exit_code == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [(["-o", "people.csv/deep/out"], "cannot be written"), (["--format", "xml"], "csv or parquet")],
)
def test_what_cannot_be_written_is_said_before_the_work(
    people: Path, more: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(people.parent)
    people.write_text("not read at all")
    done = run(app, _args(people, "-k", "3", *more))
    assert done.exit_code == 2
    assert message in done.stderr


def test_pseudonyms_need_a_key_and_are_warned_about(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOOKALIKE_KEY", raising=False)
    assert run(app, _args(people, "-k", "3", "--pseudonym", "name")).exit_code == 2
    key = people.parent / "key"
    assert run(app, ["key", str(key)]).exit_code == 0
    done = run(app, _args(people, "-k", "3", "--pseudonym", "name", "--key", str(key)))
    assert done.exit_code == 0, done.output
    assert "pseudonym" in done.stderr
    out = people.parent / "out"
    release = pl.read_csv(out / "release.csv")
    assert release["name"].str.len_chars().unique().to_list() == [64]
    secret = key.read_text().strip()
    for path in filter(Path.is_file, out.rglob("*")):
        assert secret not in path.read_text()
    assert run(app, ["key", str(key)]).exit_code == 2
