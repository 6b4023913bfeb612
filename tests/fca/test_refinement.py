"""Refining scales never lowers a record's risk, and the finest safe scales are those brute force finds."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest

import lookalike as la
from fca.known import SEX, YEARS
from lookalike import fca

LADDERS = {"sex": ["nominal"], "year": ["windows:40/40", "windows:20/20", "windows:10/10", "nominal"]}


def records() -> la.Table:
    return la.table(pl.DataFrame({"sex": list(SEX), "year": YEARS}), quasi=["sex", "year"])


def random_people(seed: int) -> la.Table:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    age = [None if rng.random() < 0.1 else int(a) for a in rng.integers(0, 80, n)]
    return la.table(pl.DataFrame({"age": age, "city": rng.choice(list("ABC"), n)}), quasi=["age", "city"])


AGES = {"age": ["windows:40/40", "windows:20/10", "ordinal", "nominal"], "city": ["nominal"]}


def test_no_records_risk_falls_as_scales_are_refined() -> None:
    for seed in range(20):
        path = fca.risk_along_scales(random_people(seed), ladders=AGES)
        assert len(path) == 5
        risks = [fca.basic_risk(step.context) for step in path]
        of_records = [risk.of_objects(risk.basic) for risk in risks]
        for coarse, fine in pairwise(of_records):
            assert (fine >= coarse - 1e-12).all()


def test_the_finest_safe_scales_are_those_of_brute_force() -> None:
    for seed in range(12):
        people = random_people(seed)
        for threshold, outliers in ((0.2, 0.0), (0.5, 0.1), (1.0, 0.0)):
            climb = {}
            for rungs in product(range(5), range(2)):
                scales = {"age": AGES["age"][: rungs[0]], "city": AGES["city"][: rungs[1]]}
                climb[rungs] = _share_above(people, scales, threshold) <= outliers
            safe = [rungs for rungs, ok in climb.items() if ok]
            finest = {
                one
                for one in safe
                if not any(two != one and two[0] >= one[0] and two[1] >= one[1] for two in safe)
            }
            found = fca.finest_scales(people, ladders=AGES, threshold=threshold, outliers=outliers)
            assert {tuple(one.rungs.values()) for one in found} == finest


def _share_above(people: la.Table, scales: dict[str, list[str]], threshold: float) -> float:
    """By the definition: each record against all others, attribute by attribute."""
    columns = []
    for name, texts in scales.items():
        column = people.column(name)
        for text in texts:
            columns += [
                having[column.codes] for _, having in fca.Scale.parse(text).attributes(name, column.domain)
            ]
    n = len(people)
    matrix = np.stack(columns, axis=1) if columns else np.ones((n, 1), dtype=bool)
    risky = 0
    for row in matrix:
        like = (matrix | ~row).all(axis=1)
        gaps = [int((like & ~matrix[:, m]).sum()) for m in np.flatnonzero(~row)] or [int(like.sum())]
        risky += 1 / min(gaps) > threshold + 1e-9
    return risky / n


def test_the_papers_records_keep_sex_and_forty_years_unless_some_are_suppressed() -> None:
    people = records()
    (found,) = fca.finest_scales(people, ladders=LADDERS, threshold=0.35)
    assert dict(found.rungs) == {"sex": 1, "year": 1}
    assert (found.maximum, found.above) == (0.25, 0.0)
    assert found.knowledge >= 0
    looser = fca.finest_scales(people, ladders=LADDERS, threshold=0.35, outliers=0.3)
    assert max(one.attributes for one in looser) > found.attributes
    assert set(found.to_dict()) == {"rungs", "scales", "attributes", "maximum", "mean", "above"}


def test_nothing_is_safe_where_too_few_people_are_left() -> None:
    people = la.table(pl.DataFrame({"city": ["A", "B"]}), quasi=["city"])
    assert fca.finest_scales(people, ladders={"city": ["nominal"]}, threshold=0.3) == ()
    (only,) = fca.finest_scales(people, ladders={"city": ["nominal"]}, threshold=0.5)
    assert dict(only.scales) == {"city": "left out"}


def test_a_column_without_a_ladder_and_a_strange_one_are_named() -> None:
    with pytest.raises(la.RequestError, match="year has none"):
        fca.risk_along_scales(records(), ladders={"sex": ["nominal"]})
    with pytest.raises(la.RequestError, match="zip is none"):
        fca.finest_scales(records(), ladders={**LADDERS, "zip": ["nominal"]}, threshold=0.3)
    with pytest.raises(la.RequestError, match="threshold"):
        fca.finest_scales(records(), ladders=LADDERS, threshold=0.0)
    with pytest.raises(la.RequestError, match="outliers"):
        fca.finest_scales(records(), ladders=LADDERS, threshold=0.3, outliers=1.0)
