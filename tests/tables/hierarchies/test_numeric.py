"""Intervals: half-open, the right edge never misfiled, nested; quantiles; top and bottom coding."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.base.errors import HierarchyError
from lookalike.tables.hierarchies import Hierarchy
from tables.hierarchies.trees import days, decimals, integers, labels_of, nominal

WIDTHS = st.sampled_from(["0.1", "0.25", "0.3", "1", "5", "0.001", "0.7", "12.5"])


@settings(deadline=None)
@given(
    st.lists(st.decimals(-500, 500, places=3), min_size=1, max_size=30),
    WIDTHS,
    st.sampled_from(["0", "0.1", "-3", "0.35"]),
    st.integers(2, 5),
)
def test_every_value_lies_in_the_interval_it_is_filed_under(
    values: list[Decimal], width: str, start: str, times: int
) -> None:
    domain = decimals(*map(float, values))
    tree = Hierarchy.intervals(float(width), float(Decimal(width) * times), start=float(start)).grow(domain)
    for level, w in ((1, Decimal(width)), (2, Decimal(width) * times)):
        for value, label in zip(domain.values, labels_of(tree, level), strict=True):
            assert label is not None
            low, high = (Decimal(edge) for edge in label[1:-1].split(", "))
            exact = Decimal(repr(float(value)))
            assert low <= exact < high
            assert high - low == w
            assert (low - Decimal(start)) % w == 0


def test_a_right_edge_opens_the_next_interval() -> None:
    tree = Hierarchy.intervals(5, 10).grow(integers(15, 19, 20, 24, 25))
    assert labels_of(tree, 1) == ["[15, 20)", "[15, 20)", "[20, 25)", "[20, 25)", "[25, 30)"]
    assert labels_of(tree, 2) == ["[10, 20)", "[10, 20)", "[20, 30)", "[20, 30)", "[20, 30)"]
    tenths = Hierarchy.intervals(0.1).grow(decimals(*(i / 10 for i in range(100))))
    assert labels_of(tenths, 1)[3] == "[0.3, 0.4)"
    assert len(tenths.labels[1]) == 100


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5, unique=True),
)
def test_cut_points_open_the_group_on_their_right(values: list[float], points: list[float]) -> None:
    domain = decimals(*[v + 0.0 for v in values], *[p + 0.0 for p in points])
    tree = Hierarchy.cuts(points).grow(domain)
    edges = sorted({p + 0.0 for p in points})
    for value, label in zip(domain.values, labels_of(tree, 1), strict=True):
        assert label is not None
        if label.startswith("<"):
            assert value < edges[0] == float(label[2:])
        elif label.startswith(">="):
            assert value >= edges[-1] == float(label[3:])
        else:
            low, high = map(float, label[1:-1].split(", "))
            assert low <= value < high


def test_top_and_bottom_coding() -> None:
    tree = Hierarchy.top_bottom(bottom=18, top=90).grow(integers(17, 18, 89, 90, 104, missing=True))
    assert labels_of(tree, 1) == ["< 18", "18", "89", ">= 90", ">= 90", None]
    assert labels_of(tree, 2) == ["*"] * 6
    mixed = Hierarchy.intervals(10, 20, bottom=20, top=80).grow(integers(5, 20, 35, 79, 80))
    assert labels_of(mixed, 1) == ["< 20", "20", "35", "79", ">= 80"]
    assert labels_of(mixed, 2) == ["< 20", "[20, 30)", "[30, 40)", "[70, 80)", ">= 80"]
    assert labels_of(mixed, 3) == ["< 20", "[20, 40)", "[20, 40)", "[60, 80)", ">= 80"]


def test_dates_have_intervals_of_days_and_edges_that_are_dates() -> None:
    weeks = Hierarchy.intervals(7, start=date(2024, 1, 1)).grow(
        days("2024-01-07", "2024-01-08", "2023-12-31")
    )
    assert labels_of(weeks, 1) == [
        "[2023-12-25, 2024-01-01)",
        "[2024-01-01, 2024-01-08)",
        "[2024-01-08, 2024-01-15)",
    ]
    cut = Hierarchy.cuts(["2024-01-08"]).grow(days("2024-01-07", "2024-01-08"))
    assert labels_of(cut, 1) == ["< 2024-01-08", ">= 2024-01-08"]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50)), min_size=1, max_size=40))
def test_quantile_groups_nest_and_are_about_equal(pairs: list[tuple[int, int]]) -> None:
    counts = dict(pairs)
    domain = integers(*counts)
    weights = np.array([counts[v] for v in domain.values.tolist()])
    tree = Hierarchy.quantiles(8, 4, 2).grow(domain, weights)
    assert tree.recipe.how == "cuts"
    total, largest = weights.sum(), weights.max()
    finest = np.bincount(tree.up[1], weights=weights) if tree.height > 1 else np.array([total])
    assert finest.max() <= total / 8 + 2 * largest


def test_quantiles_of_an_even_spread_are_exact() -> None:
    tree = Hierarchy.quantiles(4, 2).grow(integers(*range(100)))
    assert tree.labels[1] == ("< 25", "[25, 50)", "[50, 75)", ">= 75")
    assert tree.labels[2] == ("< 50", ">= 50")
    skewed = Hierarchy.quantiles(4, 2).grow(integers(1, 2, 3), np.array([1000, 1, 1]))
    assert labels_of(skewed, 1) == ["< 2", ">= 2", ">= 2"]


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (Hierarchy.intervals(), "at least one width"),
        (Hierarchy.intervals(0), "must be positive"),
        (Hierarchy.intervals(-5), "must be positive"),
        (Hierarchy.intervals(5, 12), "12 is not a multiple of 5"),
        (Hierarchy.intervals(10, 5), "5 is not a multiple of 10"),
        (Hierarchy.intervals(10, top=85), "top=85 is not an edge of the intervals of width 10 from 0"),
        (Hierarchy.top_bottom(bottom=9, top=9), "bottom must lie below top"),
        (Hierarchy.cuts([10, 20], [15]), "level 2 cuts at 15"),
        (Hierarchy.cuts(["x"]), "'x' is not an edge"),
        (Hierarchy.quantiles(), "at least 2"),
        (Hierarchy.quantiles(4, 3), "3 does not divide 4"),
        (Hierarchy.dates(), "calendar levels need dates"),
    ],
)
def test_what_cannot_be_grown_says_why(recipe: Hierarchy, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        recipe.grow(integers(1, 2))


def test_words_have_no_intervals_and_huge_numbers_none_this_narrow() -> None:
    with pytest.raises(HierarchyError, match="need numbers or dates; this column is nominal"):
        Hierarchy.intervals(5).grow(nominal(["a"]))
    with pytest.raises(HierarchyError, match="too narrow"):
        Hierarchy.intervals(0.1).grow(decimals(1e300))
    with pytest.raises(HierarchyError, match="whole days"):
        Hierarchy.intervals(0.5).grow(days("2024-01-01"))


def test_a_million_distinct_numbers_grow() -> None:
    domain = decimals(*np.arange(1_000_000) / 8)
    tree = Hierarchy.intervals(0.5, 100, top=100_000).grow(domain)
    assert len(tree.labels[3]) == 1001
    assert tree.leaves[3].max() == 200_000
    assert Hierarchy.automatic().grow(domain).height == 5
