"""A fitness of one's own: a plain function of one set of columns and what it measures, from an entry point or passed.

A distribution that has

    [project.entry-points."lookalike.fitness"]
    few = "my_package:few"

makes it known to `lookalike search --fitness few`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.recognition.metrics.own import registered
from lookalike.recognition.subsets import Universe

GROUP = "lookalike.fitness"


@dataclass(frozen=True)
class MeasuredSet:
    """A set of columns as a fitness of one's own sees it."""

    columns: tuple[str, ...]
    distinction: float  #: classes per record
    separation: float  #: share of the pairs of records told apart
    uniqueness: float  #: share of the records that look like no other
    k_min: int  #: smallest class
    k_mean: float  #: mean class
    length_penalty: float  #: (1-p)^2 + p^2 for the share p of all columns


@dataclass(frozen=True)
class OwnFitness:
    """Scores sets by a function; the empty set is worth minus infinity."""

    function: Callable[[MeasuredSet], float]

    def evaluate(self, universe: Universe, subsets: Sequence[int]) -> NDArray[np.float64]:
        """The fitness of each set."""
        measures = universe.measure(subsets)
        values = []
        for i, subset in enumerate(subsets):
            if not subset:
                values.append(float("-inf"))
                continue
            one = MeasuredSet(
                universe.columns(subset),
                float(measures.distinction[i]),
                float(measures.separation[i]),
                float(measures.uniqueness[i]),
                int(measures.k_min[i]),
                float(measures.k_mean[i]),
                float(measures.length_penalty[i]),
            )
            value = self.function(one)
            if not isinstance(value, Real):
                raise RequestError(
                    f"`fitness` must give a number for each set, found {type(value).__name__}."
                )
            values.append(float(value))
        return np.array(values, dtype=np.float64)


def registered_fitness(name: str) -> Callable[[MeasuredSet], float]:
    """The fitness that an installed distribution registered under a name."""
    known = registered(GROUP)
    if name not in known:
        there = ", ".join(sorted(known)) or "none"
        raise RequestError(
            f"there is no fitness {name!r} among the entry points {GROUP!r}; there are: {there}."
        )
    function: Callable[[MeasuredSet], float] = known[name].load()
    return function
