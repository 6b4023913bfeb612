"""People with several rows count once, by the definition, and the safe set is the greatest one of whole people."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike import fca

SCALES = {"age": "ordinal:20,40", "city": "nominal"}


def visits(seed: int, people: int = 6) -> la.Table:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(people, 3 * people))
    who = np.r_[np.arange(people), rng.integers(0, people, n - people)]
    age = [None if rng.random() < 0.1 else int(a) for a in rng.choice([10, 30, 50], n)]
    return la.table(
        pl.DataFrame({"who": [f"né {w}" for w in who], "age": age, "city": rng.choice(list("AB"), n)}),
        quasi=["age", "city"],
        unit="who",
    )


def by_definition(matrix: np.ndarray, who: np.ndarray) -> list[float]:
    """r_BS of each record: over all extents below its concept that lack it, the fewest people left."""
    risks = []
    for row in matrix:
        extent = (matrix | ~row).all(axis=1)
        gaps = [len(set(who[extent]))]
        for size in range(1, matrix.shape[1] + 1):
            for attributes in combinations(range(matrix.shape[1]), size):
                if not row[list(attributes)].all():
                    below = extent & matrix[:, list(attributes)].all(axis=1)
                    gaps.append(len(set(who[extent & ~below])))
        risks.append(1 / min(gaps))
    return risks


def parts(people: la.Table) -> tuple[fca.PeopleRisk, np.ndarray]:
    found = fca.people_risk(people, scales=SCALES)
    return found, found.scaling.context.to_matrix()


def test_the_risk_of_every_record_is_that_of_the_definition_over_all_extents() -> None:
    for seed in range(20):
        found, matrix = parts(visits(seed))
        assert found.records == pytest.approx(by_definition(matrix, found.person))
        same = (matrix[:, None] == matrix[None]).all(axis=2)
        assert found.classical == pytest.approx([1 / len(set(found.person[one])) for one in same])
        assert (found.records <= found.classical + 1e-12).all()


def test_the_safe_set_is_the_greatest_among_all_sets_of_whole_people() -> None:
    for seed in range(6):
        found, matrix = parts(visits(seed, people=5))
        for threshold in (0.34, 0.5):
            greatest: set[int] = set()
            for size in range(1, 6):
                for some in combinations(range(5), size):
                    here = np.isin(found.person, some)
                    if max(by_definition(matrix[here], found.person[here])) <= threshold:
                        greatest |= set(some)
            kept = found.safe(threshold=threshold)
            assert set(found.person[kept].tolist()) == greatest


def test_without_a_unit_people_are_records() -> None:
    for seed in range(10):
        rows = visits(seed).rows.drop("who")
        people = la.table(rows, quasi=["age", "city"])
        found, records = fca.people_risk(people, scales=SCALES), la.semantic_risk(people, scales=SCALES)
        assert found.records == pytest.approx(records.records)
        assert (found.safe(threshold=0.35) == records.safe.keep).all()


def test_many_visits_of_one_person_hide_nobody() -> None:
    frame = pl.DataFrame({"who": ["a"] * 9 + ["b", "c"], "city": ["X"] * 9 + ["Y", "Y"]})
    found = fca.people_risk(la.table(frame, quasi=["city"], unit="who"))
    assert found.people.tolist() == [1.0, 0.5, 0.5]
    assert (found.max, round(found.mean, 4), len(found.people)) == (1.0, 0.6667, 3)
    assert found.safe(threshold=0.5).tolist() == [False] * 9 + [True, True]
    assert not found.safe(threshold=0.3).any()
    assert found.to_dict()["people"] == 3
    with pytest.raises(la.RequestError, match="threshold"):
        found.safe(threshold=0)


def test_what_counts_records_names_the_call_that_counts_people() -> None:
    with pytest.raises(la.RequestError, match=r"fca\.people_risk"):
        la.semantic_risk(visits(0))
