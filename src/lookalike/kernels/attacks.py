"""What the classes that cover a tuple hold: counts, people, values, nearest boxes; all classes at once as bit sets.

The classes that cover a tuple are an intersection of rows of bits. O(tuples x attributes x classes / 64) plus what is
found. What classes hold (`held`): from `starts[class]` to the next one its distinct values, and how often each occurs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.bits import ONE, ZERO, has, lowest
from lookalike.kernels.compiling import kernel, part


class Covers(NamedTuple):
    """Tuples and who covers them: row `offset[q] + code` is the classes whose published value of q covers the code."""

    bits: Any
    offset: Any
    codes: Any  #: attributes x tuples; below 0 is a code that nobody published


class _Room(NamedTuple):
    words: Any  #: the classes that cover a tuple, as bits
    found: Any  #: and as numbers


class _View(NamedTuple):
    """A release around a tuple."""

    covers: Any
    chosen: Any  #: attributes that are looked at
    held: Any
    room: Any


def _room(covers: Covers, classes: int) -> _Room:
    return _Room(np.empty(covers.bits.shape[1], np.uint64), np.empty(classes, np.int64))


def _all(covers: Covers) -> Any:
    return np.ones(len(covers.codes), np.bool_)


@part
def _intersect(covers: Any, chosen: Any, i: Any, words: Any) -> None:
    """The classes that cover tuple i on the chosen attributes, as bits."""
    bits, offset, codes = covers.bits, covers.offset, covers.codes
    for w in range(len(words)):
        words[w] = ~ZERO
    for q in range(len(chosen)):
        if chosen[q]:
            row = offset[q] + codes[q, i]
            for w in range(len(words)):
                words[w] = words[w] & bits[row, w] if codes[q, i] >= 0 else ZERO


@part
def _list(words: Any, found: Any) -> Any:
    """The numbers of the bits set, as far as there is room for classes; returns how many."""
    many = 0
    for w in range(len(words)):
        word = words[w]
        while word != ZERO:
            c = w * 64 + lowest(word)
            word &= word - ONE
            if c < len(found):
                found[many] = c
                many += 1
    return many


@part
def _covering(covers: Any, chosen: Any, i: Any, room: Any) -> Any:
    """List the classes that cover tuple i on the chosen attributes; returns how many."""
    _intersect(covers, chosen, i, room.words)
    return _list(room.words, room.found)


def sum_covering(covers: Covers, chosen: Any, weight: Any) -> Any:
    """Sum of a weight over the classes that cover each tuple."""
    return _sums(covers, chosen, np.ones(covers.codes.shape[1], np.int64), weight)[0]


def sum_covered(covers: Covers, weight: Any, classes: int) -> Any:
    """Sum of a weight over the tuples that each class covers."""
    return _sums(covers, _all(covers), weight, np.zeros(classes, np.int64))[1]


def _sums(covers: Covers, chosen: Any, of_tuple: Any, of_class: Any) -> tuple[Any, Any]:
    out = np.zeros(len(of_tuple), np.int64), np.zeros(len(of_class), np.int64)
    _sum_pairs(covers, chosen, of_tuple, of_class, _room(covers, len(of_class)), *out)
    return out


@kernel
def _sum_pairs(
    covers: Any, chosen: Any, of_tuple: Any, of_class: Any, room: Any, to_tuple: Any, to_class: Any
) -> None:
    """For each tuple and each class that covers it, add the weight of the one to the other."""
    for i in range(len(of_tuple)):
        if of_tuple[i] != 0:
            for j in range(_covering(covers, chosen, i, room)):
                c = room.found[j]
                to_tuple[i] += of_class[c]
                to_class[c] += of_tuple[i]


def people_covering(covers: Covers, chosen: Any, held: Any) -> Any:
    """Distinct people in the classes that cover each tuple."""
    out = np.zeros(covers.codes.shape[1], np.int64)
    _people(covers, chosen, held, np.full(held.size, -1), _room(covers, len(held.starts) - 1), out)
    return out


@kernel
def _people(covers: Any, chosen: Any, held: Any, seen: Any, room: Any, out: Any) -> None:
    for i in range(len(out)):
        for j in range(_covering(covers, chosen, i, room)):
            c = room.found[j]
            for at in range(held.starts[c], held.starts[c + 1]):
                if seen[held.value[at]] != i:
                    seen[held.value[at]] = i
                    out[i] += 1


def sharing(covers: Covers, tuple_of: Any, value: Any, holders: Any) -> Any:
    """People with a given value in the classes that cover a tuple, for sorted (tuple, value) pairs.

    holders: the other way round, from `starts[value]` to the next one the classes that hold it, person by person.
    """
    out = np.zeros(len(value), np.int64)
    _sharing(covers, _all(covers), tuple_of, value, holders, _room(covers, 0).words, out)
    return out


@kernel
def _sharing(covers: Any, chosen: Any, tuple_of: Any, value: Any, holders: Any, words: Any, out: Any) -> None:
    last = -1
    for j in range(len(value)):
        if tuple_of[j] != last:
            last = tuple_of[j]
            _intersect(covers, chosen, last, words)
        counted = -1
        for at in range(holders.starts[value[j]], holders.starts[value[j] + 1]):
            if holders.person[at] != counted and has(words, holders.owner[at]):
                counted = holders.person[at]
                out[j] += holders.times[at]


def values_covering(covers: Covers, held: Any) -> Any:
    """Per tuple, in the classes that cover it: distinct values, the commonest one (-1: none), its count, all counts."""
    out = np.zeros((4, covers.codes.shape[1]), np.int64)
    out[1] = -1
    times, seen = np.zeros(held.size, np.int64), np.empty(held.size, np.int64)
    _values(covers, _all(covers), held, times, seen, _room(covers, len(held.starts) - 1), out)
    return out


@kernel
def _values(covers: Any, chosen: Any, held: Any, times: Any, seen: Any, room: Any, out: Any) -> None:
    for i in range(out.shape[1]):
        distinct, total = 0, 0
        for j in range(_covering(covers, chosen, i, room)):
            c = room.found[j]
            for at in range(held.starts[c], held.starts[c + 1]):
                value, count = held.value[at], held.times[at]
                if times[value] == 0:
                    seen[distinct] = value
                    distinct += 1
                times[value] += count
                total += count
        best, most = np.int64(-1), np.int64(0)
        for j in range(distinct):
            value = seen[j]
            if times[value] > most or (times[value] == most and value < best):
                best, most = value, times[value]
            times[value] = 0
        out[0, i], out[1, i], out[2, i], out[3, i] = distinct, best, most, total


def values_shared(covers: Covers, held: Any, covers2: Covers, held2: Any) -> Any:
    """Two releases: per tuple the distinct values found around it in both, and the first one's records with them."""
    out = np.zeros((2, covers.codes.shape[1]), np.int64)
    mark = np.full(held.size, -1)  # 2 i: seen in the second; 2 i + 1: in both
    first = _View(covers, _all(covers), held, _room(covers, len(held.starts) - 1))
    second = _View(covers2, _all(covers2), held2, _room(covers2, len(held2.starts) - 1))
    _shared(first, second, mark, out)
    return out


