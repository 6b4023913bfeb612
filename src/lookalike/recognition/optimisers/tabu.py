"""Tabu search: the best flip that does not lead back to a recent set, even if it is worse (Glover 1986).

O(iterations x columns) sets, many of them met before.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.recognition.optimisers.problem import Problem


def tabu(
    problem: Problem, *, seed: int = 0, tenure: int = 7, iterations: int = 100, patience: int = 25
) -> None:
    """Walk from a random set; stop after `iterations`, or `patience` steps without a new best."""
    if tenure < 1 or iterations < 1 or patience < 1:
        raise RequestError("tabu: tenure, iterations and patience must be at least 1.")
    here = problem.draw(np.random.default_rng(seed))
    problem.evaluate([here])
    recent = deque([here], maxlen=tenure)
    idle = 0
    for step in range(iterations):
        best_before = problem.best
        options = problem.neighbours(here)
        problem.evaluate(options)
        # a set better than all so far is never forbidden; it cannot be on the list, since it would be the best already
        free = [s for s in options if s not in recent]
        problem.record((step + 1) / iterations)
        idle = 0 if problem.best != best_before else idle + 1
        if idle >= patience or not free:
            return
        here = min(free, key=problem.rank)
        recent.append(here)
