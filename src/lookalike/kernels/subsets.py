"""How finely many sets of columns divide a table, from its cells: classes, pairs, uniques, smallest class of each set.

Sets come sorted by their bits, so neighbours share their first columns. A stack keeps the partition of every prefix and
one more column refines it by counting. Two things keep the partitions small: classes with nothing left to divide leave
the stack (stripped partitions, as in TANE: Huhtala et al. 1999, https://doi.org/10.1093/comjnl/42.2.100), and cells of
a class that agree on all later columns become one. A set costs one pass over what is left of its longest prefix.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.compiling import kernel, part


class Stack(NamedTuple):
    """The partition of every prefix: a line each, cells by class."""

    members: Any  #: the cells
    weights: Any  #: rows behind each of them
    ends: Any  #: where each class ends
    classes: Any  #: per line: classes still on it
    path: Any  #: per line: its column
    gone: Any  #: per line: counts of the classes that left
    whole: Any  #: per line: counts of all classes


class Sorter(NamedTuple):
    """Room to divide one class, per code; `latest` is -1 and the others 0 between classes."""

    weight: Any  #: rows that have it
    tally: Any  #: tuples of later columns beside it, then where its cells go
    latest: Any  #: the last of these tuples
    seen: Any  #: the codes present


@part
def _add(count: Any, at: int, size: int) -> None:
    """One more class of this size: classes, pairs, uniques, smallest."""
    count[at, 0] += 1
    count[at, 1] += size * (size - 1) // 2
    count[at, 2] += size == 1
    if size < count[at, 3]:
        count[at, 3] = size


@part
def _count(code_of: Any, stack: Any, depth: int, room: Any) -> None:
    """Divide the classes of a line by one more column and count the parts, without keeping them."""
    members, weights, ends, weight, seen = stack.members, stack.weights, stack.ends, room.weight, room.seen
    start = 0
    for c in range(stack.classes[depth]):
        distinct = 0
        for i in range(start, ends[depth, c]):
            code = code_of[members[depth, i]]
            if weight[code] == 0:
                seen[distinct] = code
                distinct += 1
            weight[code] += weights[depth, i]
        for d in range(distinct):
            _add(stack.whole, depth + 1, weight[seen[d]])
            weight[seen[d]] = 0
        start = ends[depth, c]


@part
def _refine(code_of: Any, rest_of: Any, stack: Any, depth: int, room: Any) -> None:
    """Divide the classes of a line by one more column into the next line, as far as they are worth keeping."""
    members, weights, ends = stack.members, stack.weights, stack.ends
    weight, tally, latest, seen = room
    start, write, found = 0, 0, 0
    for c in range(stack.classes[depth]):
        end = ends[depth, c]
        distinct = 0
        for i in range(start, end):
            cell = members[depth, i]
            code = code_of[cell]
            if weight[code] == 0:
                seen[distinct] = code
                distinct += 1
            weight[code] += weights[depth, i]
            if latest[code] != rest_of[cell]:
                latest[code] = rest_of[cell]
                tally[code] += 1
        for d in range(distinct):
            code = seen[d]
            _add(stack.whole, depth + 1, weight[code])
            if tally[code] == 1:
                _add(stack.gone, depth + 1, weight[code])
                tally[code] = -1
            else:
                ends[depth + 1, found] = write + tally[code]
                found += 1
                tally[code], write = write, write + tally[code]
            latest[code] = -1
            weight[code] = 0
        for i in range(start, end):
            cell = members[depth, i]
            code = code_of[cell]
            place = tally[code]
            if place < 0:
                continue
            if latest[code] == rest_of[cell]:
                weights[depth + 1, place - 1] += weights[depth, i]
            else:
                latest[code] = rest_of[cell]
                members[depth + 1, place] = cell
                weights[depth + 1, place] = weights[depth, i]
                tally[code] = place + 1
        for d in range(distinct):
            tally[seen[d]] = 0
            latest[seen[d]] = -1
        start = end
    stack.classes[depth + 1] = found


def measure_sorted(codes: Any, rests: Any, widest: int, records: Any, sets: Any, lines: int) -> Any:
    """One row (classes, pairs of records in a class, unique records, smallest class) per set.

    codes: columns x cells, cells sorted by the last column first; rests: for each column, a label of the tuple of all
    later columns; widest: codes are below this; records: rows of each cell; sets: sets x columns of 0/1, sorted
    downwards; lines: one more than the columns of the largest set.
    """
    cells = codes.shape[1]
    stack = Stack(
        np.empty((lines, cells), np.int32),
        np.empty((lines, cells), np.int32),
        np.empty((lines, cells // 2 + 1), np.int32),
        np.zeros(lines, np.int64),
        np.empty(lines, np.int64),
        np.zeros((lines + 1, 4), np.int64),
        np.zeros((lines + 1, 4), np.int64),
    )
    stack.members[0], stack.weights[0] = np.arange(cells), records
    stack.ends[0, 0], stack.classes[0] = cells, 1
    stack.gone[0, 3] = stack.whole[0, 3] = records.sum()
    room = Sorter(
        np.zeros(widest, np.int64),
        np.zeros(widest, np.int64),
        np.full(widest, -1),
        np.empty(widest, np.int32),
    )
    out = np.zeros((len(sets), 4), np.int64)
    _measure(codes, rests, sets, stack, room, out)
    return out


@kernel
def _measure(codes: Any, rests: Any, sets: Any, stack: Any, room: Any, out: Any) -> None:
    gone, whole, path = stack.gone, stack.whole, stack.path
    width = len(codes)
    _add(whole, 0, whole[0, 3])
    depth = 0
    for row in range(len(sets)):
        # keep the prefix that this set shares with the one before
        keep, last = 0, -1
        for column in range(width):
            if sets[row, column]:
                if keep < depth and path[keep] == column and last == (path[keep - 1] if keep else -1):
                    keep += 1
                last = column
        depth = keep
        for column in range(path[depth - 1] + 1 if depth else 0, width):
            if sets[row, column]:
                for i in range(4):
                    whole[depth + 1, i] = gone[depth, i]
                    gone[depth + 1, i] = gone[depth, i]
                if column == last:  # no later set extends this one, so its classes need no line of their own
                    _count(codes[column], stack, depth, room)
                else:
                    _refine(codes[column], rests[column], stack, depth, room)
                    path[depth] = column
                    depth += 1
        here = depth if last < 0 or (depth and path[depth - 1] == last) else depth + 1
        for i in range(4):
            out[row, i] = whole[here, i]
