"""The lattice of full-domain generalisations: a level per attribute, and what each choice of levels loses.

After generalising, every class that breaks a model is suppressed, and with it all rows of the people in it, until
nothing breaks. Models that compare with the table compare with the original one, or with what is left of it. `evaluate`
judges one node in O(cells) for each round of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.optimal.requirements import Requirements, require
from lookalike.anonymizers.optimal.rows import FinestRows, lay_out_rows
from lookalike.base.checks import choice, number, share
from lookalike.base.errors import GuaranteeError, RequestError, unknown_column
from lookalike.models import Model, Reference
from lookalike.recodings.settling import hold_back
from lookalike.tables.cells import Cells, Classes
from lookalike.tables.columns.grouping import first_of_each
from lookalike.tables.hierarchies.losses import ADDITIVE, level_losses, suppressed_losses

#: What a search can be steered by, and what the kernels call it.
MEASURES = {**dict.fromkeys(ADDITIVE, 0), "discernibility": 1, "average class size": 2}
Flags = NDArray[np.bool_]
Node = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Judgement:
    """One node: of which cells nothing is left, how many records are gone, and the loss; infinite where not allowed."""

    suppressed: Flags
    records: int
    loss: float


class GeneralisationLattice:
    """The nodes between the finest and the coarsest levels allowed, for some models, a limit and a measure."""

    def __init__(
        self,
        cells: Cells,
        models: Sequence[Model],
        *,
        suppression: float,
        loss: str,
        weights: Mapping[str, float] | None,
        min_levels: Mapping[str, int] | None,
        max_levels: Mapping[str, int] | None,
        compared: str = "original",
    ) -> None:
        choice(loss, "loss", MEASURES)
        suppression = share(suppression, "suppression")
        choice(compared, "compared", ("original", "release"))
        self.cells, self.models, self.measure = cells, tuple(models), loss
        self.total = int(cells.records.sum())
        self.limit = int(suppression * cells.people + 1e-9)  #: people who may go
        self.spare = _most_records(cells, self.limit)  #: records that may go with them
        self.settles = compared == "release"
        self.low, self.high = _span(cells, min_levels or {}, max_levels or {})
        self.weights = attribute_weights(cells, weights or {})
        looked_at = [column.name for column in cells.sensitive if any(model.columns for model in models)]
        self.reference: Reference = {name: cells.overall(name) for name in looked_at}
        self.requirements: Requirements = require(
            cells, self.models, self.reference, changing=self.settles and self.spare > 0
        )
        population = self.requirements.population
        if population is not None and population.low > 0:
            self.spare = 0  # a class that is left out is one whose people are known to be absent
        self._losses: dict[tuple[int, int], NDArray[np.float64]] = {}
        self.order = self._order()

    def _order(self) -> list[int]:
        """Attributes in the order of decision: many values first, as once they are coarse few rows are left.

        Where records may be suppressed, a column with few effective values for its size comes earlier: whether its
        rare values are worth keeping decides about much.
        """
        rank = np.array(self.cells.sizes, dtype=np.float64)
        if self.spare:
            for a, counts in enumerate(self.marginals):
                share = counts[counts > 0] / self.total
                rank[a] *= len(counts) / np.exp(-(share @ np.log(share)))
        return sorted(range(len(rank)), key=lambda a: (-rank[a], a))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        out = 1
        for low, high in zip(self.low, self.high, strict=True):
            out *= high - low + 1
        return out

    def evaluate(self, levels: Sequence[int]) -> Judgement:
        """Hold back every class that breaks a model, round by round; not allowed where that takes too many people."""
        classes = self.cells.roll_up(levels)
        fixed = None if self.settles else self.reference
        left = hold_back(classes, self.models, reference=fixed, most=self.limit)
        gone = self.total - int(left.records.sum())
        suppressed = (self.cells.records > 0) & (left.cells.records == 0)
        people = self.cells.people - left.cells.people
        everywhere = [model for model in self.models if model.whole_population]
        if people > self.limit or gone == self.total or any(m.breaks(left).any() for m in everywhere):
            return Judgement(suppressed, gone, np.inf)
        return Judgement(suppressed, gone, self.loss_of(levels, left))

    def loss_of(self, levels: Sequence[int], left: Classes) -> float:
        """The loss of a node, given what is left of its classes."""
        sizes = left.records[left.records > 0]
        gone = self.total - int(sizes.sum())
        if self.measure == "discernibility":
            return float((sizes**2).sum() + self.total * gone)
        if self.measure == "average class size":
            return self.total / (len(sizes) + (gone > 0))
        if self.measure != "entropy":  # all records of a class lose the same
            first = first_of_each(left.of_cell, len(left))
            lost = sum(
                self.weights[a] * self.losses(a, level)[self.cells.codes[a][first]]
                for a, level in enumerate(levels)
            )
            return (float(np.asarray(lost) @ left.records) + gone) / self.total
        total, kept = 0.0, left.cells.records
        for a, level in enumerate(levels):
            codes = self.cells.codes[a]
            here = self.losses(a, level)[codes] @ kept + self.worst(a)[codes] @ (self.cells.records - kept)
            total += self.weights[a] * float(here)
        return total / self.total

    @property
    def asked(self) -> set[str]:
        """Sensitive columns whose values are looked at on a node, by models that ask nothing but its classes."""
        unsettled = self.requirements.unsettled
        return {column for model in unsettled for column in model.columns} if self.quick else set()

    @property
    def quick(self) -> bool:
        """Whether classes made from rows are all that models have to see."""
        return self.cells.entries.unit is None and all(
            not (model.whole_table or model.knows_others or model.needs_population)
            for model in self.requirements.unsettled
        )

    @cached_property
    def rows(self) -> FinestRows:
        """The finest rows that have to be told apart."""
        known = self.requirements
        return lay_out_rows(
            self.cells, sorted(set(known.marks) | self.asked), with_population=known.population is not None
        )

    @cached_property
    def marks(self) -> NDArray[np.int64]:
        """Tuple of sensitive values -> what it counts as."""
        marks, values = self.requirements.marks, self.rows.values
        if not marks:
            return np.zeros((1, 0), dtype=np.int64)
        return np.concatenate([of_value[values[name]] for name, of_value in marks.items()], axis=1)

    @cached_property
    def marginals(self) -> list[NDArray[np.int64]]:
        """Records per code of each attribute."""
        cells = self.cells
        return [
            np.bincount(codes, weights=cells.records, minlength=size).astype(np.int64)
            for codes, size in zip(cells.codes, cells.sizes, strict=True)
        ]

    def losses(self, a: int, level: int) -> NDArray[np.float64]:
        """Per code of an attribute: what a record loses on a level, before weighting."""
        if (a, level) not in self._losses:
            counts = self.marginals[a] if self.measure == "entropy" else None
            tree = self.cells.attributes[a].tree
            self._losses[a, level] = level_losses(self.measure, tree, level, counts)
        return self._losses[a, level]

    def worst(self, a: int) -> NDArray[np.float64]:
        """Per code of an attribute: what a suppressed record loses, before weighting."""
        counts = self.marginals[a] if self.measure == "entropy" else None
        return suppressed_losses(self.measure, self.cells.sizes[a], counts)


def _most_records(cells: Cells, people: int) -> int:
    """The most records that so many people can have."""
    entries = cells.entries
    if entries.unit is None:
        return people
    rows = np.bincount(entries.unit, weights=entries.count)
    return int(np.sort(rows)[::-1][:people].sum())


def _span(cells: Cells, min_levels: Mapping[str, int], max_levels: Mapping[str, int]) -> tuple[Node, Node]:
    for what, given in (("min_levels", min_levels), ("max_levels", max_levels)):
        for name in given:
            if name not in cells.names:
                raise unknown_column(name, cells.names, what)
    low, high = [], []
    for attribute in cells.attributes:
        top = attribute.tree.height
        least = int(min_levels.get(attribute.name, 0))
        most = int(max_levels.get(attribute.name, top))
        if not 0 <= least <= most <= top:
            raise RequestError(
                f"column {attribute.name!r} has levels 0 to {top}; the allowed ones run from {least} to {most}."
            )
        low.append(least)
        high.append(most)
    return tuple(low), tuple(high)


def attribute_weights(cells: Cells, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """How much each attribute counts, 1 where not given, scaled to add up to 1."""
    for name, weight in weights.items():
        if name not in cells.names:
            raise unknown_column(name, cells.names, "weights")
        number(weight, name, least=0, where="weights")
    out = np.array([float(weights.get(name, 1.0)) for name in cells.names])
    if len(out) and not out.sum() > 0:
        raise RequestError("weights: all are zero, so nothing would be worth keeping.")
    return np.asarray(out / max(out.sum(), 1e-300))


def refusal(lattice: GeneralisationLattice) -> GuaranteeError:
    """Why no node is allowed, and what the coarsest levels would reach."""
    for model in lattice.models:
        model.check(lattice.cells.classes())
    classes = lattice.cells.roll_up(lattice.high)
    reached = [
        model.reach(classes, spare=lattice.limit, reference=lattice.reference) for model in lattice.models
    ]
    who = "records" if lattice.cells.entries.unit is None else "people"
    return GuaranteeError(
        f"no generalisation keeps {', '.join(str(m) for m in lattice.models)} with at most {lattice.limit:,} of "
        f"{lattice.cells.people:,} {who} left out. On the coarsest levels allowed one would reach "
        f"{', '.join(reached)}. Ask for less, allow coarser levels or more suppression."
    )
