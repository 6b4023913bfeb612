"""Minimal sample uniques against a search through all sets of columns."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la


def brute_force(rows: list[tuple[Any, ...]], who: list[Any], max_size: int) -> list[list[tuple[int, ...]]]:
    """The minimal sample uniques of every row."""
    q = len(rows[0])
    found: list[list[tuple[int, ...]]] = []
    for row in rows:

        def alone(columns: tuple[int, ...], row: tuple[Any, ...] = row) -> bool:
            same = {w for other, w in zip(rows, who, strict=True) if all(other[i] == row[i] for i in columns)}
            return len(same) == 1

        mine: list[tuple[int, ...]] = []
        for size in range(1, max_size + 1):
            for columns in combinations(range(q), size):
                smaller = any(set(known) <= set(columns) for known in mine)
                if not smaller and not alone(()) and alone(columns):
                    mine.append(columns)
        found.append(mine)
    return found


@st.composite
def frames(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    q, n = draw(st.integers(1, 5)), draw(st.integers(2, 14))
    row = st.tuples(*[st.sampled_from([0, 1, 2, None])] * q)
    return draw(st.lists(row, min_size=n, max_size=n))


@settings(max_examples=300, deadline=None)
@given(frames(), st.integers(1, 5), st.booleans())
def test_scores_sets_and_columns_follow_from_the_minimal_uniques(
    rows: list[tuple[Any, ...]], max_size: int, units: bool
) -> None:
    q, n = len(rows[0]), len(rows)
    names = [f"c{i}" for i in range(q)]
    who = [i // 2 for i in range(n)] if units else list(range(n))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Int64), orient="row").with_columns(
        who=pl.Series(who)
    )
    people = la.table(frame, quasi=names, others=[], unit="who" if units else None)
    found = la.special_uniques(people, max_size=max_size)
    size = min(max_size, q)
    expected = brute_force(rows, who, size)
    weight = {k: math.prod(q - i for i in range(k, size)) for k in range(1, size + 1)}
    assert found.scores.tolist() == [sum(weight[len(c)] for c in mine) for mine in expected]
    assert found.smallest.tolist() == [min((len(c) for c in mine), default=0) for mine in expected]
    sets = {tuple(names[i] for i in columns) for mine in expected for columns in mine}
    assert set(found.sets) == sets
    assert list(found.people) == sorted(found.people, reverse=True)


def test_a_record_unique_by_one_column_scores_highest() -> None:
    frame = pl.DataFrame({"a": [1, 1, 1, 9], "b": [1, 1, 2, 2], "c": [1, 2, 1, 2]})
    found = la.special_uniques(frame, quasi=["a", "b", "c"])
    assert found.scores.argmax() == 3
    assert found.smallest[3] == 1
    assert ("a",) in found.sets
    assert found.contributions["b"] == found.contributions["c"]


def test_scores_of_the_full_depth_are_factorials() -> None:
    frame = pl.DataFrame({"a": [1, 2, 2, 2], "b": [1, 1, 1, 1], "c": [1, 1, 1, 1]})
    found = la.special_uniques(frame, quasi=["a", "b", "c"])
    assert found.scores.tolist() == [math.factorial(3 - 1), 0, 0, 0]
    assert found.contributions == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_many_columns_are_searched_up_to_three_at_a_time() -> None:
    chance = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i}": chance.integers(0, 3, 60) for i in range(12)})
    found = la.special_uniques(frame, quasi=frame.columns)
    assert found.max_size == 3
    assert all(len(columns) <= 3 for columns in found.sets)


def test_a_risk_carries_its_special_uniques_and_tells_no_values() -> None:
    risk = la.risk(pl.DataFrame({"name": ["Ann", "Bob", "Bob"]}), quasi=["name"])
    told = risk.special.to_dict()
    assert told["sets"] == [{"columns": ["name"], "people": 1}]
    assert "Ann" not in str(told)


def test_a_wrong_size_is_refused() -> None:
    with pytest.raises(la.RequestError, match="max_size"):
        la.special_uniques(pl.DataFrame({"a": [1]}), quasi=["a"], max_size=0)
