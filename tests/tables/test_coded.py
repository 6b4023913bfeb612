"""Rows as distinct values and codes say what the rows say, for values of every type."""

from __future__ import annotations

import hashlib
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from lookalike.releases.certificate import column_digest
from lookalike.tables.coded import CodedRows, ValueCounts
from lookalike.tables.ordering import order_rows, order_values

COLUMNS = {
    "text": ["b", None, "", "b", "a" * 50],
    "whole": [2**53 + 1, -1, None, -1, 2**53],
    "large": pl.Series([2**64 - 1, 0, None, 0, 1], dtype=pl.UInt64),
    "number": [0.0, -0.0, None, float("nan"), 1e300],
    "yes": [True, None, False, True, True],
    "day": [date(2024, 2, 29), None, date(1900, 1, 1), date(1900, 1, 1), date(2024, 2, 29)],
    "moment": [datetime(2024, 1, 1, 12, 30, 1, 5), None] + [datetime(2024, 1, 1)] * 3,
    "span": [timedelta(days=1), None, timedelta(0), timedelta(0), timedelta(days=-1)],
    "money": [Decimal("1.10"), None, Decimal("1.1"), Decimal("-3.00"), Decimal("0.00")],
    "list": [[1, 2], None, [], [1, 2], [2, 1]],
    "kind": pl.Series(["x", None, "y", "x", "z"], dtype=pl.Categorical),
    "none": [None] * 5,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_coded_rows_are_the_rows(name: str) -> None:
    frame = pl.DataFrame({name: COLUMNS[name]})
    coded = CodedRows.of(frame)
    assert coded.frame.equals(frame)
    assert pl.concat(coded.pieces()).equals(frame)
    back = coded.take(np.array([4, 3, 2, 1, 0])).frame
    assert back.equals(frame.reverse())
    assert coded.columns[name].values.null_count() == 0


@pytest.mark.parametrize("name", [name for name in COLUMNS if name not in ("list", "span", "none", "text")])
def test_counts_are_those_of_the_csv_file(name: str) -> None:
    frame = pl.DataFrame({name: COLUMNS[name], "place": range(5)})
    read = pl.read_csv(frame.write_csv().encode(), infer_schema=False)
    expected = read.group_by(name).len().sort(name, nulls_last=False)
    counts = CodedRows.of(frame).counts(name)
    assert counts.pairs() == list(expected.iter_rows())


def test_the_digest_of_a_column_is_that_of_its_definition() -> None:
    rng = np.random.default_rng(1)
    texts = sorted({"".join(rng.choice(list("aßé€😀"), rng.integers(0, 9))) for _ in range(300)})
    times = rng.integers(1, 2**40, len(texts) + 1)
    plain = hashlib.sha256()
    for value, count in zip([None, *texts], times.tolist()):
        text = b"\0" if value is None else b"\1" + value.encode()
        plain.update(len(text).to_bytes(8, "big") + text + count.to_bytes(8, "big"))
    counts = ValueCounts(pl.Series([None, *texts], dtype=pl.String), times)
    assert column_digest(counts) == plain.hexdigest()


def test_rows_are_ordered_as_tuples_are() -> None:
    rng = np.random.default_rng(2)
    for sizes in ([2, 3], [10**9, 5, 10**12, 3], [1, 2**40, 2**40, 2]):
        columns = [rng.integers(0, min(size, 4), 500) * max(size // 4, 1) for size in sizes]
        order = order_rows(500, zip(columns, sizes))
        rows = list(zip(*(column.tolist() for column in columns)))
        assert [rows[i] for i in order] == sorted(rows)


def test_short_texts_are_sorted_as_long_ones_are() -> None:
    rng = np.random.default_rng(3)
    texts = pl.Series([f"{n}é"[:7] for n in rng.permutation(20_000)]).unique(maintain_order=True)
    assert texts.gather(order_values(texts)).to_list() == sorted(texts.to_list())
    nul = pl.concat([texts, pl.Series(["a\0", "a"])])
    assert nul.gather(order_values(nul)).to_list() == sorted(nul.to_list())
