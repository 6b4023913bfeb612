"""Released rows that stay where the original is: all that a certificate and a report ask of them, counted there.

One pass counts the values of every column, a second one the values of each column in each class, where no value of the
column is somebody's alone (else the smallest class is that one row). Cost: two passes over the released rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.engines.engine import CLASS, NOW, TIMES, Engine, Places
from lookalike.errors import FileError, RequestError
from lookalike.sources.files import UNREADABLE
from lookalike.tables.coded import ValueCounts, count_texts


@dataclass(frozen=True, eq=False)
class FarRows:
    """Rows that an engine recodes when they are asked for, and what was counted of them."""

    engine: Engine
    height: int
    schema: dict[str, pl.DataType]
    seed: int
    check: Callable[[], None] = field(repr=False)  #: refuses a source that changed since it was counted
    _values: dict[str, pl.DataFrame] = field(repr=False)  #: column -> its values and how often each occurs
    _sizes: NDArray[np.int64] = field(repr=False)  #: rows of each class
    _known: dict[str, int] = field(repr=False)

    @property
    def frame(self) -> Any:
        """The rows, where the engine can hand them out."""
        ordered = getattr(self.engine, "ordered", None)
        if ordered is None:
            raise RequestError(
                "the released rows are not in memory. Save the release, and read what is needed of it."
            )
        return ordered(self.seed)

    def counts(self, name: str) -> ValueCounts:
        """The values of a column as text and how often each occurs."""
        found = self._values[name]
        return count_texts(found[name], found[TIMES].to_numpy())

    def values(self, name: str) -> pl.DataFrame:
        """The distinct values of a column and how often each occurs, missing left out."""
        return self._values[name].rename({TIMES: "count"}).drop_nulls(name)

    def class_sizes(self, quasi: Sequence[str]) -> NDArray[np.int64]:
        """How many rows each class has."""
        return self._sizes

    def smallest_known(self, quasi: Sequence[str], stars: Sequence[str | None]) -> dict[str, int]:
        """Rows in the smallest class when each single column is known besides the quasi-identifiers."""
        return dict(self._known)

    def known(self, columns: Sequence[str], promised: int) -> tuple[int, int]:
        """The smallest class with these columns known, and the rows in classes smaller than promised."""
        times = self.engine.count([CLASS, *columns])[0][TIMES].to_numpy()
        return int(times.min()), int(times[times < promised].sum())

    def create(self, table: str) -> None:
        """Write the rows to a new table where the original is."""
        engine: Any = self.engine
        if not hasattr(engine, "create"):
            raise RequestError(
                "the rows are in files, so there is no database to write a table to. Save the release."
            )
        self.check()
        engine.create(table, seed=self.seed)
        try:
            self.check()
        except FileError:
            engine.drop(table)
            raise

    def write(self, path: Path, *, safe: bool) -> None:
        """Write a csv or parquet file."""
        if safe:
            raise RequestError("a table that is not in memory cannot be made safe for spreadsheets.")
        self.check()
        try:
            written = self.engine.write(path, seed=self.seed)
        except UNREADABLE as problem:
            raise FileError(
                f"{path}: cannot be written ({type(problem).__name__}). Is the disk full?"
            ) from None
        self.check()
        if written != self.height:
            raise FileError("the table changed while it was written. Nothing was released; start again.")


def release_rows(
    engine: Engine,
    places: Places,
    times: NDArray[np.int64],
    *,
    quasi: Sequence[str],
    seed: int,
    check: Callable[[], None],
) -> FarRows:
    """Recode the rows of an engine by places, whose tuples occur so often, and count what comes out."""
    applied = engine.apply(places)
    schema = {name: kind for name, kind in applied.describe().items() if name != CLASS}
    tuples = places.tuples.with_columns(pl.Series(TIMES, times))
    sizes = tuples.group_by(CLASS).agg(pl.col(TIMES).sum())[TIMES].to_numpy()
    values = {
        name: tuples.group_by(pl.col(f"{NOW}{name}").alias(name)).agg(pl.col(TIMES).sum())
        for name in places.replaced
    }
    rest = [name for name in places.names if name not in values]
    if rest:
        values |= dict(zip(rest, applied.count(*([name] for name in rest))))
    by_class = [name for name in places.names if name not in quasi]
    known = {name: 1 for name in by_class if (values[name][TIMES] == 1).any()}
    shared = [name for name in by_class if name not in known]
    if shared:
        found = applied.count(*([CLASS, name] for name in shared))
        known |= {name: int(counted[TIMES].to_numpy().min()) for name, counted in zip(shared, found)}
    check()
    if any(int(found[TIMES].sum()) != int(times.sum()) for found in values.values()):
        raise FileError("the table changed while it was counted. Nothing was released; start again.")
    return FarRows(applied, int(times.sum()), schema, seed, check, values, sizes, known)
