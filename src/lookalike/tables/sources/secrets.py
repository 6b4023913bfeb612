"""Secret files: written for their owner only and never over another, read with a warning where others can read them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from lookalike.base.errors import FileError, warn
from lookalike.base.writing import write_file


def write_secret(path: str | Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write a new file that only its owner can read; an existing one is never touched."""
    write_file(path, content, what="a key", mode=mode, replace=False)


def read_secret(path: str | Path) -> bytes:
    """The content of a secret file; warns where others than its owner can read it."""
    try:
        with Path(path).open("rb") as file:
            if os.name != "nt" and stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                warn(
                    f"{path}: this key can be read by others than its owner. Take that away (chmod 600), and make a "
                    "new key if somebody may have read it.",
                )
            return file.read(2**16)
    except OSError:
        raise FileError(f"{path}: no key can be read from this file.") from None
