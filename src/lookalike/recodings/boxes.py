"""Boxes: what local recodings publish, one generalised tuple per class.

Four styles per attribute: `range` (smallest to largest value), `set` (the values themselves), `node` (the lowest
common ancestor in the hierarchy), `siblings` (the values where they are children of one node, else that ancestor).
A value that only a few released people have is named by none of them: sets and groups that were grown from the data
say `…` for it, and ranges end beyond it. All boxes of a table are computed at once from the
class of each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.recodings.edges import Edges, nice_step, round_to
from lookalike.tables.cells import Attribute
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.grouping import group_keys
from lookalike.tables.columns.notation import write_range, write_set
from lookalike.tables.hierarchies import ROOT

Style = Literal["range", "set", "node", "siblings"]
NAMED = 16  #: values that a set of siblings names at most; more are called by the node above them


@dataclass(frozen=True, eq=False)
class BoxSide:
    """One attribute of all boxes: which codes each box contains, and how that is written.

    `edges` are what ranges of numbers or dates begin and end with where the values themselves would tell too much.
    """

    attribute: Attribute
    style: Style
    owner: NDArray[np.int64]  #: box of each (box, code) pair found in the table, ascending
    code: NDArray[np.int64]
    boxes: int
    edges: Edges | None = None
    people: NDArray[np.int64] | None = (
        None  #: released people who have each code; named are those that `least` have
    )
    least: int = 0
    at: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None  #: `nodes`, where they are known already

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
        """First and last code that the range of each box covers; (size, -1) where there is only missing."""
        lo, hi = self.held
        if self.edges is None:
            return lo, hi
        ended = self.ended
        first, last = (np.append(codes, -1) for codes in self.edges.codes)
        return np.where(ended, first[np.where(ended, lo, -1)], lo), np.where(
            ended, last[np.where(ended, hi, -1)], hi
        )

    @cached_property
    def ended(self) -> NDArray[np.bool_]:
        """Boxes with a range that has ends: of several values, or of one that not everybody in the box has."""
        lo, hi = self.held
        out: NDArray[np.bool_] = (hi > lo) | (self.missing & (hi >= 0))
        return out

    @cached_property
    def held(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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
        if self.at is not None:
            return self.at
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

    @cached_property
    def shared(self) -> NDArray[np.bool_]:
        """Which codes may be named: missing, and values that enough released people have."""
        domain = self.attribute.domain
        if self.people is None:
            return np.ones(domain.size, dtype=bool)
        out: NDArray[np.bool_] = self.people >= self.least
        out[len(domain.values) :] = True
        return out

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """Which boxes name their values: all of a set, of siblings those that are few children of one node, not all."""
        count = np.diff(self.starts)
        if self.style != "siblings":
            return np.full(self.boxes, self.style == "set")
        tree, (level, node) = self.attribute.tree, self.nodes
        below = np.maximum(level - 1, 0)[self.owner]
        leaf = self._leaves_of(below, np.stack(tree.up)[below, self.code].astype(np.int64)) == 1
        children = np.logical_and.reduceat(leaf, self.starts[:-1])
        known = np.logical_or.reduceat(self.shared[self.code], self.starts[:-1])
        few: NDArray[np.bool_] = children & known & (count <= NAMED) & (count < self._leaves_of(level, node))
        out: NDArray[np.bool_] = few | (count == 1)
        return out

    def texts(self) -> list[str | None]:
        """What each box publishes."""
        return list(self._texts)

    @cached_property
    def _texts(self) -> list[str | None]:
        domain = self.attribute.domain
        if self.style == "siblings":
            nodes, sets = self._node_texts(), self._set_texts(domain)
            return [a if named else b for a, b, named in zip(sets, nodes, self.named.tolist(), strict=True)]
        if self.style == "node":
            recipe = self.attribute.tree.recipe
            return self._grown_texts() if recipe.is_grown and recipe.how != "cuts" else self._node_texts()
        if self.style == "range" and domain.kind.numeric:
            return self._range_texts(domain)
        return self._set_texts(domain)

    def labels(self) -> list[str | None]:
        """What is behind what each box publishes: a node by its name in the tree, which stays private."""
        return self._node_texts() if self.style == "node" else self.texts()

    def _node_texts(self) -> list[str | None]:
        tree = self.attribute.tree
        labels = [tree.published(level) for level in range(tree.height + 1)]
        return [
            labels[level][node] for level, node in zip(*(part.tolist() for part in self.nodes), strict=True)
        ]

    def _grown_texts(self) -> list[str | None]:
        """Nodes of a tree that was grown from the data, by the values under them that released people have."""
        tree = self.attribute.tree
        written: dict[tuple[int, int], str | None] = {}
        out = []
        for level, node in zip(*(part.tolist() for part in self.nodes), strict=True):
            if (level, node) not in written:
                codes = np.flatnonzero(tree.up[level] == node)
                there = codes if self.people is None else codes[self.people[codes] > 0]
                written[level, node] = ROOT if level == tree.height else self._written(tuple(there.tolist()))
            out.append(written[level, node])
        return out

    def _set_texts(self, domain: Domain) -> list[str | None]:
        """Sets of values; of ordered words ranges, which have no round ends to move to."""
        ordered = self.style == "range"
        codes = self.code.tolist()
        written: dict[tuple[int, ...], str | None] = {}
        out = []
        for a, b in pairwise(self.starts.tolist()):
            key = tuple(codes[a:b])
            if key not in written:
                inner = [code for code in key if code < len(domain.values)]
                written[key] = (
                    write_range(
                        domain.texts[inner[0]], domain.texts[inner[-1]], missing=len(inner) < len(key)
                    )
                    if ordered and inner
                    else self._written(key)
                )
            out.append(written[key])
        return out

    def _written(self, codes: tuple[int, ...]) -> str | None:
        """A set of these values; one value is named, since everybody in the box has it."""
        domain = self.attribute.domain
        texts: list[str | None] = [*domain.texts, *([None] if domain.missing else [])]
        named = [texts[code] for code in codes if self.shared[code] or len(codes) == 1]
        return write_set(named, others=len(named) < len(codes))

    def _range_texts(self, domain: Domain) -> list[str | None]:
        low, high = (domain.texts, domain.texts) if self.edges is None else self.edges.texts
        written: dict[tuple[int, int, bool], str | None] = {}
        out = []
        for key in zip(self.held[0].tolist(), self.held[1].tolist(), self.missing.tolist(), strict=True):
            if key not in written:
                lo, hi, missing = key
                if hi < 0:
                    written[key] = None
                elif lo == hi and not missing:
                    written[key] = write_range(domain.texts[lo], domain.texts[lo])
                else:
                    written[key] = write_range(low[lo], high[hi], missing=missing)
            out.append(written[key])
        return out

    def leaves(self) -> NDArray[np.int64]:
        """How many leaves of the hierarchy each box covers: all between the ends of a range, all under a node."""
        if self.style in ("node", "siblings"):
            return np.where(self.named, np.diff(self.starts), self._leaves_of(*self.nodes))
        if self.style == "range":
            lo, hi = self.ends
            below, upto = leaf_bounds(self.attribute)
            only_missing = hi < 0
            inside = np.append(upto, 0)[hi] - np.append(below, 0)[np.where(only_missing, len(below), lo)]
            return np.asarray(np.where(only_missing, 0, inside) + self.missing.astype(np.int64))
        return np.asarray(np.diff(self.starts))

    def _leaves_of(self, level: NDArray[np.int64], node: NDArray[np.int64]) -> NDArray[np.int64]:
        """Leaves under nodes given by their levels and numbers."""
        tree = self.attribute.tree
        begin = np.cumsum([0, *(len(counts) for counts in tree.leaves[:-1])])
        found: NDArray[np.int64] = np.concatenate(tree.leaves)[begin[level] + node]
        return found

    def loss(self) -> NDArray[np.float64]:
        """Loss of each box: 0 for one leaf, 1 for all of them."""
        total = self.attribute.tree.total
        return (self.leaves() - 1) / (total - 1) if total > 1 else np.zeros(self.boxes)

    def ncp(self) -> NDArray[np.float64]:
        """Normalised certainty penalty: width over full width for numbers, share of distinct values otherwise."""
        domain = self.attribute.domain
        if self.style == "range" and domain.kind.numeric and not domain.missing:
            places, (lo, hi) = domain.places, self.ends
            width = places[-1] - places[0]
            return (places[hi] - places[lo]) / width if width > 0 else np.zeros(self.boxes)
        leaves = self.leaves()
        return np.where(leaves > 1, leaves / self.attribute.tree.total, 0.0)

    def means(self, of_row: NDArray[np.int32]) -> list[float | None]:
        """The mean of the numbers in each box, rounded so that it does not give the last of them away.

        Steps are at least the width of the range over the number of values: whoever knows all values but one finds the
        last one in an interval as wide as the range.
        """
        domain, codes = self.attribute.domain, self.attribute.column.codes
        size, places = domain.size, domain.places
        inside = (of_row >= 0) & ~np.isnan(places[codes])
        keys = of_row[inside].astype(np.int64) * size + codes[inside]
        label, pairs = group_keys(keys, self.boxes * size)
        times = np.bincount(label, minlength=len(pairs))
        owner, code = np.divmod(
            pairs, size
        )  # summed value by value, so that the order of rows changes no bit
        total = np.bincount(owner, weights=places[code] * times, minlength=self.boxes)
        count = np.bincount(owner, weights=times, minlength=self.boxes)
        out: list[float | None] = []
        for t, c, span in zip(total.tolist(), count.tolist(), self._spans(), strict=True):
            if not c or span is None or span[0] == span[1]:
                out.append(t / c * domain.measure if c else None)
            else:
                mean = round_to(t / c * domain.measure, nice_step((span[1] - span[0]) / c))
                out.append(min(max(mean, span[0]), span[1]))
        return out

    def midpoints(self) -> list[float | None]:
        """The middle of the range of each box."""
        return [None if span is None else span[0] / 2 + span[1] / 2 for span in self._spans()]

    def _spans(self) -> list[tuple[float, float] | None]:
        """The numbers that the range of each box begins and ends with; None where it has none."""
        numbers = self.attribute.domain.numbers
        low, high = (numbers, numbers) if self.edges is None else (self.edges.low, self.edges.high)
        return [
            None if b < 0 else (float(low[a]), float(high[b])) if ended else (float(numbers[a]),) * 2
            for a, b, ended in zip(*(part.tolist() for part in (*self.held, self.ended)), strict=True)
        ]


def enclose(
    attribute: Attribute,
    style: Style,
    codes: NDArray[np.integer[Any]],
    of_row: NDArray[np.int32],
    boxes: int,
    edges: Edges | None = None,
    *,
    people: NDArray[np.int64] | None = None,
    least: int = 0,
) -> BoxSide:
    """The side of each box that its rows (or cells) span on one attribute; class -1 is left out.

    people: how many released people have each code. least: of them, for a value to be named.
    """
    kept = of_row >= 0
    size = attribute.domain.size
    keys = of_row[kept].astype(np.int64) * size + codes[kept]
    distinct = group_keys(keys, boxes * size)[1]
    owner, code = np.divmod(distinct, size)
    return BoxSide(attribute, style, owner, code, boxes, edges if style == "range" else None, people, least)


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
