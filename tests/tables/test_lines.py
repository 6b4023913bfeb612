"""A csv file made of values that are spelt once has the bytes that Polars writes row by row."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lookalike.tables.coded import PIECE, CodedRows, write_rows
from lookalike.tables.lines import write_csv

TEXTS = [
    "", "a", "a,b", '"', 'say "x"', "line\nbreak", "cr\rx", " lead", "trail ", "=1+1", "-5", "-x", "ünï", "😀",
    "x" * 100, "tab\t", "\x1f", "\x00z", "NULL", "'", "8bytes!!", "7bytes!", "15 bytes in all",
]  # fmt: skip
KINDS: dict[str, tuple[list[Any], Any]] = {
    "text": (TEXTS, pl.String),
    "whole": ([1, -5, 2**53 + 1], pl.Int64),
    "number": ([0.1, -0.0, float("nan"), 1e300, float("inf"), 1 / 3], pl.Float64),
    "day": ([date(2020, 1, 1), date(1899, 12, 31)], pl.Date),
    "moment": ([datetime(2020, 1, 1, 3, 4, 5, 6)], pl.Datetime("us", "UTC")),
    "yes": ([True, False], pl.Boolean),
    "hour": ([time(1, 2, 3)], pl.Time),
    'a,b"c': (TEXTS[:5], pl.String),
    "=name": (["q"], pl.String),
    "nothing": ([None], pl.String),
}


def table(names: list[str], rows: int) -> CodedRows:
    rng = np.random.default_rng(0)
    columns = []
    for name in names:
        values, kind = KINDS[name]
        places = rng.integers(0, len(values) + 1, rows)
        columns.append(pl.Series(name, [*values, None], dtype=kind).gather(places))
    return CodedRows.of(pl.DataFrame(columns))


def by_codes(rows: CodedRows, path: Path, *, safe: bool, pieces: int = 1, **how: int) -> bool:
    codes = [column.codes for column in rows.columns.values()]
    parts = [np.array_split(each, pieces) for each in codes]
    values = {name: column.values for name, column in rows.columns.items()}
    return write_csv(values, [list(piece) for piece in zip(*parts, strict=True)], path, safe=safe, **how)


@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("names", [list(KINDS), ["text"], ["nothing"], ["whole", "text"], ["=name", "hour"]])
def test_the_bytes_are_those_of_polars(tmp_path: Path, names: list[str], safe: bool) -> None:
    rows = table(names, 5000)
    write_rows(rows.pieces(), tmp_path / "row-by-row.csv", rows.schema, safe=safe)
    for pieces in (1, 3):
        assert by_codes(rows, tmp_path / "codes.csv", safe=safe, pieces=pieces)
        assert (tmp_path / "codes.csv").read_bytes() == (tmp_path / "row-by-row.csv").read_bytes()


def test_texts_longer_than_what_is_written_at_a_time(tmp_path: Path) -> None:
    rows = CodedRows.of(pl.DataFrame({"a": ["short", "long " * 500_000, None], "b": ["x", "é" * 9, "y"]}))
    write_rows(rows.pieces(), tmp_path / "row-by-row.csv", rows.schema, safe=False)
    assert by_codes(rows, tmp_path / "codes.csv", safe=False)
    assert (tmp_path / "codes.csv").read_bytes() == (tmp_path / "row-by-row.csv").read_bytes()


def test_what_cannot_be_spelt_once_is_left_to_polars(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    assert not by_codes(table(["text"], 5000), path, safe=False, room=10)
    marks = CodedRows.of(pl.DataFrame({"a": [chr(byte) for byte in range(33)]}))
    assert not by_codes(marks, path, safe=False)
    assert not path.exists()


def test_a_large_table_is_written_as_a_small_one(tmp_path: Path) -> None:
    rows = table(["text", "whole", "day"], PIECE + 1)
    rows.write(tmp_path / "large.csv", safe=False)
    write_rows(rows.pieces(), tmp_path / "row-by-row.csv", rows.schema, safe=False)
    assert (tmp_path / "large.csv").read_bytes() == (tmp_path / "row-by-row.csv").read_bytes()
