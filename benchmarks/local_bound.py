"""How little local recoding into hierarchy nodes can lose at all: a lower bound, beside what it loses.

Give every record a price such that in no box (a node per column) the k dearest records pay more together than k times
what the box loses. A class of k or more records then loses at least what its members pay, so all prices together are
no more than what any recoding loses: they are a solution of the dual of the linear relaxation. To begin with a record
pays what the cheapest of its boxes that hold k records loses. Then prices are raised while no box is overpaid: a rare
record, which drags common ones along, comes to pay for them as well. Each step counts the boxes of all combinations of
levels, O(nodes of the lattice x distinct tuples). `--steps 8` raises prices eight times; more never lower the bound.
Needs the public data sets (LOOKALIKE_DATA, or the folder beside).
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time

import numba
import numpy as np
import polars as pl
from bench_optimal import data_folder

import lookalike as la
from lookalike.anonymizers.local.refining import recode
from lookalike.models import KAnonymity
from lookalike.tables.cells import Cells

KS = (2, 5, 10, 100)
SAFE = 1 - 1e-9  #: sums are rounded


@numba.njit(nogil=True)
def count_boxes(order, records, token, loss, base_key, base_loss, k, price, raising, keys, box, slot_of, out):  # type: ignore[no-untyped-def]
    """One combination of levels: how far every price can rise alone, and all of them in proportion to `raising`.

    order: tuples, the dearest first. box: per slot the records counted, what the k dearest pay, the price of the last
    of them, the sum and the greatest of `raising`, and what k records lose.
    """
    mask = len(keys) - 1
    for slot in range(len(keys)):
        box[slot, 0] = -1.0
    for r in order:
        key = base_key[r] + token[r]
        slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(24)) & mask
        while box[slot, 0] >= 0 and keys[slot] != key:
            slot = (slot + 1) & mask
        if box[slot, 0] < 0:
            keys[slot] = key
            box[slot, :5] = 0.0
            box[slot, 5] = k * (base_loss[r] + loss[r])
        many = min(records[r], k - box[slot, 0])
        if many > 0:
            box[slot, 0] += many
            box[slot, 1] += many * price[r]
            box[slot, 2] = price[r]
        box[slot, 3] += min(records[r], k) * raising[r]
        box[slot, 4] = max(box[slot, 4], raising[r])
        slot_of[r] = slot
    for r in order:
        counted, paid, last, together, most, lost = box[slot_of[r]]
        if counted >= k:
            out[0, r] = min(out[0, r], max(lost - paid, 0.0) + max(last - price[r], 0.0))
            together = min(together, k * most)
            if together > 0:
                out[1, r] = min(out[1, r], max(lost - paid, 0.0) / together)


class Prices:
    """A price per tuple, raised step by step."""

    def __init__(self, cells: Cells, k: int) -> None:
        self.cells, self.k = cells, k
        self.trees = [a.tree for a in cells.attributes]
        draw = np.random.default_rng(0)
        self.token, self.loss = [], []
        for tree, codes in zip(self.trees, cells.codes):
            ups = [np.asarray(up)[codes] for up in tree.up]
            self.token.append([draw.integers(0, 2**63, up.max() + 1).astype(np.uint64)[up] for up in ups])
            self.loss.append([tree.loss(level)[up] / len(self.trees) for level, up in enumerate(ups)])
        self.price, self.raising = np.zeros(len(cells)), np.zeros(len(cells))

    @property
    def bound(self) -> float:
        """What all records pay, per record."""
        return float(self.price @ self.cells.records / self.cells.records.sum()) * SAFE

    def step(self) -> None:
        """Raise prices: at first to the cheapest box of k records, then as far as no box is overpaid."""
        n, k = len(self.price), self.k
        size = 1 << (2 * n - 1).bit_length()
        keys, box, slot_of = np.zeros(size, np.uint64), np.zeros((size, 6)), np.zeros(n, np.int64)
        out = np.full((2, n), np.inf)
        order, records = np.argsort(-self.price, kind="stable"), self.cells.records.astype(np.int64)
        tallest = max(range(len(self.trees)), key=lambda a: self.trees[a].height)
        others = [a for a in range(len(self.trees)) if a != tallest]
        for node in itertools.product(*(range(self.trees[a].height + 1) for a in others)):
            key, lost = np.zeros(n, np.uint64), np.zeros(n)
            for a, level in zip(others, node):
                key, lost = key + self.token[a][level], lost + self.loss[a][level]
            if self.price.any() and lost.min() > 2 * self.price.max():
                continue  # prices are kept below, so that k of them never pay for such a box
            for token, loss in zip(self.token[tallest], self.loss[tallest]):
                where = keys, box, slot_of, out
                count_boxes(order, records, token, loss, key, lost, k, self.price, self.raising, *where)
        alone, shared = out
        if self.price.any():
            limit = 2 * self.price.max()
            self.price = np.minimum(self.price + np.where(self.raising > 0, shared, 0) * self.raising, limit)
        else:
            self.price = alone / k
        self.raising = np.where(alone > 1e-9, alone, 0.0)


def main() -> int:
    """Print loss, bound and CPU seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("-k", type=int, nargs="*", default=KS)
    asked = parser.parse_args()
    folder = data_folder()
    frame = pl.read_csv(folder / "adult_arx.csv")
    cells = la.table(frame, quasi=frame.columns, hierarchies=folder / "hierarchies").cells()
    print("  k    loss  CPU s  at best, at first and after each step", flush=True)
    for k in asked.k:
        recode(cells, [KAnonymity(k)], output="hierarchy", rounds=1)
        start = time.process_time()
        found = recode(cells, [KAnonymity(k)], output="hierarchy")
        print(f"{k:3}  {found.loss:.4f}  {time.process_time() - start:5.1f} ", end="", flush=True)
        prices = Prices(cells, k)
        for _ in range(asked.steps + 1):
            prices.step()
            print(f" {np.floor(prices.bound * 1e4) / 1e4:.4f}", end="", flush=True)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
