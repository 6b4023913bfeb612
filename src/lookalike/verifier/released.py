"""A released table as the verifier keeps it: the distinct texts of each column, and the number of each row's text.

A number takes as many bytes as the column has texts for. Classes are numbered by the numbers of their columns packed
into one, so that every check works on integers; nothing here is shared with what made the release. O(n) per column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.tables.coded import ValueCounts, as_text
from lookalike.tables.columns.naming import nameless
from lookalike.tables.columns.texts import FEW
from lookalike.tables.ordering import order_values
from lookalike.verifier.findings import SHOWN

Places = NDArray[np.integer[Any]]
_LOOK = 1 << 16  # rows of some classes that are looked at first
_ROOM = 4  # a table of all possible keys is used where they are at most so many times as many as rows


@dataclass(frozen=True, eq=False)
class TextColumn:
    """The distinct texts of a column and the place of each row's among them, from 1 on; 0 is missing."""

    places: Places
    texts: pl.Series
    times: NDArray[np.int64] | None = None  #: how many rows each stands for; one unless given

    @property
    def size(self) -> int:
        """How many different places there may be."""
        return len(self.texts) + 1

    def take(self, rows: NDArray[Any]) -> TextColumn:
        """The column of some rows."""
        return TextColumn(self.places[rows], self.texts, None if self.times is None else self.times[rows])

    def says(self, text: str | None) -> NDArray[np.bool_]:
        """Which rows have this text."""
        found = [-1] if text is None else np.flatnonzero(self.texts.eq(text).to_numpy())
        said = self.places == found[0] + 1 if len(found) else np.zeros(len(self.places))
        return np.asarray(said, dtype=bool)

    def renamed(self, texts: pl.Series) -> TextColumn:
        """The same rows with other texts, of which some may be equal."""
        new = NewColumn()
        new.add(texts)
        named = new.column()
        return TextColumn(np.append(0, named.places)[self.places], named.texts)

    @cached_property
    def often(self) -> NDArray[np.int64]:
        """How many rows have each place."""
        return _sum(self.places, self.times, self.size)

    @cached_property
    def counts(self) -> ValueCounts:
        """The distinct texts, sorted, missing first, and how often each occurs."""
        often = self.often
        order = order_values(self.texts)
        texts, times = self.texts.gather(order), often[1:][order]
        texts, times = texts.filter(times > 0), times[times > 0]
        if often[0]:
            texts = pl.concat([pl.Series(texts.name, [None], dtype=pl.String), texts])
            times = np.append(often[0], times)
        return ValueCounts(texts, times)


class NewColumn:
    """A column while it is read, a piece at a time."""

    def __init__(self) -> None:
        self._parts: list[Places] = []
        self._texts: list[pl.Series] = []
        self._few: dict[str | None, int] = {}
        self._kind: Any = None

    def add(self, values: pl.Series) -> None:
        """The values of further rows."""
        self._parts.append(self._places(nameless(values)))

    def column(self) -> TextColumn:
        """All rows so far."""
        texts = pl.concat(self._texts).cast(pl.String) if self._texts else self._few_texts()
        return TextColumn(np.concatenate(self._parts or [np.zeros(0, dtype=np.uint8)]), texts)

    def _few_texts(self) -> pl.Series:
        return pl.Series(list(self._few)[1:], dtype=pl.String)

    def _places(self, values: pl.Series) -> Places:
        if len(values) <= FEW and not self._texts:
            return self._count_few(as_text(values.to_frame()).to_series().to_list())
        low, high = (values.min(), values.max()) if values.dtype.is_integer() else (None, None)
        if isinstance(low, int) and isinstance(high, int) and high - low < _ROOM * len(values):
            return self._of_numbers(values, low, high)
        if not isinstance(values.dtype, pl.Categorical):
            values = as_text(values.to_frame()).to_series()
        return self._of_texts(values)

    def _count_few(self, texts: list[str | None]) -> Places:
        self._few.setdefault(None, 0)
        return _narrow(
            np.array([self._few.setdefault(text, len(self._few)) for text in texts], dtype=np.uint32)
        )

    def _of_numbers(self, values: pl.Series, low: int, high: int) -> Places:
        """Whole numbers that lie close: only distinct ones become texts."""
        above = (values.cast(pl.Int64) - low + 1).fill_null(0).to_numpy()
        there = np.zeros(high - low + 2, dtype=bool)
        there[above] = True
        place = np.zeros(len(there), dtype=np.uint32)
        distinct = np.flatnonzero(there[1:]) + 1
        numbers = pl.Series(distinct - 1 + low).cast(values.dtype)
        place[distinct] = self._of_texts(as_text(numbers.to_frame()).to_series())
        return _narrow(place[above])

    def _of_texts(self, texts: pl.Series) -> Places:
        """Texts as categories of the column's own, which are numbered as they come.

        Categories are numbered anew once no series holds any of them: those that are known are held here.
        """
        if self._kind is None:
            own = isinstance(texts.dtype, pl.Categorical)
            self._kind = texts.dtype if own else pl.Categorical(pl.Categories.random())
            if self._few:
                self._of_texts(self._few_texts())
        known = sum(map(len, self._texts))
        texts = texts.cast(self._kind)
        places = (texts.to_physical() + 1).fill_null(0).to_numpy()
        most = int(places.max(initial=0))
        if most > known:
            row = np.zeros(most + 1, dtype=np.int64)
            row[places] = np.arange(len(places))
            self._texts.append(texts.gather(row[known + 1 :]).alias(""))
        return _narrow(places)


