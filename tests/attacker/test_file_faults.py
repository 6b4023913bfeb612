"""Faults at every write, sync and rename of everything that writes single files: signatures, keys, reports, recipes,
sessions, hierarchies, contexts. Each point is failed once with a full disk and killed once; and these are all."""

from __future__ import annotations

import ast
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from attacker.killing import releases
from attacker.test_faults import failing, nothing, watching
from lookalike.base.writing.beside import SUFFIX
from lookalike.fca.formats import write_context
from lookalike.releases.reporting import write_reports
from lookalike.web import folders as workbench

PACKAGE = Path(la.__file__).parent
TOWNS = [["a", "north", "*"], ["b", "north", "*"], ["c", "south", "*"], ["d", "south", "*"]]
Write = Callable[[Path], object]


@dataclass(frozen=True)
class Writer:
    """Two writings of the same files, the first of which is there when the second is disturbed."""

    old: Write
    new: Write
    private: bool = False  #: for their owner only


def _people(rows: list[list[str]]) -> la.Table:
    frame = pl.DataFrame({"q": [i // 5 for i in range(20)], "town": list("abcd") * 5, "s": list("abcde") * 4})
    return la.table(
        frame, quasi=["q", "town"], sensitive=["s"], hierarchies={"town": la.Hierarchy.rows(rows)}
    )


def _kept(k: int) -> Write:
    def write(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(workbench, "kept_recipes", lambda: folder)
            workbench.keep_recipe("digest", {"k": k})

    return write


def _lost(folder: Path) -> None:
    """Reports of which one was edited."""
    for name in ("report.html", "private/report-internal.html"):
        (folder / name).write_text("edited")


@pytest.fixture(scope="module")
def writers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Writer]:
    home = tmp_path_factory.mktemp("home")
    two, people = releases(), _people(TOWNS)
    other = _people([[town, "west", "*"] for town, _, _ in TOWNS])
    asked, answered = la.interact(people, k=2), la.interact(people, k=2)
    answered.answer(answered.ask(), "A")
    recipes = la.prepare(people), replace(la.prepare(other), promises=(la.KAnonymity(3),))
    for name in ("old", "new"):
        la.generate_signing_key(home / f"{name}.key")
    contexts = [la.Context.of({"x": ["a"], "y": [b]}) for b in ("b", "c")]
    trees = people.tree("town"), other.tree("town")
    return {
        "signature": Writer(
            lambda folder: la.sign(folder, key=home / "old.key"),
            lambda folder: la.sign(folder, key=home / "new.key"),
        ),
        "signing key": Writer(
            lambda folder: None, lambda folder: la.generate_signing_key(folder / "office.key")
        ),
        "pseudonym key": Writer(
            lambda folder: None, lambda folder: la.Key.generate(folder / "key"), private=True
        ),
        "session": Writer(
            lambda folder: asked.save(folder / "session.json"),
            lambda folder: answered.save(folder / "session.json"),
            private=True,
        ),
        "kept by the workbench": Writer(_kept(2), _kept(3), private=True),
        "report": Writer(
            lambda folder: two[0].report(folder / "report.html"),
            lambda folder: two[1].report(folder / "report.html"),
        ),
        "reports made again": Writer(_lost, write_reports),
        "recipe": Writer(
            lambda folder: recipes[0].save(folder / "recipe.toml"),
            lambda folder: recipes[1].save(folder / "recipe.toml"),
        ),
        "hierarchy": Writer(
            lambda folder: trees[0].write(folder / "town.csv"),
            lambda folder: trees[1].write(folder / "town.csv"),
        ),
        "context": Writer(
            lambda folder: write_context(contexts[0], folder / "context.csv"),
            lambda folder: write_context(contexts[1], folder / "context.csv"),
        ),
    }


NAMES = [
    "signature", "signing key", "pseudonym key", "session", "kept by the workbench", "report",
    "reports made again", "recipe", "hierarchy", "context",
]  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return releases()[0].save(tmp_path_factory.mktemp("saved") / "out")


def _prepared(folder: Path, saved: Path, writer: Writer) -> dict[str, bytes]:
    """A release in whose folder the first writing has happened; what lies there."""
    shutil.copytree(saved, folder)
    writer.old(folder)
    return _seen(folder)


def _seen(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(SUFFIX)
    }


def _partial(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(SUFFIX)]


def test_every_writer_is_disturbed(writers: dict[str, Writer]) -> None:
    assert sorted(writers) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_point_that_fails_leaves_every_file_whole_and_nothing_beside(
    tmp_path: Path, saved: Path, writers: dict[str, Writer], name: str
) -> None:
    writer = writers[name]
    _prepared(tmp_path / "count", saved, writer)
    with watching(nothing) as points:
        writer.new(tmp_path / "count")
    after = _seen(tmp_path / "count")
    assert {"open", "write", "fsync"} < set(points)
    assert {"replace", "link"} & set(points)
    told = []
    for point in range(len(points)):
        folder = tmp_path / f"fails {point}"
        before = _prepared(folder, saved, writer)
        with watching(failing(point)):
            try:
                writer.new(folder)
            except la.FileError as refusal:
                told.append(str(refusal))
                assert "the disk is full" in told[-1]
        found = _seen(folder)
        assert all(found[file] in (before.get(file), after.get(file)) or "key" in name for file in found)
        assert set(before) <= set(found) <= set(after)
        assert _partial(folder) == []
        if name == "signing key" and "office.key.pub" in found:
            assert la.sign(folder, key=folder / "office.key")
    assert name == "kept by the workbench" or len(told) >= 3
    assert any("is in place" in one for one in told) == bool(told)


@pytest.mark.parametrize("name", NAMES)
def test_a_kill_at_any_point_leaves_every_file_whole_and_the_next_writing_cleans_up(
    tmp_path: Path, saved: Path, writers: dict[str, Writer], name: str
) -> None:
    writer, folder = writers[name], tmp_path / "folder"
    before = _prepared(folder, saved, writer)

    def look(point: int, _: str) -> None:
        shutil.copytree(folder, tmp_path / f"killed {point}")

    with watching(look) as points:
        writer.new(folder)
    after = _seen(folder)
    left_something = 0
    for point in range(len(points)):
        killed = tmp_path / f"killed {point}"
        found = _seen(killed)
        assert all(found[file] in (before.get(file), after.get(file)) for file in found), point
        assert set(before) <= set(found) <= set(after)
        left_something += bool(_partial(killed))
        for part in _partial(killed) if writer.private else ():
            assert stat.S_IMODE(part.stat().st_mode) == 0o600
        if "key" in name and found != before:
            with pytest.raises(la.FileError, match="exists already"):
                writer.new(killed)
        else:
            writer.new(killed)
        secret = [path for path in _partial(killed) if not path.name.startswith(".office.key.pub.")]
        assert secret == [], point  # of half a pair of keys, the public half may be left
    assert left_something


def test_two_writers_of_one_file_leave_one_of_both(tmp_path: Path) -> None:
    from threading import Thread

    from lookalike.base.writing import write_file

    texts = ["a" * 300_000, "b" * 200_000]
    problems: list[Exception] = []

    def write(text: str) -> None:
        try:
            for _ in range(20):
                write_file(tmp_path / "file", text)
        except Exception as problem:
            problems.append(problem)

    threads = [Thread(target=write, args=[text]) for text in texts]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert not (tmp_path / "file").exists() or (tmp_path / "file").read_text() in texts
    assert problems == []
    assert os.listdir(tmp_path) == ["file"]


# Who else writes: into a folder that `whole_folder` puts in its place, or one that goes with the process.
INSIDE = {
    "releases/release.py",
    "releases/dictionary.py",
    "tables/coded.py",
    "tables/lines.py",
    "tables/engines/engine.py",
    "tables/engines/databases/duck.py",
    "tables/engines/spark/workers.py",
    "web/tasks/tables.py",
    "web/tasks/recipes.py",
    "web/tasks/releases.py",
    "cli/warm.py",
}
WRITING = {"write_text", "write_bytes", "write_csv", "write_parquet", "sink_parquet", "sink_csv", "copyfile"}


def _writes(module: Path) -> Iterator[int]:
    """The lines in which something goes to a disk."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, owner = node.func.attr, getattr(node.func.value, "id", "")
        first = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        opens = name == "open" and any(isinstance(mode, str) and set(mode) & set("wax") for mode in first)
        moves = owner == "os" and name in ("replace", "rename", "link", "open", "fdopen")
        if opens or moves or (name in WRITING and (node.args or node.keywords)):
            yield node.lineno


def test_nobody_else_writes_files() -> None:
    """Whatever is not written inside a whole folder goes through `write_file`, which is disturbed above."""
    found = {
        name
        for path in PACKAGE.rglob("*.py")
        if not (name := path.relative_to(PACKAGE).as_posix()).startswith(
            ("base/writing/", "papers/", "kernels/")
        )
        and any(_writes(path))
    }
    assert found - INSIDE == {
        "cli/_interrupts.py",
        "web/folders.py",
        "web/working.py",
    }  # standard output, locks
