"""A recipe that somebody sent reads files of its own folder only, wherever the links in that folder lead."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

import lookalike as la
from lookalike.releases.recipes.recipe import Recipe
from lookalike.tables.engines.files.streaming import Streaming

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")

RECIPE = """format = 1
[source]
file = "FILE"
ENGINE
[columns.age]
role = "quasi"
[columns.job]
role = "sensitive"
[[promise]]
model = "k-anonymity"
k = 2
"""
STREAMED = 'engine = "streaming"'
ROWS = "age,job\n" + "30,nurse\n40,clerk\n" * 5


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """The folder that was sent; beside it lies a table that is nobody else's business."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "own.csv").write_text(ROWS)
    folder = tmp_path / "sent"
    (folder / "parts" / "deep").mkdir(parents=True)
    return folder


def run(folder: Path, file: str, *, engine: str = STREAMED, anywhere: bool = False) -> la.Release:
    recipe = folder / "recipe.toml"
    recipe.write_text(RECIPE.replace("FILE", file).replace("ENGINE", engine))
    made = la.run(recipe, anywhere=anywhere).release
    assert isinstance(made, la.Release)
    return made


def plant(folder: Path, kind: str) -> str:
    """A way out of the folder, and the path in the recipe that takes it."""
    home = folder.parent / "home"
    if kind == "link behind a pattern":
        (folder / "parts" / "a.csv").symlink_to(home / "own.csv")
        return "parts/*.csv"
    if kind == "link in a folder":
        (folder / "parts" / "deep" / "a.csv").symlink_to(home / "own.csv")
        return "parts"
    if kind == "link beside a file":
        (folder / "parts" / "a.csv").write_text(ROWS)
        (folder / "parts" / "b.csv").symlink_to(home / "own.csv")
        return "parts/*.csv"
    if kind == "link to a folder":
        (folder / "parts" / "home").symlink_to(home)
        return "parts/*/*.csv"
    if kind == "recursive pattern":
        (folder / "parts" / "home").symlink_to(home)
        return "**/*.csv"
    if kind == "link to a link":
        (folder / "one").symlink_to("two")
        (folder / "two").symlink_to(home)
        (folder / "parts" / "a.csv").symlink_to(folder / "one" / "own.csv")
        return "parts/*.csv"
    if kind == "up through a link":
        (folder / "parts" / "home").symlink_to(home)
        (folder.parent / "own.csv").write_text(ROWS)
        return "parts/*/../own.csv"
    assert kind == "a link itself"
    (folder / "people.csv").symlink_to(home / "own.csv")
    return "people.csv"


WAYS = [
    "link behind a pattern",
    "link in a folder",
    "link beside a file",
    "link to a folder",
    "recursive pattern",
    "link to a link",
    "up through a link",
    "a link itself",
]


@pytest.mark.parametrize("engine", ["", STREAMED])
@pytest.mark.parametrize("kind", WAYS)
def test_no_link_leads_a_recipe_out_of_its_folder(sent: Path, kind: str, engine: str) -> None:
    file = plant(sent, kind)
    with pytest.raises(la.FileError, match="leads out of the recipe's folder"):
        run(sent, file, engine=engine)
    assert run(sent, file, engine=engine, anywhere=True).records >= 10


@pytest.mark.parametrize("file", ["parts/*.csv", "parts", "**/a.csv"])
def test_links_that_stay_inside_are_followed(sent: Path, file: str) -> None:
    (sent / "kept.csv").write_text(ROWS)
    (sent / "parts" / "a.csv").symlink_to(sent / "kept.csv")
    assert run(sent, file).records == 10


@pytest.mark.parametrize("engine", ["", STREAMED])
def test_a_link_that_is_planted_after_the_recipe_was_read_is_not_followed(sent: Path, engine: str) -> None:
    (sent / "people.csv").write_text(ROWS)
    (sent / "recipe.toml").write_text(RECIPE.replace("FILE", "people.csv").replace("ENGINE", engine))
    recipe = Recipe.load(sent / "recipe.toml")
    (sent / "people.csv").unlink()
    (sent / "people.csv").symlink_to(sent.parent / "home" / "own.csv")
    with pytest.raises(la.FileError, match="leads out"):
        la.run(recipe)


def test_a_hierarchy_is_not_followed_out_either(sent: Path) -> None:
    (sent / "people.csv").write_text(ROWS)
    (sent / "age.csv").write_text("30;all\n40;all\n")
    text = RECIPE.replace("FILE", "people.csv").replace("ENGINE", "")
    (sent / "recipe.toml").write_text(text.replace('role = "quasi"', 'role = "quasi"\nhierarchy = "age.csv"'))
    recipe = Recipe.load(sent / "recipe.toml")
    assert la.run(recipe).release.records == 10
    (sent / "age.csv").rename(sent.parent / "home" / "age.csv")
    (sent / "age.csv").symlink_to(sent.parent / "home" / "age.csv")
    with pytest.raises(la.FileError, match="leads out"):
        la.run(recipe)


def test_a_file_that_becomes_a_link_while_rows_are_counted_is_refused(
    sent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = sent / "parts" / "a.csv"
    file.write_text(ROWS)
    own = sent.parent / "home" / "own.csv"
    seen = file.stat()
    count = Streaming.count

    def swap_first(*given: Any, **how: Any) -> Any:
        os.utime(own, ns=(seen.st_atime_ns, seen.st_mtime_ns))  # size and time are as they were
        file.unlink()
        file.symlink_to(own)
        return count(*given, **how)

    monkeypatch.setattr(Streaming, "count", swap_first)
    with pytest.raises(la.FileError, match="changed since its rows were counted"):
        run(sent, "parts/*.csv")
