"""What a method decides, before it becomes a recoding: a level per column, or a class per row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.models.model import Model
from lookalike.recodings.assignment import remember
from lookalike.recodings.boxes import BoxSide, Style, enclose
from lookalike.recodings.covering import NAMED_BY_VALUES, BoxTexts
from lookalike.recodings.dealing import columns_seen, deal_out
from lookalike.recodings.edges import SHARED, find_edges
from lookalike.recodings.publishing import count_released, publish_cuts, publish_level
from lookalike.recodings.recoding import Recoding
from lookalike.recodings.treatments import Box, Generalise, Treatment
from lookalike.tables.cells import Attribute, Cells
from lookalike.tables.columns.grouping import group_codes, sum_by, tally
from lookalike.tables.hierarchies.by_meaning import finest_grid
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class FullDomain:
    """Full-domain generalisation: every column goes to one level of its hierarchy."""

    cells: Cells
    levels: Mapping[str, int]
    proven_optimal: bool = False
    alternatives: tuple[Mapping[str, Any], ...] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)  #: what the method itself vouches for

    def recode(
        self, people: Table, models: tuple[Model, ...], columns: Mapping[str, Treatment], **how: Any
    ) -> Recoding:
        """The recoding that carries this plan out; `how` holds `numbers` and `suppressed`."""
        numbers = how["numbers"]
        chosen = {
            a.name: Generalise(self.levels[a.name], a.tree.recipe, numbers.get(a.name, "range"))
            for a in self.cells.attributes
        }
        recoding = Recoding({**columns, **chosen}, models, how["suppressed"], tuple(people.sensitive))
        return replace(recoding, columns={**recoding.columns, **self._named(recoding, people)})

    def _named(self, recoding: Recoding, people: Table) -> dict[str, Treatment]:
        """The columns with labels that know the released people only, where their hierarchy knows more."""
        grown = [a for a in self.cells.attributes if a.tree.recipe.is_grown]
        if not grown:
            return {}
        texts: dict[str, tuple[NDArray[np.int32], list[Any]]] = {}
        of_row, _ = recoding.generalise_rows(people, texts)
        kept = recoding.settle(people, of_row, texts, population=self._population)[0] >= 0
        least = max((model.smallest_class for model in recoding.models), default=1)
        out: dict[str, Treatment] = {}
        for a in grown:
            have = count_released(people, a.name, kept, a.domain)
            treatment = recoding.columns[a.name]
            assert isinstance(treatment, Generalise)
            finest = finest_grid(people.concept(a.column), a.domain.kind)
            published = publish_level(a.tree, treatment.level, have, least, finest)
            out[a.name] = replace(treatment, published=published)
        return out

    @property
    def _population(self) -> Cells | None:
        return self.cells if self.cells.population is not None else None

    def losses(self, of_row: NDArray[np.int32]) -> list[tuple[float, float]]:
        """Loss and NCP of each column, summed over the rows that are kept."""
        out, gone = [], np.flatnonzero(of_row < 0)
        for a in self.cells.attributes:
            tree, level = a.tree, self.levels[a.name]
            nodes, size, times = tree.up[level], len(tree.labels[level]), a.column.times
            lost = tally(nodes[a.column.codes[gone]], size, None if times is None else times[gone])
            counts = sum_by(nodes, a.column.counts, size) - lost
            ncp = np.where(tree.leaves[level] > 1, tree.share(level), 0.0)
            out.append((float(counts @ tree.loss(level)), float(counts @ ncp)))
        return out


@dataclass(frozen=True, eq=False)
class Clusters:
    """Local recoding: every row belongs to a class (-1: none), and a class publishes one box."""

    people: Table
    of_row: NDArray[np.int32]
    styles: Mapping[str, Style]
    proven_optimal: bool = False
    alternatives: tuple[Mapping[str, Any], ...] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)  #: what the method itself vouches for
    shared: int = (
        SHARED  #: people who must have a value for a range to end with it, if the classes are that large
    )
    sides: dict[str, BoxSide] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        while True:
            boxes = int(self.of_row.max(initial=-1)) + 1
            for attribute in self.people.cells(sensitive=[]).attributes:
                self.sides[attribute.name] = self._enclose(attribute, boxes)
            # Classes that publish the same box are one class to whoever reads the release.
            texts = [side.texts() for side in self.sides.values()]
            codes = [np.unique([str((text,)) for text in column], return_inverse=True) for column in texts]
            same, n = group_codes([code for _, code in codes], [len(values) for values, _ in codes], boxes)
            if n == boxes:
                return
            object.__setattr__(self, "of_row", np.append(same, np.int32(-1))[self.of_row])

    def _enclose(self, attribute: Attribute, boxes: int) -> BoxSide:
        """The side of each box that its rows span, named so that no value is told that a few people only have."""
        style, codes = self.styles[attribute.name], attribute.column.codes
        sizes = np.bincount(self.of_row[self.of_row >= 0])
        least = int(sizes[sizes > 0].min(initial=self.shared))
        people = count_released(self.people, attribute.name, self.of_row >= 0, attribute.domain)
        finest, edges = finest_grid(self.people.concept(attribute.column), attribute.domain.kind), None
        if style == "range" and self.shared >= 2 and attribute.domain.kind.numeric:
            edges = find_edges(attribute.domain, people, least, finest)
        published = publish_cuts(attribute.tree, people, least, finest) if style == "node" else None
        if published is not None:
            tree = published.grow(attribute.domain)
            attribute = Attribute(attribute.column, lambda: tree)
        return enclose(attribute, style, codes, self.of_row, boxes, edges, people=people, least=least)

    def recode(
        self, people: Table, models: tuple[Model, ...], columns: Mapping[str, Treatment], **how: Any
    ) -> Recoding:
        """The recoding that carries this plan out; `how` holds `numbers` and `suppressed`."""
        chosen: dict[str, Treatment] = dict(columns)
        boxes = {}
        for name, side in self.sides.items():
            numbers = how["numbers"].get(name, "range")
            chosen[name] = Box(side.style, side.attribute.tree.recipe, numbers)
            boxes[name] = self._written(side, numbers)
        return Recoding(chosen, models, how["suppressed"], tuple(people.sensitive), boxes)

    def deal_out(
        self, recoding: Recoding, *, besides: Sequence[str], pseudonyms: Mapping[str, Any], seed: int
    ) -> Recoding:
        """The recoding with the class of each row: records that are alike to the method are dealt out by what else
        they say. Where the rows are elsewhere, that is done there."""
        if self.people.origin is not None:
            return replace(recoding, assignment=remember(self.people, self.of_row))
        seen = columns_seen(self.people, besides)
        published = recoding.other_columns(self.people, pseudonyms, but=seen)
        of_row = deal_out(self.people, self.of_row, besides=besides, published=published, seed=seed)
        return replace(recoding, assignment=remember(self.people, of_row))

    def _written(self, side: BoxSide, numbers: str) -> BoxTexts:
        labels, texts = side.labels(), list[Any](side.texts())
        levels = None
        if side.style in ("node", "siblings"):
            levels = np.where(side.named, NAMED_BY_VALUES, side.nodes[0]).tolist()
        if numbers != "range":
            texts = list(side.means(self.of_row) if numbers == "mean" else side.midpoints())
        return BoxTexts(side.style, texts, labels, levels)

    def losses(self, of_row: NDArray[np.int32]) -> list[tuple[float, float]]:
        """Loss and NCP of each column, summed over the rows that are kept."""
        boxes = int(self.of_row.max(initial=-1)) + 1
        counts = np.bincount(of_row[of_row >= 0], minlength=boxes)
        return [(float(counts @ side.loss()), float(counts @ side.ncp())) for side in self.sides.values()]


Plan = FullDomain | Clusters
