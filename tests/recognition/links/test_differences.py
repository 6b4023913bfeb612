"""A column that is the difference of two others is found, exact or in whole weeks, months or years; chance is not."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import lookalike as la


def stays(n: int = 600, seed: int = 0) -> pl.DataFrame:
    """Dates of which hardly a pair comes twice, and what follows from two of them."""
    rng = np.random.default_rng(seed)
    born = [date(1940, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 25_000, n)]
    came = [date(2019, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 1_500, n)]
    days = rng.integers(1, 900, n)
    left = [day + timedelta(days=int(d)) for day, d in zip(came, days, strict=True)]
    gross = (2_000 + 4_000 * rng.random(n)).round(2)
    tax = (gross * (0.1 + 0.3 * rng.random(n))).round(2)
    return pl.DataFrame(
        {
            "born": born,
            "came": came,
            "left": left,
            "days": days + 1,  # the first and the last one both counted
            "age then": [
                a.year - b.year - ((a.month, a.day) < (b.month, b.day))
                for a, b in zip(came, born, strict=True)
            ],
            "gross": gross,
            "tax": tax,
            "net": gross - tax,
            "score": rng.integers(0, 60, n),
            "rare": np.where(rng.random(n) < 0.01, rng.integers(1, 60, n), 0),
            "few": rng.integers(0, 3, n),
        }
    )


def found(frame: pl.DataFrame, quasi: list[str]) -> dict[tuple[str, ...], tuple[str, tuple[str, ...]]]:
    people = la.table(frame, quasi=quasi, others=[])
    return {link.columns: (link.how, link.quasi) for link in la.linked_columns(people)}


def test_the_days_between_two_dates_follow_from_both() -> None:
    frame = stays().select("came", "left", "days", "score", "rare", "few")
    assert found(frame, ["came", "left"]) == {("days",): ("follows from", ("came", "left"))}
    assert found(frame, ["left"]) == {("came", "days"): ("determines", ("left",))}


def test_an_age_follows_from_birth_and_event_where_it_goes_in_step_with_neither() -> None:
    frame = stays().with_columns(
        pl.col("came").dt.offset_by("-1mo") - pl.duration(days=pl.col("score") * 250)
    )
    frame = frame.with_columns(
        ((pl.col("came") - pl.col("born")).dt.total_days() // 365.25).alias("age then")
    )
    links = found(frame.select("born", "came", "age then", "rare"), ["born", "came"])
    assert links == {("age then",): ("follows from", ("born", "came"))}


def test_a_sum_of_two_amounts_is_found_though_a_few_are_mistyped() -> None:
    frame = stays().select("gross", "tax", "net", "score", "rare")
    frame = frame.with_columns(pl.when(pl.int_range(pl.len()) < 6).then(0).otherwise("net").alias("net"))
    assert found(frame, ["gross", "tax"]) == {("net",): ("follows from", ("gross", "tax"))}
    assert found(frame, ["gross"])[("tax", "net")] == ("determines", ("gross",))


@pytest.mark.parametrize("seed", range(10))
def test_columns_that_hardly_move_or_go_by_chance_are_no_difference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 400))
    frame = pl.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.6, 0, rng.integers(0, 9, n)),
            "b": np.where(rng.random(n) < 0.6, 0, rng.integers(0, 9, n)),
            "c": np.where(rng.random(n) < 0.6, 0, rng.integers(0, 9, n)),
            "d": rng.integers(0, 5, n),
            "e": rng.normal(size=n),
            "when": [date(2024, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 3, n)],
            "then": [date(2024, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 300, n)],
        }
    )
    assert found(frame, ["a", "d", "then"]) == {}


def test_the_order_of_rows_decides_nothing() -> None:
    frame = stays(12_000)
    quasi = ["came", "left", "tax", "gross"]
    assert found(frame, quasi) == found(frame.sample(fraction=1, shuffle=True, seed=1), quasi)


def test_a_published_length_of_stay_is_refused_and_may_follow() -> None:
    frame = stays().select("came", "left", "days")
    people = la.table(frame, quasi=["came", "left"], others=["days"])
    with pytest.raises(la.LinkedColumnError, match="days follows from came and left"):
        la.anonymize(people, la.KAnonymity(5))
    release = la.anonymize(people, la.KAnonymity(5), linked={"days": "follow"})
    classes = release.frame.group_by("came", "left").agg(pl.col("days").n_unique())
    assert classes["days"].max() == 1
