"""Find the columns that give a quasi-identifier away: exact and approximate functions either way, and shared orders.

The rule, for a column and a quasi-identifier (false alarms on public tables: docs/linked-columns.md):
one determines the other with mu of at least 0.9 (0.85 where its values occur ten times on average) and at least 20 bits
of evidence, or each determines the other with mu of at least 0.75, or their ranks correlate with at least 0.98. Two
columns together need mu of 0.95, 0.15 more than either alone has, or a third that is their difference or, clipped,
their sum. A column of nearly all distinct values determines everything trivially: that is a name, not a link, unless it
is a copy of the quasi-identifier in another form (`copies.py`).
O(columns x quasi-identifiers x n).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import checked
from lookalike.base.errors import ColumnError, LookalikeWarning, RequestError, unknown_column
from lookalike.recognition.links.clipping import find_clipped, find_clipped_copies
from lookalike.recognition.links.copies import find_copies
from lookalike.recognition.links.dependence import RankedCodes, evidence, in_step, measure
from lookalike.recognition.links.differences import amounts_of, find_differences
from lookalike.recognition.links.link import How, Link, class_sizes
from lookalike.recognition.links.sums import find_sums
from lookalike.tables.columns.grouping import group_codes, group_keys
from lookalike.tables.columns.roles import Role
from lookalike.tables.intake import table
from lookalike.tables.sources.frames import Rows
from lookalike.tables.table import Table

DETERMINED = 0.9  #: mu from which a column determines another
REPEATED, OFTEN = 0.85, 10  #: mu that is enough where the values of the column that determines occur so often
BOTH_WAYS = 0.75  #: mu that is enough where each determines the other
IN_STEP = 0.98  #: rank correlation from which two columns have the same order
BITS = 20.0  #: evidence against chance: one in a million
NAMES = 0.9  #: share of distinct values from which a column is a name
TOGETHER, GAIN = 0.95, 0.15  #: mu of two columns together, and what it must be above that of either alone
_FEW_ROWS, _FEW_VALUES = 20, 5  # too few to speak of an order
_LOOK, _MARGIN = (
    1 << 16,
    0.2,
)  # rows looked at first where a column has many values, and how far off they may be
_SAMPLE, _MOST_PAIRS = 10_000, 500  # two columns together are looked at while that stays cheap


@checked
def linked_columns(
    people: Table | Rows, *, quasi: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> tuple[Link, ...]:
    """The columns that give a quasi-identifier away, and how far k would fall if it were blurred and they were not.

    people: a `Table`, or any frame together with `quasi`.
    quasi: the quasi-identifiers; the table's own unless given. columns: where to look; all but these and identifiers.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> zips = ["8010", "8020", "8030", "8040"] * 25
        >>> frame = pl.DataFrame({"zip": zips, "town": [f"Graz {code}" for code in zips]})
        >>> [(link.columns, link.how, link.quasi) for link in la.linked_columns(frame, quasi=["zip"])]
        [(('town',), 'one to one', ('zip',))]
    """
    people = people if isinstance(people, Table) else table(people, others=[])
    people = people.in_sight()
    if not len(people):
        return ()
    quasi = list(people.quasi if quasi is None else quasi)
    if not quasi:
        raise RequestError(
            "the table has no quasi-identifiers. Name them with `quasi`; `inspect` proposes some."
        )
    if columns is None:
        columns = [name for name in people.names if people.roles[name] is not Role.IDENTIFIER]
    for what, given in (("quasi", quasi), ("columns", columns)):
        for name in given:
            if name not in people.names:
                raise unknown_column(name, people.names, what)
    others = [name for name in columns if name not in set(quasi)]
    question = ("links", tuple(quasi), tuple(others), tuple(people.quasi))
    links: tuple[Link, ...] = people.once(question, lambda: _find(people, quasi, others))
    return links


def _find(people: Table, quasi: Sequence[str], columns: Sequence[str]) -> tuple[Link, ...]:
    """The links of these columns to these quasi-identifiers."""
    rows = _one_row_each(people)
    known = {name: one for name in quasi if (one := _values(people, name, rows)) is not None}
    others = {name: one for name in columns if (one := _values(people, name, rows)) is not None}
    if not known or not others:
        return ()
    some = _SomeRows([*known.values(), *others.values()])
    found = [one for name in known for one in _single(name, known[name], others, some)]
    found += _together(known, others, found, some)
    places = some.mixed(_SAMPLE)
    looked_at = places if rows is None else rows[places]
    found += _copied(people, known, others, places, looked_at, found)
    found += _calculated(people, known, others, looked_at, found)
    return tuple(
        Link(one.columns, one.quasi, one.how, one.strength, *_fall(people, quasi, one)) for one in found
    )


@dataclass(frozen=True)
class _Found:
    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    how: How
    strength: float


def _values(people: Table, name: str, rows: NDArray[np.int64] | None) -> RankedCodes | None:
    """A column to be compared; None where it has a single value, or values that cannot be read."""
    try:
        with warnings.catch_warnings():  # how dates are read matters to nobody here
            warnings.simplefilter("ignore", LookalikeWarning)
            column = people.column(name)
    except ColumnError:
        return None
    known = column.counts if rows is None and people.times is None else None
    codes = column.codes if rows is None else column.codes[rows]
    values = RankedCodes(codes, column.domain.size, len(column.domain.values), known)
    return values if values.distinct > 1 else None


def _one_row_each(people: Table) -> NDArray[np.int64] | None:
    """One row of each person, where a person has several: equal rows of one person are no evidence of a rule."""
    if people.unit is None:
        return None
    unit = people.column(people.unit).codes
    rest = [people.column(name) for name in people.quasi]
    order, _ = group_codes([c.codes for c in rest], [c.domain.size for c in rest], len(people))
    by_person = np.lexsort((order, unit))
    first: NDArray[np.int64] = by_person[np.diff(unit[by_person], prepend=-1) != 0]
    return first


def _single(
    name: str, known: RankedCodes, others: dict[str, RankedCodes], some: _SomeRows
) -> Iterator[_Found]:
    plain = {
        other: values for other, values in others.items() if not _is_name(values) and not _is_name(known)
    }
    close = {other: values for other, values in plain.items() if _worth_measuring(known, values, some)}
    found = measure(known, list(close.values()))
    for (other, values), onto, back, step in zip(
        close.items(), found.onto, found.back, found.step, strict=True
    ):
        tells, told = _determines(values, known, back), _determines(known, values, onto)
        if min(onto, back) >= BOTH_WAYS and min(evidence(values, known), evidence(known, values)) >= BITS:
            tells = told = True
        if tells or told:
            how: How = "one to one" if tells and told else "determines" if tells else "follows from"
            strength = min(onto, back) if tells and told else back if tells else onto
            yield _Found((other,), (name,), how, float(strength))
        elif abs(step) >= IN_STEP and _has_order(known) and _has_order(values):
            yield _Found((other,), (name,), "in step with", float(step))
    for other, values in others.items():
        if other not in plain and _has_order(known) and _has_order(values):
            step = in_step(known, values)
            if abs(step) >= IN_STEP:
                yield _Found((other,), (name,), "in step with", step)


def _determines(source: RankedCodes, target: RankedCodes, mu: float) -> bool:
    often = len(source.codes) >= OFTEN * source.distinct
    return mu >= (REPEATED if often else DETERMINED) and evidence(source, target) >= BITS


def _worth_measuring(one: RankedCodes, other: RankedCodes, some: _SomeRows) -> bool:
    """Whether two columns may be linked, by some of many rows.

    Where the finer column has many values, these are all rows that have some of them: how far its values tell the
    other's is then seen as it is, the other way round not worse than it is.
    """
    fine = one if one.distinct > other.distinct else other
    if len(one.codes) < 4 * _LOOK:
        return True
    seen = measure(some.part(one, fine), [some.part(other, fine)])
    strongest = max(float(seen.onto[0]), float(seen.back[0]))
    return strongest >= BOTH_WAYS - _MARGIN or abs(float(seen.step[0])) >= IN_STEP - _MARGIN


class _SomeRows:
    """Some of many rows, chosen by what they hold, so that the order of rows decides nothing."""

    def __init__(self, columns: Sequence[RankedCodes]) -> None:
        self._columns = columns
        self._parts: dict[tuple[RankedCodes, RankedCodes | None], RankedCodes] = {}
        self._rows: dict[RankedCodes | None, NDArray[np.int64]] = {}

    def part(self, values: RankedCodes, fine: RankedCodes) -> RankedCodes:
        """A column over rows that have some of the values of one with many; over about so many where it has few."""
        by = None if fine.distinct < _LOOK // 10 else fine
        if (values, by) not in self._parts:
            if by not in self._rows:
                self._rows[by] = (
                    _having(fine, _LOOK) if by is not None else np.flatnonzero(self.chosen(_LOOK))
                )
            self._parts[values, by] = _part(values, self._rows[by])
        return self._parts[values, by]

    def chosen(self, most: int) -> NDArray[np.bool_]:
        """About so many rows of more."""
        mixed, n = self._mixed, len(self._mixed)
        chosen = mixed <= np.partition(mixed, most)[most]
        some = mixed[chosen]
        if 2 * len(np.unique(some)) >= len(some):
            return np.asarray(chosen)
        # Many rows are alike: all of them or none would be taken, so each is numbered.
        order = np.argsort(mixed)
        alike = mixed[order]
        first = np.flatnonzero(np.append(True, alike[1:] != alike[:-1]))
        number = np.arange(n) - np.repeat(first, np.diff(first, append=n))
        each = np.empty_like(mixed)
        each[order] = _mix(alike + number.astype(np.uint64))
        return np.asarray(each <= np.partition(each, most)[most])

    def mixed(self, most: int) -> NDArray[np.int64]:
        """At most so many rows, in an order that what they hold gives."""
        return np.argsort(self._mixed, kind="stable")[:most]

    @cached_property
    def _mixed(self) -> NDArray[np.uint64]:
        mixed = np.zeros(len(self._columns[0].codes), dtype=np.uint64)
        for values in self._columns:
            mixed ^= values.codes.astype(np.uint64)
            mixed = _mix(mixed)
        return mixed


def _having(values: RankedCodes, most: int) -> NDArray[np.int64]:
    """The rows that have some of the values of a column: about so many."""
    mixed = (np.arange(values.size, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)  # unlike what the grouping hashes by
    few = np.uint64(most / len(values.codes) * 2**32)
    return np.flatnonzero(((mixed >> np.uint64(32)) < few)[values.codes])


def _together(
    known: dict[str, RankedCodes], others: dict[str, RankedCodes], single: list[_Found], some: _SomeRows
) -> Iterator[_Found]:
    """Two columns that together determine a quasi-identifier, and columns that two quasi-identifiers determine."""
    linked = {(found.columns[0], found.quasi[0]) for found in single}
    done = {column for column, _ in linked}
    free = {name: values for name, values in others.items() if name not in done}
    if len(next(iter(known.values())).codes) > _SAMPLE:
        rows = np.flatnonzero(some.chosen(_SAMPLE))
        known, free = ({name: _part(v, rows) for name, v in side.items()} for side in (known, free))
    sides = [(free, known)] if len(free) * (len(free) - 1) // 2 <= _MOST_PAIRS else []
    for source, target in [*sides, (known, free)]:
        for two in combinations([name for name, values in source.items() if not _is_name(values, 0.5)], 2):
            pair = _joined(*(source[name] for name in two))
            if pair is None:
                continue
            names = [name for name in target if not _is_name(target[name], 0.5)]
            strong = measure(pair, [target[name] for name in names]).onto
            for name, strength in zip(names, strong.tolist(), strict=True):
                if strength < TOGETHER or evidence(pair, target[name]) < BITS:
                    continue
                alone = max(float(measure(source[one], [target[name]]).onto[0]) for one in two)
                if strength - alone >= GAIN:
                    yield (
                        _Found(two, (name,), "determines", strength)
                        if source is free
                        else _Found((name,), two, "follows from", strength)
                    )


def _copied(
    people: Table,
    known: dict[str, RankedCodes],
    others: dict[str, RankedCodes],
    places: NDArray[np.int64],
    rows: NDArray[np.int64],
    found: Sequence[_Found],
) -> Iterator[_Found]:
    """Columns that hold a quasi-identifier in another form, unless they are linked to it already."""
    linked = {(one.columns[0], one.quasi[0]) for one in found if len(one.columns) == len(one.quasi) == 1}
    for other, name, how, strength in find_copies(people, known, others, places, rows):
        if (other, name) not in linked:
            linked.add((other, name))
            yield _Found((other,), (name,), how, strength)


def _calculated(
    people: Table,
    quasi: Iterable[str],
    others: Iterable[str],
    rows: NDArray[np.int64],
    relations: Sequence[_Found],
) -> Iterator[_Found]:
    """Columns that are the difference of two, or tell a quasi-identifier so, unless two of the three are linked; and
    columns that add up to one."""
    known, free = (amounts_of(people, names, rows) for names in (quasi, others))
    linked = [{*one.columns, *one.quasi} for one in relations]
    with np.errstate(over="ignore", invalid="ignore"):  # numbers without end are near to nothing
        equations = {frozenset(names): share for names, share in find_differences(known, free)}
        equations = {frozenset(names): share for names, share in find_clipped(known, free)} | equations
        sums = list(find_sums(known, free))
        copies = list(find_clipped_copies(known, free))
    for whole, clipped, share in copies:
        if {whole, clipped} not in linked:
            linked.append({whole, clipped})
            yield (
                _Found((whole,), (clipped,), "determines", share)
                if clipped in known
                else _Found((clipped,), (whole,), "follows from", share)
            )
    for names, share in equations.items():
        if not any(pair <= names for pair in linked):
            told = tuple(name for name in free if name in names)
            how: How = "determines" if len(told) > 1 else "follows from"
            yield _Found(told, tuple(name for name in known if name in names), how, share)
    for items, total, share in sums:
        yield _Found(items, (total,), "determines", share)


def _joined(one: RankedCodes, other: RankedCodes) -> RankedCodes | None:
    """Two columns as one; None where nearly every row has a pair of its own."""
    labels, n = group_codes([one.codes, other.codes], [one.size, other.size], len(one.codes))
    pair = RankedCodes(labels, n, 0)
    return None if _is_name(pair, 0.5) else pair


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers mixed in place."""
    numbers *= np.uint64(0x9E3779B97F4A7C15)
    numbers ^= numbers >> np.uint64(29)
    return numbers


