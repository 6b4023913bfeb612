"""A folder that appears whole or not at all, whoever else writes at the same time and whenever the machine stops.

Everything is written into a folder beside the wanted one, synced, and put in its place by one rename, or by one
exchange where an old one is replaced (Linux `renameat2`); where that is not known, by two renames under a lock, the
old one going back on failure. A folder of a run that was killed is known by its lock having gone, and is cleaned up.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lookalike.base.errors import FileError, in_words, warn
from lookalike.base.writing.beside import SUFFIX, confirm, left_behind, lock, sync

_EXCHANGE = 2  # RENAME_EXCHANGE of <linux/fs.h>
_HERE = -100  # AT_FDCWD of <fcntl.h>

Refuse = Callable[[Path], None]  #: raises a FileError unless the folder there may be replaced


def check_writable(folder: Path) -> None:
    """Refuse a place where no folder can be made: one is, beside the wanted one or above, and goes again."""
    above = next(parent for parent in folder.absolute().parents if parent.exists())
    try:
        _clean(above / folder.name)
        outer, held = _make_beside(above / folder.name)
    except OSError as problem:
        raise FileError(f"{folder}: cannot be written ({in_words(problem)}).") from None
    shutil.rmtree(outer, ignore_errors=True)
    os.close(held)


@contextmanager
def whole_folder(folder: Path, *, refuse: Refuse | None = None) -> Iterator[Path]:
    """A new folder to write into; it takes the wanted one's place on leaving, or vanishes where anything fails.

    refuse: looks at a folder that is there already and raises unless it may be replaced; without it none may be.
    """
    parent = folder.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _clean(folder)
        outer, held = _make_beside(folder)
    except OSError as problem:
        raise FileError(f"{folder}: cannot be written ({in_words(problem)}).") from None
    try:
        inner = outer / "new"
        inner.mkdir()
        yield inner
        _sync_all(inner)
        with _locked(parent):
            _put_in_place(inner, folder, refuse)
        confirm(folder)
    except OSError as problem:
        raise FileError(f"{folder}: cannot be written ({in_words(problem)}); nothing was.") from None
    finally:
        if not (outer / "previous").exists():  # else it is all there is of the old one
            shutil.rmtree(outer, ignore_errors=True)
        os.close(held)


def _put_in_place(new: Path, folder: Path, refuse: Refuse | None) -> None:
    if refuse is None or not folder.exists():
        try:
            new.rename(folder)  # refused by the system where something is there that is not empty
        except OSError as problem:
            if folder.exists():
                raise FileError(
                    f"{folder}: appeared while this was being written, and was left alone; nothing was written. "
                    "Choose another folder."
                ) from None
            raise problem
        return
    refuse(folder)
    if _exchange(new, folder):
        try:
            refuse(new)  # what was there when it happened, not only when it was looked at
        except FileError:
            _exchange(new, folder)
            raise
        return
    previous = new.with_name("previous")
    folder.rename(previous)
    try:
        new.rename(folder)
    except BaseException:
        try:
            previous.rename(folder)
        except OSError:
            raise FileError(
                f"{folder}: could not be replaced, and what was there could not be put back: it is in {previous}."
            ) from None
        raise
    shutil.rmtree(previous, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    if rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code))


def _make_beside(folder: Path) -> tuple[Path, int]:
    """A folder of our own beside the wanted one, for its owner only, and the lock that says we are alive."""
    while True:
        outer = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=SUFFIX, dir=folder.absolute().parent))
        try:  # somebody cleaning up may be quicker than we are
            handle = os.open(outer if os.name != "nt" else os.devnull, os.O_RDONLY)
        except FileNotFoundError:
            continue
        if lock(handle) is not False and outer.exists():
            return outer, handle
        os.close(handle)


def _clean(folder: Path) -> None:
    """Clear away what runs that were killed left beside a folder, and put back an old one they had moved aside."""
    for outer in left_behind(folder):
        previous = outer / "previous"
        if previous.exists() and not folder.exists():
            try:
                previous.rename(folder)
            except OSError:
                continue
            warn(
                f"{folder}: a run was stopped while replacing it; what was there is back.",
            )
        shutil.rmtree(outer, ignore_errors=True)


@contextmanager
def _locked(parent: Path) -> Iterator[None]:
    """Nobody else puts a folder in place here meanwhile."""
    if os.name == "nt":
        yield
        return
    handle = os.open(parent, os.O_RDONLY)
    try:
        lock(handle, wait=True)  # some network disks have no locks; an exchange needs none
        yield
    finally:
        os.close(handle)


def _sync_all(folder: Path) -> None:
    for path in folder.iterdir():
        _sync_all(path) if path.is_dir() else sync(path)
    sync(folder)
