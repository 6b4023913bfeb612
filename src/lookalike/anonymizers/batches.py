"""New rows on their way into a release: what no rule covers is left out, the rest gets its classes and is settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.holding_back import HeldBack
from lookalike.models.model import Model
from lookalike.recodings import Recoding
from lookalike.recodings.assignment import remember
from lookalike.recodings.joining import classes_of, settle_new, wait_for
from lookalike.recodings.recoding import Applied
from lookalike.recodings.taking import known_rows, readable
from lookalike.tables.columns.coding import KindLike
from lookalike.tables.sources.frames import as_it_is
from lookalike.tables.stacking import stack
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Batch:
    """New rows on their way: the recoding, the rows that are left, their place among all new rows, their pseudonyms."""

    recoding: Recoding
    people: Table
    place: NDArray[np.int64]
    pseudonyms: Mapping[str, list[str]]
    held: HeldBack

    def keep(self, rows: NDArray[np.bool_]) -> Batch:
        """Some of the rows."""
        if rows.all():
            return self
        values = {name: [v for v, k in zip(made, rows) if k] for name, made in self.pseudonyms.items()}
        return replace(self, people=self.people.filter(rows), place=self.place[rows], pseudonyms=values)

    def assigned(self, of_row: NDArray[np.int32]) -> Batch:
        """The batch whose rows stay in these boxes, whatever else is there."""
        if not self.recoding.boxes:
            return self
        remembered = remember(self.people, of_row, quasi=list(self.recoding.boxes))
        return replace(self, recoding=replace(self.recoding, assignment=remembered))

    def carry_out(self, models: tuple[Model, ...]) -> Applied:
        """The rows as published, those held back that break a promise by themselves."""
        return replace(self.recoding, models=models).apply(self.people, pseudonyms=self.pseudonyms)


def leave_out_unseen(batch: Batch) -> Batch:
    """Leave out rows with a value that does not read as its kind, or that no rule covers."""
    people = batch.people
    looked_at: dict[str, KindLike] = {n: k for n, k in people.kinds.items() if n in batch.recoding.columns}
    fits = readable(people.rows, looked_at, people.na)
    reads = np.logical_and.reduce([np.ones(len(people), dtype=bool), *fits.values()])
    counts = {name: int((~rows).sum()) for name, rows in fits.items()}
    left = _left(batch, reads, strange=int((~reads).sum()), unseen=counts)
    known = known_rows(left.recoding, left.people)
    for name, rows in known.items():
        counts[name] = counts.get(name, 0) + int((~rows).sum())
    covered = np.logical_and.reduce(list(known.values()))
    return _left(left, covered, strange=len(people) - int(covered.sum()), unseen=counts)


def place_in_classes(batch: Batch) -> Batch:
    """Give every row its class, once and for all; rows that fit none are left out."""
    of_row = batch.carry_out(()).of_row
    fits = of_row >= 0
    return _left(batch, fits, uncovered=int((~fits).sum())).assigned(of_row[fits])


def _left(batch: Batch, kept: NDArray[np.bool_], **held: Any) -> Batch:
    """The rows that are kept, and why the others are not; refused where none is."""
    if "unseen" in held:
        held["unseen"] = {name: n for name, n in held["unseen"].items() if n}
    now = replace(batch.held, **held)
    if not kept.any():
        raise now.nothing()
    return replace(batch.keep(kept), held=now)


@dataclass(frozen=True, eq=False)
class Settled:
    """What goes out: all rows, as a table of what is published, their classes, and the new rows among them."""

    batch: Batch
    new: pl.DataFrame
    rows: pl.DataFrame
    table: Table
    of_row: NDArray[np.int32]


def settle_alone(batch: Batch) -> Settled:
    """The new rows that keep the promise by themselves."""
    applied = batch.carry_out(batch.recoding.models)
    kept = applied.of_row >= 0
    left = _left(batch, kept, broken=int((~kept).sum())).assigned(applied.of_row[kept])
    return Settled(left, applied.rows, applied.rows, left.people, applied.of_row[kept])


def settle_with(batch: Batch, earlier: pl.DataFrame) -> Settled:
    """The new rows that keep the promise beside those of an earlier release, and these."""
    before = earlier.height
    shown = batch.carry_out(())
    rows = stack(earlier, shown.rows)
    of_row = classes_of(rows, batch.recoding.quasi)
    both, models = published_table(batch.people, rows), batch.recoding.models
    settled = settle_new(both, of_row, models, before=before)
    kept = settled[before:] >= 0
    batch = replace(batch, held=replace(batch.held, waiting=wait_for(both, of_row, models)))
    left = _left(batch, kept, broken=int((~kept).sum())).assigned(shown.of_row[kept])
    new = left.carry_out(()).rows
    rows = stack(earlier, new)
    return Settled(left, new, rows, published_table(batch.people, rows), settled[settled >= 0])


def published_table(people: Table, rows: pl.DataFrame) -> Table:
    """Published rows with the roles of the original: quasi-identifiers are labels, all else reads as it did."""
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
