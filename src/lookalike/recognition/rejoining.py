"""Numbers by which a person's rows could be put together, so that they have to be blurred with what outsiders know.

A weight, a height or an income that is the same in all rows of a person acts as a pseudonym, whatever its role. Words
stay as they are: few have so many values, and a diagnosis is what such tables are made for. O(columns x n log n).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lookalike.links.persons import keys_of
from lookalike.links.trajectories import Codes, find_trajectories
from lookalike.tables.table import Table

STAYS_THE_SAME = "stays the same in all rows of a person"
_VALUES = 20  #: numbers of more values measure something, and few people share one
_OF_NAMES = "diagnosis"  #: its numbers are names of illnesses, and it stays what it is


def would_rejoin(people: Table, shown: Mapping[str, Codes], unit: str | None) -> tuple[list[str], str]:
    """The numbers by which, with all else that is shown, many people's rows could be put together; and why, in words.

    shown: the code of each row in each column that would be published as it is.
    """
    if unit is None or not shown:
        return [], ""
    whose = keys_of(people.column(unit))
    known = whose >= 0
    everybody = len(people.column(unit).domain.values)
    published = {
        name: codes[known]
        for name, codes in shown.items()
        if _measures(people, name) or 2 * people.column(name).domain.size <= everybody  # others name people
    }
    found = find_trajectories(published, whose[known])
    if found is None or not found.many:
        return [], ""
    names = [
        name for name in found.columns if _measures(people, name) and len(np.unique(shown[name])) > _VALUES
    ]
    others = ", with others that do," if len(found.columns) > 1 else ""
    return (
        names,
        f"{STAYS_THE_SAME} and{others} would put {found.told:,} of {found.people:,} people's rows together",
    )


def _measures(people: Table, name: str) -> bool:
    column = people.column(name)
    return column.kind.numeric and people.concept(column) != _OF_NAMES
