"""NICE's walks, and what privacy costs which group."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from explanations import toy
from lookalike.explanations.fairness import compare_groups
from lookalike.explanations.nice import walk

sklearn = pytest.importorskip("sklearn")


def thin_minority(n: int = 1500) -> tuple[pl.DataFrame, la.Table, object]:
    rng = np.random.default_rng(3)
    group = rng.random(n) < 0.12
    frame = pl.DataFrame(
        {
            "age": np.where(group, rng.integers(18, 90, n), rng.integers(35, 55, n)),
            "group": np.where(group, "few", "many"),
            "city": [f"c{i}" for i in rng.integers(0, 6, n)],
            "pay": rng.integers(0, 100, n),
        }
    )

    def model(rows: pl.DataFrame) -> list[int]:
        return [int(pay > 60) for pay in rows["pay"]]

    return frame, la.table(frame, quasi=["age", "group", "city"], sensitive=["pay"]), model


def test_rare_people_pay_more_for_privacy_and_effort_and_choice_narrow_the_gap() -> None:
    frame, people, model = thin_minority()
    rejected = frame.filter(pl.col("pay") <= 60)[:400]
    groups = rejected["group"].to_list()
    before, after, chosen = (
        compare_groups(
            la.KAnonymousExplainer(model, people, **options, values="exact").explain_many(rejected), groups
        )
        for options in ({"effort": 0.0}, {"effort": 200.0}, {"choices": 5})
    )
    assert before.majority == "many"
    assert before.ncp.gap > 0
    assert before.ncp.significant
    assert before.ncp.low < before.ncp.gap < before.ncp.high
    assert chosen.ncp.gap < after.ncp.gap < before.ncp.gap
    assert before.ncp.gap == pytest.approx(before.ncp_by_group["few"] - before.ncp_by_group["many"])
    assert before.pureness.gap == 0


def test_groups_must_match_and_differ() -> None:
    told = toy.explainer(k=2).explain_many(pl.DataFrame([toy.LISA, toy.LISA]))
    with pytest.raises(la.RequestError, match="1 groups for 2 explanations"):
        compare_groups(told, ["F"])
    with pytest.raises(la.RequestError, match="same group"):
        compare_groups(told, ["F", "F"])
    with pytest.raises(la.RequestError, match="nobody explained is in the group"):
        compare_groups(told, ["F", "M"], majority="X")


def test_a_choice_takes_the_record_that_needs_least_blurring_and_keeps_boxes_fixed() -> None:
    frame, people, model = thin_minority()
    rejected = frame.filter(pl.col("pay") <= 60)[:50]
    nearest = la.KAnonymousExplainer(model, people, values="exact").explain_many(rejected)
    chosen = la.KAnonymousExplainer(model, people, choices=4, values="exact").explain_many(rejected)
    for one, other in zip(nearest, chosen, strict=True):
        assert other.ncp + 1 - other.pureness <= one.ncp + 1 - one.pureness + 1e-9
        assert other.distance >= one.distance - 1e-9
        if one.record == other.record:
            assert one.box == other.box


def credit_model() -> la.KAnonymousExplainer:
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    rng = np.random.default_rng(0)
    n = 500
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "city": [f"c{i}" for i in rng.integers(0, 3, n)],
            "income": rng.integers(10, 100, n),
            "debt": rng.integers(0, 50, n),
        }
    )
    granted = (frame["income"] - frame["debt"] + 0.2 * frame["age"] > 40).cast(pl.Int64)
    numbers = ["age", "income", "debt"]
    pipeline = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["city"]), (StandardScaler(), numbers)),
        LogisticRegression(),
    ).fit(frame, granted.to_numpy())
    people = la.table(
        frame.with_columns(granted=granted), quasi=["age", "city"], targets=["granted"], others=[]
    )
    return la.KAnonymousExplainer(pipeline, people, k=5, values="exact")


def test_a_pipeline_on_raw_pandas_columns_sees_what_it_was_trained_on() -> None:
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "born": pd.to_datetime("1950-01-01") + pd.to_timedelta(rng.integers(0, 15000, 400), "D"),
            "city": pd.Series(rng.choice(["Gent", "Liège", "?"], 400)),
            "pay": np.where(rng.random(400) < 0.1, np.nan, rng.integers(10, 90, 400)),
            "rooms": rng.integers(1, 6, 400),
        }
    )
    frame["good"] = (frame["pay"].fillna(0) + 5 * frame["rooms"] > 55).astype(int)
    features = ["city", "pay", "rooms"]
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["city"]), (SimpleImputer(), ["pay", "rooms"])),
        RandomForestClassifier(30, max_leaf_nodes=20, random_state=0),
    ).fit(frame[features], frame["good"])
    people = la.table(frame, quasi=["city", "rooms"], sensitive=["pay"], targets=["good"], others=["born"])
    rejected = frame[model.predict(frame[features]) == 0]
    told = la.KAnonymousExplainer(model, people, k=12, values="exact").explain_many(rejected)
    assert len(told) == len(rejected)
    assert all(one.k >= 12 for one in told)
    assert model.predict(frame.iloc[[one.record for one in told]][features]).all()
    again = la.KAnonymousExplainer(model, people, k=12, values="exact").explain(rejected.iloc[3])
    assert again.box == told[3].box


@pytest.mark.parametrize("reward", ["sparsity", "proximity"])
def test_walks_flip_the_outcome_with_values_of_person_and_neighbour_only(reward: str) -> None:
    explainer = credit_model()
    rows = explainer.people.rows.select(explainer.features.names)
    rejected = rows.filter(pl.Series(~explainer.outcomes.desired_of(rows)))[:50]
    walked = walk(explainer, rejected, reward=reward)  # type: ignore[arg-type]
    assert explainer.outcomes.desired_of(walked.rows).all()
    found = [explainer.nearest(rejected[i]) for i in range(len(rejected))]
    near = rows[[int(one.rows[0]) for one in found]]
    for name in rows.columns:
        assert ((walked.rows[name] == rejected[name]) | (walked.rows[name] == near[name])).all()
    assert (walked.distances <= np.array([one.distances[0] for one in found]) + 1e-9).all()
    assert walked.changed.sum(axis=1).min() >= 1


def test_sparse_walks_change_fewer_columns_than_the_neighbour_does() -> None:
    explainer = credit_model()
    rows = explainer.people.rows.select(explainer.features.names)
    rejected = rows.filter(pl.Series(~explainer.outcomes.desired_of(rows)))[:50]
    whole = [sum(c.now is not None for c in one.changes) for one in explainer.explain_many(rejected)]
    assert walk(explainer, rejected).changed.sum(axis=1).mean() < np.mean(whole)
    with pytest.raises(la.RequestError, match="it must be 'sparsity' or 'proximity'"):
        walk(explainer, rejected, reward="plausibility")  # type: ignore[arg-type]


def test_a_choice_can_keep_a_floor_that_the_nearest_record_cannot() -> None:
    frame, people, _ = thin_minority()

    def moody(rows: pl.DataFrame) -> list[int]:
        return [
            int(pay > 60 and (pay < 70 or age % 2)) for pay, age in zip(rows["pay"], rows["age"], strict=True)
        ]

    rejected = frame.filter(pl.Series(moody(frame)) == 0)[:60]
    with pytest.raises(la.GuaranteeError, match=r"keeps pureness at 100%.* for \d+ of 60 rows"):
        la.KAnonymousExplainer(moody, people, k=150, floor=1.0, values="exact").explain_many(rejected)
    told = la.KAnonymousExplainer(moody, people, k=150, floor=1.0, choices=40, values="exact").explain_many(
        rejected
    )
    assert {one.pureness for one in told} == {1.0}
