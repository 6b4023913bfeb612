"""Small groups that people are known to be in are no labels of a table."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la

N = 300
DRAW = np.random.default_rng(6)
CLASSES = [
    f"{year}{letter}"
    for year, letter in zip(DRAW.integers(5, 11, N), DRAW.choice(list("abc"), N), strict=True)
]
PUPILS = {"sex": DRAW.choice(["f", "m"], N), "born": [f"20{y:02d}-04-01" for y in DRAW.integers(5, 20, N)]}


@pytest.mark.parametrize("name", ["Klasse", "class", "classe", "clase", "school_class"])
def test_a_class_that_reads_7b_is_a_group_of_pupils(name: str) -> None:
    found = la.inspect(pl.DataFrame({**PUPILS, name: CLASSES}))
    assert found[name].concept == "membership"
    assert name in found.quasi


@pytest.mark.parametrize(
    "name", ["team", "Mannschaft", "course", "Kurs", "équipe", "turma", "tutor group", "division"]
)
def test_teams_and_courses_are_known_to_others(name: str) -> None:
    rows = pl.DataFrame({**PUPILS, name: DRAW.choice(["red", "green", "blue", "black"], N)})
    assert name in la.inspect(rows).quasi


@pytest.mark.parametrize(
    ("before", "values"),
    [({}, list("ABCDEFGHIJ")), ({"teacher": DRAW.choice(["x", "y", "z"], N)}, ["1", "2", "3"])],
    ids=["of many values", "beside a teacher"],
)
def test_a_class_that_may_be_one_of_pupils_is_for_a_person_to_decide(
    before: dict[str, list[str]], values: list[str]
) -> None:
    found = la.inspect(pl.DataFrame({**PUPILS, **before, "Klasse": DRAW.choice(values, N)}))
    assert found["Klasse"].decide


def test_a_class_of_few_values_at_the_end_of_a_table_is_a_label() -> None:
    label = DRAW.choice(["<=50K", ">50K"], N)
    last = la.inspect(pl.DataFrame({**PUPILS, "class": label}))
    assert last["class"].role is la.Role.OTHER
    assert not last["class"].decide
    assert la.inspect(pl.DataFrame({"sex": PUPILS["sex"], "class": label, "born": PUPILS["born"]}))[
        "class"
    ].decide
