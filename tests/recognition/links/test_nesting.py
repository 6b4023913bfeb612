"""Columns that say the same, and columns that lie below others."""

from __future__ import annotations

import numpy as np
import polars as pl

import lookalike as la
from lookalike.recognition.links.nesting import Above, lies_below, most_common_above, say_the_same


def places() -> la.Table:
    rng = np.random.default_rng(0)
    district = rng.integers(0, 12, 600)
    frame = pl.DataFrame(
        {
            "district": [f"d{d:02d}" for d in district],
            "district_id": district + 500,
            "region": [f"r{d // 4}" for d in district],
            "sex": rng.choice(["f", "m"], 600),
            "visit": [f"v{i}" for i in range(600)],
        }
    )
    return la.table(frame, others=[])


def test_a_code_says_the_same_as_its_description_and_the_words_stay() -> None:
    assert say_the_same(places(), ["district_id", "district", "region", "sex"]) == {"district_id": "district"}


def test_a_district_lies_below_its_region_and_nothing_else() -> None:
    people = places()
    assert lies_below(people, "district", ["region", "sex", "district_id"]) == Above("region", 0)
    assert lies_below(people, "region", ["sex"]) is None
    above = most_common_above(people, "district", Above("region", 0))
    assert above == [f"r{d // 4}" for d in range(12)]


def test_a_column_of_single_values_lies_below_nothing_by_chance() -> None:
    assert lies_below(places(), "visit", ["region", "sex"]) is None


def test_a_prepared_run_blurs_districts_by_regions() -> None:
    people = places()
    frame = people.rows.select("district", "district_id", "region", "sex")
    recipe = la.prepare(frame)
    tree = recipe.hierarchy_of("district").grow(people.column("district").domain)
    assert set(tree.labels[1]) == {"region: r0", "region: r1", "region: r2"}


def test_a_town_lies_below_the_first_letters_of_its_postcodes() -> None:
    rng = np.random.default_rng(1)
    town = rng.integers(0, 40, 800)
    letters = ["TR", "S", "HA", "SR", "B"]
    codes = [f"{letters[t % 5]}{rng.integers(1, 20)} {rng.integers(1, 9)}AB" for t in town]
    frame = pl.DataFrame({"town": [f"town {t:02d}" for t in town], "postcode": codes})
    people = la.table(frame, others=[])
    above = lies_below(people, "town", ["postcode"])
    assert above is not None
    assert set(most_common_above(people, "town", above)) == {f"{one}*" for one in letters}


def people_at_home(n: int = 1000) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    town = rng.integers(0, 40, n)
    born = np.datetime64("2020-01-01") - rng.integers(18 * 365, 90 * 365, n)
    return pl.DataFrame(
        {
            "town": [f"Town {chr(65 + t // 5)}{chr(97 + t % 5)}" for t in town],
            "postcode": [
                f"{'ABCDE'[t % 5]}B{rng.integers(1, 20)} {rng.integers(1, 9)}{chr(65 + i % 26)}B"
                for i, t in enumerate(town)
            ],
            "date_of_birth": born.astype("datetime64[D]"),
            "age": ((np.datetime64("2020-01-01") - born).astype(int) // 365).astype(int),
            "sex": rng.choice(["f", "m"], n),
        }
    )


def test_what_is_too_fine_is_left_out_where_a_coarser_column_says_the_same_and_the_recipe_says_why() -> None:
    recipe = la.prepare(people_at_home())
    assert {name for name, column in recipe.columns.items() if column.drop} == {"postcode", "date_of_birth"}
    assert "which 'age' tells less exactly: left out" in recipe.columns["date_of_birth"].reason
    assert "'town' says where people live: left out" in recipe.columns["postcode"].reason
    people = la.table(people_at_home(), others=[])
    tree = recipe.hierarchy_of("town").grow(people.column("town").domain)
    assert set(tree.labels[1]) == {f"postcode: {letter}B*" for letter in "ABCDE"}


def test_ages_and_births_of_different_people_both_stay() -> None:
    frame = people_at_home().rename({"date_of_birth": "date_of_birth_of_child"})
    shuffled = frame.with_columns(pl.col("date_of_birth_of_child").shuffle(seed=1))
    recipe = la.prepare(shuffled)
    assert not recipe.columns["date_of_birth_of_child"].drop


def test_a_fine_column_with_enough_people_in_each_value_stays() -> None:
    recipe = la.prepare(places().rows.select("district", "region", "sex"))
    assert not any(column.drop for column in recipe.columns.values())
