"""Losses of a release: small cases by hand, and the same numbers as the search that steers by them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers import optimal
from lookalike.measures.utility.loss import average_class_size, discernibility
from lookalike.models import KAnonymity
from lookalike.tables.hierarchies import Hierarchy
from lookalike.tables.hierarchies.losses import ADDITIVE, level_losses, suppressed_losses
from measures.utility.losses_by_definition import entropy_loss, mean_loss

ROWS = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]


def test_mean_loss_by_hand() -> None:
    # 3 records lose 0 and 1/2, 2 records 1 and 0, one record is suppressed
    assert mean_loss([3, 2], [[0, 1], [0.5, 0]], suppressed=1) == pytest.approx((3 * 0.25 + 2 * 0.5 + 1) / 6)
    assert mean_loss([3, 2], [[0, 1], [0.5, 0]], suppressed=1, weights=[3, 1]) == pytest.approx(
        (3 * 0.125 + 2 * 0.75 + 1) / 6
    )
    assert mean_loss([], np.zeros((2, 0)), suppressed=4) == 1


def test_class_sizes_by_hand() -> None:
    assert discernibility([3, 2]) == 13
    assert discernibility([3, 2], suppressed=2) == 13 + 14
    assert average_class_size([3, 2]) == 2.5
    assert average_class_size([3, 2], suppressed=1) == 2
    assert average_class_size([]) == 0


def test_entropy_by_hand() -> None:
    codes, of_row = [[0, 0, 1, 1]], [0, 0, 0, 0]
    assert entropy_loss(codes, of_row, [[4]]) == pytest.approx(1)
    assert entropy_loss(codes, [0, 0, 1, 1], [[2, 2]]) == 0
    assert entropy_loss(codes, [0, 0, -1, -1], [[2, 2]]) == pytest.approx(0.5)
    assert entropy_loss([[0, 0, 0]], [0, 0, -1], [[3]]) == 0, "a constant column has nothing to lose"


@pytest.mark.parametrize("measure", ADDITIVE)
@given(counts=st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(any))
def test_no_coarser_level_loses_less_and_nothing_more_than_suppression(
    measure: str, counts: list[int]
) -> None:
    """What makes the loss of a prefix a lower bound of all its completions."""
    column = la.table(
        pl.DataFrame({"x": ["a", "b", "c", "d"]}), quasi=["x"], hierarchies={"x": Hierarchy.rows(ROWS)}
    )
    tree, numbers = column.tree("x"), np.array(counts, dtype=np.int64)
    levels = [level_losses(measure, tree, level, numbers) for level in range(tree.height + 1)]
    levels.append(suppressed_losses(measure, 4, numbers))
    for finer, coarser in pairwise(levels):
        assert (coarser >= finer - 1e-12).all()
    assert (levels[0] == 0).all()


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=2, max_size=20),
    suppression=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_the_search_reports_the_same_losses(rows: list[tuple[str, str]], suppression: float) -> None:
    tree = Hierarchy.rows(ROWS)
    people = la.table(
        pl.DataFrame(rows, schema=["x", "y"], orient="row"),
        quasi=["x", "y"],
        hierarchies={"x": tree, "y": tree},
    )
    cells = people.cells()
    for loss in ("loss", "entropy", "discernibility", "average class size"):
        found = optimal.search(cells, [KAnonymity(2)], suppression=suppression, loss=loss)
        classes = cells.roll_up(found.levels)
        kept = np.setdiff1d(np.arange(len(classes)), classes.of_cell[found.suppressed])
        number = np.full(len(classes), -1)
        number[kept] = np.arange(len(kept))
        of_row = number[classes.of_cell[cells.of_row]]
        sizes, gone = classes.records[kept], int((of_row < 0).sum())
        codes = np.array([people.column(name).codes for name in ("x", "y")])
        lost, covered = [], []
        for name, level, column in zip(("x", "y"), found.levels, codes, strict=True):
            nodes = people.tree(name).up[level][column]
            node = np.zeros(len(kept), dtype=int)
            node[of_row[of_row >= 0]] = nodes[of_row >= 0]
            lost.append(people.tree(name).loss(level)[node])
            covered.append([(nodes == published).sum() for published in node])
        expected = {
            "loss": mean_loss(sizes, lost, suppressed=gone),
            "entropy": entropy_loss(codes, of_row, covered),
            "discernibility": discernibility(sizes, suppressed=gone),
            "average class size": average_class_size(sizes, suppressed=gone),
        }
        assert found.loss == pytest.approx(expected[loss])
