"""How many ways out an explanation offers, checked one by one; and counterfactuals that start from nobody."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.explanations.spheres import perturb


def training(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 40, n),
            "job": rng.choice(["nurse", "teacher", "clerk", "cook"], n),
            "pay": rng.integers(0, 20, n),
        }
    )


def decide(rows: Any) -> list[int]:
    return [
        int(p + (j in ("nurse", "teacher")) * 8 + a // 10 > 18)
        for a, j, p in zip(rows["age"], rows["job"], rows["pay"], strict=True)
    ]


@pytest.mark.parametrize("values", ["shared", "exact"])
def test_ways_out_are_counted_as_one_would_by_hand(values: Any) -> None:
    frame = training()
    explainer = la.KAnonymousExplainer(
        decide, frame, quasi=["age", "job"], others=[], k=5, effort=0, values=values
    )
    refused = frame.filter(pl.Series(decide(frame)) == 0)[:30]
    found = explainer.explain_each(refused)
    rows = refused[[number - 1 for number in found.explanations]]
    told = list(found.explanations.values())
    assert told
    for row, one, ways in zip(rows.iter_rows(named=True), told, explainer.ways_out(rows, told), strict=True):
        offered = {name: [value] for name, value in row.items()}
        for change in one.changes:
            domain = explainer.people.column(change.column).domain
            then = change.then
            offered[change.column] = (
                domain.values[then.matches(domain)].tolist() if hasattr(then, "matches") else [then]
            )
        every = [dict(zip(offered, each, strict=True)) for each in product(*offered.values())]
        assert ways.ways == len(every)
        if len(every) > 100:
            continue
        good = [each for each, wanted in zip(every, decide(pl.DataFrame(every)), strict=True) if wanted]
        assert ways.valid_ways == len(good)
        far = [
            abs(each["age"] - row["age"]) / 19
            + abs(each["pay"] - row["pay"]) / 19
            + (each["job"] != row["job"])
            for each in good
        ]
        assert ways.nearest == (pytest.approx(min(far)) if far else None)
        assert ways.reachable == pytest.approx(
            sum(one_far <= one.distance + 1e-9 for one_far in far) / len(every)
        )


def test_a_raw_neighbour_offers_one_way_and_k_people_offer_more() -> None:
    frame = training()
    refused = frame.filter(pl.Series(decide(frame)) == 0)[:40]
    number = {}
    for k in (1, 8):
        explainer = la.KAnonymousExplainer(decide, frame, quasi=["age", "job"], others=[], k=k, effort=0)
        found = explainer.explain_each(refused)
        rows = refused[[i - 1 for i in found.explanations]]
        number[k] = np.mean(
            [one.valid_ways for one in explainer.ways_out(rows, list(found.explanations.values()))]
        )
    assert number[1] == 1
    assert number[8] > 2


def test_perturbed_rows_get_the_outcome_and_change_no_more_than_they_need() -> None:
    frame = training()
    explainer = la.KAnonymousExplainer(decide, frame, quasi=["age", "job"], others=[], k=5, immutable=["age"])
    refused = frame.filter(pl.Series(decide(frame)) == 0)[:40]
    found = perturb(explainer, refused)
    assert decide(found.rows) == [1] * refused.height
    assert (found.rows["age"] == refused["age"]).all()
    assert perturb(explainer, refused).rows.equals(found.rows)
    for name, changed in zip(refused.columns, found.changed.T, strict=True):
        assert ((found.rows[name] == refused[name]) | pl.Series(changed)).all()
    for i, row in enumerate(found.rows.iter_rows(named=True)):
        for name in refused.columns:
            if row[name] != refused[name][i] and found.changed[i].sum() > 1:
                back = pl.DataFrame([{**row, name: refused[name][i]}])
                assert decide(back) == [0] or name == "pay"


def test_a_study_measures_every_way_on_people_the_model_never_saw() -> None:
    frame = la.datasets.population(500, seed=2).select("age", "gender", "income", "num_children")
    model = lambda rows: (rows["income"] > 24_000).cast(int)  # noqa: E731
    study = la.study_explanations(
        frame, model=model, quasi=["age", "gender"], others=[], k=5, most=30, group="gender", effort=0
    )
    raw, paper, shared, made_up = study.lines
    assert (study.trained, study.refused) == (300, 30)
    assert raw.singled_out > 0
    assert (paper.singled_out, shared.singled_out, paper.matched_out, shared.matched_out) == (0, 0, 0, 0)
    assert paper.k_left >= 5
    assert shared.k_left >= 5
    assert shared.ways > raw.ways == 1
    assert made_up.singled_out is None
    assert sum(one["explained"] for one in study.by_group) == shared.explained
    assert "people left" in str(study)
    assert study.to_dict()["lines"][0]["membership"]["members"] == 300
    with pytest.raises(la.RequestError, match="say which model"):
        la.study_explanations(frame, quasi=["age"], others=[])
