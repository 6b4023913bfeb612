"""What every kept class must have, in a form that also bounds what can be kept of a coarser class.

Models give limits (`lookalike.models.Limit`): a weight for each sensitive value, and a need that what a class has of
them must reach. A union of classes that meet a limit meets it as well, so all that is kept of a class, in whatever
parts, does; that bounds how many records can be kept, also for models that are not monotone once records may be
suppressed. Here the limits of all models become one table of marks: values, and groups of values, that are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.models import ClassBudget, Limit, Model, PopulationLimit, Reference
from lookalike.tables.cells import Cells, Histogram

MARKS = 256  #: values and groups watched at most; what is beyond does not prune
#: Needs are weakened by this much, so that rounding never suppresses a class; by less where nothing else is asked.
_SLACK, _LITTLE = 1e-7, 1e-12


@dataclass(frozen=True, eq=False)
class Requirements:
    """Conditions on every kept class."""

    smallest: int  #: records
    marks: dict[str, NDArray[np.int64]]  #: per sensitive column: value x the marks it counts as
    weight: NDArray[np.float64]  #: requirement x mark
    need: NDArray[np.float64]
    sized: NDArray[np.bool_]
    population: PopulationLimit | None  #: what is asked of the population
    budget: ClassBudget | None  #: what is asked of all classes together
    unsettled: tuple[Model, ...]  #: models of which these conditions are only a part


def require(
    cells: Cells, models: Sequence[Model], reference: Reference, *, changing: bool = False
) -> Requirements:
    """What follows from some models, and the models that still have to be asked.

    changing: models that compare with the whole table compare with what is left of it.
    """
    one_row_each = cells.entries.unit is None
    marking = _Marking(one_row_each)
    unsettled = []
    for model in models:
        marking.smallest = max(marking.smallest, model.smallest_class)
        told = model.told_by_limits(one_row_each=one_row_each) and not (changing and model.relative)
        watched = [
            marking.watch(name, limit, exact=told)
            for name in model.columns
            for limit in model.limits(_whole(cells, name, reference))
        ]
        if not (told and all(watched)) or (model.columns and not watched):
            unsettled.append(model)
    return marking.requirements(_population_limit(models), _class_budget(models), tuple(unsettled))


def _population_limit(models: Sequence[Model]) -> PopulationLimit | None:
    """What all models ask of the population."""
    asked = [model.population_limit for model in models if model.population_limit is not None]
    if not asked:
        return None
    return PopulationLimit(
        max(limit.least for limit in asked),
        max(limit.low for limit in asked),
        min(limit.high for limit in asked),
    )


def _class_budget(models: Sequence[Model]) -> ClassBudget | None:
    """One budget is enough to prune with, as the models are asked anyway: the one that most classes count in."""
    asked = [model.class_budget for model in models if model.class_budget is not None]
    return max(asked, key=lambda budget: (budget.below, -budget.rate), default=None)


def _whole(cells: Cells, name: str, reference: Reference) -> Histogram:
    """The whole table as one class, as far as a sensitive column goes."""
    domain = next(column.domain for column in cells.sensitive if column.name == name)
    counts = np.asarray(reference[name])
    nobody = np.zeros(len(counts), dtype=np.int64)
    return Histogram(nobody, np.arange(len(counts)), counts, 1, domain, cells.sensitive_trees.get(name))


class _Marking:
    """Gives values and groups of values their marks, as far as they go."""

    def __init__(self, one_row_each: bool) -> None:
        self.one_row_each = one_row_each
        self.smallest, self.used = 1, 0
        self.marks: dict[str, list[NDArray[np.int64]]] = {}
        self.values: dict[str, NDArray[np.int64]] = {}  #: of these the marks of single values
        self.rows: list[tuple[NDArray[np.float64], float, bool]] = []

    def watch(self, column: str, limit: Limit, *, exact: bool) -> bool:
        """Note a limit, as far as its values are not too many to watch; False where they are."""
        weight, need, levels = np.zeros(MARKS), limit.need, [limit.weight]
        if limit.weight.any() or not limit.above:
            if column not in self.values:
                if self.used + len(limit.weight) > MARKS:
                    return False
                self.values[column] = self._next(column, np.arange(len(limit.weight)), len(limit.weight))
            weight[self.values[column]] = limit.weight
        for group, of_group in limit.above:
            if self.used + len(of_group) > MARKS:
                exact = False
                break
            at = self.used
            self._next(column, group, len(of_group))
            weight[at : self.used] = of_group
            levels.append(of_group)
            need += float(of_group.sum())
        # With several rows for a person, shares of records say nothing about shares of people.
        sized = limit.sized and self.one_row_each
        need -= _LITTLE if exact else _SLACK
        if sized:
            self.smallest = max(self.smallest, _least(levels, need))
        self.rows.append((weight, need, sized))
        return len(levels) == 1 + len(limit.above)

    def _next(self, column: str, of_value: NDArray[np.integer[Any]], marks: int) -> NDArray[np.int64]:
        """Count the values of a column by so many marks more."""
        mark = self.used + of_value.astype(np.int64)
        self.marks.setdefault(column, []).append(mark)
        self.used += marks
        return mark

    def requirements(
        self, population: PopulationLimit | None, budget: ClassBudget | None, unsettled: tuple[Model, ...]
    ) -> Requirements:
        """All of it as the kernels read it."""
        return Requirements(
            self.smallest,
            {column: np.stack(found, axis=1) for column, found in self.marks.items()},
            np.array([weight for weight, _, _ in self.rows]).reshape(-1, MARKS)[:, : self.used],
            np.array([need for _, need, _ in self.rows]),
            np.array([sized for _, _, sized in self.rows], dtype=bool),
            population,
            budget,
            unsettled,
        )


def _least(weights: Sequence[NDArray[np.float64]], need: float) -> int:
    """The fewest records that can meet a sized requirement at all, as records cannot be parted.

    The marks of a level are filled best when each gets the whole part of weight x size, the rest the largest fractions.
    """
    marks = np.arange(max(len(level) for level in weights))
    table = np.zeros((len(weights), len(marks)))
    for row, level in zip(table, weights, strict=True):
        row[: len(level)] = level
    for size in range(1, 1000):
        wanted = table * size
        whole = np.floor(wanted + 1e-9)
        rest = size - whole.sum(axis=1, keepdims=True)
        best = whole.sum() - np.sort(whole - wanted, axis=1)[marks < rest].sum()
        if best >= need * size - 1e-9:
            return size
    return 1
