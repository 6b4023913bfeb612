"""What a draft decides where nobody is asked: it errs on the side of leaving out."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.runs.preparing import explain

N = 600
DRAW = np.random.default_rng(9)
HOME = np.sort(DRAW.integers(0, N // 2, N))  # households of about two
PEOPLE = {"age": DRAW.integers(3, 90, N), "sex": DRAW.choice(["f", "m"], N)}


def test_keys_and_contacts_of_households_are_left_out() -> None:
    kept = {"qrz": DRAW.choice(["u", "v", "w"], N)}
    contact = [f"0171/{2_000_000 + 37 * h}" if h % 3 else f"someone{h}@web.org" for h in HOME]
    frame = pl.DataFrame(
        {
            **PEOPLE,
            **kept,
            "lat": 47 + HOME / 1000,
            "kzx": [f"F{7 * h + 10_000}" for h in HOME],
            "qx": contact,
        }
    )
    recipe = la.prepare(frame)
    assert recipe.columns["qx"].role is la.Role.IDENTIFIER
    assert recipe.columns["kzx"].drop
    assert not recipe.columns["qrz"].drop
    nobody = la.prepare(
        frame.select("kzx", "qrz")
    )  # nothing is known to outsiders: all else is taken for known
    assert nobody.columns["kzx"].drop
    assert nobody.columns["qrz"].role is la.Role.QUASI


def test_sensitive_texts_that_find_nearly_everybody_are_left_out_and_warned_about() -> None:
    frame = pl.DataFrame(
        {
            **PEOPLE,
            "mutation": [f"c.{17 * i}A>T" for i in range(N)],
            "diagnosis": DRAW.choice(["asthma", "flu", "gout"], N),
            "income": DRAW.normal(2_000, 500, N),
        }
    )
    drafted = la.prepare(frame).columns
    assert drafted["mutation"].role is la.Role.SENSITIVE
    assert drafted["mutation"].drop
    assert "100.0% of the records are alone with their value: left out" in drafted["mutation"].reason
    assert not drafted["diagnosis"].drop
    assert drafted["income"].round == 20
    people = la.table(frame, quasi=["age", "sex"], sensitive=["mutation", "diagnosis", "income"])
    with pytest.warns(la.LookalikeWarning, match="a value of its own in: mutation. Published as it is"):
        la.anonymize(people, la.KAnonymity(5))


def test_alone_is_who_has_a_value_that_no_other_person_has() -> None:
    visit = np.repeat(np.arange(N // 3), 3)
    frame = pl.DataFrame(
        {
            "patient_id": [f"P{i:04d}" for i in visit],
            "age": PEOPLE["age"][visit],
            "mutation": [f"c.{17 * i}A>T" for i in visit],
        }
    )
    drafted = la.prepare(frame).columns["mutation"]
    assert drafted.drop
    assert "100.0% of the records have a value that no other person has" in drafted.reason


@pytest.mark.parametrize(("rows", "k"), [(12, 5), (420, 5), (4_999, 5), (5_000, 11), (4, 3)])
def test_the_smallest_group_is_one_that_offices_use_and_the_draft_says_why(rows: int, k: int) -> None:
    frame = pl.DataFrame({"age": DRAW.integers(3, 90, rows), "sex": DRAW.choice(["f", "m"], rows)})
    recipe = la.prepare(frame)
    assert recipe.promises[0] == la.KAnonymity(k)
    size = "smaller" if k == 5 else "larger"
    reason = "there are fewer than 5 rows" if rows < 5 else f"the {size} of the two sizes that offices use"
    why = f"Groups of {k}: {reason}"
    assert why in explain(recipe)
    assert f"# {why}" in recipe.to_toml()
