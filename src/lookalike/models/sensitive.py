"""What the models of sensitive values share: one column, looked at class by class through its histogram.

With `strict=True` the other sensitive columns count as quasi-identifiers: somebody who already knows a person's
other sensitive values learns no more than the promise allows (multiple sensitive attributes, section 5.3 of
Machanavajjhala et al. 2007, https://doi.org/10.1145/1217299.1217302).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import column_name
from lookalike.base.errors import RequestError
from lookalike.models.model import Model, PerClass, Reference
from lookalike.models.parameters import parameter
from lookalike.tables.cells import Classes, Histogram
from lookalike.tables.columns.grouping import first_of_each, group_codes


@dataclass(frozen=True)
class SensitiveModel(Model):
    """A promise about the values of one sensitive column."""

    column: str  #: the sensitive column
    strict: bool = field(
        default=False,
        kw_only=True,
        metadata=parameter(
            "True: the other sensitive columns count as known, as if they were quasi-identifiers",
            choices=(True, False),
        ),
    )
    #: The level compares a class with the whole table.
    relative: ClassVar[bool] = False

    def __post_init__(self) -> None:
        column_name(self.column, "column", where=self.name)
        super().__post_init__()

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column looked at."""
        return (self.column,)

    @property
    def knows_others(self) -> bool:
        """With `strict` they are known."""
        return self.strict

    def measure(
        self, histogram: Histogram, people: NDArray[np.int64], overall: NDArray[np.int64]
    ) -> PerClass:
        """The level of each class from its histogram, its number of people, and the table's counts by value."""
        raise TypeError(f"{type(self).__name__} must say what it measures.")

    def levels(self, classes: Classes, *, reference: Reference | None = None) -> PerClass:
        """The level of each class; with `strict` the worst one among its parts."""
        histogram = classes.histogram(self.column)
        if reference is not None:
            overall = np.asarray(reference[self.column])
        elif classes.cells.entries.unit is None:
            overall = histogram.overall
        else:
            overall = classes.overall(self.column)
        if len(overall) != histogram.size:
            raise RequestError(
                f"{self.name}: the reference for column {self.column!r} has {len(overall)} values, "
                f"the column {histogram.size}. Count it over the same values."
            )
        others = [c.name for c in classes.cells.sensitive if c.name != self.column]
        if not (self.strict and others):
            return self.measure(histogram, classes.counts, overall)
        parts, owner = refine(classes, others)
        inside = self.measure(parts.histogram(self.column), parts.counts, overall)
        worst = np.full(len(classes), np.inf if self.larger_is_safer else -np.inf)
        (np.minimum if self.larger_is_safer else np.maximum).at(worst, owner, inside)
        worst[classes.counts == 0] = np.nan
        return worst


def refine(classes: Classes, names: list[str]) -> tuple[Classes, NDArray[np.int32]]:
    """Classes split further by some sensitive columns, and the class each part came from."""
    cells = classes.cells
    finer = cells.refined(names)
    q = len(cells.attributes)
    both = [np.concatenate([coarse, fine]) for coarse, fine in zip(cells.codes, finer.codes[:q], strict=True)]
    of_tuple, tuples = group_codes(both, cells.sizes, len(cells) + len(finer))
    class_of = np.zeros(tuples, dtype=np.int32)
    class_of[of_tuple[: len(cells)]] = classes.of_cell
    owner = class_of[of_tuple[len(cells) :]]
    labels, n = group_codes([owner, *finer.codes[q:]], [len(classes), *finer.sizes[q:]], len(finer))
    return finer.merge(labels, n), owner[first_of_each(labels, n)]


def shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Counts as shares of their sum; all zero where there is nothing."""
    return counts / max(int(counts.sum()), 1)


def spread(
    histogram: Histogram, overall: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each entry of the histogram its value's share in the class, and in the table."""
    return histogram.count / histogram.totals[histogram.owner], shares(overall)[histogram.value]


def sum_by_class(histogram: Histogram, values: NDArray[np.float64]) -> PerClass:
    """Sum of a number per entry over each class; NaN for classes without entries."""
    summed = np.bincount(histogram.owner, weights=values, minlength=histogram.classes)
    return np.where(histogram.totals > 0, summed, np.nan)


def one_for_each(histogram: Histogram) -> NDArray[np.float64]:
    """The same weight for every value."""
    return np.ones(histogram.size)


def which(histogram: Histogram, value: object) -> NDArray[np.bool_]:
    """Where a value named by the user stands among all values; missing is none of them."""
    return np.asarray(np.arange(histogram.size) == find_value(histogram, value), dtype=bool)


def max_by_class(histogram: Histogram, values: NDArray[np.float64]) -> PerClass:
    """Largest of the numbers per entry, at least 0, in each class; NaN for classes without entries."""
    largest = np.zeros(histogram.classes)
    np.maximum.at(largest, histogram.owner, values)
    return np.where(histogram.totals > 0, largest, np.nan)


def find_value(histogram: Histogram, value: object) -> int:
    """The code of a value named by the user; -1 where nobody has it (any more)."""
    return histogram.domain.code_of(value)


def require_value(histogram: Histogram, value: object, model: str, column: str) -> None:
    """Refuse a value that the column never has."""
    if find_value(histogram, value) < 0:
        raise RequestError(
            f"{model}: column {column!r} has no value {str(value)!r}. "
            f"Check the spelling; it has {len(histogram.domain.texts)} distinct values."
        )
