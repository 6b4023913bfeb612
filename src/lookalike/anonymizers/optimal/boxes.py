"""What no choice of levels of some columns can beat: boxes of the lattice, searched for one target after the other.

Branch and bound (Land and Doig 1960, https://doi.org/10.2307/1910129) with ranges of levels in the place of ranges of
numbers. `kernels.lattice.boxes` says what a box loses at least. The search asks whether anything loses less than a
target; if nothing does, that is a bound, and it begins anew with a higher target (iterative deepening, Korf 1985,
https://doi.org/10.1016/0004-3702(85)90084-0). The lower the target, the more levels it rules out at once, and the
sooner the search ends. Each target is set so that it should take twice the work of the one before, so all together
take twice the work of the last; eight times, an eighth more, where nobody waits for a bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.anonymizers.optimal.lattice import GeneralisationLattice, Node
from lookalike.anonymizers.optimal.layout import added_losses
from lookalike.tables.columns.grouping import first_of_each, group_codes

_WORK = 2_000_000  #: rows touched in one dive at most, some 20 ms
_DIVE = 5_000  #: what a dive costs besides
_FIRST = 4  #: the first target is one in so many parts of the way from what is known to what is found
_MORE, _MUCH_MORE = 2.0, 8.0  #: times as much work for each target as for the one before


class LatticeBoxes:
    """Some columns by themselves, all others removed: the boxes that may hold something below the target."""

    def __init__(
        self, lattice: GeneralisationLattice, columns: Sequence[int], start: Node, *, hurry: bool = True
    ) -> None:
        from lookalike.kernels.lattice import box_tables, boxes

        self.lattice, self.columns = lattice, list(columns)
        self.diving, self.tables = boxes, box_tables
        self.margin, self.more = 1e-11, _MORE if hurry else _MUCH_MORE
        self.levels = [_telling(lattice, a) for a in self.columns]
        self.plan, self.walk, self.out = self._lay_out()
        self.work = 0  #: rows touched so far
        self.floor = 0.0  #: no levels lose less
        first = bytes(
            max(i for i, level in enumerate(levels) if level <= start[a])
            for a, levels in zip(self.columns, self.levels, strict=True)
        )
        self.best = self.target = np.inf
        self.waiting = [(first, first)]  #: boxes besides those on the stack of the walk
        self._dive()  # what the levels of a good node lose here
        self.target = 0.0  #: what the search asks about
        self.useful = 0.0  #: targets below this tell nothing new
        self.rise = 0.0  #: of the target
        self.begun, self.last = 0, 1  #: work when it was set, and of the last one

    @property
    def least(self) -> float:
        """No levels lose less in these columns."""
        return min(self.floor, self.best)

    @property
    def node(self) -> Node:
        """The best levels found; those of columns that are not looked at are the lowest."""
        out = list(self.lattice.low)
        for a, levels, i in zip(self.columns, self.levels, self.out.node.tolist(), strict=True):
            out[a] = levels[i]
        return tuple(out)

    def done(self) -> bool:
        """Whether nothing better is left."""
        return self.floor >= self.best - self.margin

    def know(self, floor: float, best: float) -> None:
        """No levels lose less than the one; look for what loses less than the other."""
        self.floor, self.best = max(self.floor, floor), min(self.best, best)
        self.target = min(self.target, self.best)

    def step(self) -> None:
        """Look into some boxes; where none is left, nothing loses less than the target."""
        near = (
            self.rise / 2 if self.target < self.best else self.margin
        )  # a target that tells little is given up
        if self.floor >= self.target - near:
            self._aim()
        self._dive()
        if not (self.waiting or self.walk.state[1]):
            self.floor = max(self.floor, self.target - self.margin)

    def _aim(self) -> None:
        """Set the next target, and begin with the whole lattice again."""
        most = min(self.best, float(self.plan.worst.sum()) * self.plan.total)
        done, self.begun = self.work - self.begun, self.work
        ended = not (self.waiting or self.walk.state[1])
        if not self.rise:
            self.rise = (most - self.floor) / _FIRST
        elif ended:
            grown = math.log(max(done / self.last, 1.01))
            self.rise *= min(max(math.log(self.more) / grown, 0.5), 2.0)
        if ended:
            self.last = done
        self.target = max(self.floor + self.rise, self.useful)
        if self.target + self.rise / 2 >= most:
            self.target = self.best
        self.waiting = [(bytes(len(self.levels)), bytes(len(levels) - 1 for levels in self.levels))]
        self.walk.state[1] = 0

    def _dive(self) -> None:
        """Go on with the boxes on the stack, or with one that waits."""
        walk, out = self.walk, self.out
        if not walk.state[1]:
            low, high = self.waiting.pop()
            walk.box_low[0], walk.box_high[0] = list(low), list(high)
            walk.box_bound[0], walk.box_table[0], walk.state[1] = 0.0, 0, 1
        out.best[0], walk.state[2] = self.target, 0
        self.work += self.diving.dive(self.plan, walk, out, self.margin, _WORK) + _DIVE
        if out.best[0] < self.target:
            self.best = self.target = float(out.best[0])
        self.waiting += [(out.low[i].tobytes(), out.high[i].tobytes()) for i in range(int(walk.state[2]))]

    def _lay_out(self) -> tuple[Any, Any, Any]:
        """The columns as the kernel sees them, the table of all rows, and room for what comes out."""
        lattice, tables = self.lattice, self.tables
        cells, rng = lattice.cells, np.random.default_rng(0)
        place = np.zeros((len(self.levels), max(len(levels) for levels in self.levels)), dtype=np.int64)
        up, token, extra, at = [], [], [], 0
        for i, levels in enumerate(self.levels):
            a = self.columns[i]
            for j, level in enumerate(levels):
                nodes = cells.attributes[a].tree.up[level]
                place[i, j] = at
                up.append(nodes.astype(np.int32))
                token.append(rng.integers(0, 2**63, int(nodes.max(initial=0)) + 1).astype(np.uint64)[nodes])
                extra.append(added_losses(lattice, a, level))
                at += len(nodes)
        codes, n = group_codes(
            [cells.codes[a] for a in self.columns], [cells.sizes[a] for a in self.columns], len(cells)
        )
        first = first_of_each(codes, n)
        plan = tables.BoxPlan(
            codes=np.array([cells.codes[a][first] for a in self.columns], dtype=np.int32).T.copy(),
            up=np.concatenate(up),
            token=np.concatenate(token),
            extra=np.concatenate(extra),
            place=place,
            worst=lattice.weights[self.columns] / lattice.total,
            smallest=lattice.requirements.smallest,
            limit=lattice.spare,
            total=lattice.total,
        )
        records = np.bincount(codes, weights=cells.records, minlength=n).astype(np.int64)
        most = max(int(nodes.max(initial=0)) + 1 for nodes in up)
        return plan, tables.new_box_walk(plan, records, most), tables.new_boxes_out(plan)


def _telling(lattice: GeneralisationLattice, a: int) -> list[int]:
    """The levels of a column that differ from the one below."""
    tree, out = lattice.cells.attributes[a].tree, [lattice.low[a]]
    for level in range(lattice.low[a] + 1, lattice.high[a] + 1):
        same = len(tree.labels[level]) == len(tree.labels[out[-1]])
        if not (same and np.array_equal(lattice.losses(a, level), lattice.losses(a, out[-1]))):
            out.append(level)
    return out
