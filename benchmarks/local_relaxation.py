"""How little local recoding into hierarchy nodes can lose: the linear relaxation, which `local_bound.py` comes near to.

Sets of k records cost k times what their box loses, and every record has to be covered. The best fractional cover loses
no more than any classes do, since a class of more than k records is a mixture of such sets. Sets are generated
(Gilmore and Gomory 1961, https://doi.org/10.1287/opre.9.6.849): HiGHS covers with those known so far and prices every
record; each box whose k dearest records pay more than it loses is a set to add. Asking at a point between these prices
and the best ones so far steadies them (Wentges 1997, https://doi.org/10.1111/j.1475-3995.1997.tb00086.x). Prices
lowered until no box is overpaid are a bound at any time. A round counts the boxes of all combinations of levels:
O(nodes of the lattice x distinct tuples). Needs highspy and the public data sets.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time

import highspy
import numba
import numpy as np
import polars as pl
from bench_optimal import data_folder
from local_bound import SAFE, Prices

import lookalike as la
from lookalike.anonymizers.local.refining import recode
from lookalike.models import KAnonymity
from lookalike.tables.cells import Cells

TINY = 1e-7  #: per record: a box overpaid by less is not worth a set
MOST = 400_000  #: sets of one round


@numba.njit(nogil=True)
def overpaid(order, records, key, lost, k, price, slots, slot_of, lower, best, found):  # type: ignore[no-untyped-def]
    """One combination of levels: lower the prices of overpaid boxes, and list the sets that overpay most for a member.

    order: tuples, the dearest first. slots: per slot of a hash table of boxes its key, the records counted, what they
    pay, what k records lose, and the tuples counted, with how many of each. lower: a factor per tuple. best: what the
    worst set of each tuple overpays. found: the sets, and how many there are.
    """
    keys, used, counted, paid, loses, many, member, times = slots
    mask = len(keys) - 1
    used[:] = False
    for r in order:
        slot = np.int64((key[r] * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(24)) & mask
        while used[slot] and keys[slot] != key[r]:
            slot = (slot + 1) & mask
        if not used[slot]:
            used[slot], keys[slot] = True, key[r]
            paid[slot], loses[slot], many[slot] = 0.0, k * lost[r], 0
            counted[slot] = 0 if price[r] > lost[r] else -1  # its dearest record pays too little for any set
        slot_of[r] = slot
        if 0 <= counted[slot] < k:
            take = min(records[r], k - counted[slot])
            member[slot, many[slot]], times[slot, many[slot]] = r, take
            counted[slot] += take
            paid[slot] += take * price[r]
            many[slot] += 1
    sets, set_times, set_many, set_cost, filled = found
    for r in order:
        slot = slot_of[r]
        over = paid[slot] - loses[slot]
        if counted[slot] < k or over <= 0:
            continue
        lower[r] = min(lower[r], loses[slot] / paid[slot])
        if member[slot, 0] != r or over <= k * TINY or filled[0] == len(set_cost):
            continue
        worst = False
        for z in range(many[slot]):
            worst |= over > best[member[slot, z]]
        if worst:
            for z in range(many[slot]):
                sets[filled[0], z], set_times[filled[0], z] = member[slot, z], times[slot, z]
                best[member[slot, z]] = max(best[member[slot, z]], over)
            set_many[filled[0]], set_cost[filled[0]] = many[slot], loses[slot]
            filled[0] += 1


class Relaxation:
    """Sets known so far, and the best prices that overpay no box."""

    def __init__(self, cells: Cells, k: int) -> None:
        self.cells, self.k, self.records = cells, k, cells.records.astype(np.int64)
        start = Prices(cells, k)
        for _ in range(3):
            start.step()
        self.trees, self.token, self.loss = start.trees, start.token, start.loss
        self.rare = np.flatnonzero(self.records < k)  # the others lose nothing by themselves
        self.row = np.full(len(cells), -1)
        self.row[self.rare] = np.arange(len(self.rare))
        self.feasible = np.where(self.row >= 0, start.price, 0.0)
        # to begin with everybody may drag k records along that lose all
        self.sets = [(np.array([row]), np.ones(1), float(k)) for row in range(len(self.rare))]
        self.lowest = float("inf")

    @property
    def bound(self) -> float:
        """What all records pay, per record."""
        return float(self.feasible @ self.records / self.records.sum()) * SAFE

    def cover(self) -> np.ndarray:
        """The best fractional cover by the sets known so far: the price of every tuple."""
        rows, times, costs = zip(*self.sets)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(costs), len(self.rare)
        program.col_cost_ = np.array(costs)
        program.col_lower_, program.col_upper_ = np.zeros(len(costs)), np.full(len(costs), highspy.kHighsInf)
        program.row_lower_ = self.records[self.rare].astype(float)
        program.row_upper_ = np.full(len(self.rare), highspy.kHighsInf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        program.a_matrix_.index_ = np.concatenate(rows).astype(np.int32)
        program.a_matrix_.value_ = np.concatenate(times)
        solver = highspy.Highs()
        # prices from the middle of all that are best settle sooner than those from a corner
        for option, value in (("output_flag", False), ("solver", "ipm"), ("run_crossover", "off")):
            solver.setOptionValue(option, value)
        solver.passModel(program)
        solver.run()
        self.lowest = solver.getInfo().objective_function_value / float(self.records.sum())
        price = np.zeros(len(self.cells))
        price[self.rare] = np.maximum(solver.getSolution().row_dual, 0)
        return price

    def generate(self, price: np.ndarray) -> int:
        """Add the sets that are overpaid at these prices; lowered until none is, they may be the best so far."""
        n, k = len(price), self.k
        size = 1 << (2 * n - 1).bit_length()
        whole = (np.zeros((size, k), np.int32) for _ in range(2))
        slots = np.zeros(size, np.uint64), np.zeros(size, bool), np.zeros(size, np.int64), np.zeros(size)
        slots = (*slots, np.zeros(size), np.zeros(size, np.int64), *whole)
        found = *(np.zeros((MOST, k), np.int32) for _ in range(2)), np.zeros(MOST, np.int64), np.zeros(MOST)
        filled, lower, best, slot_of = np.zeros(1, np.int64), np.ones(n), np.zeros(n), np.zeros(n, np.int64)
        order = np.argsort(-price, kind="stable")
        for node in itertools.product(*(range(tree.height + 1) for tree in self.trees)):
            lost = np.sum([loss[level] for loss, level in zip(self.loss, node)], axis=0)
            if lost.min() < price.max():
                key = np.sum(
                    [token[level] for token, level in zip(self.token, node)], axis=0, dtype=np.uint64
                )
                overpaid(
                    order, self.records, key, lost, k, price, slots, slot_of, lower, best, (*found, filled)
                )
        if float((price * lower) @ self.records) > float(self.feasible @ self.records):
            self.feasible = price * lower
        for tuples, times, many, cost in zip(*(part[: filled[0]] for part in found)):
            rows = self.row[tuples[:many]]
            self.sets.append((rows[rows >= 0], times[:many][rows >= 0].astype(float), float(cost)))
        return int(filled[0])

    def forget(self, price: np.ndarray) -> None:
        """Drop sets that cost far more than their records pay."""
        worth = [cost - float(times @ price[self.rare[rows]]) < 0.3 * cost for rows, times, cost in self.sets]
        own = len(self.rare)
        self.sets = self.sets[:own] + [s for s, keep in zip(self.sets[own:], worth[own:]) if keep]


def main() -> int:
    """Print bound and best fractional cover after each round, until they meet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--rows", type=int, help="of Adult, drawn at random")
    asked = parser.parse_args()
    folder = data_folder()
    frame = pl.read_csv(folder / "adult_arx.csv")
    frame = frame.sample(asked.rows, seed=1, shuffle=True) if asked.rows else frame
    cells = la.table(frame, quasi=frame.columns, hierarchies=folder / "hierarchies").cells()
    start = time.perf_counter()
    loss = recode(cells, [KAnonymity(asked.k)], output="hierarchy").loss
    relaxed = Relaxation(cells, asked.k)
    price = 1.15 * relaxed.feasible  # a little too dear, to be told about the boxes that bind
    for number in range(asked.rounds):
        new = relaxed.generate(price)
        cover = relaxed.cover()
        print(
            f"{number:3}  loss {loss:.5f}  bound {relaxed.bound:.5f}  best fractional cover {relaxed.lowest:.5f}  "
            f"{new:6,} sets more, {len(relaxed.sets):7,}  {time.perf_counter() - start:5.0f} s",
            flush=True,
        )
        if relaxed.lowest - relaxed.bound < 1e-5:
            break
        steady = max(0.0, 0.6 - 0.04 * number)
        price = steady * relaxed.feasible + (1 - steady) * cover
        if number % 6 == 5:
            relaxed.forget(cover)
    return 0


if __name__ == "__main__":
    sys.exit(main())
