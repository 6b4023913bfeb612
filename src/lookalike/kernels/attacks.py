"""What the classes that cover a tuple hold: counts, people, values, nearest boxes; all classes at once as bit sets.

`bits[offset[q] + code]` is the set of classes whose published value of attribute q covers that code, so the classes
that cover a tuple are an intersection of rows. O(tuples x attributes x classes / 64) plus what is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.bits import ONE, ZERO, has, lowest
from lookalike.kernels.compiling import making_kernel, part


@part
def _covering(bits: Any, offset: Any, codes: Any, chosen: Any, i: Any, out: Any) -> None:
    """The classes that cover tuple i on the chosen attributes; a code below 0 is one nobody published."""
    out[:] = ~ZERO
    for q in range(len(chosen)):
        if chosen[q]:
            if codes[q, i] < 0:
                out[:] = ZERO
                return
            row = bits[offset[q] + codes[q, i]]
            for w in range(len(out)):
                out[w] &= row[w]


@making_kernel
def sum_covering(bits: Any, offset: Any, codes: Any, chosen: Any, weight: Any) -> Any:
    """Sum of a weight over the classes that cover each tuple."""
    n, classes = codes.shape[1], len(weight)
    out = np.zeros(n, dtype=np.int64)
    found = np.empty(bits.shape[1], dtype=np.uint64)
    for i in range(n):
        _covering(bits, offset, codes, chosen, i, found)
        for w in range(len(found)):
            word = found[w]
            while word != ZERO:
                c = w * 64 + lowest(word)
                if c < classes:
                    out[i] += weight[c]
                word &= word - ONE
    return out


@making_kernel
def sum_covered(bits: Any, offset: Any, codes: Any, weight: Any, classes: Any) -> Any:
    """Sum of a weight over the tuples that each class covers."""
    chosen = np.ones(codes.shape[0], dtype=np.bool_)
    out = np.zeros(classes, dtype=np.int64)
    found = np.empty(bits.shape[1], dtype=np.uint64)
    for i in range(codes.shape[1]):
        if weight[i] == 0:
            continue
        _covering(bits, offset, codes, chosen, i, found)
        for w in range(len(found)):
            word = found[w]
            while word != ZERO:
                c = w * 64 + lowest(word)
                if c < classes:
                    out[c] += weight[i]
                word &= word - ONE
    return out


@making_kernel
def people_covering(
    bits: Any, offset: Any, codes: Any, chosen: Any, starts: Any, unit: Any, units: Any
) -> Any:
    """Distinct people in the classes that cover each tuple."""
    n, classes = codes.shape[1], len(starts) - 1
    out = np.zeros(n, dtype=np.int64)
    seen = np.full(units, -1, dtype=np.int64)
    found = np.empty(bits.shape[1], dtype=np.uint64)
    for i in range(n):
        _covering(bits, offset, codes, chosen, i, found)
        for w in range(len(found)):
            word = found[w]
            while word != ZERO:
                c = w * 64 + lowest(word)
                word &= word - ONE
                if c >= classes:
                    continue
                for at in range(starts[c], starts[c + 1]):
                    if seen[unit[at]] != i:
                        seen[unit[at]] = i
                        out[i] += 1
    return out


@making_kernel
def records_sharing(
    bits: Any, offset: Any, codes: Any, tuple_of: Any, value: Any, starts: Any, owner: Any, count: Any
) -> Any:
    """Records with a given value in the classes that cover a tuple, for sorted (tuple, value) pairs.

    `starts[v]` opens the classes that hold value v (`owner`), and how often (`count`).
    """
    out = np.zeros(len(value), dtype=np.int64)
    chosen = np.ones(codes.shape[0], dtype=np.bool_)
    found = np.empty(bits.shape[1], dtype=np.uint64)
    last = -1
    for j in range(len(value)):
        if tuple_of[j] != last:
            last = tuple_of[j]
            _covering(bits, offset, codes, chosen, last, found)
        for at in range(starts[value[j]], starts[value[j] + 1]):
            if has(found, owner[at]):
                out[j] += count[at]
    return out


@making_kernel
def values_covering(
    bits: Any, offset: Any, codes: Any, starts: Any, value: Any, count: Any, size: Any
) -> Any:
    """Per tuple, in the classes that cover it: distinct values, the commonest one (-1: none), its count, all counts."""
    n, classes = codes.shape[1], len(starts) - 1
    chosen = np.ones(codes.shape[0], dtype=np.bool_)
    distinct, best = np.zeros(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    most, total = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    held, seen = np.zeros(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    found = np.empty(bits.shape[1], dtype=np.uint64)
    for i in range(n):
        _covering(bits, offset, codes, chosen, i, found)
        for w in range(len(found)):
            word = found[w]
            while word != ZERO:
                c = w * 64 + lowest(word)
                word &= word - ONE
                if c >= classes:
                    continue
                for at in range(starts[c], starts[c + 1]):
                    if held[value[at]] == 0:
                        seen[distinct[i]] = value[at]
                        distinct[i] += 1
                    held[value[at]] += count[at]
                    total[i] += count[at]
        for j in range(distinct[i]):
            v = seen[j]
            if held[v] > most[i] or (held[v] == most[i] and v < best[i]):
                best[i], most[i] = v, held[v]
            held[v] = 0
    return distinct, best, most, total


@making_kernel
def values_shared(
    bits: Any, offset: Any, codes: Any, starts: Any, value: Any, count: Any,
    bits2: Any, offset2: Any, codes2: Any, starts2: Any, value2: Any,
    size: Any,
) -> Any:  # fmt: skip
    """Two releases: per tuple the distinct values found around it in both, and the first one's records with them."""
    n, classes, classes2 = codes.shape[1], len(starts) - 1, len(starts2) - 1
    chosen = np.ones(codes.shape[0], dtype=np.bool_)
    chosen2 = np.ones(codes2.shape[0], dtype=np.bool_)
    shared, records = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    mark = np.full(size, -1, dtype=np.int64)  # 2 i: seen in the second; 2 i + 1: in both
    found = np.empty(bits.shape[1], dtype=np.uint64)
    found2 = np.empty(bits2.shape[1], dtype=np.uint64)
    for i in range(n):
        _covering(bits, offset, codes, chosen, i, found)
        _covering(bits2, offset2, codes2, chosen2, i, found2)
        for w in range(len(found2)):
            word = found2[w]
            while word != ZERO:
                c = w * 64 + lowest(word)
                word &= word - ONE
                if c < classes2:
                    for at in range(starts2[c], starts2[c + 1]):
                        mark[value2[at]] = 2 * i
        for w in range(len(found)):
            word = found[w]
            while word != ZERO:
                c = w * 64 + lowest(word)
                word &= word - ONE
                if c >= classes:
                    continue
                for at in range(starts[c], starts[c + 1]):
                    v = value[at]
                    if mark[v] == 2 * i:
                        mark[v] = 2 * i + 1
                        shared[i] += 1
                    if mark[v] == 2 * i + 1:
                        records[i] += count[at]
    return shared, records


