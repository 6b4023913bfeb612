"""Faults at every write, sync and rename of `Release.save` and of everything else that writes a file: each point
failed once and killed once. A kill is a look at the disk: what lies there at that moment is what a killed run leaves
behind."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl
import pytest

import lookalike as la
from attacker.killing import releases
from lookalike.base.writing import folders

WRITES: list[tuple[Any, str]] = [
    (os, "mkdir"),
    (os, "open"),
    (os, "fdopen"),
    (os, "fsync"),
    (os, "write"),
    (os, "rename"),
    (os, "replace"),
    (os, "link"),
    (os, "rmdir"),
    (Path, "write_text"),
    (pl.DataFrame, "write_csv"),
    (pl.DataFrame, "write_parquet"),
    (folders, "_exchange"),
]
Act = Callable[[int, str], None]


@pytest.fixture(scope="module")
def two() -> list[la.Release]:
    return releases()


@pytest.fixture(params=["exchange", "renames"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "renames":
        monkeypatch.setattr(folders, "_exchange", lambda one, other: False)


@contextmanager
def watching(act: Act) -> Iterator[list[str]]:
    """`act` is called before every point; the names of the points, in order."""
    points: list[str] = []
    acting = False

    def watched(name: str, real: Any) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            nonlocal acting
            reads = name == "open" and not args[1] & (os.O_WRONLY | os.O_RDWR)
            in_memory = name == "write_csv" and len(args) == 1
            if not (acting or reads or in_memory):
                points.append(name)
                acting = True
                try:
                    act(len(points) - 1, name)
                finally:
                    acting = False
            return real(*args, **named)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in WRITES:
            patch.setattr(owner, name, watched(name, getattr(owner, name)))
        yield points


def save(release: la.Release, folder: Path, act: Act, **options: Any) -> list[str]:
    """Save with `act` called before every point; the names of the points, in order."""
    with watching(act) as points:
        release.save(folder, **options)
    return points


def nothing(_: int, __: str) -> None:
    """Let it happen."""


def failing(point: int) -> Act:
    """A full disk at one point."""

    def fail(at: int, name: str) -> None:
        if at == point and name != "rmdir":  # what cannot be removed stays
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return fail


def which(folder: Path, two: list[la.Release]) -> int | None:
    """The release that lies there, whole; None where there is none."""
    if not folder.exists():
        return None
    assert la.verify(folder / "release.csv", folder / "certificate.json").ok
    assert (folder / "private" / "run.json").exists()
    rows = la.read_release(folder)["q"].to_list()
    return next(i for i, one in enumerate(two) if one.rows["q"].cast(pl.String).to_list() == rows)


def test_the_points_are_those_of_a_save(tmp_path: Path, two: list[la.Release]) -> None:
    points = save(two[0], tmp_path / "out", nothing)
    assert {"mkdir", "open", "fdopen", "fsync", "rename", "write_text", "write_csv"} <= set(points)
    again = save(two[1], tmp_path / "out", nothing, overwrite=True)
    assert {"_exchange", "fsync"} <= set(again)
    assert len(points) >= 15


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_point_that_fails_leaves_what_was_there_and_says_so(
    tmp_path: Path, two: list[la.Release], overwrite: bool
) -> None:
    total = len(_prepared(tmp_path / "count", two, overwrite, nothing))
    refused = 0
    for point in range(total):
        base = tmp_path / f"fails {point}"
        told = _refusal(base, two, overwrite, failing(point))
        refused += told is not None
        # some failures do no harm, such as that to make a folder which is there already
        expected = 1 if told is None or "is in place" in told else 0 if overwrite else None
        assert told is None or "the disk is full" in told
        assert which(base / "out", two) == expected, point
        assert sorted(os.listdir(base)) == (["out"] if (base / "out").exists() else []), point
    assert refused > total / 2


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.filterwarnings("ignore:.*what was there is back")
def test_a_kill_at_any_point_leaves_something_whole_and_the_next_run_cleans_up(
    tmp_path: Path, two: list[la.Release], overwrite: bool
) -> None:
    base = tmp_path / "base"

    def look(point: int, _: str) -> None:
        shutil.copytree(base, tmp_path / f"killed {point}")

    points = _prepared(base, two, overwrite, look)
    for point in range(len(points)):
        left = tmp_path / f"killed {point}"
        for beside in set(os.listdir(left)) - {"out"}:
            assert stat.S_IMODE((left / beside).stat().st_mode) == 0o700
        found = which(left / "out", two)
        moved = any((left / name / "previous").exists() for name in os.listdir(left))
        assert found is not None or moved or not overwrite, point
        two[0].save(left / "out", overwrite=True)
        assert which(left / "out", two) == 0
        assert os.listdir(left) == ["out"], point


def _refusal(base: Path, two: list[la.Release], overwrite: bool, act: Act) -> str | None:
    try:
        _prepared(base, two, overwrite, act)
    except la.FileError as told:
        return str(told)
    return None


def _prepared(base: Path, two: list[la.Release], overwrite: bool, act: Act) -> list[str]:
    base.mkdir()
    if overwrite:
        two[0].save(base / "out")
    return save(two[1], base / "out", act, overwrite=overwrite)


def test_two_writers_leave_one_whole_release(tmp_path: Path, two: list[la.Release]) -> None:
    problems: list[Exception] = []

    def write(release: la.Release) -> None:
        try:
            for _ in range(8):
                release.save(tmp_path / "out", overwrite=True)
        except Exception as problem:
            problems.append(problem)

    writers = [Thread(target=write, args=[release]) for release in two]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert problems == []
    assert which(tmp_path / "out", two) in (0, 1)
    assert os.listdir(tmp_path) == ["out"]
