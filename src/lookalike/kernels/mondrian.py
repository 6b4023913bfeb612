"""Median cuts of many partitions at once: the inner loop of Mondrian.

Items (cells, or rows where equal tuples may be parted) stand in `order`, those of a partition as neighbours. Each
partition looks at its attributes from the widest to the narrowest and proposes the first cut that leaves enough records
on both sides. O(items x attributes) per round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.columns import NODE, RANGE, SET
from lookalike.kernels.compiling import kernel, part


class Items(NamedTuple):
    """What is cut, and along what: ranges between neighbours, nodes between subtrees, sets into two groups of values.

    Ranks measure width; values of a column with nodes are numbered in the order of its tree.
    """

    codes: Any  #: attributes x items
    records: Any  #: per item
    shape: Any  #: its scale is weight over full width


class PartitionRoom(NamedTuple):
    """Arrays to count the values of a partition in."""

    sizes: Any  #: per code: records that have it; 0 where nothing is counted
    values: Any  #: the codes present
    left: Any  #: per code: whether it goes to the left


def propose(
    order: Any, begin: Any, items: Items, widths: Any, smallest: int, relaxed: bool, cut: Any, side: Any
) -> None:
    """For each partition the attribute to cut by (or -1), and for each item the side it goes to.

    widths[partition, attribute]: below 0 not measured yet (filled in here), 0 cannot be cut or was refused.
    """
    codes = len(items.shape.rank)
    room = PartitionRoom(
        np.zeros(codes, np.int64),
        np.empty(codes, np.int64),
        np.zeros(codes, np.bool_),
    )
    _propose(order, begin, items, room, widths, smallest, relaxed, cut, side)


@kernel
def _propose(
    order: Any,
    begin: Any,
    items: Any,
    room: Any,
    widths: Any,
    smallest: Any,
    relaxed: Any,
    cut: Any,
    side: Any,
) -> None:
    for p in range(len(begin) - 1):
        lo, hi = begin[p], begin[p + 1]
        cut[p] = -1
        total = 0
        for i in range(lo, hi):
            total += items.records[order[i]]
        if total < 2 * smallest:
            continue
        for a in range(widths.shape[1]):
            if widths[p, a] < 0:
                widths[p, a] = _width(order, lo, hi, items, room, a) * items.shape.scale[a]
        while cut[p] < 0:
            widest = 0
            for a in range(widths.shape[1]):
                if widths[p, a] > widths[p, widest]:
                    widest = a
            if widths[p, widest] <= 0:
                break
            if _split(order, lo, hi, items, room, widest, side, smallest, relaxed):
                cut[p] = widest
            else:
                widths[p, widest] = 0.0


@part
def _present(order: Any, lo: Any, hi: Any, items: Any, room: Any, a: Any) -> Any:
    """Count the records of each value of a partition, and list the values; returns how many."""
    found = 0
    for i in range(lo, hi):
        item = order[i]
        many = items.records[item]
        if many > 0:
            c = items.shape.off[a] + items.codes[a, item]
            if room.sizes[c] == 0:
                room.values[found] = c
                found += 1
            room.sizes[c] += many
    return found


@part
def _width(order: Any, lo: Any, hi: Any, items: Any, room: Any, a: Any) -> Any:
    """Extent of the values of a partition: from least to most, or how many there are; 0 for a single one."""
    found = _present(order, lo, hi, items, room, a)
    least, most = np.inf, -np.inf
    for j in range(found):
        c = room.values[j]
        room.sizes[c] = 0
        number = items.shape.rank[c]
        least = number if number < least else least
        most = number if number > most else most
    if found < 2:
        return 0.0
    return most - least if items.shape.style[a] == RANGE else 1.0 * found


@part
def _split(
    order: Any,
    lo: Any,
    hi: Any,
    items: Any,
    room: Any,
    a: Any,
    side: Any,
    smallest: Any,
    relaxed: Any,
) -> Any:
    """Part a partition in two, as evenly as the kind of cut allows; whether both sides are large enough."""
    sizes, values, left = room.sizes, room.values, room.left
    found = _present(order, lo, hi, items, room, a)
    total = 0
    for j in range(found):
        total += sizes[values[j]]
    _sort(values, sizes, found, items.shape.style[a] == SET)
    median, above = np.int64(-1), 0  # the value that relaxed cuts part, and how many of it stay left
    if relaxed and items.shape.style[a] == RANGE:
        small = total // 2
        above = small
        for j in range(found):
            c = values[j]
            left[c] = median < 0
            if median < 0 and sizes[c] > above:
                median = c
            if median < 0:
                above -= sizes[c]
    elif items.shape.style[a] == SET:
        small = _deal_out(values, sizes, left, found)
    else:
        small = _halve(items, values, sizes, left, found, items.shape.style[a] == NODE, total)
    for j in range(found):
        sizes[values[j]] = 0
    if small < smallest or small == 0:
        return False
    for i in range(lo, hi):
        item = order[i]
        c = items.shape.off[a] + items.codes[a, item]
        side[item] = not left[c]
        if c == median:
            side[item] = above <= 0
            above -= 1
    return True


@part
def _sort(values: Any, sizes: Any, found: Any, by_size: Any) -> None:
    """Sort values, or the most frequent first and equally frequent ones by value (Shell 1959)."""
    gap = 1
    while gap < found:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for j in range(gap, found):
            c = values[j]
            z = j
            while z >= gap:
                other = values[z - gap]
                if by_size and sizes[other] != sizes[c]:
                    if sizes[other] > sizes[c]:
                        break
                elif other < c:
                    break
                values[z] = other
                z -= gap
            values[z] = c


@part
def _deal_out(values: Any, sizes: Any, left: Any, found: Any) -> Any:
    """The most frequent value first, each to the side that has less; returns the smaller side."""
    here, there = 0, 0
    for j in range(found):
        c = values[j]
        left[c] = here <= there
        if left[c]:
            here += sizes[c]
        else:
            there += sizes[c]
    return here if here < there else there


@part
def _halve(items: Any, values: Any, sizes: Any, left: Any, found: Any, nested: Any, total: Any) -> Any:
    """Cut between two values, or between two subtrees of their lowest common ancestor; returns the smaller side."""
    up = items.shape.up
    level = 0
    if nested:
        same = False
        while level + 1 < up.shape[0] and not same:
            same = True
            for j in range(1, found):
                same = same and up[level + 1, values[j]] == up[level + 1, values[0]]
            if not same:
                level += 1
    best, below, reached = 0, 0, 0
    for j in range(found - 1):
        reached += sizes[values[j]]
        if level > 0 and up[level, values[j]] == up[level, values[j + 1]]:
            continue
        even = reached if reached < total - reached else total - reached
        if even > best:
            best, below = even, j + 1
    for j in range(found):
        left[values[j]] = j < below
    return best


@kernel
def apply_cuts(order: Any, begin: Any, accepted: Any, side: Any, into: Any, starts: Any) -> Any:
    """Reorder items so that both sides of each accepted cut are partitions; returns how many there are now."""
    parts = 0
    for p in range(len(begin) - 1):
        at = begin[p]
        for right in range(2 if accepted[p] else 1):
            starts[parts] = at
            parts += 1
            for i in range(begin[p], begin[p + 1]):
                if not accepted[p] or side[order[i]] == (right == 1):
                    into[at] = order[i]
                    at += 1
    starts[parts] = begin[len(begin) - 1]
    return parts
