"""Nearest unlike neighbours are exact: against plain loops, with missing values, ties, any order and kind of frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from explanations import toy

rows = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 9)),
        st.sampled_from(["a", "b", "ü", None]),
        st.floats(-1, 1, allow_nan=False).map(lambda x: round(x, 2)),
        st.booleans(),
    ),
    min_size=4,
    max_size=25,
)


def heom(a: Sequence[Any], b: Sequence[Any], train: Sequence[Sequence[Any]], p: int) -> float:
    total = 0.0
    for j, (x, y) in enumerate(zip(a, b, strict=True)):
        known = [r[j] for r in train if r[j] is not None]
        if x is None or y is None:
            term = 1.0
        elif isinstance(x, str):
            term = float(x != y)
        else:
            width = max(known) - min(known)
            term = abs(x - y) / width if width else 0.0
        total += term**p
    return total ** (1 / p)


def table_of(given: list[tuple[Any, ...]]) -> tuple[la.Table, pl.DataFrame]:
    frame = pl.DataFrame(
        given, schema={"n": pl.Int64, "name": pl.String, "x": pl.Float64, "good": pl.Boolean}, orient="row"
    )
    people = la.table(
        frame,
        quasi=["n", "name"],
        others=["x", "good"],
        types={"n": "integer", "name": "nominal", "x": "decimal"},
    )
    return people, frame


def by_good(frame: Any) -> list[int]:
    return [int(v) for v in frame["good"]]


@settings(max_examples=60, deadline=None)
@given(rows, st.sampled_from([1, 2]))
def test_the_nearest_are_those_of_plain_loops(given: list[tuple[Any, ...]], p: int) -> None:
    good = [row for row in given if row[3]]
    bad = [row for row in given if not row[3]]
    if not good or not bad:
        return
    people, _ = table_of(given)
    if any(len([r for r in given if r[j] is not None]) == 0 for j in range(2)):
        return

    def model(frame: Any) -> list[int]:
        # the outcome belongs to the row's values here: good if any training row with these values is
        wanted = {row[:3] for row in good}
        return [int(values in wanted) for values in zip(frame["n"], frame["name"], frame["x"], strict=True)]

    asked = [row for row in bad if row[:3] not in {r[:3] for r in good}]
    if not asked:
        return
    explainer = la.KAnonymousExplainer(model, people, k=1, p=p, features=["n", "name", "x"], values="exact")
    want = min(3, len({row[:3] for row in good}))
    near = explainer.nearest(dict(zip(["n", "name", "x"], asked[0], strict=False)), want)
    expected = sorted(heom(asked[0][:3], row, [r[:3] for r in given], p) for row in {r[:3] for r in good})
    assert near.distances == pytest.approx(expected[:want])
    for row, far in zip(near.rows, near.distances, strict=True):
        assert given[row][:3] in {r[:3] for r in good}
        assert far == pytest.approx(heom(asked[0][:3], given[row][:3], [r[:3] for r in given], p))


def test_missing_differs_from_everything_even_from_missing() -> None:
    frame = pl.DataFrame({"n": [None, 1, 2, 3], "city": ["A", "A", "A", "B"], "good": [1, 1, 0, 0]})
    people = la.table(frame, quasi=["n"], others=[])
    explainer = la.KAnonymousExplainer(lambda f: f["good"].to_list(), people, k=1, values="exact")
    near = explainer.nearest({"n": None, "city": "A", "good": 0}, 2)
    assert near.distances.tolist() == [2.0, 2.0]


def test_a_constant_column_adds_nothing() -> None:
    frame = pl.DataFrame({"n": [5, 5, 5], "x": [1.0, 2.0, 3.0]})
    people = la.table(frame, quasi=["n"], others=[])
    explainer = la.KAnonymousExplainer(lambda f: [int(x > 2) for x in f["x"]], people, k=1, values="exact")
    assert explainer.nearest({"n": 700, "x": 2.0}).distances.tolist() == [0.5]


def test_ties_are_settled_by_values_and_not_by_the_order_of_rows() -> None:
    explained = set()
    for seed in range(6):
        shuffled = toy.TRAIN.sample(fraction=1.0, shuffle=True, seed=seed)
        told = toy.explainer(shuffled, k=4)
        near = told.nearest({**toy.LISA, "age": 30}, 3)
        explained.add(tuple(shuffled["name"][int(row)] for row in near.rows))
        explained.add(toy.box(told.explain(toy.LISA)))
    assert len(explained) == 2


@pytest.mark.parametrize(
    "convert", [lambda f: f, lambda f: f.to_pandas(), lambda f: f.to_arrow(), lambda f: f.lazy()]
)
def test_every_kind_of_frame_gives_the_same_explanation(convert: Any) -> None:
    def decide(frame: Any) -> list[str]:
        return toy.decide(frame.collect() if isinstance(frame, pl.LazyFrame) else pl.DataFrame(frame))

    people = toy.people(convert(toy.TRAIN))
    explainer = la.KAnonymousExplainer(
        decide, people, desired="Accept", k=3, features=toy.FEATURES, values="exact"
    )
    for lisa in (
        toy.LISA,
        pl.DataFrame([toy.LISA]),
        pd.DataFrame([toy.LISA]),
        pd.Series(toy.LISA),
        pa.Table.from_pylist([toy.LISA]),
    ):
        assert toy.box(explainer.explain(lisa)) == ("[24, 27]", "F", "Antwerp")


def test_only_justified_records_are_offered() -> None:
    frame = toy.TRAIN.with_columns(
        label=pl.Series(["Accept" if n != "Fiona" else "Reject" for n in toy.NAMES])
    )
    people = toy.people(frame, targets=["label"])
    options = {"desired": "Accept", "k": 1, "features": toy.FEATURES}
    justified = la.KAnonymousExplainer(toy.decide, people, **options, values="exact").nearest(toy.LISA, 5)
    assert "Fiona" not in [toy.NAMES[row] for row in justified.rows]
    assert len(justified.rows) == 4
    every = la.KAnonymousExplainer(toy.decide, people, justified=False, **options, values="exact").nearest(
        toy.LISA
    )
    assert toy.NAMES[every.rows[0]] == "Fiona"


def test_diverse_neighbours_are_farther_from_each_other() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.integers(0, 50, 400), "b": rng.integers(0, 50, 400)})
    people = la.table(frame, quasi=["a"], others=[])
    explainer = la.KAnonymousExplainer(
        lambda f: [int(a + b > 50) for a, b in zip(f["a"], f["b"], strict=True)], people, k=1, values="exact"
    )

    def spread(rows: np.ndarray) -> float:
        points = frame[rows].to_numpy()
        return min(np.abs(p - q).sum() for i, p in enumerate(points) for q in points[:i])

    near = explainer.nearest({"a": 20, "b": 20}, 4)
    diverse = explainer.nearest({"a": 20, "b": 20}, 4, diverse=1.0)
    assert near.rows[0] == diverse.rows[0]
    assert spread(diverse.rows) > spread(near.rows)
    assert near.distances.sum() <= diverse.distances.sum()


def test_immutable_columns_stay_and_actionable_ones_alone_may_change() -> None:
    told = toy.explainer(k=2, immutable=["city"]).explain(toy.LISA)
    assert "city" not in [change.column for change in told.changes]
    assert toy.NAMES[told.record] == "Jade"
    same = toy.explainer(k=2, actionable=["age", "salary_k", "relationship"]).explain(toy.LISA)
    assert {change.column for change in same.changes} <= {"age", "salary_k", "relationship"}
    with pytest.raises(la.GuaranteeError, match="immutable columns"):
        toy.explainer(k=2, actionable=["relationship"]).explain(toy.LISA)


def test_another_explainer_can_be_plugged_in() -> None:
    told = toy.explainer(k=2, native=lambda frame: [toy.NAMES.index("Jade")] * len(frame)).explain(toy.LISA)
    assert toy.NAMES[told.record] == "Jade"
    assert told.distance == pytest.approx(2.331306990881459)
    with pytest.raises(la.RequestError, match="do not have the desired outcome"):
        toy.explainer(k=2, native=lambda frame: [0]).explain(toy.LISA)
    with pytest.raises(la.RequestError, match="outside the training table"):
        toy.explainer(k=2, native=lambda frame: [99]).explain(toy.LISA)


def test_distances_are_finite_for_every_training_row() -> None:
    explainer = toy.explainer(k=1)
    rejected = toy.TRAIN.filter(pl.col("prediction") == "Reject")
    assert all(math.isfinite(told.distance) for told in explainer.explain_many(rejected))
