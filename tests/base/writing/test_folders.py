"""A folder appears whole or not at all: two writers, kills at every point, failed renames, full disks."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import lookalike as la
from lookalike.base.writing import folders
from lookalike.base.writing.folders import whole_folder


def _anything(_: Path) -> None:
    """Whatever is there may be replaced."""


def _write(folder: Path, text: str, *, overwrite: bool = False) -> None:
    with whole_folder(folder, refuse=_anything if overwrite else None) as beside:
        (beside / "file").write_text(text)


@pytest.fixture(params=["exchange", "renames"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of replacing a folder: the system's exchange, and renames where it has none."""
    if request.param == "renames":
        monkeypatch.setattr(folders, "_exchange", lambda one, other: False)
    return str(request.param)


def test_a_folder_that_appears_meanwhile_is_left_alone(tmp_path: Path) -> None:
    def write_late() -> None:
        with whole_folder(tmp_path / "out") as beside:
            (beside / "file").write_text("late")
            _write(tmp_path / "out", "early")

    with pytest.raises(la.FileError, match="appeared while"):
        write_late()
    assert (tmp_path / "out" / "file").read_text() == "early"
    assert os.listdir(tmp_path) == ["out"]


def test_a_folder_is_replaced_whole(tmp_path: Path, way: str) -> None:
    _write(tmp_path / "out", "old")
    _write(tmp_path / "out", "new", overwrite=True)
    assert (tmp_path / "out" / "file").read_text() == "new"
    assert os.listdir(tmp_path) == ["out"]


def test_what_turned_foreign_meanwhile_is_not_replaced(tmp_path: Path, way: str) -> None:
    def refuse(folder: Path) -> None:
        if (folder / "thesis").exists():
            raise la.FileError("holds something else")

    def write() -> None:
        with whole_folder(tmp_path / "out", refuse=refuse) as beside:
            (beside / "file").write_text("new")
            (tmp_path / "out" / "thesis").write_text("years of work")

    _write(tmp_path / "out", "old")
    with pytest.raises(la.FileError, match="something else"):
        write()
    assert (tmp_path / "out" / "thesis").read_text() == "years of work"
    assert os.listdir(tmp_path) == ["out"]


