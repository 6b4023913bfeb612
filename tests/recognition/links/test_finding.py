"""Columns that give a quasi-identifier away are found; accidents, names and ordinary correlation are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from benchmarks.bars import linked_quality
from lookalike.cli import app
from lookalike.recognition.links import finding


def census(n: int = 3000, seed: int = 0) -> pl.DataFrame:
    """Links of every kind beside columns that only look like links."""
    rng = np.random.default_rng(seed)
    area, age, sex = rng.integers(0, 40, n), rng.integers(18, 90, n), rng.integers(0, 2, n)
    density = rng.permutation(1000)[:40] / 7
    year = rng.integers(2000, 2020, n)
    typos = np.where(rng.random(n) < 0.02, rng.integers(0, 40, n), area)
    return pl.DataFrame(
        {
            "area": area,
            "age": age,
            "sex": np.where(sex == 0, "f", "m"),
            "year": year,
            "density": density[area],
            "area name": [f"town {(7 * a) % 40}" for a in area],
            "area typed": typos,
            "region": area // 10,
            "band": age // 5,
            "born": [
                f"{2021 - a}-{1 + d % 12:02}-{1 + d % 28:02}"
                for a, d in zip(age, rng.integers(0, 365, n), strict=True)
            ],
            "serial": np.argsort(np.argsort(age + rng.random(n))),
            "pregnancies": [None if s else int(p) for s, p in zip(sex, rng.integers(0, 5, n), strict=True)],
            "term": year - age,
            "income": np.round(rng.lognormal(9, 0.4, n) + 300 * age),
            "key": rng.permutation(n),
            "rare": rng.random(n) < 0.001,
            "constant": 1,
            "opinion": rng.integers(0, 5, n),
            "weight": rng.random(n).round(3),
        },
        strict=False,
    )


def found(frame: pl.DataFrame, quasi: list[str]) -> dict[tuple[str, ...], tuple[str, tuple[str, ...]]]:
    people = la.table(frame, quasi=quasi, others=[])
    return {link.columns: (link.how, link.quasi) for link in la.linked_columns(people)}


def test_links_of_every_kind_are_found_and_nothing_else() -> None:
    assert found(census(), ["area", "age", "sex"]) == {
        ("density",): ("one to one", ("area",)),
        ("area name",): ("one to one", ("area",)),
        ("area typed",): ("one to one", ("area",)),
        ("region",): ("follows from", ("area",)),
        ("band",): ("follows from", ("age",)),
        ("born",): ("determines", ("age",)),
        ("serial",): ("in step with", ("age",)),
        ("pregnancies",): ("determines", ("sex",)),
        ("year", "term"): ("determines", ("age",)),
    }


@pytest.mark.parametrize("what", ["quasi", "columns"])
def test_a_column_that_is_not_there_is_refused(what: str) -> None:
    people = la.table(pl.DataFrame({"age": [1, 2, 3], "score": [1, 1, 2]}), quasi=["age"], others=["score"])
    with pytest.raises(la.ColumnError, match=f"{what}: there is no column 'scroe'"):
        la.linked_columns(people, **{what: ["scroe"]})


def test_two_quasi_identifiers_together_determine_a_column() -> None:
    frame = census().select("year", "age", "term", "opinion")
    assert found(frame, ["year", "age"]) == {("term",): ("follows from", ("year", "age"))}


@pytest.mark.parametrize("seed", range(20))
def test_independent_columns_raise_no_alarm(seed: int) -> None:
    """Small tables and skewed columns, where chance comes close."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 300))
    frame = pl.DataFrame(
        {
            f"c{i}": rng.integers(0, size, n) ** 2 // 7
            for i, size in enumerate((2, 4, 5, 9, 30, 30, 200, 200, 10**6))
        }
    )
    assert found(frame, ["c1", "c4", "c6"]) == {}


def test_the_order_of_rows_decides_nothing() -> None:
    frame = census(12_000)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    quasi = ["area", "age", "sex"]
    assert found(frame, quasi) == found(shuffled, quasi)


