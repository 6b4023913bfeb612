"""Large-neighbourhood search: a good node soon, and better ones with more time, where a lattice is too large to finish.

Some columns are set free, the others keep their levels, and branch and bound finds the best levels of the free ones;
again with others. When that no longer helps, the search begins anew from the best node made coarser in some columns.
Shaw 1998, https://doi.org/10.1007/3-540-49481-2_30. A step costs O(rows x columns), and what its few nodes cost.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np

from lookalike.anonymizers.optimal.branching import Branching
from lookalike.anonymizers.optimal.lattice import GeneralisationLattice, Node

_FIRST, _LEAST, _MOST = 60, 6, 1_000_000  #: nodes of a neighbourhood: at first, at least, at most
_WORK = 200_000  #: rows touched in one turn, some 2 ms
_TURNS, _SHARE = 10, 0.05  #: turns that a neighbourhood may take in any case, and as a share of all so far


class Neighbourhoods:
    """Where the search stands: a node to look around, and how far to look."""

    def __init__(self, branching: Branching) -> None:
        self.branching, self.lattice = branching, branching.lattice
        self.rng = np.random.default_rng(0)
        self.turns, self.starts = 0, 0
        self.leaves = float(_FIRST)
        self.failed = 0  #: steps in a row that found nothing better
        self.here, self.loss = self.lattice.high, np.inf
        self._look_from(self.here)

    @property
    def stuck(self) -> bool:
        """Whether every column had its turn several times since the last gain."""
        return self.failed > 2 * len(self.lattice.order)

    def step(self, go_on: Callable[[], bool]) -> None:
        """Search one neighbourhood; from elsewhere where this one is exhausted."""
        if self.stuck:
            self._look_from(self._coarsened())
        part = Branching(self._around(), alternatives=1)
        begun, patience = self.turns, max(_TURNS, _SHARE * self.turns)

        def patient() -> bool:
            self.turns += 1
            return self.turns - begun < patience and go_on()

        done = part.explore(patient, below=self.loss, work=_WORK)
        self.turns += 1
        self.branching.walk.state[2] += part.walk.state[2]
        if part.losses[0] < self.loss - part.margin:
            self.branching.adopt(part)
            self.here, self.loss, self.failed = part.best(), float(part.losses[0]), 0
            return
        self.failed += 1
        quick = done and self.turns - begun <= patience / 4
        self.leaves = min(max(self.leaves * (1.3 if quick else 1.0 if done else 0.6), _LEAST), _MOST)

    def _look_from(self, node: Node) -> None:
        self.starts += 1
        self.here, self.failed = node, 0
        self.loss = self.branching.try_node(self.branching.prefix(node))

    def _around(self) -> GeneralisationLattice:
        """The lattice in which some columns, drawn by lot, are free, and all others stay as they are."""
        free, nodes = set[int](), 1
        for a in self.rng.permutation(len(self.here)).tolist():
            steps = self.lattice.high[a] - self.lattice.low[a] + 1
            if steps > 1 and (not free or nodes * steps <= self.leaves):
                free.add(a)
                nodes *= steps
        out = copy.copy(self.lattice)
        out.low = tuple(low if a in free else self.here[a] for a, low in enumerate(self.lattice.low))
        out.high = tuple(high if a in free else self.here[a] for a, high in enumerate(self.lattice.high))
        out.order = sorted(self.lattice.order, key=lambda a: a in free)
        return out

    def _coarsened(self) -> Node:
        """The best node with some columns on coarser levels."""
        best = self.branching.best()
        chosen = self.rng.random(len(best)) < self.rng.uniform(0.1, 0.6)
        return tuple(
            int(self.rng.integers(level, high + 1)) if moved else level
            for level, high, moved in zip(best, self.lattice.high, chosen, strict=True)
        )
