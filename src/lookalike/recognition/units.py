"""Which column tells people apart who have several rows, and where that is only to be feared.

A key is read by its name first: a person's comes before one of a household, a farm or an account, and that before one
whose name does not say; the key of an event (a visit, a claim, an order) is taken where there is no other. Numbers
given to people tell them apart unless everything that lasts about a person differs in their rows: candidates are
numbered anew at each school. A phone number, a household or a name does where what lasts about a person never changes
within it. Where nothing tells, the key is taken all the same, since groups of k different keys hold k people at least,
and somebody is asked. O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import amount, warn
from lookalike.recognition.entities import Described, born_again, likely_keys, likely_pair, settles
from lookalike.recognition.links.persons import agreements, is_one_persons, keys_of
from lookalike.tables.columns.grouping import group_codes, group_keys
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.meanings.concepts import MAY_BE_ONE_PERSONS, OF_ONE_PERSON, PERSONAL
from lookalike.tables.meanings.names import is_bare_key, key_of, keys_a_place_or_thing, lexicon, split_words
from lookalike.tables.table import Table

_SEVERAL = 0.98  # keys that are fewer than this share of their rows come again: people have several
_WITHOUT = 0.05  # share of rows without a key up to which it tells people apart; such rows are left out
_LUCK = 0.3  # where all that lasts agrees less in the rows of a number given to people, these are several people's
_FEW = 10  # values, and rows that come again, from which it is worth a question
_NESTED = 0.98  # share of the finer keys that lie within one coarser key, from which these are the people
_HOLDERS = 20  # values of a household from which counting these is of use
_MEMBERS = 30  # values of a number of the members of a household, at most
_GIVEN = ("person_id", "national_id")
_CALLED = ("first_name", "last_name", "person_name", "birth_date")
_KEYS = (*OF_ONE_PERSON, *MAY_BE_ONE_PERSONS, "record_id", "event_id")
#: how near a key comes to being a person's: the lowest is taken
_PERSONS, _KEPT, _UNSAID, _BARE, _EVENTS = range(5)
_RANKS = {"person": _PERSONS, "holder": _KEPT, "": _UNSAID, "event": _EVENTS}

Count = Callable[[str], tuple[int, int]]


@dataclass(frozen=True)
class WhoseRows:
    """The column that tells people apart, or None; and the question where it is not sure, in words."""

    column: str | None
    doubt: str = ""


class _Key(NamedTuple):
    """A key that comes again."""

    name: str
    concept: str
    rank: int
    distinct: int
    rows: int
    sure: bool
    known: bool  #: hardly a row is without one


def find_unit(people: Table, columns: Sequence[Described], count: Count | None = None) -> WhoseRows:
    """The key that tells people apart where they have several rows; of patients and their stays, the patients.

    count: the values of a column and the rows, in all of the table where this is of a sample, which hides repeats.
    """
    if count is not None:
        return _find_unit(people, columns, count)
    names = tuple(column.name for column in columns)
    return people.once(("unit", names), lambda: _find_unit(people, columns, None))


def _find_unit(people: Table, columns: Sequence[Described], count: Count | None) -> WhoseRows:
    """The key that tells people apart, by the columns that say something of it."""
    about = {column.name: column.concept for column in columns}
    keys, rows_are_people = [], False
    for column, rank in _candidates(columns):
        distinct, rows = (column.distinct, len(people)) if count is None else count(column.name)
        once = distinct >= _SEVERAL * (1 - column.missing) * rows
        if once:
            given = rank == _PERSONS or column.concept in ("national_id", "email")
            rows_are_people |= given and column.missing <= _WITHOUT
            continue
        key = _read_key(people, column, rank, distinct, rows, about, columns)
        if key is not None:
            keys.append(key)
    if rows_are_people:  # a person's key in each row: others are of households, or of who serves them
        keys = [key for key in keys if key.sure and key.rank == _PERSONS]
    if rows_are_people:
        return _choose(people, keys) if keys else WhoseRows(None)
    if all(key.rank == _EVENTS for key in keys):
        keys += _unsaid_keys(people, columns, about)
    if keys:
        return _choose(people, keys)
    pair = likely_pair(people, columns)
    if pair is not None:
        return _ask_about_pair(people, *pair)
    again = _called_again(people, about)
    if again:
        return WhoseRows(None, _ask_about_names(again, "names"))
    again = born_again(people, columns)
    return WhoseRows(None, _ask_about_names(again, "dates of birth, sexes and places") if again else "")


def _unsaid_keys(people: Table, columns: Sequence[Described], about: dict[str, str]) -> list[_Key]:
    """Keys that no name gives away, unless several people share one who differ in what lasts."""
    known = {column.name: column for column in columns}
    keys = []
    for name in likely_keys(people, columns):
        theirs = is_one_persons(people, keys_of(people.column(name)), about)
        if theirs is not False or key_of(name) == "person":
            column = known[name]
            whole = column.missing <= _WITHOUT
            keys.append(_Key(name, column.concept, _BARE, column.distinct, len(people), False, whole))
    return keys


def _candidates(columns: Sequence[Described]) -> Iterator[tuple[Described, int]]:
    """The columns that may be keys, and how near each comes to being a person's."""
    personal = any(column.concept in PERSONAL and column.concept != "person_id" for column in columns)
    for column in columns:
        said = key_of(column.name)
        if column.concept in ("record_id", "thing", "measurement", "category") and is_bare_key(column.name):
            yield column, _BARE
        elif said == "other" and not personal and keys_a_place_or_thing(column.name):
            yield column, _EVENTS  # in a table about schools, these are what it is about
        elif said == "other" and column.concept not in OF_ONE_PERSON:
            continue
        elif column.role is Role.IDENTIFIER and column.concept in _KEYS:
            if column.concept == "online_id" and not said:
                continue  # devices and sessions are many people's, or none's
            rank = _UNSAID if said == "other" else _RANKS[said]
            yield column, _EVENTS if column.concept == "event_id" else rank


