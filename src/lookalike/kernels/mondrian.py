"""Median cuts of many partitions at once: the inner loop of Mondrian.

Items (cells, or rows where equal tuples may be parted) stand in `order`, those of a partition as neighbours. Each
partition looks at its attributes from the widest to the narrowest and proposes the first cut that leaves enough records
on both sides. O(items x attributes) per round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import making_kernel, making_part, part

ORDERED, NESTED, GROUPS = (
    0,
    1,
    2,
)  #: cut between neighbours; between subtrees; into two balanced groups of values


@making_kernel
def propose(
    order: Any,
    begin: Any,
    codes: Any,
    records: Any,
    how: Any,
    place: Any,
    number: Any,
    up: Any,
    scale: Any,
    tabu: Any,
    smallest: int,
    relaxed: bool,
    cut: Any,
    side: Any,
) -> None:
    """For each partition the attribute to cut by (or -1), and for each item the side it goes to.

    how: kind of cut per attribute. place[a]: where the attribute's codes begin in `number` (a measure of width) and in
    the rows of `up` (nodes from the second level on, -1 above the root). scale[a]: weight over full width.
    tabu[partition, a]: cuts that were tried and refused.
    """
    attributes = len(codes)
    sizes = np.zeros(number.shape[0], dtype=np.int64)
    values = np.empty(number.shape[0], dtype=np.int64)
    left = np.zeros(number.shape[0], dtype=np.bool_)
    widths = np.empty(attributes)
    for p in range(len(begin) - 1):
        cut[p] = -1
        total = 0
        for i in range(begin[p], begin[p + 1]):
            total += records[order[i]]
        if total < 2 * smallest:
            continue
        for a in range(attributes):
            widths[a] = (
                0.0
                if tabu[p, a]
                else _width(
                    order,
                    begin[p],
                    begin[p + 1],
                    codes[a],
                    records,
                    how[a],
                    place[a],
                    number,
                    up,
                    sizes,
                    values,
                )
                * scale[a]
            )
        for _ in range(attributes):
            widest = np.argmax(widths)
            if widths[widest] <= 0:
                break
            if relaxed and how[widest] == ORDERED:
                fine = _halve(order, begin[p], begin[p + 1], codes[widest], side, total, smallest)
            else:
                fine = _split(
                    order,
                    begin[p],
                    begin[p + 1],
                    codes[widest],
                    records,
                    how[widest],
                    place[widest],
                    up,
                    sizes,
                    values,
                    left,
                    side,
                    total,
                    smallest,
                )
            if fine:
                cut[p] = widest
                break
            tabu[p, widest] = True
            widths[widest] = 0.0


@part
def _present(order: Any, lo: int, hi: int, codes: Any, records: Any, at: int, sizes: Any, values: Any) -> int:
    """Records of each value of a partition, and which values it has."""
    found = 0
    for i in range(lo, hi):
        item = order[i]
        if records[item] > 0:
            c = at + codes[item]
            if sizes[c] == 0:
                values[found] = c
                found += 1
            sizes[c] += records[item]
    return found


@part
def _width(
    order: Any,
    lo: int,
    hi: int,
    codes: Any,
    records: Any,
    how: int,
    at: int,
    number: Any,
    up: Any,
    sizes: Any,
    values: Any,
) -> float:
    """Extent of the values of a partition: from least to most, or how many there are; 0 for a single one."""
    found = _present(order, lo, hi, codes, records, at, sizes, values)
    least, most = np.inf, -np.inf
    for j in range(found):
        sizes[values[j]] = 0
        least = min(least, number[values[j]])
        most = max(most, number[values[j]])
    if found < 2:
        return 0.0
    return most - least if how == ORDERED else float(found)


@making_part
def _split(
    order: Any,
    lo: int,
    hi: int,
    codes: Any,
    records: Any,
    how: int,
    at: int,
    up: Any,
    sizes: Any,
    values: Any,
    left: Any,
    side: Any,
    total: int,
    smallest: int,
) -> bool:
    """Part the values of a partition in two, as evenly as the kind of cut allows."""
    found = _present(order, lo, hi, codes, records, at, sizes, values)
    some = values[:found]
    some.sort()
    small = 0
    if how == GROUPS:
        # The most frequent value first, each to the side that has less.
        rank = np.argsort(-sizes[some], kind="mergesort")
        a_side, b_side = 0, 0
        for j in rank:
            left[some[j]] = a_side <= b_side
            if left[some[j]]:
                a_side += sizes[some[j]]
            else:
                b_side += sizes[some[j]]
        small = min(a_side, b_side)
    else:
        # Ordered: between any two values. Nested: only between two subtrees of the lowest common ancestor.
        level = -1
        if how == NESTED:
            while level + 1 < up.shape[0]:
                same = True
                for j in range(1, found):
                    same = same and up[level + 1, some[j]] == up[level + 1, some[0]]
                if same:
                    break
                level += 1
        best, below = 0, 0
        reached = 0
        for j in range(found - 1):
            reached += sizes[some[j]]
            if level >= 0 and up[level, some[j]] == up[level, some[j + 1]]:
                continue
            even = min(reached, total - reached)
            if even > best:
                best, below = even, j + 1
        for j in range(found):
            left[some[j]] = j < below
        small = best
    fine = small >= smallest and small > 0
    if fine:
        for i in range(lo, hi):
            side[order[i]] = not left[at + codes[order[i]]]
    for j in range(found):
        sizes[some[j]] = 0
    return fine


@making_part
def _halve(order: Any, lo: int, hi: int, codes: Any, side: Any, total: int, smallest: int) -> bool:
    """Part rows at the median, those that have the median itself to either side so that both are even."""
    half = (hi - lo) // 2
    if half < smallest:
        return False
    rank = np.argsort(codes[order[lo:hi]], kind="mergesort")
    for i in range(hi - lo):
        side[order[lo + rank[i]]] = i >= half
    return True


@making_kernel
def apply_cuts(order: Any, begin: Any, accepted: Any, side: Any, into: Any, starts: Any) -> int:
    """Reorder items so that both sides of each accepted cut are partitions; returns how many there are now."""
    parts = 0
    for p in range(len(begin) - 1):
        lo, hi = begin[p], begin[p + 1]
        starts[parts] = lo
        parts += 1
        if not accepted[p]:
            into[lo:hi] = order[lo:hi]
            continue
        at = lo
        for i in range(lo, hi):
            if not side[order[i]]:
                into[at] = order[i]
                at += 1
        starts[parts] = at
        parts += 1
        for i in range(lo, hi):
            if side[order[i]]:
                into[at] = order[i]
                at += 1
    starts[parts] = begin[len(begin) - 1]
    return parts
