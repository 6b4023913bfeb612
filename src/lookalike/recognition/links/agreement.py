"""How far the rows of one person agree in a column, beyond what any two rows would: kappa, by kind of row.

Every row is compared with all others of the same person and kind (Cohen 1960,
https://doi.org/10.1177/001316446002000104), so the order of rows changes nothing. O(n) per column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.link import class_sizes
from lookalike.tables.columns.grouping import first_of_each

Codes = NDArray[np.integer[Any]]
STAYS = 0.9  #: kappa of a person's rows from which a column stays the same
_BY_CHANCE = 10  #: rows that would differ by chance, from which kappa tells something


class Agreement(NamedTuple):
    """Of each kind of row."""

    kappa: NDArray[np.float64]  #: 1 where a person's rows always agree, 0 where they do as any two rows do
    by_chance: NDArray[np.float64]  #: how many of the rows that come again would differ, were it for chance

    @property
    def stays(self) -> NDArray[np.bool_]:
        """Whether the column stays the same, and enough rows tell so."""
        return (self.kappa >= STAYS) & (self.by_chance >= _BY_CHANCE)


@dataclass(frozen=True, eq=False)
class PersonsRows:
    """Whose rows they are, and of which kind; rows of one person and kind are a group."""

    kind: Codes  #: of each row
    kinds: int
    of_row: NDArray[np.int32]  #: the group of each row
    sizes: NDArray[np.int64]  #: rows of each group
    of_group: Codes  #: the kind of each group

    def agreement(self, codes: Codes) -> Agreement:
        """How far the rows of each group agree."""
        label, alike = class_sizes([self.of_row, codes], len(codes))
        group = self.of_row[first_of_each(label, len(alike))]
        others = np.maximum(self.sizes - 1, 1)[group]
        agree = self._sum(self.of_group[group], alike * (alike - 1) / others)
        again = self.sizes > 1
        compared = self._sum(self.of_group[again], self.sizes[again])
        repeats = self._sum(self.of_group, self.sizes - 1)

        label, rows = class_sizes([self.kind, codes], len(codes))
        kind = self.kind[first_of_each(label, len(rows))]
        share = rows / np.maximum(self._sum(kind, rows), 1)[kind]
        differ = 1 - self._sum(kind, share**2)
        told = (compared > 0) & (differ > 0)
        kappa = 1 - (1 - agree / np.maximum(compared, 1)) / np.where(told, differ, 1)
        return Agreement(np.where(told, kappa, 0.0), repeats * differ)

    def _sum(self, kind: Codes, values: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(kind, weights=values, minlength=self.kinds).astype(np.float64)


def rows_of_people(unit: Codes, kind: Codes | None = None) -> PersonsRows:
    """Group rows by whose they are and by their kind; all rows are of one kind where none is given."""
    kind = np.zeros(len(unit), dtype=np.int64) if kind is None else kind
    of_row, sizes = class_sizes([unit, kind], len(unit))
    of_group = kind[first_of_each(of_row, len(sizes))]
    return PersonsRows(kind, int(kind.max(initial=0)) + 1, of_row, sizes, of_group)
