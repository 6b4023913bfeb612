"""The distinct values of a column, sorted, and how a piece of it becomes codes: places among them, missing last.

Texts are looked up by their 64-bit hash, numbers and dates in a table or by bisection, whatever else by a join. O(1) a
row, O(log distinct) where numbers are far apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from secrets import randbits
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import FileError
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.naming import nameless
from lookalike.tables.ordering import order_values

if TYPE_CHECKING:
    from lookalike.kernels.grouping import KnownKeys

CHANGED = "the table changed since its rows were counted. Nothing was released; start again."
_TABLE = 1 << 22  # numbers that lie within so many are looked up in a table
_CODE = "code"
_SEED = randbits(32)  # of hashes, which nobody is to know before
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class KnownValues:
    """The values of a column, none of them twice and none missing, in an order that only they decide."""

    values: pl.Series

    def __getstate__(self) -> dict[str, pl.Series]:
        return {"values": self.values}  # not what was found with hashes of this process

    @staticmethod
    def of(values: pl.Series) -> KnownValues:
        """The values that occur, sorted."""
        known = nameless(values).unique().drop_nulls()
        return KnownValues(known.gather(order_values(known)))

    @property
    def size(self) -> int:
        """How many codes there are, missing among them."""
        return len(self.values) + 1

    def codes(self, column: pl.Series | Distinct) -> Codes:
        """The code of each row; a value that nobody counted means that the table changed."""
        if isinstance(column, Distinct):
            return np.append(self.codes(column.values), np.int32(len(self.values)))[column.codes]
        column = nameless(column)
        kind, missing = column.dtype, None
        if column.null_count():
            missing = column.is_null().to_numpy()
        if kind == pl.String:
            found = self._texts(column, missing)
        elif (kind.is_integer() and kind not in (pl.UInt64, pl.Int128, pl.UInt128)) or kind.is_temporal():
            found = self._numbers(column.to_physical().cast(pl.Int64).fill_null(0).to_numpy(), missing)
        elif kind.is_float():
            found = self._numbers(_bits(column), missing)
        else:
            found = self._others(column)
        if missing is not None:
            found[missing] = len(self.values)
        return found

    def _texts(self, column: pl.Series, missing: NDArray[np.bool_] | None) -> Codes:
        if not len(self.values) and column.null_count() < len(column):
            raise FileError(CHANGED)
        if self._hashes is not None:
            found: Codes = self._hashes.find(column.hash(seed=_SEED).to_numpy().view(np.int64))
            if missing is not None:
                found[missing] = 0
            if len(found) and found.min() < 0:
                raise FileError(CHANGED)
            return found
        coded = column.cast(self._enumeration, strict=False)
        if coded.null_count() != column.null_count():
            raise FileError(CHANGED)
        return coded.to_physical().fill_null(0).cast(pl.Int32).to_numpy(writable=True)

    def _numbers(self, numbers: NDArray[np.int64], missing: NDArray[np.bool_] | None) -> Codes:
        known, order, table = self._known
        if not len(known):
            if missing is None or not missing.all():
                raise FileError(CHANGED)
            return np.zeros(len(numbers), dtype=np.int32)
        if missing is not None:
            numbers = np.where(missing, known[0], numbers)
        if table is not None:
            place = numbers - known[0]
            if len(place) and (place.min() < 0 or place.max() >= len(table)):
                raise FileError(CHANGED)
            found = table[place]
            if len(found) and found.min() < 0:
                raise FileError(CHANGED)
            return np.asarray(found)
        place = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
        if not np.array_equal(known[place], numbers):
            raise FileError(CHANGED)
        return np.asarray(order[place])

    def _others(self, column: pl.Series) -> Codes:
        known = self.values.alias("value").to_frame().with_row_index(_CODE)
        rows = column.alias("value").to_frame()
        found = rows.join(known, on="value", how="left", maintain_order="left")[_CODE]
        if found.null_count() != column.null_count():
            raise FileError(CHANGED)
        return found.fill_null(0).cast(pl.Int32).to_numpy(writable=True)

    @cached_property
    def _hashes(self) -> KnownKeys | None:
        """Where the hash of each text is found; None where two texts share one."""
        from lookalike.kernels.grouping import KnownKeys

        hashes = self.values.hash(seed=_SEED)
        return KnownKeys(hashes.to_numpy().view(np.int64)) if hashes.n_unique() == len(hashes) else None

    @cached_property
    def _enumeration(self) -> pl.Enum:
        return pl.Enum(self.values)

    @cached_property
    def _known(self) -> tuple[NDArray[np.int64], Codes, Codes | None]:
        """The values as sorted integers, the code of each, and where they are close a table from the least one on."""
        values = self.values
        numbers = _bits(values) if values.dtype.is_float() else values.to_physical().cast(pl.Int64).to_numpy()
        order = np.argsort(numbers).astype(np.int32)
        known, table = numbers[order], None
        if len(known) and int(known[-1]) - int(known[0]) < _TABLE:
            table = np.full(int(known[-1] - known[0]) + 1, -1, dtype=np.int32)
            table[known - known[0]] = order
        return known, order, table


def _bits(column: pl.Series) -> NDArray[np.int64]:
    """Floats as integers: one zero, one NaN."""
    numbers = column.cast(pl.Float64).fill_null(0.0).to_numpy() + 0.0
    return np.where(np.isnan(numbers), np.nan, numbers).view(np.int64)
