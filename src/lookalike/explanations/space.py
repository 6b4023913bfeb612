"""The space CF-K searches: the training set's cells, the form of each quasi-identifier, and what generalising costs.

Numbers, dates and ranks generalise to ranges, names to sets, columns that were given a hierarchy to its nodes.
Goethals, Sörensen and Martens 2022, https://doi.org/10.48550/arXiv.2210.12051, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.errors import ColumnError, RequestError, unknown_column
from lookalike.kernels.cfk.boxes import NODE, RANGE, SET, count, penalty
from lookalike.recodings.labels import Label, Node, Range, ValueSet
from lookalike.tables.cells import Cells
from lookalike.tables.table import Table

Mask = NDArray[np.uint8]
BoxLevels = NDArray[np.int32]
Penalty = Literal["share", "steps"]


@dataclass(frozen=True, eq=False)
class Space:
    """Cells and columns as flat arrays; a box is a bit per value (`mask`) and a level per column."""

    cells: Cells
    codes: NDArray[np.int32]  #: cells x columns
    offset: NDArray[np.int64]  #: where each column's values begin in a mask
    shape: NDArray[np.int64]  #: SET, RANGE or NODE
    missing: NDArray[np.int64]  #: 1 where the column has missing values (its last code)
    place: NDArray[np.float64]  #: per value: where it stands between the column's least (0) and greatest (1)
    up: NDArray[np.int32]  #: level x value -> node
    share: NDArray[np.float64]  #: level x value -> NCP of the node
    height: NDArray[np.int64]
    weights: NDArray[np.float64]  #: of the columns in NCP, summing to 1
    steps: bool
    radix: NDArray[np.int64]  #: turns a tuple of codes into one key

    @property
    def names(self) -> list[str]:
        """The quasi-identifiers."""
        return self.cells.names

    def start(self, own: NDArray[np.int32]) -> tuple[Mask, BoxLevels]:
        """The box that holds one tuple only."""
        mask = np.zeros(int(self.offset[-1]), dtype=np.uint8)
        mask[self.offset[:-1] + own] = 1
        return mask, np.zeros(len(own), dtype=np.int32)

    def everything(self) -> tuple[Mask, BoxLevels]:
        """The box that holds every tuple."""
        return np.ones(int(self.offset[-1]), dtype=np.uint8), self.height.astype(np.int32)

    def penalties(self, mask: Mask, level: BoxLevels) -> NDArray[np.float64]:
        """NCP of each column of a box."""
        return np.array([self.penalty(a, mask, level) for a in range(len(self.shape))])

    def penalty(self, a: int, mask: Mask, level: BoxLevels) -> float:
        """NCP of one column of a box."""
        return float(
            penalty(a, self.shape, self.missing, self.offset, self.share, self.place, self.steps, mask, level)
        )

    def ncp(self, mask: Mask, level: BoxLevels) -> float:
        """NCP of a box: the weighted mean over its columns."""
        return float(self.weights @ self.penalties(mask, level))

    def count(self, mask: Mask, weight: NDArray[np.int64]) -> int:
        """Weight of the cells inside a box."""
        return int(count(self.codes, weight, self.offset, mask))

    def inside(self, mask: Mask) -> NDArray[np.bool_]:
        """Which cells lie inside a box."""
        hit = mask[self.offset[:-1] + self.codes]
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
        held = np.add.reduceat(mask.astype(np.int64), self.offset[:-1])
        return int(np.prod([int(h) for h in held], dtype=object))

    def sides(self, mask: Mask, level: BoxLevels) -> dict[str, Label]:
        """A box in words: one label per quasi-identifier."""
        out: dict[str, Label] = {}
        for a, attribute in enumerate(self.cells.attributes):
            held = np.flatnonzero(mask[self.offset[a] : self.offset[a + 1]])
            domain = attribute.domain
            texts: list[str | None] = [*domain.texts, *([None] if domain.missing else [])]
            missing = bool(domain.missing and held[-1] == domain.size - 1)
            values = held[:-1] if missing else held
            if self.shape[a] == RANGE and len(values):
                out[attribute.name] = Range(domain.texts[values[0]], domain.texts[values[-1]], missing)
            elif self.shape[a] == NODE and level[a]:
                label = attribute.tree.labels[level[a]][int(attribute.tree.up[level[a]][held[0]])]
                out[attribute.name] = Node(label or "∅", tuple(texts[c] for c in held))
            else:
                out[attribute.name] = ValueSet(tuple(texts[c] for c in held))
        return out


def lay_out(
    people: Table, quasi: Sequence[str], *, weights: Mapping[str, float] | None = None, ncp: Penalty = "share"
) -> Space:
    """The space over some quasi-identifiers of a training table."""
    cells = people.cells(quasi=quasi, sensitive=())
    sizes = np.array(cells.sizes)
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    shape, place = np.zeros(len(sizes), dtype=np.int64), np.full(int(offset[-1]), np.nan)
    trees = {
        a: attribute.tree
        for a, attribute in enumerate(cells.attributes)
        if attribute.name in people.hierarchies
    }
    levels = 1 + max((tree.height for tree in trees.values()), default=0)
    up = np.zeros((levels, int(offset[-1])), dtype=np.int32)
    share = np.zeros((levels, int(offset[-1])))
    for a, attribute in enumerate(cells.attributes):
        here = slice(int(offset[a]), int(offset[a + 1]))
        if a in trees:
            shape[a] = NODE
            for level in range(levels):
                at = min(level, trees[a].height)
                up[level, here] = trees[a].up[at]
                lost = trees[a].loss(at) if ncp == "steps" else trees[a].share(at)
                share[level, here] = np.where(trees[a].leaves[at] > 1, lost, 0.0)[trees[a].up[at]]
        elif attribute.domain.kind.ordered:
            shape[a] = RANGE
            numbers = attribute.domain.numbers
            width = np.nanmax(numbers) - np.nanmin(numbers) if np.isfinite(numbers).any() else 0.0
            place[here] = (
                (numbers - np.nanmin(numbers)) / width
                if width > 0
                else np.where(np.isnan(numbers), np.nan, 0.0)
            )
        else:
            shape[a] = SET
    height = np.array([trees[a].height if a in trees else 0 for a in range(len(sizes))], dtype=np.int64)
    missing = np.array([attribute.domain.missing for attribute in cells.attributes], dtype=np.int64)
    return Space(
        cells,
        np.ascontiguousarray(cells.codes.T),
        offset,
        shape,
        missing,
        place,
        up,
        share,
        height,
        _weights(cells.names, weights),
        ncp == "steps",
        _radix(sizes),
    )


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
