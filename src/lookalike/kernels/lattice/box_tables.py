"""The tables of the search over boxes: rows, what is looked up for them, and how the table of a smaller box is made.

A box is a range of levels for every attribute, counted from the lowest allowed one; levels that change nothing are not
there. Its table has a row for all records that agree at its finest levels, in order of their classes at its coarsest.
O(rows).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.compiling import part

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class BoxPlan(NamedTuple):
    """What stays the same during a search."""

    codes: Any  #: row, attribute -> code
    up: Any  #: place[attribute, level] + code -> node
    token: Any  #: the same -> a random number for the node; their sum is the key of a class
    extra: Any  #: the same -> loss per record
    place: Any
    worst: Any  #: attribute -> what a suppressed record loses in it
    smallest: int  #: fewest records in a kept class
    limit: int  #: most records that may be suppressed
    total: int


class BoxWalk(NamedTuple):
    """Where a search stands: tables of rows, one after the other, each made from an earlier one."""

    row: Any  #: a row of the plan that this one stands for
    count: Any  #: records
    fine: Any  #: key at the finest levels of the box
    coarse: Any  #: key at the coarsest
    value: Any  #: loss of a record at the finest
    start: Any  #: table -> its first row; the next table begins where it ends
    class_row: Any  #: first row of each class, within the table; one more than the classes
    class_start: Any  #: table -> its first class
    gone: Any  #: table -> records suppressed so far
    low: Any  #: table, attribute -> levels of the box
    high: Any
    box_low: Any  #: boxes that wait on the stack
    box_high: Any
    box_bound: Any  #: what they lose at least
    box_table: Any  #: the table they are made from
    lost: Any  #: attribute, level -> what the whole loses at least
    own: Any  #: attribute, level -> what the attribute itself loses at least
    finest: Any  #: one number: what a box loses at its finest levels
    least: Any  #: attribute -> what it loses at least, on whatever level of the box
    drop: Any  #: attribute, level -> records suppressed
    block: Any  #: attributes that are looked at together
    block_low: Any  #: where their lowest level is in the plan
    touched: Any  #: how many nodes of their lowest level a class has
    node: Any  #: place in the block, these nodes
    code: Any  #: place in the block and node -> a code of it, records, what these lose elsewhere
    seen_in: Any
    worth_in: Any
    part_code: Any  #: the parts of a class on a level: a code, records, what these lose elsewhere
    part_count: Any
    part_worth: Any
    node_at: Any  #: scratch: nodes of a level
    some: Any  #: scratch per node: a code, records, what these lose elsewhere
    seen: Any
    worth: Any
    slot: Any  #: scratch of the hash table: row or class, and who used it last
    stamp: Any
    raised: Any  #: scratch: attributes whose lowest level is another than in the table before, or whose highest is
    lowered: Any
    group: Any  #: scratch per row
    into: Any
    size: Any  #: scratch per class
    first: Any
    rows: Any
    next_row: Any  #: scratch: rows before they are put in order
    next_count: Any
    next_fine: Any
    next_coarse: Any
    next_value: Any
    state: Any  #: last stamp; boxes on the stack; boxes that came out; 64 minus the bits of the hash table


class BoxesOut(NamedTuple):
    """Boxes for which there was no room, and the best node found."""

    low: Any
    high: Any
    best: Any  #: one number: its loss
    node: Any


_TABLES, _ROOM = 400, 10  #: tables of a dive at most, and the rows of all of them, in tables of all rows
_BLOCK = 8  #: attributes that are looked at together
_WAITING, _OUT = 300, 300  #: boxes on the stack, and boxes that come out of one dive


def new_box_walk(plan: BoxPlan, records: Any, nodes: int) -> BoxWalk:
    """A walk whose first table is all rows, for the box that is the whole lattice; `nodes` is the most of a level."""
    rows, columns = plan.codes.shape
    room, bits = _ROOM * rows + 1000, max((2 * rows - 1).bit_length(), 4)
    walk = BoxWalk(
        row=np.empty(room, dtype=np.int32),
        count=np.empty(room, dtype=np.int64),
        fine=np.empty(room, dtype=np.uint64),
        coarse=np.empty(room, dtype=np.uint64),
        value=np.empty(room),
        start=np.zeros(_TABLES, dtype=np.int64),
        class_row=np.empty(room + _TABLES, dtype=np.int32),
        class_start=np.zeros(_TABLES, dtype=np.int64),
        gone=np.zeros(_TABLES, dtype=np.int64),
        low=np.zeros((_TABLES, columns), dtype=np.uint8),
        high=np.zeros((_TABLES, columns), dtype=np.uint8),
        box_low=np.zeros((_WAITING, columns), dtype=np.uint8),
        box_high=np.zeros((_WAITING, columns), dtype=np.uint8),
        box_bound=np.zeros(_WAITING),
        box_table=np.zeros(_WAITING, dtype=np.int64),
        lost=np.zeros(plan.place.shape),
        own=np.zeros(plan.place.shape),
        finest=np.zeros(1),
        least=np.zeros(columns),
        drop=np.zeros(plan.place.shape, dtype=np.int64),
        block=np.zeros(_BLOCK, dtype=np.int64),
        block_low=np.zeros(_BLOCK, dtype=np.int64),
        touched=np.zeros(_BLOCK, dtype=np.int64),
        node=np.empty(_BLOCK * nodes, dtype=np.int32),
        code=np.empty(_BLOCK * nodes, dtype=np.int32),
        seen_in=np.zeros(_BLOCK * nodes, dtype=np.int64),
        worth_in=np.zeros(_BLOCK * nodes),
        part_code=np.empty(nodes, dtype=np.int32),
        part_count=np.empty(nodes, dtype=np.int64),
        part_worth=np.empty(nodes),
        node_at=np.empty(nodes + 1, dtype=np.int32),
        some=np.empty(nodes, dtype=np.int32),
        seen=np.zeros(nodes, dtype=np.int64),
        worth=np.zeros(nodes),
        slot=np.zeros(1 << bits, dtype=np.int32),
        stamp=np.zeros(1 << bits, dtype=np.int64),
        raised=np.empty(columns, dtype=np.int64),
        lowered=np.empty(columns, dtype=np.int64),
        group=np.empty(rows, dtype=np.int32),
        into=np.empty(rows, dtype=np.int32),
        size=np.empty(rows, dtype=np.int64),
        first=np.empty(rows, dtype=np.int32),
        rows=np.empty(rows, dtype=np.int32),
        next_row=np.empty(rows, dtype=np.int32),
        next_count=np.empty(rows, dtype=np.int64),
        next_fine=np.empty(rows, dtype=np.uint64),
        next_coarse=np.empty(rows, dtype=np.uint64),
        next_value=np.empty(rows),
        state=np.array([0, 0, 0, 64 - bits]),
    )
    walk.row[:rows], walk.count[:rows] = np.arange(rows), records
    walk.fine[:rows], walk.coarse[:rows], walk.value[:rows] = 0, 0, 0
    for a in range(columns):
        at = plan.place[a, 0] + plan.codes[:, a]
        walk.fine[:rows] += plan.token[at]
        walk.coarse[:rows] += plan.token[
            at
        ]  # as if the box were one node; the first step makes the keys of its own
        walk.value[:rows] += plan.extra[at]
    walk.start[1] = rows
    walk.class_row[0], walk.class_row[1], walk.class_start[1] = 0, rows, 2
    return walk


def new_boxes_out(plan: BoxPlan) -> BoxesOut:
    """Room for what comes out."""
    columns = plan.codes.shape[1]
    return BoxesOut(
        np.zeros((_OUT, columns), dtype=np.uint8),
        np.zeros((_OUT, columns), dtype=np.uint8),
        np.zeros(1),
        np.zeros(columns, dtype=np.uint8),
    )


@part
def _same(plan: Any, low: Any, one: int, two: int) -> bool:
    for a in range(len(low)):
        c, e = plan.codes[one, a], plan.codes[two, a]
        if c != e:
            at = plan.place[a, low[a]]
            if plan.up[at + c] != plan.up[at + e]:
                return False
    return True


@part
def derive(plan: Any, walk: Any, source: int, low: Any, high: Any) -> bool:
    """The table of a smaller box, after its source: small classes leave, equal rows are merged. False if no room."""
    t, base = source + 1, walk.start[source]
    n, columns = walk.start[t] - base, len(low)
    at, at_class = walk.start[t], walk.class_start[t]
    if t + 2 >= len(walk.start) or at + n > len(walk.row) or at_class + n + 1 > len(walk.class_row):
        return False
    merge, split = 0, 0
    for a in range(columns):
        if low[a] != walk.low[source, a]:
            walk.raised[merge] = a
            merge += 1
        if high[a] != walk.high[source, a]:
            walk.lowered[split] = a
            split += 1
        walk.low[t, a], walk.high[t, a] = low[a], high[a]
    for i in range(n):
        k, fine, coarse = np.uint64(walk.row[base + i]), walk.fine[base + i], walk.coarse[base + i]
        value = walk.value[base + i]
        for j in range(merge):
            column = np.uint64(walk.raised[j])
            c = np.uint64(plan.codes[k, column])
            old = np.uint64(plan.place[column, walk.low[source, column]]) + c
            new = np.uint64(plan.place[column, low[column]]) + c
            fine += plan.token[new] - plan.token[old]
            value += plan.extra[new] - plan.extra[old]
        for j in range(split):
            column = np.uint64(walk.lowered[j])
            c = np.uint64(plan.codes[k, column])
            old = np.uint64(plan.place[column, walk.high[source, column]]) + c
            coarse += plan.token[np.uint64(plan.place[column, high[column]]) + c] - plan.token[old]
        walk.next_fine[i], walk.next_coarse[i], walk.next_value[i] = fine, coarse, value
    # Classes by their key. Should two keys ever agree by chance, a class is too large and the bound a little lower.
    mask, shift, groups = np.uint64(len(walk.slot) - 1), np.uint64(walk.state[3]), 0
    walk.state[0] += 1
    mark = walk.state[0]
    if split == 0 and source > 0:  # the classes stay as they are
        for b in range(walk.class_start[t] - walk.class_start[source] - 1):
            first = walk.class_start[source] + b
            walk.size[b], walk.rows[b] = plan.smallest, 0
            for i in range(walk.class_row[first], walk.class_row[first + 1]):
                walk.group[i] = b
            groups += 1
    else:
        for i in range(n):
            key = walk.next_coarse[i]
            s = (key * _MULTIPLIER) >> shift
            while walk.stamp[s] == mark and walk.next_coarse[walk.first[walk.slot[s]]] != key:
                s = (s + np.uint64(1)) & mask
            if walk.stamp[s] != mark:
                walk.stamp[s], walk.slot[s] = mark, groups
                walk.first[groups], walk.size[groups], walk.rows[groups] = i, 0, 0
                groups += 1
            walk.group[i] = walk.slot[s]
            walk.size[walk.slot[s]] += walk.count[base + i]
    gone = walk.gone[source]
    for g in range(groups):
        if walk.size[g] < plan.smallest:
            gone += walk.size[g]
    walk.state[0] += 1
    mark = walk.state[0]
    for i in range(n):
        g = walk.group[i]
        walk.into[i] = i
        if walk.size[g] < plan.smallest:
            walk.into[i] = -1
            continue
        walk.next_row[i], walk.next_count[i] = walk.row[base + i], walk.count[base + i]
        if merge > 0:
            key = walk.next_fine[i]
            s = (key * _MULTIPLIER) >> shift
            while walk.stamp[s] == mark:
                j = walk.slot[s]
                if walk.next_fine[j] == key and _same(plan, low, walk.next_row[i], walk.next_row[j]):
                    break
                s = (s + np.uint64(1)) & mask
            if walk.stamp[s] == mark:
                walk.next_count[walk.slot[s]] += walk.next_count[i]
                walk.into[i] = -1
                continue
            walk.stamp[s], walk.slot[s] = mark, i
        walk.rows[g] += 1
    left, classes = 0, 0
    for g in range(groups):
        if walk.size[g] >= plan.smallest:
            walk.class_row[at_class + classes] = left
            classes += 1
            many = walk.rows[g]
            walk.rows[g] = left
            left += many
    walk.class_row[at_class + classes] = left
    for i in range(n):
        if walk.into[i] >= 0:
            g = walk.group[i]
            r = at + walk.rows[g]
            walk.rows[g] += 1
            walk.row[r], walk.count[r] = walk.next_row[i], walk.next_count[i]
            walk.fine[r], walk.coarse[r] = walk.next_fine[i], walk.next_coarse[i]
            walk.value[r] = walk.next_value[i]
    walk.start[t + 1] = at + left
    walk.class_start[t + 1] = at_class + classes + 1
    walk.gone[t] = gone
    return True
