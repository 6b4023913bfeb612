"""The tables of the optimal search: rows, what is looked up for them, and where a search stands.

A row is a class (rows of a class are neighbours), a suffix (the number of a tuple of open attributes) and the records
behind it. What a record saves is how much less is lost if it is kept than if it is suppressed; in most measures all
records of a class save the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.kernels.compiling import kernel

_SIZES = 1000  #: classes below this size are told apart where small classes have a budget
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: spreads neighbouring keys over the table


class LatticePlan(NamedTuple):
    """What stays the same during a search."""

    code: Any  #: depth, suffix -> code of the attribute decided at this depth, then the tuple of sensitive values
    bits: int  #: of the latter; none where nothing is required of them
    after: Any  #: depth, suffix -> suffix without that attribute; after the last one the tuple
    marks: Any  #: tuple of sensitive values -> what it counts as: values, nodes of their trees
    weight: Any  #: requirement, mark -> how much it counts there
    need: Any  #: requirement -> how much the marks of a kept class must add up to
    sized: Any  #: requirement -> whether the records behind each mark matter, or only that there are some
    width: int  #: number of marks
    up: Any  #: place[depth, level] + code -> node
    extra: Any  #: place[depth, level] + code -> loss per record that this level adds
    least: Any  #: depth, level -> the smallest of these; their mean over all records where nobody may go
    root: Any  #: depth, level -> whether all values are one node there
    place: Any
    levels: Any  #: number of levels of the attribute of each depth
    smallest: int  #: fewest records in a kept class
    with_population: bool  #: people of a population are counted besides
    least_population: int  #: fewest of them in a kept class
    low: float  #: smallest share of them in the table; where it is above 0, nobody may go
    high: float  #: largest share of them in the table
    rate: float  #: what every record adds to the budget of small classes; 0 where there is none
    below: int  #: classes with fewer records take 1 out of it
    limit: int  #: most records that may be suppressed
    total: int
    ceiling: float  #: loss when everything is suppressed
    measure: int
    even: bool  #: all records of a class save the same; otherwise savings are kept per row
    ask: bool  #: other models decide on whole assignments
    early: int  #: up to which depth they are asked to rule out a part of an assignment, as nobody may go
    open: bool  #: more attributes follow that are never decided, so that what is found are bounds
    lead: int  #: the depth that most is known about
    floor: Any  #: level of the lead, depth -> the finest level that can go with it, where nobody may go
    rest: Any  #: level of the lead, depth -> what the attributes decided afterwards lose at least
    share: Any  #: depth -> what a suppressed record loses in them


class BestNodes(NamedTuple):
    """The best assignments found so far, best first."""

    loss: Any  #: infinite where there is none yet
    levels: Any  #: node x depth
    dropped: Any  #: records suppressed


class Walk(NamedTuple):
    """Where a search stands; a table of rows per depth."""

    suffix: Any
    count: Any
    population: Any  #: people of the population
    saving: Any  #: of all records of the row, where it is not even within the class
    begin: Any  #: first row of each class, one more than the classes
    value: Any  #: saving of each record of a class, where it is even
    size: Any  #: records of a class
    most: Any  #: how many of them can be kept at most
    classes: Any  #: per depth
    gone: Any  #: per depth: records suppressed so far
    worth_all: Any  #: per depth: what all rows save, where it is even within classes
    level: Any  #: per depth: the level tried now
    order: Any  #: per depth: levels worth trying, most promising first
    bound: Any  #: per depth: what each of them loses at least
    drop: Any  #: per depth: what each of them suppresses
    tries: Any  #: per depth: how many levels are worth trying
    tried: Any  #: per depth: how many of them have been tried
    state: Any  #: depth; 1 if the depth is new; assignments evaluated
    seen: Any  #: scratch per node: records, a code, saving, records per mark, first row
    some: Any
    worth: Any
    have: Any
    head: Any
    touched: Any
    near: Any  #: scratch per node: people of the population
    small: Any  #: scratch per size: small classes
    link: Any  #: scratch per row: next row of the same node
    tally: Any  #: scratch per suffix, or code and tuple: records, people of the population, saving
    tally_population: Any
    tally_saving: Any
    part_slot: Any  #: rows summed by class, and by code of the attribute to decide and sensitive values, as in `code`
    part_count: Any
    part_population: Any
    part_saving: Any
    part_begin: Any


@kernel
def _insert(keys: Any, slots: Any, shift: int, label: Any, first: Any, known: Any) -> Any:
    """Number keys. Empty slots lead to the last place of `known`; the key looked for stands there, so every look ends.

    Whether a key is new cannot be foreseen, so nothing but what is written depends on it: wrong guesses of the
    processor would cost more than all the rest.
    """
    found, nowhere = np.uint32(0), np.uint32(len(keys))
    for r in range(np.uint64(len(keys))):
        key = keys[r]
        known[nowhere] = key
        slot = (np.uint64(key) * _MULTIPLIER) >> np.uint64(shift)
        while known[slots[slot]] != key:
            slot = (slot + np.uint64(1)) & np.uint64(len(slots) - 1)
        place = slots[slot]
        new = place == nowhere
        if new:
            place = found
        slots[slot] = place
        known[place] = key
        label[r] = place
        first[found] = r
        found += np.uint32(new)
    return found


def _label(
    keys: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Number equal keys alike, in order of appearance: the number of each row, a row and the key of each number."""
    bits = max((2 * len(keys) - 1).bit_length(), 4)
    slots = np.full(1 << bits, len(keys), dtype=np.uint32)
    label, first = np.empty(len(keys), dtype=np.int32), np.empty(len(keys) + 1, dtype=np.int32)
    known = np.empty(len(keys) + 1, dtype=np.int64)
    found = _insert(keys, slots, 64 - bits, label, first, known)
    return label, first[:found], known[:found]


