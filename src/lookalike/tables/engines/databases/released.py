"""Released rows that stay in a database: all that a certificate and a report ask of them is counted there, in SQL.

One pass counts the values of every column, a second one the values of each column in each class, where no value of the
column is somebody's alone (else the smallest class is that one row). Only a file needs the rows themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import FileError
from lookalike.tables.coded import ValueCounts, count_texts
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.naming import named
from lookalike.tables.engines.engine import CLASS, TIMES, Database, Places, as_frame
from lookalike.tables.engines.stored.known_values import CHANGED
from lookalike.tables.engines.stored.rows import store_rows


@dataclass(frozen=True, eq=False)
class DatabaseRows:
    """Rows that a database recodes when they are asked for, and what was counted of them."""

    source: Database = field(repr=False)  #: the original
    applied: Database = field(repr=False)
    places: Places = field(repr=False)
    schema: dict[str, pl.DataType]
    seed: int
    check: Callable[[], None] = field(repr=False)  #: refuses a source that changed since it was counted
    _values: dict[str, pl.DataFrame] = field(repr=False)  #: column -> its values and how often each occurs
    _known: dict[str, int] = field(repr=False)

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.places.height

    @property
    def frame(self) -> Any:
        """The rows, as the database hands them out."""
        return self.applied.ordered(self.seed)

    def pieces(self) -> Iterator[pl.DataFrame]:
        """The rows, a piece at a time."""
        return (as_frame(piece) for piece in self.applied.pieces(list(self.schema)))

    def counts(self, name: str) -> ValueCounts:
        """The values of a column as text and how often each occurs."""
        found = self._values[name]
        return count_texts(found[name], found[TIMES].to_numpy())

    def values(self, name: str) -> pl.DataFrame:
        """The distinct values of a column and how often each occurs, missing left out."""
        found = self._values[name]
        return pl.DataFrame({"value": found[name], "count": found[TIMES]}).drop_nulls("value")

    def class_sizes(self, quasi: Sequence[str]) -> NDArray[np.int64]:
        """How many rows each class has."""
        sizes, blank = self.places.sizes, self.places.blank
        shown = sizes[~blank]
        return np.append(shown[shown > 0], [sizes[blank].sum()] if blank.any() else shown[:0])

    def smallest_known(self, quasi: Sequence[str], stars: Sequence[str | None]) -> dict[str, int]:
        """Rows in the smallest class when each single column is known besides the quasi-identifiers."""
        return dict(self._known)

    def known(self, columns: Sequence[str], promised: int) -> tuple[int, int]:
        """The smallest class with these columns known, and the rows in classes smaller than promised."""
        asked = [
            CLASS,
            *(name for name in columns if name not in self.places.boxes),
        ]  # these follow from the class
        but = [] if self.places.stars is None else [self.places.stars]
        return self.applied.rarest(asked, promised, people=self.places.unit is not None, but=but)

    def create(self, table: str) -> None:
        """Write the rows to a new table where the original is."""
        self.check()
        self.applied.create(table, seed=self.seed)
        try:
            self.check()
        except FileError:
            self.applied.drop(table)
            raise

    def drop(self, table: str) -> None:
        """Take a table away again."""
        self.applied.drop(table)

    def write(self, path: Path, *, safe: bool) -> None:
        """Write a csv or parquet file: the one that the same rows in files would give."""
        self.check()
        store_rows(self.source, self.places, seed=self.seed, check=self.check).write(path, safe=safe)


def release_rows(database: Database, places: Places, *, seed: int, check: Callable[[], None]) -> DatabaseRows:
    """Recode the rows of a database, and count what comes out."""
    applied = database.apply(places, seed=seed)
    schema = {name: kind for name, kind in applied.describe().items() if name in places.names}
    values = {name: _values_of(name, box, places.sizes) for name, box in places.boxes.items()}
    others = places.others
    values |= dict(zip(others, applied.count(*([name] for name in others)) if others else (), strict=True))
    shown = places.sizes[~places.blank & (places.sizes > 0)]
    least = dict.fromkeys(places.followed, int(shown.min(initial=places.height)))
    least |= {name: _rarest_with(name, applied, places, values[name]) for name in others}
    known = {name: least[name] for name in places.names if name in least}
    check()
    if any(int(found[TIMES].sum()) != places.height for found in values.values()):
        raise FileError(CHANGED)
    return DatabaseRows(database, applied, places, schema, seed, check, values, known)


def _rarest_with(name: str, applied: Database, places: Places, values: pl.DataFrame) -> int:
    """Rows in the smallest class when a column is known besides; no pair is counted where one value tells."""
    if places.stars is None and (values[TIMES] == 1).any():
        return 1
    but = np.flatnonzero(places.blank).tolist()
    if len(but) == (places.sizes > 0).sum():
        return places.height
    return applied.rarest([CLASS, name], 0, but=but)[0]


def _values_of(name: str, box: Distinct, sizes: NDArray[np.int64]) -> pl.DataFrame:
    """What the classes publish of a column, and how often it occurs."""
    rows = pl.DataFrame([box.series(name), pl.Series(TIMES, sizes)]).filter(pl.col(TIMES) > 0)
    return rows.group_by(named(name)).agg(pl.col(TIMES).sum())