def test_with_exchange_there_is_no_moment_without_a_release(tmp_path: Path) -> None:
    if not folders._exchange(*(_made(tmp_path / name) for name in ("a", "b"))):
        pytest.skip("this system cannot exchange folders")
    _write(tmp_path / "out", "0")
    script = f"""
        from pathlib import Path
        from lookalike.base.writing.folders import whole_folder
        for i in range(200):
            with whole_folder(Path({str(tmp_path / "out")!r}), refuse=lambda there: None) as beside:
                (beside / "file").write_text(str(i))
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)]) as writer:
        looks = 0
        while writer.poll() is None:
            assert (tmp_path / "out" / "file").exists()
            looks += 1
    assert writer.returncode == 0
    assert looks > 10


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.parametrize("overwrite", [False, True])
def test_of_parallel_writers_each_release_is_whole_and_nobody_is_told_wrong(
    tmp_path: Path, overwrite: bool
) -> None:
    script = """
        import sys
        from pathlib import Path
        import lookalike as la
        from lookalike.base.writing.folders import whole_folder
        refuse = (lambda there: None) if sys.argv[2] == "True" else None
        try:
            with whole_folder(Path(sys.argv[1]), refuse=refuse) as beside:
                for i in range(20):
                    (beside / str(i)).write_text(sys.argv[3])
        except la.FileError:
            sys.exit(2)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "out"), str(overwrite)]
    writers = [subprocess.Popen([*command, str(i)]) for i in range(6)]
    codes = [writer.wait() for writer in writers]
    texts = {(tmp_path / "out" / str(i)).read_text() for i in range(20)}
    assert len(texts) == 1
    assert codes.count(0) == (6 if overwrite else 1)
    if not overwrite:
        assert texts == {str(codes.index(0))}
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("fails", range(1, 3))
def test_a_rename_that_fails_leaves_the_old_one_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: int
) -> None:
    _write(tmp_path / "out", "old")
    monkeypatch.setattr(folders, "_exchange", lambda one, other: False)
    rename, calls = Path.rename, []

    def failing(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == fails:
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(la.FileError, match="Input/output error"):
        _write(tmp_path / "out", "new", overwrite=True)
    assert (tmp_path / "out" / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_where_the_old_one_cannot_go_back_it_is_said_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "out", "old")
    rename, calls = Path.rename, []

    def failing(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) > 1:
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(folders, "_exchange", lambda one, other: False)
        patch.setattr(Path, "rename", failing)
        with pytest.raises(la.FileError, match="it is in") as told:
            _write(tmp_path / "out", "new", overwrite=True)
    kept = Path(str(told.value).split("it is in ")[1].rstrip("."))
    assert (kept / "file").read_text() == "old"
    with pytest.warns(la.LookalikeWarning, match="is back"), pytest.raises(la.FileError, match="appeared"):
        _write(tmp_path / "out", "next")
    assert (tmp_path / "out" / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def _killed_at(tmp_path: Path, where: str) -> None:
    script = f"""
        import os, signal
        from pathlib import Path
        from lookalike.base.writing import folders
        def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
        {where}
        with folders.whole_folder(Path({str(tmp_path / "out")!r}), refuse=lambda there: None) as beside:
            (beside / "file").write_text("new")
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert run.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    "where",
    [
        "folders.sync = die",
        "folders._put_in_place = die",
        "folders._exchange = die",
        "folders._exchange = lambda a, b: False; folders.shutil.rmtree = die",
        "real = folders._exchange; folders._exchange = lambda a, b: (real(a, b), die())",
        "folders._exchange = lambda a, b: False; real = Path.rename; "
        "Path.rename = lambda a, b: (real(a, b), die())",
    ],
)
def test_what_a_killed_run_leaves_is_cleaned_by_the_next(tmp_path: Path, where: str) -> None:
    _write(tmp_path / "out", "old")
    _killed_at(tmp_path, where)
    left = [name for name in os.listdir(tmp_path) if name != "out"]
    assert len(left) == 1
    assert stat.S_IMODE((tmp_path / left[0]).stat().st_mode) == 0o700
    if (tmp_path / "out").exists():
        assert (tmp_path / "out" / "file").read_text() in ("old", "new")
        _write(tmp_path / "out", "next", overwrite=True)
    else:
        with pytest.warns(la.LookalikeWarning, match="what was there is back"):
            _write(tmp_path / "out", "next", overwrite=True)
    assert (tmp_path / "out" / "file").read_text() == "next"
    assert os.listdir(tmp_path) == ["out"]


def test_the_folder_of_a_run_still_alive_is_not_cleaned(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "out") as beside:
        (beside / "file").write_text("slow")
        with whole_folder(tmp_path / "out2") as other:
            (other / "file").write_text("other")
        folders._clean(tmp_path / "out")
    assert (tmp_path / "out" / "file").read_text() == "slow"


def test_a_folder_of_a_pattern_like_name_cleans_only_its_own(tmp_path: Path) -> None:
    (tmp_path / ".b.x.lookalike-partial").mkdir()
    _write(tmp_path / "[ab]*", "x")
    assert sorted(os.listdir(tmp_path)) == [".b.x.lookalike-partial", "[ab]*"]


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "the disk is full"), (errno.EDQUOT, "quota"), (errno.EIO, "Input")]
)
def test_a_full_disk_says_so_in_words(tmp_path: Path, number: int, words: str) -> None:
    with pytest.raises(la.FileError, match=words), whole_folder(tmp_path / "out"):
        raise OSError(number, os.strerror(number))
    assert os.listdir(tmp_path) == []
