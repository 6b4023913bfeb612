"""An engine: where rows are, and the few things that are done to them there.

`describe` names the columns, `count` gives distinct tuples and how often each occurs, `sample` a few rows to look at,
`apply` recodes rows by a join with tuples, `write` puts them into a file, in an order that says nothing about the
original's. Everything else sees tuples and counts. An engine that was applied can be counted again: that is how a
release is certified.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars as pl

TIMES = "how often"  #: the last column of what `count` gives
MEMORY = 2 << 30  #: bytes that an engine may take for rows, unless told otherwise

Told = Callable[[int], None]  #: is told how many rows were passed


@dataclass(frozen=True, eq=False)
class Places:
    """What becomes of rows: which tuples stay, and what is published in place of their values.

    `tuples` has the columns of `by` as they are in the rows, what is published of them under their names behind `NOW`,
    and the number of their class; rows with another tuple are held back. `names` are the columns to publish, those that
    `tuples` says nothing about as they are.
    """

    by: tuple[str, ...]
    tuples: pl.DataFrame
    names: tuple[str, ...]

    @property
    def replaced(self) -> list[str]:
        """Columns that are published otherwise than they are."""
        return [name for name in self.names if f"{NOW}{name}" in self.tuples.columns]


NOW = "now "  #: before the name of a published column in `Places.tuples`
CLASS = "class of the row"  #: the last column of rows that were applied; it is counted by, never written


class Engine(Protocol):
    """Rows somewhere."""

    name: str

    def describe(self) -> dict[str, pl.DataType]:
        """The columns and their types."""

    def count(self, *groups: Sequence[str], told: Told | None = None) -> list[pl.DataFrame]:
        """Of each group of columns, the distinct tuples, in no order, and how often each occurs."""

    def sample(self, share: float, *, seed: int) -> pl.DataFrame:
        """About this share of the rows, chosen by what they hold, not by their place."""

    def fingerprint(self) -> str:
        """Changes when the rows do, as far as can be told without reading them."""

    def apply(self, places: Places) -> Engine:
        """The rows that stay, with what is published of them; nothing is done before they are asked for."""

    def write(self, path: Path, *, seed: int, told: Told | None = None) -> int:
        """Write the rows to a csv or parquet file in an order given by their content and the seed; how many."""


def add_up(parts: Sequence[pl.DataFrame], columns: Sequence[str]) -> pl.DataFrame:
    """Counts of several parts of the rows as counts of all."""
    if len(parts) == 1:
        return parts[0]
    return pl.concat(parts).group_by(columns).agg(pl.col(TIMES).sum())


def write_pieces(pieces: Iterable[pl.DataFrame], path: Path) -> int:
    """Write rows to a csv or parquet file as they come, spelt as they were certified; how many."""
    written = 0
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".rows-") as folder:
        for i, piece in enumerate(pieces):
            rows = piece.select(plain(piece))
            written += rows.height
            if path.suffix == ".parquet":
                rows.write_parquet(Path(folder) / f"{i:09}.parquet")
                continue
            with path.open("ab" if i else "wb") as file:
                rows.write_csv(file, include_header=i == 0)
        if path.suffix == ".parquet":
            pl.scan_parquet(f"{folder}/*.parquet").sink_parquet(path)
    return written


def plain(rows: pl.DataFrame | pl.LazyFrame) -> list[pl.Expr]:
    """Columns as engines agree on them: categories as texts, moments in universal time, one zero and one NaN."""
    out = []
    for name, kind in rows.collect_schema().items():
        column = pl.col(name)
        if isinstance(kind, pl.Enum | pl.Categorical):
            column = column.cast(pl.String)
        elif isinstance(kind, pl.Datetime):
            column = column.dt.convert_time_zone("UTC") if kind.time_zone else column
            column = column.dt.cast_time_unit("us")
        elif kind.is_float():
            column = column.cast(pl.Float64) + 0.0
        out.append(column.alias(name))
    return out
