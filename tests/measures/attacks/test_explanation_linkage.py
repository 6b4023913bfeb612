"""The explanation linkage attack: it finds people through raw explanations and k of them through k-anonymous ones."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from explanations import toy
from lookalike.measures.attacks.explanation_linkage import attack_explanations, link
from lookalike.recodings.labels import Range


def test_fiona_is_found_through_the_raw_explanation_and_hidden_by_the_blurred_one() -> None:
    background = toy.people()
    raw = link(toy.explainer(k=1).explain(toy.LISA), background)
    assert [toy.NAMES[row] for row in raw.rows] == ["Fiona"]
    assert (raw.chance, raw.private_tuples) == (1.0, 1)
    hidden = link(toy.explainer(k=3).explain(toy.LISA), background)
    assert [toy.NAMES[row] for row in hidden.rows] == ["Fiona", "Gina", "Ingrid"]
    assert hidden.chance == pytest.approx(1 / 3)
    assert hidden.private_tuples == 2


def test_homogeneous_candidates_give_their_private_values_away() -> None:
    two = link(toy.explainer(k=2).explain(toy.LISA), toy.people())  # Fiona and Ingrid: both 60K, both single
    assert (len(two.rows), two.private_tuples) == (2, 1)
    report = attack_explanations([toy.explainer(k=2).explain(toy.LISA)], toy.people())
    assert report.singled_out.rate == 0
    assert report.revealed.rate == 1
    safe = attack_explanations([toy.explainer(k=2, l=2).explain(toy.LISA)], toy.people())
    assert safe.revealed.rate == 0


def crowd(n: int = 800) -> tuple[pl.DataFrame, la.Table]:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "city": [f"c{i}" for i in rng.integers(0, 8, n)],
            "pay": rng.integers(0, 1000, n),
        }
    )
    return frame, la.table(frame, quasi=["age", "city"], sensitive=["pay"])


def decide(rows: pl.DataFrame) -> list[int]:
    return [int(pay > 500) for pay in rows["pay"]]


def test_rates_come_with_intervals_and_a_baseline() -> None:
    frame, people = crowd()
    rejected = frame.filter(pl.col("pay") <= 500)[:200]
    raw = attack_explanations(
        la.KAnonymousExplainer(decide, people, k=1, values="exact").explain_many(rejected), people
    )
    blurred = attack_explanations(
        la.KAnonymousExplainer(decide, people, k=10, values="exact").explain_many(rejected), people
    )
    assert raw.singled_out.low < raw.singled_out.rate < raw.singled_out.high
    assert raw.singled_out.baseline == 1 / 800
    assert raw.singled_out.rate > 0.1
    assert (blurred.singled_out.rate, blurred.singled_out.low) == (0, 0)
    assert 0 < blurred.singled_out.high < 0.05
    assert blurred.k_min >= 10
    assert blurred.mean_chance <= 0.1
    written = json.loads(json.dumps(blurred.to_dict()))
    assert {"name", "rate", "low", "high", "baseline"} <= set(written["attacks"][0])


def test_repeated_questions_are_intersected_and_a_fixed_box_is_the_remedy() -> None:
    frame, people = crowd()
    rejected = frame.filter(pl.col("pay") <= 500)[:100]
    fixed = la.KAnonymousExplainer(decide, people, k=10, values="exact")
    always = [*fixed.explain_many(rejected), *fixed.explain_many(rejected)]
    careless = [
        told
        for seed in range(4)
        for told in la.KAnonymousExplainer(decide, people, k=10, seed=seed, values="exact").explain_many(
            rejected
        )
    ]
    assert attack_explanations(always, people).k_min_intersected >= 10
    assert attack_explanations(always, people).k_min_pairwise >= 10
    broken = attack_explanations(careless, people)
    assert broken.k_min >= 10
    assert broken.k_min_intersected <= broken.k_min_pairwise < 10


def test_the_attacker_may_hold_another_table_of_people() -> None:
    frame, people = crowd()
    told = la.KAnonymousExplainer(decide, people, k=10, values="exact").explain(
        frame.filter(pl.col("pay") <= 500)[:1]
    )
    public = la.table(
        frame.select("city", "age").sample(fraction=0.5, seed=0), quasi=["age", "city"], others=[]
    )
    found = link(told, public, private=[])
    assert 0 < len(found.rows) < told.k
    with pytest.raises(la.RequestError, match="there is no column 'city'"):
        link(told, la.table(frame.select("age"), quasi=["age"]))


def test_nothing_to_attack_is_said() -> None:
    with pytest.raises(la.RequestError, match="no explanations"):
        attack_explanations([], toy.people())
    with pytest.raises(la.RequestError, match="confidence"):
        attack_explanations([toy.explainer(k=2).explain(toy.LISA)], toy.people(), confidence=2)


@dataclass
class Boxed:
    """Somebody's box, as an explanation shows it."""

    box: dict[str, Range]
    record: int
    values: dict[str, Any] = field(default_factory=dict)


def every_assignment(boxes: list[list[int]]) -> list[set[int]]:
    """The rows that each box gets in some assignment of all boxes to different rows, by trying all of them."""
    left: list[set[int]] = [set() for _ in boxes]
    for rows in product(*boxes):
        if len(set(rows)) == len(rows):
            for one, row in zip(left, rows, strict=True):
                one.add(row)
    return left


@pytest.mark.parametrize("seed", range(40))
def test_matching_leaves_whom_some_assignment_of_all_explanations_leaves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ages = rng.integers(0, 8, 8)
    people = la.table(pl.DataFrame({"age": ages}), quasi=["age"])
    told = []
    for record in rng.choice(8, rng.integers(1, 6), replace=False):
        low, high = ages[record] - rng.integers(0, 3), ages[record] + rng.integers(0, 3)
        told.append(Boxed({"age": Range(str(low), str(high))}, int(record)))
    fits = [
        [i for i, age in enumerate(ages) if float(one.box["age"].lo) <= age <= float(one.box["age"].hi)]
        for one in told
    ]
    left = every_assignment(fits)
    report = attack_explanations(told, people, private=[])
    assert report.k_min_matched == min(len(one) for one in left)
    assert report.matched.rate == sum(len(one) == 1 for one in left) / len(left)


def test_two_people_who_share_both_boxes_take_the_third_box_for_themselves() -> None:
    people = la.table(pl.DataFrame({"age": [20, 21, 22]}), quasi=["age"])
    told = [
        Boxed({"age": Range("20", "21")}, 0),
        Boxed({"age": Range("20", "21")}, 1),
        Boxed({"age": Range("21", "22")}, 2),
    ]
    report = attack_explanations(told, people, private=[])
    assert (report.k_min, report.singled_out.rate) == (2, 0)
    assert (report.k_min_matched, report.matched.rate) == (1, 1 / 3)
