"""Neighbours speak for a column: runs of like names, tables about things, columns that say the same."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from tables.meanings.tables import read_tables

N = 200
RNG = np.random.default_rng(11)


def answers(high: int = 4) -> list[int]:
    return RNG.integers(1, high + 1, N).tolist()


def test_like_named_columns_with_the_same_few_values_are_a_questionnaire() -> None:
    items = {f"Q{i}A": answers() for i in range(1, 7)}
    found = la.inspect(pl.DataFrame({**items, "age": RNG.integers(18, 80, N)}))
    assert found.having("sensitive") == list(items)
    assert {found[name].concept for name in items} == {"answers"}
    few = la.inspect(pl.DataFrame({"Q1A": answers(), "Q2A": answers(), "age": RNG.integers(18, 80, N)}))
    assert few.undecided == ["Q1A", "Q2A"]


def test_a_run_of_settings_of_a_machine_is_no_questionnaire() -> None:
    rows = pl.DataFrame({f"valve{i}": answers() for i in range(1, 9)})
    assert la.inspect(rows).undecided == rows.columns


def test_items_with_unlike_values_are_no_questionnaire() -> None:
    rows = {f"zk{i}": (RNG.integers(0, 3, N) + 20 * i).tolist() for i in range(6)}
    assert set(rows) <= set(la.inspect(pl.DataFrame({**rows, "age": RNG.integers(18, 80, N)})).undecided)


def test_a_column_that_says_what_a_quasi_identifier_says_is_one() -> None:
    city = RNG.choice(["Leeds", "York", "Hull", "Bath"], N)
    rows = pl.DataFrame(
        {
            "city": city,
            "kzx": pl.Series(city).replace_strict({"Leeds": 4, "York": 8, "Hull": 2, "Bath": 7}),
            "half": pl.Series(city).replace_strict({"Leeds": "u", "York": "u", "Hull": "v", "Bath": "v"}),
            "free": RNG.integers(0, 9, N),
        }
    )
    found = la.inspect(rows)
    assert found.quasi == ["city", "kzx", "half"]
    assert found["kzx"].evidence[0] == "kzx is one to one with city, which outsiders may know"
    assert found.undecided == ["free"]
    assert found.linked == ()


def test_a_column_that_says_what_a_sensitive_one_says_is_as_sensitive() -> None:
    ill = RNG.choice(["asthma", "diabetes", "migraine"], N)
    code = pl.Series(ill).replace_strict({"asthma": 3, "diabetes": 1, "migraine": 2})
    found = la.inspect(pl.DataFrame({"diagnosis": ill, "zkx": code, "other": RNG.integers(0, 3, N)}))
    assert found.having("sensitive") == ["diagnosis", "zkx"]
    assert found.undecided == ["other"]


def test_a_table_about_things_has_no_quasi_identifiers() -> None:
    for table in read_tables():
        if table.name in ("houses_of_blocks", "road_accidents"):
            assert la.inspect(table.frame()).quasi == [], table.name


def test_a_person_in_a_table_about_things_keeps_what_is_theirs() -> None:
    table = next(one for one in read_tables() if one.name == "road_accidents")
    found = la.inspect(table.frame().with_columns(driver_age=pl.Series(RNG.integers(18, 80, 300))))
    assert {"driver_age", "City", "Start_Time"} <= set(found.quasi)


def test_row_numbers_are_keys_whatever_they_are_called() -> None:
    rows = pl.DataFrame(
        {"house": range(5, 5 + N), "thing": RNG.permutation(N), "age": RNG.integers(1, 90, N)}
    )
    assert la.inspect(rows).having("identifier") == ["house", "thing"]


@pytest.mark.parametrize("name", ["author", "v3"])
def test_handles_are_recognised_with_and_without_a_name(name: str) -> None:
    handles = [
        f"{word}{sign}{i}" for i, (word, sign) in enumerate([("nightowl", "_"), ("RedKite", "")] * 100)
    ]
    assert la.inspect(pl.DataFrame({name: handles * 2})).having("identifier") == [name]


def test_a_key_of_households_is_not_known_because_it_goes_with_where_they_live() -> None:
    home = np.repeat(np.arange(N // 2), 2)
    rows = pl.DataFrame(
        {
            "latitude": (47 + home / 1000).tolist(),
            "kzx": [f"F{10_000 + 7 * h}" for h in home],
            "age": RNG.integers(3, 80, N),
        }
    )
    found = la.inspect(rows)
    assert found.undecided == ["kzx"]
    assert "may be a key of people or households" in found["kzx"].evidence[0]
