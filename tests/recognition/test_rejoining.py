"""Numbers that stay the same in all rows of a person are blurred, since they would put the rows together."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.runs.explaining import explain

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


def test_numbers_that_stay_the_same_but_for_little_are_blurred_too() -> None:
    again = {name: values + DRAW.normal(0, 0.05, len(ROW)).round(2) for name, values in BODY.items()}
    frame = pl.DataFrame({**LASTING, **PULSE, **again})
    found = la.inspect(frame)
    assert found["weight_kg"].role is la.Role.QUASI
    assert (
        found["weight_kg"]
        .evidence[0]
        .startswith(f"{SAID} but for little and, with others that do, would put ")
    )
    assert found["resting_heart_rate"].role is la.Role.SENSITIVE
    assert f"  among them height_cm, weight_kg: each {SAID} but for little and" in explain(la.prepare(frame))


def test_where_nothing_else_is_known_the_rest_is_still_taken_for_known() -> None:
    frame = pl.DataFrame(
        {"person_id": LASTING["person_id"], **BODY, "qrz": DRAW.choice(["u", "v"], len(ROW))}
    )
    recipe = la.prepare(frame)
    assert recipe.having(la.Role.QUASI) == ["height_cm", "weight_kg", "qrz"]
    assert not recipe.columns["qrz"].unknown


BASE = DRAW.integers(2000, 6000, PEOPLE)
ITEM = DRAW.permuted(np.tile([True, True, True, True, False, False], (PEOPLE, 1)), axis=1).ravel()
PAID_TO = np.repeat(np.arange(PEOPLE), 6)
WAGES = pl.DataFrame(
    {
        "person_id": [f"P{i:04d}" for i in PAID_TO],
        "sex": DRAW.choice(["f", "m"], PEOPLE)[PAID_TO],
        "birth_year": DRAW.integers(1945, 2005, PEOPLE)[PAID_TO],
        "pay_item": np.where(ITEM, "base", "overtime"),
        "religion": DRAW.choice(["a", "b", "c"], PEOPLE)[PAID_TO],
        "income": np.where(ITEM, BASE[PAID_TO], DRAW.integers(20, 6000, len(PAID_TO))),
    }
)


def test_numbers_that_stay_the_same_in_one_kind_of_row_are_blurred_too() -> None:
    inspected = la.inspect(WAGES)
    assert inspected["income"].role is la.Role.QUASI
    assert (
        inspected["income"]
        .evidence[0]
        .startswith(f"{SAID} that are alike in pay_item and, with others that do, ")
    )
    assert inspected["religion"].role is la.Role.SENSITIVE
    recipe = la.prepare(WAGES)
    assert f"  among them income: it {SAID} that are alike in pay_item and, with others" in explain(recipe)
    people = la.table(
        WAGES,
        identifiers=["person_id"],
        quasi=["sex", "birth_year"],
        sensitive=["religion", "income"],
        others=["pay_item"],
        unit="person_id",
    )
    told = "as it is: religion, and income in rows that are alike in pay_item. What"
    with pytest.warns(la.LookalikeWarning, match=told):
        la.anonymize(people, la.KAnonymity(5))
    with warnings.catch_warnings():
        warnings.simplefilter("error", la.LookalikeWarning)
        la.run(recipe, source=WAGES)


def test_what_is_left_is_looked_at_again_once_what_always_stays_is_blurred() -> None:
    both = WAGES.with_columns(weight_kg=pl.Series(DRAW.integers(400, 1200, PEOPLE)[PAID_TO] / 10))
    found = la.inspect(both)
    assert found["weight_kg"].evidence[0].startswith(f"{SAID} and, with others that do, would put ")
    assert found["income"].evidence[0].startswith(f"{SAID} that are alike in pay_item and")
    assert [line for line in explain(la.prepare(both)).splitlines() if SAID in line][1].startswith(
        "  among them"
    )


def test_what_says_the_same_as_such_a_number_is_not_taken_for_known() -> None:
    named = WAGES.with_columns(
        qrz=pl.when(pl.col("pay_item") == "base").then(pl.lit("u")).otherwise(pl.lit("v"))
    )
    assert not any("which outsiders may know" in line for line in la.inspect(named)["qrz"].evidence)


def test_what_puts_rows_together_only_once_it_is_rounded_is_blurred_too() -> None:
    cents = WAGES.with_columns(
        income=pl.col("income") // 100 * 100 + pl.Series(DRAW.uniform(-9, 9, len(PAID_TO)).round(2))
    )
    assert la.inspect(cents)["income"].role is la.Role.SENSITIVE
    column = la.prepare(cents).columns["income"]
    assert column.role is la.Role.QUASI
    assert column.round is None
    assert SAID in column.reason


@pytest.mark.parametrize("made", ["whole", "decimal", "word"])
@pytest.mark.parametrize("header", ["xkv", "item_id", "zeta name"])
def test_what_has_a_value_for_each_person_and_says_nothing_else_is_a_key(made: str, header: str) -> None:
    numbers = DRAW.permutation(np.arange(10_000, 99_999))[:PEOPLE]
    values = {"whole": numbers, "decimal": numbers / 7, "word": np.array([f"x{n}q" for n in numbers])}[made]
    frame = pl.DataFrame({**LASTING, **BODY, header: values[ROW]})
    found = la.inspect(frame)
    assert found[header].role is la.Role.IDENTIFIER
    assert found[header].evidence[0].startswith("200 values for 200 people, each the same in all rows")
    assert found["weight_kg"].role is la.Role.QUASI  # it says what it is, so it is blurred
    assert la.prepare(frame).columns[header].role == "identifier"


def test_what_varies_within_people_or_is_shared_by_many_is_no_key() -> None:
    varies = DRAW.integers(0, 200, len(ROW))
    shared = DRAW.integers(10_000, 10_150, PEOPLE)[ROW]
    found = la.inspect(pl.DataFrame({**LASTING, "xkv": varies, "xkw": shared}))
    assert found["xkv"].role is not la.Role.IDENTIFIER
    assert found["xkw"].role is not la.Role.IDENTIFIER


def test_pseudonyms_of_analytics_are_keys_whatever_their_values_look_like() -> None:
    values = [f"{i * 6_007_331 % 10**10:010d}.{i * 7_003_009 % 10**10:010d}" for i in range(1, PEOPLE + 1)]
    for header in (
        "user_pseudo_id",
        "pseudonym",
        "cid",
        "client_id",
        "anonymousId",
        "Pseudonym",
        "pat_pseudo",
    ):
        for given in (values, [int(v[:10]) for v in values], [v.replace(".", "-") for v in values]):
            rows = pl.DataFrame({header: np.array(given)[ROW], "age": LASTING["birth_year"]})
            found = la.inspect(rows)
            assert (found[header].role, found[header].concept) == ("identifier", "person_id"), header
            assert found.unit() == header


def test_cid_is_an_illness_where_its_values_are_codes_of_illness() -> None:
    codes = ["I10", "E11.9", "J45.0", "F32.1", "M54.5", "C50.9", "K21.0", "N18.3", "A09", "B34.2"]
    found = la.inspect(pl.DataFrame({"cid": [codes[i % 10] for i in range(200)], "idade": range(200)}))
    assert found["cid"].concept == "diagnosis"
