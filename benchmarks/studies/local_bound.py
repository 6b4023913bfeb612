"""How little local recoding into hierarchy nodes can lose at all: a lower bound, beside what it loses.

Give every record a price, and let each box (a node per column) take the records it likes, or none: those that pay more
than it loses for each, filled up to k by the dearest others. What all records pay, less what the boxes gain by that, is
no more than what *any* recoding loses, whatever the prices are: its classes are such choices too, with every record in
one of them (Lagrangian relaxation; Geoffrion 1974, https://doi.org/10.1007/BFb0120690). At first a record pays what the
cheapest of its boxes that hold k records loses. Then those whom no box takes pay more and those whom several take less,
a little each time (Held, Wolfe and Crowder 1974, https://doi.org/10.1007/BF01580223). Steps look at the boxes that gain
or nearly do; after each round of steps the boxes of all combinations of levels are counted, O(nodes of the lattice x
distinct tuples), and only that count is called a bound. Needs the public tables (LOOKALIKE_DATA names their folder).
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numba
import numpy as np

import lookalike as la
from benchmarks.data import adult_arx
from lookalike.anonymizers.local.refining import recode
from lookalike.models import KAnonymity
from lookalike.tables.cells import Cells

KS = (2, 5, 10, 100)
SAFE = 1 - 1e-9  #: sums are rounded
NEAR = 0.15  #: boxes are kept for the steps that would gain if they lost so much less
STEPS = 60  #: between two counts of all boxes
LENGTH = 0.01  #: of the first steps: such a share of the bound, if it rose as steeply all the way
PATIENCE = 20  #: steps without a better bound before they become shorter


@numba.njit(nogil=True)
def group(key, keys, used, slot_of):  # type: ignore[no-untyped-def]
    """The slot of each tuple's box in a hash table."""
    mask = len(keys) - 1
    used[:] = False
    for t in range(len(key)):
        slot = np.int64((key[t] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(24)) & mask
        while used[slot] and keys[slot] != key[t]:
            slot = (slot + 1) & mask
        used[slot], keys[slot], slot_of[t] = True, key[t], slot


@numba.njit(nogil=True)
def lower_to_cheapest(records, lost, k, slot_of, held, price):  # type: ignore[no-untyped-def]
    """Nobody pays more than what a box of k records around them loses."""
    for t in range(len(lost)):
        held[slot_of[t]] = 0
    for t in range(len(lost)):
        held[slot_of[t]] += records[t]
    for t in range(len(lost)):
        if held[slot_of[t]] >= k:
            price[t] = min(price[t], lost[t])


@numba.njit(nogil=True)
def near_boxes(order, records, lost, k, price, mark, slot_of, slots, boxes, pairs):  # type: ignore[no-untyped-def]
    """Boxes of one combination of levels that gain, or nearly do: loss, gain and mark of each, and who is in which.

    order: tuples, the dearest first. slots: of the hash table, for each box the records taken, gain, mark and number.
    """
    held, gain, marks, number = slots
    for t in order:
        slot = slot_of[t]
        held[slot], gain[slot], marks[slot], number[slot] = 0, 0.0, 0, -1
    for t in order:
        slot = slot_of[t]
        take = records[t] if price[t] > lost[t] else min(records[t], max(0, k - held[slot]))
        held[slot] += take
        gain[slot] += take * (price[t] - lost[t])
        marks[slot] += mark[t]
    many = members = 0
    for t in order:
        slot = slot_of[t]
        if held[slot] < k or gain[slot] <= -NEAR * k * lost[t]:
            continue
        if number[slot] < 0:
            number[slot] = many
            boxes[0][many], boxes[1][many], boxes[2][many] = lost[t], gain[slot], marks[slot]
            many += 1
        pairs[0][members], pairs[1][members] = number[slot], t
        members += 1
    return many, members


@numba.njit(nogil=True)
def choose(order, records, price, lost, k, start, box_of, slope):  # type: ignore[no-untyped-def]
    """What boxes gain at these prices; the records of each tuple that they take are subtracted from `slope`."""
    held, gain, taken = np.zeros(len(lost), np.int64), np.zeros(len(lost)), np.zeros(len(lost), np.int64)
    for t in order:
        for box in box_of[start[t] : start[t + 1]]:
            over = price[t] - lost[box]
            if over > 0:
                held[box] += records[t]
                gain[box] += records[t] * over
            elif held[box] < k and gain[box] > 0:
                take = min(records[t], k - held[box])
                held[box] += take
                gain[box] += take * over
    for t in order:
        for box in box_of[start[t] : start[t + 1]]:
            if held[box] >= k and gain[box] > 0:
                take = records[t] if price[t] > lost[box] else min(records[t], max(0, k - taken[box]))
                taken[box] += take
                slope[t] -= take
    return gain[(held >= k) & (gain > 0)].sum()


@dataclass(frozen=True)
class Boxes:
    """Some boxes: what each loses, what it gains at some prices, a hash of its tuples, and who is in which."""

    lost: np.ndarray
    gain: np.ndarray
    mark: np.ndarray
    box: np.ndarray  #: of each pair of a box and a tuple in it
    member: np.ndarray

    def only(self, which: np.ndarray) -> Boxes:
        """Those with these numbers."""
        number = np.full(len(self.lost), -1, np.int32)
        number[which] = np.arange(len(which))
        box = number[self.box]
        parts = (part[which] for part in (self.lost, self.gain, self.mark))
        return Boxes(*parts, box[box >= 0], self.member[box >= 0])

    @classmethod
    def joined(cls, parts: list[Boxes]) -> Boxes:
        """All of them; of boxes that hold the same tuples the cheapest is enough."""
        before = np.cumsum([0, *(len(part.lost) for part in parts)])
        lost, gain, mark, member = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("lost", "gain", "mark", "member")
        )
        box = np.concatenate([part.box + first for part, first in zip(parts, before[:-1], strict=True)])
        order = np.lexsort((lost, mark))
        return cls(lost, gain, mark, box, member).only(order[np.diff(mark[order], prepend=-1) != 0])


