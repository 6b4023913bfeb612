"""Datafly as published: the attribute with the most distinct values goes up, the rest is suppressed."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers import datafly, optimal
from lookalike.base.errors import GuaranteeError
from lookalike.models import KAnonymity, LDiversity, Model
from lookalike.tables.cells import Cells
from lookalike.tables.hierarchies import Hierarchy

TREES = {
    "x": Hierarchy.rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]),
    "y": Hierarchy.rows([["m", "*"], ["w", "*"]]),
}


def cells_of(rows: list[tuple[str, str, str]]) -> Cells:
    frame = pl.DataFrame(rows, schema=["x", "y", "s"], orient="row")
    return la.table(frame, quasi=["x", "y"], sensitive=["s"], hierarchies=TREES).cells()


def test_the_attribute_with_the_most_distinct_values_goes_up_first() -> None:
    rows = [(x, y, "p") for x in "abcd" for y in "mw"]
    found = datafly.search(cells_of(rows), [KAnonymity(2)], suppression=0.0)
    assert found.levels == (1, 0)
    assert not found.proven_optimal


def test_as_published_up_to_k_records_are_left_to_suppress() -> None:
    rows = [("a", "m", "p")] * 5 + [("d", "w", "p")] * 2
    cells = cells_of(rows)
    found = datafly.search(cells, [KAnonymity(3)])
    assert found.levels == (0, 0)
    assert int(cells.records[found.suppressed].sum()) == 2
    assert datafly.search(cells, [KAnonymity(3)], suppression=0.0).levels == (2, 1)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("mw"), st.sampled_from("pq")),
        min_size=1,
        max_size=25,
    ),
    models=st.sampled_from([[KAnonymity(2)], [KAnonymity(3), LDiversity("s", 2)]]),
    suppression=st.sampled_from([0.0, 0.2, 1.0]),
)
def test_every_class_keeps_its_promise_and_the_optimum_loses_no_more(
    rows: list, models: list[Model], suppression: float
) -> None:
    cells = cells_of(rows)
    try:
        found = datafly.search(cells, models, suppression=suppression)
    except GuaranteeError:
        with pytest.raises(GuaranteeError):
            optimal.search(cells, models, suppression=suppression)
        return
    classes = cells.roll_up(found.levels)
    kept = np.unique(classes.of_cell[~found.suppressed])
    assert len(kept)
    for model in models:
        assert not model.breaks(classes)[kept].any()
    assert int(cells.records[found.suppressed].sum()) <= suppression * len(rows)
    assert optimal.search(cells, models, suppression=suppression).loss <= found.loss + 1e-9
