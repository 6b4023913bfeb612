"""Rows that tell they are one person's: columns published as they are that stay the same in all rows of a person.

Together they act as a pseudonym: whoever puts a person's rows together may intersect what is blurred in each of them.
A column stays the same when a person's rows agree in it beyond chance, by a kappa of at least 0.9 (Cohen 1960,
https://doi.org/10.1177/001316446002000104). O(columns x n log n).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.links.link import class_sizes

Codes = NDArray[np.integer[Any]]
STAYS = 0.9  #: kappa of a person's rows from which a column stays the same
#: people with several rows, and the share of them whose rows can be put together, from which that matters
SEVERAL, TOLD = 10, 0.05


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Columns by which rows of one person can be put together."""

    columns: tuple[str, ...]
    of_row: NDArray[np.int32]  #: rows that are alike in all of these columns share a number
    people: int  #: who have several rows
    told: int  #: of these, people with rows that are alike, and like nobody else's

    @property
    def many(self) -> bool:
        """Whether so many people's rows can be put together that something has to be done."""
        return self.people >= SEVERAL and self.told > TOLD * self.people


def find_trajectories(columns: Mapping[str, Codes], unit: Codes) -> Trajectories | None:
    """The columns that stay the same in all rows of a person, and whom they tell; None where there are none.

    columns: the code of each row in each published column; unit: whose row it is.
    """
    order = np.argsort(unit, kind="stable")
    first = np.flatnonzero(np.diff(unit[order], prepend=-1))
    again = np.delete(np.arange(len(order)), first)  # rows of a person besides the first
    before = np.repeat(first, np.diff(first, append=len(order)))[again]
    if not len(again):
        return None
    stay = [name for name, codes in columns.items() if _kappa(codes, order[before], order[again]) >= STAYS]
    if not stay:
        return None
    of_row, sizes = class_sizes([columns[name] for name in stay], len(unit), unit)
    people = int((np.bincount(unit) > 1).sum())
    return Trajectories(tuple(stay), of_row, people, _told(of_row, sizes, unit))


def _kappa(codes: Codes, one: Codes, other: Codes) -> float:
    """How far pairs of rows agree beyond what any two rows would."""
    share = np.bincount(codes) / len(codes)
    chance = float(share @ share)
    return (float((codes[one] == codes[other]).mean()) - chance) / (1 - chance) if chance < 1 else 0.0


def _told(of_row: NDArray[np.int32], people: NDArray[np.int64], unit: Codes) -> int:
    """People with several rows in a group in which nobody else is."""
    mine = (people == 1) & (np.bincount(of_row) > 1)
    return len(np.unique(unit[mine[of_row]]))
