"""Hierarchies given by hand: rows, groups, parents, orders; ragged, with missing values, contradictory."""

from __future__ import annotations

import pytest

from lookalike.base.errors import HierarchyError, UnseenValues
from lookalike.tables.hierarchies import Hierarchy
from lookalike.tables.hierarchies.groupings import spell_missing
from tables.hierarchies.trees import decimals, integers, labels_of, nominal, same_tree

CITIES = nominal(["Bath", "Leeds", "York"], missing=True)
WANTED = [["Bath", "Leeds", "York", None], ["south", "north", "north", None], ["UK", "UK", "UK", "UK"]]


@pytest.mark.parametrize(
    "recipe",
    [
        Hierarchy.rows([["Leeds", "north", "UK"], ["York", "north", "UK"], ["Bath", "south", "UK"]]),
        Hierarchy.groups({"UK": {"north": ["Leeds", "York"], "south": {"Bath"}}}),
        Hierarchy.groups({"Leeds": "north", "York": "north", "Bath": "south", "north": "UK", "south": "UK"}),
    ],
)
def test_one_tree_in_three_spellings(recipe: Hierarchy) -> None:
    tree = recipe.grow(CITIES)
    assert [labels_of(tree, level) for level in range(3)] == WANTED
    assert tree.recipe == recipe


def test_groups_without_a_common_root_get_one() -> None:
    tree = Hierarchy.groups({"north": ["Leeds", "York"], "south": ["Bath"]}).grow(CITIES)
    assert labels_of(tree, 2) == ["*"] * 4


def test_in_ragged_rows_the_value_repeats_itself_so_that_the_roots_meet() -> None:
    tree = Hierarchy.rows([["0", "*"], ["1", "1~8", "*"], ["2", "1~8", "*", "", " "]]).grow(integers(0, 1, 2))
    assert labels_of(tree, 1) == ["0", "1~8", "1~8"]
    assert labels_of(tree, 2) == ["*", "*", "*"]
    assert tree.heights[1].tolist() == [0, 1]


def test_a_row_with_an_empty_value_is_the_path_of_missing_values() -> None:
    rows = [["a", "known", "*"], ["", "unknown", "*"]]
    assert labels_of(Hierarchy.rows(rows).grow(nominal(["a"], missing=True)), 1) == ["known", "unknown"]
    assert Hierarchy.rows(rows).grow(nominal(["a"])).total == 2
    stays = Hierarchy.rows([["a", "x", "*"], ["", "", "*"]]).grow(nominal(["a"], missing=True))
    assert labels_of(stays, 1) == ["x", None]


def test_values_spelt_like_missing_are_the_path_of_missing_values() -> None:
    rows = Hierarchy.rows([["a", "known", "*"], [" ? ", "unknown", "*"]])
    groups = Hierarchy.groups({"known": ["a"], "unknown": ["?"]})
    parents = Hierarchy.groups({"a": "known", "?": "unknown"})
    for recipe in (rows, groups, parents):
        tree = spell_missing(recipe, ("?",)).grow(nominal(["a"], missing=True))
        assert labels_of(tree, 1) == ["known", "unknown"]
    assert spell_missing(Hierarchy.mask(), ("?",)) == Hierarchy.mask()


def test_numbers_and_dates_are_found_however_they_are_written() -> None:
    tree = Hierarchy.rows([["3.50", "low", "*"], ["1e1", "high", "*"], ["7", "low", "*"]]).grow(
        decimals(3.5, 7, 10)
    )
    assert labels_of(tree, 1) == ["low", "low", "high"]
    big = 2**60 + 1
    assert labels_of(Hierarchy.groups({"x": [big]}).grow(integers(big)), 1) == ["x"]
    blanks = Hierarchy.rows([[" a", "x"], ["b ", "x"]]).grow(nominal([" a", "b"]))
    assert labels_of(blanks, 1) == ["x", "x"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "x", "*"], ["b", "x", "*"], ["a", "y", "*"]], "row 3: the same value was given another path"),
        (
            [["a", "x", "1"], ["b", "x", "2"]],
            "row 2: a label of level 1 stands under two different labels of level 2",
        ),
        ([["a", "x", "*"], ["b", "", "*"]], "row 2: level 1 has no label"),
        ([["", "x", "*"], ["", "y", "*"]], "row 2: the same value was given another path"),
    ],
)
def test_contradictions_are_named_by_their_row(rows: list[list[str]], message: str) -> None:
    with pytest.raises(HierarchyError, match=f"the hierarchy, {message}"):
        Hierarchy.rows(rows).grow(nominal(["a"]))


def test_rows_may_repeat_themselves() -> None:
    once = Hierarchy.rows([["a", "*"], ["b", "*"]]).grow(nominal(["a", "b"]))
    twice = Hierarchy.rows([["a", "*"], ["b", "*"], ["a", "*"]]).grow(nominal(["a", "b"]))
    assert same_tree(once, twice)


def test_values_in_no_group_are_refused_or_kept() -> None:
    with pytest.raises(UnseenValues, match="the groups: 1 of 4 distinct values are not leaves") as problem:
        Hierarchy.groups({"north": ["Leeds", "York"]}).grow(CITIES)
    assert "Bath" not in str(problem.value)
    kept = Hierarchy.groups({"north": ["Leeds", "York"]}, others="keep").grow(CITIES)
    assert labels_of(kept, 1) == ["Bath", "north", "north", None]


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (Hierarchy.groups({"a": "b", "b": "a"}), "circle"),
        (Hierarchy.groups({"x": "a", "a": "b", "b": "a"}), "circle"),
        (Hierarchy.groups({"north": ["Leeds"], "York": "north"}), "mix lists of values with single parents"),
        (Hierarchy.groups({}), "circle|empty"),
        (Hierarchy.groups({"n": []}), "empty"),
        (Hierarchy.groups({"n": ["a"]}, others="drop"), "'refuse' or 'keep'"),
        (Hierarchy.ordering(["a", "a"]), "names a value twice"),
        (Hierarchy.ordering(fanout=1), "fanout must be at least 2"),
    ],
)
def test_groups_and_orders_that_make_no_sense_are_refused(recipe: Hierarchy, message: str) -> None:
    with pytest.raises(HierarchyError, match=message):
        recipe.grow(nominal(["a"]))


def test_an_order_merges_neighbours() -> None:
    order = ["none", "low", "mid", "high", "top"]
    tree = Hierarchy.ordering(order).grow(nominal(["high", "none", "top", "mid"]))
    assert labels_of(tree, 1) == ["[mid, high]", "[mid, high]", "[none, low]", "top"]
    assert labels_of(tree, 2) == ["[none, high]", "[none, high]", "[none, high]", "top"]
    assert tree.total == 5
    threes = Hierarchy.ordering(fanout=3).grow(integers(*range(9)))
    assert threes.labels[1] == ("[0, 2]", "[3, 5]", "[6, 8]")
    with pytest.raises(UnseenValues):
        Hierarchy.ordering(order).grow(nominal(["other"]))


def test_the_height_of_a_hierarchy_counts_leaves_that_the_table_does_not_use() -> None:
    ragged = Hierarchy.groups({"AB": ["a", "b"], "Y": {"X": ["c"], "d": ["d"]}})
    full = ragged.grow(nominal(["a", "b", "c", "d"]))
    used = full.over(nominal(["a", "b"]))
    for level in range(full.height + 1):
        some = used.up[level][0]
        assert used.heights[level][some] == full.heights[level][full.up[level][0]]
    assert used.heights[-1].tolist() == full.heights[-1].tolist() == [3]