def _read_key(
    people: Table,
    column: Described,
    rank: int,
    distinct: int,
    rows: int,
    about: dict[str, str],
    columns: Sequence[Described],
) -> _Key | None:
    """A key that comes again, unless what lasts about a person says that several people share it."""
    values = people.column(column.name)
    if values.kind is Kind.DATE or (values.kind is Kind.DECIMAL and rank == _BARE):
        return None
    keys = keys_of(values)
    persons = is_one_persons(people, keys, about)
    given, contradicted = rank <= _KEPT and column.concept in _GIVEN, persons is False
    if persons is False and rank == _PERSONS and given:
        # given to one each, though much may be mistyped beside it
        persons = max(agreements(people, keys, about)) >= _LUCK or None
        if persons is None and not settles(people, [column.name], {other.name: other for other in columns}):
            return None
    known = column.missing <= _WITHOUT
    if persons is False:
        feared = rank == _KEPT and _in_rounds(people, keys, columns)
        return _Key(column.name, column.concept, rank, distinct, rows, False, known) if feared else None
    elsewhere = (
        rank == _UNSAID and key_of(column.name) == "other"
    )  # "hospital number" is of patients, or of hospitals
    if persons is None and (elsewhere or min(distinct, rows - distinct) < _FEW):
        return None
    if persons is None and rank == _KEPT and _numbers_members(people, column.name, columns):
        return None
    sure = bool(persons) or (
        rank == _PERSONS and not contradicted and column.concept in (*OF_ONE_PERSON, "online_id")
    )
    sure = sure or (rank == _UNSAID and column.concept in OF_ONE_PERSON)
    sure = sure or (rank == _BARE and _once_in_rounds(people, keys, columns))
    return _Key(column.name, column.concept, rank, distinct, rows, sure and rank != _EVENTS, known)


def _choose(people: Table, keys: Sequence[_Key]) -> WhoseRows:
    """The key that comes nearest to people; of several the coarsest, which is the safer reading. A doubt stays where
    it is not sure, or where another key is as likely."""
    able = [key for key in keys if key.known]
    if not able:
        return WhoseRows(None, _ask(keys[0], None))
    best = min(able, key=lambda key: (not key.sure, key.rank, key.concept not in _GIVEN, key.distinct))
    coarser = [
        key
        for key in able
        if key.rank == best.rank
        and key.distinct < best.distinct
        and _lies_within(people, best.name, key.name)
    ]
    if coarser:
        best = min(coarser, key=lambda key: key.distinct)
    rivals = [
        key
        for key in keys
        if key.name != best.name
        and key.rank <= best.rank
        and not _lies_within(people, key.name, best.name)
        and (key.sure or not best.sure)
        and key.concept != "person_name"
    ]
    if best.sure and not rivals:
        return WhoseRows(best.name)
    return WhoseRows(best.name, _ask(best, rivals[0] if rivals else None))


