"""Branch and bound over a lattice: decides the level of one attribute after the other, in `Lattice.order`.

Of some attributes only, all others removed, it finds what every node loses in these at least.
`kernels.lattice.walk` says how, `kernels.lattice.bounds` why the bounds hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.optimal.lattice import GeneralisationLattice, Node
from lookalike.recodings.settling import breaking
from lookalike.tables.cells import Classes, Histogram
from lookalike.tables.columns.grouping import group_keys

WORK = 5_000_000  #: rows touched between two looks at the clock, some 50 ms


@dataclass(frozen=True, eq=False)
class Leaf(Classes):
    """Classes made from the rows of a leaf, so that models can be asked without going back to the cells."""

    owner: NDArray[np.int64] = field(kw_only=True)  #: class of each row
    values: dict[str, NDArray[np.int32]] = field(kw_only=True)  #: per sensitive column: its code in each row
    weight: NDArray[np.int64] = field(kw_only=True)  #: records of each row

    def histogram(self, name: str) -> Histogram:
        """The sensitive values of each class."""
        column = next(column for column in self.cells.sensitive if column.name == name)
        size = column.domain.size
        of_row, distinct = group_keys(self.owner * size + self.values[name], len(self) * size)
        count = np.bincount(of_row, weights=self.weight, minlength=len(distinct)).astype(np.int64)
        somebody = count > 0  # rows may stand for people of the population only
        owner, value = np.divmod(distinct[somebody], size)
        tree = self.cells.sensitive_trees.get(name)
        return Histogram(owner, value, count[somebody], len(self), column.domain, tree)

    def part(self, kept: NDArray[np.bool_]) -> Leaf:
        """The same classes, some of them without people."""
        rows = kept[self.owner]
        counts = np.where(kept, self.counts, 0)
        return replace(
            self,
            counts=counts,
            records=counts,
            owner=self.owner[rows],
            values={name: codes[rows] for name, codes in self.values.items()},
            weight=self.weight[rows],
        )


class Branching:
    """The kernels' view of a lattice, and the best nodes found so far."""

    def __init__(
        self, lattice: GeneralisationLattice, *, alternatives: int, order: Sequence[int] | None = None
    ) -> None:
        from lookalike.anonymizers.optimal.layout import fold_columns, lay_out
        from lookalike.kernels.lattice import bounds as lattice_bounds
        from lookalike.kernels.lattice import walk as lattice_walk
        from lookalike.kernels.lattice.rows import BestNodes

        self.bounding, self.walking = lattice_bounds, lattice_walk
        self.lattice = lattice
        order = lattice.order if order is None else order
        settled = [a for a in order if lattice.low[a] == lattice.high[a]]
        self.folded = len(settled) > 1  #: whether what is settled is one attribute, before all others
        self.order = [a for a in order if a not in settled] if self.folded else list(order)
        self.quick, self.values = lattice.quick, lattice.rows.values
        self.depths = self.folded + len(self.order)
        self.plan, self.walk = lay_out(
            lattice,
            self.order,
            fold_columns(lattice, settled) if self.folded else None,
            early=bool(lattice.asked) and all(model.monotone for model in lattice.requirements.unsettled),
        )
        many = max(alternatives, 1)
        self.found = BestNodes(
            np.full(many, np.inf), np.zeros((many, self.depths), np.int64), np.zeros(many, np.int64)
        )
        self.losses, self.levels, self.records = self.found
        #: nothing but the sizes of classes decides, and all records of a class lose the same
        self.sizes_only = (
            self.plan.even
            and not (self.plan.ask or self.values or self.plan.with_population)
            and self.plan.rate == 0
        )
        self.margin = 0.5 if lattice.measure == "discernibility" else 1e-11

    def node(self, prefix: Sequence[int]) -> Node:
        """Levels in the order of the attributes, from levels above the lowest in the order of the search."""
        out = list(self.lattice.low)
        for a, level in zip(self.order, prefix[self.folded :], strict=True):
            out[a] += int(level)
        return tuple(out)

    def prefix(self, node: Sequence[int]) -> Node:
        """The inverse of `node`."""
        return (0,) * self.folded + tuple(node[a] - self.lattice.low[a] for a in self.order)

    def best(self) -> Node:
        """The best node found so far; the finest where none is."""
        return self.node(self.levels[0].tolist())

    def _open(self, prefix: Sequence[int]) -> None:
        for d, level in enumerate(prefix):
            self.walking.descend(self.plan, self.walk, d, level)
        self.walk.state[0], self.walk.state[1] = len(prefix), 1

    def explore(self, go_on: Callable[[], bool], *, below: float = np.inf, work: int = WORK) -> bool:
        """Search all nodes; False if `go_on`, asked every `work` rows or so, ended it early."""
        self.begin(below)
        return self.resume(go_on, work=work)

    def begin(self, below: float = np.inf) -> None:
        """Go back to where nothing is decided, to look for what loses less than known, or than `below`."""
        self._open(())
        if below < np.inf:
            self.losses[0], self.levels[0] = below, -1  # a loss without a node

    def resume(self, go_on: Callable[[], bool], *, work: int = WORK) -> bool:
        """Go on where `explore` was ended early."""
        while True:
            why = self.walking.walk_on(self.plan, self.walk, self.found, self.margin, work)
            if why == self.walking.DONE:
                return True
            if why == self.walking.ASKING:
                self._ask()
            if why == self.walking.CHECKING:
                self._check()
            if not go_on():
                return False

    def try_node(self, prefix: Node) -> float:
        """The loss of one node, infinite where it is not allowed; noted if among the best."""
        d = self.depths - 1
        self._open(prefix[:-1])
        kept, dropped = self.walking.weigh_one(self.plan, self.walk, d, prefix[-1])
        self.walk.level[d] = prefix[-1]
        self.walk.state[2] += 1
        if dropped > self.lattice.spare or dropped == self.lattice.total:
            return np.inf
        if self.plan.ask:
            return self._ask()
        loss = float(self.bounding.score(self.plan, kept, dropped, True))
        self._note(loss, dropped)
        return loss

    def _ask(self) -> float:
        """Let the models that are not settled yet judge the assignment in `walk.level`."""
        if self.quick:
            loss, dropped = self._judge()
        else:
            judgement = self.lattice.evaluate(self.node(self.walk.level))
            loss, dropped = judgement.loss, judgement.records
        if np.isfinite(loss):
            self._note(loss, dropped)
        return loss

    def _check(self) -> None:
        """Go back one step where a class breaks a model already."""
        d, known = int(self.walk.state[0]), self.lattice.requirements
        if breaking(self._classes(d)[0], known.unsettled, self.lattice.reference).any():
            self.walk.state[0], self.walk.state[1] = d - 1, 0

    def _classes(self, d: int) -> tuple[Leaf, NDArray[np.int64]]:
        """The classes of a depth, and where the rows of each begin."""
        walk, n = self.walk, int(self.walk.classes[d])
        starts = walk.begin[d, : n + 1].astype(np.int64)
        rows = int(starts[-1])
        weight, tuples = walk.count[d, :rows], walk.suffix[d, :rows]
        for after in self.plan.after[d:]:
            tuples = after[tuples]
        sizes = np.add.reduceat(weight, starts[:-1]) if n else np.zeros(0, dtype=np.int64)
        classes = Leaf(
            sizes,
            sizes,
            np.empty(0, dtype=np.int32),
            self.lattice.cells,
            owner=np.repeat(np.arange(n), np.diff(starts)),
            values={name: of_tuple[tuples] for name, of_tuple in self.values.items()},
            weight=weight,
        )
        return classes, starts

    def _judge(self) -> tuple[float, int]:
        d, lattice = self.depths - 1, self.lattice
        self.walking.finish(self.plan, self.walk)
        classes, starts = self._classes(d + 1)
        sizes = classes.counts
        kept = self._keep(classes)
        dropped = lattice.total - int(sizes[kept].sum())
        if dropped > lattice.spare or dropped == lattice.total:
            return np.inf, dropped
        if lattice.measure == "discernibility":
            saved = float((sizes * (lattice.total - sizes))[kept].sum())
        elif lattice.measure == "average class size":
            saved = float(kept.sum())
        else:
            saved = float(self._savings(d + 1, starts, sizes)[kept].sum())
        return float(self.bounding.score(self.plan, saved, dropped, True)), dropped

    def _keep(self, classes: Leaf) -> NDArray[np.bool_]:
        """Which classes stay. What the bounds left out breaks a model from the start, as do those that go first."""
        lattice = self.lattice
        models, reference = lattice.requirements.unsettled, lattice.reference
        kept = ~breaking(classes, models, reference)
        all_there = classes.counts[kept].sum() == lattice.total
        settled = all_there or not (lattice.settles and any(model.relative for model in models))
        while not settled and lattice.total - classes.counts[kept].sum() <= lattice.spare:
            left = classes.part(kept)
            more = breaking(left, models)
            settled = not more.any()
            kept &= ~more
        return kept

    def _savings(self, d: int, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each class of a depth saves."""
        if self.plan.even:
            return np.asarray(self.walk.value[d, : len(sizes)] * sizes)
        return (
            np.asarray(np.add.reduceat(self.walk.saving[d, : starts[-1]], starts[:-1]))
            if len(sizes)
            else np.zeros(0)
        )

    def adopt(self, other: Branching) -> None:
        """Take over the best node that another search found."""
        if np.isfinite(other.losses[0]):
            levels = np.array(self.prefix(other.best()))
            self.walking.note(self.found, other.losses[0], levels, other.records[0])

    def _note(self, loss: float, dropped: int) -> None:
        self.walking.note(self.found, loss, self.walk.level, dropped)
