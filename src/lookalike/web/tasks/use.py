"""The step Use: every column before and after, and what classifiers still learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lookalike.progress import Report
from lookalike.web.tasks.columns import distribution
from lookalike.web.tasks.running import Shop
from lookalike.web.tasks.tables import masked, show

_MOST = 14


def compare(shop: Shop, recipe: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Each column of the release beside the original's."""
    release = shop.release(recipe, report)
    people = release.people
    columns = []
    for name in people.names:
        coded = people.column(name)
        hidden = masked(people.roles[name])
        after = None
        if name in release.rows.columns:
            after = _spread(release.rows[name], release.records)
        columns.append(
            {
                "name": name,
                "role": str(people.roles[name]),
                "before": [] if hidden else distribution(people, coded),
                "after": after,
                "distinct": [
                    len(coded.domain.values),
                    release.rows[name].n_unique() if after is not None else 0,
                ],
            }
        )
    return {"columns": columns, "suppressed": release.suppressed, "records": release.records}


def _spread(series: pl.Series, total: int) -> list[dict[str, Any]]:
    """The published labels with their shares of the original's rows; the commonest where there are many."""
    counted = series.cast(pl.String).value_counts(sort=True)
    labels, counts = counted[series.name].to_list(), counted[counted.columns[1]].to_list()
    pairs = list(zip(labels, counts))
    shown = sorted(pairs[:_MOST], key=lambda pair: (pair[0] is None, _order(pair[0])))
    out = [
        {"label": None if label is None else show(label), "share": count / max(total, 1)}
        for label, count in shown
    ]
    rest = pairs[_MOST:]
    if rest:
        out.append({"rest": len(rest), "share": sum(count for _, count in rest) / max(total, 1)})
    return out


def _order(label: str | None) -> tuple[float, str]:
    """Ranges by where they begin, other labels by their letters."""
    text = (label or "").lstrip("[(<>=≥≤ ")
    digits = ""
    for letter in text:
        if not (letter.isdigit() or letter in ".-") or (letter == "-" and digits):
            break
        digits += letter
    try:
        return float(digits), text
    except ValueError:
        return float("inf"), text


def learn(shop: Shop, recipe: Mapping[str, Any], report: Report, *, target: str) -> dict[str, Any]:
    """What classifiers learn from original and release."""
    import lookalike as la

    release = shop.release(recipe)
    found = la.evaluate(release.people, release, targets=[target], progress=report)
    return {"text": str(found), "result": found.to_dict()}
