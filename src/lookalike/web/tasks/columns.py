"""The step Columns: proposed roles with their evidence, and a column seen closely."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.columns.coding import Column
from lookalike.progress import Report
from lookalike.tables.table import Table
from lookalike.web.tasks.running import Shop
from lookalike.web.tasks.tables import masked, show

_MOST_VALUES = 12
_BINS = 16


def inspect(shop: Shop, recipe: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """The proposal of `la.inspect` for the table as it came."""
    import lookalike as la

    bare = {**recipe, "roles": {}, "hierarchies": {}}
    found = la.inspect(shop.table(bare), progress=report)
    return {"columns": [one.to_dict() for one in found.columns]}


def look(shop: Shop, recipe: Mapping[str, Any], report: Report, *, column: str) -> dict[str, Any]:
    """One column: its commonest values, or the shape of its numbers; nothing of an identifier."""
    people = shop.table(recipe)
    coded = people.column(column)
    return {
        "name": column,
        "kind": str(coded.kind),
        "role": str(people.roles[column]),
        "values": [] if masked(people.roles[column]) else distribution(people, coded),
    }


def distribution(people: Table, coded: Column) -> list[dict[str, Any]]:
    """How the rows spread over values: bins of numbers, else the commonest values and the rest."""
    total = max(len(people), 1)
    known = coded.counts[: len(coded.domain.values)]
    gone = int(coded.counts[-1]) if coded.domain.missing else 0
    out: list[dict[str, Any]] = []
    if coded.kind.numeric and len(known) > _BINS:
        numbers = coded.domain.numbers[: len(known)]
        edges = np.linspace(numbers.min(), numbers.max(), _BINS + 1)
        place = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, _BINS - 1)
        for i in range(_BINS):
            inside = np.flatnonzero(place == i)
            label = "" if not len(inside) else coded.domain.texts[int(inside[0])]
            out.append({"label": label, "share": float(known[inside].sum() / total)})
    else:
        order = (
            np.arange(len(known))
            if coded.kind.ordered and len(known) <= _BINS
            else np.argsort(-known, kind="stable")
        )
        most = _BINS if coded.kind.ordered else _MOST_VALUES
        out = [
            {"label": show(coded.domain.texts[i]), "share": float(known[i] / total)}
            for i in order[:most].tolist()
        ]
        rest = order[most:]
        if len(rest):
            out.append({"rest": len(rest), "share": float(known[rest].sum() / total)})
    if gone:
        out.append({"label": None, "share": gone / total})
    return out