@kernel
def _shared(first: Any, second: Any, mark: Any, out: Any) -> None:
    for i in range(out.shape[1]):
        for j in range(_covering(second.covers, second.chosen, i, second.room)):
            c = second.room.found[j]
            for at in range(second.held.starts[c], second.held.starts[c + 1]):
                mark[second.held.value[at]] = 2 * i
        for j in range(_covering(first.covers, first.chosen, i, first.room)):
            c = first.room.found[j]
            for at in range(first.held.starts[c], first.held.starts[c + 1]):
                v = first.held.value[at]
                if mark[v] == 2 * i:
                    mark[v] = 2 * i + 1
                    out[0, i] += 1
                if mark[v] == 2 * i + 1:
                    out[1, i] += first.held.times[at]


def values_beside(covers: Covers, held: Any) -> Any:
    """Per tuple, how often each value occurs in classes that cover it on all attributes but one."""
    out = np.zeros((covers.codes.shape[1], held.size), np.int64)
    room = _room(covers, len(held.starts) - 1)
    _beside(covers, _all(covers), held, np.empty_like(room.words), room, out)
    return out


@kernel
def _beside(covers: Any, chosen: Any, held: Any, inside: Any, room: Any, out: Any) -> None:
    for i in range(len(out)):
        _intersect(covers, chosen, i, inside)
        for q in range(len(chosen)):
            chosen[q] = False
            _intersect(covers, chosen, i, room.words)
            chosen[q] = True
            for w in range(len(inside)):
                room.words[w] &= ~inside[w]
            for j in range(_list(room.words, room.found)):
                c = room.found[j]
                for at in range(held.starts[c], held.starts[c + 1]):
                    out[i, held.value[at]] += held.times[at]


def nearest(distance: Any, offset: Any, codes: Any, labels: Any) -> Any:
    """Per tuple the smallest sum, over classes, of the distances between its codes and the class's labels.

    `distance[offset[q] + code, label]` is the distance on attribute q; `labels[q, class]` the published labels.
    """
    out = np.full(codes.shape[1], np.inf)
    _nearest(distance, offset, codes, labels, out)
    return out


@kernel
def _nearest(distance: Any, offset: Any, codes: Any, labels: Any, out: Any) -> None:
    for i in range(len(out)):
        for c in range(labels.shape[1]):
            total = 0.0
            for q in range(len(codes)):
                total += distance[offset[q] + codes[q, i], labels[q, c]]
                if total >= out[i]:
                    break
            if total < out[i]:
                out[i] = total


def match(order: Any, size: int, owner: Any, waiting: Any, stock: Any) -> Any:
    """Hand out each class's values to its items, likeliest pair first: how many of each value each item gets.

    `order` lists pairs item x size + value; `waiting` and `stock` are used up.
    """
    out = np.zeros((len(waiting), size), np.int64)
    _match(order, owner, waiting, stock, out)
    return out


@kernel
def _match(order: Any, owner: Any, waiting: Any, stock: Any, out: Any) -> None:
    size = out.shape[1]
    for j in range(len(order)):
        item, value = order[j] // size, order[j] % size
        free, left = waiting[item], stock[owner[item], value]
        given = free if free < left else left
        if given > 0:
            waiting[item] -= given
            stock[owner[item], value] -= given
            out[item, value] += given
