"""Pureness of CF-K's boxes: the tuples of values a box holds, and the share of them with the desired outcome.

What the model answered is kept by tuple, so that boxes with tuples in common ask once. O(tuples x columns) per box.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lookalike.kernels.compiling import kernel, part


class Answers(NamedTuple):
    """What the model answered so far."""

    radix: Any  #: per column: turns a tuple into its key
    keys: Any  #: sorted
    answer: Any  #: per key


@part
def tuples(mask: Any, offset: Any, priority: Any, out: Any) -> Any:
    """The tuples of values in a box: all of them if there is room, else a sample.

    Sample j takes in each column the held value that comes first in its own shuffled order (`priority[j]`), so two
    boxes that differ in one value share all sampled tuples but those with that value. Returns how many were written.
    """
    columns, limit = len(offset) - 1, len(out)
    product = 1.0
    for a in range(columns):
        held = 0
        for v in range(offset[a], offset[a + 1]):
            held += mask[v]
        product *= held
    if product <= limit:
        n = 1
        for a in range(columns):
            times = 0
            for v in range(offset[a], offset[a + 1]):
                if mask[v]:
                    for i in range(n):
                        for b in range(a):
                            out[times * n + i, b] = out[i, b]
                        out[times * n + i, a] = v - offset[a]
                    times += 1
            n *= times
        return n
    for j in range(limit):
        for a in range(columns):
            best = -1
            for v in range(offset[a], offset[a + 1]):
                if mask[v] and (best < 0 or priority[j, v] < priority[j, best]):
                    best = v
            out[j, a] = best - offset[a]
    return limit


@part
def find(known: Any, key: Any) -> Any:
    """Place of a key among sorted keys, or -1."""
    lo, hi = 0, len(known)
    while lo < hi:
        middle = (lo + hi) >> 1
        if known[middle] < key:
            lo = middle + 1
        else:
            hi = middle
    return lo if lo < len(known) and known[lo] == key else -1


@kernel
def judge(
    masks: Any,
    offset: Any,
    priority: Any,
    known: Any,
    held: Any,
    pureness: Any,
    tried: Any,
    keys: Any,
    ask: Any,
) -> Any:
    """Pureness of several boxes from the answers known so far; -1 where some are not known.

    What is not known goes into `keys` and `ask`; returns how many. `held` is room for the tuples of one box.
    """
    columns = len(offset) - 1
    n = 0
    for b in range(masks.shape[0]):
        m = tuples(masks[b], offset, priority, held)
        yes, unknown = 0, 0
        for i in range(m):
            key = 0
            for a in range(columns):
                key += held[i, a] * known.radix[a]
            at = find(known.keys, key)
            if at >= 0:
                yes += known.answer[at]
                continue
            unknown += 1
            keys[n] = key
            for a in range(columns):
                ask[n, a] = held[i, a]
            n += 1
        tried[b] = m
        pureness[b] = -1.0 if unknown else yes / m
    return n
