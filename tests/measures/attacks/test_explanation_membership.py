"""Membership from explanations alone: raw records give training people away where all are told, shared boxes do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.measures.attacks.explanation_membership import _auc, _called, nearness
from lookalike.recodings.labels import Range


@dataclass(frozen=True)
class Shown:
    """An explanation, as far as the attack looks at it."""

    box: dict[str, Range]
    values: dict[str, str]
    record: int = 0


def crowd(n: int = 1200) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "city": [f"c{i}" for i in rng.integers(0, 8, n)],
            "pay": rng.integers(0, 100_000, n),
        }
    )


def decide(rows: pl.DataFrame) -> list[int]:
    return [int(pay > 20_000) for pay in rows["pay"]]


def told(frame: pl.DataFrame, k: int) -> list[la.Explanation]:
    """An explanation from as many training records as there are askers."""
    training = la.table(frame[:400], quasi=["age", "city"], sensitive=["pay"])
    asking = frame[800:].with_columns(pay=frame["pay"][800:] // 6)
    explainer = la.KAnonymousExplainer(decide, training, k=k, effort=0, unknown="differs", choices=1)
    return list(explainer.explain_each(asking.filter(pl.Series(decide(asking)) == 0)).explanations.values())


def test_raw_records_tell_training_people_and_shared_boxes_do_not() -> None:
    frame = crowd()
    people = la.table(frame[:800], quasi=["age", "city"], others=[])
    trained = [i < 400 for i in range(800)]
    raw = la.attack_membership(told(frame, 1), people, trained)
    shared = la.attack_membership(told(frame, 10), people, trained)
    assert raw.auc > 0.5
    assert raw.rate_low > 0.01
    assert shared.rate < raw.rate / 3


def test_distances_are_gowers_by_hand() -> None:
    frame = pl.DataFrame({"age": [20, 30, 40, 60], "city": ["a", "b", "a", None]})
    people = la.table(frame, quasi=["age", "city"], types={"city": "nominal"})

    shown = Shown({"age": Range("25", "40")}, {"city": "a"})
    far, boxes = nearness([shown], people, np.arange(4))
    assert far == pytest.approx([(5 / 40) / 2, 1 / 2, 0, (20 / 40 + 1) / 2])
    assert boxes.tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("seed", range(10))
def test_auc_and_rate_are_those_of_counting_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ours, theirs = rng.integers(0, 6, 40).astype(float), rng.integers(0, 6, 30).astype(float)
    pairs = [(a > b) + (a == b) / 2 for a in ours for b in theirs]
    assert _auc(ours, theirs) == pytest.approx(np.mean(pairs))
    calls = _called(ours, theirs)
    best = max(theirs)
    at = (ours == best).mean() * 0.01 * len(theirs) / (theirs == best).sum()
    assert calls == pytest.approx((ours > best).mean() + at)


def test_requests_that_make_no_sense_are_named() -> None:
    frame = crowd(60)
    people = la.table(frame, quasi=["age", "city"], others=[])
    some = told(crowd(), 10)
    with pytest.raises(la.RequestError, match="one for each"):
        la.attack_membership(some, people, [True])
    with pytest.raises(la.RequestError, match="both kinds"):
        la.attack_membership(some, people, [True] * 60)
    with pytest.raises(la.RequestError, match="no explanations"):
        la.attack_membership([], people, [True] * 30 + [False] * 30)
