"""Basic semantic risk where people have several rows (`unit`): extents count different people instead of records.

The definition of Aranda-Corral, Borrego-Díaz and Galán-Páez (https://doi.org/10.1093/jigpal/jzae011) carried over: a
record's risk is one over the fewest people left of its extent when those records are set aside that have a further
attribute. More records never mean fewer people, so the risk still never falls when other people go, and there is one
greatest safe set of people. Cost: see `kernels.fca.people`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.fca.contexts import Context, Counts
from lookalike.fca.semantics import BasicRisk, SafeSet, basic_risk, check_threshold, safe_set
from lookalike.tables.table import Table


def person_of(people: Table) -> Counts | None:
    """A number for each row's person, where the table names a `unit`; None where every row is a person."""
    if people.unit is None:
        return None
    return np.unique(people.column(people.unit).codes, return_inverse=True)[1].astype(np.int64)


def risk_of(context: Context, person: Counts | None) -> BasicRisk:
    """r_BS of every record, counting records or, where each has a person, people."""
    return basic_risk(context) if person is None else basic_risk_of_people(context, person)


def safe_of(
    context: Context, person: Counts | None, *, threshold: float, start: BasicRisk | None = None
) -> SafeSet | SafePeople:
    """The greatest safe set of records or, where each has a person, of people."""
    if person is None:
        return safe_set(context, threshold=threshold, start=start)
    return safe_people(context, person, threshold=threshold, start=start)


def basic_risk_of_people(context: Context, person: Counts) -> BasicRisk:
    """r_BS of every record, counting people; `person` numbers each record's person."""
    from lookalike.kernels.fca.people import people_gaps

    distinct, words = context.rows.shape
    pairs = np.unique(np.unique(person, return_inverse=True)[1] * np.int64(distinct) + context.number)
    of_pair, row_of = np.divmod(pairs, max(distinct, 1))
    begin = np.append(np.flatnonzero(np.diff(of_pair, prepend=-1)), len(pairs))
    gap, extent, witness = (np.empty(distinct, dtype=np.int64) for _ in range(3))
    people_gaps(
        context.rows,
        context.everything,
        begin,
        row_of,
        np.empty(words, dtype=np.uint64),
        np.empty(64 * words, dtype=np.int64),
        gap,
        extent,
        witness,
    )
    return BasicRisk(context, gap, extent, witness, np.bincount(row_of, minlength=distinct))


@dataclass(frozen=True, eq=False)
class SafePeople:
    """The most people who can be kept, with all their records, and every basic risk at most the threshold."""

    threshold: float
    person: Counts  #: of each record
    keep: NDArray[np.bool_]  #: which records stay
    removed: tuple[int, ...]  #: people who went in each round

    @property
    def kept(self) -> int:
        """Number of records that stay."""
        return int(self.keep.sum())

    @property
    def cost(self) -> int:
        """Number of records that go."""
        return len(self.keep) - self.kept

    @cached_property
    def people(self) -> int:
        """Number of people who stay."""
        return len(np.unique(self.person[self.keep]))

    def to_dict(self) -> dict[str, Any]:
        """Counts."""
        return {
            "threshold": self.threshold,
            "kept": self.kept,
            "cost": self.cost,
            "people_kept": self.people,
            "people_removed_per_round": list(self.removed),
        }

    def __repr__(self) -> str:
        gone = sum(self.removed)
        return f"SafePeople({self.people:,} people stay, {gone:,} go, {len(self.removed)} rounds)"


def safe_people(
    context: Context, person: Counts, *, threshold: float, start: BasicRisk | None = None
) -> SafePeople:
    """G* for people: whoever has a record above the threshold goes with all records; look again, until all are safe."""
    check_threshold(threshold)
    keep = np.ones(context.size, dtype=bool)
    removed: list[int] = []
    risk = start or basic_risk_of_people(context, person)
    while (risky := risk.of_objects(risk.basic) > threshold).any():
        gone = np.unique(person[keep][risky])
        removed.append(len(gone))
        keep &= ~np.isin(person, gone)
        risk = basic_risk_of_people(context.keep(keep), person[keep])
    return SafePeople(threshold, person, keep, tuple(removed))
