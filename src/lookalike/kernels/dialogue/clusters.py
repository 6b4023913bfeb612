"""Partly built clusters and what it costs a record to join them, for the questions of a dialogue.

An attribute is a range of numbers scaled to 0..1 (NaN: missing) or a tree given by the node of every code on every
level. Growing P clusters of up to m records out of S costs O(P m S attributes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.columns import RANGE, join_level
from lookalike.kernels.compiling import kernel, part


class Growing(NamedTuple):
    """A cluster while it grows: per attribute."""

    low: Any
    high: Any
    missing: Any
    level: Any


@part
def _range_loss(lo: Any, hi: Any, missing: Any) -> Any:
    """Width of a range; missing alone loses nothing, missing beside numbers everything."""
    if hi < lo:
        return 0.0
    return 1.0 if missing else hi - lo


@part
def _join(shape: Any, a: Any, value: Any, lo: Any, hi: Any, missing: Any, member: Any, level: Any) -> Any:
    """Attribute `a` of a cluster after a value has joined it: lo, hi, missing, level."""
    if shape.style[a] == RANGE:
        number = shape.rank[value]
        if number != number:
            return lo, hi, True, level
        return number if number < lo else lo, number if number > hi else hi, missing, level
    return lo, hi, missing, join_level(shape.up, level, member, value)


@part
def _loss(shape: Any, a: Any, lo: Any, hi: Any, missing: Any, member: Any, level: Any) -> Any:
    if shape.style[a] == RANGE:
        return _range_loss(lo, hi, missing)
    return shape.cost[level, member]


def grow_clusters(shape: Any, rows: Any, weights: Any, seeds: Any, sizes: Any) -> Any:
    """Grow one cluster per seed to its size, always by the record that adds least weighted loss, ties to the first.

    rows: records x attributes. Returns the members of each cluster, -1 behind the last.
    """
    n, attributes = rows.shape
    members = np.full((len(seeds), sizes.max()), -1)
    members[:, 0] = seeds
    cluster = Growing(
        np.empty(attributes),
        np.empty(attributes),
        np.empty(attributes, np.bool_),
        np.empty(attributes, np.int64),
    )
    _grow(shape, rows, weights, sizes, cluster, np.full(n, -1), members)
    return members


@kernel
def _grow(shape: Any, rows: Any, weights: Any, sizes: Any, cluster: Any, taken: Any, members: Any) -> None:
    """`taken` holds the cluster that took a record last."""
    lo, hi, missing, level = cluster
    n, attributes = rows.shape
    for c in range(len(members)):
        first = members[c, 0]
        taken[first] = c
        for a in range(attributes):
            lo[a], hi[a], missing[a], level[a] = _join(
                shape, a, rows[first, a], np.inf, -np.inf, False, rows[first, a], 0
            )
        for m in range(1, sizes[c]):
            best, chosen = np.inf, -1
            for r in range(n):
                if taken[r] == c:
                    continue
                total = 0.0
                for a in range(attributes):
                    low, high, gap, top = _join(
                        shape, a, rows[r, a], lo[a], hi[a], missing[a], rows[first, a], level[a]
                    )
                    total += weights[a] * _loss(shape, a, low, high, gap, rows[first, a], top)
                    if total >= best:
                        break
                if total < best:
                    best, chosen = total, r
            if chosen < 0:
                break
            taken[chosen] = c
            members[c, m] = chosen
            for a in range(attributes):
                lo[a], hi[a], missing[a], level[a] = _join(
                    shape, a, rows[chosen, a], lo[a], hi[a], missing[a], rows[first, a], level[a]
                )


def joining_losses(shape: Any, rows: Any, members: Any, asked: Any) -> Any:
    """Loss per attribute of each cluster as it is, and with each row in it.

    Returns before (clusters x attributes) and, rows x clusters x attributes, after and the ends of the range after.
    """
    before = np.empty((len(members), rows.shape[1]))
    after, lows, highs = np.empty((3, len(asked), *before.shape))
    _join_each(shape, rows, members, asked, before, after, lows, highs)
    return before, after, lows, highs


@kernel
def _join_each(
    shape: Any, rows: Any, members: Any, asked: Any, before: Any, after: Any, lows: Any, highs: Any
) -> None:
    attributes = rows.shape[1]
    for c in range(len(members)):
        first = members[c, 0]
        for a in range(attributes):
            lo, hi, missing, level = np.inf, -np.inf, False, 0
            member = rows[first, a]
            for m in range(members.shape[1]):
                if members[c, m] < 0:
                    break
                lo, hi, missing, level = _join(
                    shape, a, rows[members[c, m], a], lo, hi, missing, member, level
                )
            before[c, a] = _loss(shape, a, lo, hi, missing, member, level)
            for r in range(len(asked)):
                low, high, gap, top = _join(shape, a, rows[asked[r], a], lo, hi, missing, member, level)
                after[r, c, a] = _loss(shape, a, low, high, gap, member, top)
                lows[r, c, a], highs[r, c, a] = low, high
