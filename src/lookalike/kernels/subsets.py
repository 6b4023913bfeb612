"""How finely many sets of columns divide a table, from its cells: classes, pairs, uniques, smallest class of each
set.

Sets come sorted by their bits, so neighbours share their first columns. A stack keeps the partition of every prefix
and one more column refines it by counting. Two things keep the partitions small: classes with nothing left to
divide leave the stack (stripped partitions, as in TANE: Huhtala et al. 1999,
https://doi.org/10.1093/comjnl/42.2.100), and cells of a class that agree on all later columns become one. A set
costs one pass over what is left of its longest prefix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _add(count: Any, size: int) -> None:
    """One more class of this size."""
    count[0] += 1
    count[1] += size * (size - 1) // 2
    if size == 1:
        count[2] += 1
    if size < count[3]:
        count[3] = size


@njit(cache=True, nogil=True)
def measure_sorted(codes: Any, rests: Any, widest: int, records: Any, sets: Any) -> Any:
    """One row (classes, pairs of records in a class, unique records, smallest class) per set.

    codes: columns x cells, cells sorted by the last column first; rests: for each column, a label of the tuple of
    all later columns; widest: codes are below this; records: rows of each cell; sets: sets x columns of 0/1, sorted
    downwards.
    """
    width, cells = codes.shape
    out = np.zeros((len(sets), 4), dtype=np.int64)
    lines = 1
    for row in range(len(sets)):
        lines = max(lines, sets[row].sum() + 1)
    members = np.empty((lines, cells), dtype=np.int32)  # cells by class, one line per prefix
    weights = np.empty((lines, cells), dtype=np.int32)  # rows behind each of them
    ends = np.empty((lines, cells // 2 + 1), dtype=np.int32)  # where each class ends
    classes = np.zeros(lines, dtype=np.int64)  # classes still on the line
    gone = np.zeros((lines, 4), dtype=np.int64)  # counts of the classes that left, per prefix
    whole = np.zeros((lines, 4), dtype=np.int64)  # counts of all classes, per prefix
    path = np.empty(lines, dtype=np.int64)  # columns on the stack
    tally = np.zeros(widest, dtype=np.int64)
    weight = np.zeros(widest, dtype=np.int64)
    latest = np.full(widest, -1, dtype=np.int64)
    seen = np.empty(widest, dtype=np.int32)

    total = records.sum()
    for cell in range(cells):
        members[0, cell] = cell
        weights[0, cell] = records[cell]
    ends[0, 0] = cells
    classes[0] = 1
    gone[0, 3] = total
    whole[0, 3] = total
    _add(whole[0], total)
    depth = 0
    for row in range(len(sets)):
        wanted = sets[row]
        last = -1
        for column in range(width):
            if wanted[column]:
                last = column
        keep = 0
        column = 0
        while keep < depth:
            while column < path[keep] and not wanted[column]:
                column += 1
            if column != path[keep] or not wanted[column]:
                break
            column += 1
            keep += 1
        depth = keep
        for column in range(path[depth - 1] + 1 if depth else 0, width):
            if not wanted[column]:
                continue
            code_of, rest_of = codes[column], rests[column]
            store = column != last  # no later set extends this one, so its classes need no line of their own
            below = depth + 1 if store else depth
            count = gone[depth].copy()
            left = gone[depth].copy()
            start, write, found = 0, 0, 0
            for c in range(classes[depth]):
                end = ends[depth, c]
                distinct = 0
                for i in range(start, end):
                    cell = members[depth, i]
                    code = code_of[cell]
                    if weight[code] == 0:
                        seen[distinct] = code
                        distinct += 1
                    weight[code] += weights[depth, i]
                    if store and latest[code] != rest_of[cell]:
                        latest[code] = rest_of[cell]
                        tally[code] += 1
                for d in range(distinct):
                    code = seen[d]
                    _add(count, weight[code])
                    if store:
                        if tally[code] == 1:
                            _add(left, weight[code])
                            tally[code] = -1
                        else:
                            ends[below, found] = write + tally[code]
                            found += 1
                            tally[code], write = write, write + tally[code]
                        latest[code] = -1
                    weight[code] = 0
                if store:
                    for i in range(start, end):
                        cell = members[depth, i]
                        code = code_of[cell]
                        place = tally[code]
                        if place < 0:
                            continue
                        if latest[code] == rest_of[cell]:
                            weights[below, place - 1] += weights[depth, i]
                        else:
                            latest[code] = rest_of[cell]
                            members[below, place] = cell
                            weights[below, place] = weights[depth, i]
                            tally[code] = place + 1
                    for d in range(distinct):
                        tally[seen[d]] = 0
                        latest[seen[d]] = -1
                start = end
            if store:
                path[depth] = column
                depth += 1
                whole[depth] = count
                gone[depth] = left
                classes[depth] = found
            else:
                out[row] = count
        if last < 0 or (depth and path[depth - 1] == last):
            out[row] = whole[depth]
    return out
