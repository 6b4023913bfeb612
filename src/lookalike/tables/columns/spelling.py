"""One text for values that no csv file can hold: lists, structs, bytes. The same in every version of every library."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import polars as pl


def is_nested(kind: pl.DataType) -> bool:
    """Whether a column holds such values."""
    own = hasattr(kind, "ext_storage")  # an Arrow type that Polars knows by its name alone, such as JSON
    return kind.is_nested() or own or kind in (pl.Object, pl.Binary, pl.Duration)


def canonical_texts(series: pl.Series) -> pl.Series:
    """Each value as JSON text with sorted keys; missing stays missing."""
    texts = [None if value is None else _text(value) for value in series.to_list()]
    return pl.Series(series.name, texts, dtype=pl.String)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=_as_json)


def _as_json(value: Any) -> Any:
    if isinstance(value, pl.Series):
        return value.to_list()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, timedelta):
        return (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
