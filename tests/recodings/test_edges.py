"""No end of a published range is the value of a few people only, and no mean gives the last of its values away."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.recodings.edges import find_edges, nice_step, round_to
from lookalike.recodings.labels import Range, read_label
from lookalike.tables.columns.coding import encode


def edges_of(values: list[object], least: int) -> dict[str, tuple[str, str]]:
    column = encode(pl.Series("x", values), kind=None, na=())
    edges = find_edges(column.domain, column.counts, least)
    return dict(zip(column.domain.texts, zip(*edges.texts, strict=True), strict=True))


def test_a_rare_end_moves_to_the_finest_round_cell_that_enough_people_are_in() -> None:
    found = edges_of([60] * 9 + [88, 89, 91, 92, 97], least=3)
    assert found["60"] == ("60", "60")
    assert found["97"] == ("90", "99")
    assert found["88"] == ("80", "99")  # 88 and 89 are two people; three are between 80 and 99


def test_dates_move_to_months_quarters_and_years() -> None:
    days = ["2024-01-05", "2024-01-09", "2024-02-20", "2024-11-30", "2024-12-01"]
    found = edges_of([np.datetime64(day).astype(object) for day in days], least=2)
    assert found["2024-01-05"] == ("2024-01-01", "2024-01-31")
    assert found["2024-02-20"] == ("2024-01-01", "2024-03-31")
    assert found["2024-12-01"] == ("2024-10-01", "2024-12-31")


@settings(max_examples=200, deadline=None)
@example([7.5654087534804e-310], 2)  # floats so small, and so large, that steps between them are none
@example([0.0, 5e-324, 1e-310], 2)
@example([0.0, 1.5e308, 1.7976931348623157e308], 2)
@given(st.lists(st.integers(-50, 50) | st.floats(-5, 5), min_size=1, max_size=60), st.integers(1, 9))
def test_edges_enclose_their_value_and_are_shared_or_round(values: list[float], least: int) -> None:
    column = encode(pl.Series("x", [float(v) for v in values]), kind=None, na=())
    numbers, counts = column.domain.numbers, column.counts
    edges = find_edges(column.domain, counts, least)
    assert (edges.low <= numbers).all()
    assert (edges.high >= numbers).all()
    assert (edges.low[counts >= least] == numbers[counts >= least]).all()
    inside = [
        counts[(numbers >= a) & (numbers <= b)].sum() for a, b in zip(edges.low, edges.high, strict=True)
    ]
    whole = counts.sum() < least or len(numbers) == 1
    wide = edges.high / 2 - edges.low / 2 >= numbers[-1] / 4 - numbers[0] / 4  # both signs never share a cell
    assert whole or (np.array(inside) >= least)[~wide].all()
    assert [numbers[a] >= low for a, low in zip(edges.codes[0], edges.low, strict=True)]


@pytest.mark.parametrize("method", ["local", "mondrian", "sangreea"])
def test_the_oldest_person_is_in_no_release(method: str) -> None:
    draw = np.random.default_rng(4)
    ages = [*draw.integers(20, 80, 400).tolist(), 97]
    table = la.table(pl.DataFrame({"age": ages, "sex": draw.choice(["f", "m"], 401)}), quasi=["age", "sex"])
    release = la.anonymize(table, la.KAnonymity(5), method=method, suppression=0.0)
    ends = [label for text in release.rows["age"].unique() if isinstance(label := read_label(text), Range)]
    assert ends
    assert not any("97" in (label.lo, label.hi) for label in ends)
    exact = la.anonymize(table, la.KAnonymity(5), method=method, suppression=0.0, ends=0)
    assert any("97]" in text for text in exact.rows["age"])


@pytest.mark.parametrize("kind", [int, float, "date"])
@pytest.mark.parametrize("distinct", [1, 40])
def test_a_value_beside_missing_ones_is_an_end_too(kind: Any, distinct: int) -> None:
    one = (lambda i: date(1950 + i, 3, 15)) if kind == "date" else (lambda i: kind(1003 + 17 * i))
    values = [one(i // 5) if i % 5 == 0 and i < 5 * distinct else None for i in range(200)]
    frame = pl.DataFrame({"town": [f"t{i // 5}" for i in range(200)], "score": values})
    table = la.table(frame, quasi=["town", "score"])
    release = la.anonymize(table, la.KAnonymity(5), method="local", suppression=0.0)
    labels = [
        label for text in release.rows["score"].unique() if isinstance(label := read_label(text), Range)
    ]
    alone = {number_of(value) for value in values if value is not None}
    assert labels
    assert not any({label.lo, label.hi} & alone for label in labels)
    exact = la.anonymize(table, la.KAnonymity(5), method="local", suppression=0.0, ends=0)
    assert {str(Range(text, text, missing=True)) for text in alone} >= {*exact.rows["score"].drop_nulls()}


def test_a_mean_of_one_value_beside_missing_ones_is_no_value() -> None:
    table = la.table(
        pl.DataFrame({"town": ["a"] * 5 + ["b"] * 5, "score": [1003, *[None] * 4, 1777, *[None] * 4]}),
        quasi=["town", "score"],
    )
    for numbers in ("mean", "midpoint"):
        release = la.anonymize(
            table, la.KAnonymity(5), method="mondrian", numbers={"score": numbers}, suppression=0.0
        )
        assert not {1003.0, 1777.0} & {*release.rows["score"]}


def number_of(value: Any) -> str:
    return value.isoformat() if isinstance(value, date) else f"{value:g}"


def test_a_mean_leaves_the_last_value_as_open_as_the_range_is_wide() -> None:
    values = [31.0, 32.0, 35.0, 38.0, 44.0]
    table = la.table(pl.DataFrame({"age": values}), quasi=["age"])
    release = la.anonymize(
        table, la.KAnonymity(5), method="mondrian", numbers={"age": "mean"}, suppression=0.0
    )
    mean = release.rows["age"][0]
    step = nice_step((59 - 20) / 5)  # of [20, 59]
    assert mean == round_to(36.0, step)
    possible = [v for v in range(200) if abs((sum(values[:4]) + v) / 5 - mean) <= step / 2]
    assert max(possible) - min(possible) >= 59 - 20


@pytest.mark.parametrize("method", ["local", "mondrian", "sangreea"])
@pytest.mark.parametrize("start", [2**53, 2**60, -(2**62)])
@pytest.mark.parametrize("step", [1, 7, 1000])
def test_ranges_hold_whole_numbers_that_floats_do_not_tell_apart(method: str, start: int, step: int) -> None:
    rng = np.random.default_rng(1)
    values = [start + step * n for n in rng.integers(-40, 41, 400).tolist()]
    table = la.table(pl.DataFrame({"x": values, "town": rng.choice(["a", "b"], 400)}), quasi=["x", "town"])
    release = la.anonymize(table, la.KAnonymity(3), method=method, shuffle=False, suppression=0.0)
    for value, text in zip(values, release.rows["x"], strict=True):
        label = read_label(text)
        lo, hi = (label.lo, label.hi) if isinstance(label, Range) else (text, text)
        assert int(lo) <= value <= int(hi)
    assert la.loss(table, release).columns["x"]["entropy"] >= 0
    assert la.semantic_risk(table).records.max() <= 1


def test_nice_steps() -> None:
    assert [nice_step(width) for width in (0.3, 1, 1.1, 3, 7, 20, 21)] == [0.5, 1, 2, 5, 10, 20, 50]
    assert round_to(0.30000000000000004, 0.1) == 0.3
