"""Several explanations for one person differ, and every group of their boxes covers k people per box."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from explanations.toy import LISA, explainer
from lookalike.explanations.alternatives import k_together, take_together


def training(seed: int, n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": rng.integers(0, n // 2, n),
            "age": rng.integers(18, 80, n),
            "city": rng.choice(["A", "B", "Č"], n),
            "salary": rng.integers(10, 100, n),
        }
    )


def decide(rows: Any) -> list[int]:
    return [int(s + a / 2 >= 80) for a, s in zip(rows["age"], rows["salary"], strict=True)]


def covered(people: la.Table, told: la.Explanation, counted: str) -> set[Any]:
    """Who is inside a box, row by row."""
    inside = np.ones(len(people), dtype=bool)
    for name, side in told.box.items():
        inside &= side.matches(people.column(name).domain)[people.column(name).codes]
    if counted == "desired":
        inside &= np.array(decide(people.rows)) == 1
    return set(np.flatnonzero(inside)) if people.unit is None else set(people.rows["who"].to_numpy()[inside])


@pytest.mark.parametrize("unit", [None, "who"])
@pytest.mark.parametrize("k", [2, 10])
def test_every_group_of_boxes_covers_k_people_per_box(unit: str | None, k: int) -> None:
    several = 0
    for seed in range(3):
        rest: dict[str, Any] = {"others": ["who"]} if unit is None else {"unit": "who"}
        people = la.table(training(seed), quasi=["age", "city"], sensitive=["salary"], **rest)
        for counted in ("all", "desired") if unit is None else ("all",):
            explain = la.KAnonymousExplainer(
                decide,
                people,
                k=k,
                features=["age", "city", "salary"],
                count=counted,
                effort=0,
                values="exact",
            )
            person = {"age": 20, "city": "A", "salary": 30}
            told = explain.explain_in_several_ways(person, alternatives=3)
            boxes = [covered(people, one, counted) for one in told]
            groups = [g for size in range(1, len(boxes) + 1) for g in combinations(boxes, size)]
            assert told.k == min(len(set().union(*group)) // len(group) for group in groups) >= k
            assert told.people == len(set().union(*boxes))
            assert len({tuple(map(str, one.box.values())) for one in told}) == len(told)
            assert told[0].box == explain.explain(person).box
            several += len(told) == 3
    assert several


def test_two_boxes_around_the_same_k_people_are_not_given_together() -> None:
    weights = np.array([2, 2, 2, 2])

    def people(inside: np.ndarray) -> int:
        return int(weights[inside].sum())

    one, two = np.array([1, 1, 0, 0], dtype=bool), np.array([0, 0, 1, 1], dtype=bool)
    over = np.array([0, 1, 1, 0], dtype=bool)
    assert k_together([one, two], people) == 4
    assert k_together([one, over], people) == 3
    assert k_together([one, over, two], people) == 2
    assert take_together([one, one, over, two], people, k=4, most=3) == [0, 3]
    assert take_together([one, over, two], people, k=3, most=3) == [0, 1]
    assert take_together([one, over, two], people, k=2, most=3) == [0, 1, 2]


def test_ten_people_cannot_hide_two_explanations_with_six_each() -> None:
    told = explainer(k=6).explain_in_several_ways(LISA, alternatives=3)
    assert len(told) == 1
    assert told.k >= 6
    assert told.to_dict()["explanations"][0]["k"] == told[0].k
    assert told.text.startswith("1. ")


def test_requests_that_make_no_sense_are_named() -> None:
    for asked in (0, 9):
        with pytest.raises(la.RequestError, match="alternatives"):
            explainer(k=2).explain_in_several_ways(LISA, alternatives=asked)
    with pytest.raises(la.RequestError, match="native"):
        explainer(k=2, native=lambda rows: [5]).explain_in_several_ways(LISA)
