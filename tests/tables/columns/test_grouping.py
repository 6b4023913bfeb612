"""Grouping tuples of codes, by every road: presence table, hashing, sorting, and keys beyond 64 bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lookalike.tables.columns.grouping import first_of_each, group_codes, group_keys, group_sizes, sum_by


def by_dict(columns: list[NDArray[np.int32]], n: int) -> tuple[list[int], int]:
    tuples = [tuple(int(c[i]) for c in columns) for i in range(n)]
    place = {t: i for i, t in enumerate(sorted(set(tuples)))}
    return [place[t] for t in tuples], len(place)


@settings(deadline=None)
@given(st.data())
def test_groups_come_in_lexicographic_order_of_their_codes(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 40))
    # sizes up to 2**31 make the product of five columns outgrow 64 bits
    sizes = data.draw(st.lists(st.sampled_from([1, 2, 7, 1000, 2**20, 2**31 - 1]), max_size=5))
    columns = [
        np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n)), dtype=np.int32)
        for size in sizes
    ]
    labels, groups = group_codes(columns, sizes, n)
    wanted, m = by_dict(columns, n)
    assert labels.tolist() == wanted
    assert groups == m


@pytest.mark.parametrize("distinct", [10, 3_000, 100_000])
def test_presence_table_hashing_and_sorting_agree(distinct: int) -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**61, distinct)[rng.integers(0, distinct, 100_000)]
    values, labels = np.unique(keys, return_inverse=True)
    for span in (2**62, 2**63 - 1):
        mine, found = group_keys(keys, span)
        assert np.array_equal(mine, labels)
        assert np.array_equal(found, values)
    dense, found = group_keys(labels.astype(np.int64), len(values))
    assert np.array_equal(dense, labels)
    assert np.array_equal(found, np.arange(len(values)))


def test_negative_keys_are_keys_like_others() -> None:
    labels, found = group_keys(np.array([5, -3, 5, -(2**62), -3]), 2**63 - 1)
    assert found.tolist() == [-(2**62), -3, 5]
    assert labels.tolist() == [2, 1, 2, 0, 1]


def test_sums_are_exact_beyond_the_reach_of_floats() -> None:
    labels = np.array([0, 1, 0])
    values = np.array([2**53, 7, 1], dtype=np.int64)
    assert sum_by(labels, values, 3).tolist() == [2**53 + 1, 7, 0]


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), max_size=50))
def test_one_member_stands_for_each_group(values: list[int]) -> None:
    codes = np.array(values, dtype=np.int32)
    labels, groups = group_codes([codes], [10], len(codes))
    assert np.array_equal(labels[first_of_each(labels, groups)], np.arange(groups))


@pytest.mark.parametrize("width", [7, 10**9])
def test_sizes_of_groups_are_those_of_their_labels(width: int) -> None:
    rng = np.random.default_rng(8)
    columns = [rng.integers(0, 7, 500) * (width // 7) for _ in range(2)]
    sizes = [7 * (width // 7)] * 2
    labels, groups = group_codes(columns, sizes, 500)
    assert group_sizes(columns, sizes, 500).tolist() == np.bincount(labels, minlength=groups).tolist()
    assert group_sizes([columns[0][:0]], [7], 0).tolist() == []
