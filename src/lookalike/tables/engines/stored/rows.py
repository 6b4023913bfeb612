"""Released rows as codes, sorted by a keyed mixture of what they hold: neither place nor order of files tells anything.

One pass over the original finds each row's class and keeps the codes of what is published (`keeping.py`). A row takes
a few bits a column; beyond `memory` they are on disk. O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.tables.coded import PIECE, ValueCounts, count_texts, enumerated, used, write_rows
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.grouping import sum_by
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.engine import OnRows, Places, Rows
from lookalike.tables.engines.stored.buckets import Buckets
from lookalike.tables.engines.stored.keeping import Counted, Keeper, Keeping, plan_keeping, with_word
from lookalike.tables.engines.stored.packing import Layout, Mixer, Words
from lookalike.tables.lines import write_csv
from lookalike.tables.sources.traces import alone

_SHARE = 8  # the part of the memory that sorted rows may take
_WRITTEN = (
    512  # bytes that a value takes on its way into a file, those of the pieces before and after it included
)
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
    followed: tuple[str, ...]  #: columns of `boxes` that are no quasi-identifiers
    stars: int | None  #: the class of rows that are kept as stars
    blank: NDArray[np.bool_]  #: classes that say nothing, where there are such rows
    check: Callable[[], None] = field(repr=False)  #: refuses a source that changed since it was counted

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """The columns in order, and their types."""
        return {name: self.listed(name).dtype for name in self.names}

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
        return pl.DataFrame({"value": values, "count": times[:-1]}).filter(pl.col("count") > 0)

    def class_sizes(self, quasi: Sequence[str]) -> NDArray[np.int64]:
        """How many rows each class has."""
        shown = self.sizes[~self.blank]
        return np.append(shown[shown > 0], [self.sizes[self.blank].sum()] if self.blank.any() else shown[:0])

    def smallest_known(self, quasi: Sequence[str], stars: Sequence[str | None]) -> dict[str, int]:
        """Rows in the smallest class when each single column is known besides the quasi-identifiers."""
        shown = self.sizes[~self.blank & (self.sizes > 0)]
        out = dict.fromkeys(self.followed, int(shown.min(initial=self.height)))
        for name, times in self.times.items():
            if self.stars is None and (times == 1).any():
                out[name] = 1
            else:
                out[name] = (
                    self.least[name] if name in self.least else self._rarest([name], 0, blank=False)[0]
                )
        return {name: out[name] for name in self.names if name in out}

    def known(self, columns: Sequence[str], promised: int) -> tuple[int, int]:
        """The smallest class with these columns known, and the rows in classes smaller than promised; people count."""
        rest = [name for name in columns if name not in self.boxes]  # these follow from the class
        return self._rarest(rest, promised, people=self.people > 0)

    def write(self, path: Path, *, safe: bool) -> None:
        """Write a csv or parquet file, as it goes."""
        self.check()
        values = {name: self.listed(name) for name in self.names}
        codes, room = self._published(PIECE), self.budget.left() // _SHARE
        if path.suffix != ".csv" or not write_csv(values, codes, path, safe=safe, room=room):
            write_rows(self.pieces(listed=path.suffix != ".csv"), path, self.schema, safe=safe)
        self.check()

    def pieces(self, *, listed: bool = False) -> Iterator[pl.DataFrame]:
        """The rows in their order, a piece at a time; `listed`: texts are `enumerated`."""
        height = self.budget.left() // (_WRITTEN * len(self.names))
        values = [self.listed(name) for name in self.names]
        if listed:
            values = [enumerated(each) for each in values]
        for codes in self._published(min(max(height, 1000), PIECE)):
            columns = zip(self.names, codes, values, strict=True)
            yield pl.DataFrame([Distinct(some, every).series(name) for name, some, every in columns])

    def _published(self, height: int) -> Iterator[list[NDArray[np.int32]]]:
        """The codes of the published values of every column, a piece at a time."""
        for bucket in self.rows.in_order():
            for start in range(0, len(bucket), height):
                yield self.shown(bucket[start : start + height])

    def shown(self, rows: Words) -> list[NDArray[np.int32]]:
        """The codes of the published values of every column of some rows."""
        codes, places = self._unpack(rows), {name: 1 + place for place, name in enumerate(self.others)}
        return [
            self.boxes[name].codes[codes[0]]
            if name in self.boxes
            else self.others[name].codes[codes[places[name]]]
            for name in self.names
        ]

    def listed(self, name: str) -> pl.Series:
        """The values that are published of a column."""
        return (self.boxes[name] if name in self.boxes else self.others[name]).values

    @property
    def width(self) -> int:
        """Words of a row."""
        return self.layout.words + (self.people > 0)

    def _unpack(self, some: Words) -> list[NDArray[np.int64]]:
        """The class, the code of every other column, the person if known."""
        rows = self.mixer.unmix(some[:, : self.layout.words])
        codes = [self.layout.unpack(rows, i) for i in range(len(self.layout.places))]
        return [*codes, some[:, -1].astype(np.int64)] if self.people else codes

    def _rarest(
        self, columns: Sequence[str], below: int, *, people: bool = False, blank: bool = True
    ) -> tuple[int, int]:
        """The fewest people, or rows, that share a class and some values, and the rows of groups below a limit.

        Rows kept as stars share nothing; `blank`: other classes that say as little are looked at.
        """
        pack, words = self.packing(columns, people=people, blank=blank)
        groups = Buckets(self.height, words, memory=self.budget.left() // _SHARE)
        for bucket in self.rows.in_order():
            for start in range(0, len(bucket), PIECE):
                groups.put(pack(bucket[start : start + PIECE]))
        least, found = self.height, 0
        for rows in groups.in_order():
            few, some = rarest_rows(rows, below, people=people)
            least, found = min(least, few), found + some
        return least, found

    def packing(
        self, columns: Sequence[str], *, people: bool, blank: bool
    ) -> tuple[Callable[[Words], Words], int]:
        """How rows become mixed words of their class, some columns and the person, and how many words these are."""
        names = list(self.others)
        places = [0, *(1 + names.index(name) for name in columns)]
        spans = [len(self.sizes), *(len(self.times[name]) for name in columns)]
        layout, mixer = Layout.of(spans), Mixer.of(_COUNTED)

        gone = np.arange(len(self.sizes)) == self.stars if blank else self.blank

        def pack(rows: Words) -> Words:
            codes = self._unpack(rows)
            if self.stars is not None:
                stays = ~gone[codes[0]]
                codes = [each[stays] for each in codes]
            packed = layout.pack([codes[place] for place in places], len(codes[0]))
            return with_word(mixer.mix(packed), codes[-1] if people else None)

        return pack, layout.words + people

    def _counted(self, name: str) -> tuple[pl.Series, NDArray[np.int64]]:
        """The published values of a column and how often each occurs, missing last."""
        known, times = (
            (self.boxes[name], self.sizes) if name in self.boxes else (self.others[name], self.times[name])
        )
        codes = np.where(known.codes < 0, len(known.values), known.codes)
        return known.values, sum_by(codes, times, len(known.values) + 1)


def store_rows(
    engine: Rows, places: Places, *, seed: int, check: Callable[[], None], on_rows: OnRows | None = None
) -> StoredRows:
    """Read the rows of an engine once, and keep what becomes of them."""
    keeping = plan_keeping(engine, places, seed=seed)
    memory = engine.budget.left()
    rows = Buckets(places.height, keeping.words, memory=memory // _SHARE)
    waiting = Buckets(keeping.waiting, keeping.waiting_words, memory=memory // _SHARE)
    keeper = Keeper(keeping, rows, waiting, room=memory // _COUNTS // 4)
    for piece in engine.pieces(keeping.columns, on_rows=on_rows):
        keeper.take(piece)
    keeping.refuse_changed(keeper.counted)
    for bucket in waiting.in_order():
        keeper.deal_out(bucket)
    check()
    return StoredRows(**kept_rows(keeping, keeper.counted), rows=rows, budget=engine.budget, check=check)


def kept_rows(keeping: Keeping, counted: Counted) -> dict[str, Any]:
    """What `StoredRows` says of rows that were kept: what is published, and how often."""
    places = keeping.places
    left_out = places.stars is not None or places.height < int(keeping.records.sum())
    boxes, others = {}, {}
    for name, box in places.boxes.items():  # nor are labels there that only classes have without rows
        seen = used(Distinct(np.where(places.sizes > 0, box.codes, -1).astype(np.int32), box.values))
        boxes[name] = Distinct(seen.codes, alone(seen.values, left_out=left_out))
    for (name, known), times in zip(keeping.others.items(), counted.times, strict=True):
        shown = times[:-1] > 0  # values that only rows have that were left out are gone
        codes = np.append(np.where(shown, np.cumsum(shown) - 1, -1), -1).astype(np.int32)
        others[name] = Distinct(codes, alone(known.values.filter(pl.Series(shown)), left_out=left_out))
    return {
        "height": places.height,
        "boxes": boxes,
        "others": others,
        "names": places.names,
        "sizes": places.sizes,
        "times": dict(zip(keeping.others, counted.times, strict=True)),
        "least": keeping.least(counted),
        "layout": keeping.layout,
        "mixer": keeping.mixer,
        "people": keeping.people,
        "followed": places.followed,
        "stars": places.stars,
        "blank": places.blank,
    }


def rarest_rows(rows: Words, below: int, *, people: bool) -> tuple[int, int]:
    """Of sorted rows the fewest that are alike, and how many are in smaller groups than that; people by a last word."""
    if not len(rows):
        return 2**63 - 1, 0
    changes = rows[1:] != rows[:-1]
    edges = np.append(True, changes[:, : rows.shape[1] - people].any(axis=1))
    begins = np.flatnonzero(edges)
    records = np.diff(begins, append=len(rows))
    once = np.append(True, changes.any(axis=1))
    sizes = np.add.reduceat(once.astype(np.int64), begins) if people else records
    return int(sizes.min()), int(records[sizes < below].sum())
