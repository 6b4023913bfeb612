"""`apply` for rows that are not in memory: next month's tuples are placed by the rules of a release, rows follow them.

Tuples with a value that no rule covers, that fit no class, or whose class would break a promise are held back with all
their records. Nothing but tuples is in memory; O(tuples), and a pass over the rows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.far_places import Texts, find_places, release_far
from lookalike.anonymizers.holding_back import HeldBack
from lookalike.anonymizers.linked import Decided, judge_links
from lookalike.anonymizers.next_release import NextRelease, compare_shares, measure_together
from lookalike.base.errors import RequestError, unknown_column
from lookalike.measures.utility.losses import column_losses
from lookalike.recodings import Recoding
from lookalike.recodings.settling import looked_at, settle
from lookalike.recodings.taking import hierarchies_of, kinds_of, known_rows, readable
from lookalike.recodings.treatments import Drop, Follow, Generalise, Pseudonymise
from lookalike.recognition.links import linked_columns
from lookalike.tables.coded import ReleasedRows, count_texts
from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.far import FarTable, open_far
from lookalike.tables.engines.opening import open_engine
from lookalike.tables.engines.released import FarRows
from lookalike.tables.engines.stored import StoredRows
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class FarNextRelease(NextRelease):
    """New rows, recoded as an earlier release was, that are not in memory."""

    keeps_assignment = False

    @property
    def frame(self) -> Any:
        """The released rows as a relation, where they came as one."""
        return self._frame

    @cached_property
    def _frame(self) -> Any:
        return self.coded.frame


@dataclass(frozen=True, eq=False)
class Placed:
    """The tuples of new rows: those that read, the class of each, what is published, and records held back."""

    people: FarTable
    reads: NDArray[np.bool_]
    left: FarTable
    of_row: NDArray[np.int32]  #: class of each tuple that reads, -1 where it is held back
    texts: Texts
    held: HeldBack  #: in records


def open_rows(recoding: Recoding, source: Any, *, unit: str | None, na: Any, memory: Any) -> FarTable:
    """New rows with the roles, kinds and hierarchies that the release was made with."""
    for name, treatment in recoding.columns.items():
        odd = isinstance(treatment, Follow | Pseudonymise) or (
            isinstance(treatment, Generalise) and treatment.numbers != "range"
        )
        if odd:
            raise RequestError(
                f"column {name!r} is published by what single rows hold ({treatment}), which needs them in memory: "
                "read them with la.read."
            )
    there = list(open_engine(source, memory=memory).describe())
    lost = [name for name in recoding.columns if name not in there]
    if lost:
        raise unknown_column(lost[0], there, "rows")
    return open_far(
        source,
        memory=memory,
        identifiers=[] if unit is None or unit in recoding.quasi else [unit],
        quasi=recoding.quasi,
        sensitive=list(recoding.sensitive),
        others=[],
        hierarchies=hierarchies_of(recoding),
        types=kinds_of(recoding),
        unit=unit,
        na=na,
    )


def place_tuples(recoding: Recoding, people: FarTable, *, alone: bool = True) -> Placed:
    """Place the tuples of new rows by the rules of a release; `alone`: hold back what would break its promise."""
    times = people.times
    assert times is not None
    looked = {name: kind for name, kind in people.kinds.items() if name in recoding.columns}
    fits = readable(people.rows, looked, people.na)
    reads = np.logical_and.reduce([np.ones(len(people), dtype=bool), *fits.values()])
    left = people.filter(reads)
    assert isinstance(left, FarTable)
    assert left.times is not None
    unseen = {name: int(times[~rows].sum()) for name, rows in fits.items()}
    held = HeldBack(bool(recoding.boxes))
    if not len(left):
        raise replace(held, strange=int(times.sum()), unseen={n: k for n, k in unseen.items() if k}).nothing()
    known = known_rows(recoding, left)
    for name, rows in known.items():
        unseen[name] = unseen.get(name, 0) + int(left.times[~rows].sum())
    covered = np.logical_and.reduce(list(known.values()))
    texts: Texts = {}
    if recoding.boxes:
        of_row = recoding.box_rows(left)[0]
        texts = {name: (of_row, list(side.texts)) for name, side in recoding.boxes.items()}
    else:
        of_row, _ = recoding.generalise_rows(left, texts)
    of_row = np.where(covered, of_row, -1).astype(np.int32)
    fitting = of_row >= 0
    settled = settle(left, of_row, recoding.models) if alone else of_row
    held = replace(
        held,
        unseen={name: n for name, n in unseen.items() if n},
        strange=int(times.sum()) - int(left.times[covered].sum()),
        uncovered=int(left.times[covered & ~fitting].sum()),
        broken=int(left.times[fitting & (settled < 0)].sum()),
    )
    if not (settled >= 0).any():
        raise held.nothing()
    return Placed(people, reads, left, settled, texts, held)


def release_placed(
    placed: Placed,
    recoding: Recoding,
    *,
    linked: tuple[Mapping[str, Any], ...],
    method: str,
    earlier: ReleasedRows | Path,
    seed: int,
    started: float,
) -> FarNextRelease:
    """Write down, measure and certify what was placed."""
    rows = write_down(placed, recoding, seed)
    return measure(
        placed,
        recoding,
        rows,
        placed.left,
        placed.of_row,
        linked=linked,
        method=method,
        seed=seed,
        started=started,
        drift=drift_from(earlier, rows, recoding.quasi),
    )


def write_down(placed: Placed, recoding: Recoding, seed: int) -> FarRows | StoredRows:
    """The rows that were placed, as they are published."""
    people = placed.people
    everywhere = np.full(len(people), -1, dtype=np.int32)
    everywhere[placed.reads] = placed.of_row
    texts: Texts = {
        name: (spread(where, placed.reads), labels) for name, (where, labels) in placed.texts.items()
    }
    alone = bool(placed.reads.all())
    places = find_places(people, people, recoding, everywhere, texts, readable=placed.left, alone=alone)
    return release_far(people, places, seed)


def measure(
    placed: Placed,
    recoding: Recoding,
    rows: FarRows | StoredRows,
    table: Table,
    of_row: NDArray[np.int32],
    *,
    linked: tuple[Mapping[str, Any], ...],
    started: float,
    before: Mapping[str, Any] | None = None,
    **more: Any,
) -> FarNextRelease:
    """What became of what was placed. `table` and `of_row` are the tuples in `rows` and their classes.

    before: what was measured of an earlier release that the rows have joined.
    """
    people, left, models = placed.people, placed.left, recoding.models
    classes = table.classes(of_row, sensitive=looked_at(table, models))
    k = int(classes.counts.min())
    choices = {name: str(one["choice"]) for one in linked if one["choice"] for name in one["columns"]}
    shown = [n for n, how in recoding.columns.items() if not isinstance(how, Drop)]
    links = linked_columns(people, quasi=recoding.quasi, columns=shown)
    decided = judge_links(table, models, k, rows.known, Decided(choices, links))
    kept = left.filter(placed.of_row >= 0)
    before = before or {"records": 0, "suppressed": 0}
    lost, gone = losses_of(kept, recoding, people.records)
    lost = measure_together(lost, published=kept.records, records=people.records, before=before)
    return FarNextRelease(
        people=kept,
        coded=rows,
        of_row=placed.of_row[placed.of_row >= 0],
        recoding=recoding,
        models=models,
        achieved={" ".join([model.name, *model.columns]): model.achieved(classes) for model in models},
        records=people.records + int(before["records"]),
        suppressed=gone + int(before["suppressed"]),
        classes=len(classes),
        k=k,
        **lost,
        proven_optimal=False,
        seconds=time.perf_counter() - started,
        linked=decided.to_dict(),
        unseen=placed.held.unseen,
        held_back=placed.held.reasons,
        **more,
    )


def losses_of(kept: Table, recoding: Recoding, records: int) -> tuple[dict[str, Any], int]:
    """`loss`, `ncp` and what is `kept` of each column, of so many records; and how many of these are gone."""
    lost = dict(column_losses(kept, recoding, np.ones(len(kept), dtype=bool)))
    gone = records - kept.records

    def mean(measure: str) -> float:
        return float(np.mean([(one.mean(measure) * kept.records + gone) / records for one in lost.values()]))

    share = {name: 1 - one.mean("loss") for name, one in lost.items()}
    return {"loss": mean("loss"), "ncp": mean("ncp"), "kept": share}, gone


def spread(where: NDArray[np.int32], reads: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The place of each tuple, where only those that read have one."""
    out = np.zeros(len(reads), dtype=np.int32)
    out[reads] = where
    return out


def drift_from(earlier: ReleasedRows | Path, now: ReleasedRows, quasi: list[str]) -> dict[str, float]:
    """How far each column has moved since an earlier release, which may be in a file."""
    names = list(now.schema)
    if isinstance(earlier, Path):
        engine = open_engine(earlier)
        names = [name for name in names if name in engine.describe()]
        found = engine.count(*([name] for name in names)) if names else []
        before = {n: count_texts(one[n], one[TIMES].to_numpy()) for n, one in zip(names, found)}
    else:
        names = [name for name in names if name in earlier.schema]
        before = {name: earlier.counts(name) for name in names}
    return compare_shares(before, {name: now.counts(name) for name in names}, quasi)


def without_suppressed(recoding: Recoding) -> Recoding:
    """The rules as new rows follow them: who is held back is left out, and nobody's place is remembered."""
    return replace(recoding, suppressed="drop", assignment=None)
