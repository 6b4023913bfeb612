"""How little local recoding into hierarchy nodes can lose at all: a lower bound, beside what it loses.

A record is published in a box, a node per column, that at least k records are in. So it loses no less than in the
cheapest of its boxes that holds k records; the mean over all records is a bound that no recoding beats. It need not be
reached: the cheapest boxes of different records may want the same people. Every combination of levels is counted once,
O(nodes of the lattice x distinct tuples). Needs the public data sets (LOOKALIKE_DATA, or the folder beside).
"""

from __future__ import annotations

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

KS = np.array([2, 5, 10, 100])


@numba.njit(nogil=True)
def lower(codes, records, place, node, token, loss, ks, keys, sizes, stamp, mark, slot_of, shift, best):  # type: ignore[no-untyped-def]
    """Count the boxes of one combination of levels, and note where they are the cheapest that hold k records."""
    mask = len(stamp) - 1
    for r in range(len(records)):
        key = np.uint64(0)
        for a in range(len(node)):
            key += token[place[a, node[a]] + codes[a, r]]
        slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))
        while stamp[slot] == mark and keys[slot] != key:
            slot = (slot + 1) & mask
        if stamp[slot] != mark:
            stamp[slot], keys[slot], sizes[slot] = mark, key, 0
        sizes[slot] += records[r]
        slot_of[r] = slot
    for r in range(len(records)):
        size = sizes[slot_of[r]]
        if size >= ks[0]:
            lost = 0.0
            for a in range(len(node)):
                lost += loss[place[a, node[a]] + codes[a, r]]
            for j in range(len(ks)):
                if size >= ks[j] and lost < best[j, r]:
                    best[j, r] = lost


def least_losses(cells: Cells) -> list[float]:
    """The bound for each k."""
    rng, trees = np.random.default_rng(0), [a.tree for a in cells.attributes]
    place = np.zeros((len(trees), max(tree.height for tree in trees) + 1), dtype=np.int64)
    token, loss, at = [], [], 0
    for a, tree in enumerate(trees):
        for level, up in enumerate(tree.up):
            place[a, level] = at
            token.append(rng.integers(0, 2**63, int(up.max()) + 1).astype(np.uint64)[up])
            loss.append(tree.loss(level)[up] / len(trees))
            at += len(up)
    bits = (2 * len(cells)).bit_length()
    keys, sizes = np.zeros(1 << bits, dtype=np.uint64), np.zeros(1 << bits, dtype=np.int64)
    stamp, slot_of = np.zeros(1 << bits, dtype=np.int64), np.zeros(len(cells), dtype=np.int64)
    best, codes = np.ones((len(KS), len(cells))), np.array(cells.codes, dtype=np.int32)
    tables = np.concatenate(token), np.concatenate(loss)
    nodes = itertools.product(*(range(tree.height + 1) for tree in trees))
    for mark, node in enumerate(nodes, 1):
        where = keys, sizes, stamp, mark, slot_of, 64 - bits, best
        lower(codes, cells.records, place, np.array(node), *tables, KS, *where)
    return [float(row @ cells.records / cells.records.sum()) for row in best]


def main() -> int:
    """Print loss, bound and CPU seconds."""
    folder = data_folder()
    frame = pl.read_csv(folder / "adult_arx.csv")
    cells = la.table(frame, quasi=frame.columns, hierarchies=folder / "hierarchies").cells()
    bounds = least_losses(cells)
    print("  k    loss  at best  CPU s", [round(bound, 4) for bound in bounds], flush=True)
    for k, bound in zip(KS.tolist(), bounds):
        recode(cells, [KAnonymity(k)], output="hierarchy", rounds=1)
        start = time.process_time()
        found = recode(cells, [KAnonymity(k)], output="hierarchy")
        print(f"{k:3}  {found.loss:.4f}   {bound:.4f}  {time.process_time() - start:5.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
