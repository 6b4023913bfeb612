"""Boxes: what local recodings publish, one generalised tuple per class.

Three styles per attribute: `range` (smallest to largest value), `set` (the values themselves), `node` (the lowest
common ancestor in the hierarchy). All boxes of a table are computed at once from the class of each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.columns.domains import Domain
from lookalike.columns.grouping import group_keys
from lookalike.columns.notation import write_range, write_set
from lookalike.tables.cells import Attribute

Style = Literal["range", "set", "node"]


@dataclass(frozen=True, eq=False)
class Side:
    """One attribute of all boxes: which codes each box contains, and how that is written."""

    attribute: Attribute
    style: Style
    owner: NDArray[np.int64]  #: box of each (box, code) pair found in the table, ascending
    code: NDArray[np.int64]
    boxes: int

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each box's pairs begin; one more than the boxes."""
        return np.searchsorted(self.owner, np.arange(self.boxes + 1))

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Which boxes contain missing values."""
        if not self.attribute.domain.missing:
            return np.zeros(self.boxes, dtype=bool)
        last: NDArray[np.bool_] = self.code[self.starts[1:] - 1] == self.attribute.domain.size - 1
        return last

    @cached_property
    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Smallest and largest non-missing code of each box; (size, -1) where there is only missing."""
        lo = self.code[self.starts[:-1]].copy()
        hi = self.code[self.starts[1:] - 1].copy()
        alone = self.missing & (lo == hi)
        hi[self.missing] = self.code[np.maximum(self.starts[1:] - 2, 0)][self.missing]
        lo[alone], hi[alone] = self.attribute.domain.size, -1
        return lo, hi

    @cached_property
    def nodes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Level and node of the lowest common ancestor of each box."""
        tree = self.attribute.tree
        where = tree.position[self.code]
        lo = np.minimum.reduceat(where, self.starts[:-1]).astype(np.int64)
        hi = np.maximum.reduceat(where, self.starts[:-1]).astype(np.int64)
        span = hi - lo
        step = np.frexp(np.maximum(span, 1).astype(float))[1] - 1
        last = tree.joins.shape[1] - 1
        left, right = (
            tree.joins[step, np.minimum(lo, last)],
            tree.joins[step, np.maximum(hi - (1 << step), 0)],
        )
        level = np.maximum(left, right).astype(np.int64)
        level[span == 0] = 0
        up = np.stack(tree.up)
        return level, up[level, self.code[self.starts[:-1]]].astype(np.int64)

    def texts(self) -> list[str | None]:
        """What each box publishes."""
        domain = self.attribute.domain
        if self.style == "node":
            labels = [self.attribute.tree.published(i) for i in range(self.attribute.tree.height + 1)]
            return [labels[level][node] for level, node in zip(*(part.tolist() for part in self.nodes))]
        if self.style == "range":
            return self._range_texts(domain)
        texts: list[str | None] = [*domain.texts, *([None] if domain.missing else [])]
        starts = self.starts.tolist()
        codes = self.code.tolist()
        written: dict[tuple[int, ...], str | None] = {}
        out = []
        for a, b in pairwise(starts):
            key = tuple(codes[a:b])
            if key not in written:
                written[key] = write_set(texts[c] for c in key)
            out.append(written[key])
        return out

    def _range_texts(self, domain: Domain) -> list[str | None]:
        texts = domain.texts
        written: dict[tuple[int, int, bool], str | None] = {}
        out = []
        for key in zip(self.ends[0].tolist(), self.ends[1].tolist(), self.missing.tolist()):
            if key not in written:
                lo, hi, missing = key
                written[key] = None if hi < 0 else write_range(texts[lo], texts[hi], missing=missing)
            out.append(written[key])
        return out

    def leaves(self) -> NDArray[np.int64]:
        """How many leaves of the hierarchy each box covers: all between the ends of a range, all under a node."""
        tree = self.attribute.tree
        if self.style == "node":
            level, node = self.nodes
            width = max(len(labels) for labels in tree.labels)
            table = np.zeros((tree.height + 1, width), dtype=np.int64)
            for i, counts in enumerate(tree.leaves):
                table[i, : len(counts)] = counts
            leaves: NDArray[np.int64] = table[level, node]
            return leaves
        if self.style == "range":
            lo, hi = self.ends
            below, upto = leaf_bounds(self.attribute)
            only_missing = hi < 0
            inside = np.append(upto, 0)[hi] - np.append(below, 0)[np.where(only_missing, len(below), lo)]
            return np.asarray(np.where(only_missing, 0, inside) + self.missing.astype(np.int64))
        return np.asarray(np.diff(self.starts))

    def loss(self) -> NDArray[np.float64]:
        """Loss of each box: 0 for one leaf, 1 for all of them."""
        total = self.attribute.tree.total
        return (self.leaves() - 1) / (total - 1) if total > 1 else np.zeros(self.boxes)

    def ncp(self) -> NDArray[np.float64]:
        """Normalised certainty penalty: width over full width for numbers, share of distinct values otherwise."""
        domain = self.attribute.domain
        if self.style == "range" and domain.kind.numeric and not domain.missing:
            numbers = domain.numbers
            width = numbers[-1] - numbers[0]
            lo, hi = self.ends
            return (numbers[hi] - numbers[lo]) / width if width > 0 else np.zeros(self.boxes)
        leaves = self.leaves()
        return np.where(leaves > 1, leaves / self.attribute.tree.total, 0.0)

    def means(self, of_row: NDArray[np.int32]) -> list[float | None]:
        """The mean of the numbers in each box."""
        size, codes = self.attribute.domain.size, self.attribute.column.codes
        numbers = self.attribute.domain.numbers
        inside = (of_row >= 0) & ~np.isnan(numbers[codes])
        keys = of_row[inside].astype(np.int64) * size + codes[inside]
        label, pairs = group_keys(keys, self.boxes * size)
        times = np.bincount(label, minlength=len(pairs))
        owner, code = np.divmod(
            pairs, size
        )  # summed value by value, so that the order of rows changes no bit
        total = np.bincount(owner, weights=numbers[code] * times, minlength=self.boxes)
        count = np.bincount(owner, weights=times, minlength=self.boxes)
        return [t / c if c else None for t, c in zip(total.tolist(), count.tolist())]

    def midpoints(self) -> list[float | None]:
        """The middle of the range of numbers in each box."""
        numbers = self.attribute.domain.numbers
        lo, hi = self.ends
        return [
            None if b < 0 else float(numbers[a] + numbers[b]) / 2 for a, b in zip(lo.tolist(), hi.tolist())
        ]


def enclose(
    attribute: Attribute, style: Style, codes: NDArray[np.integer[Any]], of_row: NDArray[np.int32], boxes: int
) -> Side:
    """The side of each box that its rows (or cells) span on one attribute; class -1 is left out."""
    kept = of_row >= 0
    size = attribute.domain.size
    keys = of_row[kept].astype(np.int64) * size + codes[kept]
    distinct = group_keys(keys, boxes * size)[1]
    owner, code = np.divmod(distinct, size)
    return Side(attribute, style, owner, code, boxes)


def leaf_bounds(attribute: Attribute) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each value of an ordered attribute: how many leaves of its hierarchy lie below it, and how many up to it.

    A hierarchy read from a file may have leaves between two values of the table; a range covers those too.
    """
    domain, tree = attribute.domain, attribute.tree
    n = len(domain.values)
    leaves = [text for text in tree.labels[0] if text is not None]
    if not domain.kind.numeric or len(leaves) == n:
        return np.arange(n), np.arange(1, n + 1)
    numbers = np.sort(np.nan_to_num([domain.number(text) for text in leaves], nan=np.inf))
    mine = domain.numbers[:n]
    return np.searchsorted(numbers, mine), np.searchsorted(numbers, mine, side="right")
