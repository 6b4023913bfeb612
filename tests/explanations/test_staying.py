"""What a sentence leaves out, it does not need: otherwise the ranges to stay in are told, too."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl

import lookalike as la


def test_changes_alone_are_told_only_where_they_hold_as_often_as_is_said() -> None:
    assert sum(stays_told(seed) for seed in range(12)) > 3


def stays_told(seed: int) -> int:
    """How many explanations of a random model name ranges to stay in; each is held against every combination."""
    rng = np.random.default_rng(seed)
    train = pl.DataFrame(
        {
            "age": rng.integers(20, 32, 60),
            "town": rng.choice(["a", "b", "c"], 60),
            "income": rng.integers(1, 9, 60),
        }
    )
    weights = rng.normal(size=2)

    def model(rows: pl.DataFrame) -> np.ndarray:
        score = weights[0] * (rows["age"].to_numpy() - 26) + weights[1] * (rows["income"].to_numpy() - 4)
        return (score + (rows["town"] == "b").to_numpy() > 0).astype(int)

    people = la.table(train, quasi=["age", "town", "income"])
    refused = train.filter(pl.Series(model(train) == 0))
    explained = la.KAnonymousExplainer(model, people, k=6, combinations=10_000, values="exact").explain_many(
        refused
    )
    inside = {
        name: lambda side, name=name: (
            people.column(name).domain.values[side.matches(people.column(name).domain)].tolist()
        )
        for name in ("age", "town", "income")
    }
    stays = 0
    for row, one in zip(refused.iter_rows(named=True), explained, strict=True):
        values = {name: [value] for name, value in row.items()}
        for change in one.changes:
            box = one.box.get(change.column)
            values[change.column] = [change.then] if box is None else inside[change.column](box)
        tried = pl.DataFrame([dict(zip(values, each, strict=True)) for each in product(*values.values())])
        share = float(model(tried).mean())
        told = {change.column for change in (*one.changes, *one.stays)}
        wide = {name for name, side in one.box.items() if name not in told and len(inside[name](side)) > 1}
        assert all(f"your {name} were" in one.text for name in told)
        assert "as you are" not in one.text
        if one.stays:
            stays += 1
            assert share < one.pureness
            assert not wide
        else:
            assert share >= one.pureness or not wide
    return stays
