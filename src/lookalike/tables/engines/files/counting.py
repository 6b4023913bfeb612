"""Count the tuples of rows that come a piece at a time: codes into values seen so far, packed into one number.

Values that a piece brings are added to those that are known, and the tuples so far packed anew. Texts are told apart by
hashes of 64 bits that differ from process to process: two of a million share one in fewer than one table of ten
million. Memory: values and tuples; O(n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import FileError
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.naming import nameless
from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.stored.known_values import KnownValues

_LIMIT = 2**62


class TooWideError(Exception):
    """More possible tuples than one number can tell apart."""


class TupleCounter:
    """The distinct tuples of some columns and how often each occurs, of all pieces so far."""

    def __init__(self, columns: Mapping[str, pl.DataType]) -> None:
        from lookalike.kernels.grouping import GrowingKeys

        self._known = {name: KnownValues(pl.Series([], dtype=kind)) for name, kind in columns.items()}
        self._keys = GrowingKeys()
        self._times = np.zeros(0, dtype=np.int64)

    @staticmethod
    def fits(kinds: Sequence[pl.DataType]) -> bool:
        """Whether columns of these types can be counted so."""
        wide = (pl.UInt64, pl.Int128, pl.UInt128)
        return all(kind in (pl.String, pl.Date) or (kind.is_integer() and kind not in wide) for kind in kinds)

    def add(self, piece: pl.DataFrame) -> None:
        """The rows of one more piece; where that is too wide, all pieces before it stay counted."""
        from lookalike.kernels.grouping import count_up

        before, known = self._sizes, {**self._known}
        codes = [self._codes(name, nameless(piece[name])) for name in known]
        try:
            keys = _pack(codes, self._sizes)
        except TooWideError:
            self._known = known
            raise
        if self._sizes != before:
            self._pack_anew(before)
        labels = self._keys.label(keys)
        if len(self._keys) > len(
            self._times
        ):  # room for more, so that a piece costs its rows and not all tuples
            more = np.zeros(2 * len(self._keys) - len(self._times), dtype=np.int64)
            self._times = np.concatenate([self._times, more])
        count_up(labels, self._times)

    def counted(self) -> pl.DataFrame:
        """The tuples and how often each occurs."""
        codes = _unpack(self._keys.known, self._sizes)
        columns = [
            Distinct((each - 1).astype(np.int32), known.values).series(name)
            for each, (name, known) in zip(codes, self._known.items(), strict=True)
        ]
        times = self._times[: len(self._keys)]
        return pl.DataFrame([*columns, pl.Series(TIMES, times, dtype=pl.Int64)])

    @property
    def _sizes(self) -> list[int]:
        return [known.size for known in self._known.values()]

    def _codes(self, name: str, column: pl.Series) -> NDArray[np.int32]:
        """Places among the known values from 1 on, 0 for missing; new values go behind those that are known."""
        known = self._known[name]
        try:
            codes = known.codes(column)
        except FileError:
            new = column.drop_nulls().unique()
            new = new.filter(~new.is_in(known.values.implode()))
            known = self._known[name] = KnownValues(pl.concat([known.values, new]))
            codes = known.codes(column)
        codes = codes + np.int32(1)
        if column.null_count():
            codes[codes == known.size] = 0
        return codes

    def _pack_anew(self, before: Sequence[int]) -> None:
        """The tuples so far as numbers again, now that columns have more values."""
        from lookalike.kernels.grouping import GrowingKeys

        tuples = _pack(_unpack(self._keys.known, before), self._sizes)
        self._keys = GrowingKeys()
        self._keys.label(tuples)


def _pack(codes: Sequence[NDArray[np.integer[Any]]], sizes: Sequence[int]) -> NDArray[np.int64]:
    keys, span = np.zeros(len(codes[0]), dtype=np.int64), 1
    for each, size in zip(codes, sizes, strict=True):
        keys *= size
        keys += each
        span *= size
    if span > _LIMIT:
        raise TooWideError
    return keys


def _unpack(keys: NDArray[np.int64], sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    out = []
    for size in reversed(sizes):
        keys, codes = np.divmod(keys, size)
        out.append(codes)
    return out[::-1]
