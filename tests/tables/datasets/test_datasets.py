"""The synthetic population: same seed, same bytes; believable people; as identifying as the case study's table."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import polars as pl
import pytest

import lookalike as la
from lookalike.tables.datasets.people import REFERENCE_DAY, population, population_groupings, regions

QUASI = ["area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation"]


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return population(100_000, seed=0)


def digest(people: pl.DataFrame) -> str:
    return hashlib.sha256(people.write_csv().encode()).hexdigest()


def classes_and_uniques(people: pl.DataFrame) -> tuple[int, int]:
    sizes = people.group_by(QUASI).len()["len"]
    return len(sizes), int((sizes == 1).sum())


def coarsened(people: pl.DataFrame, column: str) -> pl.DataFrame:
    group_of = {value: group for group, values in population_groupings()[column].items() for value in values}
    return people.with_columns(pl.col(column).replace_strict(group_of, return_dtype=pl.String))


def share(people: pl.DataFrame, condition: pl.Expr) -> float:
    return people.select(condition.mean()).item()


def test_columns_are_those_of_the_case_study(people: pl.DataFrame) -> None:
    identifying = ["name", "area", "postcode", "dob", "age", *QUASI[2:]]
    sensitive = ["income", "on_benefits", "home_ownership", "credit_score"]
    assert people.columns == identifying + sensitive
    assert people.null_count().row(0) == (0,) * 14


def test_the_same_seed_gives_the_same_bytes_on_every_machine() -> None:
    assert (
        digest(population(2_000, seed=7))
        == "32033fc9283af1996b2fa4b84024b3f2bc4d0ca6481dab1494a8139fb46836e4"
    )


def test_the_number_of_threads_changes_nothing() -> None:
    script = (
        "import hashlib, lookalike as la;"
        "print(hashlib.sha256(la.datasets.population(20_000, seed=3).write_csv().encode()).hexdigest())"
    )
    one = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "POLARS_MAX_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert one.stdout.strip() == digest(population(20_000, seed=3))


def test_another_seed_gives_other_people() -> None:
    assert digest(population(100, seed=0)) != digest(population(100, seed=1))


def test_a_small_population_is_the_beginning_of_a_large_one(people: pl.DataFrame) -> None:
    assert population(1_000, seed=0).equals(people.head(1_000))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_populations_have_the_same_columns_and_types(n: int, people: pl.DataFrame) -> None:
    tiny = population(n, seed=0)
    assert len(tiny) == n
    assert tiny.schema == people.schema


@pytest.mark.parametrize(("n", "seed"), [(-1, 0), (1.5, 0), (True, 0), (10, -1), (10, "0"), (10, None)])
def test_wrong_requests_are_refused_by_name(n: object, seed: object) -> None:
    with pytest.raises(la.RequestError, match=r"population: `(n|seed)` must be a whole number"):
        population(n, seed=seed)


def test_age_is_the_completed_years_since_dob(people: pl.DataFrame) -> None:
    day = REFERENCE_DAY
    had_birthday = pl.col("dob").dt.strftime("%m-%d") <= f"{day:%m-%d}"
    years = day.year - pl.col("dob").dt.year() - 1 + had_birthday.cast(pl.Int32)
    assert people.select((pl.col("age") == years).all()).item()
    assert people["age"].min() == 16
    assert people["age"].max() == 95


def test_postcodes_have_the_shape_of_uk_postcodes(people: pl.DataFrame) -> None:
    shaped = pl.col("postcode").str.contains(r"^[A-Z]{1,2}[0-9]{1,2} [0-9][ABD-HJLNP-UW-Z]{2}$")
    assert people.select(shaped.all()).item()


def test_an_outward_postcode_belongs_to_one_district(people: pl.DataFrame) -> None:
    outward = people.select(pl.col("postcode").str.split(" ").list.first(), "area").unique()
    assert outward["postcode"].is_unique().all()


def test_there_are_318_districts_in_ten_regions_and_all_occur(people: pl.DataFrame) -> None:
    assert len(regions()) == 318
    assert len(set(regions().values())) == 10
    assert set(population(300_000, seed=0)["area"]) == set(regions())


def test_every_value_is_in_exactly_one_group(people: pl.DataFrame) -> None:
    for column, groups in population_groupings().items():
        values = [value for members in groups.values() for value in members]
        assert len(values) == len(set(values)), column
        assert set(people[column].unique()) <= set(values), column


def test_groupings_are_those_of_the_case_study() -> None:
    groupings = population_groupings()
    assert list(groupings) == [column for column in QUASI if column != "gender"]
    assert list(groupings["age"]) == ["16-29", "30-44", "45-59", "60+"]
    assert groupings["num_children"] == {"0": [0], "1-3": [1, 2, 3], "4+": [4, 5, 6]}
    assert groupings["qualifications"] == {
        "none": ["none"],
        "lower": ["level 1", "level 2", "level 3"],
        "higher": ["apprenticeship", "bachelor"],
        "postgraduate": ["postgraduate"],
    }
    assert set(groupings["marital_status"]) == {"married", "never married", "previously married"}
    assert len(groupings["occupation"]) == 7


def test_groupings_are_fresh_so_changing_one_changes_nobody_else() -> None:
    population_groupings()["age"]["16-29"].clear()
    assert population_groupings()["age"]["16-29"]


def test_people_are_as_identifiable_as_in_the_case_study_after_every_step(people: pl.DataFrame) -> None:
    published = {  # classes and unique rows, about 100,000 people
        "gender": (97_358, 95_426),
        "area": (81_432, 71_623),
        "age": (39_622, 21_572),
        "marital_status": (36_850, 18_455),
        "num_children": (22_472, 7_485),
        "qualifications": (12_827, 3_489),
        "occupation": (9_911, 2_561),
    }
    for column, counts in published.items():
        if column != "gender":
            people = coarsened(people, column)
        assert classes_and_uniques(people) == pytest.approx(counts, rel=0.25), column


def test_life_stages_are_believable(people: pl.DataFrame) -> None:
    young, old = people.filter(pl.col("age") < 20), people.filter(pl.col("age") >= 80)
    assert share(young, pl.col("marital_status") == "single") > 0.95
    assert share(young, pl.col("num_children") > 2) < 0.01
    assert share(young, pl.col("qualifications").is_in(["bachelor", "postgraduate"])) == 0
    assert share(old, pl.col("occupation") == "none") > 0.95
    assert share(old, pl.col("marital_status") == "widowed") > 0.3
    assert share(old, pl.col("home_ownership") == "yes") > 10 * share(
        young, pl.col("home_ownership") == "yes"
    )


def test_gender_moves_income_in_administration_and_trades_only() -> None:
    everyone = population(1_000_000, seed=0)
    mean = everyone.group_by("occupation", "gender").agg(pl.col("income").mean()).rows()
    pay = {(occupation, gender): income for occupation, gender, income in mean}
    for occupation in everyone["occupation"].unique():
        ratio = pay[occupation, "male"] / pay[occupation, "female"]
        expected = 1.05 if occupation in ("administrative", "skilled trades") else 1.0
        assert ratio == pytest.approx(expected, abs=0.015), occupation


def test_benefits_go_with_little_schooling_and_differ_by_region(people: pl.DataFrame) -> None:
    claims = pl.col("on_benefits") == "yes"
    low = people.filter(pl.col("qualifications") == "level 1")
    high = people.filter(pl.col("qualifications") == "postgraduate")
    assert share(low, claims) > 2 * share(high, claims)
    by_region = coarsened(people, "area").group_by("area").agg(claims.mean())["on_benefits"]
    assert by_region.max() - by_region.min() > 0.03


def test_credit_score_rises_with_income_and_age(people: pl.DataFrame) -> None:
    assert people.select(pl.corr("income", "credit_score")).item() > 0.3
    adults = people.filter(pl.col("age") < 60)
    assert adults.select(pl.corr("age", "credit_score")).item() > 0.2
    assert people["credit_score"].is_between(0, 999).all()
    assert (people["income"] > 0).all()
