"""Nearest rows under HEOM, the distance for mixed columns: numbers differ by their share of the range, names by 0 or 1.

A scan that leaves a row as soon as it is farther than the worst kept one: O(rows x columns) at most, exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel, part


@part
def term(a: Any, b: Any, nominal: Any) -> Any:
    """Difference of one column; NaN is missing and differs from everything by 1."""
    if np.isnan(a) or np.isnan(b):
        return 1.0
    if nominal:
        return 0.0 if a == b else 1.0
    return abs(a - b)


@part
def nearest(
    query: Any, rows: Any, allowed: Any, nominal: Any, squared: Any, found: Any, distance: Any
) -> None:
    """Fill in the nearest allowed rows in order of (distance, position); -1 where there are fewer."""
    want = len(found)
    for place in range(want):
        found[place], distance[place] = -1, np.inf
    for i in range(rows.shape[0]):
        if not allowed[i]:
            continue
        total = 0.0
        worst = distance[want - 1]
        for f in range(rows.shape[1]):
            d = term(query[f], rows[i, f], nominal[f])
            total += d * d if squared else d
            if total >= worst:
                break
        if total < worst:
            place = want - 1
            while place > 0 and distance[place - 1] > total:
                distance[place] = distance[place - 1]
                found[place] = found[place - 1]
                place -= 1
            distance[place] = total
            found[place] = i


@kernel
def nearest_many(
    queries: Any, rows: Any, allowed: Any, nominal: Any, squared: Any, found: Any, distance: Any
) -> None:
    """`nearest` for several queries; `allowed` has a row for each of them, or one for all."""
    for q in range(queries.shape[0]):
        mine = allowed[q] if allowed.shape[0] > 1 else allowed[0]
        nearest(queries[q], rows, mine, nominal, squared, found[q], distance[q])


def distances(query: Any, rows: Any, nominal: Any, squared: Any) -> Any:
    """Distance (squared, if so asked) of every row to the query."""
    out = np.empty(len(rows))
    _measure(query, rows, nominal, squared, out)
    return out


@kernel
def _measure(query: Any, rows: Any, nominal: Any, squared: Any, out: Any) -> None:
    for i in range(rows.shape[0]):
        out[i] = 0.0
        for f in range(rows.shape[1]):
            d = term(query[f], rows[i, f], nominal[f])
            out[i] += d * d if squared else d
