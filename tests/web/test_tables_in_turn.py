"""Several tables in one sitting: what is shown, decided, kept and saved is always about the one that is named."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from lookalike.web.folders import kept_recipes
from stories import Story, play

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def first(tmp_path: Path) -> Path:
    path = tmp_path / "first.csv"
    la.datasets.population(300, seed=1).select("age", "gender", "area").write_csv(path)
    return path


@pytest.fixture
def second(tmp_path: Path) -> Path:
    path = tmp_path / "second.csv"
    la.datasets.population(210, seed=2).select("age", "gender", "occupation").write_csv(path)
    return path


def test_an_undo_that_leads_to_an_earlier_upload_shows_and_saves_that_one(
    tmp_path: Path, first: Path, second: Path
) -> None:
    async def story(it: Story) -> None:
        await it.give(first)
        await it.see("300")
        await it.until(lambda: bool(it.session.bench.recipe["roles"]))
        await it.press("Another table")
        await it.give(second)
        await it.see("210")
        await it.until(lambda: "occupation" in it.session.bench.recipe["roles"])
        await it.desk.undo()
        await it.desk.undo()
        assert it.session.bench.recipe["source"]["name"] == "first.csv"
        await it.see("300")
        assert "area" in {one["name"] for one in it.session.facts["columns"]}
        assert {one["name"] for one in it.session.inspection} == {"age", "gender", "area"}
        it.session.bench.change(method="mondrian")
        await it.press("Blur")
        await it.until(lambda: it.session.numbers is not None)
        await it.press("Release")
        await it.press("Check and save")
        await it.see("Verified: every promise holds")
        assert "area" in pl.read_csv(tmp_path / "out" / "release.csv", n_rows=0).columns
        recipe = tomllib.loads((tmp_path / "out" / "private" / "recipe.toml").read_text(encoding="utf-8"))
        assert recipe["source"]["file"] == "first.csv"

    play(tmp_path, story, None)


def test_decisions_are_kept_under_the_file_they_are_about(tmp_path: Path, first: Path, second: Path) -> None:
    async def story(it: Story) -> None:
        digests: dict[str, str] = {}
        for file in (first, second):
            await it.give(file)
            await it.until(lambda file=file: file.name in it.shown() and it.session.inspection is not None)
            digests[file.name] = it.session.facts["digest"]
            if file is first:
                await it.press("Another table")
        await it.desk.undo()
        await it.desk.undo()
        it.session.bench.change(seed=7)
        it.desk.changed()
        await it.until(lambda: it.session.facts is not None)
        it.session.bench.change(seed=8)
        it.desk.changed()
        assert (kept_recipes() / f"{digests['first.csv']}.json").is_file()
        assert not (kept_recipes() / f"{digests['second.csv']}.json").is_file()

    play(tmp_path, story, None)


def test_columns_follow_an_undo_to_another_table(tmp_path: Path, first: Path, second: Path) -> None:
    async def story(it: Story) -> None:
        await it.give(first)
        await it.until(lambda: bool(it.session.bench.recipe["roles"]))
        await it.press("Another table")
        await it.give(second)
        await it.until(lambda: "occupation" in it.session.bench.recipe["roles"])
        await it.press("Columns")
        await it.see("Proposed:")
        await it.desk.undo()
        await it.desk.undo()
        await it.see("area")
        assert "occupation" not in it.shown()

    play(tmp_path, story, None)


def test_invented_people_do_not_replace_those_before(tmp_path: Path) -> None:
    async def story(it: Story) -> None:
        await it.press("5,000 invented people")
        await it.until(lambda: bool(it.session.bench.recipe["roles"]))
        await it.press("Another table")
        await it.press("5,000 invented people")
        await it.until(lambda: bool(it.session.bench.recipe["roles"]))
        paths: list[Any] = [one["source"]["path"] for one in it.session.bench._past if one["source"]]
        assert it.session.bench.recipe["source"]["path"] not in paths

    play(tmp_path, story, None)


def test_what_an_undo_reads_otherwise_is_told_anew(tmp_path: Path, first: Path) -> None:
    """A spelling of missing values is taken back, and with it the count of missing values."""

    async def story(it: Story) -> None:
        await it.until(lambda: it.session.inspection is not None)

        def missing() -> int | None:
            facts = it.session.facts
            return None if facts is None else sum(one["missing"] for one in facts["columns"])

        before = missing()
        await it.desk.step.read_again({"na": ["female"]})
        await it.until(lambda: missing() not in (None, before))
        await it.desk.undo()
        await it.until(lambda: missing() == before)

    play(tmp_path, story, {"path": str(first), "name": first.name})
