"""Greedy search: move to the best single flip of a column until none improves. O(columns^2) sets."""

from __future__ import annotations

from lookalike.recognition.optimisers.problem import Problem


def greedy(problem: Problem) -> None:
    """Climb from the empty set to a local optimum."""
    here = 0
    value = float("-inf")
    while True:
        options = problem.neighbours(here)
        if not options:  # of a single column
            return
        problem.evaluate(options)
        step = min(options, key=problem.rank)
        problem.record(step.bit_count() / problem.width)
        if not problem.known[step] > value:
            return
        here, value = step, problem.known[step]
