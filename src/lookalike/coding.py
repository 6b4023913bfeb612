"""Turn a column of a frame into codes: find its kind, its sorted domain, and the code of each row.

Kinds are inferred from distinct values, never row by row, so a column of 5 million rows with 80 ages costs 80 parses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.domains import Codes, Domain
from lookalike.errors import ColumnError
from lookalike.roles import Kind

#: Spellings of "nothing here" that are recognised in a column whose other values are all numbers or all dates.
NOTHING = frozenset(
    {"NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "none", "-", ".", "#N/A"}
)

_INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?|[+-]?\d{1,3}(\.\d+)?")
_LEADING_ZERO = re.compile(r"[+-]?0\d")
_DATES = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%Y%m%d",
)
_TIMES = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M")


@dataclass(frozen=True, eq=False)
class Column:
    """A coded column: `domain.values[codes[i]]` is row i's value."""

    name: str
    codes: Codes
    domain: Domain

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Records per code."""
        return np.bincount(self.codes, minlength=self.domain.size).astype(np.int64)

    @property
    def kind(self) -> Kind:
        """How the values relate to each other."""
        return self.domain.kind


def encode(series: pl.Series, *, kind: Kind | Sequence[str] | None, na: Collection[str]) -> Column:
    """Code a column. `kind` fixes its kind, a list of values fixes an order; `na` are further spellings of missing."""
    codes, distinct = _distinct(series)
    texts = distinct.dtype == pl.String
    if texts:
        blank = distinct.str.strip_chars().is_in(["", *na]).to_numpy()
        codes, distinct = _drop(codes, distinct, blank)
    elif distinct.dtype.is_float():
        codes, distinct = _drop(codes, distinct, distinct.is_nan().to_numpy())
    if isinstance(kind, Kind) or kind is None:
        values, found, kept = _parse(distinct, kind, series.name)
    else:
        values, found, kept = _ranked(distinct, kind, series.name)
    if not kept.all():
        codes, _ = _drop(codes, distinct, ~kept)
        values = values[kept]
    return _sort(series.name, codes, values, found)


def _distinct(series: pl.Series) -> tuple[NDArray[np.int64], pl.Series]:
    """Position of each row's value among the distinct values (-1: null), and those values, typed."""
    kind = series.dtype
    if kind == pl.Boolean:
        series = series.cast(pl.String)
    elif kind == pl.Datetime or kind == pl.Time:
        series = series.cast(pl.Date) if kind == pl.Datetime else series.cast(pl.String)
    elif kind.is_decimal():
        series = series.cast(pl.Float64)
    elif kind.is_nested() or kind in (pl.Object, pl.Binary, pl.Duration):
        raise ColumnError(
            f"column {series.name!r}: a column of {kind} cannot be read as values. Unpack or drop it first."
        )
    if series.dtype.is_integer():
        return _distinct_integers(series)
    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.Categorical) if series.dtype == pl.String else series
        distinct = series.unique().drop_nulls()
        places = distinct.to_physical().to_numpy().astype(np.int64)
        physical = series.to_physical()
        table = np.full(int(places.max(initial=-1)) + 2, -1, dtype=np.int64)
        table[places] = np.arange(len(places))
        codes = table[physical.fill_null(len(table) - 1).to_numpy()]
        return codes, distinct.cast(pl.String)
    distinct = series.drop_nulls().unique().sort()
    numbers = series.to_physical().fill_null(0).to_numpy()
    codes = np.searchsorted(distinct.to_physical().to_numpy(), numbers).astype(np.int64)
    codes = np.minimum(codes, max(len(distinct) - 1, 0))
    codes[series.is_null().to_numpy()] = -1
    return codes, distinct


def _distinct_integers(series: pl.Series) -> tuple[NDArray[np.int64], pl.Series]:
    if series.dtype in (pl.UInt64, pl.Int128, pl.UInt128) and (series.max() or 0) > 2**63 - 1:  # type: ignore[operator]
        return _distinct(series.cast(pl.String))
    nulls = series.is_null().to_numpy()
    lowest = int(series.min() or 0)  # type: ignore[arg-type]
    highest = int(series.max() or 0)  # type: ignore[arg-type]
    numbers = series.fill_null(lowest).cast(pl.Int64).to_numpy()
    if highest - lowest < max(4 * len(numbers), 1 << 16):
        present = np.zeros(highest - lowest + 1, dtype=bool)
        present[(numbers if not nulls.any() else numbers[~nulls]) - lowest] = True
        values = np.flatnonzero(present) + lowest
        place = np.cumsum(present) - 1
        codes = place[numbers - lowest]
    else:
        values = series.drop_nulls().cast(pl.Int64).unique().sort().to_numpy()
        codes = np.searchsorted(values, numbers).astype(np.int64)
    codes[nulls] = -1
    return codes, pl.Series(values, dtype=pl.Int64)


def _drop(
    codes: NDArray[np.int64], distinct: pl.Series, gone: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], pl.Series]:
    """Make some distinct values missing."""
    if not gone.any():
        return codes, distinct
    place = np.cumsum(~gone) - 1
    place[gone] = -1
    return np.append(place, -1)[codes], distinct.filter(pl.Series(~gone))


