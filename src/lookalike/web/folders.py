"""Where the workbench keeps files: a private folder that goes at the end, and recipes that stay.

The private folder holds uploads and downloads, readable by its owner only. Its lock is held while the server lives, so
that a folder left behind by a crash is known as such, and wiped, at the next start. Recipes hold column names and
decisions, never rows.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO, Any

from lookalike.base.errors import FileError
from lookalike.base.writing import write_file
from lookalike.tables.sources.documents import read_document

_PREFIX = "lookalike-serve-"


class PrivateFolder:
    """A folder for the lifetime of the server. `path` is where; `remove()` ends it."""

    def __init__(self) -> None:
        wipe_left_behind()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _take_lock(self.path)

    def of(self, key: str) -> Path:
        """The folder of one session."""
        folder = self.path / key
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def leading_to(self, address: str) -> Path:
        """A page that leads to an address."""
        path = self.path / "open.html"
        write_file(path, f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">', mode=0o600)
        return path

    def remove(self) -> None:
        """Wipe everything."""
        if self._lock is not None:
            self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def wipe_left_behind() -> None:
    """Remove folders of servers that are gone: ours, and nobody holds their lock."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if hasattr(os, "getuid") and folder.lstat().st_uid != os.getuid():
                continue
            lock = _take_lock(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                lock.close()


def _take_lock(folder: Path) -> IO[str] | None:
    """The folder's lock, or None where somebody has it."""
    lock = (folder / "lock").open("w")
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock


def kept_recipes() -> Path:
    """Where recipes are kept between sittings."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "lookalike" / "workbench"


def keep_recipe(digest: str, recipe: dict[str, Any]) -> None:
    """Write the recipe of a file, by the file's digest; where that cannot be, work goes on without."""
    folder = kept_recipes()
    with contextlib.suppress(OSError, FileError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(folder / f"{digest}.json", json.dumps(recipe, ensure_ascii=False), mode=0o600)


def kept_recipe(digest: str) -> dict[str, Any] | None:
    """The recipe that was kept for a file, if one was and it can be read."""
    try:
        return read_document(kept_recipes() / f"{digest}.json", "recipe")
    except FileError:
        return None
