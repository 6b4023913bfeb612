"""A file appears whole or not at all. What faults at every point do to it: `tests/attacker/test_file_faults.py`."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from threading import Thread

import pytest

import lookalike as la
from lookalike.base.writing import write_file
from lookalike.base.writing.beside import SUFFIX, lock

POSIX = pytest.mark.skipif(os.name == "nt", reason="modes, links and pipes are as on Unix")


@pytest.mark.parametrize("content", ["", "a\r\nb\n", "ışık", "x" * 300_000])
def test_what_is_written_is_there_byte_for_byte(tmp_path: Path, content: str) -> None:
    assert write_file(tmp_path / "file", content) == tmp_path / "file"
    assert (tmp_path / "file").read_bytes() == content.encode()
    assert os.listdir(tmp_path) == ["file"]


@POSIX
def test_a_file_that_is_replaced_stays_for_those_it_was_for(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_file(file, "old", mode=0o600)
    write_file(file, "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    write_file(file, "newer", mode=0o644)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    write_file(tmp_path / "usual", "")
    (tmp_path / "plain").touch()
    assert (tmp_path / "usual").stat().st_mode == (tmp_path / "plain").stat().st_mode


@POSIX
def test_what_a_link_points_to_is_replaced_and_not_the_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    write_file(tmp_path / "there" / "file", "old")
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "new"


@POSIX
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    heard: list[str] = []
    reader = Thread(target=lambda: heard.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_file(tmp_path / "pipe", "a picture")
    reader.join()
    assert heard == ["a picture"]


@pytest.mark.parametrize("links", [True, False])
def test_what_must_not_be_replaced_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """Also on a disk that has no links."""

    def none(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:
        monkeypatch.setattr(os, "link", none)
    write_file(tmp_path / "key", "old", what="a key", replace=False)
    with pytest.raises(la.FileError, match="exists already; a key is never overwritten"):
        write_file(tmp_path / "key", "new", what="a key", replace=False)
    assert (tmp_path / "key").read_text() == "old"
    assert os.listdir(tmp_path) == ["key"]


@pytest.mark.parametrize("place", ["no/file", "."])
def test_a_place_that_cannot_be_written_is_told_with_what_was_to_be_there(tmp_path: Path, place: str) -> None:
    with pytest.raises(la.FileError, match="the report cannot be written"):
        write_file(tmp_path / place, "x", what="the report")
    assert os.listdir(tmp_path) == []


@POSIX
def test_only_what_killed_runs_left_is_cleared_away(tmp_path: Path) -> None:
    dead, alive, other = (tmp_path / f".{name}{SUFFIX}" for name in ("[a]*.1", "[a]*.2", "a.3"))
    for left in (dead, alive, other):
        left.write_text("half of")
    handle = os.open(alive, os.O_RDONLY)
    assert lock(handle)
    write_file(tmp_path / "[a]*", "whole")
    os.close(handle)
    assert sorted(os.listdir(tmp_path)) == sorted([alive.name, other.name, "[a]*"])
