"""The step Risk: how easily people are told apart in the table as it came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.base.progress import Report
from lookalike.measures.risks.classical import Risk
from lookalike.measures.risks.regimes import REGIMES, read_against
from lookalike.measures.risks.words import sentences
from lookalike.web.state import MAKES_TABLE, key_of
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache

#: where bands of class sizes begin, besides the promised one and the thresholds in use
EDGES = (1, 2, 3, 5, 10, 20, 50, 100)
_MOST_SETS = 12


def risk_of(cache: Cache, decisions: Decisions) -> Risk:
    """The risk of the table, measured once."""
    import lookalike as la

    return cache.keep("risk", key_of(decisions, MAKES_TABLE), lambda: la.risk(cache.table(decisions)))


def measure(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """The numbers, the picture of class sizes, and readings against thresholds in use."""
    found = risk_of(cache, decisions)
    lines = sorted({regime.group for regime in REGIMES.values() if regime.group})
    promised = [model.smallest_class for model in cache.recipe(decisions).promises]
    readings = read_against(list(REGIMES), k=found.k, average=found.average)
    return {
        **found.to_dict(),
        "bands": bands(found, [*promised, *lines]),
        "sentences": sentences(found),
        "regimes": [one.to_dict() for one in readings],
        "lines": lines,
    }


def combinations(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """Which few columns single people out, and what each column adds to that."""
    special = risk_of(cache, decisions).special
    return {
        "sets": [
            {"columns": list(columns), "people": int(n)}
            for columns, n in list(zip(special.sets, special.people, strict=True))[:_MOST_SETS]
        ],
        "contributions": special.contributions,
        "unique": int((special.smallest > 0).sum()),
        "max_size": special.max_size,
    }


def minimal(cache: Cache, decisions: Decisions, report: Report, *, threshold: float) -> dict[str, Any]:
    """The smallest sets of quasi-identifiers that single out a given share of people."""
    import lookalike as la

    people = cache.table(decisions)
    found = la.minimal_quasi(
        people, threshold=threshold, measure="uniqueness", columns=people.quasi, progress=report
    )
    return found.to_dict()


def before(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """The strip's left half: the table as it came, and whether it keeps the promises already."""
    found = risk_of(cache, decisions)
    people = cache.table(decisions)
    models = cache.recipe(decisions).promises
    looked_at = [name for model in models for name in model.columns if name in people.names]
    classes = people.cells(sensitive=list(dict.fromkeys(looked_at))).classes()
    return {
        "k": found.k,
        "uniques": found.uniques,
        "people": found.people,
        "records": len(people),
        "kept": not any(bool(model.breaks(classes).any()) for model in models),
    }


def bands(risk: Risk, lines: Sequence[int]) -> list[dict[str, Any]]:
    """People by the size of the class they are in; every line lies where a band begins."""
    edges = sorted({*EDGES, *lines})
    out = []
    for low, above in zip(edges, [*edges[1:], None], strict=True):
        inside = (risk.sizes >= low) & ((risk.sizes < above) if above else True)
        n = int(risk.sizes[inside].sum())
        high = None if above is None else above - 1
        out.append({"low": low, "high": high, "classes": int(np.sum(inside)), "people": n})
    return out
