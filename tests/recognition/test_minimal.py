"""Minimal quasi-identifiers: exactly those that brute force finds, without looking at every set."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.recognition.subsets import Universe
from recognition.medical import COLUMNS, patients


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(1, 14),
    width=st.integers(1, 7),
    measure=st.sampled_from(["separation", "uniqueness", "distinction"]),
    threshold=st.sampled_from([0.05, 0.3, 0.5, 0.8, 1.0]),
)
def test_exactly_the_minimal_sets_are_found(
    seed: int, rows: int, width: int, measure: str, threshold: float
) -> None:
    rng = np.random.default_rng(seed)
    table = la.table(
        pl.DataFrame({f"c{i}": rng.integers(0, rng.integers(1, 5), rows) for i in range(width)}), others=[]
    )
    universe = Universe(table)
    values = getattr(universe.measure_all(), measure)
    passing = [s for s in range(2**width) if values[s] >= threshold]
    minimal = {universe.columns(s) for s in passing if not any(o != s and o & s == o for o in passing)}
    found = la.minimal_quasi(table, threshold=threshold, measure=measure)
    assert set(found.sets) == minimal
    assert all(value >= threshold for value in found.values)


def test_the_ten_patients_have_two() -> None:
    found = la.minimal_quasi(patients(), threshold=0.95, columns=COLUMNS)
    assert found.sets == (("Age", "Diagnosis"), ("Age", "Treatment"))
    assert "14 of 32 subsets measured" in repr(found)


def test_wide_tables_are_searched_without_their_power_set() -> None:
    rng = np.random.default_rng(0)
    columns: dict[str, object] = {f"weak{i}": rng.random(400) < 0.01 for i in range(38)}
    columns["a"], columns["b"] = np.arange(400) // 20, np.arange(400) % 20
    found = la.minimal_quasi(la.table(pl.DataFrame(columns), others=[]), threshold=0.999)
    assert ("a", "b") in found.sets
    assert found.measured < 10_000  # of 2**40


def test_no_set_passes_where_all_columns_together_fail() -> None:
    table = la.table(pl.DataFrame({"a": [1, 1, 2], "b": [1, 1, 1]}), others=[])
    assert la.minimal_quasi(table, threshold=1.0).sets == ()


@pytest.mark.parametrize("threshold", [0, -1, 1.5])
def test_a_threshold_outside_its_range_is_refused(threshold: float) -> None:
    with pytest.raises(la.RequestError, match="threshold"):
        la.minimal_quasi(patients(), threshold=threshold)


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(la.RequestError, match="measure is one of"):
        la.minimal_quasi(patients(), threshold=0.5, measure="entropy")


def test_too_many_minimal_sets_are_refused_not_listed_for_ever() -> None:
    rng = np.random.default_rng(0)
    many = la.table(pl.DataFrame({f"c{i}": rng.integers(0, 2, 60) for i in range(16)}), others=[])
    with pytest.raises(la.RequestError, match="more than 50 candidates"):
        la.minimal_quasi(many, threshold=0.9, most=50)
