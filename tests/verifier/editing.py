"""Edits of a certificate, for tests that make them: which places there are, and what else could stand there."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lookalike as la
from lookalike.releases.certificate import checksum
from lookalike.releases.fields import field_of

GONE = object()  #: what stands in a place that was deleted


def other_values(value: Any) -> Iterator[Any]:
    """Other values of the same form, and of others."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1 if value > 0 else 7, 1000)
    elif isinstance(value, str):
        yield from (value[::-1] + "x", "people" if value == "records" else "keep", "0" * len(value))
    elif isinstance(value, list):
        yield from ([], value[1:], [*value, *value], value[::-1] if len(value) > 1 else ["x"])
    elif value is None:
        yield from ("*", "note", 1)
    elif isinstance(value, dict):
        yield {"x": 1}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of nested values, as the way to it."""
    if isinstance(value, dict) and value:
        for name, below in value.items():
            yield from places(below, (*path, name))
        yield path
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for place, below in enumerate(value):
            yield from places(below, (*path, place))
        yield path
    else:
        yield path


def replaced(written: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The same values with another one in a place, or without it where the value is `GONE`."""
    if not path:
        return value
    out = copy.copy(written)
    if value is GONE and len(path) == 1:
        del out[path[0]]
    else:
        out[path[0]] = replaced(written[path[0]], path[1:], value)
    return out


def found_at(written: Any, path: tuple[Any, ...]) -> Any:
    """What stands in a place."""
    for part in path:
        written = written[part]
    return written


def edits(original: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place of a certificate with what else could stand there, and would say something else."""
    for where in places(original):
        if where == ():
            continue
        yield where, GONE
        if where == ("checksum",):
            continue
        here = found_at(original, where)
        for value in other_values(here):
            same_names = where[0] in ("quasi", "sensitive") and sorted(value) == sorted(here)
            if value != here and not same_names:
                yield where, value


def slips_through(release: Path, path: Path, original: Any, where: tuple[Any, ...], value: Any) -> bool:
    """Whether an edit by a careful forger, who fits the checksum, is neither found nor in a field named as stated."""
    written = replaced(original, where, value)
    if where != ("checksum",):
        written["checksum"] = checksum(written)
    path.write_text(json.dumps(written))
    try:
        result = la.verify(release, path)
    except la.FileError:
        return False
    words = [part for part in where if not isinstance(part, int)]
    field = field_of(".".join(words)) or words[0]
    named = any(one == field or one.startswith(f"{field}.") for one in result.stated)
    return result.ok and not named
