"""The de-identification pipeline: the toy's known answers."""

from __future__ import annotations

import polars as pl
import pytest

import lookalike as la

TOY = """North 30-44 1 1|North 30-44 1 0|North 30-44 1 1|North 30-44 1 0|North 60+ 0 1|North 60+ 0 1|North 60+ 0 0
North 60+ 0 1|South 16-29 1 0|South 16-29 0 0|South 16-29 1 0|South 45-59 1 1|South 45-59 0 0|South 45-59 0 1
Wales 60+ 0 1|Wales 60+ 1 0|Wales 16-29 0 1"""
NEGATIVE = {"on_benefits": 1, "home_ownership": 0}
KEPT = {
    1: [5, 6, 7, 8, 12, 13, 14, 15, 16, 17],
    2: [5, 6, 7, 8, 12, 13, 14, 15, 16],
    3: [5, 6, 7, 8, 12, 13, 14],
    4: [5, 6, 7, 8],
    5: [],
}


def _toy() -> la.Table:
    rows = [row.split() for row in TOY.replace("\n", "|").split("|")]
    frame = pl.DataFrame(
        {
            "id": range(1, 18),
            "area": [r[0] for r in rows],
            "age": [r[1] for r in rows],
            "on_benefits": [int(r[2]) for r in rows],
            "home_ownership": [int(r[3]) for r in rows],
        }
    )
    return la.table(frame, quasi=["area", "age"], sensitive=["on_benefits", "home_ownership"], others=["id"])


def test_the_toy_loses_what_it_should() -> None:
    found = la.deidentify(_toy(), levels={}, k=3, negative=NEGATIVE, ks=range(1, 6))
    assert [c.dropped_k for c in found.costs] == [0, 1, 3, 9, 17]
    assert [c.dropped_directional for c in found.costs] == [7, 7, 7, 4, 0]
    assert [c.dropped_plain for c in found.costs] == [12, 11, 11, 8, 0]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_the_toys_release_keeps_the_known_rows(k: int) -> None:
    release = la.deidentify(_toy(), levels={}, k=k, negative=NEGATIVE).release
    assert (sorted(release.rows["id"]) if release else []) == KEPT[k]


def test_steps_report_classes_and_uniques() -> None:
    people = la.table(
        pl.DataFrame({"age": [20, 21, 30, 31], "sex": ["f", "f", "m", "f"]}),
        quasi=["age", "sex"],
        hierarchies={"age": la.Hierarchy.intervals(10)},
    )
    found = la.deidentify(people, levels={"age": 1}, k=2)
    assert [(s.classes, s.uniques) for s in found.steps] == [(4, 4), (3, 2)]
    assert found.steps[1].sizes[2] == 1
    assert found.release is not None
    assert found.release.suppressed == 2


def test_unknown_columns_are_refused() -> None:
    with pytest.raises(la.ColumnError, match="levels"):
        la.deidentify(_toy(), levels={"aera": 1}, k=2)
    with pytest.raises(la.ColumnError, match="negative"):
        la.deidentify(_toy(), levels={}, k=2, negative={"area": "x"})