def test_several_rows_of_one_person_are_no_evidence() -> None:
    """A measurement repeated on all rows of a person determines their age, as a name would."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(300), 5)
    frame = pl.DataFrame(
        {
            "person": person,
            "age": rng.integers(18, 90, 300)[person],
            "sex": rng.integers(0, 2, 300)[person],
            "height": rng.integers(1400, 2000, 300)[person],
            "sex code": rng.integers(0, 2, 300)[person],
        }
    ).with_columns(pl.col("sex").alias("sex code"))
    people = la.table(frame, quasi=["age", "sex"], unit="person", others=[])
    assert [(link.columns, link.quasi) for link in la.linked_columns(people)] == [(("sex code",), ("sex",))]


def test_a_person_who_is_alone_in_several_rows_is_one_person() -> None:
    of_80 = [(who, who % 4 + visit) for who in range(80) for visit in range(2)]
    rows = pl.DataFrame([*of_80, (99, 7), (99, 8), (99, 9)], schema=["who", "zip"], orient="row")
    people = la.table(rows.with_columns(code="zip"), quasi=["zip"], unit="who", others=[])
    (link,) = la.linked_columns(people)
    assert (link.known, link.alone, link.alone_known) == (1, 0, 1)


def test_the_fall_of_k_is_counted_with_the_quasi_identifier_blurred() -> None:
    frame = pl.DataFrame(
        {"zip": [1, 2, 3, 4] * 10, "sex": ["f", "m"] * 20, "code": ["a", "b", "c", "d"] * 10}
    )
    (link,) = [
        x for x in la.linked_columns(la.table(frame, quasi=["zip", "sex"], others=[])) if x.quasi == ("zip",)
    ]
    assert (link.k, link.known, link.alone, link.alone_known) == (20, 10, 0, 0)
    assert str(link) == "code is one to one with zip: with zip blurred, k 20 would be 10"


def test_values_that_cannot_be_read_are_passed_over() -> None:
    frame = pl.DataFrame({"zip": [1, 2] * 20, "list": [[1], [2]] * 20, "far": [np.inf, 1.0] * 20})
    assert la.linked_columns(la.table(frame, quasi=["zip"], others=[])) == ()


def test_no_quasi_identifiers_is_refused() -> None:
    with pytest.raises(la.RequestError, match="no quasi-identifiers"):
        la.linked_columns(la.table(pl.DataFrame({"a": [1, 2]}), others=[]))


def test_adult_has_one_link(shared_data: Path) -> None:
    people = la.read(shared_data / "adult/adult.csv", quasi=["age", "sex", "race", "education"], others=[])
    (link,) = la.linked_columns(people)
    assert (link.columns, link.quasi, link.how, link.strength) == (
        ("education-num",),
        ("education",),
        "one to one",
        1,
    )


@pytest.mark.parametrize("agree", [1.0, 0.97, 0.95, 0.92, 0.9])
def test_a_function_with_noise_is_a_link_and_income_by_age_is_none(agree: float) -> None:
    rng = np.random.default_rng(0)
    age, area = rng.integers(20, 80, 5_000), rng.integers(0, 12, 5_000)
    income = (300 * age + rng.normal(0, 8_000, 5_000)).round(-2)  # a correlation of about a half
    noisy = np.where(rng.random(5_000) < agree, area + 500, rng.integers(500, 512, 5_000))
    frame = pl.DataFrame({"age": age, "area": area.astype(str), "income": income, "code": noisy})
    found = la.linked_columns(frame, quasi=["age", "area"], columns=["income", "code"])
    assert [(link.columns, link.quasi) for link in found] == [(("code",), ("area",))]


@pytest.mark.parametrize(("agree", "is_found"), [(0.95, True), (0.85, False)])
def test_a_coarser_column_with_noise_follows_as_far_as_the_rule_says(agree: float, is_found: bool) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        area = rng.integers(0, 12, 3_000)
        region = np.where(rng.random(3_000) < agree, area // 3, rng.integers(0, 4, 3_000))
        frame = pl.DataFrame({"area": area.astype(str), "region": region.astype(str)})
        links = la.linked_columns(frame, quasi=["area"], columns=["region"])
        assert [link.how for link in links] == ["follows from"] * is_found


def test_public_tables_raise_no_false_alarm(shared_data: Path) -> None:
    """As the benchmark judges them: links known by hand, all other pairs of columns being none."""
    judged = 0
    for table, true in linked_quality.TRUE.items():
        people = la.read(shared_data / table, others=[])
        found = linked_quality.find_links(people)
        judged += len(people.names) * (len(people.names) - 1)
        assert [link for link in found if not any(set(link) <= group for group in true)] == [], table
    assert judged == 2_744


def test_inspect_and_risk_say_which_column_gives_which_away_and_how_far_k_falls(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    area = rng.integers(0, 8, 400)
    frame = pl.DataFrame(
        {"zip": [f"801{a}" for a in area], "age": rng.integers(20, 30, 400), "density": 12.5 * area}
    )
    people = la.table(frame, quasi=["zip", "age"], others=["density"], types={"zip": "nominal"})
    (link,) = la.risk(people).linked
    smallest = int(frame.group_by("age").len()["len"].min())  # type: ignore[arg-type]
    beside = int(frame.group_by("age", "density").len()["len"].min())  # type: ignore[arg-type]
    said = f"density is one to one with zip: with zip blurred, k {smallest} would be {beside}"
    assert str(link) == said
    assert said in la.risk(people).text
    (density,) = [one for one in la.inspect(people).columns if one.name == "density"]
    assert density.evidence[0] == "density is one to one with zip, which outsiders may know"
    frame.write_csv(tmp_path / "people.csv")
    shown = CliRunner().invoke(app, ["risk", str(tmp_path / "people.csv"), "--quasi", "zip,age"])
    assert said in " ".join(shown.output.split())
    shown = CliRunner().invoke(app, ["inspect", str(tmp_path / "people.csv"), "--details"])
    assert density.evidence[0] in " ".join(shown.output.split())


def test_two_columns_together_are_found_where_many_rows_are_alike() -> None:
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 5, 300_000), rng.integers(0, 5, 300_000)
    rows = pl.DataFrame(
        {
            "one": pl.Series([f"a{i}" for i in range(5)]).gather(one),
            "two": pl.Series([f"b{i}" for i in range(5)]).gather(two),
            "sum": pl.Series([f"c{i}" for i in range(5)]).gather((one + two) % 5),
        }
    )
    for each in (rows, rows.reverse()):
        (found,) = la.linked_columns(la.table(each, quasi=["sum"], others=["one", "two"]))
        assert (found.columns, found.quasi, found.strength) == (("one", "two"), ("sum",), 1.0)


def test_of_many_rows_some_are_looked_at_first_and_the_links_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = census(4000)
    many = pl.concat([frame.with_columns(pl.col("income") + i) for i in range(5)])
    every = {link.columns: link for link in la.linked_columns(many, quasi=["area", "age", "sex", "year"])}
    monkeypatch.setattr(finding, "_LOOK", 2500)
    some = {link.columns: link for link in la.linked_columns(many, quasi=["area", "age", "sex", "year"])}
    assert some == every
    assert ("area typed",) in some
    again = la.linked_columns(
        many.sample(fraction=1.0, shuffle=True, seed=1), quasi=["area", "age", "sex", "year"]
    )
    assert {link.columns: link for link in again} == some


def test_a_link_says_what_falls_and_never_that_a_number_would_be_itself() -> None:
    link = la.linked_columns(
        pl.DataFrame({"age": [1, 1, 2, 2] * 10, "group": ["a", "a", "b", "b"] * 10}), quasi=["age"]
    )[0]
    same = replace(link, k=1, known=1, alone=3, alone_known=3)
    assert str(same).endswith("k stays 1")
    assert str(replace(same, known=1, k=4)).endswith("k 4 would be 1")
    assert str(replace(same, alone_known=9)).endswith("3 people alone would be 9")
