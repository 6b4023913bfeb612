"""New rows placed by the rules of an earlier release: which class each goes to, and which are held back and why.

Rows with a value that no rule covers, that fit no class, or whose class would break a promise are held back. Rows are
those in memory, or tuples that stand for records elsewhere; O(rows).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.holding_back import HeldBack
from lookalike.recodings import Recoding
from lookalike.recodings.assignment import remember
from lookalike.recodings.following import follow
from lookalike.recodings.recoding import Placed, Texts
from lookalike.recodings.settling import settle
from lookalike.recodings.taking import known_rows, readable
from lookalike.recodings.treatments import Box, Follow, Generalise
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class NewRows:
    """New rows: those that read, the class of each, what is published, and what is held back."""

    recoding: Recoding
    people: Table
    reads: NDArray[np.bool_]  #: of `people`, the rows whose values read as their kind
    table: Table  #: these rows; a row for each record where one is needed
    placed: Placed
    held: HeldBack  #: in records

    @property
    def everywhere(self) -> NDArray[np.int32]:
        """Of each row of `people`, whether it goes out: -1 where it is held back."""
        out = np.full(len(self.people), -1, dtype=np.int32)
        if len(self.placed.of_row) == int(self.reads.sum()):
            out[self.reads] = self.placed.of_row
            return out
        times = self.people.times
        assert times is not None
        first = np.cumsum(np.where(self.reads, times, 0)) - times
        out[self.reads] = self.placed.of_row[first[self.reads]]
        return out

    @property
    def kept(self) -> Table:
        """The rows that go out, as they were."""
        stays = self.placed.of_row >= 0
        return self.table if stays.all() else self.table.filter(stays)

    def keeping(self, stays: NDArray[np.bool_], **held: object) -> NewRows:
        """The same rows, of which only these go out; `held`: why the others do not. Refused where none is left."""
        of_row = np.where(stays, self.placed.of_row, -1).astype(np.int32)
        out = replace(
            self,
            placed=replace(self.placed, of_row=of_row),
            held=replace(self.held, **held),  # type: ignore[arg-type]
        )
        if not stays.any():
            raise out.held.nothing()
        return out

    def settled(self) -> NewRows:
        """The same rows, held back where they break a promise by themselves, with all that is published of them."""
        of_row = settle(self.table, self.placed.of_row, self.recoding.models)
        fits = self.placed.of_row >= 0
        out = self.keeping(of_row >= 0, broken=self.table.records_of(fits & (of_row < 0)))
        texts = dict(self.placed.texts)
        self.recoding.measure_numbers(self.table, of_row, texts)
        for name, treatment in self.recoding.columns.items():
            if isinstance(treatment, Follow):
                texts[name] = follow(self.table, name, treatment.of, texts, of_row)
        return replace(out, placed=replace(out.placed, texts=texts))

    def remembered(self) -> Recoding:
        """The recoding, with the boxes that rows in memory have gone to."""
        if not self.recoding.boxes or not self.people.in_memory:
            return self.recoding
        of_row = self.placed.of_row[self.placed.of_row >= 0]
        return replace(self.recoding, assignment=remember(self.kept, of_row, quasi=list(self.recoding.boxes)))


def place_rows(recoding: Recoding, people: Table) -> NewRows:
    """Give every row its class, once and for all; rows that no rule covers, or that fit no class, have none."""
    followed = [name for name, how in recoding.columns.items() if isinstance(how, Follow)]
    people = people.counting(followed)
    looked_at = {n: kind for n, kind in people.kinds.items() if n in recoding.columns and n in people.counted}
    fits = readable(people.rows, looked_at, people.na)
    reads = np.logical_and.reduce([np.ones(len(people), dtype=bool), *fits.values()])
    unseen = {name: people.records_of(~rows) for name, rows in fits.items()}
    held = HeldBack(bool(recoding.boxes))
    if not reads.any():
        raise replace(held, strange=people.records, unseen=_some(unseen)).nothing()
    table = people if reads.all() else people.filter(reads)
    if _needs_records(recoding.columns.values()):
        table = table.expanded()
    known = known_rows(recoding, table)
    for name, covers in known.items():
        unseen[name] = unseen.get(name, 0) + table.records_of(~covers)
    covered = np.logical_and.reduce(list(known.values()))
    strange = people.records - table.records_of(covered)
    if not covered.any():
        raise replace(held, strange=strange, unseen=_some(unseen)).nothing()
    texts: Texts = {}
    if recoding.boxes:
        of_row = recoding.box_rows(table)[0]
        texts = {name: (of_row, list(side.texts)) for name, side in recoding.boxes.items()}
    else:
        of_row = recoding.group_rows(recoding.generalise_rows(table, texts)[0], texts)
    fitting = covered & (of_row >= 0)
    placed = Placed(np.where(covered, of_row, -1).astype(np.int32), texts, {})
    rows = NewRows(recoding, people, reads, table, placed, held)
    uncovered = table.records_of(covered & ~fitting)
    return rows.keeping(fitting, strange=strange, unseen=_some(unseen), uncovered=uncovered)


def _needs_records(treatments: Collection[object]) -> bool:
    """Whether something is published that is worked out from single records."""
    return any(isinstance(how, Generalise | Box) and how.numbers != "range" for how in treatments)


def _some(counts: dict[str, int]) -> dict[str, int]:
    return {name: n for name, n in counts.items() if n}
