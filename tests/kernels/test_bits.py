"""Bit sets, against Python's whole numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.kernels.bits import merge_equal, sum_by_bit
from lookalike.kernels.fca.lattice import count_bits

SETS = st.lists(st.frozensets(st.integers(0, 129), max_size=6), min_size=1, max_size=12)


def rows_of(sets: list[frozenset[int]]) -> np.ndarray:
    rows = np.zeros((len(sets), 3), dtype=np.uint64)
    for row, members in zip(rows, sets, strict=True):
        for m in members:
            row[m >> 6] |= np.uint64(1) << np.uint64(m & 63)
    return rows


@settings(deadline=None)  # the first example compiles
@given(SETS)
def test_sizes_are_counted(sets: list[frozenset[int]]) -> None:
    assert count_bits(rows_of(sets)).tolist() == [len(members) for members in sets]


@settings(deadline=None)  # the first example compiles
@given(SETS)
def test_equal_sets_get_one_number_in_order_of_appearance(sets: list[frozenset[int]]) -> None:
    first, number = merge_equal(rows_of(sets))
    distinct = list(dict.fromkeys(sets))
    assert number.tolist() == [distinct.index(members) for members in sets]
    assert first.tolist() == [sets.index(members) for members in distinct]


@settings(deadline=None)  # the first example compiles
@given(SETS)
def test_weights_are_summed_by_bit(sets: list[frozenset[int]]) -> None:
    weights = np.arange(1, len(sets) + 1)
    sums = sum_by_bit(rows_of(sets), weights)
    assert sums.tolist() == [sum(w for w, s in zip(weights, sets, strict=True) if m in s) for m in range(192)]
