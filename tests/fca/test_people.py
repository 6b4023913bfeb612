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


def parts(people: la.Table, threshold: float = 0.35) -> tuple[la.SemanticRisk, np.ndarray]:
    found = la.semantic_risk(people, scales=SCALES, threshold=threshold)
    return found, found.context.to_matrix()


def left_by(matrix: np.ndarray, who: np.ndarray, row: np.ndarray, further: int) -> int:
    """People with a record that has all of a row and not one further attribute."""
    return len(set(who[(matrix | ~row).all(axis=1) & ~matrix[:, further]]))


def test_the_risk_of_every_record_is_that_of_the_definition_over_all_extents() -> None:
    for seed in range(20):
        found, matrix = parts(visits(seed))
        assert found.records == pytest.approx(by_definition(matrix, found.person))
        same = (matrix[:, None] == matrix[None]).all(axis=2)
        assert found.classical == pytest.approx([1 / len(set(found.person[one])) for one in same])
        assert (found.records <= found.classical + 1e-12).all()
        worst = [found.records[found.person == one].max() for one in range(6)]
        assert found.people == pytest.approx(worst)
        assert found.at_risk == (found.records > 0.35).sum()


def test_a_finding_says_how_many_people_there_are_and_which_attribute_leaves_the_fewest() -> None:
    for seed in range(20):
        found, matrix = parts(visits(seed))
        for i, row in enumerate(matrix):
            told = found.explain(i + 1)
            extent = (matrix | ~row).all(axis=1)
            assert (told.shared_by, told.counted) == (len(set(found.person[extent])), "person")
            if told.further is None:
                assert told.left == told.shared_by
            else:
                further = found.context.attributes.index(told.further)
                assert told.left == left_by(matrix, found.person, row, further) < told.shared_by
            assert told.left == round(1 / found.records[i])


def test_dropping_a_column_is_judged_by_people_too() -> None:
    for seed in range(6):
        people = visits(seed)
        for one in la.semantic_risk(people, scales=SCALES).columns:
            (other,) = {"age", "city"} - {one.name}
            alone = la.table(people.rows.drop(one.name), quasi=[other], unit="who")
            found = la.semantic_risk(alone, scales={other: SCALES[other]})
            assert (one.at_risk, one.kept, one.max) == (found.at_risk, found.safe.kept, found.max)


def test_the_safe_set_is_the_greatest_among_all_sets_of_whole_people() -> None:
    for seed in range(6):
        for threshold in (0.34, 0.5):
            found, matrix = parts(visits(seed, people=5), threshold)
            greatest: set[int] = set()
            for size in range(1, 6):
                for some in combinations(range(5), size):
                    here = np.isin(found.person, some)
                    if max(by_definition(matrix[here], found.person[here])) <= threshold:
                        greatest |= set(some)
            kept = found.safe.keep
            assert set(found.person[kept].tolist()) == greatest
            assert not set(found.person[~kept].tolist()) & greatest, "a person stays with all records or goes"
            assert found.safe.people == len(greatest)


def test_a_unit_of_one_row_each_changes_nothing() -> None:
    for seed in range(10):
        rows = visits(seed).rows.drop("who")
        plain = la.semantic_risk(la.table(rows, quasi=["age", "city"]), scales=SCALES)
        numbered = rows.with_columns(pl.int_range(pl.len()).alias("who"))
        found = la.semantic_risk(la.table(numbered, quasi=["age", "city"], unit="who"), scales=SCALES)
        assert found.records == pytest.approx(plain.records)
        assert (found.safe.keep == plain.safe.keep).all()
        assert [one.to_dict() for one in found.columns] == [one.to_dict() for one in plain.columns]
        assert (plain.people == plain.records).all()


def test_many_visits_of_one_person_hide_nobody() -> None:
    frame = pl.DataFrame({"who": ["a"] * 9 + ["b", "c"], "city": ["X"] * 9 + ["Y", "Y"]})
    found = la.semantic_risk(la.table(frame, quasi=["city"], unit="who"), threshold=0.5)
    assert found.people.tolist() == [1.0, 0.5, 0.5]
    assert found.safe.keep.tolist() == [False] * 9 + [True, True]
    assert repr(found.safe) == "SafePeople(2 people stay, 1 go, 1 rounds)"
    told = found.to_dict()
    assert (told["people"], told["people_at_risk"], told["safe_set"]["people_kept"]) == (3, 1, 2)
    assert told["chain_max"] is None
    assert "11 records of 3 people, who are counted" in found.text
    assert "9 records, first row 1: city=X: 1 person in all" in found.text
    assert not la.semantic_risk(la.table(frame, quasi=["city"], unit="who"), threshold=0.3).safe.keep.any()


def test_what_can_only_count_records_says_so() -> None:
    found = la.semantic_risk(visits(0), scales=SCALES)
    for ask in (found.draw, found.chains, lambda: found.chain, lambda: found.delete([1])):
        with pytest.raises(la.RequestError, match="counts records, but people have several rows"):
            ask()
    with pytest.raises(la.RequestError, match=r"`semantic_risk`, .* count people"):
        fca.scale_table(visits(0))
