"""What becomes of rows, a piece at a time: each row's class is found, and codes of what is published are kept.

Rows whose tuple goes to several classes wait until all of them are there, and are dealt out in the order of a keyed
digest of what else they publish (`recodings/dealing.py`). All of it can be done to parts of a table on several
machines, and counts added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import FileError
from lookalike.tables.coded import PIECE
from lookalike.tables.columns.coding import Distinct, alike
from lookalike.tables.columns.digests import numbers_of
from lookalike.tables.columns.grouping import sum_by
from lookalike.tables.columns.markers import without_markers
from lookalike.tables.engines.engine import Piece, Places, Rows
from lookalike.tables.engines.stored.coarsening import Coarse, coarsen
from lookalike.tables.engines.stored.finding import Finder
from lookalike.tables.engines.stored.known_values import CHANGED, KnownValues
from lookalike.tables.engines.stored.packing import Layout, Mixer, Words

_SOME = 16  # the part of the room that counts in some classes take, where all are too many


class Shelf(Protocol):
    """Where rows are put."""

    def put(self, rows: Words) -> None:
        """Take in some rows."""


@dataclass(frozen=True, eq=False)
class Counted:
    """What was counted of rows that were kept."""

    seen: int  #: a keyed sum over the tuples of rows
    times: list[NDArray[np.int64]]  #: per other column, rows of each code
    by_class: list[NDArray[np.int32]]  #: the same in each class, or in some

    @staticmethod
    def sum(parts: Iterable[Counted]) -> Counted:
        """Of all parts of a table."""
        first, *rest = parts
        for part in rest:
            for mine, yours in zip(first.times, part.times, strict=True):
                mine += yours
            for some, more in zip(first.by_class, part.by_class, strict=True):
                some += more
        return Counted((first.seen + sum(part.seen for part in rest)) % 2**64, first.times, first.by_class)


@dataclass(frozen=True, eq=False)
class Keeping:
    """All that must be known to keep rows, on whichever machine they are."""

    places: Places
    dictionaries: Mapping[str, KnownValues]  #: of each column that is looked at
    mixer: Mixer
    seed: int
    coarse: Coarse  #: where each column is recoded by itself, what tuples are made of; else nothing

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        return list(self.dictionaries)

    @property
    def people(self) -> int:
        """How many people there are, where a column tells them apart."""
        unit = self.places.unit
        return 0 if unit is None else self.dictionaries[unit].size

    @cached_property
    def others(self) -> dict[str, Distinct]:
        """Per published column that is no quasi-identifier, what is published of each code."""
        known = {**self.dictionaries, **{name: one.known for name, one in self._made.items()}}
        return {name: _published(self.places, name, known[name].values) for name in self.places.others}

    @cached_property
    def sizes(self) -> list[int]:
        """How many published codes each other column has, missing among them."""
        return [len(one.values) + 1 for one in self.others.values()]

    @cached_property
    def layout(self) -> Layout:
        """Of rows that have their class."""
        return Layout.of([len(self.places.sizes), *self.sizes])

    @cached_property
    def waiting_layout(self) -> Layout:
        """Of what else rows hold that wait for theirs."""
        return Layout.of(self.sizes)

    @property
    def words(self) -> int:
        """Words of a row."""
        return self.layout.words + (self.people > 0)

    @property
    def waiting_words(self) -> int:
        """Words of a row that waits: its tuple, its number, what else it holds, the person."""
        return 2 + self.waiting_layout.words + (self.people > 0)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Where the classes of each tuple begin."""
        return np.searchsorted(self.places.of_tuple, np.arange(self.places.tuples.height + 1))

    @cached_property
    def records(self) -> NDArray[np.int64]:
        """Rows of each tuple."""
        return sum_by(self.places.of_tuple, self.places.records, self.places.tuples.height)

    @cached_property
    def only(self) -> NDArray[np.int32]:
        """The class of each tuple, -2 where it has several."""
        last = len(self.places.classes) - 1
        return np.where(
            np.diff(self.first) > 1, -2, self.places.classes[np.minimum(self.first[:-1], last)]
        ).astype(np.int32)

    @property
    def waiting(self) -> int:
        """How many rows wait."""
        return int(self.records[self.only == -2].sum())

    def code(
        self, piece: Piece
    ) -> tuple[NDArray[np.int32], list[NDArray[np.int32]], NDArray[np.int32] | None]:
        """Of some rows the tuple, the published codes of other columns, and the person where told apart."""
        codes = {name: known.codes(piece[name]) for name, known in self.dictionaries.items()}
        return self.published(self.find(codes, len(codes[self.columns[0]])), codes)

    def find(self, codes: Mapping[str, NDArray[np.int32]], n: int) -> NDArray[np.int32]:
        """The tuple of each row, from the codes of its columns."""
        found = self._finder.find([self._by(name, codes[name]) for name in self.places.tuples.columns], n)
        if n and found.min() < 0:
            raise FileError(CHANGED)
        return found

    def published(
        self, of_tuple: NDArray[np.int32], codes: Mapping[str, NDArray[np.int32]]
    ) -> tuple[NDArray[np.int32], list[NDArray[np.int32]], NDArray[np.int32] | None]:
        """Rows by their tuple: the published codes of other columns, and the person where told apart."""
        codes_of = {**codes, **{name: one.codes(codes, len(of_tuple)) for name, one in self._made.items()}}
        shown = [table[codes_of[name]] for name, table in self._shown.items()]
        return of_tuple, shown, None if self.places.unit is None else codes[self.places.unit]

    def refuse_changed(self, counted: Counted) -> None:
        """Refuse rows whose tuples are not those that were counted."""
        tuples = np.arange(self.places.tuples.height)
        if counted.seen != int((self.mixed(tuples)[:, 0] * self.records.astype(np.uint64)).sum()):
            raise FileError(CHANGED)

    def mixed(self, of_tuple: NDArray[np.integer[Any]]) -> Words:
        """A word for each tuple."""
        return self.mixer.mix(of_tuple.astype(np.uint64)[:, None])

    def numbers(self, codes: Sequence[NDArray[np.int32]], n: int) -> Words:
        """A word for each row by which its tuple's rows are dealt out, from the published codes of other columns."""
        out = np.zeros(n, dtype=np.int64)
        for each, table in zip(codes, self._numbers, strict=True):
            if table is not None:
                out ^= table[each]
        return out.astype(np.uint64)[:, None]

    def least(self, counted: Counted) -> dict[str, int]:
        """Rows in the smallest class when a column is known besides, where what was counted tells."""
        out = {}
        for name, watched in zip(self.others, counted.by_class, strict=True):
            counts = watched[~self.places.blank[: len(watched)]]
            least = int(counts[counts > 0].min(initial=self.places.height))
            if least == 1 or len(watched) == len(self.places.sizes):
                out[name] = least
        return out

    @cached_property
    def _finder(self) -> Finder:
        tuples = self.places.tuples
        if self.coarse:
            numbers = [tuples[name].to_numpy() for name in tuples.columns]
            sizes = [int(self.coarse[name].max(initial=0)) + 1 for name in tuples.columns]
            return Finder(numbers, sizes, tuples.height)
        by = [self.dictionaries[name] for name in tuples.columns]
        codes = [known.codes(tuples[name]) for known, name in zip(by, tuples.columns, strict=True)]
        return Finder(codes, [known.size for known in by], tuples.height)

    def _by(self, name: str, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        return self.coarse[name][codes] if self.coarse else codes

    @cached_property
    def _made(self) -> dict[str, _Made]:
        """Columns that are made from others."""
        return {name: _Made(*how, self.dictionaries) for name, how in self.places.made.items()}

    @cached_property
    def _numbers(self) -> list[NDArray[np.int64] | None]:
        """Per other column the number of each published code; none where the tuple tells the value."""
        known = self.places.tuples.columns
        return [
            None if name in known else numbers_of(one.values, name, self.seed)
            for name, one in self.others.items()
        ]

    @cached_property
    def _shown(self) -> dict[str, NDArray[np.int32]]:
        return {name: _missing_last(known) for name, known in self.others.items()}


def plan_keeping(engine: Rows, places: Places, *, seed: int) -> Keeping:
    """What must be known to keep the rows of an engine; values of columns that were not counted yet are counted."""
    dictionaries = {name: KnownValues.of(places.tuples[name]) for name in places.tuples.columns}
    for tuples, _ in places.made.values():
        for name in tuples.columns:
            dictionaries.setdefault(name, KnownValues.of(tuples[name]))
    rest = [name for name in places.others if name not in dictionaries and name not in places.made]
    if rest:
        found = engine.count(*([name] for name in rest))
        dictionaries |= {
            name: KnownValues.of(counted[name]) for name, counted in zip(rest, found, strict=True)
        }
    places, coarse = coarsen(places, dictionaries) or (places, {})
    return Keeping(places, dictionaries, Mixer.of(seed), seed, coarse)


class _Made:
    """A column that is made from others: what is published for each tuple of theirs."""

    def __init__(
        self, tuples: pl.DataFrame, published: pl.Series, dictionaries: Mapping[str, KnownValues]
    ) -> None:
        self._fields = {name: dictionaries[name] for name in tuples.columns}
        self._finder = Finder(
            [known.codes(tuples[name]) for name, known in self._fields.items()],
            [known.size for known in self._fields.values()],
            tuples.height,
        )
        self.known = KnownValues.of(published)
        self._codes = self.known.codes(published)

    def codes(self, columns: Mapping[str, NDArray[np.int32]], n: int) -> NDArray[np.int32]:
        """The code of each row, from those of the columns that it is made from."""
        found = self._finder.find([columns[name] for name in self._fields], n)
        if n and found.min() < 0:
            raise FileError(CHANGED)
        return self._codes[found]


class Keeper:
    """Takes rows in as they come: those with one class at once, the others when all are there."""

    def __init__(self, keeping: Keeping, rows: Shelf, waiting: Shelf, *, room: int) -> None:
        """`room`: numbers that may be counted per column."""
        self.keeping, self._rows, self._waiting, self._seen = keeping, rows, waiting, 0
        self._times = [np.zeros(size, dtype=np.int64) for size in keeping.sizes]
        # Values are counted in each class while there is room, else in some: where one is alone there, that is all.
        classes = len(keeping.places.sizes)
        watched = [classes if classes * size <= room else room // _SOME // size for size in keeping.sizes]
        self._by_class = [
            np.zeros((some if keeping.places.height < 2**31 else 0, size), dtype=np.int32)
            for some, size in zip(watched, keeping.sizes, strict=True)
        ]

    @property
    def counted(self) -> Counted:
        """What was counted so far."""
        return Counted(self._seen, self._times, self._by_class)

    def take(self, piece: Piece) -> None:
        """Some rows."""
        of_tuple, codes, unit = self.keeping.code(piece)
        words = self.keeping.mixed(of_tuple)
        self._seen = (self._seen + int(words.sum(dtype=np.uint64))) % 2**64
        classes = self.keeping.only[of_tuple]
        wait = classes == -2
        if wait.any():
            some = [each[wait] for each in codes]
            packed = self.keeping.waiting_layout.pack(some, int(wait.sum()))
            rows = np.concatenate([words[wait], self.keeping.numbers(some, len(packed)), packed], axis=1)
            self._waiting.put(with_word(rows, None if unit is None else unit[wait]))
        kept = classes >= 0
        self._keep(classes[kept], [each[kept] for each in codes], None if unit is None else unit[kept])

    def deal_out(self, bucket: Words) -> None:
        """Give sorted rows of tuples with several classes to these, in the order of their numbers."""
        if not len(bucket):
            return
        keeping, layout = self.keeping, self.keeping.waiting_layout
        begins = np.flatnonzero(np.append(True, bucket[1:, 0] != bucket[:-1, 0]))
        who = keeping.mixer.unmix(bucket[begins][:, :1])[:, 0].astype(np.int64)
        lengths = keeping.first[who + 1] - keeping.first[who]
        ends = np.cumsum(lengths)
        parts = np.arange(int(ends[-1])) + np.repeat(keeping.first[who] - (ends - lengths), lengths)
        classes = np.repeat(keeping.places.classes[parts], keeping.places.records[parts])
        if len(classes) != len(bucket):
            raise FileError(CHANGED)
        for start in range(0, len(bucket), PIECE):
            some = slice(start, start + PIECE)
            kept = classes[some] >= 0
            mine = bucket[some][kept]
            rest = mine[:, 2 : 2 + layout.words]
            codes = [layout.unpack(rest, i) for i in range(len(keeping.sizes))]
            self._keep(classes[some][kept], codes, mine[:, -1] if keeping.people else None)

    def _keep(
        self, classes: NDArray[Any], codes: Sequence[NDArray[Any]], unit: NDArray[np.integer[Any]] | None
    ) -> None:
        if self.keeping.places.stars is not None:  # of these rows nothing is said
            gone = classes == self.keeping.places.stars
            codes = [
                np.where(gone, size - 1, each) for size, each in zip(self.keeping.sizes, codes, strict=True)
            ]
        for times, each in zip(self._times, codes, strict=True):
            times += np.bincount(each, minlength=len(times))
        for counts, each in zip(self._by_class, codes, strict=True):
            if len(counts) < len(self.keeping.places.sizes):
                mine = np.flatnonzero(classes < len(counts))
                np.add.at(counts, (classes[mine], each[mine]), np.int32(1))
            else:
                np.add.at(counts.reshape(-1), classes.astype(np.int64) * counts.shape[1] + each, np.int32(1))
        packed = self.keeping.layout.pack([classes, *codes], len(classes))
        self._rows.put(with_word(self.keeping.mixer.mix(packed), unit))


def _published(places: Places, name: str, values: pl.Series) -> Distinct:
    """What is published of each value of a column: places among the published values, in their order."""
    now = without_markers(values, places.na) if name in places.as_they_are else values
    if name in places.spelt:
        was, becomes = places.spelt[name]
        place = np.full(
            len(values), -1, dtype=np.int32
        )  # values of which nothing is said are of rows held back
        place[KnownValues(values).codes(was)] = np.arange(len(was))
        now = Distinct(place, becomes).series(name)
    same = alike(now)
    known = KnownValues.of(same.values)
    return Distinct(np.append(known.codes(same.values), np.int32(-1))[same.codes], known.values)


def with_word(rows: Words, word: NDArray[np.integer[Any]] | None) -> Words:
    """Rows with one more word behind, which is carried along and sorts rows only that tie in all others."""
    return rows if word is None else np.concatenate([rows, word.astype(np.uint64)[:, None]], axis=1)


def _missing_last(known: Distinct) -> NDArray[np.int32]:
    """The published code of each code, missing being the last one on both sides."""
    codes = np.where(known.codes < 0, len(known.values), known.codes)
    return np.append(codes, len(known.values)).astype(np.int32)