def _lies_within(people: Table, fine: str, coarse: str) -> bool:
    """Whether nearly every key lies within one coarser key, as the visits of a patient do."""
    keys, within = keys_of(people.column(fine)), keys_of(people.column(coarse))
    known = (keys >= 0) & (within >= 0)
    if not known.any():
        return False
    pairs = np.unique(np.stack([keys[known], within[known]]), axis=1)
    return bool(len(np.unique(pairs[0])) >= _NESTED * pairs.shape[1])


def _in_rounds(people: Table, keys: NDArray[np.int32], columns: Sequence[Described]) -> bool:
    """Whether most keys come again in another wave, so that several people share a key and have several rows each."""
    return any(_spread(people, keys, name) >= 0.5 for name in _rounds(columns))


def _once_in_rounds(people: Table, keys: NDArray[np.int32], columns: Sequence[Described]) -> bool:
    """Whether each key comes once in each wave, as people in a panel do."""
    for name in _rounds(columns):
        wave = people.column(name)
        pairs = np.unique(np.stack([keys, wave.codes]), axis=1).shape[1]
        if pairs >= _SEVERAL * len(people) and _spread(people, keys, name) >= 0.5:
            return True
    return False


def _rounds(columns: Sequence[Described]) -> list[str]:
    return [column.name for column in columns if not lexicon().rounds.isdisjoint(split_words(column.name))]


def _spread(people: Table, keys: NDArray[np.int32], name: str) -> float:
    """The share of the keys that have rows of two values of a column, of those that have two rows."""
    known = keys >= 0
    rows = np.bincount(keys[known])
    pairs = np.unique(np.stack([keys[known], people.column(name).codes[known]]), axis=1)[0]
    several = rows > 1
    return float((np.bincount(pairs, minlength=len(rows))[several] > 1).mean()) if several.any() else 0.0


def _numbers_members(people: Table, holder: str, columns: Sequence[Described]) -> bool:
    """Whether another column numbers the members of a household, so that each row is another person's."""
    keys = people.column(holder)
    for column in columns:
        if column.name == holder or key_of(column.name) != "person" or not 2 <= column.distinct <= _MEMBERS:
            continue
        member = people.column(column.name)
        pairs = group_codes([keys.codes, member.codes], [keys.domain.size, member.domain.size], len(people))[
            1
        ]
        if pairs >= _SEVERAL * len(people):
            return True
    return False


def whose_are_known(people: Table) -> Table:
    """The table without the few rows that do not say whose they are; of many, or far away, it is refused later."""
    if people.unit is None or not people.in_memory:
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


def _ask(key: _Key, rival: _Key | None) -> str:
    """The question that somebody has to answer about a key."""
    again = f"{key.name!r} has {key.distinct:,} different values in {key.rows:,} rows"
    if not key.known:
        return (
            f"{again}, and many rows have none, so rows are counted, as if each were another person's. Do people have "
            "several rows? Then name the column that tells them apart as `unit`"
        )
    if rival is not None:
        return (
            f"{again}, and {rival.name!r} has {rival.distinct:,}: either may tell people apart. Values of {key.name!r} "
            f"are counted until somebody names one of them as `unit`"
        )
    return (
        f"{again}, so people may have several rows. Values of {key.name!r} are counted, not rows, which is the safer "
        f"reading. Name another column as `unit`, or 'rows' if every row is another person"
    )


def _ask_about_pair(people: Table, holder: str, member: str) -> WhoseRows:
    """The question about two columns that tell people apart together; the coarser one is counted where it may be."""
    together = f"{holder!r} and {member!r} together seem to tell people apart, who then have several rows"
    if people.column(holder).domain.size < _HOLDERS:
        return WhoseRows(
            None,
            f"rows are counted, as if each were another person's, but {together}. Then write both into one column and "
            "name it as `unit`, or fewer people look alike than is promised",
        )
    return WhoseRows(
        holder,
        f"{together}. Values of {holder!r} are counted, which is the safer reading. Write both into one column and "
        "name it as `unit`, or say 'rows' if every row is another person",
    )


def _ask_about_names(again: int, what: str) -> str:
    return (
        f"rows are counted, as if each were another person's, but the same {what} come again, as one person's do, in "
        f"{amount(again, 'row')}. Do people have several rows? Then name the column that tells them apart as `unit`, "
        "or fewer people look alike than is promised"
    )
