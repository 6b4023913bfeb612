"""Small random tables about people, for property tests."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import strategies as st

import lookalike as la

QUASI = ["age", "sex", "town"]
ACCEPT = dict.fromkeys(("disease", "score", "note"), "accept")  #: drawn columns may be linked by whim
TOWNS = ["Gent", "Leuven", "Liège, la", 'the "old" town', "{x}"]


@st.composite
def people(draw: st.DrawFn, *, least: int = 1, most: int = 40) -> la.Table:
    """A table with missing values, ties, odd spellings and two sensitive columns."""
    n = draw(st.integers(least, most))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    frame = pl.DataFrame(
        {
            "id": list(range(n)),
            "age": column(st.none() | st.integers(20, 26)),
            "sex": column(st.sampled_from(["f", "m"])),
            "town": column(st.none() | st.sampled_from(TOWNS)),
            "disease": column(st.sampled_from(["flu", "ulcer", "cancer"])),
            "score": column(st.none() | st.integers(1, 4)),
            "note": column(st.sampled_from(["x", "y"])),
        },
        schema_overrides={"age": pl.Int64, "town": pl.String, "score": pl.Int64},
    )
    return la.table(frame, identifiers=["id"], quasi=QUASI, sensitive=["disease", "score"], others=["note"])


MODELS = [
    la.KAnonymity(2),
    la.KAnonymity(4),
    la.LDiversity("disease", 2),
    la.LDiversity("disease", 2, kind="entropy"),
    la.LDiversity("disease", 2, kind="recursive", c=2),
    la.TCloseness("disease", 0.3, distance="equal"),
    la.TCloseness("score", 0.3, distance="ordered"),
    la.KLCloseness("disease", 0.3),
    la.BetaLikeness("disease", 1.5),
    la.DeltaDisclosure("disease", 1.2),
    la.AlphaK("disease", 0.7, 2),
    la.AverageRisk(0.4),
    la.SampleUniqueness(0.1),
]


def promises() -> st.SearchStrategy[list[la.Model]]:
    """One or two privacy models."""
    return st.lists(st.sampled_from(MODELS), min_size=1, max_size=2, unique=True)
