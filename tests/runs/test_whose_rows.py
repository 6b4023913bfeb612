"""A key that may be people's stops a run with a question; with --yes the safer reading is taken and said first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.releases.recipes.recipe import Recipe


@pytest.fixture(scope="module")
def listings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = np.random.default_rng(3)
    hosts = draw.integers(0, 90, 500)
    frame = pl.DataFrame(
        {
            "id": np.arange(500) + 9_000,
            "host_id": 40_000 + 7 * hosts,
            "district": np.array(["north", "south"])[hosts % 2],
            "price": draw.choice([20, 40, 60, 80], 500),
        }
    )
    path = tmp_path_factory.mktemp("hosts") / "listings.csv"
    frame.write_csv(path)
    return path


def test_with_yes_the_safer_reading_is_said_first(listings: Path, tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["run", str(listings), "--yes", "-o", str(tmp_path / "out")]).stdout
    assert said.splitlines()[0].startswith("'host_id' has 90 different values in 500 rows")
    assert "different values of 'host_id' counted as people" in said
    assert Recipe.load(tmp_path / "out/private/recipe.toml", anywhere=True).source["unit"] == "host_id"
    released = pl.read_csv(tmp_path / "out/release.csv")
    assert {"id", "host_id"}.isdisjoint(released.columns)


def test_rows_are_people_where_somebody_says_so(listings: Path, tmp_path: Path) -> None:
    asked = ["run", str(listings), "--yes", "--unit", "rows", "-o", str(tmp_path / "out")]
    said = CliRunner().invoke(app, asked).stdout
    assert "each row counted as one person" in said
    assert "safer reading" not in said
    assert "unit" not in Recipe.load(tmp_path / "out/private/recipe.toml", anywhere=True).source


def test_without_yes_the_question_comes_before_the_plan(
    listings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookalike.cli.run.sys.stdin.isatty", lambda: True, raising=False)
    refused = CliRunner().invoke(
        app, ["run", str(listings), "-o", str(tmp_path / "out")], input="host_id\nn\n"
    )
    assert refused.exit_code in (0, 2)
    assert not (tmp_path / "out").exists()


def test_a_key_of_events_alone_is_counted_and_asked_about() -> None:
    visits = pl.DataFrame({"visit_id": [f"V{i // 2:04d}" for i in range(400)], "ward": ["a", "b"] * 200})
    with pytest.warns(la.LookalikeWarning, match="'visit_id' has 200 different values in 400 rows"):
        recipe = la.prepare(visits)
    assert recipe.source["unit"] == "visit_id"
