"""What no choice of levels of some columns can beat: boxes of the lattice, the one that may lose least first.

Land and Doig 1960, https://doi.org/10.2307/1910129, with ranges of levels in the place of ranges of numbers.
`kernels.lattice.boxes` says what a box loses at least. Boxes wait on a heap; a dive looks into the first one, and into
its parts while they lose little more, so that many share what it costs to make a table anew.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from lookalike.anonymizers.optimal.lattice import GeneralisationLattice, Node
from lookalike.anonymizers.optimal.layout import added_losses
from lookalike.columns.grouping import first_of_each, group_codes

_WORK = 2_000_000  #: rows touched in one dive at most, some 20 ms
_DIVE = 5_000  #: what a dive costs besides
_FEW, _MANY = 30, 200  #: boxes that a dive should look into at least and at most
_HEAP = 500_000  #: boxes that may wait before dives only go deeper


class LatticeBoxes:
    """Some columns by themselves, all others removed: the boxes that may still hold something better."""

    def __init__(self, lattice: GeneralisationLattice, columns: Sequence[int], start: Node) -> None:
        from lookalike.kernels.lattice import box_tables, boxes

        self.lattice, self.columns = lattice, list(columns)
        self.diving, self.tables = boxes, box_tables
        self.margin = 1e-11
        self.levels = [_telling(lattice, a) for a in self.columns]
        self.plan, self.walk, self.out = self._lay_out()
        self.work = 0  #: rows touched so far
        self.width = 0.0  #: how far above the first box a dive goes
        self.floor = 0.0  #: what is known to be lost anyway
        first = bytes(
            max(i for i, level in enumerate(levels) if level <= start[a])
            for a, levels in zip(self.columns, self.levels)
        )
        self.best = np.inf
        self._dive(0.0, first, first, np.inf)  # what the levels of a good node lose here
        last = bytes(len(levels) - 1 for levels in self.levels)
        self.heap: list[tuple[float, bytes, bytes]] = [(0.0, bytes(len(last)), last)]

    @property
    def least(self) -> float:
        """No levels lose less in these columns."""
        return self.best if self.done() else max(self.heap[0][0] - self.margin, self.floor)

    @property
    def node(self) -> Node:
        """The best levels found; those of columns that are not looked at are the lowest."""
        out = list(self.lattice.low)
        for a, levels, i in zip(self.columns, self.levels, self.out.node.tolist()):
            out[a] = levels[i]
        return tuple(out)

    def done(self) -> bool:
        """Whether no box is left that may hold something better."""
        return not self.heap or self.heap[0][0] >= self.best - self.margin

    def lower(self, best: float) -> None:
        """From now on look for what loses less than this."""
        self.best = min(self.best, best)

    def step(self) -> None:
        """Look into the box that may lose least."""
        bound, low, high = heapq.heappop(self.heap)
        gap = min(self.best, 1.0) - bound
        self.width = gap if len(self.heap) > _HEAP else min(max(self.width, gap / 1000), gap)
        looked = self._dive(bound, low, high, max(bound + self.width, self.floor))
        self.width *= 1.5 if looked < _FEW else 1 / 1.5 if looked > _MANY else 1.0
        out = self.out
        for i in range(int(self.walk.state[2])):
            heapq.heappush(self.heap, (float(out.bound[i]), out.low[i].tobytes(), out.high[i].tobytes()))

    def _dive(self, bound: float, low: bytes, high: bytes, threshold: float) -> int:
        walk, out = self.walk, self.out
        walk.box_low[0], walk.box_high[0] = list(low), list(high)
        walk.box_bound[0], walk.box_table[0] = bound, 0
        walk.state[1] = walk.state[2] = 0
        out.best[0] = self.best
        self.work += self.diving.dive(self.plan, walk, out, threshold, self.margin, _WORK) + _DIVE
        self.best = float(out.best[0])
        return int(walk.state[1])

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
            codes=np.ascontiguousarray(
                np.array([cells.codes[a][first] for a in self.columns], dtype=np.int32).T
            ),
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
