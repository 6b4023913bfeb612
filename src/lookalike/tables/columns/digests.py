"""A number for each value of a column: a keyed digest of its text, the same wherever the rows are."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.tables.columns.spelling import canonical_texts, is_nested

Numbers = NDArray[np.int64]
_POSITIVE = np.int64(2**63 - 1)


def numbers_of(values: pl.Series, name: str, seed: int) -> Numbers:
    """The number of each value of a column, and behind them that of a missing one."""
    key = hashlib.sha256(f"{seed} {name}".encode()).digest()
    keyed = hashlib.blake2b(key=key, digest_size=8)
    out = []
    for text in (*_texts(values).to_list(), None):
        digest = keyed.copy()
        if text is not None:
            digest.update(b"=" + text.encode())
        out.append(digest.digest())
    return np.frombuffer(b"".join(out), dtype="<i8").astype(np.int64) & _POSITIVE


def _texts(values: pl.Series) -> pl.Series:
    """One text for what engines take for the same value: one zero, moments in universal time, whatever the width."""
    kind = values.dtype
    if is_nested(kind):
        return canonical_texts(values)
    if isinstance(kind, pl.Datetime):
        values = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if kind.time_zone else values
        values = values.dt.cast_time_unit("us")
    elif kind.is_float():
        values = values.cast(pl.Float64) + 0.0
        values = pl.select(pl.when(values == 0).then(0.0).otherwise(values)).to_series()
    return values.cast(pl.String)
