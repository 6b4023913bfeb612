"""Groups put together by hand: every move leaves a hierarchy that nests, over the same values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.tables.columns.domains import nominal
from lookalike.tables.hierarchies import Hierarchy
from lookalike.web import grouping
from lookalike.web.grouping import Paths

TOWNS: Paths = [
    ["Bonn", "west", "country", "*"],
    ["Köln", "west", "country", "*"],
    ["Graz", "south", "other", "*"],
    ["Linz", "south", "other", "*"],
    ["Wien", "east", "other", "*"],
]


def test_a_value_moves_with_all_that_is_above_the_other_group() -> None:
    after = grouping.move(TOWNS, 1, {"Wien"}, "west")
    assert after[4] == ["Wien", "west", "country", "*"]
    assert list(grouping.groups_at(after, 1)) == ["west", "south"]


def test_a_group_of_a_higher_step_moves_with_all_below_it() -> None:
    after = grouping.move(TOWNS, 2, {"south"}, "country")
    assert after[2] == ["Graz", "south", "country", "*"]
    assert grouping.groups_at(after, 2) == {"country": ["west", "south"], "other": ["east"]}


def test_chosen_values_become_a_group_of_their_own() -> None:
    after = grouping.split(TOWNS, 1, {"Köln", "Graz"}, "west")
    assert grouping.groups_at(after, 1)["west 2"] == ["Köln", "Graz"]
    assert after[2][2] == "country"  # under what the first of them was under


def test_a_name_that_another_group_has_merges_the_two() -> None:
    assert grouping.groups_at(grouping.rename(TOWNS, 1, "east", "Alps"), 1)["Alps"] == ["Wien"]
    assert grouping.groups_at(grouping.rename(TOWNS, 1, "east", "south"), 1)["south"] == [
        "Graz",
        "Linz",
        "Wien",
    ]
    assert grouping.rename(TOWNS, 1, "east", "  ") == TOWNS


def test_steps_are_added_and_taken_away() -> None:
    more = grouping.add_step(TOWNS, 1)
    assert more[0] == ["Bonn", "west", "west", "country", "*"]
    assert grouping.remove_step(more, 2) == TOWNS
    assert grouping.with_a_step([["a", "*"]]) == [["a", "*", "*"]]


@pytest.mark.parametrize("step", [1, 2])
@given(moves=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 9)), max_size=8))
def test_whatever_is_done_nests(step: int, moves: list[tuple[int, int, int]]) -> None:
    paths = TOWNS
    for kind, a, b in moves:
        groups = grouping.groups_at(paths, step)
        items = [item for held in groups.values() for item in held]
        one, label = items[a % len(items)], list(groups)[b % len(groups)]
        if kind == 0:
            paths = grouping.move(paths, step, {one}, label)
        elif kind == 1:
            paths = grouping.split(paths, step, {one, items[b % len(items)]}, "new")
        elif kind == 2:
            paths = grouping.rename(paths, step, label, f"named {a}")
        else:
            paths = grouping.add_step(paths, step)
    assert [path[0] for path in paths] == [path[0] for path in TOWNS]
    tree = Hierarchy.rows(paths).grow(nominal(sorted(path[0] for path in TOWNS)))
    assert tree.height == len(paths[0]) - 1