def _part(values: RankedCodes, rows: NDArray[np.int64]) -> RankedCodes:
    """A column over some rows; of many values only those that occur."""
    codes = values.codes[rows]
    if values.size <= len(rows):
        return RankedCodes(codes, values.size, values.ordered)
    labels, known = group_keys(codes.astype(np.int64), values.size)
    return RankedCodes(labels, len(known), int(np.searchsorted(known, values.ordered)))


def _is_name(values: RankedCodes, share: float = NAMES) -> bool:
    """Whether nearly every row has a value of its own."""
    return values.distinct > share * len(values.codes)


def _has_order(values: RankedCodes) -> bool:
    return len(values.codes) >= _FEW_ROWS and values.distinct >= _FEW_VALUES


def _fall(people: Table, quasi: Sequence[str], relation: _Found) -> tuple[int, int, int, int]:
    """The smallest class with the quasi-identifier blurred away, without and with the columns; and who is alone."""
    unit = None if people.unit is None else people.column(people.unit).codes
    rest = [people.column(name).codes for name in quasi if name not in relation.quasi]
    known = [people.column(name).codes for name in relation.columns]
    (k, alone), (k_known, alone_known) = (_smallest(by, len(people), unit) for by in (rest, [*rest, *known]))
    return k, k_known, alone, alone_known


def _smallest(by: list[NDArray[np.int32]], n: int, unit: NDArray[np.int32] | None) -> tuple[int, int]:
    """The people in the smallest class, and how many are alone in a class of theirs."""
    of_row, people = class_sizes(by, n, unit)
    alone = people[of_row] == 1
    return int(people.min()), int(alone.sum()) if unit is None else len(np.unique(unit[alone]))
