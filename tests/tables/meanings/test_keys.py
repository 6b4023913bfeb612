"""Keys of households are told from what strangers share."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.tables.meanings.keys import may_be_key

N = 400
DRAW = np.random.default_rng(5)
FAMILY = DRAW.integers(0, 250, N)


def is_key(values: list[object]) -> bool:
    return may_be_key(la.table(pl.DataFrame({"x": values}), others=[]).column("x"))


@pytest.mark.parametrize(
    "values",
    [
        [f"F{10_000 + i}" for i in FAMILY],
        [100_000 + int(i) for i in FAMILY],
        ["none"] * 5_000 + [f"F{10_000 + i}" for i in FAMILY],
    ],
    ids=["coded", "numbers", "mostly none"],
)
def test_what_only_a_household_shares_may_be_a_key(values: list[object]) -> None:
    assert is_key(values)


@pytest.mark.parametrize(
    "values",
    [
        [f"ward {i}" for i in DRAW.integers(0, 12, N)],
        [f"town {i}" for i in DRAW.integers(0, 60, N)],
        [int(i) for i in DRAW.integers(15, 90, N)],
        [20_240_100 + int(i) for i in DRAW.integers(1, 29, 60)],
        list(DRAW.normal(size=N)),
    ],
    ids=["wards", "towns", "ages", "days", "decimals"],
)
def test_what_strangers_share_is_no_key(values: list[object]) -> None:
    assert not is_key(values)
