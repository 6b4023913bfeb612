"""Origin: where the rows of a table are that stay where they are, and how its tuples are counted there.

Nothing is applied to rows that changed since they were counted: a fingerprint is taken before the first count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lookalike.base.errors import FileError, RequestError
from lookalike.base.progress import Progress, track
from lookalike.tables.coded import RowsElsewhere
from lookalike.tables.engines.engine import TIMES, Engine, Places, as_frame, too_many
from lookalike.tables.sources.limits import readable

_WIDE = 32  # bytes that a value takes in memory while it is read, as a rule


@dataclass(eq=False)
class Origin:
    """Rows that an engine has. Tables that differ in roles share it."""

    engine: Engine
    most: int  #: distinct tuples that may be taken into memory
    fingerprint: str | None = None  #: of the rows when they were first counted
    sight: Any = None  #: the rows to look at where not all have to be, as a table, once somebody looked

    @property
    def name(self) -> str:
        """Where the rows are, in a word."""
        return self.engine.name

    def tuples(self, columns: Sequence[str], progress: Progress = False) -> pl.DataFrame:
        """The distinct tuples of these columns, and how often each occurs."""
        if self.fingerprint is None:
            self.fingerprint = self.engine.fingerprint()
        passed = Passed(self.engine)
        with track(progress, "Counting rows", passed.text) as report:
            (tuples,) = self.engine.count(
                columns, on_rows=lambda rows, share: report(passed.add(rows, share))
            )
        if tuples.height > self.most:
            worst = max(columns, key=lambda name: tuples[name].n_unique())
            raise too_many(f"{tuples.height:,}", self.most, worst)
        self.engine.budget.refuse_spent("counting distinct tuples")
        self.refuse_changed()
        return tuples

    def values(self, names: Sequence[str]) -> list[pl.DataFrame]:
        """Of each column, the distinct values and how often each occurs."""
        return self.engine.count(*([name] for name in names)) if names else []

    @cached_property
    def records(self) -> int:
        """How many rows there are."""
        (found,) = self.values(list(self.engine.describe())[:1])
        return int(found[TIMES].sum())

    def some(self, share: float, *, enough: int, seed: int = 0) -> pl.DataFrame:
        """About this share of the rows, chosen by what they hold; of few different rows, that part of each.

        Rows that are alike are chosen together, so of fewer than `enough` different rows hardly one might be chosen.
        """
        some = self.engine.sample(share, seed=seed)
        if share == 1.0 or _different(some) > share * enough:
            return some
        (tuples,) = self.engine.count(list(self.engine.describe()))
        times = np.maximum((tuples[TIMES].to_numpy() * share).round().astype(np.int64), 1)
        return tuples.drop(TIMES)[np.repeat(np.arange(tuples.height), times)]

    def all_rows(self) -> pl.DataFrame:
        """All rows; refused where they would not fit into the memory that is free."""
        names, records = list(self.engine.describe()), self.records
        need = records * len(names) * _WIDE
        if need > readable():
            raise RequestError(
                f"{records:,} rows of {len(names)} columns need about {need / 1e9:,.1f} GB of memory, and only half of "
                f"{2 * readable() / 1e9:,.1f} GB may be taken. Look at a part of them: some_rows(200_000)."
            )
        return pl.concat([as_frame(piece) for piece in self.engine.pieces(names)])

    def holding(self, counted: Sequence[str], besides: Sequence[str]) -> Origin:
        """The same rows, where these columns are needed more than once."""
        return (
            self if self.fingerprint is not None else replace(self, engine=self.engine.hold(counted, besides))
        )

    def refuse_changed(self) -> None:
        """Refuse to go on where the rows are not those that were counted."""
        if self.fingerprint is not None and self.engine.fingerprint() != self.fingerprint:
            raise FileError(
                "the table changed since its rows were counted. Nothing was released; start again."
            )

    def refuse_many(self, records: int) -> None:
        """Refuse to take a row for every record into memory where they are too many."""
        if records > self.most:
            raise RequestError(
                f"{records:,} records are more than the {self.most:,} that may be taken into memory for a method "
                "that puts single records into classes. Allow more with `most`, or use the method 'optimal'."
            )

    def release(
        self, places: Places, records: int, *, seed: int, progress: Progress = False
    ) -> RowsElsewhere:
        """The rows as they are published, recoded where they are if that can be done there."""
        passed = Passed(self.engine)
        with track(progress, "Recoding", passed.text) as report:

            def on_rows(rows: int, share: float) -> None:
                passed.add(rows, share)
                report(passed.rows / records)

            return self.engine.release(places, seed=seed, check=self.refuse_changed, on_rows=on_rows)


class Passed:
    """How many rows of an engine were passed so far, and how many bytes of files."""

    def __init__(self, engine: Engine) -> None:
        self.rows, self._share, self._bytes = 0, 0.0, getattr(engine, "size", 0)

    def add(self, rows: int, share: float) -> float:
        """So many more rows; which share of all that is, as far as is known."""
        self.rows, self._share = self.rows + rows, share
        return share

    def text(self) -> str:
        """Both in words."""
        of_files = f", {self._share * self._bytes / 1e6:,.0f} of {self._bytes / 1e6:,.0f} MB"
        return f"({self.rows:,} rows{of_files if self._bytes and self._share else ''})" if self.rows else ""


def _different(rows: pl.DataFrame) -> int:
    """How many different rows there are; as many as there are rows where that cannot be told."""
    try:
        return rows.n_unique()
    except pl.exceptions.PolarsError:
        return rows.height
