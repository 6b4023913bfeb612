"""How little local recoding into hierarchy nodes can lose for k=2: pairs, triples and odd sets.

A class of four or more records splits into pairs and triples that lose no more, so for k=2 the best classes are pairs
and triples. The linear relaxation of covering all lonely records by pairs is half-integral: it goes around odd cycles.
As in the matching polytope (Edmonds 1965, https://doi.org/10.6028/jres.069B.013), of an odd set U of records the sets S
of a cover hold: sum of ceil(|S and U| / 2) >= (|U| + 1) / 2. Such rows are added for the cycles found until none is
violated; pairs and triples until none costs less than its records pay. All pairs are looked at, and all triples with
two records in an odd set: no other can cost too little. The bound holds for any classes; tuples of several records may
help more often in it than they can. O(distinct tuples squared) a round. Needs highspy and the public data sets.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable

import highspy
import numba
import numpy as np

import lookalike as la
from benchmarks.data import adult_arx
from lookalike.tables.cells import Cells

TINY = 1e-9
NEAREST = 16  #: pairs of each record to begin with


@numba.njit(nogil=True)
def apart(loss, codes, i, j, limit):  # type: ignore[no-untyped-def]
    """What the box of two tuples loses per record, or something above the limit."""
    lost = 0.0
    for a in range(codes.shape[1]):
        lost += loss[a, codes[i, a], codes[j, a]]
        if lost > limit:
            break
    return lost


@numba.njit(nogil=True)
def nearest(loss, codes, lonely, near):  # type: ignore[no-untyped-def]
    """The tuples whose boxes with each lonely one lose least."""
    far = np.full(near.shape[1], np.inf)
    for z in range(len(lonely)):
        far[:] = np.inf
        for j in range(len(codes)):
            lost = apart(loss, codes, lonely[z], j, far[-1])
            if j != lonely[z] and lost < far[-1]:
                at = len(far) - 1
                while at > 0 and far[at - 1] > lost:
                    far[at], near[z, at] = far[at - 1], near[z, at - 1]
                    at -= 1
                far[at], near[z, at] = lost, j


@numba.njit(nogil=True)
def cheap_pairs(loss, codes, lonely, price, found):  # type: ignore[no-untyped-def]
    """Pairs that cost less than their records pay, as far as there is room; returns how many."""
    many = 0
    for i in lonely:
        for j in range(len(codes)):
            pay = price[i] + price[j]
            if j != i and many < len(found) and 2 * apart(loss, codes, i, j, pay / 2) < pay - TINY:
                found[many, 0], found[many, 1] = i, j
                many += 1
    return many


@numba.njit(nogil=True)
def cheap_triples(loss, codes, pairs, price, found):  # type: ignore[no-untyped-def]
    """Triples with one of these pairs that cost less than their records pay; returns how many."""
    many, columns = 0, codes.shape[1]
    for i, j in pairs:
        for q in range(len(codes)):
            pay = price[i] + price[j] + price[q]
            if q in (i, j) or many == len(found):
                continue
            lost = 0.0
            for a in range(columns):
                one, two, three = codes[i, a], codes[j, a], codes[q, a]
                lost += max(loss[a, one, two], loss[a, one, three], loss[a, two, three])
                if 3 * lost >= pay:
                    break
            if 3 * lost < pay - TINY:
                found[many, 0], found[many, 1], found[many, 2] = i, j, q
                many += 1
    return many


class Pairs:
    """Pairs, triples and odd sets known so far."""

    def __init__(self, cells: Cells) -> None:
        self.codes = np.ascontiguousarray(cells.codes.T)
        self.records = int(cells.records.sum())
        self.loss = _pair_losses(cells)
        self.lonely = np.flatnonzero(cells.records == 1)  # the others lose nothing by themselves
        self.row = np.full(len(cells), -1)
        self.row[self.lonely] = np.arange(len(self.lonely))
        near = np.zeros((len(self.lonely), min(NEAREST, len(cells) - 1)), np.int64)
        nearest(self.loss, self.codes, self.lonely, near)
        self.odd: list[tuple[int, ...]] = []
        self.odd_of: defaultdict[int, list[int]] = defaultdict(list)
        self.cost: dict[tuple[int, ...], float] = {}
        self.odd_pays, self.price = (
            np.zeros(0),
            np.full(len(cells), np.inf),
        )  # to begin with, all pairs that are near
        self.add(
            (i, j) for i, others in zip(self.lonely.tolist(), near.tolist(), strict=True) for j in others
        )
        self.solve()

    def add(self, sets: Iterable[Iterable[int]]) -> int:
        """Add the pairs and triples that cost less than their records pay; returns how many were new."""
        before, columns = len(self.cost), np.arange(self.codes.shape[1])
        for chosen in {tuple(sorted(map(int, chosen))) for chosen in sets}.difference(self.cost):
            two = itertools.combinations(chosen, 2)
            lost = np.max([self.loss[columns, self.codes[i], self.codes[j]] for i, j in two], axis=0).sum()
            if len(chosen) * float(lost) < self._pays(chosen) - TINY:
                self.cost[chosen] = len(chosen) * float(lost)
        return len(self.cost) - before

    def _pays(self, chosen: tuple[int, ...]) -> float:
        """What a set is paid: two records of an odd set count once there."""
        held = Counter(u for r in chosen for u in self.odd_of.get(r, ()))
        return float(self.price[list(chosen)].sum()) - sum(
            self.odd_pays[u] * (n // 2) for u, n in held.items()
        )

    def solve(self) -> None:
        """The best fractional cover: how much of each set it takes, and what every record and odd set pays."""
        rows, times = [], []
        for chosen in self.cost:
            mine = {int(self.row[r]): 1.0 for r in chosen if self.row[r] >= 0}
            held = Counter(u for r in chosen for u in self.odd_of.get(r, ()))
            mine |= {len(self.lonely) + u: float((many + 1) // 2) for u, many in held.items()}
            rows.append(list(mine))
            times.append(list(mine.values()))
        least = [1.0] * len(self.lonely) + [(len(odd) + 1) / 2 for odd in self.odd]
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(rows), len(least)
        program.col_cost_ = np.array(list(self.cost.values()))
        program.col_lower_, program.col_upper_ = np.zeros(len(rows)), np.full(len(rows), highspy.kHighsInf)
        program.row_lower_, program.row_upper_ = np.array(least), np.full(len(least), highspy.kHighsInf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        program.a_matrix_.index_ = np.concatenate(rows).astype(np.int32)
        program.a_matrix_.value_ = np.concatenate(times)
        solver = highspy.Highs()
        for option, value in (("output_flag", False), ("solver", "ipm")):
            solver.setOptionValue(option, value)
        solver.passModel(program)
        solver.run()
        found = solver.getSolution()
        self.bound = solver.getInfo().objective_function_value / self.records
        self.share = dict(zip(self.cost, found.col_value, strict=True))
        paid = np.maximum(found.row_dual, 0)
        self.odd_pays = paid[len(self.lonely) :]
        self.price = np.zeros(len(self.row))  # of a record, what its odd sets pay included
        self.price[self.lonely] = paid[: len(self.lonely)]
        for odd, pays in zip(self.odd, self.odd_pays, strict=True):
            self.price[list(odd)] += pays

    def generate(self) -> int:
        """Add pairs and triples that cost less than their records pay; returns how many."""
        room = np.zeros((2_000_000, 3), np.int64)
        many = cheap_pairs(self.loss, self.codes, self.lonely, self.price, room)
        new = self.add(room[:many, :2].tolist())
        paying = (odd for odd, pays in zip(self.odd, self.odd_pays, strict=True) if pays > 0)
        inner = sorted({pair for odd in paying for pair in itertools.combinations(odd, 2)})
        if inner:
            many = cheap_triples(self.loss, self.codes, np.array(inner), self.price, room)
            new += self.add(room[:many].tolist())
        return new

    def separate(self) -> int:
        """Add the odd sets that the cover violates, of those it goes around in a circle; returns how many."""
        beside: defaultdict[int, set[int]] = defaultdict(set)
        taken: defaultdict[int, dict[tuple[int, ...], float]] = defaultdict(dict)
        for chosen, share in self.share.items():
            for r in chosen if share > 1e-6 else ():
                taken[r][chosen] = share
                if share < 0.999:
                    beside[r] |= {q for q in chosen if q != r and self.row[q] >= 0 and self.row[r] >= 0}
        before = len(self.odd)
        for odd in _odd_sets(beside):
            around = {chosen: share for r in odd for chosen, share in taken[r].items()}
            covers = sum(share * ((len(odd & set(chosen)) + 1) // 2) for chosen, share in around.items())
            if covers < (len(odd) + 1) // 2 - 0.01 and tuple(sorted(odd)) not in self.odd[before:]:
                for r in odd:
                    self.odd_of[r].append(len(self.odd))
                self.odd.append(tuple(sorted(odd)))
        return len(self.odd) - before


def _odd_sets(beside: dict[int, set[int]]) -> list[set[int]]:
    """Triangles, and what hangs together where it is odd, or odd without one of its records."""
    out, seen = [], set()
    for start in list(beside):
        if start in seen:
            continue
        part, waiting = {start}, [start]
        while waiting:
            fresh = beside[waiting.pop()] - part
            part |= fresh
            waiting += fresh
        seen |= part
        if len(part) < 60:
            out += [part] if len(part) % 2 else [part - {r} for r in part]
        for r in part:
            out += [{r, p, q} for p, q in itertools.combinations(sorted(beside[r]), 2) if q in beside[p]]
    return out


def _pair_losses(cells: Cells) -> np.ndarray:
    """Per column and two values: what the lowest node above both loses."""
    trees = [a.tree for a in cells.attributes]
    most = max(len(tree.up[0]) for tree in trees)
    out = np.zeros((len(trees), most, most))
    for a, tree in enumerate(trees):
        for level in range(tree.height, -1, -1):
            up = np.asarray(tree.up[level])
            here = out[a, : len(up), : len(up)]
            np.copyto(here, tree.loss(level)[up][:, None] / len(trees), where=up[:, None] == up[None, :])
    return out


def main() -> int:
    """Print the bound while pairs, triples and odd sets are added."""
    frame, hierarchies = adult_arx()
    start = time.perf_counter()
    pairs = Pairs(la.table(frame, quasi=frame.columns, hierarchies=hierarchies).cells())
    while True:
        while pairs.generate():
            pairs.solve()
        split = sum(1e-6 < share < 0.999 for share in pairs.share.values())
        print(
            f"no classes lose less than {np.floor(pairs.bound * 1e6) / 1e6:.6f}: {len(pairs.odd):,} odd sets, "
            f"{split:,} of {len(pairs.cost):,} pairs and triples in part, {time.perf_counter() - start:.0f} s",
            flush=True,
        )
        if not pairs.separate():
            return 0
        pairs.solve()


if __name__ == "__main__":
    sys.exit(main())
