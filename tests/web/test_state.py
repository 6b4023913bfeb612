"""The recipe: every decision is a change of it, undo and redo are exact, and it is all that a session needs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.web.state import EMPTY, Bench, key_of


def test_a_change_can_be_taken_back_and_made_again() -> None:
    bench = Bench()
    before = bench.recipe
    assert bench.change(seed=3)
    assert bench.change_in("roles", age="quasi")
    assert bench.undo()
    assert bench.undo()
    assert bench.recipe == before
    assert not bench.undo()
    assert bench.redo()
    assert bench.redo()
    assert (bench.recipe["seed"], bench.recipe["roles"]) == (3, {"age": "quasi"})
    assert not bench.redo()


def test_a_change_to_what_is_already_so_is_no_step() -> None:
    bench = Bench()
    assert not bench.change(seed=0)
    assert not bench.can_undo


def test_a_new_decision_ends_what_could_be_redone() -> None:
    bench = Bench()
    bench.change(seed=1)
    bench.undo()
    bench.change(seed=2)
    assert not bench.can_redo


def test_what_was_decided_does_not_change_with_the_value_that_was_given() -> None:
    bench, roles = Bench(), {"age": "quasi"}
    bench.change(roles=roles)
    roles["age"] = "other"
    assert bench.recipe["roles"] == {"age": "quasi"}


def test_a_recipe_has_no_other_parts() -> None:
    with pytest.raises(KeyError, match="colour"):
        Bench().change(colour="red")


def test_what_follows_from_a_decision_is_taken_back_with_it() -> None:
    bench = Bench()
    bench.change(answers=["A"])
    bench.amend(weights={"age": 2.0})
    bench.undo()
    assert (bench.recipe["answers"], bench.recipe["weights"]) == ([], {})


def test_a_signature_goes_with_whatever_is_decided_after_it() -> None:
    ada = {"name": "Ada", "date": "2024-05-01", "note": "approved at k=5"}
    for part, value in {
        "promises": [{"model": "k-anonymity", "k": 2}],
        "questions": [{"kind": "mean", "of": "age"}],
        "attacks": True,
        "seed": 1,
    }.items():
        bench = Bench({"source": {"path": "a.csv"}})
        bench.change(signature=ada)
        assert bench.lapsed is None
        assert not bench.change(seed=0)
        assert bench.recipe["signature"] == ada
        bench.change(**{part: value})
        assert bench.recipe["signature"] is None
        assert bench.lapsed == ada
        bench.undo()
        assert (bench.recipe["signature"], bench.lapsed) == (ada, None)
        bench.undo()
        assert (bench.recipe["signature"], bench.lapsed) == (None, None)


def test_what_follows_from_signed_decisions_was_not_signed() -> None:
    bench = Bench()
    bench.change(signature={"name": "Ada"})
    bench.amend(linked={})
    assert bench.recipe["signature"] == {"name": "Ada"}
    bench.amend(linked={"hours": "follow"})
    assert bench.recipe["signature"] is None
    assert bench.lapsed == {"name": "Ada"}


def test_a_signature_under_one_table_says_nothing_of_another() -> None:
    bench = Bench({"source": {"path": "a.csv"}})
    bench.change(signature={"name": "Ada"})
    bench.change(**{**EMPTY, "source": {"path": "b.csv"}})
    assert (bench.recipe["signature"], bench.lapsed) == (None, None)


def test_an_entry_set_to_nothing_goes() -> None:
    bench = Bench({"hierarchies": {"age": {"how": "mask"}}})
    bench.change_in("hierarchies", age=None)
    assert bench.recipe["hierarchies"] == {}


def test_the_key_of_a_release_does_not_depend_on_what_only_looks_at_it() -> None:
    bench = Bench()
    before = key_of(bench.recipe)
    bench.change(signature={"name": "A"})
    assert key_of(bench.recipe) == before
    bench.change(seed=1)
    assert key_of(bench.recipe) != before


@given(st.lists(st.one_of(st.integers(0, 5), st.sampled_from(["undo", "redo"]))))
def test_undo_and_redo_walk_one_line_of_decisions(moves: list[int | str]) -> None:
    bench, line, place = Bench(), [0], 0
    for move in moves:
        if move == "undo":
            bench.undo()
            place = max(place - 1, 0)
        elif move == "redo":
            bench.redo()
            place = min(place + 1, len(line) - 1)
        elif bench.change(seed=move):
            line, place = [*line[: place + 1], int(move)], place + 1
        assert bench.recipe["seed"] == line[place]


def test_an_empty_recipe_is_plain_json() -> None:
    assert json.loads(json.dumps(EMPTY)) == EMPTY
