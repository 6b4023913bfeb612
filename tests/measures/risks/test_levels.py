"""Every model's level at once: known answers, and each level is kept by the model itself and none stricter."""

from __future__ import annotations

import math

import polars as pl
import pytest

import lookalike as la

ROWS = pl.DataFrame(
    {"zip": ["1"] * 4 + ["2"] * 2, "disease": ["flu", "flu", "cold", "cold", "flu", "cold"], "n": [1] * 6}
)


def test_levels_of_a_table_small_enough_to_check_by_hand() -> None:
    found = la.levels(ROWS, quasi=["zip"], sensitive=["disease"])
    assert found["k-anonymity"] == 2
    assert found["average risk"] == pytest.approx(2 / 6)
    assert found["sample uniqueness"] == 0
    assert found["l-diversity", "disease"] == 2
    assert found["entropy l-diversity", "disease"] == pytest.approx(2)
    assert found["t-closeness", "disease"] == pytest.approx(0)
    assert found["KL-closeness", "disease"] == pytest.approx(0)
    with pytest.raises(KeyError):
        found["l-diversity", "nothing"]


def test_a_homogeneous_class_shows_in_every_model() -> None:
    rows = ROWS.with_columns(disease=pl.Series(["flu"] * 4 + ["cold"] * 2))
    found = la.levels(la.table(rows, quasi=["zip"], sensitive=["disease"], others=[]))
    assert found["l-diversity", "disease"] == 1
    assert found["t-closeness", "disease"] == pytest.approx(2 / 3)
    assert math.isinf(found["delta-disclosure privacy", "disease"])
    assert "t-closeness" in str(found)
    assert "<table" in found._repr_html_()
