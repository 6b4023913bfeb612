"""A hierarchy for columns without one: by kind, balanced, quick for large domains."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.columns.coding import encode
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies import Hierarchy, education
from lookalike.tables.hierarchies.by_meaning import names_in_numbers
from lookalike.tables.hierarchies.countries import SOURCE
from tables.hierarchies.trees import days, integers, labels_of, nominal


@pytest.mark.parametrize(
    ("domain", "how"),
    [
        (integers(*range(50)), "cuts"),
        (integers(1, 2), "cuts"),
        (days("2024-01-01", "2024-01-02"), "dates"),
        (nominal([f"{i:05d}" for i in range(50)]), "mask"),
        (nominal([f"{i % 7:02d}-{i:05d}" for i in range(50)]), "parts"),
        (nominal([f"E{i}.{i % 3}" for i in range(50)]), "prefixes"),
        (nominal([f"AB{i} 1XY" for i in range(50)]), "prefixes"),
        (nominal([f"{i} to {i + 9} years" for i in range(50)]), "rows"),
        (nominal([f"person {i}" for i in range(20_000)]), "prefixes"),
        (nominal(["a", "b", "c"]), "rows"),
        (nominal([]), "rows"),
        (Domain(Kind.ORDINAL, np.array(["low", "mid", "high"], dtype=object)), "ordering"),
    ],
)
def test_the_recipe_fits_the_kind_of_column(domain: Domain, how: str) -> None:
    tree = Hierarchy.automatic().grow(domain)
    assert tree.recipe.how == how
    assert len(tree.labels[-1]) == 1


def test_texts_like_dates_never_keep_the_day_where_the_year_goes() -> None:
    wrong = [f"{1 + i % 31:02}.02.{1950 + i}" for i in range(60)]  # some of these days there are not
    assert labels_of(Hierarchy.automatic().grow(nominal(wrong)), 6)[0] == "******1950"
    short = [f"{1 + i % 12:02}/{1 + i % 7:02}/{10 + i % 20}" for i in range(60)]  # nobody knows the order
    tree = Hierarchy.automatic().grow(nominal(short))
    assert [len(labels) for labels in tree.labels] == [len(set(short)), 1]
    sort_codes = [f"{20 + i % 4}-{40 + i}-53" for i in range(40)]
    assert Hierarchy.automatic().grow(nominal(sort_codes)).recipe.how == "parts"


def test_an_ordinal_column_keeps_its_order() -> None:
    tree = Hierarchy.automatic().grow(Domain(Kind.ORDINAL, np.array(["low", "mid", "high"], dtype=object)))
    assert labels_of(tree, 1) == ["[low, mid]", "[low, mid]", "high"]


@settings(deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=3, max_size=40))
def test_frequent_values_stay_by_themselves_longest(counts: list[int]) -> None:
    domain = nominal([f"v{i:02d}" for i in range(len(counts))])
    tree = Hierarchy.automatic().grow(domain, np.array(counts))
    groups = [len(labels) for labels in tree.labels]
    assert all(b == (a + 1) // 2 for a, b in pairwise(groups) if a > 2)
    alone = np.array([tree.join(i, j) for i in range(len(counts)) for j in [(i + 1) % len(counts)]])
    assert (alone >= 1).all()
    merged = [code for code in range(len(counts)) if tree.leaves[1][tree.up[1][code]] > 1]
    single = [code for code in range(len(counts)) if tree.leaves[1][tree.up[1][code]] == 1]
    assert not single or max(counts[c] for c in single) >= max(counts[c] for c in merged)


def test_ten_thousand_words_grow_and_their_labels_stay_short() -> None:
    words = [f"word {i} of many" for i in range(10_000)]
    tree = Hierarchy.automatic().grow(nominal(words), np.arange(10_000))
    assert 1 < len(tree.labels[1]) <= 5_000
    assert tree.height >= 4
    assert max(len(label or "") for labels in tree.labels[1:] for label in labels) < 120
    assert tree.join(0, 9_999) > 0


def by_meaning(concept: str, domain: Domain) -> list[list[str]]:
    tree = Hierarchy.automatic(concept).grow(domain)
    return [labels_of(tree, level) for level in range(1, len(tree.labels))]


def test_ages_come_in_bands_people_use() -> None:
    fives, tens, twenties, phases, _ = by_meaning("age", integers(17, 23, 38, 61, 95))
    assert fives == ["< 20", "[20, 25)", "[35, 40)", "[60, 65)", ">= 90"]
    assert tens == ["< 20", "[20, 30)", "[30, 40)", "[60, 70)", ">= 90"]
    assert twenties == ["< 20", "[20, 40)", "[20, 40)", "[60, 80)", ">= 80"]
    assert phases == ["< 20", "[20, 60)", "[20, 60)", ">= 60", ">= 60"]


def test_numbers_of_children_come_as_none_one_two_and_more() -> None:
    assert by_meaning("children", integers(0, 1, 2, 4, 7))[:2] == [
        ["< 1", "[1, 2)", "[2, 3)", "[3, 5)", ">= 5"],
        ["< 1", "[1, 3)", "[1, 3)", "[3, 5)", ">= 5"],
    ]


def test_codes_keep_their_first_parts() -> None:
    codes = sorted(f"{i % 3}-{i:03d}" for i in range(12))
    assert by_meaning("place", nominal(codes))[0] == [f"{code[0]}-*" for code in codes]


def test_diagnoses_keep_their_chapter() -> None:
    level = by_meaning("diagnosis", nominal(["A01.1", "A01.2", "E10", "E11.9", "J45.0"]))
    assert level[0] == ["A01*", "A01*", "E10*", "E11*", "J45*"]
    assert level[1] == ["A*", "A*", "E*", "E*", "J*"]


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=60, unique=True), st.integers(0, 2**32 - 1)
)
def test_cuts_of_numbers_nest(numbers: list[int], seed: int) -> None:
    domain = integers(*sorted(numbers))
    counts = np.random.default_rng(seed).integers(1, 1000, len(numbers))
    tree = Hierarchy.automatic("measurement").grow(domain, counts)
    points = tree.recipe.options["points"]
    assert all(set(coarse) <= set(fine) for fine, coarse in pairwise(points))
    assert len(tree.labels[-1]) == 1


@settings(deadline=None, max_examples=200)
@given(st.integers(-18, 12), st.integers(0, 10**9), st.integers(2, 10**5), st.integers(0, 2**32 - 1))
def test_cuts_of_decimals_nest_and_are_round(power: int, first: int, reach: int, seed: int) -> None:
    drawn = np.random.default_rng(seed).integers(0, reach, 300) + first
    column = encode(pl.Series("x", drawn * 10.0**power), kind=Kind.DECIMAL, na=())
    tree = Hierarchy.automatic("measurement").grow(column.domain, column.counts)
    points = tree.recipe.options["points"]
    assert all(set(coarse) <= set(fine) for fine, coarse in pairwise(points))
    assert all(
        len(repr(point).strip("-0.").split("e")[0].strip("0")) <= 14 for level in points for point in level
    )


def test_a_spike_of_zeros_leaves_cuts_among_the_rest() -> None:
    domain = integers(0, *range(1000, 60_000, 1000))
    points = (
        Hierarchy.automatic("wealth").grow(domain, np.array([10_000, *[3] * 59])).recipe.options["points"]
    )
    assert len(points[0]) > 10
    assert all(point % 1000 == 0 for point in points[0])


def test_countries_go_by_the_regions_of_the_united_nations_by_name_and_by_code() -> None:
    parts, regions, root = by_meaning(
        "nationality", nominal(["Cuba", "Haiti", "JM", "POL", "South", "United-States"])
    )
    assert parts == [*["Caribbean"] * 3, "Eastern Europe", "other countries", "Northern America"]
    assert regions == [*["Americas"] * 3, "Europe", "other countries", "Americas"]
    assert set(root) == {"*"}


def test_a_column_of_places_that_are_no_countries_gets_no_regions() -> None:
    towns = nominal(["Georgia", "Jordan", "Leeds", "Namur", "York"])
    assert Hierarchy.automatic("place").grow(towns).recipe.options.get("source") != SOURCE


def test_no_country_is_listed_twice_with_different_regions() -> None:
    text = files("lookalike.tables.hierarchies").joinpath("countries.toml").read_text(encoding="utf-8")
    names = [
        name
        for parts in tomllib.loads(text).values()
        for countries in parts.values()
        for country in countries
        for name in country.split(", ")
    ]
    assert len(names) == len(set(names))
    codes = [name for name in names if len(name) == 3 and name.isupper()]
    assert len(codes) >= 230


def test_postcodes_that_begin_with_letters_keep_their_area() -> None:
    codes = ["EN1 4FB", "HA2 9ZZ", "S11 3NE", "SW1A 1AA", "TR14 4FB"]
    levels = by_meaning("postcode", nominal(codes))
    assert levels[-2] == ["EN*", "HA*", "S*", "SW*", "TR*"]
    assert levels[-3] == ["EN1*", "HA2*", "S11*", "SW1*", "TR14*"]
    assert Hierarchy.parts("letters").grow(nominal(["", "K1A 0B1"])).labels[-2] == ("", "K*")


@pytest.mark.parametrize(
    ("label", "isced"),
    [
        ("Preschool", 0), ("none", 0), ("1st-4th", 1), ("7th-8th", 2), ("12th", 2), ("Some high school", 2),
        ("HS-grad", 3), ("High school", 3), ("Abitur", 3), ("Berufsausbildung", 3), ("Upper secondary", 3),
        ("Some-college", 4), ("Assoc-acdm", 5), ("Bachelors", 6), ("Fachhochschule", 6), ("Prof-school", 7),
        ("Masters", 7), ("postgraduate", 7), ("Doctorate", 8), ("Ph.D.", 8), ("kein Abschluss", 0), ("level 2", 2),
        ("blue", None), ("Realschule", 2), ("Universidad", 6), ("Primary school", 1),
    ],
)  # fmt: skip
def test_labels_of_education_are_read_by_their_words(label: str, isced: int | None) -> None:
    assert education._level(label) == isced


def test_education_goes_by_the_levels_of_isced() -> None:
    labels = ["10th", "11th", "Bachelors", "HS-grad", "Masters", "Some-college"]
    levels, groups, root = by_meaning("education", nominal(labels))
    assert levels[:3] == ["ISCED 2: lower secondary", "ISCED 2: lower secondary", "ISCED 6: bachelor"]
    low, medium, high = education.GROUPS
    assert groups == [low, low, high, medium, high, medium]
    assert set(root) == {"*"}
    assert education.by_isced(["blue", "green", "HS-grad", "Masters", "10th", "red"]) is None


def test_codes_of_occupations_and_industries_are_names_that_keep_their_beginnings() -> None:
    isco = list(range(2111, 2190))
    assert names_in_numbers("occupation", integers(*isco))
    assert names_in_numbers("employment", integers(111110, *range(541110, 541180)))
    assert not names_in_numbers("employment", integers(*range(1, 99)))  # hours a week
    assert not names_in_numbers("income", integers(*isco))
    level = by_meaning("occupation", nominal([str(code) for code in isco]))
    assert level[0][0] == "211*"
    assert level[1][0] == "21**"


def test_values_written_like_sets_of_others_get_no_sets_for_groups() -> None:
    people = la.table(
        pl.DataFrame({"q": ["*", "{a, b}", "a", "b", "[a, b]"]}), quasi=["q"], types={"q": "nominal"}
    )
    assert people.tree("q").height == 1


def test_numbers_farther_apart_than_floats_can_say_have_round_groups() -> None:
    greatest = float(np.finfo(float).max)
    column = encode(pl.Series("x", [-greatest, 0.0, 3.5, greatest] * 5), kind=None, na=())
    assert Hierarchy.automatic().grow(column.domain, column.counts).height > 0
