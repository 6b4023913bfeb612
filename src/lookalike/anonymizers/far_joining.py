"""New rows that are not in memory, counted and published together with a release that is out.

Tuples of both are counted where they are, and thought about as rows in memory are: what is out stays, new tuples that
would break a promise go. New rows are recoded where they are; both then pass through here a piece at a time, since the
order they come out in must not tell which of them are new.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lookalike.anonymizers.batches import published_table
from lookalike.anonymizers.far_batches import FarNextRelease, Placed, drift_from, measure, write_down
from lookalike.recodings import Recoding
from lookalike.recodings.joining import classes_of, settle_new, wait_for
from lookalike.recodings.settling import looked_at
from lookalike.tables.coded import ReleasedRows
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.naming import named
from lookalike.tables.engines.beside import Beside, Pieces, count_pieces, places_as_published
from lookalike.tables.engines.engine import TIMES, Piece
from lookalike.tables.engines.released import FarRows
from lookalike.tables.engines.stored import StoredRows, store_rows
from lookalike.tables.stacking import stack
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Earlier:
    """A release that is out: its rows, its columns, and what its certificate says."""

    pieces: Pieces
    names: tuple[str, ...]
    measured: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Joined:
    """What goes out: the new tuples that stay, and those of both as a table of what is published, with classes."""

    placed: Placed
    table: Table
    of_row: Any
    joined: int


def published_pieces(rows: Any) -> Pieces:
    """Released rows a piece at a time, wherever they are."""
    if isinstance(rows, FarRows):
        names = list(rows.schema)
        return lambda: (_frame(piece) for piece in rows.applied.pieces(names))
    if isinstance(rows, StoredRows):
        return lambda: rows.pieces()
    return lambda: iter([rows.frame])


def _frame(piece: Piece) -> pl.DataFrame:
    return (
        piece
        if isinstance(piece, pl.DataFrame)
        else pl.DataFrame({n: one.series(n) for n, one in piece.items()})
    )


def settle_beside(placed: Placed, recoding: Recoding, earlier: Earlier) -> Joined:
    """Hold back new tuples that would break a promise beside those that are out; no class is held back before."""
    left, kept = placed.left, placed.of_row >= 0
    assert left.times is not None
    names = [name for name in (*recoding.quasi, *looked_at(left, recoding.models)) if name in earlier.names]
    names += [] if left.unit is None or left.unit in names else [left.unit]
    new = _published_tuples(placed, recoding, names).filter(pl.Series(kept))
    (old,) = count_pieces(earlier.pieces(), [names])
    rows = stack(old.select(named(names)), new)
    times = np.concatenate([old[TIMES].to_numpy(), left.times[kept]]).astype(np.int64)
    table = published_table(left, rows).standing_for(times)
    of_both = classes_of(rows, recoding.quasi)
    settled = settle_new(table, of_both, recoding.models, before=old.height)
    stays = settled[old.height :] >= 0
    waiting = wait_for(table, of_both, recoding.models)
    held = replace(placed.held, broken=int(left.times[kept][~stays].sum()), waiting=waiting)
    if not stays.any():
        raise held.nothing()
    of_row = placed.of_row.copy()
    of_row[np.flatnonzero(kept)[~stays]] = -1
    out = settled >= 0
    return Joined(
        replace(placed, of_row=of_row, held=held),
        table.filter(out),
        settled[out],
        int(old[TIMES].sum()),
    )


def _published_tuples(placed: Placed, recoding: Recoding, names: list[str]) -> pl.DataFrame:
    """What is published of each tuple."""
    left, out = placed.left, []
    others = recoding.other_columns(left, {}, but=[n for n in recoding.columns if n not in names])
    for name in names:
        if name in placed.texts:
            where, labels = placed.texts[name]
            column = Distinct(where, pl.Series(labels, strict=False))
        else:
            column = others[name]
        out.append(column.series(name))
    return pl.DataFrame(out)


def release_joined(
    joined: Joined,
    recoding: Recoding,
    earlier: Earlier,
    *,
    linked: tuple[Mapping[str, Any], ...],
    method: str,
    followed: ReleasedRows | Path,
    seed: int,
    started: float,
) -> FarNextRelease:
    """Write down, measure and certify the new rows and those that they join."""
    people = joined.placed.people
    new = write_down(joined.placed, recoding, seed)
    both = Beside.of(earlier.pieces, published_pieces(new), new.schema, people.engine.budget)
    as_published = places_as_published(both, recoding.quasi, people.unit)
    rows = store_rows(both, as_published, seed=seed, check=people.refuse_changed)
    return measure(
        joined.placed,
        recoding,
        rows,
        joined.table,
        joined.of_row,
        linked=linked,
        method=method,
        seed=seed,
        started=started,
        before=earlier.measured,
        drift=drift_from(followed, new, recoding.quasi),
        joined=joined.joined,
        counted=joined.table,
    )
