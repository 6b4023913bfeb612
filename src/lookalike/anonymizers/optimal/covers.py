"""What no node can beat, from boxes of all columns and of parts of them that cover each column equally often.

A record that is left out loses in every column, so a node loses in some columns at least what the best levels of these
lose by themselves. The columns are dealt into g groups; leaving out one group at a time covers each column g - 1 times,
so all columns lose at least the sum of what these g parts lose, divided by g - 1. Two groups are two halves; more
groups come closer to the truth and take longer. Parts not searched to the end count with what is known of them.
"""

from __future__ import annotations

from lookalike.anonymizers.optimal.boxes import LatticeBoxes
from lookalike.anonymizers.optimal.branching import Branching


class ColumnCover:
    """Boxes of all columns, and of all but a group."""

    def __init__(self, branching: Branching, *, hurry: bool) -> None:
        self.branching, self.lattice, self.hurry = branching, branching.lattice, hurry
        best = branching.best()
        self.all = LatticeBoxes(self.lattice, range(len(best)), best)
        self.groups, self.parts = 1, list[LatticeBoxes]()
        self.known = 0.0  #: from parts searched before
        self.spent = 0  #: work of these

    @property
    def least(self) -> float:
        """No node loses less."""
        return min(max(self.known, self._covered(), self.all.least), float(self.branching.losses[0]))

    def done(self) -> bool:
        """Whether nothing better is left."""
        self.all.lower(float(self.branching.losses[0]))
        return self.all.done() or self.least >= self.all.best - 2 * self.all.margin

    def step(self) -> None:
        """One dive, into the whole or into a part."""
        waiting = [part for part in self.parts if not part.done()]
        work = self.spent + sum(part.work for part in self.parts)
        if self.hurry and self.all.work > work and (waiting or self._regroup()):
            min(waiting or self.parts, key=lambda part: part.work).step()
            return
        best = self.all.best
        self.all.step(max(self.known, self._covered()))
        if self.all.best < best:
            self.branching.try_node(self.branching.prefix(self.all.node))

    def _covered(self) -> float:
        return sum(part.least for part in self.parts) / max(self.groups - 1, 1)

    def _regroup(self) -> bool:
        """Deal the columns into more groups; False when every group is one column already."""
        order, best = self.lattice.order, self.branching.best()
        if self.groups >= min(len(order), 8):
            return False
        self.known = max(self.known, self._covered())
        self.spent += sum(part.work for part in self.parts)
        self.groups += 1
        self.parts = [
            LatticeBoxes(self.lattice, [a for i, a in enumerate(order) if i % self.groups != g], best)
            for g in range(self.groups)
        ]
        return True