@making_kernel
def values_beside(bits: Any, offset: Any, codes: Any, starts: Any, value: Any, count: Any, size: Any) -> Any:
    """Per tuple, how often each value occurs in classes that cover it on all attributes but one."""
    attributes, n, classes = codes.shape[0], codes.shape[1], len(starts) - 1
    out = np.zeros((n, size), dtype=np.int64)
    chosen = np.ones(attributes, dtype=np.bool_)
    inside = np.empty(bits.shape[1], dtype=np.uint64)
    found = np.empty(bits.shape[1], dtype=np.uint64)
    for i in range(n):
        _covering(bits, offset, codes, chosen, i, inside)
        for q in range(attributes):
            chosen[q] = False
            _covering(bits, offset, codes, chosen, i, found)
            chosen[q] = True
            for w in range(len(found)):
                word = found[w] & ~inside[w]
                while word != ZERO:
                    c = w * 64 + lowest(word)
                    word &= word - ONE
                    if c < classes:
                        for at in range(starts[c], starts[c + 1]):
                            out[i, value[at]] += count[at]
    return out


@making_kernel
def nearest(distance: Any, offset: Any, codes: Any, labels: Any) -> Any:
    """Per tuple the smallest sum, over classes, of the distances between its codes and the class's labels.

    `distance[offset[q] + code, label]` is the distance on attribute q; `labels[q, class]` the published labels.
    """
    attributes, n = codes.shape
    out = np.full(n, np.inf)
    for i in range(n):
        for c in range(labels.shape[1]):
            total = 0.0
            for q in range(attributes):
                total += distance[offset[q] + codes[q, i], labels[q, c]]
                if total >= out[i]:
                    break
            out[i] = min(out[i], total)
    return out


@making_kernel
def match(order: Any, size: Any, owner: Any, waiting: Any, stock: Any) -> Any:
    """Hand out each class's values to its items, likeliest pair first: how many of each value each item gets.

    `order` lists pairs item x size + value; `waiting` and `stock` are used up.
    """
    out = np.zeros((len(waiting), size), dtype=np.int64)
    for pair in order:
        item, value = pair // size, pair % size
        given = min(waiting[item], stock[owner[item], value])
        if given > 0:
            waiting[item] -= given
            stock[owner[item], value] -= given
            out[item, value] += given
    return out
