"""Scores of a recognition: the confusion behind them, 0/0, and the numbers of the QID paper's Table 7."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.recognition.metrics.performance import Scores


def test_the_worked_example() -> None:
    scores = la.score_recognition(list("abcd"), list("bcdef"), list("abcdefghij"))
    assert (scores.tp, scores.fp, scores.fn, scores.tn) == (3, 1, 2, 4)
    expected = {
        "precision": 0.75,
        "recall": 0.6,
        "coverage": 0.6,
        "f1": 2 / 3,
        "f2": 0.625,
        "jaccard": 0.5,
        "dice": 2 / 3,
        "specificity": 0.8,
        "fpr": 0.2,
        "accuracy": 0.7,
    }
    assert {name: getattr(scores, name) for name in expected} == pytest.approx(expected)
    assert scores.to_dict() == pytest.approx({"tp": 3, "fp": 1, "fn": 2, "tn": 4, **expected})


@pytest.mark.parametrize(
    ("counts", "f1", "f2", "jaccard", "specificity"),
    [
        ((7, 8, 1, 1), 0.608695652173913, 0.7446808510638299, 0.4375, 1 / 9),
        ((2, 2, 2, 2), 0.5, 0.5, 1 / 3, 0.5),
        ((1, 1, 1, 1), 0.5, 0.5, 1 / 3, 0.5),
        ((1, 7, 1, 1), 0.2, 0.3125, 1 / 9, 0.125),
        ((2, 4, 2, 2), 0.4, 0.45454545454545453, 0.25, 1 / 3),
    ],
)
def test_the_counts_behind_table_7(
    counts: tuple[int, int, int, int], f1: float, f2: float, jaccard: float, specificity: float
) -> None:
    scores = Scores(*counts)
    assert (scores.f1, scores.f2, scores.jaccard, scores.specificity) == pytest.approx(
        (f1, f2, jaccard, specificity)
    )


@given(st.sets(st.sampled_from("abcdefgh")), st.sets(st.sampled_from("abcdefgh")))
def test_measures_are_consistent(predicted: set[str], truth: set[str]) -> None:
    scores = la.score_recognition(predicted, truth, list("abcdefgh"), zero_division=1)
    assert scores.tp + scores.fp + scores.fn + scores.tn == 8
    assert scores.dice == scores.f1 == scores.tversky(0.5, 0.5)
    assert scores.jaccard == scores.tversky(1, 1)
    assert scores.fpr + scores.specificity in (1, 2)
    if predicted == truth:
        assert (scores.f1, scores.jaccard, scores.accuracy) == (1, 1, 1)


def test_nothing_over_nothing_is_what_was_asked_for() -> None:
    assert math.isnan(la.score_recognition([], [], ["a"]).f1)
    assert la.score_recognition([], [], ["a"], zero_division=0).f1 == 0


def test_scores_of_two_tables_add_up() -> None:
    both = Scores(1, 2, 3, 4) + Scores(1, 1, 1, 1)
    assert (both.tp, both.fp, both.fn, both.tn) == (2, 3, 4, 5)


def test_names_outside_the_columns_are_refused() -> None:
    with pytest.raises(la.RequestError, match="predicted: z not among"):
        la.score_recognition(["z"], [], ["a"])
    with pytest.raises(la.RequestError, match="must be a list of texts"):
        la.score_recognition("age", [], ["age"])
