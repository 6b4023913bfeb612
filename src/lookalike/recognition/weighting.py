"""Dynamic weighting: the weights of the fitness learnt from tables whose quasi-identifiers are known.

A wish of Simões, Vilela, Santos and Abreu (2025). Weights are drawn at random, beside the paper's; those whose best
sets have the highest mean F1 over the tables are taken, of equally good ones the first. Every set of each table is
measured once: O(2^columns) per table, then O(draws x 2^columns).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import whole_number
from lookalike.base.errors import RequestError
from lookalike.recognition.fitness import Fitness
from lookalike.recognition.subsets import Measures, Universe
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Labelled:
    """A table with its true quasi-identifiers: every set of its columns, and how well it recognises them."""

    table: Table
    quasi: Sequence[str]

    def __post_init__(self) -> None:
        if not self.quasi:
            raise RequestError("a labelled table needs at least one true quasi-identifier.")

    @cached_property
    def measures(self) -> Measures:
        """What each set measures."""
        return Universe(self.table).measure_all()

    @cached_property
    def f1(self) -> NDArray[np.float64]:
        """F1 of each set against the truth: 2 |both| / (|set| + |truth|)."""
        universe, every = Universe(self.table), np.arange(len(self.measures))
        truth = universe.subset(self.quasi)
        both = sum(every >> bit & truth >> bit & 1 for bit in range(len(universe)))
        return np.asarray(2 * both / (self.measures.sizes + len(self.quasi)))

    def reached(self, fitness: Fitness) -> float:
        """F1 of the set that a fitness likes best; of equally good ones the mean."""
        values = fitness.combine(self.measures)
        return float(self.f1[values >= values.max() - 1e-12].mean())


def learn_fitness(tables: Sequence[Labelled], *, draws: int = 300, seed: int = 0) -> Fitness:
    """The weights whose best sets have the highest mean F1 over labelled tables; never worse there than the paper's."""
    whole_number(draws, "draws", least=1)
    if not tables:
        raise RequestError("weights are learnt from at least one labelled table.")
    return max(_drawn(draws, seed), key=lambda fitness: float(np.mean([t.reached(fitness) for t in tables])))


def leave_one_out(
    families: Mapping[str, Sequence[Labelled]], *, draws: int = 300, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """For each family of tables the mean F1 with the paper's weights, and with weights learnt from the others alone."""
    out = {}
    for name, here in families.items():
        others = [table for other, tables in families.items() if other != name for table in tables]
        learnt = learn_fitness(others, draws=draws, seed=seed)
        out[name] = (
            float(np.mean([table.reached(Fitness()) for table in here])),
            float(np.mean([table.reached(learnt) for table in here])),
        )
    return out


def _drawn(draws: int, seed: int) -> Iterator[Fitness]:
    """The paper's weights, then random ones of either sign: what tells people apart need not be known of them."""
    rng = np.random.default_rng(seed)
    yield Fitness()
    for _ in range(draws):
        distinction, separation = rng.normal(size=2) * 5
        k_mean = rng.normal() * 10 ** rng.uniform(-4, 0)
        divide = bool(rng.random() < 0.5)
        penalty = float(rng.normal()) * 5
        yield Fitness(float(distinction), float(separation), float(k_mean), divide=divide, penalty=penalty)
