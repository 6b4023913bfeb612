"""What every optimiser works with: a memory of fitness values, and the path of the best so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lookalike.base.progress import Report
from lookalike.recognition.subsets import Universe


class Scorer(Protocol):
    """Anything that gives each set of columns a fitness."""

    def evaluate(self, universe: Universe, subsets: Sequence[int]) -> NDArray[np.float64]: ...


class Problem:
    """A universe of columns and a fitness; every set is evaluated once and remembered."""

    def __init__(self, universe: Universe, fitness: Scorer, progress: Report | None = None) -> None:
        self.universe = universe
        self.fitness = fitness
        self.known: dict[int, float] = {}
        self.best = 0
        self.path: list[int] = []  #: the best set after each step
        self._progress = progress

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.universe)

    def evaluate(self, subsets: Sequence[int]) -> list[float]:
        """The fitness of each set; the best one is remembered."""
        new = [s for s in dict.fromkeys(subsets) if s not in self.known]
        if new:
            self.known.update(zip(new, self.fitness.evaluate(self.universe, new).tolist(), strict=True))
            self.best = min([*new, self.best] if self.best else new, key=self.rank)
        return [self.known[s] for s in subsets]

    def rank(self, subset: int) -> tuple[float, int, tuple[str, ...]]:
        """Sort key: the fittest first; ties go to fewer columns, then to the alphabet. NaN comes last."""
        value = self.known[subset]
        return (-value if value == value else np.inf, subset.bit_count(), self.universe.columns(subset))

    def neighbours(self, subset: int) -> list[int]:
        """The sets with one column more or less; never the empty set."""
        return [flipped for i in range(self.width) if (flipped := subset ^ (1 << i))]

    def record(self, done: float) -> None:
        """Note the best set so far, and say which share of the work is done."""
        self.path.append(self.best)
        if self._progress:
            self._progress(min(done, 1.0))

    def draw(self, rng: np.random.Generator) -> int:
        """A random set, never empty."""
        while True:
            bits = rng.integers(0, 2, self.width)
            if bits.any():
                return sum(1 << i for i in np.flatnonzero(bits).tolist())
