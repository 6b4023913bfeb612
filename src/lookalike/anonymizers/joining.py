"""New rows counted and published together with a release that is out.

What is out stays; new rows that would break a promise go, be it among themselves or beside what is out. Tuples of both
are counted; rows that are not in memory pass through here a piece at a time, since the order they come out in must not
tell which of them are new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.placing import NewRows
from lookalike.anonymizers.publishing import Recoded, known_in
from lookalike.recodings import Recoding
from lookalike.recodings.files import read_release_in_pieces, released_columns
from lookalike.recodings.joining import classes_of, settle_new, wait_for
from lookalike.recodings.settling import looked_at
from lookalike.tables.coded import CodedRows, ReleasedRows, ValueCounts, count_texts
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.naming import named
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.stored.beside import Beside, Pieces, count_pieces, places_as_published
from lookalike.tables.engines.stored.rows import store_rows
from lookalike.tables.sources.frames import as_it_is
from lookalike.tables.stacking import stack
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Earlier:
    """The rows of a release that is out, wherever they are, and what its certificate says."""

    pieces: Pieces
    names: tuple[str, ...]
    measured: Mapping[str, Any]
    in_memory: bool

    @staticmethod
    def of(rows: ReleasedRows | Path, measured: Mapping[str, Any]) -> Earlier:
        """Of a release as made, or of the folder of one."""
        if isinstance(rows, Path):
            return Earlier(
                partial(read_release_in_pieces, rows), tuple(released_columns(rows)), measured, True
            )
        return Earlier(rows.pieces, tuple(rows.schema), measured, isinstance(rows, CodedRows))

    def counts(self, names: Sequence[str]) -> dict[str, ValueCounts]:
        """The values of some columns as text, and how often each occurs."""
        found = count_pieces(self.pieces(), [[name] for name in names]) if names else []
        return {n: count_texts(one[n], one[TIMES].to_numpy()) for n, one in zip(names, found, strict=True)}


@dataclass(frozen=True, eq=False)
class Together:
    """What goes out: the new rows that stay, and the tuples of all rows as they are published, with their classes."""

    new: NewRows
    table: Table
    of_row: NDArray[np.int32]
    joined: int  #: rows that were out already


def settle_beside(new: NewRows, earlier: Earlier) -> Together:
    """Hold back new rows that would break a promise among themselves, or beside those that are out."""
    recoding, table, kept = new.recoding, new.table, new.placed.of_row >= 0
    names = [name for name in (*recoding.quasi, *looked_at(table, recoding.models)) if name in earlier.names]
    names += [] if table.unit is None or table.unit in names else [table.unit]
    mine = _as_published(new, names).filter(pl.Series(kept))
    (old,) = count_pieces(earlier.pieces(), [names])
    rows = stack(old.select(named(names)), mine)
    records = np.ones(len(table), dtype=np.int64) if table.times is None else table.times
    times = np.concatenate([old[TIMES].to_numpy(), records[kept]]).astype(np.int64)
    both, models = published_table(table, rows).standing_for(times), recoding.models
    of_both = classes_of(rows, recoding.quasi)
    settled = settle_new(both, of_both, models, before=old.height)
    stays = np.zeros(len(table), dtype=bool)
    stays[np.flatnonzero(kept)[settled[old.height :] >= 0]] = True
    left = new.keeping(stays, broken=table.records_of(kept & ~stays), waiting=wait_for(both, of_both, models))
    out = settled >= 0
    return Together(left, both.filter(out), settled[out], int(old[TIMES].sum()))


def publish_beside(
    together: Together, earlier: Earlier, now: Recoded, *, seed: int, shuffle: bool
) -> Recoded:
    """The rows of both in one order; `now`: the new rows by themselves."""
    recoding, people = together.new.recoding, together.new.people
    if isinstance(now.rows, CodedRows) and earlier.in_memory:
        rows = stack(pl.concat(earlier.pieces()), now.rows.frame)
        coded = CodedRows.of(rows)
        known = known_in(coded, classes_of(rows, recoding.quasi), published_table(together.new.table, rows))
        return Recoded(coded.shuffled(seed) if shuffle else coded, known)
    budget = Budget() if people.origin is None else people.origin.engine.budget
    both = Beside.of(earlier.pieces, now.rows.pieces, now.rows.schema, budget)
    places = places_as_published(both, recoding.quasi, people.unit)
    stored = store_rows(both, places, seed=seed, check=people.refuse_changed)
    return Recoded(stored, stored.known)


def published_table(people: Table, rows: pl.DataFrame) -> Table:
    """Recoded rows with the roles of the original: quasi-identifiers are labels, all else reads as it did."""
    kinds = {name: kind for name, kind in people.kinds.items() if name not in people.quasi}
    for name in people.sensitive:
        if name in rows.columns and name not in kinds:
            kinds[name] = people.column(name).kind
    return Table(
        rows,
        people.roles,
        kinds=kinds,
        hierarchies={n: h for n, h in people.hierarchies.items() if n not in people.quasi},
        unit=people.unit,
        weight=None,
        na=people.na,
        give_back=as_it_is,
    )


def _as_published(new: NewRows, names: Sequence[str]) -> pl.DataFrame:
    """What is published of some columns of each row."""
    recoding: Recoding = new.recoding
    others = recoding.other_columns(new.table, {}, but=[n for n in recoding.columns if n not in names])
    texts = new.placed.texts
    columns = {
        name: Distinct(texts[name][0], pl.Series(texts[name][1], strict=False))
        if name in texts
        else others[name]
        for name in names
    }
    return pl.DataFrame([column.series(name) for name, column in columns.items()])
