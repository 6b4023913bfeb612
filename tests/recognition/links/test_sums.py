"""Columns of like names that add up to a quasi-identifier are found, and decided about together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la


def exam(n: int = 600, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    items = (rng.random((n, 12)) < rng.random(n)[:, None]).astype(int)
    score = items.sum(axis=1)
    return pl.DataFrame(
        {
            **{f"item {i}": items[:, i] for i in range(12)},
            "score": score,
            "percent": [f"{100 * s / 12:.1f}%" for s in score],
            "age": rng.integers(18, 30, n),
            "x1": rng.integers(0, 9, n),
            "x2": rng.integers(0, 9, n),
            "x3": rng.integers(0, 9, n),
        }
    )


def test_items_add_up_to_a_score_and_to_per_cent() -> None:
    frame = exam()
    for total in ("score", "percent"):
        people = la.table(frame.drop({"score", "percent"} - {total}), quasi=[total, "age"], others=[])
        (link,) = la.linked_columns(people)
        assert link.columns == tuple(f"item {i}" for i in range(12))
        assert (link.quasi, link.how, link.strength) == ((total,), "determines", 1.0)
        assert link.text == f"item 0 to item 11 (12 columns) add up to {total}"


def test_columns_of_like_names_that_add_up_to_nothing_raise_no_alarm() -> None:
    frame = exam().drop("item 5")
    assert la.linked_columns(la.table(frame, quasi=["age", "x1"], others=[])) == ()


def test_a_release_is_refused_until_all_items_are_decided_about() -> None:
    frame = exam().drop("percent", "x1", "x2", "x3")
    people = la.table(frame, quasi=["score", "age"], others=[])
    with pytest.raises(
        la.LinkedColumnError, match=r"item 0 to item 11 \(12 columns\) add up to score"
    ) as refused:
        la.anonymize(people, la.KAnonymity(5))
    assert set(refused.value.columns) == {f"item {i}" for i in range(12)}
    with pytest.raises(la.LinkedColumnError):
        la.anonymize(people, la.KAnonymity(5), linked={"item 3": "follow"})
    release = la.anonymize(people, la.KAnonymity(5), linked=refused.value.columns)
    classes = release.frame.group_by("score", "age").agg(
        pl.struct(pl.selectors.starts_with("item")).n_unique()
    )
    assert classes.select(pl.selectors.last()).to_series().max() == 1


def test_a_draft_publishes_answers_by_design_and_says_what_they_tell(tmp_path: Path) -> None:
    exam().drop("percent").rename({"score": "age at start"}).write_csv(tmp_path / "exam.csv")
    recipe = la.prepare(tmp_path / "exam.csv")
    assert recipe.columns["item 3"].role == "sensitive"
    recipe.save(tmp_path / "recipe.toml")
    with pytest.warns(la.LookalikeWarning, match=r"12 columns\) add up to age at start"):
        la.run(tmp_path / "recipe.toml")
