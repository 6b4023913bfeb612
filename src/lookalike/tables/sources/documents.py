"""JSON files that others may have edited, damaged or planted: read within bounds of size and depth, or refused.

One pass over the text. Doubled keys and numbers that are none are refused too, so that a document says one thing only.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lookalike.base.errors import FileError, in_words

LARGEST = 2**28  #: bytes; the recoding of a million classes stays below
DEEPEST = 64  #: brackets within brackets; what Lookalike writes stays far below


def read_document(path: Path, what: str) -> dict[str, Any]:
    """The JSON object in a file; `what` names it in refusals, such as "certificate"."""
    try:
        if path.stat().st_size > LARGEST:
            raise FileError(
                f"{path}: is not a {what} (larger than {LARGEST // 2**20} MB, far beyond any of them)."
            )
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise FileError(f"{path}: the {what} cannot be read ({in_words(problem)}).") from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: is not a {what} (not JSON).") from None
    try:
        written = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise FileError(f"{path}: is not a {what} (nested too deeply).") from None
    except ValueError:
        raise FileError(f"{path}: is not a {what} (not JSON).") from None
    if not isinstance(written, dict):
        raise FileError(f"{path}: is not a {what}.")
    if _deeper(written, DEEPEST):
        raise FileError(f"{path}: is not a {what} (nested too deeply).")
    return written


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        raise ValueError("a key appears twice")
    return out


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _deeper(value: Any, most: int) -> bool:
    """Whether brackets stand within brackets more than `most` deep, found level by level."""
    level: list[Any] = [value]
    for _ in range(most + 1):
        level = [
            below
            for one in level
            for below in (one.values() if isinstance(one, dict) else one)
            if isinstance(below, dict | list)
        ]
        if not level:
            return False
    return True
