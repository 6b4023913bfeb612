"""Histogram: how often each sensitive value occurs in each class; sparse, since most values are absent from most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.grouping import sum_by
from lookalike.tables.hierarchies import Tree


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each class, as sorted (class, value, count) entries; absent means 0."""

    owner: NDArray[np.int64]  #: class of each entry, ascending
    value: NDArray[np.int64]  #: code of the sensitive value, ascending within a class
    count: NDArray[np.int64]
    classes: int
    domain: Domain
    tree: Callable[[], Tree] | None = None

    @property
    def size(self) -> int:
        """Number of distinct sensitive values in the whole table."""
        return self.domain.size

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each class's entries begin; one more than the classes."""
        return np.searchsorted(self.owner, np.arange(self.classes + 1))

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Sum of the counts of each class."""
        return sum_by(self.owner, self.count, self.classes)

    @cached_property
    def overall(self) -> NDArray[np.int64]:
        """Count of each value over all classes."""
        return sum_by(self.value, self.count, self.size)

    @property
    def whole(self) -> Histogram:
        """All classes taken for one."""
        value = np.flatnonzero(self.overall)
        nobody = np.zeros(len(value), dtype=np.int64)
        return Histogram(nobody, value, self.overall[value], 1, self.domain, self.tree)

    def dense(self) -> NDArray[np.int64]:
        """The histogram as a classes x values matrix."""
        out = np.zeros((self.classes, self.size), dtype=np.int64)
        out[self.owner, self.value] = self.count
        return out
