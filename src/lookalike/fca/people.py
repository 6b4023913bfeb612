"""Basic semantic risk where people have several rows (`unit`): extents count different people instead of records.

The definition of Aranda-Corral, Borrego-Díaz and Galán-Páez (https://doi.org/10.1093/jigpal/jzae011) carried over: a
record's risk is one over the fewest people left of its extent when those records are set aside that have a further
attribute. More records never mean fewer people, so the risk still never falls when other people go, and there is one
greatest safe set of people. Cost: see `kernels.fca.people`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.checks import is_number
from lookalike.errors import RequestError
from lookalike.fca.contexts import Context, Counts
from lookalike.fca.scales import Scale
from lookalike.fca.scaling import Scaling, scale_records
from lookalike.fca.semantics import Risks
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class PeopleRisk:
    """Risk per record and per person; a person's risk is that of their riskiest record."""

    scaling: Scaling
    person: Counts  #: of each record, numbered from 0
    records: Risks  #: r_BS of each record, counting people
    classical: Risks  #: one over the people with a record of exactly these attributes

    @cached_property
    def people(self) -> Risks:
        """r_BS of each person."""
        out = np.zeros(int(self.person.max(initial=-1)) + 1)
        np.maximum.at(out, self.person, self.records)
        return out

    @property
    def max(self) -> float:
        """Largest r_BS of a person."""
        return float(self.people.max(initial=0.0))

    @property
    def mean(self) -> float:
        """Mean r_BS over people."""
        return float(self.people.mean()) if len(self.people) else 0.0

    def safe(self, *, threshold: float) -> NDArray[np.bool_]:
        """Which records can stay with nobody above the threshold: all of a person's or none, the most possible."""
        if not is_number(threshold) or not 0 < threshold <= 1:
            raise RequestError(f"threshold is a probability above 0 and at most 1, not {threshold!r}.")
        keep = np.ones(len(self.person), dtype=bool)
        records = self.records
        while (risky := records > threshold).any():
            gone = np.unique(self.person[keep][risky])
            keep &= ~np.isin(self.person, gone)
            records = _risks(self.scaling.context.keep(keep), self.person[keep])[0]
        return keep

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "records": len(self.person),
            "people": len(self.people),
            "scales": {name: str(scale) for name, scale in self.scaling.scales.items()},
            "attacker": "knows attributes that one record of a person has, never ones it lacks",
            "max": self.max,
            "mean": self.mean,
            "classical_max": float(self.classical.max(initial=0.0)),
        }

    def __repr__(self) -> str:
        return f"PeopleRisk({len(self.people):,} people: maximum {self.max:.3g}, mean {self.mean:.3g})"


def people_risk(
    people: Table,
    *,
    scales: Mapping[str, Scale | str] | None = None,
    uncovered: Literal["error", "empty"] = "error",
) -> PeopleRisk:
    """Basic semantic risk over the quasi-identifiers, counting people where the table names a `unit`.

    scales, uncovered: as in `semantic_risk`. The attacker knows attributes of one record of a person.
    """
    scaling = scale_records(people, scales=scales, uncovered=uncovered)
    unit = np.arange(len(people)) if people.unit is None else people.column(people.unit).codes
    person = np.unique(unit, return_inverse=True)[1].astype(np.int64)
    return PeopleRisk(scaling, person, *_risks(scaling.context, person))


def _risks(context: Context, person: Counts) -> tuple[Risks, Risks]:
    """Basic and classical risk of each record."""
    from lookalike.kernels.fca.people import people_gaps

    distinct = len(context.rows)
    pairs = np.unique(person * np.int64(distinct) + context.number)
    of_pair, row_of = np.divmod(pairs, max(distinct, 1))
    begin = np.append(np.flatnonzero(np.diff(of_pair, prepend=-1)), len(pairs))
    gap = np.empty(distinct, dtype=np.int64)
    words = context.rows.shape[1]
    people_gaps(
        context.rows,
        context.everything,
        begin,
        row_of,
        np.empty(words, dtype=np.uint64),
        np.empty(64 * words, dtype=np.int64),
        gap,
    )
    having = np.bincount(row_of, minlength=distinct)
    return (1.0 / gap)[context.number], (1.0 / having)[context.number]
