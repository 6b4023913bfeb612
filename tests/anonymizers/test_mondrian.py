"""Mondrian keeps every promise in every class, cuts as published, and stops only when no cut is left."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers import mondrian
from lookalike.base.errors import GuaranteeError, RequestError
from lookalike.models import (
    AverageRisk,
    BetaLikeness,
    KAnonymity,
    LDiversity,
    Model,
    SampleUniqueness,
    TCloseness,
)
from lookalike.tables.hierarchies import Hierarchy
from lookalike.tables.table import Table

ROWS = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]


def people_of(rows: list[tuple], *, unit: list[int] | None = None, tree: bool = True) -> Table:
    frame = pl.DataFrame(rows, schema={"n": pl.Int64, "x": pl.String, "s": pl.String}, orient="row")
    if unit is not None:
        frame = frame.with_columns(pl.Series("person", unit[: len(rows)]))
    return la.table(
        frame,
        quasi=["n", "x"],
        sensitive=["s"],
        hierarchies={"x": Hierarchy.rows(ROWS)} if tree else {},
        unit=None if unit is None else "person",
    )


rows_of = st.lists(
    st.tuples(st.integers(0, 9) | st.none(), st.sampled_from("abcd"), st.sampled_from("pqr")),
    min_size=4,
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(
    rows=rows_of,
    k=st.integers(1, 4),
    distinct=st.integers(1, 2),
    t=st.sampled_from([0.2, 0.5, 1.0]),
    strict=st.booleans(),
    tree=st.booleans(),
)
def test_an_independent_checker_finds_every_promise_kept(
    rows: list, k: int, distinct: int, t: float, strict: bool, tree: bool
) -> None:
    cells = people_of(rows, tree=tree).cells()
    models = [KAnonymity(k), LDiversity("s", distinct), TCloseness("s", t, "equal")]
    overall = Counter(row[2] for row in rows)
    if len(overall) < distinct:
        with pytest.raises(GuaranteeError, match="largest reachable l"):
            mondrian.partition(cells, models, strict=strict)
        return
    of_row = mondrian.partition(cells, models, strict=strict)
    assert of_row.dtype == np.int32
    assert sorted(set(of_row.tolist())) == list(range(of_row.max() + 1))
    classes = defaultdict(list)
    for row, label in zip(rows, of_row.tolist(), strict=True):
        classes[label].append(row)
    for members in classes.values():
        seen = Counter(row[2] for row in members)
        assert len(members) >= k
        assert len(seen) >= distinct
        away = sum(abs(seen[v] / len(members) - overall[v] / len(rows)) for v in overall) / 2
        assert away <= t + 1e-9
    if strict:
        assert len({(row[:2], label) for row, label in zip(rows, of_row.tolist(), strict=True)}) == len(
            {row[:2] for row in rows}
        )


@settings(max_examples=100, deadline=None)
@given(rows=rows_of, k=st.integers(1, 4))
def test_a_strict_class_has_no_cut_left(rows: list, k: int) -> None:
    """Along any attribute, every boundary between values leaves fewer than k on a side."""
    of_row = mondrian.partition(people_of(rows).cells(), [KAnonymity(k)])
    for label in range(of_row.max() + 1):
        members = [row for row, own in zip(rows, of_row, strict=True) if own == label]
        numbers = sorted(11 if row[0] is None else row[0] for row in members)
        boundaries = [i for i in range(1, len(numbers)) if numbers[i] != numbers[i - 1]]
        assert not any(i >= k and len(numbers) - i >= k for i in boundaries)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=rows_of, unit=st.lists(st.integers(0, 9), min_size=40, max_size=40))
def test_people_with_several_rows_count_once(rows: list, unit: list[int]) -> None:
    people = people_of(rows, unit=unit)
    if len(set(unit[: len(rows)])) < 2:
        with pytest.raises(GuaranteeError):
            mondrian.partition(people.cells(), [KAnonymity(2)])
        return
    of_row = mondrian.partition(people.cells(), [KAnonymity(2)])
    for label in range(of_row.max() + 1):
        assert len({who for who, own in zip(unit[: len(rows)], of_row, strict=True) if own == label}) >= 2


@pytest.mark.parametrize(
    "models",
    [
        [AverageRisk(0.3)],
        [SampleUniqueness(0.0)],
        [KAnonymity(2), BetaLikeness("s", 1.0)],
        [LDiversity("s", 2, "entropy")],
    ],
    ids=lambda models: str(models[-1]),
)
def test_other_promises_hold_in_the_result(models: list[Model]) -> None:
    rng = np.random.default_rng(0)
    rows = [(int(rng.integers(0, 30)), rng.choice(list("abcd")), rng.choice(list("pqr"))) for _ in range(200)]
    people = people_of(rows)
    of_row = mondrian.partition(people.cells(), models)
    classes = people.cells().merge(_of_cell(people, of_row), int(of_row.max()) + 1)
    assert of_row.max() > 3
    for model in models:
        assert not model.breaks(classes).any()


def _of_cell(people: Table, of_row: np.ndarray) -> np.ndarray:
    out = np.zeros(len(people.cells()), dtype=np.int32)
    out[people.cells().of_row] = of_row
    return out


def test_numbers_are_cut_at_the_median() -> None:
    rows = [(n, "a", "p") for n in (1, 1, 2, 8, 9, 9)]
    assert mondrian.partition(people_of(rows).cells(), [KAnonymity(3)]).tolist() == [0, 0, 0, 1, 1, 1]


def test_nominal_values_are_cut_between_subtrees() -> None:
    rows = [(1, x, "p") for x in "aaabccccdddd"]
    of_row = mondrian.partition(people_of(rows).cells(), [KAnonymity(4)])
    by_label = defaultdict(set)
    for row, label in zip(rows, of_row.tolist(), strict=True):
        by_label[label].add(row[1])
    assert sorted(map(sorted, by_label.values())) == [["a", "b"], ["c"], ["d"]]


def test_nominal_values_without_a_hierarchy_are_parted_evenly() -> None:
    rows = [(1, x, "p") for x in "a" * 6 + "b" * 3 + "c" * 2 + "d"]
    of_row = mondrian.partition(people_of(rows, tree=False).cells(), [KAnonymity(6)])
    assert Counter(of_row.tolist()) == {0: 6, 1: 6}


def test_a_relaxed_cut_may_part_equal_rows() -> None:
    rows = [(5, "a", "p")] * 7 + [(6, "a", "p")]
    assert mondrian.partition(people_of(rows).cells(), [KAnonymity(4)]).max() == 0
    relaxed = mondrian.partition(people_of(rows).cells(), [KAnonymity(4)], strict=False, seed=3)
    assert Counter(relaxed.tolist()) == {0: 4, 1: 4}
    again = mondrian.partition(people_of(rows).cells(), [KAnonymity(4)], strict=False, seed=3)
    assert (again == relaxed).all()


def test_a_weight_makes_an_attribute_be_cut_first() -> None:
    rows = [(n, x, "p") for n in (0, 9) for x in "ad"] * 2
    by_number = mondrian.partition(people_of(rows).cells(), [KAnonymity(4)], weights={"n": 10})
    by_letter = mondrian.partition(people_of(rows).cells(), [KAnonymity(4)], weights={"x": 10})
    assert len({(row[0], label) for row, label in zip(rows, by_number.tolist(), strict=True)}) == 2
    assert len({(row[1], label) for row, label in zip(rows, by_letter.tolist(), strict=True)}) == 2


def test_what_the_table_as_a_whole_breaks_is_refused() -> None:
    rows = [(1, "a", "p"), (2, "b", "p")]
    with pytest.raises(GuaranteeError, match="largest reachable k is 2"):
        mondrian.partition(people_of(rows).cells(), [KAnonymity(3)])
    with pytest.raises(RequestError, match="Use the strict one"):
        mondrian.partition(people_of(rows, unit=[1, 2]).cells(), [KAnonymity(1)], strict=False)
