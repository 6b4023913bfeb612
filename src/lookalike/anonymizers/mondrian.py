"""Mondrian: cut the table along its widest attribute, at the median, as long as both sides keep every promise.

LeFevre, DeWitt and Ramakrishnan 2006, https://doi.org/10.1109/ICDE.2006.101. Strict cuts send equal values to the same
side; relaxed ones may part them at the median. Numbers, dates and ordinal values are cut between neighbours, nominal
ones with a hierarchy between subtrees of their common ancestor, others into two groups of values of about the same
frequency. O(cells x attributes) per round; the rounds grow with the logarithm of the number of classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.optimal.branching import Leaf
from lookalike.anonymizers.optimal.lattice import attribute_weights
from lookalike.anonymizers.optimal.requirements import require
from lookalike.base.errors import GuaranteeError, RequestError
from lookalike.models import Model, reference_of
from lookalike.tables.cells import Attribute, Cells, Classes
from lookalike.tables.layout import lay_out

Labels = NDArray[np.int32]


def partition(
    cells: Cells,
    models: Sequence[Model],
    *,
    strict: bool = True,
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Labels:
    """The class of each row. No row is left out; a table that breaks a promise as a whole is refused.

    weights: a larger weight makes an attribute look wider, so that it is cut more often and loses less.
    seed: which of equal rows go to which side of a relaxed cut.
    """
    cutting = _Cutting(cells, tuple(model.for_each_class() for model in models), strict, seed)
    cutting.weigh(attribute_weights(cells, weights or {}))
    whole = cutting.broken(np.zeros(len(cutting.records), dtype=np.int32), 1)
    if whole[0]:
        raise _refusal(cells, models)
    of_item = cutting.run()
    return of_item[cells.of_row] if strict else of_item


def _refusal(cells: Cells, models: Sequence[Model]) -> GuaranteeError:
    for model in models:
        model.check(cells.classes())
    one = cells.merge(np.zeros(len(cells), dtype=np.int32), 1)
    reached = ", ".join(f"{model.name} {model.achieved(one):.4g}" for model in models)
    return GuaranteeError(
        f"the table as a whole, as one class, does not keep {', '.join(map(str, models))}; it reaches {reached}. "
        "Mondrian leaves no record out: ask for less, or use a method that may suppress."
    )


class _Cutting:
    """Items to part: cells, or single rows where cuts are relaxed."""

    def __init__(self, cells: Cells, models: tuple[Model, ...], strict: bool, seed: int) -> None:
        from lookalike.kernels import mondrian as kernel

        apart = any(model.knows_others for model in models)
        if not strict and (cells.entries.unit is not None or cells.population is not None or apart):
            raise RequestError(
                "relaxed Mondrian parts equal rows, so it cannot count people, a population, or what is known from "
                "other sensitive columns. Use the strict one."
            )
        self.kernel, self.cells, self.strict = kernel, cells, strict
        compared = any(model.columns for model in models)
        everybody = np.zeros(len(cells), dtype=np.int32)
        self.reference = reference_of(cells.merge(everybody, 1)) if compared else {}
        known = require(cells, models, self.reference)
        self.smallest = known.smallest
        by_size = cells.entries.unit is None
        self.asked = tuple(m for m in models if m.columns or not m.told_by_limits(one_row_each=by_size))
        self.models = models
        if strict:
            self.codes, self.records = cells.codes, cells.records
            self.order = np.arange(len(cells), dtype=np.int64)
        else:
            self.codes = np.ascontiguousarray(cells.codes[:, cells.of_row])
            self.records = np.ones(len(cells.of_row), dtype=np.int64)
            self.order = np.random.default_rng(seed).permutation(len(cells.of_row))

    def weigh(self, weights: NDArray[np.float64]) -> None:
        """Lay the codes of all attributes out, those with a tree in its order: subtrees become runs of neighbours."""
        attributes = self.cells.attributes
        ranks = [_ranks(attribute) for attribute in attributes]
        full = np.array(
            [_full_width(attribute, rank) for attribute, rank in zip(attributes, ranks, strict=True)]
        )
        shape = lay_out(
            attributes,
            [_style(attribute) for attribute in attributes],
            ranks=ranks,
            scale=np.divide(weights, full, out=np.zeros(len(full)), where=full > 0),
        )
        self.codes = self.codes.copy()
        for i, attribute in enumerate(attributes):
            if _style(attribute) == "node":
                here = slice(shape.off[i], shape.off[i + 1])
                self.codes[i] = attribute.tree.position[self.codes[i]]
                shape.up[:, here] = shape.up[:, here][:, attribute.tree.order]
        self.items = self.kernel.Items(self.codes, self.records, shape)

    def broken(self, labels: Labels, classes: int) -> NDArray[np.bool_]:
        """Which classes of items break a model."""
        found = self._classes(labels, classes)
        out = np.zeros(classes, dtype=bool)
        for model in self.models:
            out |= model.breaks(found, reference=self.reference)
        return out

    def _classes(self, labels: Labels, classes: int) -> Classes:
        if self.strict:
            return self.cells.merge(labels, classes)
        sizes = np.bincount(labels, minlength=classes).astype(np.int64)
        return Leaf(
            sizes,
            sizes,
            np.empty(0, dtype=np.int32),
            self.cells,
            owner=labels.astype(np.int64),
            values={column.name: column.codes for column in self.cells.sensitive},
            weight=self.records,
        )

    def run(self) -> Labels:
        """Cut until nothing can be cut; return the class of each item."""
        items = len(self.order)
        order, begin = self.order, np.array([0, items], dtype=np.int64)
        widths = np.full((1, len(self.codes)), -1.0)  # not measured yet
        side = np.zeros(items, dtype=bool)
        of_item, classes = np.zeros(items, dtype=np.int32), 0
        while len(order):
            cut = np.full(len(begin) - 1, -1, dtype=np.int64)
            self.kernel.propose(order, begin, self.items, widths, self.smallest, not self.strict, cut, side)
            open_, sizes = cut >= 0, np.diff(begin)
            if not open_.all():  # a partition that cannot be cut is a class, and is not looked at again
                numbers = np.cumsum(~open_, dtype=np.int32) + np.int32(classes - 1)
                closed = ~np.repeat(open_, sizes)
                of_item[order[closed]] = np.repeat(numbers, sizes)[closed]
                classes = int(numbers[-1]) + 1
                order, widths, cut = order[~closed], widths[open_], cut[open_]
                begin = np.concatenate([[0], np.cumsum(sizes[open_])])
            accepted = (
                self._ask(order, begin, cut, side, widths) if self.asked else np.ones(len(cut), dtype=bool)
            )
            into, starts = np.empty_like(order), np.empty(2 * len(cut) + 1, dtype=np.int64)
            now = self.kernel.apply_cuts(order, begin, accepted, side, into, starts)
            widths = np.repeat(widths, 1 + accepted, axis=0)
            widths[np.repeat(accepted, 1 + accepted)] = -1.0
            order, begin = into, starts[: now + 1].copy()
        return of_item

    def _ask(
        self,
        order: NDArray[np.int64],
        begin: NDArray[np.int64],
        cut: NDArray[np.int64],
        side: NDArray[np.bool_],
        widths: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Which of the proposed cuts leave both sides unbroken; the others are remembered as refused."""
        parts = len(cut)
        closed = len(order) < len(side)  # in one class more
        labels = np.full(len(side), 2 * parts, dtype=np.int32)
        labels[order] = np.repeat(np.arange(0, 2 * parts, 2, dtype=np.int32), np.diff(begin)) + side[order]
        broken = self.broken(labels, 2 * parts + closed)[: 2 * parts]
        accepted = ~broken[0::2] & ~broken[1::2]
        refused = np.flatnonzero(~accepted)
        widths[refused, cut[refused]] = 0.0
        return accepted


def _style(attribute: Attribute) -> str:
    """Along the order of a column, along a hierarchy that says more than frequencies, or by frequencies."""
    if attribute.domain.kind.ordered:
        return "range"
    return "node" if attribute.tree.has_meaning else "set"


def _ranks(attribute: Attribute) -> NDArray[np.float64]:
    """The places of the values; missing is far from all of them."""
    places = attribute.domain.places.copy()
    known = places[~np.isnan(places)]
    extent = float(np.ptp(known)) if len(known) else 0.0
    places[np.isnan(places)] = known.max(initial=0.0) + (extent or 1.0)
    return places


def _full_width(attribute: Attribute, ranks: NDArray[np.float64]) -> float:
    """How far a column reaches, or how many values it has."""
    if not attribute.domain.kind.ordered:
        return float(attribute.domain.size)
    return float(np.ptp(ranks)) if len(ranks) else 0.0
