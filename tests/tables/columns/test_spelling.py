"""Lists and structs have one text, whatever library holds them."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl

from lookalike.tables.columns.spelling import canonical_texts


def test_nested_values_are_json_with_sorted_keys() -> None:
    series = pl.Series([{"b": [1, None], "a": date(2024, 1, 2)}, None])
    assert canonical_texts(series).to_list() == ['{"a":"2024-01-02","b":[1,null]}', None]
    assert canonical_texts(pl.Series([[0.1, 2.0], []])).to_list() == ["[0.1,2.0]", "[]"]


def test_bytes_are_hexadecimal_and_durations_microseconds() -> None:
    assert canonical_texts(pl.Series([b"\x00\xff"])).to_list() == ['"00ff"']
    assert canonical_texts(pl.Series([timedelta(days=1, microseconds=5)])).to_list() == ["86400000005"]
