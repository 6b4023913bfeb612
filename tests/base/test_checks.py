"""Every number a user passes is checked: what is none, or out of bounds, is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import lookalike as la

BAD = ["x", None, True, float("nan"), float("inf"), -1, -0.5]
PEOPLE = la.table(
    pl.DataFrame({"a": [1, 1, 2, 2], "s": ["p", "q", "p", "q"]}), quasi=["a"], sensitive=["s"], others=[]
)
ASK: dict[str, Callable[[Any], Any]] = {
    "KAnonymity": la.KAnonymity,
    "KMap": la.KMap,
    "KMap significance": lambda bad: la.KMap(2, significance=bad),
    "AlphaK alpha": lambda bad: la.AlphaK("s", bad, 2),
    "AlphaK k": lambda bad: la.AlphaK("s", 0.5, bad),
    "LDiversity": lambda bad: la.LDiversity("s", bad),
    "LDiversity c": lambda bad: la.LDiversity("s", 2, kind="recursive", c=bad),
    "TCloseness": lambda bad: la.TCloseness("s", bad),
    "KLCloseness": lambda bad: la.KLCloseness("s", bad),
    "BetaLikeness": lambda bad: la.BetaLikeness("s", bad),
    "DeltaDisclosure": lambda bad: la.DeltaDisclosure("s", bad),
    "DeltaPresence low": lambda bad: la.DeltaPresence(bad, 1),
    "DeltaPresence high": lambda bad: la.DeltaPresence(0, bad),
    "AverageRisk": la.AverageRisk,
    "SampleUniqueness": la.SampleUniqueness,
    "anonymize suppression": lambda bad: la.anonymize(PEOPLE, la.KAnonymity(2), suppression=bad),
    "anonymize seed": lambda bad: la.anonymize(PEOPLE, la.KAnonymity(2), seed=bad),
    "deidentify k": lambda bad: la.deidentify(PEOPLE, levels={"a": 0}, k=bad),
    "deidentify ks": lambda bad: la.deidentify(PEOPLE, levels={"a": 0}, k=2, ks=[bad]),
    "risk threshold": lambda bad: la.risk(PEOPLE, threshold=bad),
}


@pytest.mark.parametrize("bad", BAD, ids=str)
@pytest.mark.parametrize("what", ASK)
def test_a_bad_number_is_refused_in_a_sentence(what: str, bad: Any) -> None:
    with pytest.raises(la.RequestError, match=r"`\w+` must be|needs c above 0"):
        ASK[what](bad)


@pytest.mark.parametrize(
    "bad", [{"levels": 1}, {"levels": ["a"]}, {"negative": "s"}, {"ks": 5}, {"ks": "25"}], ids=str
)
def test_what_is_no_mapping_or_list_is_refused_in_a_sentence(bad: dict[str, Any]) -> None:
    with pytest.raises(la.RequestError, match=r"`\w+` must be a (mapping|list)"):
        la.deidentify(PEOPLE, **{"levels": {"a": 0}, "k": 2, **bad})


def test_a_column_is_named_by_a_text() -> None:
    for model in (la.LDiversity, la.TCloseness, la.BetaLikeness):
        with pytest.raises(la.RequestError, match="`column` must be the name of a column"):
            model(5, 1)  # type: ignore[arg-type]
