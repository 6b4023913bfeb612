"""Where the papers' data sets are looked for, and what is said of those that are missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lookalike.base.errors import FileError
from lookalike.cli import app
from lookalike.papers.cfk.studies import STUDIES
from lookalike.papers.data import DATA_SETS, data_folder, missing
from lookalike.papers.qid.printed import TABLE_5

run = CliRunner().invoke


def test_a_folder_given_goes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("given", "named"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("LOOKALIKE_DATA", str(tmp_path / "named"))
    assert data_folder() == tmp_path / "named"
    assert data_folder(tmp_path / "given") == tmp_path / "given"


def test_no_folder_at_all_is_none_and_a_wrong_one_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOOKALIKE_DATA", raising=False)
    assert data_folder() is None
    with pytest.raises(FileError, match="--data names a folder that is not there"):
        data_folder(tmp_path / "nowhere")
    monkeypatch.setenv("LOOKALIKE_DATA", "nowhere")
    with pytest.raises(FileError, match="LOOKALIKE_DATA names a folder that is not there"):
        data_folder()


def test_the_command_says_what_is_missing_and_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "car").mkdir()
    (tmp_path / "car" / "car.csv").write_text("buying,maint,doors,persons,lug_boot,safety,eval\n")
    (tmp_path / "cmc").mkdir()
    (tmp_path / "cmc" / "cmc.csv").write_text("age\n")
    done = run(app, ["paper", "data", "--data", str(tmp_path), "--json"])
    assert done.exit_code == 0, done.output
    sets = {one["name"]: one for one in json.loads(done.stdout)["sets"]}
    assert [name for name, one in sets.items() if one["usable"]] == ["car"]
    assert "lacks the columns" in sets["cmc"]["problem"]
    assert all(one["source"] and one["layout"] and one["papers"] for one in sets.values())
    shown = run(app, ["paper", "data", "--data", str(tmp_path)]).stdout
    assert "1 of 10 can be used" in shown


def test_every_set_that_a_paper_reads_is_in_the_catalogue() -> None:
    assert {study.set for study in STUDIES.values()} <= set(DATA_SETS)
    assert set(TABLE_5) <= set(DATA_SETS)
    assert all(f"{study.set}/{study.set}.csv" == study.file for study in STUDIES.values())


def test_a_line_for_every_set_that_is_missing(tmp_path: Path) -> None:
    lines = missing("Table 9", "", ["car", "cmc"], tmp_path)
    assert [line.what for line in lines] == ["car", "cmc"]
    assert all("lookalike paper data" in line.remark for line in lines)


def test_the_public_sets_have_the_columns_and_rows_we_say(shared_data: Path) -> None:
    for one in DATA_SETS.values():
        assert one.problem(shared_data) == ""
        with one.file(shared_data).open(encoding="utf-8") as lines:
            assert sum(1 for line in lines if line.strip()) - 1 == one.rows
