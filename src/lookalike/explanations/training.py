"""What the search stands on: the model's outcome for every training row, who counts towards k, their private values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.columns.grouping import group_codes
from lookalike.errors import GuaranteeError, RequestError
from lookalike.explanations.cfk import Ground, Rules
from lookalike.explanations.features import Features
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.space import Space

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Trained:
    """What the model says about the distinct training rows."""

    desired: Flags
    candidates: Flags  #: desired, and justified where that is asked for
    record: NDArray[np.int64]  #: the training row to speak of


@dataclass(frozen=True, eq=False)
class Pairs:
    """Distinct (cell, private tuple) pairs among those who count."""

    cell: NDArray[np.int64]
    private: NDArray[np.int64]

    def variety(self, covered: Flags) -> int:
        """Distinct private tuples in some cells."""
        return len(np.unique(self.private[covered[self.cell]]))


def consult(outcomes: Outcomes, features: Features, *, justified: bool | None) -> Trained:
    """Ask the model about every distinct training row; refuse one that cannot be explained."""
    answers = outcomes.predict(features.people.rows[features.first])
    desired = outcomes.is_desired(answers)
    if not desired.any():
        found = sorted({str(o) for o in answers.tolist()})[:5]
        raise RequestError(
            f"the model never gives the desired outcome {outcomes.desired!r} to a training row; "
            f"it gives: {', '.join(found)}. Pass desired=... as the model spells it."
        )
    if desired.all():
        raise RequestError(
            f"the model gives every training row the outcome {outcomes.desired!r}; there is nothing to explain."
        )
    targets = features.people.targets
    if justified is False or (justified is None and len(targets) != 1):
        return Trained(desired, desired, features.first)
    if len(targets) != 1:
        raise RequestError(
            "justified=True needs the label of each row: name one column with table(..., targets=[...])."
        )
    labels = features.people.rows[targets[0]].to_list()
    right = outcomes.is_desired(np.array(labels, dtype=object)) & desired[features.of_row]
    if not right.any():
        raise RequestError(
            f"no training row has the label {outcomes.desired!r} in {targets[0]!r} and is predicted so. "
            "Spell the target as the model does, or pass justified=False."
        )
    record = np.full(len(desired), len(labels), dtype=np.int64)
    where = np.flatnonzero(right)
    np.minimum.at(record, features.of_row[where], where)
    candidates = record < len(labels)
    return Trained(desired, candidates, np.where(candidates, record, features.first))


def stand(
    space: Space, features: Features, trained: Trained, rules: Rules, count: Literal["all", "desired"]
) -> tuple[Ground, Pairs]:
    """Count who could be meant; refuse a promise that the training table is too small for."""
    cells, desired = space.cells, trained.desired[features.of_row]
    units = cells.entries.unit is not None
    if units and count == "desired":
        raise RequestError(
            "count='desired' counts records, and this table counts people (unit). Use count='all'."
        )
    pool = np.bincount(cells.of_row, weights=desired, minlength=len(cells)).astype(np.int64)
    private = [features.people.column(name) for name in features.names if name not in space.names]
    tuples, n = group_codes([c.codes for c in private], [c.domain.size for c in private], len(desired))
    keys = cells.of_row.astype(np.int64) * n + tuples
    pairs = Pairs(*np.divmod(np.unique(keys[desired] if count == "desired" else keys), n))
    weight = pool if count == "desired" else cells.records
    reach = cells.people if units else int(weight.sum())
    if reach < rules.k:
        whom = " with the desired outcome" if count == "desired" else ""
        raise GuaranteeError(
            f"k={rules.k} cannot be met: the training table has {reach} people{whom}. "
            f"The largest reachable k is {reach}."
        )
    most = len(np.unique(pairs.private))
    if most < rules.l:
        raise GuaranteeError(
            f"l={rules.l} cannot be met: the training table has {most} distinct private tuples."
        )
    return Ground(
        space, weight, pool, np.stack([pairs.cell, pairs.private]) if rules.l > 1 else None, units
    ), pairs
