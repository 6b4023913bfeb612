"""Cells against brute force: rolled up, merged, seen through fewer columns, split; records and people."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.cells import Cells, Entries
from lookalike.tables.table import Table

AGES = st.one_of(st.none(), st.integers(0, 30))
SEXES = st.sampled_from(["f", "m", None])
ZIPS = st.sampled_from(["8010", "8020", "9010", "9011"])
DISEASES = st.sampled_from(["flu", "cold", "ulcer", None])
ROWS = st.lists(
    st.tuples(AGES, SEXES, ZIPS, DISEASES, st.sampled_from(["a", "b"]), st.integers(1, 6)),
    min_size=1,
    max_size=40,
)
NAMES = ["age", "sex", "zip", "disease", "ward", "patient"]


def make(rows: list[tuple[Any, ...]], *, unit: str | None = None) -> Table:
    frame = pl.DataFrame(rows, schema=NAMES, orient="row", infer_schema_length=None)
    return la.table(
        frame,
        quasi=["age", "sex", "zip"],
        sensitive=["disease", "ward"],
        identifiers=["patient"],
        unit=unit,
        types={"age": "integer", "zip": "nominal"},
        hierarchies={"age": la.Hierarchy.intervals(5, 10), "zip": la.Hierarchy.mask()},
    )


def generalised(row: tuple[Any, ...], levels: tuple[int, int, int]) -> tuple[Any, ...]:
    age, sex, postcode = row[:3]
    width = [1, 5, 10][levels[0]] if levels[0] < 3 else None
    return (
        "*" if width is None else None if age is None else age // width,
        "*" if levels[1] else sex,
        postcode[: 4 - levels[2]],
    )


def number(group: list[tuple[Any, ...]], unit: bool) -> int:
    return len({row[5] for row in group}) if unit else len(group)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 4)), st.booleans())
def test_rolling_up_equals_grouping_generalised_rows(
    rows: list[tuple[Any, ...]], levels: tuple[int, int, int], unit: bool
) -> None:
    table = make(rows, unit="patient" if unit else None)
    height = table.tree("zip").height
    levels = (levels[0], levels[1], min(levels[2], height))
    cells = table.cells()
    classes = cells.roll_up(levels)
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        groups[generalised(row, levels)].append(row)
    of_row = classes.of_cell[cells.of_row]
    assert len(classes) == len(groups)
    assert len({(generalised(row, levels), int(c)) for row, c in zip(rows, of_row, strict=True)}) == len(
        groups
    )
    for row, owner in zip(rows, of_row, strict=True):
        group = groups[generalised(row, levels)]
        assert classes.records[owner] == len(group)
        assert classes.counts[owner] == number(group, unit)
    assert cells.people == number(rows, unit)
    histogram = classes.histogram("disease")
    texts = [*histogram.domain.texts, None]
    for row, owner in zip(rows, of_row, strict=True):
        group = groups[generalised(row, levels)]
        mine = dict(
            zip(
                histogram.value[histogram.owner == owner],
                histogram.count[histogram.owner == owner],
                strict=True,
            )
        )
        wanted = {v: number([r for r in group if r[3] == v], unit) for v in {r[3] for r in group}}
        assert {texts[v]: int(c) for v, c in mine.items()} == wanted
    assert np.array_equal(np.diff(histogram.starts), np.bincount(histogram.owner, minlength=len(classes)))
    assert (
        histogram.dense().sum() == histogram.count.sum() == histogram.totals.sum() == histogram.overall.sum()
    )


@settings(max_examples=40, deadline=None)
@given(ROWS, st.booleans())
def test_a_subset_of_columns_groups_as_the_rows_do(rows: list[tuple[Any, ...]], unit: bool) -> None:
    cells = make(rows, unit="patient" if unit else None).cells()
    classes = cells.subset(["zip", "sex"])
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        groups[row[2], row[1]].append(row)
    of_row = classes.of_cell[cells.of_row]
    assert sorted(classes.counts.tolist()) == sorted(number(g, unit) for g in groups.values())
    assert all(
        classes.counts[c] == number(groups[row[2], row[1]], unit) for row, c in zip(rows, of_row, strict=True)
    )
    assert cells.subset([]).records.tolist() == [len(rows)]


@settings(max_examples=40, deadline=None)
@given(ROWS, st.booleans())
def test_splitting_classes_treats_other_columns_as_quasi_identifiers(
    rows: list[tuple[Any, ...]], unit: bool
) -> None:
    table = make(rows, unit="patient" if unit else None)
    parts = table.cells().roll_up({"age": 2}).split(["ward"])
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        groups[(*generalised(row, (2, 0, 0)), row[4])].append(row)
    assert sorted(parts.counts.tolist()) == sorted(number(g, unit) for g in groups.values())
    assert sorted(parts.records.tolist()) == sorted(map(len, groups.values()))
    shapes = Counter(
        tuple(sorted(number([r for r in g if r[3] == v], unit) for v in {r[3] for r in g}))
        for g in groups.values()
    )
    histogram = parts.histogram("disease")
    mine = Counter(
        tuple(sorted(histogram.count[histogram.owner == owner].tolist())) for owner in range(len(parts))
    )
    assert mine == shapes


@settings(max_examples=30, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing_but_their_order(rows: list[tuple[Any, ...]], random: Any) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    first, second = make(rows).cells(), make([rows[i] for i in order]).cells()
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.counts, second.counts)
    assert np.array_equal(first.of_row[order], second.of_row)
    assert np.array_equal(first.entries.count, second.entries.count)


def test_counts_go_beyond_two_to_the_31() -> None:
    table = make(
        [(1, "f", "8010", "flu", "a", 1), (2, "f", "8010", "cold", "a", 2), (9, "m", "9010", "flu", "b", 3)]
    )
    cells = table.cells()
    big = np.array([2**40, 3, 2**31], dtype=np.int64)
    entries = Entries(cells.entries.cell, cells.entries.codes, big[cells.entries.cell], None)
    huge = Cells(cells.attributes, cells.codes, big, big, cells.sensitive, entries, cells.of_row)
    merged = huge.roll_up({"age": 3, "sex": 1, "zip": 4})
    assert merged.counts.tolist() == [2**40 + 3 + 2**31]
    assert huge.people == 2**40 + 3 + 2**31
    flu = merged.histogram("disease")
    assert dict(zip(np.array(flu.domain.texts)[flu.value], flu.count.tolist(), strict=True)) == {
        "flu": 2**40 + 2**31,
        "cold": 3,
    }


def test_a_person_with_several_rows_in_a_class_counts_once() -> None:
    rows = [(1, "f", "8010", d, "a", p) for d, p in [("flu", 1), ("flu", 1), ("cold", 1), ("flu", 2)]]
    classes = make(rows, unit="patient").cells().classes()
    assert classes.records.tolist() == [4]
    assert classes.counts.tolist() == [2]
    histogram = classes.histogram("disease")
    assert dict(zip(histogram.domain.texts, histogram.overall.tolist(), strict=True)) == {"cold": 1, "flu": 2}


def test_people_do_not_add_up_when_classes_merge() -> None:
    rows = [(1, "f", "8010", "flu", "a", 1), (2, "f", "8010", "flu", "a", 1)]
    cells = make(rows, unit="patient").cells()
    assert cells.counts.tolist() == [1, 1]
    assert cells.roll_up({"age": 1}).counts.tolist() == [1]


def test_wrong_levels_and_names_are_refused_with_what_is_allowed() -> None:
    cells = make([(1, "f", "8010", "flu", "a", 1)]).cells()
    with pytest.raises(la.RequestError, match="levels 0 to 3, not 4"):
        cells.roll_up({"age": 4})
    with pytest.raises(la.RequestError, match="2 levels for 3"):
        cells.roll_up([0, 0])
    with pytest.raises(la.ColumnError, match=r"'agee'.*Did you mean 'age'"):
        cells.subset(["agee"])
    with pytest.raises(la.ColumnError, match="no column 'age'"):
        cells.classes().histogram("age")
    with pytest.raises(la.ColumnError, match="no column 'age'"):
        cells.classes().split(["age"])


def test_refined_cells_tell_a_sensitive_column_apart() -> None:
    rows = [
        (1, "f", "8010", "flu", "a", 1),
        (1, "f", "8010", "cold", "a", 2),
        (1, "f", "8010", "cold", "b", 3),
    ]
    finer = make(rows).cells().refined(["disease"])
    assert finer.names == ["age", "sex", "zip", "disease"]
    assert finer.counts.tolist() == [2, 1]
    assert [column.name for column in finer.sensitive] == ["ward"]
    assert finer.roll_up({"disease": 1}).counts.tolist() == [3]
