"""Runs on files that are read a piece at a time: a sample proposes, everything that goes out is counted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app

run = CliRunner().invoke


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """People who came three times each, with a code that gives their district away."""
    rows = la.datasets.population(700, seed=5).select("name", "age", "gender", "area", "on_benefits")
    areas = {area: i for i, area in enumerate(sorted(rows["area"].unique().to_list()))}
    rows = rows.with_row_index("patient_id").with_columns(
        area_number=pl.col("area").replace_strict(areas, return_dtype=pl.Int64)
    )
    path = tmp_path / "visits.csv"
    pl.concat([rows] * 3).sample(fraction=1.0, shuffle=True, seed=1).write_csv(path)
    return path


def test_one_command_releases_a_file_that_is_never_in_memory(visits: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(app, ["run", str(visits), "--yes", "-o", str(out), "--engine", "streaming", "--memory", "1GB"])
    assert done.exit_code == 0, done.output
    assert "different values of 'patient_id' are counted, not rows" in " ".join(done.stdout.split())
    assert "not tried: linkage" in done.stdout
    check = la.verify(out / "release.csv", out / "certificate.json")
    assert not [one for one in check.findings if one.ok is False]
    released = pl.read_csv(out / "release.csv", infer_schema=False)
    assert not {"name", "patient_id", "area_number"} & set(released.columns)
    internal = (out / "private" / "report-internal.html").read_text("utf-8")
    assert "the rows are not in memory" in internal
    again = run(
        app, ["run", str(out / "private" / "recipe.toml"), "--anywhere", "-o", str(tmp_path / "again")]
    )
    assert again.exit_code == 0, again.output
    assert (tmp_path / "again" / "release.csv").read_bytes() == (out / "release.csv").read_bytes()


def test_people_with_several_rows_are_found_though_a_sample_hides_them(
    visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookalike.tables.table.LOOKED_AT", 60)
    recipe = la.prepare(visits, engine="streaming")
    assert recipe.source["unit"] == "patient_id"


def test_the_release_of_a_pattern_of_files_is_called_after_their_folder(
    visits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pl.read_csv(visits)
    (tmp_path / "parts").mkdir()
    for i in range(2):
        rows[1000 * i : 1000 * (i + 1)].write_csv(tmp_path / "parts" / f"{i}.csv")
    monkeypatch.chdir(tmp_path)
    done = run(app, ["run", "parts/*.csv", "--yes", "--engine", "streaming", "--json"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "parts-release" / "release.csv").is_file()


def test_next_months_files_are_recoded_a_piece_at_a_time(visits: Path, tmp_path: Path) -> None:
    recipe = la.prepare(visits, engine="streaming", memory="1GB")
    one_rule = replace(recipe, method={**recipe.method, "name": "optimal"})
    la.run(one_rule, output=tmp_path / "out")
    following = la.run(
        tmp_path / "out" / "private" / "recipe.toml",
        anywhere=True,
        following=str(visits),
        output=tmp_path / "next",
    )
    assert following.release.records == 2100
    assert (tmp_path / "next" / "release.csv").is_file()


def test_what_cannot_be_done_far_away_is_refused_before_anything_is_read(visits: Path) -> None:
    with pytest.raises(la.RequestError, match="must be one of 'streaming'"):
        la.prepare(visits, engine="sparc")
    assert la.prepare(visits, memory="1GB").source["engine"] == "streaming"
    with pytest.raises(la.RequestError, match="`encoding` does not go with"):
        la.prepare(visits, engine="streaming", encoding="latin-1")
    asked = [{"kind": "share", "of": {"on_benefits": "yes"}}]
    recipe = la.prepare(visits, engine="streaming")
    with pytest.raises(la.RequestError, match="questions need the rows in memory"):
        la.run(replace(recipe, questions=asked))


def test_a_prepared_recipe_says_how_large_files_are_read(visits: Path, tmp_path: Path) -> None:
    where = tmp_path / "recipe.toml"
    done = run(app, ["prepare", str(visits), "-o", str(where), "--engine", "streaming", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["columns"]["area"]["role"] == "quasi"
    assert 'engine = "streaming"' in where.read_text("utf-8")
    assert la.Recipe.load(where).source["engine"] == "streaming"
