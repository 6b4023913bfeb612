"""Fitness: what makes a set of columns a good guess at the quasi-identifiers. One definition, shared by all
optimisers.

The default is that of the QID paper's experiments (SPEC 3.6): [b1 D + b2 S - b3 K + b4 dD + b5 dS] / (a A), with
distinction D, separation S, mean class size K and length penalty A. The paper's dD and dS look back at the last set
visited; here they are the mean gain over leaving out one column, so a set's fitness never depends on the way to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import number
from lookalike.base.progress import Report
from lookalike.recognition.metrics import check_needs, definition_of
from lookalike.recognition.metrics.view import ClassView, count_cells
from lookalike.recognition.subsets import Measures, Universe
from lookalike.tables.cells import Cells
from lookalike.tables.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fitness:
    """The fitness of the QID paper's experiments, with its weights; the empty set is worth minus infinity.

    divide: divide by alpha times the length penalty. penalty: subtract this much of it as well, as the listing does.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> people = la.table(frame, others=[])
        >>> la.search_quasi(people, method="exhaustive", fitness=la.Fitness(k_mean=5.0)).columns
        ('age',)
    """

    distinction: float = 5.0  #: weight of classes per record
    separation: float = 0.5  #: weight of the share of pairs told apart
    k_mean: float = 0.4  #: weight of the mean class size, which counts against the set
    distinction_gain: float = 0.0  #: weight of what a column adds to distinction
    separation_gain: float = 0.0  #: weight of what a column adds to separation
    alpha: float = 5.0  #: how strongly the number of columns counts against the set
    divide: bool = True
    penalty: float = 0.0

    def __post_init__(self) -> None:
        for name in ("distinction", "separation", "k_mean", "distinction_gain", "separation_gain", "penalty"):
            number(getattr(self, name), name, where="fitness")
        number(self.alpha, "alpha", least=0, above=True, where="fitness")

    def evaluate(self, universe: Universe, subsets: Sequence[int]) -> Floats:
        """The fitness of each set."""
        measures = universe.measure(subsets)
        if not (self.distinction_gain or self.separation_gain):
            return self.combine(measures)
        gains = np.zeros((2, len(subsets)))
        for i, subset in enumerate(subsets):
            lower = [subset & ~(1 << b) for b in range(len(universe)) if subset >> b & 1]
            if lower:
                without = universe.measure(lower)
                gains[0, i] = measures.distinction[i] - without.distinction.mean()
                gains[1, i] = measures.separation[i] - without.separation.mean()
        return self.combine(measures, *gains)

    def evaluate_all(self, universe: Universe, progress: Report | None = None) -> tuple[Floats, Measures]:
        """The fitness of every set of columns, and the measures behind it; entry s is the set with the bits of s."""
        measures = universe.measure_all(progress=progress)
        if not (self.distinction_gain or self.separation_gain):
            return self.combine(measures), measures
        every = np.arange(len(measures))
        gains = np.zeros((2, len(measures)))
        for bit in range(len(universe)):
            inside = every >> bit & 1 == 1
            for gain, values in zip(gains, (measures.distinction, measures.separation), strict=True):
                gain[inside] += values[inside] - values[every[inside] & ~(1 << bit)]
        gains /= np.maximum(measures.sizes, 1)
        return self.combine(measures, *gains), measures

    def combine(
        self,
        measures: Measures,
        distinction_gain: Floats | float = 0.0,
        separation_gain: Floats | float = 0.0,
    ) -> Floats:
        """The formula."""
        risk: Floats = (
            self.distinction * measures.distinction
            + self.separation * measures.separation
            - self.k_mean * measures.k_mean
            + self.distinction_gain * distinction_gain
            + self.separation_gain * separation_gain
            - self.penalty * measures.length_penalty
        )
        if self.divide:
            risk = risk / (self.alpha * measures.length_penalty)
        return np.where(measures.sizes > 0, risk, -np.inf)

    def to_dict(self) -> dict[str, Any]:
        """The weights."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class LinearFitness:
    """F(x) = sum of weight x metric, for any metrics: keys are "metric" or "metric.aggregate", such as
    "k_anonymity.mean".

    context: what the metrics need, as in `measure`: sensitive, target, treatment, treated, adjacency. Slower than
    `Fitness`, since every set is counted on its own.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> people = la.table(frame, others=[])
        >>> fitness = la.LinearFitness(people, {"distinction": 1.0, "separation": 0.5})
        >>> la.search_quasi(people, method="exhaustive", fitness=fitness).columns
        ('age',)
    """

    table: Table  #: the table that is searched
    weights: Mapping[str, float]  #: metric -> its weight; names as in `la.measure`
    #: what metrics need besides the columns, such as `sensitive` or `target`
    context: Mapping[str, Any] = field(default_factory=dict)
    _counted: dict[tuple[str, ...], Cells] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        view = ClassView(self.table, (), **self.context)
        for key in self.weights:
            check_needs(definition_of(key.partition(".")[0]), view)

    def evaluate(self, universe: Universe, subsets: Sequence[int]) -> Floats:
        """The fitness of each set."""
        if universe.names not in self._counted:
            beside = [self.context.get("sensitive"), self.context.get("target")]
            self._counted[universe.names] = count_cells(self.table, universe.names, beside)
        cells = self._counted[universe.names]
        return np.array([self._value(universe, cells, subset) for subset in subsets], dtype=np.float64)

    def _value(self, universe: Universe, cells: Cells, subset: int) -> float:
        if not subset:
            return float("-inf")
        context = {"universe": universe.names, **self.context}
        view = ClassView(self.table, universe.columns(subset), cells=cells, **context)
        total = 0.0
        for key, weight in self.weights.items():
            name, _, aggregate = key.partition(".")
            metric = definition_of(name).compute(view)
            total += weight * float(getattr(metric, aggregate) if aggregate else metric.value)
        return total


def fitness_paper_5_1(
    k: float, separation: float, distinction: float, accuracy: float, shift: float
) -> float:
    """The QID paper's section 5.1, to the letter: it adds k although small classes are what is looked for."""
    return 0.25 * k + 0.25 * separation + 0.25 * distinction + 0.15 * (1 - accuracy) + 0.10 * shift


def fitness_5_1(k: float, separation: float, distinction: float, accuracy: float, shift: float) -> float:
    """The same with 1/k in place of k, so that small classes count for more."""
    return fitness_paper_5_1(1 / k, separation, distinction, accuracy, shift)
