"""Keys that no name gives away: of whatever comes in several rows, somebody who has a sex or a farm that has a size.

In a table of people and what happened to them, something about a person stays the same in all of their rows. So a
column of which nothing is known, whose values come again and within each of which another column never changes, may be
a key; so may two columns together, such as a household and the number of a member in it, and dates of birth that come
again with the same sex and place. So may a column whose values come once at each point in time. None of this is sure:
it is asked.
O(candidates x columns x n), both bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.dependence import RankedCodes, evidence, measure
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.meanings.names import is_of_somebody, key_of
from lookalike.tables.table import Table

UNSAID = frozenset(
    {"measurement", "category", "thing", "activity"}
)  #: concepts of which next to nothing is known
_LASTING = frozenset({"sex", "birth_date", "birth_year", "birth_part", "race", "nationality", "education"})
_STEADY = 0.9  #: mu from which a key settles another column
_BITS = 30.0  #: evidence against chance
_KEYS = 20  #: values of a key, at least
_AGAIN, _PAIRS_AGAIN = 0.9, 0.6  #: values of a key, and of two together, as a share of their rows, at most
_MEMBERS = 40  #: values of a number within a household or site, at most
_CANDIDATES, _STEADIER = 12, 24  #: columns looked at as keys, and as what they settle
_LOOKED_AT = 100_000  #: rows, all of some keys
_THEIRS = frozenset(
    {"online_id", "vehicle_id", "street_address"}
)  #: identifiers of somebody, or of several people
_LUCK = 10  #: times the pairs of rows that chance makes alike, from which it is none
_BORN_AGAIN = 0.1  #: share of rows whose date of birth and the like are those of another row


class Described(NamedTuple):
    """What has to be known of a column."""

    name: str
    role: Role
    concept: str
    distinct: int
    missing: float  #: share of rows without a value


def likely_keys(people: Table, columns: Sequence[Described]) -> list[str]:
    """Columns that may tell people or households apart though nothing says so, likeliest first."""
    rows = len(people)
    keys = [
        column
        for column in columns
        if (column.concept in UNSAID or _keeps(people, column))
        and _KEYS <= column.distinct <= _AGAIN * rows
        and people.column(column.name).kind in (Kind.INTEGER, Kind.NOMINAL)
    ]
    keys.sort(key=lambda column: (not is_of_somebody(column.name), -column.distinct))
    told = {column.name: column for column in columns}
    found = [column.name for column in keys[:_CANDIDATES] if settles(people, [column.name], told)]
    named = [
        column.name
        for column in keys
        if column.name not in found
        and (is_of_somebody(column.name) or _keeps(people, column) or _in_turn(people, column.name, told))
    ]
    return [*found, *named]


def _keeps(people: Table, column: Described) -> bool:
    """Whether a column may be a key of a household or the like, though its name says something else as well."""
    theirs = column.role is Role.IDENTIFIER and column.concept in _THEIRS
    return theirs or (is_of_somebody(column.name) and people.column(column.name).kind is Kind.INTEGER)


def likely_pair(people: Table, columns: Sequence[Described]) -> tuple[str, str] | None:
    """Two columns that may tell people apart together: what holds people, and the number or key of one in it."""
    able = [
        column
        for column in columns
        if column.concept in UNSAID | {"person_id", "institution", "place", "household", "education"}
        and column.distinct > 1
        and people.column(column.name).kind in (Kind.INTEGER, Kind.NOMINAL)
    ]
    able = sorted(able, key=lambda column: column.concept != "person_id")[:_CANDIDATES]
    told = {column.name: column for column in columns}
    for one, two in combinations(able, 2):
        inside = [column for column in (one, two) if _numbers(people, column)]
        if not inside:
            continue
        member = min(inside, key=lambda column: (key_of(column.name) != "person", column.distinct))
        holder = two if member is one else one
        if settles(people, [holder.name, member.name], told):
            return holder.name, member.name
    return None


def born_again(people: Table, columns: Sequence[Described]) -> int:
    """Rows whose date of birth, sex and place are those of another row, where chance does not make so many."""
    about: dict[str, str] = {}
    for column in columns:
        where = "place" if column.concept in ("postcode", "place") else column.concept
        if where in ("birth_date", "sex", "place", "race") and where not in about.values():
            about[column.name] = where
    if "birth_date" not in about.values() or len(about) < 2:
        return 0
    coded = [_codes(people.column(name)) for name in about]
    of_row, groups = group_codes([one.codes for one in coded], [one.size for one in coded], len(people))
    sizes = np.bincount(of_row, minlength=groups)
    alike = float((sizes * (sizes - 1.0)).sum())
    chance = len(people) * (len(people) - 1.0) * float(np.prod([one.alike for one in coded]))
    again = len(people) - groups
    return again if again > _BORN_AGAIN * len(people) and alike > _LUCK * chance + _KEYS else 0


def settles(people: Table, names: Sequence[str], told: Mapping[str, Described]) -> bool:
    """Whether a column that never changes within a key, and is no part of it, tells that the key is somebody's.

    A key that what is known settles, such as the population of a town, is an attribute of that.
    """
    parts = [_codes(people.column(name)) for name in names]
    labels, n = group_codes([part.codes for part in parts], [part.size for part in parts], len(people))
    rows = np.flatnonzero(labels % -(-len(people) // _LOOKED_AT) == 0)  # whatever the order of rows
    parts = [_codes(people.column(name), rows) for name in names]
    key = RankedCodes(labels[rows], n, 0)
    if not _KEYS <= key.distinct <= (_AGAIN if len(names) == 1 else _PAIRS_AGAIN) * len(rows):
        return False
    others = [
        column for column in told.values() if column.name not in names and column.role is not Role.IDENTIFIER
    ]
    others = [column for column in others if 2 <= column.distinct <= key.distinct / 2][:_STEADIER]
    coded = [_codes(people.column(column.name), rows) for column in others]
    steady = [
        column
        for column, codes, mu in zip(others, coded, measure(key, coded).onto if coded else (), strict=True)
        if mu >= _STEADY
        and evidence(key, codes) >= _BITS
        and all(_mu(part, codes) < _STEADY for part in parts if len(parts) > 1)
    ]
    if not steady or (len(names) > 1 and not any(column.concept in _LASTING for column in steady)):
        return False
    known = [column for column in told.values() if column.name not in names and column.concept not in UNSAID]
    finer = [column for column in known if key.distinct / 2 <= column.distinct <= _AGAIN * len(people)]
    return not any(
        _mu(_codes(people.column(column.name), rows), key) >= _STEADY for column in finer[:_STEADIER]
    )


def _in_turn(people: Table, name: str, told: Mapping[str, Described]) -> bool:
    """Whether each value comes once at each of a few points in time, which are the values of another column."""
    column = people.column(name)
    counts = column.counts[column.counts > 0]
    each = int(counts[0])
    if each < 2 or (counts != each).any():
        return False
    for other in told.values():
        if other.distinct == each and other.name != name:
            points = people.column(other.name)
            pairs = group_codes(
                [column.codes, points.codes], [column.domain.size, points.domain.size], len(people)
            )[1]
            if pairs == len(people):
                return True
    return False


def _numbers(people: Table, column: Described) -> bool:
    """Whether a column numbers members: it is called a person's key, or holds whole numbers from 0 or 1 on."""
    if column.distinct > _MEMBERS and column.concept != "person_id":
        return False
    values = people.column(column.name)
    from_one = values.kind is Kind.INTEGER and values.domain.values[0] in (0, 1)
    return key_of(column.name) == "person" or (
        from_one and column.distinct == int(values.domain.values[-1]) - int(values.domain.values[0]) + 1
    )


def _mu(one: RankedCodes, other: RankedCodes) -> float:
    return float(measure(one, [other]).onto[0])


def _codes(column: Column, rows: NDArray[np.int64] | None = None) -> RankedCodes:
    codes = column.codes if rows is None else column.codes[rows]
    return RankedCodes(codes.astype(np.int32), column.domain.size, 0)
