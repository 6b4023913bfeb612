"""Stem (Duquenne-Guigues) basis: all pseudo-intents in lectic order, and closure under implications.

Close-by-one order with the largest attribute first visits sets lectically, so a parent is closed when its child
B + {j} is built and only rules whose premise holds a newly added attribute can fire; those are found through
one list per attribute. After Ganter (1984/2010), doi:10.1007/978-3-642-11928-6_22, and Janostik, Konecny and
Krajca, "LinCbO" (2021), doi:10.1016/j.ins.2021.04.104. Cost: (intents + rules) x attributes x rules touched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import ONE, ZERO, copy, equal, has, lowest, within
from lookalike.kernels.compiling import kernel, part
from lookalike.kernels.fca.stretches import COMPLETE, FULL, STOPPED, Crosses, grown

RULES, LONGEST, VISITED, DEPTH = range(4)  # counters that outlive a stretch
NEW = -2  # the branch of a set that was not looked at yet


class FoundRules(NamedTuple):
    """The rules found, and for each attribute a list of those whose premise has it."""

    premises: Any
    conclusions: Any  #: without the premises
    supports: Any
    lists: Any
    lengths: Any  #: of the lists


class SetPath(NamedTuple):
    """The sets from the empty one to where the search is."""

    sets: Any
    closed: Any  #: their closures in the context
    extents: Any  #: as bit sets of rows
    branch: Any  #: the attribute to add next, falling
    floor: Any  #: the attribute that was added to come here
    trial: Any  #: a set to be closed
    fresh: Any  #: its attributes whose rules have yet to fire


def stem(rows: Any, weights: Any, columns: Any, everything: Any, attributes: int, limit: int) -> Any:
    """(premises, conclusions, premise supports, sets visited, complete).

    columns: for each attribute the bit set of rows that have it. Conclusions are closures without their premise.
    """
    width, depths = rows.shape[1], attributes + 2
    premises, conclusions = np.empty((2, 256, width), np.uint64)
    supports = np.empty(256, np.int64)
    lists, lengths = np.empty((attributes, 64), np.int32), np.zeros(attributes, np.int64)
    sets, closed = np.zeros((2, depths, width), np.uint64)
    extents = np.zeros((depths, columns.shape[1]), np.uint64)
    branch, floor = np.full((2, depths), NEW)
    trial, fresh = np.empty(width, np.uint64), np.empty(attributes, np.int64)
    floor[0] = -1
    for r in range(len(rows)):
        extents[0, r >> 6] |= ONE << np.uint64(r & 63)
    at = np.zeros(4, np.int64)
    end = FULL
    while end == FULL:
        premises, conclusions, supports = (
            grown(array, at[RULES] + 1) for array in (premises, conclusions, supports)
        )
        if at[LONGEST] == lists.shape[1]:
            lists = np.concatenate([lists, lists], axis=1)
        end = _search(
            Crosses(rows, weights, everything),
            columns,
            FoundRules(premises, conclusions, supports, lists, lengths),
            SetPath(sets, closed, extents, branch, floor, trial, fresh),
            limit,
            at,
        )
    found = at[RULES]
    return premises[:found], conclusions[:found], supports[:found], int(at[VISITED]), end == COMPLETE


@kernel
def _search(context: Any, columns: Any, rules: Any, path: Any, limit: Any, at: Any) -> Any:
    """Search on until all is found, or `limit` sets were visited, or an array is full."""
    while at[DEPTH] >= 0:
        depth = at[DEPTH]
        if path.branch[depth] == NEW:
            if at[VISITED] >= limit:
                return STOPPED
            if at[RULES] == rules.supports.shape[0] or at[LONGEST] == rules.lists.shape[1]:
                return FULL
            at[VISITED] += 1
            path.branch[depth] = _look(context, rules, path, depth, at)
        j = path.branch[depth]
        path.branch[depth] = j - 1
        if j <= path.floor[depth]:
            at[DEPTH] = depth - 1
        elif not has(path.sets[depth], j) and _closes(rules, path, depth, j):
            _descend(columns, path, depth)
            path.floor[depth + 1] = j
            path.branch[depth + 1] = NEW
            at[DEPTH] = depth + 1
    return COMPLETE


@part
def _look(context: Any, rules: Any, path: Any, depth: Any, at: Any) -> Any:
    """Close a set in the context and note a rule if it is a pseudo-intent; the attribute to add first."""
    rows, weights, everything = context
    here, closed, extent = path.sets[depth], path.closed[depth], path.extents[depth]
    first = rules.lengths.shape[0] - 1
    support = 0
    copy(everything, closed)
    for v in range(extent.shape[0]):
        x = extent[v]
        while x != ZERO:
            r = 64 * v + lowest(x)
            x &= x - ONE
            support += weights[r]
            for w in range(closed.shape[0]):
                closed[w] &= rows[r, w]
    if not equal(closed, here):
        rule = at[RULES]
        at[RULES] = rule + 1
        rules.supports[rule] = support
        for w in range(closed.shape[0] - 1, -1, -1):
            rules.premises[rule, w] = here[w]
            rules.conclusions[rule, w] = closed[w] & ~here[w]
            if rules.conclusions[rule, w] != ZERO:
                first = 64 * w + lowest(rules.conclusions[rule, w])
        for m in range(rules.lengths.shape[0]):
            if has(here, m):
                rules.lists[m, rules.lengths[m]] = rule
                rules.lengths[m] += 1
                if rules.lengths[m] > at[LONGEST]:
                    at[LONGEST] = rules.lengths[m]
    return first


@part
def _closes(rules: Any, path: Any, depth: Any, j: Any) -> Any:
    """Close a set with attribute j under the rules; whether no attribute before j had to come in."""
    premises, conclusions, _, lists, lengths = rules
    words, fresh = path.trial, path.fresh
    copy(path.closed[depth], words)
    if has(words, j):
        return True
    words[j >> 6] |= ONE << np.uint64(j & 63)
    fresh[0] = j
    waiting = 1
    while waiting > 0:
        waiting -= 1
        last = fresh[waiting]
        for k in range(lengths[last]):
            rule = lists[last, k]
            if not within(premises[rule], words):
                continue
            for w in range(words.shape[0]):
                more = conclusions[rule, w] & ~words[w]
                words[w] |= more
                while more != ZERO:
                    m = 64 * w + lowest(more)
                    more &= more - ONE
                    if m < j:
                        return False
                    fresh[waiting] = m
                    waiting += 1
    return True


@part
def _descend(columns: Any, path: Any, depth: Any) -> None:
    """The set that was closed comes onto the path, with its extent."""
    here, below = path.extents[depth], path.extents[depth + 1]
    copy(here, below)
    for w in range(path.trial.shape[0]):
        more = path.trial[w] & ~path.sets[depth, w]
        path.sets[depth + 1, w] = path.trial[w]
        while more != ZERO:
            m = 64 * w + lowest(more)
            more &= more - ONE
            for v in range(below.shape[0]):
                below[v] &= columns[m, v]


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
