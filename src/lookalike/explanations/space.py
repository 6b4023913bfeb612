"""The space CF-K searches: the training set's cells, the form of each column of the box, and what generalising costs.

Numbers, dates and ranks generalise to ranges, names to sets, columns that were given a hierarchy to its nodes.
Goethals, Sörensen and Martens 2022, https://doi.org/10.48550/arXiv.2210.12051, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import ColumnError, RequestError, unknown_column
from lookalike.explanations.steps import ColumnSteps, every_value, shared_steps
from lookalike.kernels.cfk.boxes import count, penalty
from lookalike.kernels.columns import NODE, RANGE, Shape
from lookalike.recodings.labels import Label, Node, Range, ValueSet
from lookalike.tables.cells import Attribute, Cells
from lookalike.tables.cells import count as count_cells
from lookalike.tables.columns.domains import Domain
from lookalike.tables.hierarchies.tree import Tree
from lookalike.tables.layout import lay_out
from lookalike.tables.table import Table

Mask = NDArray[np.uint8]
BoxLevels = NDArray[np.int32]
Penalty = Literal["share", "steps"]


@dataclass(frozen=True, eq=False)
class Space:
    """Cells and columns as flat arrays; a box is a bit per value (`mask`) and a level per column."""

    cells: Cells
    columns: tuple[ColumnSteps, ...]  #: what each column of the box is made of
    shared: bool  #: everything a box shows is shared by k people; what cannot be named is left out
    codes: NDArray[np.int32]  #: cells x columns
    shape: Shape  #: ranks from the column's least value (0) to its greatest (1); NCP of nodes; scale: weight in NCP
    missing: NDArray[np.int64]  #: 1 where the column has missing values (its last code)
    height: NDArray[np.int64]
    steps: bool
    radix: NDArray[np.int64]  #: turns a tuple of codes into one key

    def __len__(self) -> int:
        return len(self.missing)

    @property
    def names(self) -> list[str]:
        """The columns of the box: the quasi-identifiers, or all that is shown."""
        return self.cells.names

    def start(self, own: NDArray[np.int32]) -> tuple[Mask, BoxLevels]:
        """The box that holds one tuple only."""
        mask = np.zeros(int(self.shape.off[-1]), dtype=np.uint8)
        mask[self.shape.off[:-1] + own] = 1
        return mask, np.zeros(len(own), dtype=np.int32)

    def everything(self) -> tuple[Mask, BoxLevels]:
        """The box that holds every tuple."""
        return np.ones(int(self.shape.off[-1]), dtype=np.uint8), self.height.astype(np.int32)

    def penalties(self, mask: Mask, level: BoxLevels) -> NDArray[np.float64]:
        """NCP of each column of a box."""
        return np.array([self.penalty(a, mask, level) for a in range(len(self))])

    def penalty(self, a: int, mask: Mask, level: BoxLevels) -> float:
        """NCP of one column of a box."""
        return float(penalty(self.shape, self.missing, self.steps, a, mask, level))

    def ncp(self, mask: Mask, level: BoxLevels) -> float:
        """NCP of a box: the weighted mean over its columns."""
        return float(self.shape.scale @ self.penalties(mask, level))

    def count(self, mask: Mask, weight: NDArray[np.int64]) -> int:
        """Weight of the cells inside a box."""
        return int(count(self.codes, weight, self.shape.off, mask))

    def inside(self, mask: Mask) -> NDArray[np.bool_]:
        """Which cells lie inside a box."""
        hit = mask[self.shape.off[:-1] + self.codes]
        out: NDArray[np.bool_] = hit.all(axis=1)
        return out

    def people(self, mask: Mask) -> int:
        """How many people a box covers: distinct units where the table names them, else records."""
        if self.cells.entries.unit is None:
            return self.count(mask, self.cells.records)
        return self.people_in(self.inside(mask))

    def people_in(self, inside: NDArray[np.bool_]) -> int:
        """How many people are in some cells."""
        unit = self.cells.entries.unit
        if unit is None:
            return int(self.cells.records[inside].sum())
        return len(np.unique(unit[inside[self.cells.entries.cell]]))

    def combinations(self, mask: Mask) -> int:
        """How many tuples of training values a box holds."""
        held = np.add.reduceat(mask.astype(np.int64), self.shape.off[:-1])
        return int(np.prod([int(h) for h in held], dtype=object))

    def sides(self, mask: Mask, level: BoxLevels) -> dict[str, Label]:
        """A box in words: one label per column, but for those it must not name or that hold everything."""
        out: dict[str, Label] = {}
        for a, steps in enumerate(self.columns):
            held = np.flatnonzero(mask[self.shape.off[a] : self.shape.off[a + 1]])
            if self.shared and (len(held) == len(steps.unnamed) or steps.unnamed[held].any()):
                continue
            out[steps.column.name] = self._side(a, held, int(level[a]))
        return out

    def _side(self, a: int, held: NDArray[np.int64], level: int) -> Label:
        """The label of one column."""
        domain, (lower, upper) = self.columns[a].column.domain, self.columns[a].texts
        texts: list[str | None] = [*lower, *([None] if domain.missing else [])]
        missing = bool(domain.missing and held[-1] == domain.size - 1)
        values = held[:-1] if missing else held
        if self.shape.style[a] == RANGE and len(values):
            return Range(lower[values[0]], upper[values[-1]], missing)
        if self.shape.style[a] == NODE and level:
            tree = self.cells.attributes[a].tree
            label = tree.labels[level][int(tree.up[level][held[0]])]
            return Node(label or "∅", tuple(texts[c] for c in held))
        return ValueSet(tuple(texts[c] for c in held))


def search_space(
    people: Table,
    names: Sequence[str],
    *,
    weights: Mapping[str, float] | None = None,
    ncp: Penalty = "share",
    share: int | None = None,
) -> Space:
    """The space over some columns of a training table.

    share: so many people must share everything that is named; without it values are named as they are.
    """
    columns = [
        every_value(people.column(name)) if share is None else shared_steps(people, name, share)
        for name in names
    ]
    cells = people.cells(quasi=names, sensitive=()) if share is None else _cells_of_steps(people, columns)
    radix = _radix(np.array(cells.sizes))
    styles = [_style(attribute, people) for attribute in cells.attributes]

    def lost(_: int, tree: Tree, level: int) -> NDArray[np.float64]:
        losses = tree.loss(level) if ncp == "steps" else tree.share(level)
        return np.where(tree.leaves[level] > 1, losses, 0.0)

    shape = lay_out(
        cells.attributes,
        styles,
        ranks=[
            _ranks(attribute.domain, style) for attribute, style in zip(cells.attributes, styles, strict=True)
        ],
        scale=_weights(cells.names, weights),
        cost=lost,
    )
    heights = [
        a.tree.height if style == "node" else 0 for a, style in zip(cells.attributes, styles, strict=True)
    ]
    missing = [attribute.domain.missing for attribute in cells.attributes]
    return Space(
        cells,
        tuple(columns),
        share is not None,
        np.ascontiguousarray(cells.codes.T),
        shape,
        np.array(missing, dtype=np.int64),
        np.array(heights, dtype=np.int64),
        ncp == "steps",
        radix,
    )


def _cells_of_steps(people: Table, columns: Sequence[ColumnSteps]) -> Cells:
    return count_cells(
        [Attribute(one.column, partial(people.tree, one.column.name)) for one in columns],
        [],
        rows=len(people),
        unit=None if people.unit is None else people.column(people.unit),
        times=people.times,
    )


def _style(attribute: Attribute, people: Table) -> str:
    if attribute.name in people.hierarchies:
        return "node"
    return "range" if attribute.domain.kind.ordered else "set"


def _ranks(domain: Domain, style: str) -> NDArray[np.float64]:
    """Where each value stands between the least (0) and the greatest (1); NaN for missing and without an order."""
    if style != "range":
        return np.full(domain.size, np.nan)
    places = domain.places
    width = np.nanmax(places) - np.nanmin(places) if np.isfinite(places).any() else 0.0
    if width > 0:
        return np.asarray((places - np.nanmin(places)) / width)
    return np.where(np.isnan(places), np.nan, 0.0)


def _weights(names: Sequence[str], weights: Mapping[str, float] | None) -> NDArray[np.float64]:
    for name in weights or {}:
        if name not in names:
            raise unknown_column(name, names, "weights")
    out = np.array([float((weights or {}).get(name, 1.0)) for name in names])
    if not np.isfinite(out).all() or (out < 0).any() or out.sum() <= 0:
        raise RequestError("weights: they must be numbers of at least 0, not all of them 0.")
    shares: NDArray[np.float64] = out / out.sum()
    return shares


def _radix(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Multipliers that number all tuples; where they outnumber 64 bits, odd ones that scatter them."""
    if len(sizes) == 0:
        raise ColumnError("there are no quasi-identifiers. Name them with table(..., quasi=[...]).")
    if np.prod([int(s) for s in sizes], dtype=object) < 2**62:
        places: NDArray[np.int64] = np.concatenate([[1], np.cumprod(sizes[:-1])]).astype(np.int64)
        return places
    scatter: NDArray[np.int64] = np.random.Generator(np.random.PCG64(0)).integers(1, 2**62, len(sizes)) | 1
    return scatter
