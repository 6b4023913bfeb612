"""Partly built clusters and what it costs a record to join them, for the questions of a dialogue.

An attribute is a range of numbers scaled to 0..1 (NaN: missing) or a tree given by the node of every code on every
level. Growing P clusters of up to m records out of S costs O(P m S attributes).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import making_kernel, part


@part
def _range_loss(lo: Any, hi: Any, missing: Any) -> Any:
    """Width of a range; missing alone loses nothing, missing beside numbers everything."""
    if hi < lo:
        return 0.0
    return 1.0 if missing else hi - lo


@part
def _join(
    a: Any,
    code: Any,
    lo: Any,
    hi: Any,
    missing: Any,
    member: Any,
    level: Any,
    is_range: Any,
    number: Any,
    up: Any,
    start: Any,
    size: Any,
) -> Any:
    """Attribute `a` of a cluster after a code has joined it: lo, hi, missing, level."""
    if is_range[a]:
        value = number[start[a] + code]
        if np.isnan(value):
            return lo, hi, True, level
        return min(lo, value), max(hi, value), missing, level
    while up[start[a] + level * size[a] + member] != up[start[a] + level * size[a] + code]:
        level += 1
    return lo, hi, missing, level


@part
def _loss(
    a: Any,
    lo: Any,
    hi: Any,
    missing: Any,
    member: Any,
    level: Any,
    is_range: Any,
    loss: Any,
    start: Any,
    size: Any,
) -> Any:
    if is_range[a]:
        return _range_loss(lo, hi, missing)
    return loss[start[a] + level * size[a] + member]


@making_kernel
def grow_clusters(
    codes: Any,
    weights: Any,
    seeds: Any,
    sizes: Any,
    is_range: Any,
    number: Any,
    up: Any,
    loss: Any,
    start: Any,
    size: Any,
) -> Any:
    """Grow one cluster per seed to its size, always by the record that adds least weighted loss, ties to the first.

    codes: records x attributes. Returns the members of each cluster, -1 behind the last.
    """
    n, attributes = codes.shape
    members = np.full((len(seeds), sizes.max()), -1, np.int64)
    taken = np.zeros(n, np.bool_)
    lo, hi = np.empty(attributes), np.empty(attributes)
    missing = np.empty(attributes, np.bool_)
    level = np.empty(attributes, np.int64)
    for c in range(len(seeds)):
        first = seeds[c]
        taken[:] = False
        taken[first] = True
        members[c, 0] = first
        for a in range(attributes):
            lo[a], hi[a], missing[a], level[a] = _join(
                a,
                codes[first, a],
                np.inf,
                -np.inf,
                False,
                codes[first, a],
                0,
                is_range,
                number,
                up,
                start,
                size,
            )
        for m in range(1, sizes[c]):
            best, chosen = np.inf, -1
            for r in range(n):
                if taken[r]:
                    continue
                total = 0.0
                for a in range(attributes):
                    low, high, gap, top = _join(
                        a, codes[r, a], lo[a], hi[a], missing[a], codes[first, a], level[a],
                        is_range, number, up, start, size,
                    )  # fmt: skip
                    total += weights[a] * _loss(
                        a, low, high, gap, codes[first, a], top, is_range, loss, start, size
                    )
                    if total >= best:
                        break
                if total < best:
                    best, chosen = total, r
            if chosen < 0:
                break
            taken[chosen] = True
            members[c, m] = chosen
            for a in range(attributes):
                lo[a], hi[a], missing[a], level[a] = _join(
                    a, codes[chosen, a], lo[a], hi[a], missing[a], codes[first, a], level[a],
                    is_range, number, up, start, size,
                )  # fmt: skip
    return members


@making_kernel
def joining_losses(
    codes: Any, members: Any, rows: Any, is_range: Any, number: Any, up: Any, loss: Any, start: Any, size: Any
) -> Any:
    """Loss per attribute of each cluster as it is, and with each row in it.

    Returns before (clusters x attributes) and, rows x clusters x attributes, after and the ends of the range after.
    """
    attributes = codes.shape[1]
    before = np.empty((len(members), attributes))
    after = np.empty((len(rows), len(members), attributes))
    lows, highs = np.empty_like(after), np.empty_like(after)
    for c in range(len(members)):
        first = members[c, 0]
        for a in range(attributes):
            lo, hi, missing, level = np.inf, -np.inf, False, 0
            member = codes[first, a]
            for m in range(members.shape[1]):
                if members[c, m] < 0:
                    break
                lo, hi, missing, level = _join(
                    a,
                    codes[members[c, m], a],
                    lo,
                    hi,
                    missing,
                    member,
                    level,
                    is_range,
                    number,
                    up,
                    start,
                    size,
                )
            before[c, a] = _loss(a, lo, hi, missing, member, level, is_range, loss, start, size)
            for r in range(len(rows)):
                low, high, gap, top = _join(
                    a, codes[rows[r], a], lo, hi, missing, member, level, is_range, number, up, start, size
                )
                after[r, c, a] = _loss(a, low, high, gap, member, top, is_range, loss, start, size)
                lows[r, c, a], highs[r, c, a] = low, high
    return before, after, lows, highs
