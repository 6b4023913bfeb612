"""Whatever goes out, in any frame kind, carries no trace of what was left out."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import lookalike as la

CANARY = "the-town-of-the-only-person-left-out"
SECRET = 64_321  # needs more than 16 bits with a sign
TOWNS = ["a-town-with-a-name-long-enough"] * 3 + ["another-town-with-a-name-long-enough"] * 3 + [CANARY]
NUMBERS = [1, 2, 3, 4, 5, 6, SECRET]


def _polars() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "q": TOWNS,
            "text": TOWNS,
            "categorical": pl.Series(TOWNS, dtype=pl.Categorical),
            "enum": pl.Series(TOWNS, dtype=pl.Enum(list(dict.fromkeys(TOWNS)))),
            "listed": pl.Series([[town] for town in TOWNS], dtype=pl.List(pl.Categorical)),
            "narrow": pl.Series(NUMBERS, dtype=pl.Int32),
            "unsigned": pl.Series(NUMBERS, dtype=pl.UInt16),
            "price": pl.Series([Decimal(n) / 10 for n in NUMBERS[:-1]] + [Decimal("643.21")]),
        }
    )


def _pandas() -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "q": TOWNS,
            "text": TOWNS,
            "categorical": pd.Categorical(TOWNS),
            "ordered": pd.Categorical(TOWNS, ordered=True, categories=sorted(set(TOWNS))),
            "string": pd.array(TOWNS, dtype="string"),
            "dictionary": pd.array(TOWNS, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
            "narrow": np.array(NUMBERS, dtype=np.int32),
            "nullable": pd.array(NUMBERS, dtype="UInt16"),
            "sparse": pd.arrays.SparseArray(NUMBERS, fill_value=SECRET),
        },
        index=pd.Index(TOWNS, name="by town"),
    )
    frame.attrs["note"] = CANARY
    return frame


def _arrow() -> pa.Table:
    table = pa.table(
        {
            "q": TOWNS,
            "text": TOWNS,
            "dictionary": pa.array(TOWNS).dictionary_encode(),
            "narrow": pa.array(NUMBERS, pa.int32()),
        }
    )
    return table.replace_schema_metadata({"note": CANARY, "pandas": CANARY})


def _as_bytes(frame: Any) -> list[bytes]:
    """A released frame in every form somebody may hand it on."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        out = [io.BytesIO() for _ in range(4)]
        frame.write_parquet(out[0])
        frame.write_ipc(out[1])
        frame.write_ipc_stream(out[2], compat_level=pl.CompatLevel.newest())
        shown = frame.select(name for name, kind in frame.schema.items() if not kind.is_nested())
        shown.write_csv(out[3])
        shared = [_buffers(frame.to_arrow(compat_level=pl.CompatLevel.newest())), _buffers(pa.table(frame))]
        return [*(one.getvalue() for one in out), pickle.dumps(frame), *shared]
    if isinstance(frame, pa.Table):
        parquet, feather = io.BytesIO(), io.BytesIO()
        pa.parquet.write_table(frame, parquet)
        pa.feather.write_feather(frame, feather)
        return [
            parquet.getvalue(),
            feather.getvalue(),
            str(frame.schema).encode(),
            _buffers(frame),
            pickle.dumps(frame),
        ]
    parquet = io.BytesIO()
    frame.to_parquet(parquet)
    told = [
        frame.to_csv(),
        str(frame.attrs),
        str(frame.index),
        *(repr(kind) for kind in frame.dtypes),
        *(str(getattr(kind, "categories", "")) for kind in frame.dtypes),
    ]
    return [parquet.getvalue(), pickle.dumps(frame), *(text.encode() for text in told)]


def _buffers(table: pa.Table) -> bytes:
    return b"".join(
        bytes(buffer)
        for column in table.columns
        for chunk in column.chunks
        for buffer in chunk.buffers()
        if buffer
    )


KINDS: dict[str, Callable[[], Any]] = {
    "polars": _polars,
    "polars lazy": lambda: _polars().lazy(),
    "pandas": _pandas,
    "pyarrow": _arrow,
    "stream": lambda: pa.RecordBatchReader.from_batches(_arrow().schema, _arrow().to_batches()),
}


@pytest.mark.parametrize("suppressed", ["drop", "star"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_frame_kind_carries_a_trace_of_who_was_left_out(kind: str, suppressed: str) -> None:
    release = la.anonymize(
        la.table(KINDS[kind](), quasi=["q"], others=[]),
        la.KAnonymity(3),
        method="levels",
        levels={},
        suppression=0.2,
        suppressed=suppressed,
    )
    assert release.suppressed == 1
    for written in _as_bytes(release.frame):
        assert CANARY.encode() not in written
        assert str(SECRET).encode() not in written
        assert SECRET.to_bytes(4, "little") not in written
    dtypes = {str(part.dtype).lower() for part in release.rows}
    assert not dtypes & {"int32", "uint16", "int16", "uint32"}
    assert not any("decimal" in one and "scale=2" in one for one in dtypes)


def test_a_frame_of_which_nobody_was_left_out_keeps_its_widths() -> None:
    frame = _polars()[:6]
    release = la.anonymize(
        la.table(frame, quasi=["q"], others=[]), la.KAnonymity(3), method="levels", levels={}, shuffle=False
    )
    assert release.frame["narrow"].dtype == pl.Int32
    assert release.frame["unsigned"].dtype == pl.UInt16


def test_ordered_categories_keep_their_order() -> None:
    frame = pd.DataFrame({"q": [1, 1, 2, 2, 9], "grade": ["low", "high", "mid", "low", "top"]})
    frame["grade"] = pd.Categorical(frame["grade"], categories=["low", "mid", "high", "top"], ordered=True)
    release = la.anonymize(
        la.table(frame, quasi=["q"], others=[]), la.KAnonymity(2), method="levels", levels={}, suppression=0.2
    )
    assert list(release.frame["grade"].cat.categories) == ["low", "mid", "high"]
    assert release.frame["grade"].cat.ordered
