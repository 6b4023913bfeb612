"""The training rows as numbers to measure HEOM on, and new rows coded the same way.

Numbers, dates and ranks stand between 0 and 1 by the training range; names are codes; missing is NaN.
Equal training rows are kept once, in the order of their values, so no answer depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import ColumnError, RequestError
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.columns.roles import Kind
from lookalike.tables.intake import table
from lookalike.tables.sources import frames
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Coded:
    """New rows, rows x columns: training codes (-1: never seen), numbers as in the domain, and what is missing."""

    codes: NDArray[np.int32]
    numbers: NDArray[np.float64]
    missing: NDArray[np.bool_]
    strange: NDArray[np.bool_]  #: names and ranks that no training row has, where that is an error

    def part(self, rows: NDArray[np.int64]) -> Coded:
        """Some of the rows."""
        return Coded(self.codes[rows], self.numbers[rows], self.missing[rows], self.strange[rows])


@dataclass(frozen=True, eq=False)
class Features:
    """Distinct training rows over the model's columns."""

    people: Table
    names: list[str]
    values: NDArray[np.float64]  #: distinct rows x columns
    nominal: NDArray[np.bool_]  #: which columns are names
    first: NDArray[np.int64]  #: distinct row -> its first training row
    of_row: NDArray[np.int32]  #: training row -> distinct row
    strangers: bool = False  #: new rows may hold names and ranks that no training row has

    def take(self, given: Any) -> pl.DataFrame:
        """New rows with the training table's columns and types: a frame, a mapping, a pandas Series."""
        if isinstance(given, Mapping):
            rows = self._from_mapping(given)
        elif type(given).__name__ == "Series" and hasattr(given, "to_dict"):
            rows = self._from_mapping(given.to_dict())
        else:
            rows = frames.take(given).rows
        absent = [name for name in self.names if name not in rows.columns]
        if absent:
            raise ColumnError(
                f"the row lacks {len(absent)} of the model's columns: {', '.join(absent)}. "
                f"It needs: {', '.join(self.names)}."
            )
        if not rows.height:
            raise RequestError("there are no rows to explain.")
        return pl.DataFrame({name: self._retype(nameless(rows[name]), name) for name in self.names})

    def code(self, rows: pl.DataFrame) -> Coded:
        """New rows (from `take`) in the training table's codes."""
        parts = [self._code(rows, name) for name in self.names]
        codes, numbers, missing = (np.stack(part, axis=1) for part in zip(*parts, strict=True))
        strange = (codes < 0) & ~missing & np.array([not c.kind.numeric for c in self._columns])
        return Coded(codes, numbers, missing, strange & (not self.strangers))

    def place(self, rows: pl.DataFrame) -> NDArray[np.float64]:
        """New rows (from `take`) on the scales of the training rows; refuses values that none of these has."""
        coded = self.code(rows)
        if coded.strange.any():
            row, column = np.argwhere(coded.strange)[0]
            raise RequestError(f"row {row + 1}: {self.no_such_value(column)}")
        return self.measure(coded)

    def no_such_value(self, column: int) -> str:
        """Why a row with a strange value in a column cannot be explained."""
        return (
            f"column {self.names[column]!r} holds a value that the training table does not have. Explain rows with "
            "values the model was trained on, or pass unknown='differs' to take it as different from all."
        )

    def measure(self, coded: Coded) -> NDArray[np.float64]:
        """New rows on the same scales as the training rows."""
        out = np.empty(coded.numbers.shape)
        for i, column in enumerate(self._columns):
            if column.kind is Kind.NOMINAL:
                out[:, i] = np.where(coded.missing[:, i], np.nan, coded.codes[:, i])
            else:
                out[:, i] = _scale(coded.numbers[:, i], column.domain)
        return out

    @cached_property
    def _columns(self) -> list[Column]:
        return [self.people.column(name) for name in self.names]

    @cached_property
    def _known(self) -> dict[str, dict[Any, int]]:
        """Per column, the code of each value as it is written in the training table."""
        out = {}
        for name, column in zip(self.names, self._columns, strict=True):
            written = nameless(self.people.rows[name])
            where = written.arg_unique().to_numpy()
            out[name] = dict(zip(written[where].to_list(), column.codes[where].tolist(), strict=True))
        return out

    def _code(
        self, rows: pl.DataFrame, name: str
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.bool_]]:
        """Code, number and missingness of each value of a column; -1 for a value that no training row has."""
        domain, known = self.people.column(name).domain, self._known[name]
        values = rows[name].to_list()
        codes = np.array([known.get(value, -1) for value in values], dtype=np.int32)
        if (codes >= 0).all():
            missing = (codes == domain.size - 1) & domain.missing
            return codes, domain.numbers[codes], missing
        column = self._read(rows, name)
        codes = domain.find(column.domain)[column.codes]
        missing = (column.codes == column.domain.size - 1) & column.domain.missing
        numbers = column.domain.numbers[column.codes]
        if not domain.kind.numeric:
            numbers = np.where(codes >= 0, domain.numbers[np.maximum(codes, 0)], np.nan)
        return codes, numbers, missing

    def _from_mapping(self, given: Mapping[Any, Any]) -> pl.DataFrame:
        schema = {name: self.people.rows.schema[name] for name in self.names}
        columns = []
        for name, value in given.items():
            if name not in schema:
                continue
            if isinstance(value, float) and np.isnan(value):
                value = None
            if isinstance(value, np.generic):
                value = value.item()
            columns.append(pl.Series(str(name), [value], strict=False))
        return pl.DataFrame(columns)

    def _retype(self, series: pl.Series, name: str) -> pl.Series:
        wanted = self.people.rows.schema[name]
        if series.dtype == wanted:
            return series
        fits = (series.dtype.is_numeric() and wanted.is_numeric()) or series.dtype == pl.Null
        fits = fits or (isinstance(wanted, pl.Datetime) and series.dtype in (pl.Date, pl.Datetime))
        fits = fits or all(kind in (pl.String, pl.Categorical, pl.Enum) for kind in (series.dtype, wanted))
        if not fits:
            raise ColumnError(
                f"column {name!r} is {series.dtype} here and {wanted} in the training table. "
                "Give it the training table's type."
            )
        if (
            wanted.is_integer()
            and series.dtype.is_float()
            and not (series.is_null() | (series == series.round())).all()
        ):
            return series  # a whole-number column met a fraction: the model will take it as it is
        if isinstance(wanted, pl.Enum):
            return self._into_enum(series, wanted)
        return series.cast(wanted)

    def _into_enum(self, series: pl.Series, wanted: pl.Enum) -> pl.Series:
        texts = series.cast(pl.String)
        return texts.cast(wanted) if texts.drop_nulls().is_in(wanted.categories.to_list()).all() else texts

    def _read(self, rows: pl.DataFrame, name: str) -> Column:
        """A column of new rows, read as the training table's kind of values."""
        kind = self.people.kinds.get(name)
        domain = self.people.column(name).domain
        tried = [domain.kind if kind is None or isinstance(kind, str) else kind]
        if domain.kind is Kind.INTEGER:
            tried.append(Kind.DECIMAL)  # a column that happens to hold whole numbers may meet a fraction
        if domain.kind is Kind.ORDINAL and self.strangers:
            tried.append(Kind.NOMINAL)
        for one in tried:
            try:
                return table(
                    rows.select(named(name)), others=[name], types={name: one}, na=self.people.na
                ).column(name)
            except ColumnError:
                continue
        raise ColumnError(
            f"column {name!r}: the training table holds {domain.kind} values, these rows something else."
        )


def lay_out_features(people: Table, names: Sequence[str], *, strangers: bool) -> Features:
    """Code the model's columns of a training table."""
    columns = [people.column(name) for name in names]
    of_row, n = group_codes([c.codes for c in columns], [c.domain.size for c in columns], len(people))
    first = np.full(n, len(people), dtype=np.int64)
    np.minimum.at(first, of_row, np.arange(len(people)))
    values = np.stack([_scale(c.domain.numbers, c.domain)[c.codes[first]] for c in columns], axis=1)
    nominal = np.array([c.kind is Kind.NOMINAL for c in columns])
    return Features(people, list(names), values, nominal, first, of_row, strangers)


def _scale(numbers: NDArray[np.float64], domain: Domain) -> NDArray[np.float64]:
    """Numbers as shares of the training range; names stay codes; a constant column differs by nothing."""
    if not domain.kind.ordered:
        return numbers
    known = domain.places[: len(domain.values)]
    width = float(known.max() - known.min()) if len(known) else 0.0
    if width <= 0:
        return np.where(np.isnan(numbers), np.nan, 0.0)
    out: NDArray[np.float64] = (numbers / domain.measure - known.min()) / width
    return out
