"""Numbers by which a person's rows could be put together, so that they have to be blurred with what outsiders know.

A weight, a height or an income that is the same in all rows of a person, or in all of one kind, acts as a pseudonym,
whatever its role. Words stay as they are: few have so many values, and a diagnosis is what such tables are made for.
What nothing is known of and has a value for each person is no measure to be blurred but a key, to be left out.
O(columns x kinds of rows x n).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from lookalike.recognition.links.agreement import Codes
from lookalike.recognition.links.persons import keys_of, places_of_numbers
from lookalike.recognition.links.trajectories import SEVERAL, Trajectories, find_trajectories
from lookalike.tables.columns.coding import Column
from lookalike.tables.meanings.reasons import Reason, Why
from lookalike.tables.table import Table

_VALUES = 20  #: numbers of more values measure something, and few people share one
_EVERYBODY = 0.95  #: share of people whose rows have a value of their own, from which a column is a key
_OF_NAMES = "diagnosis"  #: its numbers are names of illnesses, and it stays what it is


def would_rejoin(people: Table, shown: Mapping[str, float | None], unit: str | None) -> dict[str, Reason]:
    """The numbers by which, with all else that is shown, many people's rows could be put together; and why.

    What is left once they are blurred is looked at again, as it may still do so.
    shown: the columns that would be published, and what each is rounded to; None as it is.
    """
    out: dict[str, Reason] = {}
    if unit is None or not shown:
        return out
    whose = keys_of(people.column(unit))
    known = whose >= 0
    everybody = len(people.column(unit).domain.values)
    published = {
        name: _rounded(people.column(name), step)[known]
        for name, step in shown.items()
        if _measures(people, name) or 2 * people.column(name).domain.size <= everybody  # others name people
    }
    numbers = places_of_numbers(people, [name for name in published if _measures(people, name)], known)

    def find() -> Trajectories | None:
        return find_trajectories(published, whose[known], numbers)

    while published:
        question = ("trajectories", unit, tuple((name, shown[name]) for name in published))
        trajectories = people.once(question, find)
        if trajectories is None or not trajectories.many:
            break
        names = [name for name in trajectories.columns if _tells(people, name, published[name])]
        if not names:
            break
        for name in names:
            del published[name]
            numbers.pop(name, None)
            out[name] = _reason(trajectories, name)
    return out


def _rounded(column: Column, step: float | None) -> Codes:
    """The codes of a column once it is rounded."""
    if step is None:
        return column.codes
    values = np.asarray(column.domain.values, dtype=np.float64)
    groups = np.unique(np.round(values / step), return_inverse=True)[1]
    return np.append(groups, groups.max(initial=0) + 1)[np.minimum(column.codes, len(values))]


def _reason(trajectories: Trajectories, name: str) -> Reason:
    facts = {
        "told": trajectories.told,
        "people": trajectories.people,
        "kind": trajectories.kind if name in trajectories.within else None,
        "nearly": name in trajectories.nearly,
        "others": len(trajectories.columns) > 1,
    }
    return Reason(Why.REJOINS, facts)


def _tells(people: Table, name: str, codes: Codes) -> bool:
    return _measures(people, name) and len(np.unique(codes)) > _VALUES


def keys_of_people(people: Table, names: Iterable[str], unit: str | None) -> dict[str, Reason]:
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
            keys[name] = Reason(Why.KEY_OF_PEOPLE, {"values": values, "people": everybody})
    return keys


def _measures(people: Table, name: str) -> bool:
    column = people.column(name)
    return column.kind.numeric and people.concept(column) != _OF_NAMES
