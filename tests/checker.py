"""An independent checker: every promise recomputed from released rows by its definition, in plain Python."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import lookalike as la

Row = Mapping[str, Any]


def classes_of(rows: Sequence[Row], quasi: Sequence[str]) -> list[list[Row]]:
    """Rows grouped by equal quasi-identifiers; missing equals missing."""
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in quasi)].append(row)
    return list(groups.values())


def keeps(rows: Sequence[Row], quasi: Sequence[str], model: la.Model) -> bool:
    """Whether released rows keep a promise."""
    classes = classes_of(rows, quasi)
    if isinstance(model, la.KAnonymity):
        return all(len(c) >= model.k for c in classes)
    if isinstance(model, la.AverageRisk):
        return not rows or len(classes) / len(rows) <= model.limit + 1e-9
    if isinstance(model, la.SampleUniqueness):
        return not rows or sum(len(c) == 1 for c in classes) / len(rows) <= model.limit + 1e-9
    column = model.columns[0]
    table = shares(rows, column)
    return all(_class_keeps(shares(c, column), len(c), table, model) for c in classes)


def shares(rows: Sequence[Row], column: str) -> dict[Any, float]:
    """How often each value occurs, as shares."""
    return {value: n / len(rows) for value, n in Counter(row[column] for row in rows).items()}


def _class_keeps(p: dict[Any, float], size: int, q: dict[Any, float], model: Any) -> bool:
    if isinstance(model, la.AlphaK):
        return size >= model.k and max(p.values()) <= model.alpha + 1e-9
    if isinstance(model, la.DirectionalDiversity):
        return p.get(model.negative, 0) < 1
    if isinstance(model, la.LDiversity):
        return _diverse(p, model)
    if isinstance(model, la.TCloseness):
        return _distance(p, q, model.distance) <= model.t + 1e-9
    if isinstance(model, la.KLCloseness):
        return sum(x * math.log(x / q[v]) for v, x in p.items()) <= model.t + 1e-9
    if isinstance(model, la.BetaLikeness):
        gains = [((x - q[v]) / q[v], q[v]) for v, x in p.items() if x > q[v]]
        return all(
            g <= min(model.beta, -math.log(b) if model.enhanced else math.inf) + 1e-9 for g, b in gains
        )
    if isinstance(model, la.DeltaDisclosure):
        return all(v in p and abs(math.log(p[v] / b)) < model.delta for v, b in q.items())
    raise AssertionError(f"the checker does not know {model}")


def _diverse(p: dict[Any, float], model: Any) -> bool:
    if model.kind == "distinct":
        return len(p) >= model.l
    if model.kind == "entropy":
        return math.exp(-sum(x * math.log(x) for x in p.values())) >= model.l - 1e-9
    r = sorted(p.values(), reverse=True)
    return r[0] < model.c * sum(r[int(model.l) - 1 :]) + 1e-12


def _distance(p: dict[Any, float], q: dict[Any, float], kind: str) -> float:
    if kind == "equal":
        return sum(abs(p.get(v, 0) - b) for v, b in q.items()) / 2
    moved = work = 0.0
    for value in sorted(q, key=lambda v: (v is None, v)):
        moved += p.get(value, 0) - q[value]
        work += abs(moved)
    return work / max(len(q) - 1, 1)
