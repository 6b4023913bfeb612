"""How rare the rarest combination is, where some classes are looked at first."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from lookalike.verifier import released
from lookalike.verifier.released import NewColumn, Released


@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("late", [False, True])
def test_the_rarest_combination_is_that_of_a_plain_count(
    monkeypatch: pytest.MonkeyPatch, least: int, late: bool
) -> None:
    monkeypatch.setattr(released, "_LOOK", 300)
    rng = np.random.default_rng(1)
    classes, values = rng.integers(0, 20, 2000), rng.integers(0, 3, 2000)
    rare = np.full(least, 19 if late else 0)
    classes, values = np.append(classes, rare), np.append(values, np.full(least, 7))
    columns = {}
    for name, numbers in (("q", classes), ("x", values)):
        new = NewColumn()
        new.add(pl.Series(numbers).cast(pl.String))
        columns[name] = new.column()
    assert min(Counter(zip(classes.tolist(), values.tolist(), strict=True)).values()) == least
    assert Released.of(columns).rarest(["q"], "x") == least
