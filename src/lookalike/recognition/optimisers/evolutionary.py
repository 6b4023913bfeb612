"""Evolutionary search with the QID paper's operators: tournaments, one-point crossover, bit flips, an elite.

One generation costs one batch of sets, measured together. All random choices are made outside the threads.
"""

from __future__ import annotations

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.recognition.optimisers.problem import Problem


def evolutionary(
    problem: Problem,
    *,
    seed: int = 0,
    population: int = 50,
    generations: int = 30,
    tournament: int = 5,
    elite: int = 1,
    crossover: float = 0.3,
    mutation: float = 0.2,
    decay: bool = False,
) -> None:
    """Breed sets of columns. `decay` lets both rates fall linearly to zero over the generations."""
    check_sizes(population, generations, crossover, mutation)
    if not 1 <= tournament <= population or not 0 <= elite <= population:
        raise RequestError("evolutionary: tournament and elite must fit into the population.")
    rng = np.random.default_rng(seed)
    members = [problem.draw(rng) for _ in range(population)]
    for generation in range(generations):
        problem.evaluate(members)
        problem.record((generation + 1) / generations)
        if generation + 1 == generations:
            return
        left = 1 - (generation + 1) / generations if decay else 1.0
        following = sorted(members, key=problem.rank)[:elite]
        while len(following) < population:
            mother, father = (
                min((members[i] for i in rng.choice(population, tournament, replace=False)), key=problem.rank)
                for _ in range(2)
            )
            pair = cross(rng, mother, father, problem.width, crossover * left)
            following += [mutate(rng, child, problem.width, mutation * left) for child in pair]
        members = following[:population]


def check_sizes(population: int, generations: int, crossover: float, mutation: float) -> None:
    """Refuse sizes and rates that make no sense."""
    if population < 2 or generations < 1:
        raise RequestError("evolutionary: population must be at least 2, generations at least 1.")
    if not 0 <= crossover <= 1 or not 0 <= mutation <= 1:
        raise RequestError("evolutionary: crossover and mutation are rates between 0 and 1.")


def cross(rng: np.random.Generator, one: int, two: int, width: int, rate: float) -> tuple[int, int]:
    """Swap the columns behind a random point."""
    point = int(rng.integers(1, width)) if width > 1 else 0
    if rng.random() >= rate:
        return one, two
    low = (1 << point) - 1
    return (one & low) | (two & ~low), (two & low) | (one & ~low)


def mutate(rng: np.random.Generator, subset: int, width: int, rate: float) -> int:
    """Flip each column with a chance of `rate`; a set that loses all its columns stays as it was."""
    flips = sum(1 << i for i in np.flatnonzero(rng.random(width) < rate).tolist())
    return (subset ^ flips) or subset or 1
