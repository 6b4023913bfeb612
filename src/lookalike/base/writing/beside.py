"""What is being written lies beside its place, under a name of our own and a lock that says its writer is alive.

Whatever has lost its lock was left by a run that was killed, and the next one clears it away.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lookalike.base.errors import FileError, in_words

# Windows has no such locks: nothing is cleaned up there, and renames alone keep writers apart.
try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".lookalike-partial"


def left_behind(place: Path) -> Iterator[Path]:
    """What killed runs left beside a place, each locked while it is looked at."""
    for left in place.absolute().parent.glob(f".{_literal(place.name)}.*{SUFFIX}"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY)
            try:
                if lock(handle):
                    yield left
            finally:
                os.close(handle)


def lock(handle: int, *, wait: bool = False) -> bool | None:
    """Whether the lock is ours now; None where the system, or a network disk, has no such locks."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def sync(path: Path) -> None:
    """Have the disk keep a file, or the names in a folder."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def confirm(place: Path) -> None:
    """Have the disk keep the name of what is in its place now."""
    try:
        sync(place.absolute().parent)
    except OSError as problem:
        raise FileError(
            f"{place}: is in place, but the disk does not confirm it ({in_words(problem)}). Look whether it is still "
            "there when the machine was started again."
        ) from None


def _literal(name: str) -> str:
    """A name as a pattern that fits nothing else."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
