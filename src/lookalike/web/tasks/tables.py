"""The step Table: what was understood of a file, and its rows, a few at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.columns.roles import Role
from lookalike.progress import Report
from lookalike.web.tasks.running import Shop

_SHOWN = 120  # characters of a cell
MASK = "•••"


def describe(shop: Shop, recipe: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Rows, people, and what each column holds."""
    people = shop.table(recipe)
    columns = []
    for i, name in enumerate(people.names):
        column = people.column(name)
        gone = int(column.counts[-1]) if column.domain.missing else 0
        columns.append(
            {
                "name": name,
                "kind": str(column.kind),
                "role": str(people.roles[name]),
                "distinct": len(column.domain.values),
                "missing": gone,
            }
        )
        report((i + 1) / len(people.names))
    unit = None if people.unit is None else len(people.column(people.unit).domain.values)
    return {
        "rows": len(people),
        "people": len(people) if unit is None else unit,
        "columns": columns,
        "digest": _digest(recipe["source"]),
    }


def rows(
    shop: Shop, recipe: Mapping[str, Any], report: Report, *, start: int, end: int, of: str = "original"
) -> dict[str, Any]:
    """Some rows as the page may show them: identifiers masked, long cells cut, letters that steer text marked."""
    people = shop.table(recipe)
    frame = people.rows if of == "original" else shop.release(recipe).rows
    start = max(start, 0)
    part = frame.slice(start, max(0, min(end - start, 200)))
    hidden = set(people.identifiers) if of == "original" else set()
    columns = [
        [None if cell is None else MASK if name in hidden else show(cell) for cell in _texts(part[name])]
        for name in part.columns
    ]
    keyed = [
        {f"c{i}": cell for i, cell in enumerate(row)} | {"row": start + number}
        for number, row in enumerate(zip(*columns), 1)
    ]
    return {"rows": keyed, "total": frame.height, "names": part.columns}


def show(text: str) -> str:
    """A cell for the screen: cut, and without letters that nobody can see or that turn the text around."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return "".join(letter if letter.isprintable() else "␣" if letter.isspace() else "�" for letter in cut)


def _texts(series: pl.Series) -> list[str | None]:
    return [None if value is None else str(value) for value in series.to_list()]


def _digest(source: Mapping[str, Any]) -> str:
    """A name for the file's content, by which yesterday's recipe is found."""
    if "sample" in source:
        return hashlib.sha256(repr(sorted(source.items())).encode()).hexdigest()[:32]
    with Path(source["path"]).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def masked(role: Role) -> bool:
    """Whether values of a column are kept off the screen."""
    return role is Role.IDENTIFIER
