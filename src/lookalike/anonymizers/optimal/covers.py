"""What no node can beat, from boxes of all columns and of parts of them that cover each column equally often.

A record that is left out loses in every column, so a node loses in some columns at least what the best levels of these
lose by themselves. The columns are dealt into groups. First each group is a part, and what the parts lose adds up. Then
g groups are left out one at a time: that covers each column g - 1 times, so all columns lose at least the sum of what
these g parts lose, divided by g - 1. More groups come closer to the truth and take longer. Parts not searched to the
end count with what is known of them, and of smaller parts inside them. Of the work two thirds go to the parts while
what they tell together is the best that is known, and to the whole otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lookalike.anonymizers.optimal.boxes import LatticeBoxes
from lookalike.anonymizers.optimal.branching import Branching

_FEW = 4  #: columns of the smallest parts, about
_GROUPS = 8  #: that are left out one at a time, at most
_AHEAD = 2  #: times as much work for the parts while they tell most, for the whole otherwise


class ColumnCover:
    """Boxes of all columns, and of parts of them."""

    def __init__(self, branching: Branching, *, hurry: bool) -> None:
        self.branching, self.lattice, self.hurry = branching, branching.lattice, hurry
        best = branching.best()
        self.all = LatticeBoxes(self.lattice, range(len(best)), best, hurry=hurry)
        self.deals = self._deals()
        self.parts, self.times = list[LatticeBoxes](), 1  #: that cover each column so many times
        self.known = 0.0  #: from parts searched before
        self.spent = 0  #: work of these

    @property
    def least(self) -> float:
        """No node loses less."""
        return min(max(self.known, self._covered(), self.all.least), float(self.branching.losses[0]))

    def done(self) -> bool:
        """Whether nothing better is left."""
        self.all.know(0.0, float(self.branching.losses[0]))
        return self.all.done() or self.least >= self.all.best - 2 * self.all.margin

    def step(self) -> None:
        """One dive, into the whole or into a part."""
        waiting = [part for part in self.parts if not part.done()]
        work = self.spent + sum(part.work for part in self.parts)
        covered, known = self._covered(), max(self.known, self.all.least)
        share = 1 / _AHEAD if covered >= known else _AHEAD
        if self.hurry and self.all.work > share * work and (waiting or self._deal()):
            part = min(waiting or self.parts, key=lambda part: part.work)
            part.useful = known * float(
                self.lattice.weights[part.columns].sum()
            )  # together they tell what is known
            part.step()
            return
        best = self.all.best
        self.all.know(max(covered, self.known), best)
        self.all.step()
        if self.all.best < best:
            self.branching.try_node(self.branching.prefix(self.all.node))

    def _covered(self) -> float:
        return sum(part.least for part in self.parts) / self.times

    def _deals(self) -> Iterator[tuple[list[list[int]], int]]:
        """Parts, and how often they cover each column; the groups of a deal are halves of those of the next one."""
        order = self.lattice.order
        groups = 2
        while len(order) > 2 * _FEW * groups:
            groups *= 2
        while groups >= 2:
            yield [order[g::groups] for g in range(groups)], 1
            groups //= 2
        for groups in range(3, min(len(order), _GROUPS) + 1):
            yield [[a for i, a in enumerate(order) if i % groups != g] for g in range(groups)], groups - 1

    def _deal(self) -> bool:
        """Go on to larger parts; False when there are none."""
        deal = next(self.deals, None)
        if deal is None:
            return False
        self.known = max(self.known, self._covered())
        self.spent += sum(part.work for part in self.parts)
        before, best = self.parts, self.branching.best()
        together = self.times == 1  # parts that share no column lose what they lose side by side
        self.parts, self.times = [LatticeBoxes(self.lattice, columns, best) for columns in deal[0]], deal[1]
        for part in self.parts:
            inside = [one.least for one in before if set(one.columns) <= set(part.columns)]
            part.know(sum(inside) if together else max(inside, default=0.0), np.inf)
        return True
