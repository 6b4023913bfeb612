"""Numbers by which a person's rows could be put together, so that they have to be blurred with what outsiders know.

A weight, a height or an income that is the same in all rows of a person, or in all of one kind, acts as a pseudonym,
whatever its role. Words stay as they are: few have so many values, and a diagnosis is what such tables are made for.
What nothing is known of and has a value for each person is no measure to be blurred but a key, to be left out.
O(columns x kinds of rows x n).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from lookalike.links.agreement import Codes
from lookalike.links.persons import keys_of, places_of_numbers
from lookalike.links.trajectories import SEVERAL, Trajectories, find_trajectories
from lookalike.tables.table import Table

STAYS_THE_SAME = "stays the same in all rows of a person"
_VALUES = 20  #: numbers of more values measure something, and few people share one
_EVERYBODY = 0.95  #: share of people whose rows have a value of their own, from which a column is a key
_OF_NAMES = "diagnosis"  #: its numbers are names of illnesses, and it stays what it is


def would_rejoin(people: Table, shown: Mapping[str, Codes], unit: str | None) -> dict[str, str]:
    """The numbers by which, with all else that is shown, many people's rows could be put together; and why, in words.

    What is left once they are blurred is looked at again, as it may still do so.
    shown: the code of each row in each column that would be published as it is.
    """
    out: dict[str, str] = {}
    if unit is None or not shown:
        return out
    whose = keys_of(people.column(unit))
    known = whose >= 0
    everybody = len(people.column(unit).domain.values)
    published = {
        name: codes[known]
        for name, codes in shown.items()
        if _measures(people, name) or 2 * people.column(name).domain.size <= everybody  # others name people
    }
    numbers = places_of_numbers(people, [name for name in published if _measures(people, name)], known)
    while (found := find_trajectories(published, whose[known], numbers)) is not None and found.many:
        names = [name for name in found.columns if _tells(people, name, published[name])]
        if not names:
            break
        for name in names:
            del published[name]
            numbers.pop(name, None)
            out[name] = _why(found, name)
    return out


def _why(found: Trajectories, name: str) -> str:
    kind = f" that are alike in {found.kind}" if name in found.within else ""
    nearly = " but for little" if name in found.nearly and not kind else ""
    others = ", with others that do," if len(found.columns) > 1 else ""
    told = f"{found.told:,} of {found.people:,} people's rows"
    return f"{STAYS_THE_SAME}{kind}{nearly} and{others} would put {told} together"


def _tells(people: Table, name: str, codes: Codes) -> bool:
    return _measures(people, name) and len(np.unique(codes)) > _VALUES


def keys_of_people(people: Table, names: Iterable[str], unit: str | None) -> dict[str, str]:
    """Of these columns, those that have a value for each person and about as many as there are people; and why."""
    if unit is None:
        return {}
    whose = keys_of(people.column(unit))
    known = whose >= 0
    everybody = len(people.column(unit).domain.values)
    keys = {}
    for name in names:
        values = len(people.column(name).domain.values)
        if name == unit or not _EVERYBODY * everybody <= values <= everybody / _EVERYBODY:
            continue
        found = find_trajectories({name: people.column(name).codes[known]}, whose[known])
        if found and found.people >= SEVERAL and found.told >= _EVERYBODY * found.people:
            keys[name] = (
                f"{values:,} values for {everybody:,} people, each the same in all rows of a person: a key of people"
            )
    return keys


def _measures(people: Table, name: str) -> bool:
    column = people.column(name)
    return column.kind.numeric and people.concept(column) != _OF_NAMES
