"""What a column tells about a private one is more than luck, also where people have several rows."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.recognition.telling import told_share

DRAW = np.random.default_rng(8)
PERSON = np.repeat(np.arange(400), 4)


def visits(seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    told = draw.choice(["flu", "asthma", "migraine"], 400)
    return pl.DataFrame(
        {
            "patient_id": [f"P{i:04d}" for i in PERSON],
            "birth_year": draw.integers(1940, 2010, 400)[PERSON],
            "clinic": np.where(draw.random(400) < 0.8, told, "other")[PERSON],
            "diagnosis": told[PERSON],
        }
    )


@pytest.mark.parametrize("seed", range(3))
def test_what_lasts_about_people_tells_no_more_than_luck(seed: int) -> None:
    frame = visits(seed)
    people = la.table(frame, others=[], unit="patient_id")
    columns = [people.column(name) for name in ("birth_year", "clinic", "diagnosis")]
    whose = people.column("patient_id").codes
    assert told_share(columns[0], columns[2]) > 0.1  # by rows, luck seems to be more
    assert told_share(columns[0], columns[2], whose) < 0.08
    assert told_share(columns[1], columns[2], whose) > 0.6
    shuffled = la.table(frame.sample(fraction=1, shuffle=True, seed=1), others=[], unit="patient_id")
    again = [shuffled.column(name) for name in ("birth_year", "clinic", "diagnosis", "patient_id")]
    for one, other in zip(columns[:2], again[:2], strict=True):
        assert told_share(one, columns[2], whose) == told_share(other, again[2], again[3].codes)


def test_words_that_seem_to_be_one_are_told_where_people_are_counted_by_them() -> None:
    towns = pl.Series("town", ["Leeds", "LEEDS", "York", "Hull"] * 30)
    names = pl.Series("surname", ["de Vries", "De Vries", "Smith", "Jones", "O'Brien", "Khan"] * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error", la.LookalikeWarning)
        found = la.inspect(pl.DataFrame({"surname": names, "age": DRAW.integers(20, 60, 120)}))
        assert found["surname"].role == "identifier"
        la.table(pl.DataFrame([names]), identifiers=["surname"]).column("surname")
    with pytest.warns(la.LookalikeWarning, match="'town': 1 value differs from another one only by case"):
        la.inspect(pl.DataFrame([towns]))
    with pytest.warns(la.LookalikeWarning, match="'town': 1 value differs from another one only by case"):
        la.table(pl.DataFrame([towns]), quasi=["town"]).cells()
