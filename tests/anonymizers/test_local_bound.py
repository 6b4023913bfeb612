"""What no recoding into nodes can be below, by `benchmarks/studies/local_bound.py`: against every partition."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

import lookalike as la
from benchmarks.studies.local_bound import Prices
from lookalike.tables.cells import Cells


def class_loss(cells: Cells, rows: tuple[int, ...]) -> float:
    lost = 0.0
    for attribute, codes in zip(cells.attributes, cells.codes, strict=True):
        for level, up in enumerate(attribute.tree.up):
            nodes = np.asarray(up)[codes[cells.of_row[list(rows)]]]
            if (nodes == nodes[0]).all():
                lost += attribute.tree.loss(level)[nodes[0]] / len(cells.attributes)
                break
    return lost * len(rows)


def least_loss(cells: Cells, k: int) -> float:
    """Of all partitions into classes of k records or more."""

    @cache
    def best(left: tuple[int, ...]) -> float:
        if not left:
            return 0.0
        sizes = [many for many in range(k, min(2 * k, len(left) + 1)) if len(left) - many not in range(1, k)]
        return min(
            class_loss(cells, (left[0], *others)) + best(tuple(row for row in left[1:] if row not in others))
            for many in sizes
            for others in itertools.combinations(left[1:], many - 1)
        )

    return best(tuple(range(len(cells.of_row)))) / len(cells.of_row)


def relaxed_loss(cells: Cells, k: int) -> float:
    """Of all fractional covers by sets of k records."""
    n = len(cells.of_row)
    sets = list(itertools.combinations(range(n), k))
    covers = np.array([[row in rows for rows in sets] for row in range(n)], dtype=float)
    return float(linprog([class_loss(cells, rows) for rows in sets], -covers, -np.ones(n)).fun / n)


@pytest.mark.parametrize("seed", range(12))
def test_no_partition_is_below_the_bound_and_the_relaxation_is_near(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n, k = int(draw.integers(7, 10)), int(draw.integers(2, 4))
    frame = pl.DataFrame(
        {"a": draw.integers(0, 8, n), "b": draw.integers(0, 6, n), "c": draw.choice(list("uvwxyz"), n)}
    )
    hierarchies = {"a": la.Hierarchy.intervals(2, 4), "b": la.Hierarchy.intervals(2)}
    cells = la.table(frame, quasi=["a", "b", "c"], hierarchies=hierarchies).cells()
    prices = Prices(cells, k)
    for _ in range(12):
        prices.round()
    relaxed = relaxed_loss(cells, k)
    assert 0.97 * relaxed <= prices.bound <= relaxed + 1e-9
    assert prices.bound <= least_loss(cells, k)
