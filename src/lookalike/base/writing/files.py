"""A file that appears whole or not at all, whoever else writes at the same time and whenever the machine stops.

It is written beside its place, synced, and put there by one rename, or by one link where nothing may be replaced.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from lookalike.base.errors import FileError, in_words
from lookalike.base.writing.beside import SUFFIX, confirm, left_behind, lock

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # Windows would change line ends


def write_file(
    path: str | Path, content: str | bytes, *, what: str = "", mode: int | None = None, replace: bool = True
) -> Path:
    """Write a file whole; where that fails, what was there before is there still, and a `FileError` says so.

    what: what it is, for messages. mode: who may read it; as a file that is replaced, or as usual, unless given.
    replace: whether a file that is there already may be.
    """
    path = Path(path)
    named = f"{path}: {what} cannot" if what else f"{path}: cannot"
    content = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():  # a pipe or a terminal has no place beside it
            path.write_bytes(content)
            return path
        place = path.resolve()  # what a link points to is replaced, not the link
        for left in left_behind(place):
            with suppress(OSError):
                left.unlink()
        if mode is None and place.exists():
            mode = stat.S_IMODE(place.stat().st_mode)
        beside, handle = _make_beside(place, mode)
        try:
            _fill(handle, content)
            if mode is not None:
                beside.chmod(mode)
            if os.name == "nt":  # nothing that is open can be moved there
                os.close(handle)
                handle = -1
            os.replace(beside, place) if replace else _put_where_nothing_is(beside, place)
        finally:
            if handle >= 0:
                os.close(handle)
            beside.unlink(missing_ok=True)
    except FileExistsError:
        never = f"{what or 'it'} is never overwritten"
        raise FileError(f"{path}: exists already; {never}. Choose another name.") from None
    except OSError as problem:
        raise FileError(f"{named} be written ({in_words(problem)}); nothing was.") from None
    confirm(place)
    return path


def _make_beside(place: Path, mode: int | None) -> tuple[Path, int]:
    """A new file beside a place, and the lock that says we are alive."""
    while True:
        beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}{SUFFIX}")
        handle = os.open(beside, _NEW, 0o666 if mode is None else mode)
        if lock(handle) is not False and beside.exists():  # somebody cleaning up may be quicker than we are
            return beside, handle
        os.close(handle)


def _fill(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.fsync(handle)


def _put_where_nothing_is(beside: Path, place: Path) -> None:
    try:
        os.link(beside, place)
    except OSError as problem:
        if problem.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
            raise
        # a disk without links: an empty file keeps the place
        os.close(os.open(place, _NEW))
        os.replace(beside, place)
