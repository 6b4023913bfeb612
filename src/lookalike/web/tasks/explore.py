"""The solution explorer of the step Blur: what else would keep the promise, over loss and risk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.base.errors import LookalikeError
from lookalike.base.progress import Report
from lookalike.releases.release import Release
from lookalike.tables.table import Table
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import LARGE, Cache
from lookalike.web.tasks.tables import rows

_NEAR = 200  # nodes of the lattice near the best
_OTHERS = ("mondrian", "local", "sangreea")
_ROWS = 40  # of a solution that are shown


def cloud(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """The best generalisation and those near it, and the local recodings, as points."""
    people = cache.table(decisions)
    points: list[dict[str, Any]] = []
    methods = ("optimal", *(_OTHERS if len(people) <= LARGE else _OTHERS[:1]))
    for i, method in enumerate(methods):

        def part(share: float, i: int = i) -> None:
            report((i + share) / len(methods))

        extra: dict[str, Any] = {"alternatives": _NEAR} if method == "optimal" else {}
        try:
            release = cache.release({**decisions, "method": method, "options": extra}, part)
        except LookalikeError:  # this one cannot keep the promise; the others may
            continue
        points.append(_point(release, method))
        points += [_near(people, one) for one in release.alternatives]
        part(1.0)
    return {"points": points}


def table(
    cache: Cache, decisions: Decisions, report: Report, *, method: str, options: dict[str, Any]
) -> dict[str, Any]:
    """The first rows of the table that another method or other levels give, as far as outsiders know them."""
    other = {**decisions, "method": method, "options": options}
    cache.release(other, report)
    found = rows(cache, other, report, start=0, end=_ROWS, of="release")
    known = [i for i, name in enumerate(found["names"]) if decisions["roles"].get(name) == "quasi"]
    return {
        "names": [found["names"][i] for i in known],
        "rows": [[row[f"c{i}"] for i in known] for row in found["rows"]],
        "total": found["total"],
    }


def _point(release: Release, method: str) -> dict[str, Any]:
    kept = max(release.records - release.suppressed, 1)
    return {
        "series": method,
        "method": method,
        "options": {},
        "loss": release.detail_lost,
        "risk": release.classes / kept,
        "k": release.k,
        "suppressed": release.suppressed,
        "levels": release.levels,
    }


def _near(people: Table, other: Mapping[str, Any]) -> dict[str, Any]:
    """A node near the best; its average risk is one over the mean class, among those that stay."""
    classes = people.cells().roll_up(other["levels"])
    sizes = np.sort(classes.counts)[::-1]
    kept = len(people) - int(other["suppressed"])
    staying = sizes[np.cumsum(sizes) <= kept]
    k = int(staying.min(initial=int(sizes[0])))
    return {
        "series": "near",
        "method": "levels",
        "options": {"levels": dict(other["levels"])},
        "loss": float(other["loss"]),
        "risk": len(staying) / max(kept, 1),
        "k": k,
        "suppressed": int(other["suppressed"]),
        "levels": dict(other["levels"]),
    }