def number_suffixes(
    codes: Any, sizes: Any, cell: Any, last: Any, lasts: int, bits: int, distinct: bool
) -> Any:
    """Number the distinct tuples of the attributes of each row's cell from each depth on; those after it are given.

    Returns the number of each row, a row of each number at the first depth, and `code` and `after` of the plan. Where a
    tuple fits into 62 bits, each depth only looks at the distinct tuples of the one before; else they are numbered from
    the last depth up, row by row. `distinct`: no two rows are equal.
    """
    depths, rows, widths = len(codes), len(last), [(int(size) - 1).bit_length() for size in sizes]
    if (lasts - 1).bit_length() + sum(widths) <= 62:
        packed = np.zeros(codes.shape[1], dtype=np.int64)
        for d in reversed(range(depths)):
            packed <<= widths[d]
            packed |= codes[d]
        keys, left = last.astype(np.int64), sum(widths)
        keys <<= left
        keys |= packed.take(cell)
        suffix = row = np.arange(rows, dtype=np.int32)
        if not distinct:
            suffix, row, keys = _label(keys)
        code, after = np.empty((depths, len(row)), np.int64), np.empty((depths, len(row)), np.int32)
        for d in range(depths):
            found = len(keys)
            mine = keys & ((1 << widths[d]) - 1)
            code[d, :found] = mine << bits | keys >> left if bits else mine
            keys, left = keys >> widths[d], left - widths[d]
            if d + 1 < depths:
                after[d, :found], _, keys = _label(keys)
            else:
                after[d, :found] = keys
        return suffix, row, code, after
    suffix = last
    code, after = np.empty((depths, rows), np.int64), np.empty((depths, rows), np.int32)
    for d in reversed(range(depths)):
        mine = codes[d].take(cell)
        label, row, _ = _label(suffix.astype(np.int64) * sizes[d] + mine)
        code[d, : len(row)] = mine[row].astype(np.int64) << bits | (last[row] if bits else 0)
        after[d, : len(row)] = suffix[row]
        suffix = label
    return suffix, row, code, after


_BY_ROW = {
    np.int64: ("count", "size"),
    np.float64: ("value", "most"),
    np.int32: ("suffix", "begin"),
}


def _by_row(depths: int, rows: int) -> dict[str, NDArray[Any]]:
    """The tables with a place per depth and row. They cost nothing until written to; deep ones are mostly short.

    They are one piece of memory: several were given back to the system after every search, and a small one then took a
    third longer as it was asked for again page by page.
    """
    kinds = [(name, np.dtype(kind)) for kind, names in _BY_ROW.items() for name in names]
    out, at, places = {}, 0, depths * rows
    memory = np.empty(places * sum(kind.itemsize for _, kind in kinds), dtype=np.uint8)
    for name, kind in kinds:
        out[name] = memory[at : at + places * kind.itemsize].view(kind).reshape(depths, rows)
        at += places * kind.itemsize
    return out


def new_walk(plan: LatticePlan, count: Any, population: Any, saving: Any, nodes: int, slots: int) -> Walk:
    """A walk that stands before the first attribute, all rows in one class.

    `nodes` is the largest number of nodes, `slots` that of suffixes, or of codes and tuples.
    `saving` is that of each row, or of every record where it is even; `population` has no rows where none is counted.
    """
    rows, (depths, levels) = len(count), plan.place.shape
    by_row, by_population = (0 if plan.even else rows), (rows if plan.with_population else 0)
    walk = Walk(
        **_by_row(depths + 1, rows + 1),
        population=np.zeros((depths + 1, by_population), dtype=np.int64),
        saving=np.empty((depths + 1, by_row)),
        classes=np.zeros(depths + 1, dtype=np.int64),
        gone=np.zeros(depths + 1, dtype=np.int64),
        worth_all=np.zeros(depths + 1),
        level=np.zeros(depths, dtype=np.int64),
        order=np.zeros((depths, levels), dtype=np.int64),
        bound=np.zeros((depths, levels)),
        drop=np.zeros((depths, levels), dtype=np.int64),
        tries=np.zeros(depths, dtype=np.int64),
        tried=np.zeros(depths, dtype=np.int64),
        state=np.zeros(3, dtype=np.int64),
        seen=np.zeros(nodes, dtype=np.int64),
        some=np.zeros(nodes, dtype=np.int32),
        worth=np.zeros(nodes),
        have=np.zeros((nodes, plan.width), dtype=np.int64),
        head=np.full(nodes, -1, dtype=np.int32),
        touched=np.zeros(nodes, dtype=np.int32),
        near=np.zeros(nodes, dtype=np.int64),
        small=np.zeros(
            int(min(plan.below, 1 / plan.rate + 1, _SIZES)) if plan.rate > 0 else 0, dtype=np.int64
        ),
        link=np.empty(rows, dtype=np.int32),
        tally=np.zeros(slots, dtype=np.int64),
        tally_population=np.zeros(slots if plan.with_population else 0, dtype=np.int64),
        tally_saving=np.zeros(0 if plan.even else slots),
        part_slot=np.empty(rows, dtype=np.int64),
        part_count=np.empty(rows, dtype=np.int64),
        part_population=np.empty(by_population, dtype=np.int64),
        part_saving=np.empty(by_row),
        part_begin=np.empty(rows + 1, dtype=np.int32),
    )
    walk.suffix[0, :rows], walk.count[0, :rows], walk.population[0] = np.arange(rows), count, population
    if plan.even:
        walk.value[0, 0] = saving
        walk.worth_all[0] = saving * plan.total
    else:
        walk.saving[0] = saving
    walk.begin[0, 0], walk.begin[0, 1], walk.classes[0] = 0, rows, 1
    return walk
