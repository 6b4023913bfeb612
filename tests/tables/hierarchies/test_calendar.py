"""Days, months, quarters, years, decades."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.base.errors import HierarchyError
from lookalike.tables.hierarchies import Hierarchy
from tables.hierarchies.trees import days, labels_of


@settings(deadline=None)
@given(st.sets(st.dates(min_value=date(1, 1, 1)), min_size=1, max_size=20))
def test_every_day_is_in_its_month_quarter_year_and_decade(dates: set[date]) -> None:
    tree = Hierarchy.dates().grow(days(*dates))
    for i, day in enumerate(sorted(dates)):
        assert [labels_of(tree, level)[i] for level in range(6)] == [
            day.isoformat(),
            f"{day.year:04d}-{day.month:02d}",
            f"{day.year:04d}-Q{(day.month - 1) // 3 + 1}",
            f"{day.year:04d}",
            f"{day.year // 10 * 10:04d}s",
            "*",
        ]


def test_levels_can_be_chosen_and_missing_stays_missing() -> None:
    tree = Hierarchy.dates("day", "year").grow(days("2024-01-31", missing=True))
    assert [labels_of(tree, level) for level in range(3)] == [
        ["2024-01-31", None],
        ["2024", None],
        ["*", "*"],
    ]


@pytest.mark.parametrize("levels", [("year", "month"), ("week",), ("year", "year")])
def test_levels_come_finest_first_and_each_once(levels: tuple[str, ...]) -> None:
    with pytest.raises(HierarchyError, match="calendar levels are day, month, quarter, year, decade"):
        Hierarchy.dates(*levels).grow(days("2024-01-31"))