def _narrow(places: NDArray[np.uint32]) -> Places:
    return places.astype(np.min_scalar_type(int(places.max(initial=0))))


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Rows grouped: the class of each, and how many rows each class has."""

    of_row: Places
    sizes: NDArray[np.int64]
    times: NDArray[np.int64] | None = None  #: how many rows each stands for; one unless given

    def first(self) -> NDArray[np.int64]:
        """The first row of each class."""
        out = np.zeros(len(self.sizes), dtype=np.int64)
        out[self.of_row[::-1]] = np.arange(len(self.of_row))[::-1]
        return out

    def with_values(
        self, column: TextColumn
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Every class with every place of a column that occurs in it, in order, and how often."""
        keys = self.of_row.astype(np.int64)
        keys *= column.size
        keys += column.places
        found, times = _count(keys, len(self.sizes) * column.size, self.times)
        return found // column.size, found % column.size, times


@dataclass(frozen=True, eq=False)
class Released:
    """The columns of a release, and which line of the file each row is, the first being 1."""

    columns: dict[str, TextColumn]
    lines: NDArray[np.int64]  #: 0 where rows are in no order
    times: NDArray[np.int64] | None = None  #: how many rows each stands for; one unless given
    _classes: dict[tuple[str, ...], RowGroups] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(columns: dict[str, TextColumn]) -> Released:
        """The whole file."""
        height = max((len(column.places) for column in columns.values()), default=0)
        return Released(columns, np.arange(1, height + 1, dtype=np.int64))

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.lines) if self.times is None else int(self.times.sum())

    def select(self, names: Iterable[str]) -> Released:
        """Some columns."""
        return replace(self, columns={name: self.columns[name] for name in names}, _classes={})

    def take(self, rows: NDArray[Any]) -> Released:
        """Some rows."""
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        times = None if self.times is None else self.times[rows]
        return replace(self, columns=columns, lines=self.lines[rows], times=times, _classes={})

    def once(self, names: Sequence[str]) -> Released:
        """One row of each combination of some columns, standing for itself alone."""
        some = self.take(self.classes(names).first())
        if self.times is None:
            return some
        columns = {name: TextColumn(column.places, column.texts) for name, column in some.columns.items()}
        return replace(some, columns=columns, times=None, _classes={})

    def rarest(self, names: Sequence[str], other: str) -> int:
        """How many rows share the values of some columns and of one other, at least.

        Some classes are looked at first: where a row in them is alone, none is rarer.
        """
        classes, column = self.classes(names), self.columns[other]
        if self.times is None and len(classes.of_row) > 2 * _LOOK:
            last = int(np.searchsorted(np.cumsum(classes.sizes), _LOOK))
            rows = np.flatnonzero(classes.of_row <= last)
            some = RowGroups(classes.of_row[rows], classes.sizes[: last + 1]).with_values(column.take(rows))
            if int(some[2].min()) == 1:
                return 1
        return int(classes.with_values(column)[2].min())

    def at(self, rows: NDArray[Any]) -> tuple[str, tuple[int, ...]]:
        """Where some rows are, in words and as lines, as far as they are in any order."""
        lines = np.sort(self.lines[rows])[:SHOWN].tolist()
        return (f" at row {lines[0]}", tuple(lines)) if lines and lines[0] else ("", ())

    def classes(self, names: Sequence[str]) -> RowGroups:
        """Rows grouped by some columns."""
        key = tuple(names)
        if key not in self._classes:
            parts = [(self.columns[name].places, self.columns[name].size) for name in key]
            of_row, n = _number(*_pack(parts or [(np.zeros(len(self.lines), dtype=np.uint8), 1)]))
            self._classes[key] = RowGroups(of_row, _sum(of_row, self.times, n), self.times)
        return self._classes[key]


def _pack(parts: Sequence[tuple[Places, int]]) -> tuple[NDArray[np.int64], int]:
    """Numbers that are equal where all parts are, and what all are below."""
    keys, span = parts[0][0].astype(np.int64), max(parts[0][1], 1)
    for places, size in parts[1:]:
        if span * size > _ROOM * len(keys):
            numbered, span = _number(keys, span)
            keys = numbered.astype(np.int64)
        keys *= size
        keys += places
        span *= size
    return keys, span


def _number(keys: NDArray[np.int64], span: int) -> tuple[Places, int]:
    """Keys as numbers from 0 without gaps, in the same order, and how many there are."""
    if span > _ROOM * len(keys) + 1:
        distinct, numbered = np.unique(keys, return_inverse=True)
        return numbered.astype(np.uint32), len(distinct)
    there = np.zeros(span, dtype=bool)
    there[keys] = True
    number = np.cumsum(there, dtype=np.int64)
    return (number - 1).astype(np.uint32)[keys], int(number[-1]) if span else 0


def _sum(places: Places, times: NDArray[np.int64] | None, size: int) -> NDArray[np.int64]:
    """How many rows have each place."""
    if times is None:
        return np.bincount(places, minlength=size)
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, places, times)
    return out


def _count(
    keys: NDArray[np.int64], span: int, rows: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct keys in order, and how often each occurs."""
    if rows is not None:
        found, places = np.unique(keys, return_inverse=True)
        return found, _sum(places, rows, len(found))
    if span <= _ROOM * len(keys) // 2:
        times = np.bincount(keys)
        found = np.flatnonzero(times)
        return found, times[found]
    keys = np.sort(keys)
    ends = np.flatnonzero(np.append(keys[1:] != keys[:-1], len(keys) > 0))
    return keys[ends], np.diff(ends, prepend=-1)