def _parse(
    distinct: pl.Series, wanted: Kind | None, name: str
) -> tuple[NDArray[Any], Kind, NDArray[np.bool_]]:
    """Distinct values as numbers, dates or texts; which kind that is; and which of them are values at all."""
    everything = np.ones(len(distinct), dtype=bool)
    if distinct.dtype == pl.String:
        kept = (
            everything
            if wanted is Kind.NOMINAL
            else ~distinct.str.strip_chars().is_in(list(NOTHING)).to_numpy()
        )
        if wanted in (None, Kind.INTEGER, Kind.DECIMAL, Kind.DATE) and kept.any():
            texts = [t.strip() for t in distinct.filter(pl.Series(kept)).to_list()]
            for parse in (_as_numbers, _as_dates):
                parsed = parse(texts, wanted)
                if parsed is not None and wanted in (None, parsed[1], Kind.DECIMAL):
                    values = np.zeros(len(distinct), dtype=parsed[0].dtype)
                    values[kept] = parsed[0]
                    return values, parsed[1], kept
        if wanted in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE) and kept.any():
            raise ColumnError(
                f"column {name!r} was declared {wanted}, but some of its values do not read as such."
            )
        return np.array(distinct.to_list(), dtype=object), wanted or Kind.NOMINAL, everything
    if wanted in (Kind.NOMINAL, Kind.ORDINAL):
        if wanted is Kind.NOMINAL:
            return np.array(distinct.cast(pl.String).to_list(), dtype=object), wanted, everything
        return distinct.to_numpy(), wanted, everything
    if distinct.dtype == pl.Date:
        return distinct.to_numpy().astype("datetime64[D]"), Kind.DATE, everything
    if distinct.dtype.is_float():
        return distinct.cast(pl.Float64).to_numpy() + 0.0, Kind.DECIMAL, everything
    return distinct.to_numpy(), Kind.INTEGER, everything


def _as_numbers(texts: list[str], wanted: Kind | None) -> tuple[NDArray[Any], Kind] | None:
    if wanted is Kind.DATE:
        return None
    if wanted is None and any(_LEADING_ZERO.match(t) and "." not in t for t in texts):
        return None  # 00123 is a code, not a number
    if all(_INTEGER.fullmatch(t) or (wanted and t.isdigit()) for t in texts):
        return np.array([int(t) for t in texts], dtype=np.int64), Kind.INTEGER
    if all(_DECIMAL.fullmatch(t) for t in texts):
        return np.array([float(t) for t in texts]) + 0.0, Kind.DECIMAL
    if all(_THOUSANDS.fullmatch(t) for t in texts):
        plain = [t.replace(",", "") for t in texts]
        return np.array([float(t) for t in plain]) + 0.0, Kind.DECIMAL
    return None


def _as_dates(texts: list[str], wanted: Kind | None) -> tuple[NDArray[Any], Kind] | None:
    if wanted not in (None, Kind.DATE) or not all(any(c.isdigit() for c in t) for t in texts[:5]):
        return None
    series = pl.Series(texts)
    for form in _DATES:
        if form == "%Y%m%d" and not all(len(t) == 8 and t.isdigit() for t in texts[:50]):
            continue
        days = series.str.to_date(form, strict=False)
        if not days.null_count():
            return days.to_numpy().astype("datetime64[D]"), Kind.DATE
    for form in _TIMES:
        moments = series.str.to_datetime(form, strict=False)
        if not moments.null_count():
            return moments.cast(pl.Date).to_numpy().astype("datetime64[D]"), Kind.DATE
    return None


def _ranked(
    distinct: pl.Series, order: Sequence[str], name: str
) -> tuple[NDArray[Any], Kind, NDArray[np.bool_]]:
    """An order given by hand: values carry their rank in front, so that sorting puts them in place."""
    rank = {str(value): i for i, value in enumerate(order)}
    if len(rank) < len(order):
        raise ColumnError(f"column {name!r}: the given order names a value twice.")
    texts = [str(v) for v in distinct.to_list()]
    strange = sum(t not in rank for t in texts)
    if strange:
        raise ColumnError(
            f"column {name!r}: {strange} of its {len(texts)} distinct values are not in the given order."
        )
    values = np.empty(len(texts), dtype=object)
    values[:] = [(rank[t], t) for t in texts]
    return values, Kind.ORDINAL, np.ones(len(texts), dtype=bool)


def _sort(name: str, codes: NDArray[np.int64], values: NDArray[Any], kind: Kind) -> Column:
    """Sort the domain, merge equal values, put missing last."""
    if values.dtype == object:
        listed = values.tolist()
        ordered = sorted(set(listed))
        place = {value: i for i, value in enumerate(ordered)}
        where = np.array([place[v] for v in listed], dtype=np.int32)
        sorted_values = np.empty(len(ordered), dtype=object)
        sorted_values[:] = [v[1] if isinstance(v, tuple) else v for v in ordered]
    else:
        sorted_values, where = np.unique(values, return_inverse=True)
        where = where.astype(np.int32)
    missing = bool((codes < 0).any())
    table = np.append(where, np.int32(len(sorted_values))).astype(np.int32)
    return Column(name, table[codes], Domain(kind, sorted_values, missing))
