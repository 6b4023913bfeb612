"""Turn a column into codes: its distinct values, their kind, the sorted domain, and the code of each row.

Kinds are inferred from distinct values, never row by row, so a column of 5 million rows with 80 ages costs 80 parses.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import ColumnError, warn
from lookalike.tables.columns.alike import tell_of_likeness
from lookalike.tables.columns.bands import by_leading_numbers, natural_order
from lookalike.tables.columns.days import may_be_days, read_days
from lookalike.tables.columns.domains import Codes, Domain, texts_of
from lookalike.tables.columns.grouping import first_of_each, group_keys, tally
from lookalike.tables.columns.markers import are_marked, as_values
from lookalike.tables.columns.naming import nameless
from lookalike.tables.columns.parsing import as_numbers, may_be_thousands, plain_integers, read_numbers
from lookalike.tables.columns.roles import SAY_TYPE, Kind
from lookalike.tables.columns.spelling import canonical_texts, is_nested
from lookalike.tables.columns.texts import FEW, are_among, order_as_texts, some_match

#: What a caller may say about a column: its kind, the format of its dates, or its values in their order.
KindLike = Kind | str | Sequence[str]

#: Spellings of "nothing here" that are recognised in a column whose other values are all numbers or all dates.
NOTHING = ("NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "none", "-", ".", "#N/A")

_ANY = 2**63 - 1
_FIRST_DAY, _LAST_DAY = (date.toordinal(day) - date(1970, 1, 1).toordinal() for day in (date.min, date.max))


@dataclass(frozen=True, eq=False)
class Distinct:
    """A column as its distinct values, in no order, and the place of each row's value among them; -1 is null."""

    codes: Codes
    values: pl.Series

    def series(self, name: str) -> pl.Series:
        """The column written out again."""
        if len(self.codes) <= FEW:
            few = [*self.values.to_list(), None]
            return pl.Series(name, [few[code] for code in self.codes.tolist()], dtype=self.values.dtype)
        missing = self.codes < 0
        if not missing.any():
            return self.values[self.codes].alias(name)
        nothing = pl.Series(self.values.name, [None], dtype=self.values.dtype)
        values = pl.concat([self.values, nothing], rechunk=True)
        return values[np.where(missing, len(self.values), self.codes)].alias(name)

    def part(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Distinct:
        """The column of some rows, over the values that these have."""
        left = self.codes[rows]
        used = np.bincount(left + 1, minlength=len(self.values) + 1)[1:] > 0  # what is missing is no value
        return Distinct(left, self.values).drop(~used)

    def drop(self, gone: NDArray[np.bool_]) -> Distinct:
        """The same column with some of its distinct values made null."""
        if not gone.any():
            return self
        place = (np.cumsum(~gone) - 1).astype(np.int32)
        place[gone] = -1
        return Distinct(np.append(place, np.int32(-1))[self.codes], self.values.filter(pl.Series(~gone)))


@dataclass(frozen=True, eq=False)
class Column:
    """A coded column: `domain.values[codes[i]]` is row i's value."""

    name: str
    codes: Codes
    domain: Domain
    times: NDArray[np.int64] | None = None  #: records that each row stands for, where it is not one

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Records per code."""
        return tally(self.codes, self.domain.size, self.times)

    @property
    def kind(self) -> Kind:
        """How the values relate to each other."""
        return self.domain.kind

    def take(self, order: NDArray[np.integer[Any]]) -> Column:
        """The column of the rows in another order."""
        return Column(self.name, self.codes[order], self.domain, _some(self.times, order))

    def part(self, rows: NDArray[np.bool_]) -> Column:
        """The column of some rows, over the values that these have."""
        codes, used = group_keys(self.codes[rows].astype(np.int64), self.domain.size)
        return Column(self.name, codes, self.domain.part(used), _some(self.times, rows))


def _some(times: NDArray[np.int64] | None, rows: NDArray[Any]) -> NDArray[np.int64] | None:
    return None if times is None else times[rows]


def distinct(series: pl.Series) -> Distinct:
    """The distinct values of a series, and which one each row has."""
    _refuse_no_days(series)
    name, series = series.name, nameless(series)
    kind = series.dtype
    if kind == pl.Null:
        return Distinct(np.full(len(series), -1, dtype=np.int32), pl.Series([], dtype=pl.String))
    if is_nested(kind):
        raise ColumnError(
            f"column {name!r}: a column of {kind} cannot be read as values. Unpack it, turn it into text, "
            "or leave it out."
        )
    if kind == pl.Boolean or kind == pl.Time:
        series = series.cast(pl.String)
    elif isinstance(kind, pl.Datetime):
        if kind.time_zone and not series.cast(pl.Date).equals(series.dt.date()):
            warn(
                f"column {name!r}: days are counted in universal time, and some are others in {kind.time_zone}. Where "
                "those are meant, take the time zone off first: .dt.replace_time_zone(None) in Polars, "
                ".dt.tz_localize(None) in pandas."
            )
        series = series.cast(pl.Date)
    elif kind.is_decimal():
        floats = series.cast(pl.Float64)
        series = floats if floats.n_unique() == series.n_unique() else series.cast(pl.String)
    elif kind in (pl.UInt64, pl.Int128, pl.UInt128):
        smaller = series.cast(pl.Int64, strict=False)
        series = smaller if smaller.null_count() == series.null_count() else series.cast(pl.String)
    if series.dtype.is_integer() or series.dtype == pl.Date:
        days = series.dtype == pl.Date
        codes, numbers = _distinct_integers(series.to_physical().cast(pl.Int64))
        values = pl.Series(numbers)
        return Distinct(codes, values.cast(pl.Int32).cast(pl.Date) if days else values)
    if series.dtype.is_float():
        bits = (series.cast(pl.Float64).fill_null(np.nan).to_numpy() + 0.0).view(np.int64)
        labels, keys = group_keys(bits, _ANY)
        return Distinct(labels, pl.Series(keys.view(np.float64)))
    if series.dtype in (pl.Categorical, pl.Enum):
        codes, places = _distinct_integers(series.to_physical().cast(pl.Int64))
        first = first_of_each(np.where(codes < 0, len(places), codes).astype(np.int32), len(places) + 1)
        return Distinct(codes, series.gather(first[: len(places)]).cast(pl.String))
    return _distinct_strings(series)


def in_plain(found: Distinct) -> Distinct:
    """Distinct values that `alike` or a text file gave, as `distinct` gives them: days for times, words for truths."""
    if found.values.dtype == pl.String:
        return found
    values = distinct(found.values)
    return Distinct(np.append(values.codes, np.int32(-1))[found.codes], values.values)


def alike(series: pl.Series) -> Distinct:
    """The distinct values of a series as they are, in their own type, and which one each row has; -0.0 is 0.0."""
    _refuse_no_days(series)
    series = nameless(series)
    kind = series.dtype
    if kind == pl.String:
        return _distinct_strings(series)
    if kind == pl.Null:
        return Distinct(np.full(len(series), -1, dtype=np.int32), series.clear())
    if kind.is_float():
        bits = (series.cast(pl.Float64).fill_null(0.0).to_numpy() + 0.0).view(np.int64)
        codes, _ = group_keys(bits, _ANY)
    elif is_nested(kind) or kind.is_decimal() or kind in (pl.UInt64, pl.Int128, pl.UInt128):
        texts = canonical_texts(series) if is_nested(kind) else series.cast(pl.String)
        codes = _distinct_strings(texts).codes
    else:
        codes, _ = _distinct_integers(series.to_physical().cast(pl.Int64))
    missing = series.is_null().to_numpy() if series.null_count() else np.zeros(len(series), dtype=bool)
    known = codes[~missing]
    labels, used = group_keys(known.astype(np.int64), int(known.max(initial=-1)) + 1)
    out = np.full(len(series), -1, dtype=np.int32)
    out[~missing] = labels
    values = series.gather(np.flatnonzero(~missing)[first_of_each(labels, len(used))])
    return Distinct(out, values.set(values == 0, 0.0) if kind.is_float() else values)


def _refuse_no_days(series: pl.Series) -> None:
    """Refuse days that have no date, such as the infinity of a database: nothing can write them down."""
    if series.dtype not in (pl.Date, pl.Datetime):
        return
    days = series.cast(pl.Date).to_physical()
    first, last = (int(days.min() or 0), int(days.max() or 0))  # type: ignore[arg-type]
    if first < _FIRST_DAY or last > _LAST_DAY:
        raise ColumnError(
            f"column {series.name!r} holds days before the year 1 or after 9999, such as the infinity of a database. "
            "Make them missing."
        )


def encode(series: pl.Series, *, kind: KindLike | None, na: Collection[str]) -> Column:
    """Code a series. `kind` fixes its kind, its date format or its order; `na` are further spellings of missing."""
    return code(series.name, distinct(series), kind=kind, na=na)


def code(
    name: str, written: Distinct, *, kind: KindLike | None, na: Collection[str], matters: bool = True
) -> Column:
    """Code a column of which the distinct values are known; see `encode`.

    matters: whether it matters that words which seem to be one are several, so that it is told.
    """
    if written.values.dtype == pl.String and kind in (None, Kind.INTEGER):
        numbers = plain_integers(written.values)
        written = written if numbers is None else Distinct(written.codes, numbers)
    if written.values.dtype == pl.String:
        written = written.drop(are_among(written.values, ["", *na]))
    elif written.values.dtype.is_float():
        written = written.drop(written.values.is_nan().to_numpy())
        if written.values.is_infinite().any():
            raise ColumnError(f"column {name!r} holds infinite numbers. Replace them, or make them missing.")
    if written.values.dtype != pl.String:
        written = written.drop(are_marked(written.values, na))
    if kind is not None and not isinstance(kind, str):
        return _sort(name, written, _ranks(name, _texts(written.values), kind), Kind.ORDINAL)
    form = None if kind is None or isinstance(kind, Kind) else kind
    wanted = kind if isinstance(kind, Kind) else None if form is None else Kind.DATE
    written, keys, is_kind = _read(name, written, wanted, form)
    if keys is not None:
        marked = np.isin(keys, as_values(na, keys.dtype))
        written, keys = written.drop(marked), keys[~marked]
    elif kind in (None, Kind.ORDINAL):
        # After the markers: the place of a word in its order is no number that anybody wrote.
        written, keys = _in_order(written, said=kind is not None)
        is_kind = is_kind if keys is None else Kind.ORDINAL
    if matters and keys is None and kind is None and written.values.dtype == pl.String:
        tell_of_likeness(name, written.values)
    return _sort(name, written, keys, is_kind)


def _distinct_integers(series: pl.Series) -> tuple[Codes, NDArray[np.int64]]:
    """Codes into the sorted distinct integers, -1 for null, and those integers."""
    lowest, highest = series.min(), series.max()
    if lowest is None:
        return np.full(len(series), -1, dtype=np.int32), np.empty(0, dtype=np.int64)
    assert isinstance(lowest, int)
    assert isinstance(highest, int)
    numbers = (series.fill_null(lowest) if series.null_count() else series).to_numpy()
    codes, values = _group_integers(numbers, lowest, highest)
    if series.null_count():
        codes[series.is_null().to_numpy()] = -1
    return codes, values


def spelt_integers(numbers: NDArray[np.int64], nothing: int) -> Distinct:
    """Whole numbers of at most 18 digits as the distinct texts they are spelt with, sorted; `nothing` is null."""
    missing = numbers == nothing
    some = bool(missing.any())
    known = numbers[~missing] if some else numbers
    lowest = int(known.min())
    if some:
        numbers[missing] = lowest
    codes, values = _group_integers(numbers, lowest, int(known.max()))
    order = order_as_texts(values)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    codes = rank[codes]
    if some:
        codes[missing] = -1
    return Distinct(codes, pl.Series(values[order]).cast(pl.String).set_sorted())


def _group_integers(numbers: NDArray[np.int64], lowest: int, highest: int) -> tuple[Codes, NDArray[np.int64]]:
    """Codes into the sorted distinct integers, and those integers."""
    if highest - lowest < _ANY:
        codes, values = group_keys(numbers - lowest, highest - lowest + 1)
        return codes, values + lowest
    return group_keys(numbers, _ANY)


def _distinct_strings(series: pl.Series) -> Distinct:
    """Group by 64-bit hashes, then make sure that no two different texts share one; few are numbered one by one."""
    if len(series) <= FEW:
        place: dict[str, int] = {}
        few = [-1 if text is None else place.setdefault(text, len(place)) for text in series.to_list()]
        return Distinct(np.array(few, dtype=np.int32), pl.Series(list(place), dtype=pl.String))
    codes, hashes = group_keys(series.hash(seed=0).to_numpy().view(np.int64), _ANY)
    values = series[first_of_each(codes, len(hashes))]
    if not values[codes].equals(series):
        return distinct(series.cast(pl.Categorical))
    return (
        Distinct(codes, values).drop(values.is_null().to_numpy())
        if series.null_count()
        else Distinct(codes, values)
    )


def _read(
    name: str, written: Distinct, wanted: Kind | None, form: str | None
) -> tuple[Distinct, NDArray[Any] | None, Kind]:
    """What to sort the distinct values by (numbers or days; None: their texts), and their kind."""
    if wanted is Kind.NOMINAL:
        return written, None, wanted
    if written.values.dtype == pl.String:
        some = written.drop(are_among(written.values, NOTHING))
        number = None if wanted is Kind.ORDINAL else wanted
        read = None if wanted is Kind.DATE else read_numbers(some.values, number)
        if wanted is Kind.ORDINAL:
            return (written, None, wanted) if read is None else (some, read[0], wanted)
        if read is None or (wanted is None and may_be_days(read[0])):
            read = read_days(name, some.values, form, wanted) or read
        if not len(some.values) and wanted is not None:
            return some, np.empty(0, dtype="datetime64[D]" if wanted is Kind.DATE else np.float64), wanted
        if read is not None and wanted is None and may_be_thousands(some.values):
            warn(
                f"column {name!r}: every value has a point before its last three digits, which is read as that of a "
                "decimal. If it stands for thousands, take the points out first; if not, give the column the type "
                f"'decimal'{SAY_TYPE}."
            )
        if read is not None and len(some.values):
            return some, *read
        if wanted is None:
            return written, None, Kind.NOMINAL
        raise _unreadable(name, wanted, form)
    read = _read_typed(name, written.values, form, wanted)
    if wanted is Kind.ORDINAL:
        return written, read[0], wanted
    if wanted is Kind.DECIMAL and read[1] is Kind.INTEGER:
        return written, read[0].astype(np.float64), wanted
    if wanted not in (None, read[1]):
        raise _unreadable(name, wanted, form)
    return written, *read


def _in_order(written: Distinct, *, said: bool) -> tuple[Distinct, NDArray[Any] | None]:
    """The places of texts that have an order of their own; beside bands, spellings of nothing are missing.

    said: that they have one, so that the numbers they begin with are enough.
    """
    order = natural_order(written.values.to_list())
    if order is None:
        some = written.drop(are_among(written.values, NOTHING))
        texts = some.values.to_list()
        banded = len(texts) < len(written.values) and some_match(some.values, "[0-9]")
        order = natural_order(texts) if banded else None
        written = written if order is None else some
    if order is None and said:
        order = by_leading_numbers(written.values.to_list())
    return written, None if order is None else np.array(order)


def _read_typed(
    name: str, values: pl.Series, form: str | None, wanted: Kind | None
) -> tuple[NDArray[Any], Kind]:
    if values.dtype == pl.Date:
        return values.to_numpy().astype("datetime64[D]"), Kind.DATE
    if values.dtype.is_float():
        read = as_numbers(values.to_numpy(), wanted if wanted in (Kind.INTEGER, Kind.DECIMAL) else None)
        if read is None:
            raise _unreadable(name, Kind.INTEGER, form)
    else:
        read = values.to_numpy(), Kind.INTEGER
    if read[1] is Kind.INTEGER and wanted in (None, Kind.DATE) and (form or may_be_days(read[0])):
        return read_days(name, pl.Series(read[0]).cast(pl.String), form, wanted) or read
    return read


def _unreadable(name: str, wanted: Kind | None, form: str | None) -> ColumnError:
    shown = f"{wanted} ({form})" if form else str(wanted)
    return ColumnError(f"column {name!r} was declared {shown}, but some of its values do not read as such.")


def _texts(values: pl.Series) -> pl.Series:
    """Distinct values as texts, each in its shortest form."""
    if values.dtype == pl.String:
        return values
    kind = Kind.DECIMAL if values.dtype.is_float() else Kind.DATE if values.dtype == pl.Date else Kind.INTEGER
    return pl.Series(texts_of(values.to_numpy(), kind), dtype=pl.String)


def _ranks(name: str, texts: pl.Series, order: Sequence[str]) -> NDArray[np.int64]:
    """Place of each text in an order given by hand."""
    rank = {value: i for i, value in enumerate(order)}
    if len(rank) < len(order):
        raise ColumnError(f"column {name!r}: the given order names a value twice.")
    ranks = np.array([rank.get(text, -1) for text in texts.to_list()], dtype=np.int64)
    strange = int((ranks < 0).sum())
    if strange:
        raise ColumnError(
            f"column {name!r}: {strange} of its {len(ranks)} distinct values are not in the given order. Add them, "
            "or name them in `na` to make them missing."
        )
    return ranks


def _sort(name: str, written: Distinct, keys: NDArray[Any] | None, kind: Kind) -> Column:
    """Sort the domain, merge equal values (1.0 and 1), put missing last."""
    values: NDArray[Any]
    if keys is None:
        texts = _texts(written.values)
        if len(texts) <= FEW:
            few = np.array(texts.to_list(), dtype=object)
            order = np.argsort(few, kind="stable")
            values = few[order]
        else:
            order = texts.arg_sort().to_numpy()
            values = texts.gather(order).to_numpy()
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
    else:
        values, place = _ranked(keys)
        if kind is Kind.ORDINAL:
            values = _texts(written.values).gather(first_of_each(place, len(values))).to_numpy()
    codes = np.append(place, np.int32(len(values)))[written.codes]
    missing = bool((written.codes < 0).any())
    return Column(name, codes, Domain(kind, values, missing))


def _ranked(keys: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """The sorted distinct keys, and the place of each key among them."""
    if keys.dtype == np.int64 and len(keys) > FEW:
        place, values = _group_integers(keys, int(keys.min()), int(keys.max()))
        return values, place
    values, inverse = np.unique(keys, return_inverse=True)
    return values, inverse.astype(np.int32)
