"""What no node can beat, from parts of the columns: each is searched by itself, and what the parts lose adds up.

A measure that is a sum over columns charges a record that is left out in every column. So a node loses in some columns
at least what the best levels of these lose by themselves, all others removed. The columns are halved, and the halves
again; what is known of the halves prunes the search of the whole: Russian dolls, Verfaillie, Lemaître and Schiex 1996,
AAAI-96, pages 181-187. Where a search would take too long it only asks whether anything loses less than a target: if
not, that is a bound. The cost is that of the searches; each has its turn, the one that had least first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from lookalike.anonymizers.optimal.branching import Branching
from lookalike.tables.hierarchies.losses import ADDITIVE

_SMALL = 40  #: nodes of a part that is not halved any more
_ENOUGH = 20  #: turns of a part where only the best node counts, not the bound
_PAUSES, _WORK = 10, 200_000  #: a turn: so many pauses, after so many rows touched or a question; some 20 ms


class ColumnPart:
    """Some columns, what they lose at least, and the search that raises it."""

    def __init__(self, whole: Branching, order: Sequence[int]) -> None:
        self.whole, self.lattice, self.order = whole, whole.lattice, order
        self.nodes = math.prod(self.lattice.high[a] - self.lattice.low[a] + 1 for a in order)
        self.halves: list[ColumnPart] = []
        if self.nodes > _SMALL and len(order) > 1 and self.lattice.measure in ADDITIVE:
            self.halves = [ColumnPart(whole, order[i::2]) for i in (0, 1)]
            self.order = [*self.halves[0].order, *self.halves[1].order]
        self.search: Branching | None = None
        self.known, self.best = 0.0, np.inf  #: what no levels beat, and what some reach
        self.target = np.inf
        self.turns, self.patience = 0, 0.0  #: had so far, and left for this target

    @property
    def least(self) -> float:
        """No levels of these columns lose less in them."""
        return max(self.known, sum(half.least for half in self.halves))

    def inside(self, columns: set[int]) -> float:
        """What those of its columns lose at least that are among `columns`."""
        if columns.issuperset(self.order):
            return self.least
        return sum(half.inside(columns) for half in self.halves)

    def every(self) -> Iterator[ColumnPart]:
        """This part, its halves, and theirs."""
        yield self
        for half in self.halves:
            yield from half.every()

    def done(self) -> bool:
        """Whether nothing is left to be found."""
        return self.least >= self.best - 2 * self.whole.margin

    def step(self) -> None:
        """Search for one turn. A target that takes as many turns as all before it is given up for a nearer one."""
        search = self.search = self.search or self._new_search()
        if self.patience == 0:
            self.patience = self._patience()
            self._hint(search)
            search.begin(self.target)
        known, pauses = float(search.losses[0]), iter(range(_PAUSES))
        finished = search.resume(lambda: next(pauses, None) is not None, work=_WORK)
        self.turns, self.patience = self.turns + 1, self.patience - 1
        if search.losses[0] < known:
            self._found(search)
        if finished:
            step = self.target - self.least
            self.known = max(self.known, float(search.losses[0]) - search.margin)
            self._aim(self.target + 2 * step)
        elif self.patience == 0:
            self._aim((self.least + min(self.target, self.best)) / 2)
        if self.done():
            self.search = None

    def _patience(self) -> float:
        """Turns that a target may take."""
        return max(self.turns, 1)

    def _aim(self, target: float) -> None:
        """From now on look for what loses less than this, or than the best if that is near."""
        near = self.best - (self.best - self.least) / 8
        self.target, self.patience = target if target < near else self.best, 0

    def _new_search(self) -> Branching:
        """A search that knows what the columns of the best node lose by themselves."""
        search = Branching(self.lattice, alternatives=1, order=self.order)
        self.target = self.best = search.try_node(search.prefix(self.whole.best()))
        return search

    def _found(self, search: Branching) -> None:
        self.best = float(search.losses[0])

    def _hint(self, search: Branching) -> None:
        """Tell the search what is known of the columns it decides last."""
        if search.plan.even:
            weights = self.lattice.weights / self.lattice.total
            for d in range(len(search.order)):
                later = search.order[d + 1 :]
                search.plan.rest[:, search.folded + d] = sum(half.inside(set(later)) for half in self.halves)
                search.plan.share[search.folded + d] = weights[later].sum()


class Whole(ColumnPart):
    """All columns: what is found is a node. Where there is time, no search for the best node is given up."""

    def __init__(self, whole: Branching, *, hurry: bool) -> None:
        super().__init__(whole, whole.order)
        self.hurry = hurry

    def step(self) -> None:
        """Give the next turn to the part that had least of them, the smaller one first."""
        most = np.inf if self.hurry else _ENOUGH
        waiting = [
            part for part in self.every() if part is not self and part.turns < most and not part.done()
        ]
        part = min(waiting, key=lambda part: (part.turns, part.nodes), default=self)
        if part is not self and (part.turns <= self.turns or not self.hurry):
            part.step()
            return
        self.best = min(self.best, float(self.whole.losses[0]))
        self.target = min(self.target, self.best)
        super().step()

    def _patience(self) -> float:
        return super()._patience() if self.hurry else np.inf

    def _new_search(self) -> Branching:
        settled = [a for a in self.lattice.order if a not in self.order]
        return Branching(self.lattice, alternatives=1, order=[*settled, *self.order])

    def _found(self, search: Branching) -> None:
        super()._found(search)
        self.whole.adopt(search)
