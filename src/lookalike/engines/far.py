"""A table whose rows stay where they are: in memory are only the distinct tuples of the columns that are thought about.

It is a `Table` whose rows are tuples, each standing for so many records. What was counted is remembered with a
fingerprint of the source, and nothing is applied to a source that changed since.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from lookalike.columns.coding import KindLike
from lookalike.engines.engine import TIMES, Engine
from lookalike.engines.opening import open_engine
from lookalike.errors import FileError, RequestError, amount
from lookalike.hierarchies.files import Hierarchies, collect
from lookalike.progress import Progress, track
from lookalike.sources.frames import as_it_is
from lookalike.tables.intake import describe_columns
from lookalike.tables.table import Table

MOST_TUPLES = 50_000_000  #: distinct tuples that are taken into memory, unless told otherwise


class FarTable(Table):
    """Rows in files or a database. Made by `open_far`; `la.risk` and `la.anonymize` take what it is made from."""

    engine: Engine
    fingerprint: str

    def _with(self, **changes: Any) -> FarTable:
        out = super()._with(**changes)
        out.__class__ = FarTable
        assert isinstance(out, FarTable)
        out.engine, out.fingerprint = self.engine, self.fingerprint
        return out

    def refuse_changed(self) -> None:
        """Refuse to go on where the rows are not those that were counted."""
        if self.engine.fingerprint() != self.fingerprint:
            raise FileError(
                "the table changed since its rows were counted. Nothing was released; start again."
            )

    def some_rows(self, rows: int, *, seed: int = 0) -> Table:
        """About so many rows, chosen by what they hold, as a table in memory with the same roles."""
        some = self.engine.sample(min(rows / self.records, 1.0), seed=seed)
        return Table(
            some,
            self.roles,
            kinds=self.kinds,
            hierarchies=self.hierarchies,
            unit=self.unit,
            weight=None,
            na=self.na,
            give_back=as_it_is,
        )

    def __repr__(self) -> str:
        return (
            f"FarTable({self.records:,} records in {self.engine.name}, {amount(len(self), 'distinct tuple')})"
        )


def open_far(
    source: Any,
    *,
    identifiers: Sequence[str] = (),
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    targets: Sequence[str] = (),
    others: Sequence[str] | None = None,
    hierarchies: Hierarchies | None = None,
    types: Mapping[str, KindLike] | None = None,
    unit: str | None = None,
    na: Collection[str] = ("?",),
    memory: str | int | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    quote: str | None = '"',
    most: int = MOST_TUPLES,
    progress: Progress = False,
) -> FarTable:
    """A table that is counted where it is.

    source: a file, a folder, a pattern such as "big/*.parquet", a DuckDB database file, or a DuckDB relation.
    memory: how much of it rows may take at a time, such as "2GB".
    table: which table of a database.
    most: distinct tuples of quasi-identifiers and sensitive values that may be taken into memory.
    The other arguments are those of `la.table` and `la.read`.
    """
    engine = open_engine(source, memory=memory, table=table, delimiter=delimiter, quote=quote)
    kinds = engine.describe()
    roles, said = describe_columns(
        list(kinds),
        {
            "identifiers": identifiers,
            "quasi": quasi,
            "sensitive": sensitive,
            "targets": targets,
            "others": others,
        },
        types=types,
        unit=unit,
        weight=None,
        na=na,
    )
    counted = [name for name, role in roles.items() if role in ("quasi", "sensitive") or name == unit]
    if not any(role == "quasi" for role in roles.values()):
        raise RequestError("the table has no quasi-identifiers. Name them with `quasi`.")
    fingerprint = engine.fingerprint()
    with track(progress, "Counting rows") as report:
        passed = 0

        def told(rows: int) -> None:
            nonlocal passed
            passed += rows
            report(passed / (passed + 1e6))

        (tuples,) = engine.count(counted, told=told)
    if tuples.height > most:
        worst = max(counted, key=lambda name: tuples[name].n_unique())
        raise RequestError(
            f"{tuples.height:,} distinct tuples are more than the {most:,} that may be taken into memory. Coarsen a "
            f"column before they are counted ({worst!r} has most values), or allow more with `most`."
        )
    out = FarTable(
        tuples.drop(TIMES),
        roles,
        kinds=said,
        hierarchies=collect(hierarchies, list(kinds)),
        unit=unit,
        weight=None,
        na=na,
        give_back=as_it_is,
        times=tuples[TIMES].to_numpy().astype(np.int64),
    )
    out.engine, out.fingerprint = engine, fingerprint
    out.refuse_changed()
    return out
