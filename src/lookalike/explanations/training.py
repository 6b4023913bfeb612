"""What the search stands on: the model's outcome for every training row, who counts towards k, their private values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import shown
from lookalike.base.errors import GuaranteeError, RequestError
from lookalike.explanations.cfk import Ground, Rules
from lookalike.explanations.features import Features
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.space import Space
from lookalike.tables.columns.grouping import first_of_each, group_codes
from lookalike.tables.columns.naming import nameless

Flags = NDArray[np.bool_]
_HELD_BACK = 5  # one candidate in so many is never shown


@dataclass(frozen=True, eq=False)
class Trained:
    """What the model says about the training rows."""

    favoured: Flags  #: per training row: gets the desired outcome
    meant: (
        Flags  #: per training row: could be a counterfactual; favoured, and justified where that is asked for
    )
    desired: Flags  #: per distinct row: one of its training rows is favoured
    candidates: Flags  #: per distinct row: one of its training rows could be a counterfactual
    record: NDArray[np.int64]  #: per distinct row: the training row to speak of


@dataclass(frozen=True, eq=False)
class Pairs:
    """Distinct (cell, private tuple) pairs among those who count."""

    cell: NDArray[np.int64]
    private: NDArray[np.int64]

    def variety(self, covered: Flags) -> int:
        """Distinct private tuples in some cells."""
        return len(np.unique(self.private[covered[self.cell]]))


def consult(outcomes: Outcomes, features: Features, *, justified: bool | None) -> Trained:
    """Ask the model about every training row, once for equal ones; refuse one that cannot be explained."""
    written, first = _as_written(features)
    answers = outcomes.predict(features.people.rows[first])
    favoured = outcomes.is_desired(answers)[written]
    if not favoured.any():
        found = sorted({str(o) for o in answers.tolist()})[:5]
        raise RequestError(
            f"the model never gives the desired outcome {shown(outcomes.desired)} to a training row; "
            f"it gives: {', '.join(found)}. Give `desired` as the model spells it."
        )
    if favoured.all():
        raise RequestError(
            f"the model gives every training row the outcome {outcomes.desired!r}; there is nothing to explain."
        )
    meant = favoured & _justified(outcomes, features, justified)
    if not meant.any():
        raise RequestError(
            f"no training row has the label {outcomes.desired!r} in {features.people.targets[0]!r} and is predicted "
            "so. Spell the target as the model does, or pass justified=False."
        )
    record = np.full(len(features.first), len(meant), dtype=np.int64)
    where = np.flatnonzero(meant)
    np.minimum.at(record, features.of_row[where], where)
    candidates = record < len(meant)
    desired = np.bincount(features.of_row, weights=favoured) > 0
    return Trained(favoured, meant, desired, candidates, np.where(candidates, record, features.first))


def hold_back(trained: Trained, features: Features, seed: int) -> Trained:
    """Take one candidate in five out of those that explanations start from, by the seed; at least one, and not all.

    A box must cover somebody who is never meant (`Ground.kept`). Where refused people do not do for that, these do.
    """
    candidates = np.flatnonzero(trained.candidates)
    drawn = np.array([crc32(features.values[one].tobytes(), seed % 2**32) for one in candidates])
    away = ((drawn % _HELD_BACK == 0) | (drawn == drawn.min())) & (drawn < drawn.max())
    kept = trained.candidates.copy()
    kept[candidates[away]] = False
    return replace(trained, candidates=kept)


def _as_written(features: Features) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Numbers training rows that the model cannot tell apart alike, and the first row of each number.

    The table reads "1" and "1.0", or "" and nothing at all, as one value; the model may not.
    """
    groups, sizes = [features.of_row], [len(features.first)]
    for name in features.names:
        texts = nameless(features.people.rows[name])
        if texts.n_unique() > len(np.unique(features.people.column(name).codes)):
            groups.append(texts.rank("dense").fill_null(0).to_numpy().astype(np.int32))
            sizes.append(int(groups[-1].max()) + 1)
    of_row, n = group_codes(groups, sizes, len(features.of_row))
    return of_row, first_of_each(of_row, n)


def _justified(outcomes: Outcomes, features: Features, asked: bool | None) -> Flags:
    """Training rows whose label is the desired outcome; all of them where that is not asked for."""
    targets = features.people.targets
    if asked is False or (asked is None and len(targets) != 1):
        return np.ones(len(features.of_row), dtype=bool)
    if len(targets) != 1:
        raise RequestError(
            "justified=True needs the label of each row: name one column with table(..., targets=[...])."
        )
    return outcomes.is_desired(np.array(features.people.rows[targets[0]].to_list(), dtype=object))


def stand(
    space: Space,
    features: Features,
    trained: Trained,
    rules: Rules,
    *,
    count: Literal["all", "desired"],
    shown: Flags,
) -> tuple[Ground, Pairs]:
    """Count who could be meant; refuse a promise that the training table is too small for.

    shown: per distinct row: an explanation may start from it.
    """
    cells = space.cells
    units = cells.entries.unit is not None
    if units and count == "desired":
        raise RequestError(
            "count='desired' counts records, and this table counts people (unit). Use count='all'."
        )
    pool, meant = (
        np.bincount(cells.of_row, weights=rows, minlength=len(cells)).astype(np.int64)
        for rows in (trained.favoured, trained.meant)
    )
    private = [features.people.column(name) for name in features.names if name not in features.people.quasi]
    tuples, n = group_codes([c.codes for c in private], [c.domain.size for c in private], len(cells.of_row))
    keys = cells.of_row.astype(np.int64) * n + tuples
    pairs = Pairs(*np.divmod(np.unique(keys[trained.meant] if count == "desired" else keys), n))
    weight = meant if count == "desired" else cells.records
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
    taken = np.bincount(cells.of_row[features.first[shown]], minlength=len(cells))
    spare = np.maximum(weight - taken, 0)
    if rules.k > 1 and not spare.any():
        raise GuaranteeError(
            f"k={rules.k} cannot be met: everybody who counts is shown by some explanation, so matching them all "
            "singles people out. Train on more rows, or use count='all'."
        )
    private_pairs = np.stack([pairs.cell, pairs.private]) if rules.l > 1 else None
    return Ground(space, weight, pool, meant, private_pairs, spare, units), pairs
