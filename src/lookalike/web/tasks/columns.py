"""The step Columns: proposed roles with their evidence, and a column seen closely."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.linked import CHOICES
from lookalike.base.progress import Report
from lookalike.recognition.links import Link
from lookalike.runs.unknown import codes_for_missing
from lookalike.tables.columns.coding import Column
from lookalike.web.state import MAKES_TABLE, key_of
from lookalike.web.tasks.decisions import Decisions, decisions_of
from lookalike.web.tasks.running import Cache
from lookalike.web.tasks.tables import masked, show

_MOST_VALUES = 12
_BINS = 16


def propose(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """What `la.inspect` finds in the table as it came, and the decisions that `la.prepare` drafts from it.

    Codes among numbers that mean missing are read so, while nothing is decided yet.
    """
    import lookalike as la

    found = la.inspect(cache.raw(decisions), progress=report)
    codes = [] if decisions["roles"] else codes_for_missing(found)
    reading = decisions["reading"]
    if codes:
        reading = {**reading, "na": [*reading["na"], *codes]}
        found = la.inspect(cache.raw({**decisions, "reading": reading}), progress=report)
    free = set(found.na)  # what is a value of another column is not offered
    return {
        "columns": [
            {**one.to_dict(), "stand_ins": [text for text in one.stand_ins if text in free]}
            for one in found.columns
        ],
        "draft": {"reading": reading, **decisions_of(la.prepare(found), found.source)},
    }


def links(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """The columns that give a quasi-identifier away as things stand, and what may be decided about each."""
    import lookalike as la

    people = cache.table(decisions)
    promised = {name for one in cache.recipe(decisions).promises for name in one.columns}

    def find() -> tuple[Link, ...]:
        shown = [name for name in people.names if decisions["roles"].get(name) not in ("identifier", "quasi")]
        return la.linked_columns(people, columns=shown) if people.quasi and shown else ()

    found = cache.keep("links", key_of(decisions, MAKES_TABLE), find)
    return {
        "links": [
            {**one.to_dict(), "choices": ["accept"] if promised & set(one.columns) else list(CHOICES)}
            for one in found
        ]
    }


def look(cache: Cache, decisions: Decisions, report: Report, *, column: str) -> dict[str, Any]:
    """One column: its commonest values, or the shape of its numbers; nothing of an identifier."""
    people = cache.raw(decisions)
    coded = people.column(column)
    return {
        "name": column,
        "kind": str(coded.kind),
        "values": [] if masked(decisions, column) else distribution(coded, len(people)),
    }


def distribution(coded: Column, total: int, counts: NDArray[Any] | None = None) -> list[dict[str, Any]]:
    """How rows spread over values: bins of numbers, else the commonest values and the rest, as shares of `total`.

    counts: rows per code, where they are not the column's own; what is shown is chosen by the column's own.
    """
    total = max(total, 1)
    shown = coded.counts if counts is None else counts
    own, mine = coded.counts[: len(coded.domain.values)], shown[: len(coded.domain.values)]
    gone = float(shown[-1]) if coded.domain.missing else 0.0
    out: list[dict[str, Any]] = []
    if coded.kind.numeric and len(own) > _BINS:
        numbers = coded.domain.numbers[: len(own)]
        edges = np.linspace(numbers.min(), numbers.max(), _BINS + 1)
        place = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, _BINS - 1)
        for i in range(_BINS):
            inside = np.flatnonzero(place == i)
            label = "" if not len(inside) else coded.domain.texts[int(inside[0])]
            out.append({"label": label, "share": float(mine[inside].sum() / total)})
    else:
        few = coded.kind.ordered and len(own) <= _BINS
        order = np.arange(len(own)) if few else np.argsort(-own, kind="stable")
        most = _BINS if coded.kind.ordered else _MOST_VALUES
        out = [
            {"label": show(coded.domain.texts[i]), "share": float(mine[i] / total)}
            for i in order[:most].tolist()
        ]
        rest = order[most:]
        if len(rest):
            out.append({"rest": len(rest), "share": float(mine[rest].sum() / total)})
    if gone:
        out.append({"label": None, "share": gone / total})
    return out
