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
from lookalike.recodings.edges import SHARED, Edges, find_edges
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
        return Recoding({**columns, **chosen}, models, how["suppressed"], tuple(people.sensitive))

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
        self._enclose()
        # Classes that publish the same box are one class to whoever reads the release.
        texts = [side.texts() for side in self.sides.values()]
        codes = [np.unique([str((text,)) for text in column], return_inverse=True) for column in texts]
        boxes = int(self.of_row.max(initial=-1)) + 1
        same, n = group_codes([code for _, code in codes], [len(values) for values, _ in codes], boxes)
        if n < boxes:
            object.__setattr__(self, "of_row", np.append(same, np.int32(-1))[self.of_row])
            self._enclose()

    def _enclose(self) -> None:
        boxes = int(self.of_row.max(initial=-1)) + 1
        for attribute in self.people.cells(sensitive=[]).attributes:
            style, codes = self.styles[attribute.name], attribute.column.codes
            edges = self.edges_of(attribute) if style == "range" else None
            self.sides[attribute.name] = enclose(attribute, style, codes, self.of_row, boxes, edges)

    def edges_of(self, attribute: Attribute) -> Edges | None:
        """What ranges of numbers or dates begin and end with, so that no end is the value of a few people only."""
        if self.shared < 2 or not attribute.domain.kind.numeric:
            return None
        sizes = np.bincount(self.of_row[self.of_row >= 0])
        least = int(sizes[sizes > 0].min(initial=self.shared))
        finest = finest_grid(self.people.concept(attribute.column), attribute.domain.kind)
        return find_edges(attribute.domain, self.people.people_having(attribute.name), least, finest)

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
        labels = side.texts()
        levels = None
        if side.style in ("node", "siblings"):
            levels = np.where(side.named, NAMED_BY_VALUES, side.nodes[0]).tolist()
        texts: list[Any] = list(labels)
        if numbers != "range":
            texts = list(side.means(self.of_row) if numbers == "mean" else side.midpoints())
        return BoxTexts(side.style, texts, labels, levels)

    def losses(self, of_row: NDArray[np.int32]) -> list[tuple[float, float]]:
        """Loss and NCP of each column, summed over the rows that are kept."""
        boxes = int(self.of_row.max(initial=-1)) + 1
        counts = np.bincount(of_row[of_row >= 0], minlength=boxes)
        return [(float(counts @ side.loss()), float(counts @ side.ncp())) for side in self.sides.values()]


Plan = FullDomain | Clusters
