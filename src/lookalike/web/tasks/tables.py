"""The step Table: what was understood of a file, and its rows, a few at a time."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.base.progress import Report
from lookalike.models.registry import offered
from lookalike.tables.columns.roles import Role
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache

_SHOWN = 120  # characters of a cell
MASK = "•••"


def describe(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """Rows, people, and what each column holds."""
    people = cache.raw(decisions)
    columns = []
    for i, name in enumerate(people.names):
        column = people.column(name)
        gone = int(column.counts[-1]) if column.domain.missing else 0
        columns.append(
            {
                "name": name,
                "kind": str(column.kind),
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
        "models": [model.offer() for model in offered()],
        "digest": _digest(Path(decisions["source"]["path"])),
    }


def rows(
    cache: Cache, decisions: Decisions, report: Report, *, start: int, end: int, of: str = "original"
) -> dict[str, Any]:
    """Some rows as the page may show them: identifiers masked, long cells cut, letters that steer text marked."""
    frame = cache.raw(decisions).rows if of == "original" else cache.release(decisions).rows
    start = max(start, 0)
    part = frame.slice(start, max(0, min(end - start, 200)))
    hidden = {name for name in part.columns if of == "original" and masked(decisions, name)}
    columns = [
        [None if cell is None else MASK if name in hidden else show(cell) for cell in _texts(part[name])]
        for name in part.columns
    ]
    keyed = [
        {f"c{i}": cell for i, cell in enumerate(row)} | {"row": start + number}
        for number, row in enumerate(zip(*columns, strict=True), 1)
    ]
    return {"rows": keyed, "total": frame.height, "names": part.columns}


def show(text: str) -> str:
    """A cell for the screen: cut, and without letters that nobody can see or that turn the text around."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return "".join(letter if letter.isprintable() else "␣" if letter.isspace() else "�" for letter in cut)


def _texts(series: pl.Series) -> list[str | None]:
    return [None if value is None else str(value) for value in series.to_list()]


def _digest(path: Path) -> str:
    """A name for the file's content, by which yesterday's recipe is found."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def masked(decisions: Decisions, name: str) -> bool:
    """Whether values of a column are kept off the screen."""
    return bool(decisions["roles"].get(name) == Role.IDENTIFIER)


def invent(cache: Cache, decisions: Decisions, report: Report, *, rows: int, path: str) -> dict[str, Any]:
    """People who do not exist, as a file."""
    import lookalike as la

    la.datasets.population(rows, seed=0).write_csv(path)
    return {}
