"""Semantic risk for the step Risk: the numbers, and the lattice as places and lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.base.progress import Report
from lookalike.fca.drawing import concept_risk
from lookalike.fca.lattices import Lattice, concept_lattice
from lookalike.measures.risks.semantic import SemanticRisk
from lookalike.web.state import MAKES_TABLE, key_of
from lookalike.web.tasks.decisions import Decisions
from lookalike.web.tasks.running import Cache
from lookalike.web.tasks.tables import show

_MOST_CONCEPTS = 50


def _risk(cache: Cache, decisions: Decisions, report: Report) -> SemanticRisk:
    import lookalike as la

    return cache.keep(
        "semantic",
        key_of(decisions, MAKES_TABLE),
        lambda: la.semantic_risk(cache.table(decisions), progress=report),
        most=2,
    )


def measure(cache: Cache, decisions: Decisions, report: Report) -> dict[str, Any]:
    """Numbers, regions, what dropping each column would buy, and the concepts of the largest groups."""
    found = _risk(cache, decisions, report)
    lattice = _lattice(cache, decisions, report)
    return {
        "max": found.max,
        "mean": found.mean,
        "at_risk": found.at_risk,
        "safe": found.safe.kept,
        "threshold": found.threshold,
        "columns": [one.to_dict() for one in found.compare_columns(progress=report)],
        **_placed(lattice, found.threshold),
    }


def _lattice(cache: Cache, decisions: Decisions, report: Report) -> Lattice:
    """The concepts of the largest groups, as many as can be read."""

    def make() -> Lattice:
        found = _risk(cache, decisions, report)
        found.refuse_people("the picture")
        context = found.context
        low, high = 0, context.size
        best = concept_lattice(context, minimum_support=1.0)
        while high - low > 1:
            middle = (low + high) // 2
            try:
                best = concept_lattice(context, minimum_support=middle / context.size, limit=_MOST_CONCEPTS)
                high = middle
            except RequestError:
                low = middle
        return best

    return cache.keep("lattice", key_of(decisions, MAKES_TABLE), make, most=2)


def _placed(lattice: Lattice, threshold: float) -> dict[str, Any]:
    """Concepts in layers from the largest downwards, each named by what it adds to those above."""
    n = len(lattice)
    layers = [0] * n
    parents: list[list[int]] = [[] for _ in range(n)]
    for a, b in zip(lattice.upper.tolist(), lattice.lower.tolist(), strict=True):
        layers[b] = max(layers[b], layers[a] + 1)
        parents[b].append(a)
    risks = concept_risk(lattice)
    rows: dict[int, list[int]] = {}
    x = np.zeros(n)
    for c in sorted(range(n), key=lambda c: layers[c]):
        rows.setdefault(layers[c], []).append(c)
    for layer in sorted(rows):
        here = sorted(
            rows[layer], key=lambda c: float(np.mean([x[p] for p in parents[c]])) if parents[c] else 0.0
        )
        for i, c in enumerate(here):
            x[c] = (i - (len(here) - 1) / 2) * 1000 / max(len(here), 1)
    names = [set(lattice.context.decode(lattice.intents[c])) for c in range(n)]
    largest = max(int(lattice.supports.max(initial=1)), 1)
    nodes = []
    for c in range(n):
        known: set[str] = set().union(*(names[p] for p in parents[c])) if parents[c] else set()
        nodes.append(
            {
                "x": float(x[c]),
                "y": float(layers[c] * 140),
                "support": int(lattice.supports[c]),
                "share": float(lattice.supports[c] / largest),
                "label": show(", ".join(sorted(names[c] - known))[:48]),
                "risky": bool(risks[c] > threshold),
            }
        )
    return {"nodes": nodes, "edges": list(zip(lattice.upper.tolist(), lattice.lower.tolist(), strict=True))}


def concept(cache: Cache, decisions: Decisions, report: Report, *, place: int) -> dict[str, Any]:
    """One concept: its attributes, its chain from the top, and what forgetting each of its attributes does."""
    found, lattice = _risk(cache, decisions, report), _lattice(cache, decisions, report)
    intent = list(lattice.context.decode(lattice.intents[place]))
    above: dict[int, list[int]] = {}
    for a, b in zip(lattice.upper.tolist(), lattice.lower.tolist(), strict=True):
        above.setdefault(b, []).append(a)
    chain = [place]
    while above.get(chain[-1]):
        chain.append(max(above[chain[-1]], key=lambda c: int(lattice.supports[c])))
    steps = []
    known: set[str] = set()
    for c in reversed(chain):
        here = set(lattice.context.decode(lattice.intents[c]))
        steps.append(
            {"label": show(", ".join(sorted(here - known)) or "*"), "support": int(lattice.supports[c])}
        )
        known = here
    forgotten = [{"name": show(name), "at_risk": found.without([name]).at_risk} for name in intent[:6]]
    return {
        "support": int(lattice.supports[place]),
        "attributes": [show(name) for name in intent],
        "chain": steps,
        "forget": forgotten,
    }
