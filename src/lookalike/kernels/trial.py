"""A small kernel that has a bit of all that kernels do, to see what becomes of it (`probing`)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lookalike.kernels.lean import kernel, paragraph, part


class Sums(NamedTuple):
    """Where the sums are written."""

    of_rows: Any
    of_all: Any


@part
def weigh(value: float, weights: Any, column: int) -> Any:
    """A number times the weight of its column, and nothing for what is negative."""
    return value * weights[column] if value > 0 else 0.0


@paragraph
def note(sums: Any, row: int, total: float) -> None:
    """Write down the sum of a row, here and for all."""
    sums.of_rows[row] = total
    sums.of_all[-1] += total


@kernel
def weigh_rows(table: Any, weights: Any, sums: Any) -> Any:
    """The weighted sum of each row, and how many rows have none."""
    empty = 0
    for row in range(table.shape[0]):
        total = 0.0
        for column in range(table.shape[1]):
            total += weigh(table[row, column], weights, column)
        note(sums, row, total)
        empty += total == 0
    return empty


def succeeds() -> bool:
    """Whether the kernel, compiled, gives what Python gives."""
    answers = []
    for run in (weigh_rows, weigh_rows.py_func):
        sums = Sums(np.zeros(3), np.zeros(2))
        empty = run(np.array([[1.5, -2.0], [-1.0, -1.0], [0.25, 8.0]]), np.array([2, 3]), sums)
        answers.append((empty, *sums.of_rows, *sums.of_all))
    return answers[0] == answers[1]