class Prices:
    """A price per tuple, the bound by them, and the boxes that gain or nearly do."""

    def __init__(self, cells: Cells, k: int) -> None:
        self.k, self.records, n = k, cells.records.astype(np.int64), len(cells)
        draw = np.random.default_rng(0)
        self.mark = draw.integers(0, 2**40, n)
        self.keys, self.losses = [], []
        for attribute, codes in zip(cells.attributes, cells.codes, strict=True):
            ups = [np.asarray(up)[codes] for up in attribute.tree.up]
            self.keys.append([draw.integers(0, 2**63, up.max() + 1).astype(np.uint64)[up] for up in ups])
            losses = (attribute.tree.loss(level)[up] for level, up in enumerate(ups))
            self.losses.append([loss / len(cells.attributes) for loss in losses])
        size = 1 << (2 * n - 1).bit_length()
        self.table = np.zeros(size, np.uint64), np.zeros(size, bool), np.zeros(n, np.int64)
        whole = (np.zeros(size, np.int64) for _ in range(3))
        self.slots = next(whole), np.zeros(size), *whole
        self.price, self.length = np.ones(n), LENGTH
        for lost in self.every_node(2.0):
            lower_to_cheapest(self.records, lost, k, self.table[2], self.slots[0], self.price)
        self.bound, self.near = self.count(self.price)

    def every_node(self, dearest: float) -> Iterator[np.ndarray]:
        """What each tuple loses at each combination of levels where some lose less than the dearest pays, grouped."""
        for node in itertools.product(*(range(len(losses)) for losses in self.losses)):
            lost = np.sum([losses[level] for losses, level in zip(self.losses, node, strict=True)], axis=0)
            if lost.min() <= dearest:
                keys = [keys[level] for keys, level in zip(self.keys, node, strict=True)]
                group(np.sum(keys, axis=0, dtype=np.uint64), *self.table)
                yield lost

    def count(self, price: np.ndarray) -> tuple[float, Boxes]:
        """The bound by these prices, of all boxes there are, and the boxes that gain or nearly do."""
        n, order = len(price), np.argsort(-price, kind="stable")
        boxes = np.zeros(n), np.zeros(n), np.zeros(n, np.int64)
        pairs = np.zeros(n, np.int32), np.zeros(n, np.int32)
        given = order, self.records, self.k, price, self.mark
        none = Boxes(*(part[:0] for part in (*boxes, *pairs)))
        found = [none]
        for lost in self.every_node(price.max()):
            many, inside = near_boxes(*given[:2], lost, *given[2:], self.table[2], self.slots, boxes, pairs)
            if many:
                parts = *(part[:many].copy() for part in boxes), *(part[:inside].copy() for part in pairs)
                found.append(Boxes(*parts))
        near = Boxes.joined(found)
        gained = float(np.maximum(near.gain, 0).sum())
        return (float(price @ self.records) - gained) / float(self.records.sum()) * SAFE, near

    def round(self) -> None:
        """Some steps from the best prices so far; where they end is the new best if all boxes say so."""
        price = self.steps()
        bound, near = self.count(price)
        if bound > self.bound:
            self.price, self.bound, self.near = price, bound, near
        else:  # boxes that gain there were not known
            self.near = Boxes.joined([self.near, near.only(np.flatnonzero(near.gain > 0))])

    def steps(self) -> np.ndarray:
        """The best of the prices on the way, as far as the near boxes say."""
        box_of = self.near.box[np.argsort(self.near.member, kind="stable")]
        start = np.cumsum([0, *np.bincount(self.near.member, minlength=len(self.price))])
        price = best = self.price
        highest, waited, way, total = -np.inf, 0, None, float(self.records.sum())
        for _ in range(STEPS):
            slope = self.records.astype(float)
            order = np.argsort(-price, kind="stable")
            gained = choose(order, self.records, price, self.near.lost, self.k, start, box_of, slope)
            bound = (float(price @ self.records) - gained) / total
            waited += 1
            if bound > highest:
                highest, best, waited = bound, price, 0
            elif waited == PATIENCE:
                self.length, price, way, waited = 0.75 * self.length, best, None, 0
                continue
            way = slope if way is None else (way + slope) / 2
            along = np.where((price <= 0) & (way < 0), 0.0, way)
            steep = float(along @ along)
            if steep > 0:
                price = np.maximum(price + self.length * abs(bound) * total / steep * along, 0.0)
        return best


def main() -> int:
    """Print loss, CPU seconds, and the bound at first and after each round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("-k", type=int, nargs="*", default=KS)
    asked = parser.parse_args()
    frame, hierarchies = adult_arx()
    cells = la.table(frame, quasi=frame.columns, hierarchies=hierarchies).cells()
    print("  k    loss  CPU s  at best, at first and after each round", flush=True)
    for k in asked.k:
        recode(cells, [KAnonymity(k)], output="hierarchy", rounds=1)
        start = time.process_time()
        found = recode(cells, [KAnonymity(k)], output="hierarchy")
        print(f"{k:3}  {found.loss:.4f}  {time.process_time() - start:5.1f} ", end="", flush=True)
        prices = Prices(cells, k)
        for number in range(asked.rounds + 1):
            if number:
                prices.round()
            print(f" {np.floor(prices.bound * 1e5) / 1e5:.5f}", end="", flush=True)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
