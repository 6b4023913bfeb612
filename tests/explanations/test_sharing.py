"""By default k people share everything that an explanation says; counted here over exactly the printed text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from explanations import toy

CONDITION = re.compile(r"your (?P<column>.+?) were (?P<then>.+?)(?: \((?P<way>more|less) than now\))?$")


def conditions(text: str) -> list[tuple[str, str, str | None]]:
    """Column, values and direction of every condition of a sentence."""
    said = text.removeprefix("If ").split(", the outcome would have been")[0]
    parts = re.split(r"(?:, | and )(?=your )", said)
    found = [CONDITION.match(part) for part in parts]
    assert all(found), text
    return [(one["column"], one["then"], one["way"]) for one in found if one]


def fits(values: list[Any], then: str, order: list[str]) -> np.ndarray:
    """Which values a printed condition covers, read from the text alone; `order` ranks the values that are words."""

    def place(value: Any) -> float:
        return float(order.index(value)) if value in order else float(value)

    out = np.zeros(len(values), dtype=bool)
    for part in then.split(" or "):
        ends = part.split(" to ")
        for i, value in enumerate(values):
            if value is None:
                out[i] |= part == "unknown"
            elif len(ends) == 2:
                out[i] |= place(ends[0]) <= place(value) <= place(ends[1])
            elif part != "unknown":
                out[i] |= value == part if isinstance(value, str) else float(part) == value
    return out


def check(told: la.Explanation, people: la.Table, k: int) -> None:
    """Count who fits the sentence, who stands where it says the person stands, and who has each name in it."""
    rows = people.rows
    fit, stand = np.ones(rows.height, dtype=bool), np.ones(rows.height, dtype=bool)
    named = {name.replace("_", " "): name for name in rows.columns}
    ways = 0
    for column, then, way in conditions(told.text):
        values = rows[named[column]].to_list()
        order = people.column(named[column]).domain.texts
        order = order if isinstance(next(v for v in values if v is not None), str) else []
        covered = fits(values, then, order)
        fit &= covered
        if way:
            ways += 1
            inside = [
                value for value, held in zip(values, covered, strict=True) if held and value is not None
            ]
            edge = min(inside) if way == "more" else max(inside)
            stand &= np.array([v is not None and (v < edge if way == "more" else v > edge) for v in values])
        for name in then.split(" or "):
            if " to " not in name:
                assert fits(values, name, order).sum() >= k, (
                    f"{name} is told, which fewer than {k} people have"
                )
    assert fit.sum() >= k
    assert told.k >= k
    assert f"at least {told.k} people fit all of this" in told.text
    assert not ways or stand.sum() >= k


people_rows = st.lists(
    st.tuples(
        st.integers(20, 60),
        st.sampled_from(["Graz", "Linz", "Wien", "Wien", None]),
        st.one_of(st.none(), st.integers(0, 5_000)),
        st.sampled_from("abcde"),
    ),
    min_size=25,
    max_size=60,
)


def decide(rows: Any) -> list[int]:
    return [
        int((pay or 0) + 40 * age + 300 * (job == "a") >= 3_600)
        for age, pay, job in zip(rows["age"], rows["pay"], rows["job"], strict=True)
    ]


@settings(max_examples=40, deadline=None)
@given(people_rows, st.sampled_from([2, 3, 5]))
def test_k_people_share_all_that_is_printed_on_random_tables(rows: list[tuple[Any, ...]], k: int) -> None:
    frame = pl.DataFrame(
        rows, schema={"age": pl.Int64, "town": pl.String, "pay": pl.Int64, "job": pl.String}, orient="row"
    )
    people = la.table(frame, quasi=["age", "town"], sensitive=["pay"], others=[], types={"town": "nominal"})
    try:
        explainer = la.KAnonymousExplainer(decide, people, k=k, effort=0, immutable=[])
    except (la.GuaranteeError, la.RequestError):
        return  # one outcome only
    refused = frame.filter(pl.Series(decide(frame)) == 0)
    found = explainer.explain_each(refused)
    assert len(found.explanations) + len(found.unexplained) == refused.height
    for told in found.explanations.values():
        check(told, people, k)
        assert not told.values


@pytest.mark.parametrize("k", [3, 10])
def test_k_people_share_all_that_is_printed_on_adult(shared_data: Path, k: int) -> None:
    pytest.importorskip("sklearn")
    from lookalike.explanations.trained import train_model

    adult = pl.read_csv(shared_data / "adult" / "adult.csv").head(3_000)
    quasi = ["age", "sex", "race", "relationship", "marital-status"]
    people = la.table(adult, quasi=quasi, sensitive=["income"], others=[], na=())
    model = train_model(people, "income")
    explainer = la.KAnonymousExplainer(
        model, people, desired=">50K", k=k, features=model.feature_names_in_, effort=0, choices=5
    )
    refused = np.flatnonzero(model.predict(people.rows) != ">50K")[:30]
    found = explainer.explain_each(people.rows[refused])
    assert len(found.explanations) >= 20
    for told in found.explanations.values():
        check(told, people, k)
        assert not {"sex", "race", "native-country"} & {change.column for change in told.changes}
        assert all(change.way == "more" for change in told.changes if change.column == "age")
    attacked = la.attack_explanations(list(found.explanations.values()), people)
    assert attacked.k_min_matched >= k


def test_no_value_of_the_person_and_none_of_one_other_is_in_what_leaves_the_house() -> None:
    frame = la.datasets.population(400, seed=3).select("age", "gender", "area", "income", "num_children")
    rare = frame.with_columns(income=frame["income"] + pl.Series(range(400)))  # nobody shares an income
    people = la.table(rare, quasi=["age", "gender", "area"], sensitive=["income"], others=["num_children"])
    explainer = la.KAnonymousExplainer(lambda rows: (rows["income"] > 25_000).cast(int), people, k=5)
    refused = rare.filter(rare["income"] < 12_000)[:40]
    found = explainer.explain_each(refused)
    alone = {value for value, n in rare["income"].value_counts().iter_rows() if n < 5}
    assert found.explanations
    for told in found.explanations.values():
        numbers = {
            float(n) for n in re.findall(r"\d+(?:\.\d+)?", json.dumps(told.to_dict()["changes"]) + told.text)
        }
        numbers |= {
            float(end)
            for side in told.to_dict()["box"].values()
            for end in side.get("range", [])
            if end.isdigit()
        }
        assert not {
            n for n in numbers & alone if n % 10 not in (0, 9)
        }  # a round end may be somebody's by chance
        assert all(change.now is None and change.low is None for change in told.changes)


def test_the_papers_form_says_what_it_counts_and_what_is_one_persons_own() -> None:
    told = toy.explainer(k=3).explain(toy.LISA)
    assert "at least 3 people fit this in age, gender and city" in told.text
    assert "What it says of salary k is one person's own" in told.text


def test_nothing_immutable_is_advised_in_either_form() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 300),
            "sex": rng.choice(["F", "M"], 300),
            "pay": rng.integers(0, 100, 300),
        }
    )

    def model(rows: pl.DataFrame) -> list[int]:
        return [
            int(pay + 30 * (sex == "M") + age // 2 > 90)
            for age, sex, pay in zip(rows["age"], rows["sex"], rows["pay"], strict=True)
        ]

    people = la.table(frame, quasi=["age", "sex"], sensitive=["pay"])
    refused = frame.filter(pl.Series(model(frame)) == 0)[:60]
    for options in (
        {},
        {"immutable": ["age", "sex"], "values": "exact"},
        {"immutable": ["age"]},
        {"actionable": ["pay"]},
    ):
        found = la.KAnonymousExplainer(model, people, k=6, effort=0, **options).explain_each(refused)
        assert found.explanations
        held = {"age"} if options.get("immutable") == ["age"] else {"sex"} if not options else {"age", "sex"}
        for told in found.explanations.values():
            assert not held & {one.column for one in (*told.changes, *told.stays)}
            assert not any(f"your {name} were" in told.text for name in held)


def test_how_often_it_holds_is_measured_with_everything_else_as_the_person_has_it() -> None:
    frame = la.datasets.population(500, seed=5).select("age", "num_children", "income")

    def model(rows: Any) -> list[int]:
        return [
            int(i + 200 * a - 2_000 * c > 24_000)
            for a, c, i in zip(rows["age"], rows["num_children"], rows["income"], strict=True)
        ]

    explainer = la.KAnonymousExplainer(model, frame, quasi=["age"], others=[], k=8, effort=0)
    refused = frame.filter(pl.Series(model(frame)) == 0)[:40]
    found = explainer.explain_each(refused)
    assert found.explanations
    for number, told in found.explanations.items():
        row = refused.row(number - 1, named=True)
        values = {name: [value] for name, value in row.items()}
        for change in told.changes:
            column = explainer.people.column(change.column)
            values[change.column] = column.domain.values[change.then.matches(column.domain)].tolist()
        every = [
            dict(zip(values, one, strict=True))
            for one in np.array(np.meshgrid(*values.values())).T.reshape(-1, len(values))
        ]
        share = float(np.mean(model(pl.DataFrame(every))))
        assert told.holds == (pytest.approx(share) if len(every) <= 100 else pytest.approx(share, abs=0.25))
        assert told.holds > 0


def test_rows_that_cannot_be_explained_are_named_with_their_reasons() -> None:
    explainer = toy.explainer(k=3)
    rows = pl.DataFrame([toy.LISA, {**toy.LISA, "salary_k": 100}, {**toy.LISA, "city": "Ghent"}])
    found = explainer.explain_each(rows, called=[5, 6, 7])
    assert list(found.explanations) == [5]
    assert "already has the desired outcome" in found.unexplained[6]
    assert "does not have" in found.unexplained[7]
    assert "Ghent" not in json.dumps(found.to_dict()["unexplained"])
