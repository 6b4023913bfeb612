"""What a person is told of a record's box, and how often that holds for them.

With exact values they are told of every column in which they are outside of it. Where k people have to share all that
is said, they are told of no more columns than lead to the outcome, and of none that they cannot change; all else stays
as they have it. Their own values are not said; that a number is more than now is said where at least k people have
less, in all such columns together. O(changes) calls of the model for all rows asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.explanations.explanation import Change, find_changes
from lookalike.explanations.features import Coded, Features
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.staying import shares_as_they_are
from lookalike.recodings.labels import Label
from lookalike.tables.columns.coding import Column
from lookalike.tables.table import Table


@dataclass(frozen=True)
class NearRecord:
    """A record that could be told of, and its box."""

    record: int  #: distinct row
    row: int  #: the training row to speak of
    distance: float
    box: Mapping[str, Label]
    pureness: float
    ncp: float


@dataclass(frozen=True)
class Claim:
    """What one person would be told of a record, and how often it holds for them."""

    about: NearRecord
    changes: tuple[Change, ...]
    stays: tuple[Change, ...]
    holds: float


@dataclass(frozen=True, eq=False)
class Asked:
    """The rows asked about, and what may be said to them."""

    features: Features
    outcomes: Outcomes
    rows: pl.DataFrame
    coded: Coded
    fixed: Sequence[str]  #: columns that no change is said of
    rising: Sequence[str]  #: columns of which only more is said
    shared: bool  #: k people share everything that is said

    def claim(self, at: Sequence[int], found: Sequence[NearRecord]) -> list[Claim]:
        """The claims about some rows (`at`), each with a candidate."""
        told = [self._say(i, one) for i, one in zip(at, found, strict=True)]
        return [self._weigh(one, share) for one, share in zip(told, self._shares(at, told), strict=True)]

    def prune(self, at: Sequence[int], claims: Sequence[Claim]) -> list[Claim]:
        """The claims without the changes that they hold as often without."""
        kept, dropped = list(claims), [0] * len(claims)
        for _ in range(max((len(one.changes) for one in claims), default=0)):
            places = [
                i for i, one in enumerate(kept) if len(one.changes) > 1 and dropped[i] < len(one.changes)
            ]
            fewer = [
                replace(kept[i], changes=kept[i].changes[: dropped[i]] + kept[i].changes[dropped[i] + 1 :])
                for i in places
            ]
            for i, one, share in zip(
                places, fewer, self._shares([at[i] for i in places], fewer), strict=True
            ):
                if share >= kept[i].holds:
                    kept[i] = replace(one, holds=share)
                else:
                    dropped[i] += 1
        return kept

    def _say(self, i: int, about: NearRecord) -> Claim:
        """The columns in which a person is outside the box, and those to stay in."""
        if not self.shared:
            changes, stays = find_changes(self.features, self.rows, i, self.coded, about.box, about.row)
            return Claim(about, tuple(changes), tuple(stays), about.pureness)
        sayable = {name: side for name, side in about.box.items() if name not in self.fixed}
        changes, _ = find_changes(self.features, self.rows, i, self.coded, sayable, None)
        said = [
            Change(one.column, one.then, one.way)
            for one in changes
            if not (one.column in self.rising and one.way == "less")
        ]
        return Claim(about, tuple(said), (), about.pureness)

    def _weigh(self, claim: Claim, share: float) -> Claim:
        """A claim with how often it holds; ranges to stay in are named where the changes alone promise too much.

        No advice is given to stay in a range of what cannot be changed: then less is promised.
        """
        if self.shared or share >= claim.about.pureness:
            return replace(claim, stays=(), holds=share if self.shared else claim.about.pureness)
        stays = tuple(one for one in claim.stays if one.column not in self.fixed)
        return claim if len(stays) == len(claim.stays) else replace(claim, stays=stays, holds=share)

    def _shares(self, at: Sequence[int], told: Sequence[Claim]) -> list[float]:
        """How often the changes of each claim lead to the outcome, all else staying as the person has it."""
        if not told:
            return []
        claims = [(one.changes, one.about.box, one.about.row) for one in told]
        return shares_as_they_are(self.outcomes, self.features, self.rows[list(at)], claims)


def say_ways(changes: Sequence[Change], people: Table, k: int) -> tuple[Change, ...]:
    """The changes, with "more" and "less" only where at least k people would be told the same of these columns."""
    inside = np.ones(len(people), dtype=bool)
    for change in changes:
        if change.way is not None:
            inside &= _on_that_side(change, people.column(change.column))
    shared = len(np.unique(people.column(people.unit).codes[inside])) if people.unit else int(inside.sum())
    return tuple(changes) if shared >= k else tuple(replace(one, way=None) for one in changes)


def _on_that_side(change: Change, column: Column) -> NDArray[np.bool_]:
    """The rows that lie below a range that is more than now, or above one that is less."""
    numbers: NDArray[Any] = column.domain.numbers
    held = numbers[change.then.matches(column.domain)]
    with np.errstate(invalid="ignore"):
        aside = numbers < np.nanmin(held) if change.way == "more" else numbers > np.nanmax(held)
    out: NDArray[np.bool_] = aside[column.codes]
    return out
