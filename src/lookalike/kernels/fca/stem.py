"""Stem (Duquenne-Guigues) basis: all pseudo-intents in lectic order, and closure under implications.

Close-by-one order with the largest attribute first visits sets lectically, so a parent is closed when its child
B + {j} is built and only rules whose premise holds a newly added attribute can fire; those are found through
one list per attribute. After Ganter (1984/2010), doi:10.1007/978-3-642-11928-6_22, and Janostik, Konecny and
Krajca, "LinCbO" (2021), doi:10.1016/j.ins.2021.04.104. Cost: (intents + rules) x attributes x rules touched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.bits import ONE, ZERO, copy, equal, has, lowest
from lookalike.kernels.compiling import kernel, making_kernel, making_part, part
from lookalike.kernels.fca.growing import grown, grown_sets


@part
def _closure_of_rows(rows: Any, extent: Any, everything: Any, out: Any) -> Any:
    """Attributes common to the rows of an extent (bit set over rows)."""
    copy(everything, out)
    for v in range(extent.shape[0]):
        x = extent[v]
        while x != ZERO:
            r = 64 * v + lowest(x)
            x &= x - ONE
            for w in range(out.shape[0]):
                out[w] &= rows[r, w]


@making_part
def _broader(lists: Any) -> Any:
    """Lists with room for twice as many entries each."""
    broader = np.empty((lists.shape[0], 2 * lists.shape[1]), np.int32)
    for m in range(lists.shape[0]):
        for k in range(lists.shape[1]):
            broader[m, k] = lists[m, k]
    return broader


def stem(rows: Any, weights: Any, columns: Any, everything: Any, attributes: int, limit: int) -> Any:
    """(premises, conclusions, premise supports, sets visited, complete).

    columns: for each attribute the bit set of rows that have it. Conclusions are closures without their premise.
    """
    depths = attributes + 2
    premises, conclusions, supports, found, visited, complete = _stem(
        rows,
        weights,
        columns,
        everything,
        limit,
        np.zeros(attributes, np.int64),
        np.zeros((depths, rows.shape[1]), np.uint64),
        np.zeros((depths, rows.shape[1]), np.uint64),
        np.zeros((depths, columns.shape[1]), np.uint64),
    )
    return premises[:found], conclusions[:found], supports[:found], visited, complete


@making_kernel
def _stem(
    rows: Any,
    weights: Any,
    columns: Any,
    everything: Any,
    limit: Any,
    length: Any,
    here: Any,
    closed: Any,
    extent: Any,
) -> Any:
    n, width = rows.shape
    spread = columns.shape[1]
    attributes = length.shape[0]
    depths = attributes + 2
    premises = np.empty((256, width), np.uint64)
    conclusions = np.empty((256, width), np.uint64)
    supports = np.empty(256, np.int64)
    found = 0
    lists = np.empty((attributes, 64), np.int32)

    branch = np.empty(depths, np.int64)
    floor = np.empty(depths, np.int64)
    fresh = np.empty(attributes, np.int64)
    x = np.empty(width, np.uint64)
    below = np.empty(width, np.uint64)

    for r in range(n):
        extent[0, r >> 6] |= ONE << np.uint64(r & 63)
    floor[0] = -1
    branch[0] = -2
    depth = 0
    visited = 0
    while depth >= 0:
        if branch[depth] == -2:
            # First visit: close in the context, note a rule if the set is a pseudo-intent.
            if visited >= limit:
                return premises, conclusions, supports, found, visited, False
            visited += 1
            _closure_of_rows(rows, extent[depth], everything, closed[depth])
            branch[depth] = attributes - 1
            for w in range(width - 1, -1, -1):
                more = closed[depth, w] & ~here[depth, w]
                if more != ZERO:
                    branch[depth] = 64 * w + lowest(more)
            pseudo = False
            for w in range(width):
                pseudo = pseudo or closed[depth, w] != here[depth, w]
            if pseudo:
                premises = grown_sets(premises, found + 1)
                conclusions = grown_sets(conclusions, found + 1)
                supports = grown(supports, found + 1)
                total = 0
                for v in range(spread):
                    bits = extent[depth, v]
                    while bits != ZERO:
                        total += weights[64 * v + lowest(bits)]
                        bits &= bits - ONE
                supports[found] = total
                for w in range(width):
                    premises[found, w] = here[depth, w]
                    conclusions[found, w] = closed[depth, w] & ~here[depth, w]
                for m in range(attributes):
                    if has(here[depth], m):
                        if length[m] == lists.shape[1]:
                            lists = _broader(lists)
                        lists[m, length[m]] = found
                        length[m] += 1
                found += 1
        j = branch[depth]
        if j <= floor[depth]:
            depth -= 1
            continue
        branch[depth] = j - 1
        if has(here[depth], j):
            continue
        for w in range(width):
            x[w] = closed[depth, w]
            if w < j >> 6:
                below[w] = everything[w]
            elif w == j >> 6:
                below[w] = (ONE << np.uint64(j & 63)) - ONE
            else:
                below[w] = ZERO
        keep = True
        if not has(x, j):
            x[j >> 6] |= ONE << np.uint64(j & 63)
            fresh[0] = j
            waiting = 1
            while waiting > 0 and keep:
                waiting -= 1
                m = fresh[waiting]
                for k in range(length[m]):
                    rule = lists[m, k]
                    fires = True
                    for w in range(width):
                        fires = fires and premises[rule, w] & ~x[w] == ZERO
                    if not fires:
                        continue
                    for w in range(width):
                        more = conclusions[rule, w] & ~x[w]
                        if more & below[w] != ZERO:
                            keep = False
                        x[w] |= more
                        while more != ZERO:
                            fresh[waiting] = 64 * w + lowest(more)
                            waiting += 1
                            more &= more - ONE
                    if not keep:
                        break
        if not keep:
            continue
        for v in range(spread):
            extent[depth + 1, v] = extent[depth, v]
        for w in range(width):
            more = x[w] & ~here[depth, w]
            here[depth + 1, w] = x[w]
            while more != ZERO:
                m = 64 * w + lowest(more)
                more &= more - ONE
                for v in range(spread):
                    extent[depth + 1, v] &= columns[m, v]
        depth += 1
        floor[depth] = j
        branch[depth] = -2
    return premises, conclusions, supports, found, visited, True


@part
def close_under(premises: Any, conclusions: Any, words: Any, skip: Any) -> Any:
    """Close one set in place under all rules except number `skip` (-1: none)."""
    changed = True
    while changed:
        changed = False
        for rule in range(premises.shape[0]):
            if rule == skip:
                continue
            fires = True
            new = False
            for w in range(words.shape[0]):
                fires = fires and premises[rule, w] & ~words[w] == ZERO
                new = new or conclusions[rule, w] & ~words[w] != ZERO
            if fires and new:
                changed = True
                for w in range(words.shape[0]):
                    words[w] |= conclusions[rule, w]


@kernel
def close_all_under(premises: Any, conclusions: Any, sets: Any) -> Any:
    """Close every row of `sets` in place."""
    for i in range(sets.shape[0]):
        close_under(premises, conclusions, sets[i], -1)


def minimise(premises: Any, conclusions: Any) -> Any:
    """The stem basis of what the rules say: saturate right sides, then left sides, and drop what the rest implies.

    Works on copies; conclusions of the result contain their premises. After Day (1992), Wild (1994).
    """
    left, right = premises.copy(), premises | conclusions
    alive = np.ones(len(left), np.bool_)
    _minimise(left, right, np.empty(left.shape[1], np.uint64), alive)
    return left[alive], right[alive]


@kernel
def _minimise(left: Any, right: Any, trial: Any, alive: Any) -> None:
    for i in range(left.shape[0]):
        close_under(left, right, right[i], -1)
    for i in range(left.shape[0]):
        copy(left[i], trial)
        close_under(left, right, trial, i)
        alive[i] = not equal(trial, right[i])
        for w in range(trial.shape[0]):
            # A rule from everything to itself never fires, so a dropped rule needs no hole in the arrays.
            left[i, w] = trial[w] if alive[i] else ~ZERO
            right[i, w] = right[i, w] if alive[i] else ~ZERO
