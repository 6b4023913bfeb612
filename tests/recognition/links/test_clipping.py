"""Differences and sums that are clipped at an end are found; many zeros and independent columns raise no alarm."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import permutations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.recognition.links.clipping import find_clipped, find_clipped_copies, find_ends
from lookalike.recognition.links.differences import Amounts


def claims(n: int = 600, seed: int = 0) -> pl.DataFrame:
    """An excess, above which a claim is paid up to a cap, and columns that have nothing to do with it."""
    rng = np.random.default_rng(seed)
    claim = (np.exp(rng.normal(6.3, 1.0, n))).round(2)
    excess = rng.choice([100, 250, 500], n)
    came = rng.integers(0, 1_500, n)
    stay = rng.integers(1, 900, n)
    return pl.DataFrame(
        {
            "claim": claim,
            "excess": excess,
            "paid": np.maximum(0, claim - excess).round(2),
            "capped": np.clip(claim - excess, 0, 900).round(2),
            "came": [date(2019, 1, 1) + timedelta(days=int(d)) for d in came],
            "left": [date(2019, 1, 1) + timedelta(days=int(d)) for d in came + stay],
            "days": np.minimum(stay, 365),
            "gifts": np.where(rng.random(n) < 0.3, 0, rng.integers(1, 900, n)),
            "points": rng.integers(0, 60, n),
        }
    )


def found(frame: pl.DataFrame, quasi: list[str]) -> dict[tuple[str, ...], tuple[str, tuple[str, ...]]]:
    people = la.table(frame, quasi=quasi, others=[])
    return {link.columns: (link.how, link.quasi) for link in la.linked_columns(people)}


@pytest.mark.parametrize("paid", ["paid", "capped"])
def test_what_is_paid_above_an_excess_is_found_whichever_is_blurred(paid: str) -> None:
    frame = claims().select("claim", "excess", paid, "gifts", "points")
    assert 0.1 < (frame[paid] == 0).mean() < 0.5
    assert found(frame, [paid])[("claim", "excess")] == ("determines", (paid,))
    assert found(frame, ["excess"])[("claim", paid)] == ("determines", ("excess",))
    assert found(frame, ["claim", "excess"])[(paid,)] == ("follows from", ("claim", "excess"))


def test_it_is_found_where_most_people_get_nothing() -> None:
    frame = claims(2_000).with_columns(pl.col("excess") * 5)
    frame = frame.with_columns((pl.col("claim") - pl.col("excess")).clip(0).alias("paid"))
    assert (frame["paid"] == 0).mean() > 0.6
    assert found(frame.select("claim", "excess", "paid"), ["paid"]) == {
        ("claim", "excess"): ("determines", ("paid",))
    }


@pytest.mark.parametrize("capped", [False, True])
def test_an_amount_less_the_same_allowance_for_all_is_found_though_many_have_none(capped: bool) -> None:
    earned = claims(1_000)["claim"]
    allowed = earned.median()
    taxed = (allowed - earned if capped else earned - allowed).clip(0).alias("taxed")
    frame = pl.DataFrame([earned, taxed, claims(1_000)["gifts"]])
    assert (frame["taxed"] == 0).mean() > 0.4
    assert found(frame, ["taxed"]) == {("claim",): ("determines", ("taxed",))}
    assert found(frame, ["claim"]) == {("taxed",): ("follows from", ("claim",))}
    assert found(frame, ["gifts"]) == {}


@pytest.mark.parametrize("least", [0, 100])
def test_a_share_of_an_amount_up_to_a_cap_is_found(least: float) -> None:
    cost = claims(1_000)["claim"]
    repaid = ((cost - least).clip(0) * 0.8).round(2).clip(0, 300).alias("repaid")
    frame = pl.DataFrame([cost, repaid, claims(1_000)["gifts"]])
    assert (frame["repaid"] == 300).mean() > 0.4
    assert found(frame, ["repaid"]) == {("claim",): ("determines", ("repaid",))}
    assert found(frame, ["claim"]) == {("repaid",): ("follows from", ("claim",))}
    assert found(frame, ["gifts"]) == {}


def test_days_that_are_counted_up_to_a_year_follow_from_two_dates() -> None:
    frame = claims().select("came", "left", "days", "gifts")
    assert (frame["days"] == 365).mean() > 0.5
    assert found(frame, ["came", "left"]) == {("days",): ("follows from", ("came", "left"))}
    assert found(frame, ["days"]) == {("came", "left"): ("determines", ("days",))}


def test_zeros_that_the_others_do_not_explain_are_no_clipping() -> None:
    frame = claims(2_000).select("claim", "excess", "paid")
    at_random = pl.Series(np.random.default_rng(1).random(2_000) < 0.3)
    frame = frame.with_columns(pl.when(at_random).then(0).otherwise("paid").alias("paid"))
    assert found(frame, ["paid"]) == {}


def test_a_score_that_is_capped_is_the_sum_of_its_items() -> None:
    rng = np.random.default_rng(0)
    items = (rng.random((600, 12)) < rng.random(600)[:, None]).astype(int)
    frame = pl.DataFrame(
        {**{f"item {i}": items[:, i] for i in range(12)}, "score": np.minimum(items.sum(axis=1), 8) * 5}
    )
    assert found(frame, ["score"]) == {
        tuple(f"item {i}" for i in range(12)): ("determines", ("score",)),
    }


@pytest.mark.parametrize("seed", range(30))
def test_independent_columns_with_many_zeros_and_caps_raise_no_alarm(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 600))
    amounts = {}
    for name in "abcdefgh":
        top = int(rng.choice([2, 5, 20, 1_000]))
        values = np.minimum(rng.integers(0, top, n), top * rng.choice([0.7, 1.0]))
        amounts[name] = Amounts(np.where(rng.random(n) < rng.random(), 0.0, values).astype(float), False)
    amounts["e"].values[rng.random(n) < 0.3] = np.nan
    known, others = dict(list(amounts.items())[:4]), dict(list(amounts.items())[4:])
    assert list(find_clipped(known, others)) == []
    assert list(find_clipped_copies(known, others)) == []


@pytest.mark.parametrize("seed", range(40))
def test_every_clipped_equation_that_is_found_holds_and_none_is_missed(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    n = 300
    x, y = rng.integers(0, 200, n).astype(float), rng.integers(0, 200, n).astype(float)
    given = {0: x - y, 1: y - x, 2: x + y}[seed % 3] + float(rng.integers(-40, 40))
    low, high = np.quantile(given, [rng.choice([0.0, 0.1, 0.3]), rng.choice([0.8, 1.0])])
    v = np.clip(given, low, high)
    wrong = rng.random(n) < rng.choice([0.0, 0.01, 0.2])
    v[wrong] = rng.integers(low, high + 1, int(wrong.sum()))
    columns = {name: Amounts(values, False) for name, values in zip("xyv", (x, y, v), strict=True)}
    columns["z"] = Amounts(rng.integers(0, 200, n).astype(float), False)
    ends = find_ends(columns["v"])
    told = {
        names
        for quasi in "xyv"
        for names, _ in find_clipped({quasi: columns[quasi]}, {c: columns[c] for c in columns if c != quasi})
    }
    for one, two, clipped in told:
        assert _by_brute_force(columns[one].values, columns[two].values, columns[clipped].values)
    if ends is not None and not wrong.any():
        assert {frozenset(names) for names in told} == {frozenset("xyv")}
    if wrong.mean() > 0.1:
        assert not told


def _by_brute_force(a: np.ndarray, b: np.ndarray, v: np.ndarray) -> bool:
    """Whether some ends, signs and constant give 98 of 100 rows."""
    low, high = v.min(), v.max()
    for one, two in [*permutations((1, -1)), (1, 1)]:
        given = one * a + two * b
        for constant in np.unique(v - given):
            if np.mean(np.abs(np.clip(given + constant, low, high) - v) <= 0.5) >= 0.97:
                return True
    return False


def test_the_order_of_rows_decides_nothing() -> None:
    frame, quasi = claims(12_000), ["paid", "left"]
    assert found(frame, quasi) == found(frame.sample(fraction=1, shuffle=True, seed=1), quasi)


def test_a_blurred_payment_beside_claim_and_excess_is_refused() -> None:
    frame = claims().select("claim", "excess", "paid")
    people = la.table(frame, quasi=["paid"], others=["claim", "excess"])
    with (
        pytest.warns(la.LookalikeWarning, match="value of its own in: claim"),
        pytest.raises(la.LinkedColumnError, match="claim and excess together determine paid"),
    ):
        la.anonymize(people, la.KAnonymity(5))
