"""Whose rows they are: what tells people apart is told from what households, doctors and machines share."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la

N = 900
DRAW = np.random.default_rng(4)
PERSON = np.sort(DRAW.integers(0, 300, N))  # about three rows each
BORN = DRAW.integers(1940, 2010, 300)[PERSON]
SEX = DRAW.choice(["f", "m"], 300)[PERSON]
LASTING = {"birth_year": BORN, "sex": SEX}
VISITS = {"ward": DRAW.choice(["a", "b", "c"], N)}
FIRST = np.array(["Anna", "Emil", "Ida", "Klaus", "Petra", "Uwe"])
LAST = np.array(["Bauer", "Frank", "Hofmann", "Jung", "Krause", "Lang", "Vogel", "Weiss"])


def phone(of: np.ndarray) -> list[str]:
    return [f"+43 660 {4_000_000 + 137 * int(i)}" for i in of]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("imsi", [f"26201{7 * i:010d}" for i in PERSON]),
        ("telefon", phone(PERSON)),
        ("email", [f"p{i}@example.org" for i in PERSON]),
        ("konto", [f"AT{11 + i % 80}{10**13 + 977 * int(i)}" for i in PERSON]),
        ("name", [f"{FIRST[i % 6]} {LAST[i % 8]} {i}" for i in PERSON]),
    ],
)
def test_what_is_one_persons_in_several_rows_tells_people_apart(name: str, values: list[str]) -> None:
    name = "iban" if name == "konto" else name
    found = la.inspect(pl.DataFrame({name: values, **LASTING, **VISITS}))
    assert found.unit() == name


def test_ages_that_grow_between_rows_are_one_persons() -> None:
    age = 2024 - BORN + DRAW.integers(0, 3, N)
    found = la.inspect(pl.DataFrame({"telefon": phone(PERSON), "age": age, "sex": SEX}))
    assert found.unit() == "telefon"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("telefon", phone(PERSON)),
        ("email", [f"p{i}@example.org" for i in PERSON]),
        ("name", [f"{FIRST[i % 6]} {LAST[i // 6 % 8]}" for i in DRAW.integers(0, 48, N)]),
        ("device_id", [f"dev-{i:05d}" for i in DRAW.integers(0, 30, N)]),
    ],
    ids=["a household's phone", "a household's e-mail", "a doctor's name", "a machine"],
)
def test_what_several_people_share_does_not(name: str, values: list[str]) -> None:
    people = {"birth_year": DRAW.integers(1940, 2010, N), "sex": DRAW.choice(["f", "m"], N)}
    found = la.inspect(pl.DataFrame({name: values, **people, **VISITS}))
    assert found.unit() is None
    assert found.whose_rows().doubt == ""


def test_where_nothing_lasts_the_question_is_asked_aloud() -> None:
    frame = pl.DataFrame({"telefon": phone(PERSON), "town": DRAW.choice(["Graz", "Wien"], N), **VISITS})
    assert la.inspect(frame).unit() == "telefon"
    with pytest.warns(
        la.LookalikeWarning, match="'telefon' has 28. different values in 900 rows, so people may"
    ):
        assert la.prepare(frame).source["unit"] == "telefon"


def test_names_with_dates_of_birth_that_come_again_are_asked_about() -> None:
    born = np.datetime64("1950-01-01") + (BORN - 1940) * 300 + PERSON
    frame = pl.DataFrame(
        {"first_name": FIRST[PERSON % 6], "last_name": LAST[PERSON % 8], "dob": born, "sex": SEX}
    )
    assert "the same names come again" in la.inspect(frame).whose_rows().doubt
    once = frame.unique()
    assert la.inspect(once).whose_rows().doubt == ""


def test_rows_that_do_not_say_whose_they_are_are_left_out() -> None:
    keys = [None if row in (5, 40) else f"P{i:04d}" for row, i in enumerate(PERSON)]
    frame = pl.DataFrame({"patient_id": keys, **LASTING, **VISITS})
    recipe = la.prepare(frame)
    assert recipe.source["unit"] == "patient_id"
    with pytest.warns(la.LookalikeWarning, match="2 rows without a value in 'patient_id'.*left out"):
        release = la.run(recipe, source=frame).release
    assert release.rows.height <= N - 2
    assert release.records == N
    assert release.suppressed == N - release.rows.height
    assert 0 < release.loss <= 1
    many = frame.with_columns(patient_id=pl.when(pl.int_range(N) % 3 > 0).then("patient_id"))
    with pytest.warns(la.LookalikeWarning, match="'patient_id' has"):
        assert "unit" not in la.prepare(many).source


def test_anonymize_warns_of_several_rows_by_what_lasts() -> None:
    frame = pl.DataFrame({"telefon": phone(PERSON), **LASTING})
    people = la.table(frame, identifiers=["telefon"], quasi=["birth_year", "sex"])
    with pytest.warns(la.LookalikeWarning, match="Do people have several rows"):
        la.anonymize(people, la.KAnonymity(3))
    shared = la.table(
        frame.with_columns(sex=pl.Series(DRAW.choice(["f", "m"], N))),
        identifiers=["telefon"],
        quasi=["birth_year", "sex"],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", la.LookalikeWarning)
        la.anonymize(shared, la.KAnonymity(3))


def test_a_number_that_is_given_out_anew_in_each_place_tells_nobody_apart() -> None:
    numbers = [f"{i % 150:04d}" for i in range(N)]
    once = {"sex": DRAW.choice(["f", "m"], N), "birth_year": DRAW.integers(1940, 2010, N)}
    found = la.inspect(pl.DataFrame({"patient_id": numbers, **once, **VISITS}))
    assert found.roles["patient_id"] == "identifier"
    assert found.unit() is None
    mistyped = pl.DataFrame({"patient_id": [f"P{i:04d}" for i in PERSON], **LASTING, **VISITS}).with_columns(
        birth_year=pl.when(pl.int_range(N) % 3 == 0).then(1900).otherwise("birth_year")
    )
    assert la.inspect(mistyped).unit() == "patient_id"


def test_the_inspected_table_and_frames_without_roles_count_people() -> None:
    frame = pl.DataFrame({"patient_id": [f"P{i:04d}" for i in PERSON], **LASTING, **VISITS})
    found = la.inspect(frame)
    assert found.table.unit == "patient_id"
    cells = la.table(frame, quasi=found.quasi, unit="patient_id", others=[]).cells()
    alone = {person for (person, *_), n in _people_alone(frame, found.quasi).items() if n == 1}
    assert found.uniqueness == pytest.approx(len(alone) / frame["patient_id"].n_unique())
    with pytest.warns(la.LookalikeWarning, match="unit='patient_id'"):
        risk = la.risk(frame)
    assert (risk.people, risk.k) == (frame["patient_id"].n_unique(), int(cells.counts.min()))


def _people_alone(frame: pl.DataFrame, quasi: list[str]) -> dict[tuple[str, ...], int]:
    """Each person beside each of their tuples, and how many people have that."""
    whose: dict[tuple[str, ...], set[str]] = {}
    for row in frame.iter_rows(named=True):
        whose.setdefault(tuple(row[name] for name in quasi), set()).add(row["patient_id"])
    return {(person, *held): len(people) for held, people in whose.items() for person in people}


def test_rows_without_an_owner_are_left_out_of_attacks_as_they_were_of_the_release(tmp_path: Path) -> None:
    keys = [None if row in (5, 40) else f"P{i:04d}" for row, i in enumerate(PERSON)]
    frame = pl.DataFrame({"patient_id": keys, **LASTING, **VISITS})
    with pytest.warns(la.LookalikeWarning, match="2 rows without a value"):
        la.run(la.prepare(frame), source=frame, output=tmp_path / "out")
    with pytest.warns(la.LookalikeWarning, match="2 rows without a value"):
        found = la.attack(frame, tmp_path / "out", only=["linkage"])
    assert found.to_dict()["attacks"]
