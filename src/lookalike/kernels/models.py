"""Earth mover's distances of sensitive values per class, on histograms in compressed rows.

A histogram is (starts, value, count): the entries of class c are starts[c] .. starts[c + 1] - 1, values ascending,
counts positive. `share` holds the table's share of each value. Every kernel returns one number per class, NaN for a
class without entries, and costs O(entries), times log(values) for the ordered distance, times levels for the tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel, part


@part
def _total(count: Any, begin: int, end: int) -> int:
    total = 0
    for e in range(begin, end):
        total += count[e]
    return total


def equal_distances(starts: Any, value: Any, count: Any, share: Any) -> Any:
    """Half the sum of absolute differences: the earth mover's distance when all values are equally far apart."""
    out = np.full(len(starts) - 1, np.nan)
    _equal(starts, value, count, share, out)
    return out


@kernel
def _equal(starts: Any, value: Any, count: Any, share: Any, out: Any) -> None:
    for c in range(len(out)):
        total = _total(count, starts[c], starts[c + 1])
        if total == 0:
            continue
        more = 0.0  # what the class has above the table is what must move
        for e in range(starts[c], starts[c + 1]):
            above = count[e] / total - share[value[e]]
            more += above if above > 0.0 else 0.0
        out[c] = more


def ordered_distances(starts: Any, value: Any, count: Any, reached: Any, area: Any) -> Any:
    """Mean absolute difference of the cumulative shares: the earth mover's distance on ranks.

    `reached[v]` is the table's share of values up to v, `area[v]` the sum of `reached` before v. Between two entries
    the class's cumulative share p stands still while the table's grows, so the sum of their differences over the run
    follows from `area` and the place where `reached` passes p.
    """
    out = np.full(len(starts) - 1, np.nan)
    _ordered(starts, value, count, reached, area, out)
    return out


@kernel
def _ordered(starts: Any, value: Any, count: Any, reached: Any, area: Any, out: Any) -> None:
    m = len(reached)
    for c in range(len(out)):
        total = _total(count, starts[c], starts[c + 1])
        if total == 0:
            continue
        distance = 0.0
        seen = 0
        here = 0
        for e in range(starts[c], starts[c + 1] + 1):
            there = m - 1
            if e < starts[c + 1] and value[e] < there:
                there = value[e]
            p = seen / total
            low, high = here, there
            while low < high:
                middle = (low + high) // 2
                if reached[middle] > p:
                    high = middle
                else:
                    low = middle + 1
            distance += p * (low - here) - (area[low] - area[here])
            distance += (area[there] - area[low]) - p * (there - low)
            if e < starts[c + 1]:
                seen += count[e]
            here = there
        out[c] = distance / (m - 1 if m > 1 else 1)


def tree_distances(starts: Any, value: Any, count: Any, up: Any, share: Any) -> Any:
    """Earth mover's distance where two values are as far apart as their common ancestor is high, over the height.

    `up[level, value]` is the node on a level below the root, `share[level, node]` the table's share under it. On a
    tree all that crosses the edge above a node is the difference of the shares under it.
    """
    out = np.full(len(starts) - 1, np.nan)
    _tree(starts, value, count, up, share, np.zeros(share.shape[1], dtype=np.int64), out)
    return out


@kernel
def _tree(starts: Any, value: Any, count: Any, up: Any, share: Any, here: Any, out: Any) -> None:
    height = up.shape[0]
    for c in range(len(out)):
        total = _total(count, starts[c], starts[c + 1])
        if total == 0:
            continue
        moved = 0.0
        for level in range(height):
            for e in range(starts[c], starts[c + 1]):
                here[up[level, value[e]]] += count[e]
            for e in range(starts[c], starts[c + 1]):
                node = up[level, value[e]]
                if here[node] > 0:
                    above = here[node] / total - share[level, node]
                    moved += above if above > 0.0 else 0.0
                    here[node] = 0
        out[c] = moved / (height if height else 1)
