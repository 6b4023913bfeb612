"""Released rows as codes: one pass over the original finds each row's class and keeps the codes of what is published.

Rows whose tuple goes to several classes wait until all of them are there, and are dealt out in the order of a keyed
mixture of what else they hold. All rows end up sorted by such a mixture, so that neither their place nor the order of
files tells anything. A row takes a few bits a column; beyond `memory` they are on disk. O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.columns.coding import Distinct, alike
from lookalike.columns.grouping import sum_by
from lookalike.engines.buckets import Buckets
from lookalike.engines.budget import Budget
from lookalike.engines.engine import Engine, Places, Told
from lookalike.engines.finding import Finder
from lookalike.engines.known_values import CHANGED, KnownValues
from lookalike.engines.packing import Layout, Mixer, Words
from lookalike.errors import FileError, RequestError
from lookalike.sources.traces import alone
from lookalike.tables.coded import PIECE, ValueCounts, count_texts, enumerated, used, write_rows
from lookalike.tables.lines import write_csv

_SHARE = 8  # the part of the memory that sorted rows may take
_WRITTEN = (
    512  # bytes that a value takes on its way into a file, those of the pieces before and after it included
)
_SOME = 16  # the part of that which counts in some classes take, where all are too many
_COUNTS = 32  # the part of the memory that a table of counts per class and value may take
_COUNTED = 12345  # any seed: where keys are only counted, their order does not matter


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Released rows that are kept as codes, and all that a certificate and a report ask of them."""

    height: int
    boxes: Mapping[str, Distinct]  #: per quasi-identifier, what each class publishes
    others: Mapping[
        str, Distinct
    ]  #: per other column, the published value of each code, and how often it occurs
    names: tuple[str, ...]
    sizes: NDArray[np.int64]  #: rows of each class
    times: Mapping[str, NDArray[np.int64]]  #: rows of each code of the other columns
    least: Mapping[
        str, int
    ]  #: rows in the smallest class when a column is known besides, where it was counted
    layout: Layout
    rows: Buckets = field(repr=False)
    mixer: Mixer = field(repr=False)
    budget: Budget = field(repr=False)
    people: int  #: how many people there are, where they are told apart by a word behind each row; else 0
    check: Callable[[], None] = field(repr=False)  #: refuses a source that changed since it was counted

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """The columns in order, and their types."""
        return {name: self._values(name).dtype for name in self.names}

    @property
    def frame(self) -> Any:
        """Rows that did not fit into memory are not handed out as one frame."""
        raise RequestError(
            "the released rows are not in memory. Save the release, and read what is needed of it."
        )

    def counts(self, name: str) -> ValueCounts:
        """The values of a column as text and how often each occurs."""
        values, times = self._counted(name)
        missing = int(times[-1])
        shown = times[:-1] > 0
        values = values.filter(pl.Series(shown))
        found = np.append(times[:-1][shown], missing) if missing else times[:-1][shown]
        return count_texts(values.extend_constant(None, 1) if missing else values, found)

    def values(self, name: str) -> pl.DataFrame:
        """The distinct values of a column and how often each occurs, missing left out."""
        values, times = self._counted(name)
        return pl.DataFrame({name: values, "count": times[:-1]}).filter(pl.col("count") > 0)

    def class_sizes(self, quasi: Sequence[str]) -> NDArray[np.int64]:
        """How many rows each class has."""
        return self.sizes[self.sizes > 0]

    def smallest_known(self, quasi: Sequence[str], stars: Sequence[str | None]) -> dict[str, int]:
        """Rows in the smallest class when each single column is known besides the quasi-identifiers."""
        out = {}
        for name, times in self.times.items():
            sizes = (records for _, records in self._sizes([name]))
            once = (times == 1).any()
            out[name] = (
                1
                if once
                else self.least[name]
                if name in self.least
                else min((int(found.min()) for found in sizes), default=self.height)
            )
        return {name: out[name] for name in self.names if name in out}

    def known(self, columns: Sequence[str], promised: int) -> tuple[int, int]:
        """The smallest class with these columns known, and the rows in classes smaller than promised; people count."""
        least, below = self.height, 0
        for people, records in self._sizes(columns, people=self.people > 0):
            least = min(least, int(people.min()))
            below += int(records[people < promised].sum())
        return least, below

    def write(self, path: Path, *, safe: bool) -> None:
        """Write a csv or parquet file, as it goes."""
        self.check()
        values = {name: self._values(name) for name in self.names}
        codes, room = self._published(PIECE), self.budget.left() // _SHARE
        if path.suffix != ".csv" or not write_csv(values, codes, path, safe=safe, room=room):
            write_rows(self.pieces(listed=path.suffix != ".csv"), path, self.schema, safe=safe)
        self.check()

    def pieces(self, *, listed: bool = False) -> Iterator[pl.DataFrame]:
        """The rows in their order, a piece at a time; `listed`: texts are `enumerated`."""
        height = self.budget.left() // (_WRITTEN * len(self.names))
        values = [self._values(name) for name in self.names]
        if listed:
            values = [enumerated(each) for each in values]
        for codes in self._published(min(max(height, 1000), PIECE)):
            yield pl.DataFrame(
                [Distinct(*column).series(name) for name, column in zip(self.names, zip(codes, values))]
            )

    def _published(self, height: int) -> Iterator[list[NDArray[np.int32]]]:
        """The codes of the published values of every column, a piece at a time."""
        places = {name: 1 + place for place, name in enumerate(self.others)}
        for codes in self._codes(height):
            yield [
                self.boxes[name].codes[codes[0]]
                if name in self.boxes
                else self.others[name].codes[codes[places[name]]]
                for name in self.names
            ]

    def _codes(self, height: int = PIECE) -> Iterator[list[NDArray[np.int64]]]:
        """Of rows in their order, a piece at a time: the class, the code of every other column, the person if known."""
        for bucket in self.rows.in_order():
            for start in range(0, len(bucket), height):
                some = bucket[start : start + height]
                rows = self.mixer.unmix(some[:, : self.layout.words])
                codes = [self.layout.unpack(rows, i) for i in range(len(self.layout.places))]
                yield [*codes, some[:, -1].astype(np.int64)] if self.people else codes

    def _sizes(
        self, columns: Sequence[str], *, people: bool = False
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """How many people, and rows, share a class and the values of some columns; in parts, no group in two."""
        names = list(self.others)
        places = [0, *(1 + names.index(name) for name in columns)]
        spans = [len(self.sizes), *(len(self.times[name]) for name in columns)]
        layout, mixer = Layout.of(spans), Mixer.of(_COUNTED)
        groups = Buckets(self.height, layout.words + people, memory=self.budget.left() // _SHARE)
        for codes in self._codes():
            packed = layout.pack([codes[place] for place in places], len(codes[0]))
            groups.put(_with_word(mixer.mix(packed), codes[-1] if people else None))
        for rows in groups.in_order():
            if len(rows):
                changes = rows[1:] != rows[:-1]
                edges = np.append(True, changes[:, : layout.words].any(axis=1))
                begins = np.flatnonzero(edges)
                records = np.diff(begins, append=len(rows))
                once = np.append(True, changes.any(axis=1))
                yield np.add.reduceat(once.astype(np.int64), begins) if people else records, records

    def _values(self, name: str) -> pl.Series:
        return (self.boxes[name] if name in self.boxes else self.others[name]).values

    def _counted(self, name: str) -> tuple[pl.Series, NDArray[np.int64]]:
        """The published values of a column and how often each occurs, missing last."""
        known, times = (
            (self.boxes[name], self.sizes) if name in self.boxes else (self.others[name], self.times[name])
        )
        codes = np.where(known.codes < 0, len(known.values), known.codes)
        return known.values, sum_by(codes, times, len(known.values) + 1)


def store_rows(
    engine: Engine, places: Places, *, seed: int, check: Callable[[], None], told: Told | None = None
) -> StoredRows:
    """Read the rows of an engine once, and keep what becomes of them."""
    by = [KnownValues.of(places.tuples[name]) for name in places.tuples.columns]
    finder = Finder(
        [known.codes(places.tuples[name]) for known, name in zip(by, places.tuples.columns)],
        [known.size for known in by],
        places.tuples.height,
    )
    dictionaries = dict(zip(places.tuples.columns, by))
    rest = [name for name in places.others if name not in dictionaries]
    if rest:
        found = engine.count(*([name] for name in rest))
        dictionaries |= {name: KnownValues.of(counted[name]) for name, counted in zip(rest, found)}
    shown = {name: dictionaries[name] for name in places.others}
    people = 0 if places.unit is None else dictionaries[places.unit].size
    keeper = _Keeper(engine.budget, places, shown, people, Mixer.of(seed))
    wanted = list(dict.fromkeys([*places.tuples.columns, *rest]))
    for piece in engine.pieces(wanted, told=told):
        codes = {name: dictionaries[name].codes(piece[name]) for name in wanted}
        n = len(codes[wanted[0]])
        of_tuple = finder.find([codes[name] for name in places.tuples.columns], n)
        if n and of_tuple.min() < 0:
            raise FileError(CHANGED)
        unit = None if places.unit is None else codes[places.unit]
        keeper.take(of_tuple, [codes[name] for name in places.others], unit)
    keeper.deal_out()
    check()
    return keeper.close(check)


class _Keeper:
    """Takes rows in as they come: those with one class at once, the others when all are there."""

    def __init__(
        self,
        budget: Budget,
        places: Places,
        dictionaries: Mapping[str, KnownValues],
        people: int,
        mixer: Mixer,
    ) -> None:
        self.places, self.people, self.mixer, self.budget = places, people, mixer, budget
        self.others = {name: _published(places, name, known.values) for name, known in dictionaries.items()}
        sizes = [len(one.values) + 1 for one in self.others.values()]
        self.times = [np.zeros(size, dtype=np.int64) for size in sizes]
        memory = budget.left()
        # Values are counted in each class while there is room, else in some: where one is alone there, that is all.
        room, classes = memory // _COUNTS // 4, len(places.sizes)
        watched = [classes if classes * size <= room else room // _SOME // size for size in sizes]
        self.by_class = [
            np.zeros((some if places.height < 2**31 else 0, size), dtype=np.int32)
            for some, size in zip(watched, sizes)
        ]
        self.seen = np.zeros(places.tuples.height, dtype=np.int64)
        first = np.searchsorted(places.of_tuple, np.arange(places.tuples.height + 1))
        self.first, several = first, np.diff(first) > 1
        self.only = np.where(several, -2, places.classes[np.minimum(first[:-1], len(places.classes) - 1)])
        self.records = sum_by(places.of_tuple, places.records, places.tuples.height)
        self.layout = Layout.of([len(places.sizes), *sizes])
        self.waiting_layout = Layout.of(sizes)
        hidden = int(people > 0)
        self.rows = Buckets(places.height, self.layout.words + hidden, memory=memory // _SHARE)
        waiting, words = int(self.records[several].sum()), 1 + self.waiting_layout.words + hidden
        self.waiting = Buckets(waiting, words, memory=memory // _SHARE)

    def take(
        self, of_tuple: NDArray[np.int32], codes: Sequence[NDArray[np.int32]], unit: NDArray[np.int32] | None
    ) -> None:
        """Some rows, by their tuple and the codes of their other columns."""
        np.add.at(self.seen, of_tuple, 1)
        shown = [_missing_last(known)[each] for known, each in zip(self.others.values(), codes)]
        classes = self.only[of_tuple]
        wait = classes == -2
        if wait.any():
            packed = self.waiting_layout.pack([each[wait] for each in shown], int(wait.sum()))
            who = self.mixer.mix(of_tuple[wait].astype(np.uint64)[:, None])
            mixed = np.concatenate([who, self.mixer.mix(packed)], axis=1)
            self.waiting.put(_with_word(mixed, None if unit is None else unit[wait]))
        kept = classes >= 0
        self._keep(classes[kept], [each[kept] for each in shown], None if unit is None else unit[kept])

    def _keep(
        self, classes: NDArray[Any], codes: Sequence[NDArray[Any]], unit: NDArray[np.integer[Any]] | None
    ) -> None:
        for times, each in zip(self.times, codes):
            times += np.bincount(each, minlength=len(times))
        for counts, each in zip(self.by_class, codes):
            if len(counts) < len(self.places.sizes):
                mine = np.flatnonzero(classes < len(counts))
                np.add.at(counts, (classes[mine], each[mine]), np.int32(1))
            else:
                np.add.at(counts.reshape(-1), classes.astype(np.int64) * counts.shape[1] + each, np.int32(1))
        self.rows.put(_with_word(self.mixer.mix(self.layout.pack([classes, *codes], len(classes))), unit))

    def deal_out(self) -> None:
        """Give the rows of tuples with several classes to these, in the order of what else they hold."""
        if (self.seen != self.records).any():
            raise FileError(CHANGED)
        for bucket in self.waiting.in_order():
            if not len(bucket):
                continue
            begins = np.flatnonzero(np.append(True, bucket[1:, 0] != bucket[:-1, 0]))
            who = self.mixer.unmix(bucket[begins][:, :1])[:, 0].astype(np.int64)
            lengths = self.first[who + 1] - self.first[who]
            ends = np.cumsum(lengths)
            parts = np.arange(int(ends[-1])) + np.repeat(self.first[who] - (ends - lengths), lengths)
            classes = np.repeat(self.places.classes[parts], self.places.records[parts])
            for start in range(0, len(bucket), PIECE):
                some = slice(start, start + PIECE)
                kept = classes[some] >= 0
                mine = bucket[some][kept]
                rest = self.mixer.unmix(mine[:, 1 : 1 + self.waiting_layout.words])
                codes = [self.waiting_layout.unpack(rest, i) for i in range(len(self.others))]
                self._keep(classes[some][kept], codes, mine[:, -1] if self.people else None)

    def close(self, check: Callable[[], None]) -> StoredRows:
        """What was kept."""
        left_out = self.places.height < int(self.records.sum())
        boxes, others = {}, {}
        for (
            name,
            box,
        ) in self.places.boxes.items():  # nor are labels there that only classes have without rows
            seen = used(Distinct(np.where(self.places.sizes > 0, box.codes, -1).astype(np.int32), box.values))
            boxes[name] = Distinct(seen.codes, alone(seen.values, left_out=left_out))
        for (name, known), times in zip(self.others.items(), self.times):
            shown = times[:-1] > 0  # values that only rows have that were left out are gone
            codes = np.append(np.where(shown, np.cumsum(shown) - 1, -1), -1).astype(np.int32)
            others[name] = Distinct(codes, alone(known.values.filter(pl.Series(shown)), left_out=left_out))
        return StoredRows(
            self.places.height,
            boxes,
            others,
            self.places.names,
            self.places.sizes,
            dict(zip(self.others, self.times)),
            self._least(),
            self.layout,
            self.rows,
            self.mixer,
            self.budget,
            self.people,
            check,
        )

    def _least(self) -> dict[str, int]:
        """Rows in the smallest class when a column is known besides, where what was counted tells."""
        out = {}
        for name, counts in zip(self.others, self.by_class):
            least = int(counts[counts > 0].min(initial=self.places.height))
            if least == 1 or len(counts) == len(self.places.sizes):
                out[name] = least
        return out


def _published(places: Places, name: str, values: pl.Series) -> Distinct:
    """What is published of each value of a column: places among the published values, in their order."""
    now = values
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


def _with_word(rows: Words, word: NDArray[np.integer[Any]] | None) -> Words:
    """Rows with one more word behind, which is carried along and sorts rows only that tie in all others."""
    return rows if word is None else np.concatenate([rows, word.astype(np.uint64)[:, None]], axis=1)


def _missing_last(known: Distinct) -> NDArray[np.int32]:
    """The published code of each code, missing being the last one on both sides."""
    codes = np.where(known.codes < 0, len(known.values), known.codes)
    return np.append(codes, len(known.values)).astype(np.int32)
