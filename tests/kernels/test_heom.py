"""Nearest rows under HEOM, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.kernels.heom import distances, nearest_many

VALUE = st.sampled_from([0.0, 0.25, 0.5, 1.0, float("nan")])
ROWS = st.lists(st.tuples(VALUE, VALUE, VALUE), min_size=1, max_size=8)
NOMINAL = np.array([False, True, False])


def by_definition(a: tuple[float, ...], b: tuple[float, ...], squared: bool) -> float:
    terms = [
        1.0 if np.isnan(x) or np.isnan(y) else float(x != y) if nominal else abs(x - y)
        for x, y, nominal in zip(a, b, NOMINAL, strict=True)
    ]
    return sum(term * term if squared else term for term in terms)


@settings(deadline=None)  # the first example compiles
@given(ROWS, st.booleans())
def test_distances_are_those_of_the_definition(rows: list[tuple[float, ...]], squared: bool) -> None:
    far = distances(np.array(rows[0]), np.array(rows), NOMINAL, squared)
    assert far.tolist() == pytest.approx([by_definition(rows[0], row, squared) for row in rows])


@settings(deadline=None)  # the first example compiles
@given(ROWS, st.booleans(), st.integers(1, 4))
def test_the_nearest_allowed_rows_come_by_distance_then_place(
    rows: list[tuple[float, ...]], squared: bool, want: int
) -> None:
    allowed = np.arange(len(rows)) % 2 == 0
    found, distance = np.empty((1, want), dtype=np.int64), np.empty((1, want))
    nearest_many(np.array(rows[:1]), np.array(rows), allowed[None], NOMINAL, squared, found, distance)
    order = sorted((by_definition(rows[0], rows[i], squared), i) for i in np.flatnonzero(allowed).tolist())
    expected = [i for _, i in order][:want] + [-1] * max(want - len(order), 0)
    assert found[0].tolist() == expected
