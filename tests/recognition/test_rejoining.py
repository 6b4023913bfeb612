"""Numbers that stay the same in all rows of a person are blurred, since they would put the rows together."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.runs.preparing import explain

PEOPLE = 200
DRAW = np.random.default_rng(12)
ROW = np.repeat(np.arange(PEOPLE), DRAW.integers(3, 8, PEOPLE))
HEIGHT = DRAW.normal(172, 9, PEOPLE).round().astype(int)
WEIGHT = (DRAW.normal(24.5, 4, PEOPLE) * HEIGHT**2 / 1e4).round(1)
LASTING = {
    "person_id": [f"P{i:04d}" for i in ROW],
    "sex": DRAW.choice(["f", "m"], PEOPLE)[ROW],
    "birth_year": DRAW.integers(1945, 2005, PEOPLE)[ROW],
}
PULSE = {"resting_heart_rate": DRAW.integers(45, 95, len(ROW))}
ILL = {"diagnosis": DRAW.choice(["I10", "E11", "J45", "F32", "M54", "C50", "K21", "N18"], PEOPLE)[ROW]}
BODY = {"height_cm": HEIGHT[ROW], "weight_kg": WEIGHT[ROW]}
WATCHED = pl.DataFrame({**LASTING, **PULSE, **ILL, **BODY})
SAID = "stays the same in all rows of a person"


def test_numbers_that_would_put_rows_together_are_proposed_as_quasi_identifiers() -> None:
    found = la.inspect(WATCHED)
    assert found.quasi == ["sex", "birth_year", "height_cm", "weight_kg"]
    assert found["weight_kg"].evidence[0].startswith(f"{SAID} and, with others that do, would put ")
    assert found["weight_kg"].evidence[0].endswith(f" of {PEOPLE} people's rows together")
    assert found["resting_heart_rate"].role is la.Role.SENSITIVE  # varies
    assert found["diagnosis"].role is la.Role.SENSITIVE  # stays, but many share each


def test_a_draft_blurs_them_says_why_and_makes_a_release_nobody_is_warned_of() -> None:
    recipe = la.prepare(WATCHED)
    assert la.LDiversity("diagnosis", 2) in recipe.promises
    assert f"  among them height_cm, weight_kg: each {SAID} and, with others that do, would put" in explain(
        recipe
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", la.LookalikeWarning)
        released = la.run(recipe, source=WATCHED).release.frame
    assert set(released["diagnosis"]) == set(ILL["diagnosis"])


def test_one_row_each_tells_nothing_of_the_kind() -> None:
    first = WATCHED.unique("person_id", keep="first", maintain_order=True)
    assert la.inspect(first)["weight_kg"].role is la.Role.SENSITIVE


@pytest.mark.parametrize("name", ["score", "diagnosis"])
def test_few_values_and_codes_of_illness_stay_what_they_are(name: str) -> None:
    few = DRAW.integers(1, 13, PEOPLE) if name == "score" else DRAW.integers(100, 900, PEOPLE)
    frame = pl.DataFrame({**LASTING, "health": few[ROW]} if name == "score" else {**LASTING, name: few[ROW]})
    seen = la.inspect(frame)
    assert seen[frame.columns[-1]].role is la.Role.SENSITIVE


def test_what_puts_rows_together_only_once_it_is_rounded_is_blurred_too() -> None:
    paid = {
        name: DRAW.integers(20, 90, PEOPLE)[ROW] * 100 + DRAW.uniform(-0.4, 0.4, len(ROW)).round(3)
        for name in ("income", "savings")
    }
    frame = pl.DataFrame({**LASTING, **PULSE, **paid})
    assert la.inspect(frame)["income"].role is la.Role.SENSITIVE
    column = la.prepare(frame).columns["income"]
    assert column.role is la.Role.QUASI
    assert column.round is None
    assert SAID in column.reason


def test_where_nothing_else_is_known_the_rest_is_still_taken_for_known() -> None:
    frame = pl.DataFrame(
        {"person_id": LASTING["person_id"], **BODY, "qrz": DRAW.choice(["u", "v"], len(ROW))}
    )
    recipe = la.prepare(frame)
    assert recipe.having(la.Role.QUASI) == ["height_cm", "weight_kg", "qrz"]
    assert not recipe.columns["qrz"].unknown
