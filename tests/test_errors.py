"""How numbers are worded in messages and reports."""

from __future__ import annotations

import polars as pl
import pytest

import lookalike as la
from lookalike.errors import percent


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0.0%"),
        (1e-9, "under 0.1%"),
        (0.00099, "under 0.1%"),
        (0.001, "0.1%"),
        (0.1234, "12.3%"),
        (0.999, "99.9%"),
        (0.9991, "over 99.9%"),
        (1, "100.0%"),
    ],
)
def test_a_little_is_not_nothing_and_almost_all_is_not_all(share: float, words: str) -> None:
    assert percent(share) == words


def test_a_few_unique_people_among_many_are_not_called_none() -> None:
    people = la.table(pl.DataFrame({"age": [30] * 9_000 + [40, 50, 60]}), quasi=["age"])
    assert "3 (under 0.1%) look like nobody else" in str(la.risk(people))
