"""Domains: sorted values, missing last, one text per value."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.tables.columns.domains import Domain, nominal, number_text
from lookalike.tables.columns.roles import Kind


def numbers(*values: float, kind: Kind = Kind.DECIMAL, missing: bool = False) -> Domain:
    return Domain(kind, np.array(values, dtype=np.int64 if kind is Kind.INTEGER else np.float64), missing)


def dates(*days: str) -> Domain:
    return Domain(Kind.DATE, np.array(days, dtype="datetime64[D]"))


def test_missing_is_the_code_after_the_last_value() -> None:
    domain = nominal(["b", "a", "b"], missing=True)
    assert domain.values.tolist() == ["a", "b"]
    assert domain.size == 3
    assert domain.texts == ["a", "b"]
    assert "2 values" not in repr(domain)


@pytest.mark.parametrize(("value", "text"), [(3.0, "3"), (0.1, "0.1"), (-0.5, "-0.5"), (1e22, "1e+22")])
def test_numbers_are_written_in_their_shortest_form(value: float, text: str) -> None:
    assert number_text(value) == text
    assert float(number_text(value)) == value


def test_texts_are_written_by_kind() -> None:
    assert numbers(1, 2, kind=Kind.INTEGER).texts == ["1", "2"]
    assert numbers(1, 2.5).texts == ["1", "2.5"]
    assert dates("2024-02-29").texts == ["2024-02-29"]
    assert dates().texts == []


def test_numbers_measure_ranges_and_missing_has_none() -> None:
    assert np.isnan(numbers(1, 5, missing=True).numbers[-1])
    assert dates("1970-01-01", "1970-01-31").numbers.tolist() == [0, 30]
    assert nominal(["a", "b"]).numbers.tolist() == [0, 1]


def test_values_are_found_across_kinds_by_what_they_are_or_how_they_are_written() -> None:
    assert numbers(1, 2, 3, kind=Kind.INTEGER).find(numbers(2, 2.5)).tolist() == [1, -1]
    assert nominal(["1", "2"], missing=True).find(numbers(2, 9, missing=True)).tolist() == [1, -1, 2]
    assert dates("2024-01-01").find(nominal(["2024-01-01", "x"])).tolist() == [0, -1]
    assert dates("1970-01-02").find(numbers(1, kind=Kind.INTEGER)).tolist() == [-1]
    assert nominal([]).find(nominal(["a"], missing=True)).tolist() == [-1, -1]


def test_a_part_keeps_order_and_kind() -> None:
    domain = nominal(["a", "b", "c"], missing=True)
    part = domain.part(np.array([0, 2, 3]))
    assert part.texts == ["a", "c"]
    assert part.missing
    assert not domain.part(np.array([1])).missing
