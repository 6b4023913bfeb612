"""Depth-first branch and bound over the levels of each attribute: the inner loop of the optimal search.

Attributes are decided one after the other; those still open count as if removed for the size of classes and as if
untouched for the loss. A class that is too small now stays too small whatever the open attributes do, so its rows
leave the table for the whole branch, and rows that have become equal are merged. A step costs O(rows left).

A row is a class (rows of a class are neighbours), a suffix (the number of a tuple of open attributes), the records
behind it and its saving: how much less is lost if it is kept than if it is suppressed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SUM, SQUARES, CLASSES = (
    0,
    1,
    2,
)  #: the loss adds up over records; sum of squared class sizes; records per class
DONE, PAUSED, ASKING = 0, 1, 2  #: why the walk came back


class Plan(NamedTuple):
    """What stays the same during a search."""

    code: Any  #: depth, suffix -> code of the attribute decided at this depth
    after: Any  #: depth, suffix -> suffix without that attribute
    bits: Any  #: depth, suffix -> what the row brings into its class: its sensitive values, as bits
    weight: Any  #: requirement, bit -> how much it counts there
    need: Any  #: requirement -> how much a kept class must bring together
    up: Any  #: place[depth, level] + code -> node
    extra: Any  #: place[depth, level] + code -> loss per record that this level adds
    place: Any
    levels: Any  #: number of levels of the attribute of each depth
    smallest: int  #: fewest records in a kept class
    limit: int  #: most records that may be suppressed
    total: int
    ceiling: float  #: loss when everything is suppressed
    measure: int
    ask: bool  #: other models decide on whole assignments


class Walk(NamedTuple):
    """Where a search stands; a table of rows per depth."""

    suffix: Any
    count: Any
    saving: Any
    begin: Any  #: first row of each class, one more than the classes
    classes: Any  #: per depth
    gone: Any  #: per depth: records suppressed so far
    level: Any  #: per depth: the level tried now
    order: Any  #: per depth: levels worth trying, most promising first
    bound: Any  #: per depth: what each of them loses at least
    drop: Any  #: per depth: what each of them suppresses
    tries: Any  #: per depth: how many levels are worth trying
    tried: Any  #: per depth: how many of them have been tried
    state: Any  #: depth; 1 if the depth is new; last mark used; assignments evaluated
    seen: Any  #: scratch per node: records, saving, bits, first row
    worth: Any
    mask: Any
    head: Any
    touched: Any
    link: Any  #: scratch per row: next row of the same node
    stamp: Any  #: scratch per suffix: the class that used it last, and its row there
    row: Any
    part_code: Any  #: rows summed by class and code of the attribute to decide
    part_count: Any
    part_saving: Any
    part_mask: Any
    part_begin: Any


@njit(cache=True, nogil=True)
def number_suffixes(codes: Any, sizes: Any, last: Any) -> Any:
    """Number the distinct tuples of the attributes from each depth on; tuples of depth q are given as `last`."""
    depths, rows = codes.shape
    code = np.empty((depths, rows), dtype=np.int32)
    after = np.empty((depths, rows), dtype=np.int32)
    suffix = last.copy()
    number = np.zeros(depths, dtype=np.int64)
    bits = 4
    while (1 << bits) < 2 * rows:
        bits += 1
    keys = np.empty(rows, dtype=np.int64)
    for d in range(depths - 1, -1, -1):
        slots = np.full(1 << bits, -1, dtype=np.int32)
        found = 0
        for r in range(rows):
            key = np.int64(suffix[r]) * sizes[d] + codes[d, r]
            slot = np.int64((np.uint64(key) * _MULTIPLIER) >> np.uint64(64 - bits))
            while slots[slot] >= 0 and keys[slots[slot]] != key:
                slot = (slot + 1) & ((1 << bits) - 1)
            if slots[slot] < 0:
                slots[slot] = found
                keys[found] = key
                code[d, found] = codes[d, r]
                after[d, found] = suffix[r]
                found += 1
            suffix[r] = slots[slot]
        number[d] = found
    return suffix, code, after, number


def new_walk(depths: int, suffix: Any, count: Any, saving: Any, levels: int, nodes: int) -> Walk:
    """A walk that stands before the first attribute, all rows in one class; `nodes` is the largest number of nodes."""
    rows = len(suffix)
    # Memory of np.empty costs nothing until it is written to; deep tables are mostly short.
    walk = Walk(
        suffix=np.empty((depths + 1, rows), dtype=np.int32),
        count=np.empty((depths + 1, rows), dtype=np.int64),
        saving=np.empty((depths + 1, rows)),
        begin=np.empty((depths + 1, rows + 1), dtype=np.int64),
        classes=np.zeros(depths + 1, dtype=np.int64),
        gone=np.zeros(depths + 1, dtype=np.int64),
        level=np.zeros(depths, dtype=np.int64),
        order=np.zeros((depths, levels), dtype=np.int64),
        bound=np.zeros((depths, levels)),
        drop=np.zeros((depths, levels), dtype=np.int64),
        tries=np.zeros(depths, dtype=np.int64),
        tried=np.zeros(depths, dtype=np.int64),
        state=np.zeros(4, dtype=np.int64),
        seen=np.zeros(nodes, dtype=np.int64),
        worth=np.zeros(nodes),
        mask=np.zeros(nodes, dtype=np.uint64),
        head=np.full(nodes, -1, dtype=np.int64),
        touched=np.zeros(nodes, dtype=np.int64),
        link=np.empty(rows, dtype=np.int64),
        stamp=np.zeros(rows + 1, dtype=np.int64),
        row=np.empty(rows + 1, dtype=np.int64),
        part_code=np.empty(rows, dtype=np.int32),
        part_count=np.empty(rows, dtype=np.int64),
        part_saving=np.empty(rows),
        part_mask=np.empty(rows, dtype=np.uint64),
        part_begin=np.empty(rows + 1, dtype=np.int64),
    )
    walk.suffix[0], walk.count[0], walk.saving[0] = suffix, count, saving
    walk.begin[0, 0], walk.begin[0, 1], walk.classes[0] = 0, rows, 1
    return walk


@njit(cache=True, nogil=True)
def _enough(plan: Any, mask: Any) -> bool:
    """The values of a class meet every requirement."""
    for j in range(len(plan.need)):
        missing = plan.need[j]
        left = mask
        bit = 0
        while missing > 0 and left != 0:
            if left & np.uint64(1):
                missing -= plan.weight[j, bit]
            left >>= np.uint64(1)
            bit += 1
        if missing > 0:
            return False
    return True


@njit(cache=True, nogil=True)
def score(plan: Any, kept: float, dropped: int, final: bool) -> float:
    """Loss of an assignment; for an open one, what every completion loses at least."""
    if plan.measure != CLASSES:
        return plan.ceiling - kept
    stars = 1 if (dropped > 0 or (not final and plan.limit > 0)) else 0
    classes = kept + stars
    return np.inf if classes <= 0 else plan.total / classes


@njit(cache=True, nogil=True)
def sum_parts(plan: Any, walk: Any, d: int) -> None:
    """Sum the rows of a depth by class and code, so that each level then costs only that many."""
    code, suffix, count, saving = plan.code[d], walk.suffix[d], walk.count[d], walk.saving[d]
    diverse = len(plan.need) > 0
    parts = 0
    for b in range(walk.classes[d]):
        walk.part_begin[b] = parts
        touched = 0
        for r in range(walk.begin[d, b], walk.begin[d, b + 1]):
            c = code[suffix[r]]
            if walk.seen[c] == 0:
                walk.touched[touched] = c
                touched += 1
            walk.seen[c] += count[r]
            walk.worth[c] += saving[r]
            if diverse:
                walk.mask[c] |= plan.bits[d, suffix[r]]
        for i in range(touched):
            c = walk.touched[i]
            walk.part_code[parts] = c
            walk.part_count[parts] = walk.seen[c]
            walk.part_saving[parts] = walk.worth[c]
            walk.seen[c] = 0
            walk.worth[c] = 0.0
            if diverse:
                walk.part_mask[parts] = walk.mask[c]
                walk.mask[c] = 0
            parts += 1
    walk.part_begin[walk.classes[d]] = parts


@njit(cache=True, nogil=True)
def weigh(plan: Any, walk: Any, d: int, level: int) -> Any:
    """What is saved at most, and suppressed at least, when the attribute of this depth goes to a level."""
    at = plan.place[d, level]
    final = d == len(plan.levels) - 1
    diverse = len(plan.need) > 0
    kept, dropped = 0.0, walk.gone[d]
    for b in range(walk.classes[d]):
        touched = 0
        for i in range(walk.part_begin[b], walk.part_begin[b + 1]):
            c = walk.part_code[i]
            x = plan.up[at + c]
            if walk.seen[x] == 0:
                walk.touched[touched] = x
                touched += 1
            walk.seen[x] += walk.part_count[i]
            walk.worth[x] += walk.part_saving[i] - walk.part_count[i] * plan.extra[at + c]
            if diverse:
                walk.mask[x] |= walk.part_mask[i]
        for i in range(touched):
            x = walk.touched[i]
            size = walk.seen[x]
            if size < plan.smallest or (diverse and not _enough(plan, walk.mask[x])):
                dropped += size
            elif plan.measure == SUM:
                kept += walk.worth[x]
            elif plan.measure == SQUARES:
                kept += float(size) * (plan.total - size) if final else walk.worth[x]
            else:
                kept += 1 if final else min(walk.worth[x], size // plan.smallest)
            walk.seen[x] = 0
            walk.worth[x] = 0.0
            if diverse:
                walk.mask[x] = 0
    return kept, dropped


@njit(cache=True, nogil=True)
def descend(plan: Any, walk: Any, d: int, level: int) -> int:
    """Make the table of the next depth: classes split by the nodes of the level, small ones left out, equal rows merged."""
    at = plan.place[d, level]
    code, after = plan.code[d], plan.after[d]
    suffix, count, saving = walk.suffix[d], walk.count[d], walk.saving[d]
    suffix1, count1, saving1 = walk.suffix[d + 1], walk.count[d + 1], walk.saving[d + 1]
    diverse = len(plan.need) > 0
    out, classes, mark, gone = 0, 0, walk.state[2], walk.gone[d]
    for b in range(walk.classes[d]):
        touched = 0
        for r in range(walk.begin[d, b + 1] - 1, walk.begin[d, b] - 1, -1):
            x = plan.up[at + code[suffix[r]]]
            if walk.seen[x] == 0:
                walk.touched[touched] = x
                touched += 1
            walk.seen[x] += count[r]
            if diverse:
                walk.mask[x] |= plan.bits[d, suffix[r]]
            walk.link[r] = walk.head[x]
            walk.head[x] = r
        for i in range(touched):
            x = walk.touched[i]
            if walk.seen[x] < plan.smallest or (diverse and not _enough(plan, walk.mask[x])):
                gone += walk.seen[x]
            else:
                walk.begin[d + 1, classes] = out
                classes += 1
                mark += 1
                r = walk.head[x]
                while r >= 0:
                    s = suffix[r]
                    t = after[s]
                    worth = saving[r] - count[r] * plan.extra[at + code[s]]
                    if walk.stamp[t] == mark:
                        into = walk.row[t]
                        count1[into] += count[r]
                        if plan.measure == SUM:
                            saving1[into] += worth
                        elif plan.measure == SQUARES:
                            saving1[into] = float(count1[into]) * (plan.total - count1[into])
                    else:
                        walk.stamp[t] = mark
                        walk.row[t] = out
                        suffix1[out] = t
                        count1[out] = count[r]
                        saving1[out] = worth
                        out += 1
                    r = walk.link[r]
            walk.seen[x] = 0
            walk.head[x] = -1
            if diverse:
                walk.mask[x] = 0
    walk.begin[d + 1, classes] = out
    walk.classes[d + 1] = classes
    walk.gone[d + 1] = gone
    walk.level[d] = level
    walk.state[2] = mark
    return out


@njit(cache=True, nogil=True)
def weigh_levels(plan: Any, walk: Any, d: int, cutoff: float) -> int:
    """Weigh the levels of a depth, coarse to fine, and note those below the cutoff in order of their bound.

    Finer levels suppress no less, so the first one over the limit ends the row. Returns how many were weighed.
    """
    sum_parts(plan, walk, d)
    final = d == len(plan.levels) - 1
    tries, weighed = 0, 0
    for level in range(plan.levels[d] - 1, -1, -1):
        kept, dropped = weigh(plan, walk, d, level)
        weighed += 1
        if dropped > plan.limit:
            break
        bound = score(plan, kept, dropped, final)
        if bound >= cutoff:
            continue
        i = tries
        while i > 0 and walk.bound[d, i - 1] > bound:
            walk.bound[d, i] = walk.bound[d, i - 1]
            walk.order[d, i] = walk.order[d, i - 1]
            walk.drop[d, i] = walk.drop[d, i - 1]
            i -= 1
        walk.bound[d, i] = bound
        walk.order[d, i] = level
        walk.drop[d, i] = dropped
        tries += 1
    walk.tries[d] = tries
    walk.tried[d] = 0
    return weighed


@njit(cache=True, nogil=True)
def note(best: Any, levels: Any, dropped: Any, loss: float, found: Any, suppressed: int) -> None:
    """Insert an assignment into the list of the best ones, unless it is worse than all of them."""
    i = len(best) - 1
    if loss >= best[i]:
        return
    while i > 0 and best[i - 1] > loss:
        best[i] = best[i - 1]
        levels[i] = levels[i - 1]
        dropped[i] = dropped[i - 1]
        i -= 1
    best[i] = loss
    levels[i] = found
    dropped[i] = suppressed


@njit(cache=True, nogil=True)
def walk_on(
    plan: Any, walk: Any, base: int, best: Any, levels: Any, dropped: Any, margin: float, work: int
) -> int:
    """Go on with the search below depth `base` until done, or until about `work` rows were touched, or to ask.

    When asking, `walk.level` is a whole assignment that passes what is known here, for the other models to judge.
    """
    final = len(plan.levels) - 1
    d = walk.state[0]
    while d >= base:
        if walk.state[1] == 1:
            if work <= 0:
                walk.state[0] = d
                return PAUSED
            work -= walk.begin[d, walk.classes[d]] + 50
            cutoff = best[-1] if d == final and not plan.ask else best[0] - margin
            weighed = weigh_levels(plan, walk, d, cutoff)
            walk.state[1] = 0
            if d == final:
                walk.state[3] += weighed
        i = walk.tried[d]
        if i >= walk.tries[d] or (walk.bound[d, i] >= best[0] - margin and (d < final or plan.ask)):
            d -= 1
            continue
        level = walk.order[d, i]
        walk.tried[d] += 1
        walk.level[d] = level
        if d < final:
            work -= walk.begin[d, walk.classes[d]]
            descend(plan, walk, d, level)
            walk.state[1] = 1
            d += 1
        elif plan.ask:
            walk.state[0] = d
            return ASKING
        elif walk.drop[d, i] < plan.total:
            note(best, levels, dropped, walk.bound[d, i], walk.level, walk.drop[d, i])
    walk.state[0] = d
    return DONE
