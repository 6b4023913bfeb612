"""Simulated annealing: a random flip is taken if better, and if worse with a chance that falls as the system cools.

Kirkpatrick et al. 1983, https://doi.org/10.1126/science.220.4598.671. One set per step.
"""

from __future__ import annotations

import math

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.recognition.optimisers.problem import Problem

_SAMPLES = 20  # random sets that set the starting temperature


def annealing(
    problem: Problem,
    *,
    seed: int = 0,
    steps: int = 300,
    cooling: float = 0.95,
    temperature: float | None = None,
) -> None:
    """Cool from a random set; the starting temperature is the spread of fitness over random sets unless given."""
    if not 0 < cooling < 1:
        raise RequestError(f"annealing: cooling must lie between 0 and 1, found {cooling}.")
    if steps < 1 or (temperature is not None and not temperature > 0):
        raise RequestError("annealing: steps must be at least 1 and temperature above 0.")
    rng = np.random.default_rng(seed)
    starts = [problem.draw(rng) for _ in range(_SAMPLES)]
    values = problem.evaluate(starts)
    finite = [v for v in values if math.isfinite(v)]
    warm = temperature if temperature is not None else float(np.std(finite)) if finite else 1.0
    here = starts[0]
    for step in range(steps):
        there = here ^ (1 << int(rng.integers(problem.width)))
        chance = rng.random()
        if there:
            gain = problem.evaluate([there])[0] - problem.known[here]
            if gain >= 0 or (warm > 0 and chance < math.exp(max(gain / warm, -700.0))):
                here = there
        warm *= cooling
        problem.record((step + 1) / steps)
