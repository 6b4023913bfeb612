"""Rows as distinct values and codes say what the rows say, for values of every type."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lookalike.releases.certificate import column_digest
from lookalike.tables.coded import CodedRows, ValueCounts, as_text
from lookalike.tables.ordering import deal_out, drawn_order, order_rows, order_values

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
    coded = CodedRows.of(pl.DataFrame({name: COLUMNS[name], "place": range(5)}))
    read = pl.read_csv(coded.frame.write_csv().encode(), infer_schema=False)
    expected = read.group_by(name).len().sort(name, nulls_last=False)
    assert coded.counts(name).pairs() == list(expected.iter_rows())


def test_the_digest_of_a_column_is_that_of_its_definition() -> None:
    rng = np.random.default_rng(1)
    texts = sorted({"".join(rng.choice(list("aßé€😀"), rng.integers(0, 9))) for _ in range(300)})
    times = rng.integers(1, 2**40, len(texts) + 1)
    plain = hashlib.sha256()
    for value, count in zip([None, *texts], times.tolist(), strict=True):
        text = b"\0" if value is None else b"\1" + value.encode()
        plain.update(len(text).to_bytes(8, "big") + text + count.to_bytes(8, "big"))
    counts = ValueCounts(pl.Series([None, *texts], dtype=pl.String), times)
    assert column_digest(counts) == plain.hexdigest()


def test_rows_are_ordered_as_tuples_are() -> None:
    rng = np.random.default_rng(2)
    for sizes in ([2, 3], [10**9, 5, 10**12, 3], [1, 2**40, 2**40, 2]):
        columns = [rng.integers(0, min(size, 4), 500) * max(size // 4, 1) for size in sizes]
        order = order_rows(500, zip(columns, sizes, strict=True))
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        assert [rows[i] for i in order] == sorted(rows)


def test_short_texts_are_sorted_as_long_ones_are() -> None:
    rng = np.random.default_rng(3)
    texts = pl.Series([f"{n}é"[:7] for n in rng.permutation(20_000)]).unique(maintain_order=True)
    assert texts.gather(order_values(texts)).to_list() == sorted(texts.to_list())
    nul = pl.concat([texts, pl.Series(["a\0", "a"])])
    assert nul.gather(order_values(nul)).to_list() == sorted(nul.to_list())


@pytest.mark.parametrize("long", ["", "-2024"])
def test_many_texts_of_plain_letters_are_sorted_as_texts_are(long: str) -> None:
    texts = pl.Series([f"{n}{long}" for n in np.random.default_rng(4).permutation(20_000)])
    assert texts.gather(order_values(texts)).to_list() == sorted(texts.to_list())


class Zeros:
    """Draws the same number for every value, so that all rows tie."""

    def integers(self, low: int, high: int, size: int, dtype: type) -> np.ndarray:
        return np.zeros(size, dtype=dtype)

    def permutation(self, n: int) -> np.ndarray:
        return np.random.default_rng(5).permutation(n)


@pytest.mark.parametrize("draw", [lambda: np.random.default_rng(5), Zeros])
def test_the_order_of_a_shuffle_is_by_content_and_seed_and_not_by_place(draw: Callable[[], Any]) -> None:
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"a": rng.integers(0, 20, 3000), "b": rng.choice(["x", "y", "z", None], 3000)})

    def shuffled(rows: pl.DataFrame) -> pl.DataFrame:
        coded = CodedRows.of(rows)
        columns = [(column, coded.order(name)) for name, column in coded.columns.items()]
        return coded.take(drawn_order(coded.height, columns, draw())).frame

    out = shuffled(frame)
    assert out.equals(shuffled(frame.sample(fraction=1.0, shuffle=True, seed=1)))
    assert out.sort("a", "b").equals(frame.sort("a", "b"))
    assert not out.equals(frame)


@pytest.mark.parametrize("crowded", [0, 2500])
def test_numbers_dealt_into_heaps_come_out_sorted(crowded: int) -> None:
    numbers = np.random.default_rng(9).integers(0, 2**64, 5000, dtype=np.uint64)
    numbers[:crowded] >>= np.uint64(50)  # one heap gets them all
    places, ordered = deal_out(numbers)
    assert ordered.tolist() == sorted(numbers.tolist())
    assert numbers[places].tolist() == ordered.tolist()
    assert sorted(places.tolist()) == list(range(5000))


def test_another_seed_gives_another_order() -> None:
    rows = CodedRows.of(pl.DataFrame({"a": range(100)}))
    assert not rows.shuffled(0).frame.equals(rows.shuffled(1).frame)
    assert rows.shuffled(1).frame.equals(rows.shuffled(1).frame)


def test_the_smallest_class_with_a_column_known_is_found_by_brute_force() -> None:
    rng = np.random.default_rng(7)
    n = 100_000  # more than are looked at first
    frame = pl.DataFrame(
        {
            "q": rng.integers(0, 9, n),
            "many": rng.integers(0, 1000, n),
            "few": rng.integers(0, 3, n),
            "late": np.arange(n) == n - 1,
        }
    ).with_columns(pl.when(pl.col("late")).then(8).otherwise(pl.col("q")).alias("q"))
    found = CodedRows.of(frame).smallest_known(["q"], [])
    assert found == {name: frame.group_by("q", name).len()["len"].min() for name in ("many", "few", "late")}


@pytest.mark.parametrize("rows", [5, 70_000])
def test_a_parquet_file_holds_texts_as_texts_and_no_value_that_no_row_has(tmp_path: Path, rows: int) -> None:
    rng = np.random.default_rng(8)
    frame = pl.DataFrame(
        {
            "text": pl.Series(["a", "b, c", "é", None]).gather(rng.integers(0, 4, rows)),
            "many": [f"value {n}" for n in rng.permutation(rows)],
            "moment": pl.Series([datetime(2024, 1, 1)] * rows).dt.replace_time_zone("Europe/Berlin"),
            "span": [timedelta(days=1)] * rows,
            "whole": rng.integers(0, 9, rows),
        }
    )
    coded = CodedRows.of(frame)
    coded.write(tmp_path / "rows.parquet", safe=False)
    assert pl.read_parquet(tmp_path / "rows.parquet").equals(frame)
    assert pl.read_parquet_schema(tmp_path / "rows.parquet") == frame.schema
    kept = CodedRows({n: c.part(np.arange(rows) < 3) for n, c in coded.columns.items()}, 3)
    kept.write(tmp_path / "kept.parquet", safe=False)
    assert pl.read_parquet(tmp_path / "kept.parquet").equals(frame.head(3))
    content = (tmp_path / "kept.parquet").read_bytes()
    assert not any(value.encode() in content for value in frame["many"][3:100])


def test_whole_numbers_and_flags_become_texts_without_a_detour_through_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = pl.DataFrame({"n": [1, None, -30], "big": [2**63, 0, None], "flag": [True, None, False]})
    rows = rows.with_columns(pl.col("big").cast(pl.UInt64))
    through_a_file = pl.read_csv(rows.write_csv().encode(), infer_schema=False)
    monkeypatch.delattr(pl.DataFrame, "write_csv")
    assert as_text(rows).equals(through_a_file)
