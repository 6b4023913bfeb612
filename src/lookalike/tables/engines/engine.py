"""An engine: where rows are, and the few things that are done to them there.

`describe` names the columns, `count` gives distinct tuples and how often each occurs, `sample` a few rows to look at,
`pieces` all of them a piece at a time, `release` carries out what was decided about tuples, `fingerprint` changes with
the rows, `hold` keeps what is needed again. Everything else sees tuples, counts and codes. A database can besides
`apply` a recoding to its rows by a join, and make a new table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.tables.coded import RowsElsewhere
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.naming import named
from lookalike.tables.columns.notation import STAR
from lookalike.tables.engines.budget import Budget

TIMES = "how often"  #: the last column of what `count` gives
MOST_TUPLES = 50_000_000  #: distinct tuples that are taken into memory, unless told otherwise

#: called with how many more rows were passed, and which share of all, 0 if unknown
OnRows = Callable[[int, float], None]
Piece = pl.DataFrame | Mapping[str, Distinct]  #: some rows: a frame, or what was read of a text file


@dataclass(frozen=True, eq=False)
class Places:
    """What becomes of rows: which class a tuple belongs to, and what is published.

    Of the tuple `of_tuple[i]`, `records[i]` records go to the class `classes[i]`, -1 being held back; where a tuple
    goes to several classes, which record goes where is decided by what else it holds.
    """

    tuples: (
        pl.DataFrame
    )  #: the columns by which a row finds its class, one line per tuple, all that were counted
    of_tuple: NDArray[np.int32]
    classes: NDArray[np.int32]
    records: NDArray[np.int64]
    boxes: Mapping[
        str, Distinct
    ]  #: what each class publishes of a quasi-identifier, or of a column that follows one
    names: tuple[str, ...]  #: columns to publish
    spelt: Mapping[str, tuple[pl.Series, pl.Series]] = field(
        default_factory=dict
    )  #: columns of which values are published otherwise: value, and what is published of it
    unit: str | None = None  #: which of the tuples' columns tells people apart
    followed: tuple[str, ...] = ()  #: columns of `boxes` that are no quasi-identifiers
    stars: int | None = None  #: the class of rows that are kept as stars, of which nothing else is published
    made: Mapping[str, tuple[pl.DataFrame, pl.Series]] = field(
        default_factory=dict
    )  #: columns that are made from others: all tuples of those, and what is published for each
    na: tuple[str, ...] = ()  #: spellings of a missing value, which is published as one

    @cached_property
    def height(self) -> int:
        """How many records are published."""
        return int(self.records[self.classes >= 0].sum())

    @property
    def split(self) -> bool:
        """Whether records of one tuple go to several classes."""
        return len(self.of_tuple) > self.tuples.height

    @property
    def others(self) -> list[str]:
        """Published columns that are no quasi-identifiers."""
        return [name for name in self.names if name not in self.boxes]

    @property
    def as_they_are(self) -> list[str]:
        """Published columns of which values are published as they are, or as missing."""
        return [name for name in self.others if name not in self.spelt and name not in self.made]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each class has."""
        out = np.zeros(int(self.classes.max(initial=-1)) + 1, dtype=np.int64)
        kept = self.classes >= 0
        np.add.at(out, self.classes[kept], self.records[kept])
        return out

    @cached_property
    def blank(self) -> NDArray[np.bool_]:
        """Which classes say nothing about anybody, where rows are kept as stars."""
        out = np.full(len(self.sizes), self.stars is not None)
        for name, box in self.boxes.items():
            if name not in self.followed:
                text = box.values.dtype == pl.String
                star = np.append(
                    box.values.eq(STAR).to_numpy() if text else np.zeros(len(box.values)), not text
                )
                out &= star[box.codes].astype(bool)
        return out


CLASS = "class of the row"  #: the last column of rows that were applied; it is counted by, never written
PERSON = "person of the row"  #: another one, where people have several rows


class Rows(Protocol):
    """Rows that can be counted, and read a piece at a time."""

    @property
    def budget(self) -> Budget:
        """How much memory may be taken."""

    def count(self, *groups: Sequence[str], on_rows: OnRows | None = None) -> list[pl.DataFrame]:
        """Of each group of columns, the distinct tuples, in no order, and how often each occurs."""

    def pieces(self, columns: Sequence[str], *, on_rows: OnRows | None = None) -> Iterator[Piece]:
        """Some columns of all rows, a piece at a time, as engines agree on them."""


class Engine(Rows, Protocol):
    """Rows somewhere."""

    name: str

    def describe(self) -> dict[str, pl.DataType]:
        """The columns and their types."""

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """About this share of the rows, chosen by what they hold, not by their place."""

    def fingerprint(self) -> str:
        """Changes when the rows do, as far as can be told without reading them."""

    def hold(self, counted: Sequence[str], besides: Sequence[str]) -> Engine:
        """The same rows, of which these columns are needed more than once; the engine itself if that costs nothing."""

    def release(
        self, places: Places, *, seed: int, check: Callable[[], None], on_rows: OnRows | None = None
    ) -> RowsElsewhere:
        """The rows that stay, with what is published of them; `check` refuses rows that changed since counting."""


class Database(Engine, Protocol):
    """Rows that a database recodes where they are."""

    def apply(self, places: Places, *, seed: int) -> Database:
        """The rows that stay, with what is published of them."""

    def rarest(
        self, columns: Sequence[str], below: int, *, people: bool = False, but: Sequence[int] = ()
    ) -> tuple[int, int]:
        """How often the rarest tuple of applied rows occurs, and how many rows have one that occurs less than `below`.

        people: how many people have it. but: classes that are left out.
        """

    def ordered(self, seed: int) -> Any:
        """The rows in an order given by their content and the seed."""

    def create(self, table: str, *, seed: int) -> None:
        """Write the rows to a new table, whole or not at all."""

    def drop(self, table: str) -> None:
        """Take a table away again."""


def plain(rows: pl.DataFrame | pl.LazyFrame) -> list[pl.Expr]:
    """Columns as engines agree on them: categories as texts, moments in universal time, one zero and one NaN."""
    out = []
    for name, kind in rows.collect_schema().items():
        column = named(name)
        if isinstance(kind, pl.Enum | pl.Categorical):
            column = column.cast(pl.String)
        elif isinstance(kind, pl.Datetime):
            column = column.dt.convert_time_zone("UTC") if kind.time_zone else column
            column = column.dt.cast_time_unit("us")
        elif kind.is_float():
            column = column.cast(pl.Float64)
            column = pl.when(column == 0).then(0.0).otherwise(column)  # Polars takes + 0.0 for nothing
        out.append(column.alias(name))
    return out


def as_frame(piece: Piece) -> pl.DataFrame:
    """Some rows as a frame."""
    if isinstance(piece, pl.DataFrame):
        return piece
    return pl.DataFrame([column.series(name) for name, column in piece.items()])


def too_many(found: str, most: int, worst: str) -> RequestError:
    """The error for more tuples than may be taken into memory, with the column to coarsen."""
    return RequestError(
        f"{found} distinct tuples are more than the {most:,} that may be taken into memory. Coarsen a column before "
        f"they are counted ({worst!r} has most values), or allow more with `most`."
    )
