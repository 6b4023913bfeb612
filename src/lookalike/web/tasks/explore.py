"""The solution explorer of the step Blur: what else would keep the promise, over loss and risk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.errors import LookalikeError
from lookalike.progress import Report
from lookalike.releases.release import Release
from lookalike.tables.table import Table
from lookalike.web.tasks.running import Shop, asked, promises

_NEAR = 200  # nodes of the lattice near the best
_OTHERS = ("mondrian", "local", "sangreea")
_LARGE = 100_000  # rows beyond which only the quick methods are tried


def cloud(shop: Shop, recipe: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """The best generalisation and those near it, and the local recodings, as points."""
    import lookalike as la

    people = shop.table(recipe)
    points: list[dict[str, Any]] = []
    methods = ("optimal", *(_OTHERS if len(people) <= _LARGE else _OTHERS[:1]))
    for i, method in enumerate(methods):

        def part(share: float, i: int = i) -> None:
            report((i + share) / len(methods))

        told = {**asked(recipe, people), "method": method}
        extra: dict[str, Any] = {"alternatives": _NEAR} if method == "optimal" else {}
        try:
            release = la.anonymize(people, *promises(recipe), **told, **extra, progress=part)
        except LookalikeError:  # this one cannot keep the promise; the others may
            continue
        points.append(_point(release, method))
        points += [_near(people, one) for one in release.alternatives]
        part(1.0)
    return {"points": points}


def _point(release: Release, method: str) -> dict[str, Any]:
    kept = max(release.records - release.suppressed, 1)
    return {
        "series": method,
        "method": method,
        "loss": release.loss,
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
        "loss": float(other["loss"]),
        "risk": len(staying) / max(kept, 1),
        "k": k,
        "suppressed": int(other["suppressed"]),
        "levels": dict(other["levels"]),
    }
