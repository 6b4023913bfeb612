"""Which column tells people apart who have several rows, and where that is only to be feared.

Numbers given to people do, unless everything that lasts about a person differs in their rows: candidates are numbered
anew at each school. A phone number, an account, a device or a name does where what lasts about a person never changes
within it: households share phones, doctors and machines serve many. O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import amount, warn
from lookalike.recognition.links.persons import LASTING, agreements, is_one_persons, keys_of
from lookalike.tables.columns.grouping import group_codes, group_keys
from lookalike.tables.columns.roles import Role
from lookalike.tables.engines import FarTable
from lookalike.tables.meanings.concepts import MAY_BE_ONE_PERSONS, OF_ONE_PERSON
from lookalike.tables.table import Table

_SEVERAL = 0.98  # keys that are fewer than this share of their rows come again: people have several
_WITHOUT = 0.05  # share of rows without a key up to which it tells people apart; such rows are left out
_LUCK = 0.3  # where all that lasts agrees less in the rows of a number given to people, these are several people's
_FEW = 10  # values, and rows that come again, from which it is worth a question
_GIVEN = ("person_id", "national_id")
_CALLED = ("first_name", "last_name", "person_name", "birth_date")
#: concepts that say whose a row is, or last about a person
_TELLING = {*OF_ONE_PERSON, *MAY_BE_ONE_PERSONS, *_CALLED, *LASTING, "age"}

Count = Callable[[str], tuple[int, int]]


class Described(NamedTuple):
    """What has to be known of a column."""

    name: str
    role: Role
    concept: str
    distinct: int
    missing: float  #: share of rows without a value


@dataclass(frozen=True)
class WhoseRows:
    """The column that tells people apart, or None; and what is to be feared where none surely does, in words."""

    column: str | None
    doubt: str = ""


def find_unit(people: Table, columns: Sequence[Described], count: Count | None = None) -> WhoseRows:
    """The key that tells people apart where they have several rows; of patients and their stays, the patients.

    count: the values of a column and the rows, in all of the table where this is of a sample, which hides repeats.
    """
    telling = tuple(column for column in columns if column.concept in _TELLING)
    if count is not None:
        return _find_unit(people, telling, count)
    return people.once(("unit", telling), lambda: _find_unit(people, telling, None))


def _find_unit(people: Table, columns: Sequence[Described], count: Count | None) -> WhoseRows:
    """The key that tells people apart, by the columns that say something of it."""
    about = {column.name: column.concept for column in columns}
    sure: dict[str, int] = {}
    doubts = []
    for column in columns:
        if column.role is not Role.IDENTIFIER or column.concept not in (*OF_ONE_PERSON, *MAY_BE_ONE_PERSONS):
            continue
        distinct, rows = (column.distinct, len(people)) if count is None else count(column.name)
        if distinct >= _SEVERAL * (1 - column.missing) * rows:
            continue
        keys = keys_of(people.column(column.name))
        persons = is_one_persons(people, keys, about)
        if persons is None:
            persons = True if column.concept in OF_ONE_PERSON else None
        elif (
            not persons and column.concept in _GIVEN
        ):  # given to one each, though much may be mistyped beside it
            persons = max(agreements(people, keys, about)) >= _LUCK
        if persons and column.missing <= _WITHOUT:
            sure[column.name] = distinct
        elif persons or (persons is None and _is_feared(column.concept, distinct, rows)):
            doubts.append(f"{column.name!r} has {distinct:,} different values in {rows:,} rows")
    if sure:  # two people may have one name: a number given to them comes first
        return WhoseRows(min(sure, key=lambda name: (about[name] not in _GIVEN, sure[name])))
    if not doubts and (again := _called_again(people, about)):
        doubts.append(f"the same names come again, as one person's do, in {amount(again, 'row')}")
    return WhoseRows(None, _ask(doubts))


def whose_are_known(people: Table) -> Table:
    """The table without the few rows that do not say whose they are; of many, or far away, it is refused later."""
    if people.unit is None or isinstance(people, FarTable):
        return people
    known = keys_of(people.column(people.unit)) >= 0
    lost = len(people) - int(known.sum())
    if not 0 < lost <= _WITHOUT * len(people):
        return people
    warn(f"{amount(lost, 'row')} without a value in {people.unit!r}, which tells people apart: left out.")
    return people.filter(known)


def share_alone(people: Table, of_row: NDArray[np.int32], classes: int, unit: str | None) -> float:
    """The share of people who are the only one of some class; of rows where nobody tells people apart."""
    if unit is None:
        return float((np.bincount(of_row, minlength=classes) == 1).sum()) / len(people)
    whose = people.column(unit)
    known = keys_of(whose) >= 0
    keys = of_row[known].astype(np.int64) * whose.domain.size + whose.codes[known]
    of_class, person = np.divmod(group_keys(keys, classes * whose.domain.size)[1], whose.domain.size)
    alone = person[np.bincount(of_class, minlength=classes)[of_class] == 1]
    return len(np.unique(alone)) / max(len(np.unique(person)), 1)


def _is_feared(concept: str, distinct: int, rows: int) -> bool:
    """Whether so many values come again that they may be people; devices and sessions are many people's, or none's."""
    return concept != "online_id" and min(distinct, rows - distinct) >= _FEW


def _called_again(people: Table, about: dict[str, str]) -> int:
    """Rows whose names, with their dates of birth, stand in another row too, where they are one person's."""
    names = [name for name, concept in about.items() if concept in _CALLED]
    if not any(about[name] in ("last_name", "person_name") for name in names):
        return 0
    called = [people.column(name) for name in names]
    of_row, groups = group_codes([c.codes for c in called], [c.domain.size for c in called], len(people))
    known: NDArray[np.bool_] = np.all([keys_of(column) >= 0 for column in called], axis=0)
    again = int(known.sum()) - len(np.unique(of_row[known]))
    born = "birth_date" in {about[name] for name in names}
    if again <= (1 - _SEVERAL) * len(people) or groups < 2:
        return 0
    keys = np.where(known, of_row, -1).astype(np.int32)
    persons = is_one_persons(people, keys, {n: c for n, c in about.items() if n not in names})
    return again if persons or (persons is None and born) else 0


def _ask(doubts: Sequence[str]) -> str:
    if not doubts:
        return ""
    return (
        f"rows are counted, as if each were another person's, but {' and '.join(doubts[:3])}. Do people have several "
        "rows? Then name the column that tells them apart as `unit`, or fewer people look alike than is promised"
    )
