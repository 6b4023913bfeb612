"""Privacy models by their definitions, on lists of rows: slow, plain, and independent of the code under test."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.cells import Classes

VALUES = ["flu", "cold", "grippe", "asthma", None]


@st.composite
def tables(draw: st.DrawFn, *, units: bool = False, missing: bool = True) -> la.Table:
    """A small table: quasi-identifiers a and b, sensitive s (nominal) and v (numbers), perhaps with a unit."""
    n = draw(st.integers(1, 14))
    rows = st.lists

    def column(values: list[Any]) -> list[Any]:
        return draw(rows(st.sampled_from(values), min_size=n, max_size=n))

    frame = {
        "a": column([0, 1, 2] + ([None] if missing else [])),
        "b": column(["x", "y"]),
        "s": column(VALUES if missing else VALUES[:-1]),
        "v": column([1, 2, 5, 9, 11]),
    }
    types = {"a": "integer", "b": "nominal", "s": "nominal", "v": "integer"}
    if units:
        frame["who"] = column(list("pqrstu"))
    return la.table(
        pl.DataFrame(frame, schema_overrides={"a": pl.Int64, "s": pl.String}),
        quasi=["a", "b"],
        sensitive=["s", "v"],
        types=types,
        unit="who" if units else None,
    )


def groups(people: la.Table, by: tuple[str, ...] = ("a", "b")) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Rows by their quasi-identifiers."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in people.rows.iter_rows(named=True):
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    return found


def key_of(classes: Classes) -> list[tuple[Any, ...]]:
    """The quasi-identifiers of each class that is a single cell."""
    cells = classes.cells
    keys = [()] * len(classes)
    for cell, number in enumerate(classes.of_cell.tolist()):
        keys[number] = tuple(
            None
            if code == len(a.domain.values)
            else (int(a.domain.values[code]) if a.name == "a" else a.domain.values[code])
            for a, code in zip(cells.attributes, cells.codes[:, cell].tolist(), strict=True)
        )
    return keys


def distribution(rows: list[dict[str, Any]], column: str) -> dict[Any, float]:
    """Share of each value; a person counts once per value."""
    seen = {(row.get("who", i), row[column]) for i, row in enumerate(rows)}
    counts = Counter(value for _, value in seen)
    total = sum(counts.values())
    return {value: n / total for value, n in counts.items()}


def counts_of(rows: list[dict[str, Any]], column: str) -> list[int]:
    """People per value, most frequent first."""
    seen = {(row.get("who", i), row[column]) for i, row in enumerate(rows)}
    return sorted(Counter(value for _, value in seen).values(), reverse=True)


def people_in(rows: list[dict[str, Any]]) -> int:
    return len({row.get("who", i) for i, row in enumerate(rows)})


def recursive_l(counts: list[int], c: float) -> int:
    best = 0
    for l in range(1, len(counts) + 1):  # noqa: E741
        if counts[0] < c * sum(counts[l - 1 :]):
            best = l
    return best


def earth_mover(p: dict[Any, float], q: dict[Any, float], ground: dict[tuple[Any, Any], float]) -> float:
    """The cheapest way to move p onto q, by linear programming."""
    from scipy.optimize import linprog

    values = sorted({*p, *q}, key=str)
    m = len(values)
    cost = [ground[x, y] for x in values for y in values]
    leave = np.kron(np.eye(m), np.ones(m))
    arrive = np.kron(np.ones(m), np.eye(m))
    amounts = [p.get(x, 0.0) for x in values] + [q.get(x, 0.0) for x in values]
    solved = linprog(cost, A_eq=np.vstack([leave, arrive]), b_eq=amounts, method="highs")
    assert solved.status == 0
    return float(solved.fun)


def equal_distance(p: dict[Any, float], q: dict[Any, float]) -> float:
    return sum(abs(p.get(x, 0) - q.get(x, 0)) for x in {*p, *q}) / 2


def ordered_distance(p: dict[Any, float], q: dict[Any, float]) -> float:
    values = sorted(q, key=lambda x: (x is None, x))
    reached, total = 0.0, 0.0
    for value in values:
        reached += p.get(value, 0) - q[value]
        total += abs(reached)
    return total / max(len(values) - 1, 1)


def divergence(p: dict[Any, float], q: dict[Any, float]) -> float:
    return sum(share * math.log(share / q[value]) for value, share in p.items())


def gain(p: dict[Any, float], q: dict[Any, float], *, enhanced: bool) -> float:
    worst = 0.0
    for value, share in p.items():
        if share > q[value]:
            one = (share - q[value]) / q[value]
            worst = max(worst, math.inf if enhanced and one > -math.log(q[value]) + 1e-9 else one)
    return worst


def log_ratio(p: dict[Any, float], q: dict[Any, float]) -> float:
    return max(abs(math.log(p[value] / q[value])) if value in p else math.inf for value in q)
