"""Inspect a table: propose the role of each column, and say why in words.

Three questions per column, after El Emam and Dankar 2008 (https://doi.org/10.1197/jamia.M2716): what is it (name
and values), would an outsider know it, and does it tell people apart, alone and on top of the other columns. The
last is one grouping per column beside the classes of the proposed quasi-identifiers. O(columns x n).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.checks import checked
from lookalike.columns.alike import tell_of_likeness
from lookalike.columns.coding import Column
from lookalike.columns.domains import Codes
from lookalike.columns.grouping import group_codes
from lookalike.columns.roles import Kind, Role
from lookalike.engines import is_far, look_at
from lookalike.links import Link, linked_columns
from lookalike.links.persons import keys_of
from lookalike.meanings import mnemonics
from lookalike.meanings.concepts import CONCEPTS
from lookalike.meanings.meaning import Meaning
from lookalike.meanings.missing import StandIns, stand_ins, values_elsewhere
from lookalike.progress import Progress, track
from lookalike.recognition.context import by_links, by_telling, in_context
from lookalike.recognition.inspection import ColumnReport, Inspection, MissingCode
from lookalike.recognition.rejoining import keys_of_people, would_rejoin
from lookalike.recognition.subsets import Universe
from lookalike.recognition.telling import told_share
from lookalike.recognition.totals import warn_of_totals
from lookalike.recognition.units import Described, find_unit, share_alone
from lookalike.tables.intake import table as make_table
from lookalike.tables.table import Table

_TELLING = 0.1  # a share of what there is to know about a sensitive column that is worth a word
_MUCH = 0.05  # a gain in distinction that is worth a word
_UNSAID = ("measurement", "category", "thing")  # of columns that nothing more is known of
_NUMBERED = 0.8  # how sure a key is that has a value for each person
_COUNTED = (Role.QUASI, Role.SENSITIVE)
_MOST_SENSITIVE = 8  # sensitive columns compared with


@checked
def inspect(
    table: Any,
    *,
    dictionaries: Sequence[str | Path] = (),
    progress: Progress = False,
    memory: str | int | None = None,
) -> Inspection:
    """Propose a role (identifier, quasi, sensitive, other) for each column of a table or frame.

    Files that are named, and DuckDB relations, are read where they are; of many rows a sample is looked at.

    Roles the table already has are not touched; where the proposal differs, the evidence says so. Columns of which
    nothing is known are marked `decide`.
    dictionaries: files of further official names, such as those that come with the package.
    memory: how much reading files may take, such as "2GB".
    """
    if is_far(table):
        people = look_at(table, memory=memory)
    else:
        people = table if isinstance(table, Table) else make_table(table, others=[])
    official = mnemonics.look_up(people.names, _dictionaries(dictionaries))
    with track(progress, "Reading names and values") as report:
        columns, meanings = [], []
        for i, name in enumerate(people.names):
            columns.append(people.column(name))
            meanings.append(people.meaning(columns[-1], official.get(name)))
            report(0.6 * (i + 1) / len(people.names))
        warn_of_totals(columns)
        meanings = in_context(columns, meanings)
        unit = people.unit or find_unit(people, [*map(_described, people.names, meanings)]).column
        meanings = _by_keys(people, meanings, unit)
        rejoining = _rejoining(people, meanings, unit)
        meanings = _by_rejoining(people, meanings, rejoining)
        linked = _linked(people, meanings, unit)
        known = (link for link in linked if rejoining.keys().isdisjoint(link.quasi))
        meanings = by_links(columns, meanings, known)
        report(0.7)
        private = [c for c, m in zip(columns, meanings) if m.concept.role is Role.SENSITIVE][:_MOST_SENSITIVE]
        whose = None if unit is None else keys_of(people.column(unit))
        told = [_tell(column, meaning, private, whose) for column, meaning in zip(columns, meanings)]
        meanings = by_telling(meanings, {name: i for i, name in enumerate(people.names)}, told)
        report(0.8)
        gains, distinction, uniqueness = _measure(people, meanings, unit)
        stands = [stand_ins(column, meaning.concept.name) for column, meaning in zip(columns, meanings)]
        elsewhere = values_elsewhere(columns, stands)
        reports = [
            _report(people, column, meaning, gain, tells, (missing, elsewhere))
            for column, meaning, gain, tells, missing in zip(columns, meanings, gains, told, stands)
        ]
        quasi = {one.name for one in reports if one.role is Role.QUASI}
        linked = tuple(link for link in linked if not quasi.issuperset(link.columns))
        for i, one in enumerate(reports):
            words = tuple(str(link) for link in linked if one.name in link.columns)
            reports[i] = replace(one, evidence=one.evidence + words)
            if one.role in _COUNTED and people.roles[one.name] not in _COUNTED:
                _tell_of_likeness(people, columns[i])
        report(1.0)
    codes = tuple(
        MissingCode(column.name, text, _records(column, text), text in found.sure, elsewhere[text])
        for column, found in zip(columns, stands)
        if found is not None
        for text in found.values
    )
    return Inspection(tuple(reports), len(people), distinction, uniqueness, linked, people, codes)


def _tell_of_likeness(people: Table, column: Column) -> None:
    """Words that seem to be one, where people are counted by them: of names, which are left out, nobody need know."""
    if column.kind is Kind.NOMINAL and column.name not in people.kinds:
        tell_of_likeness(column.name, pl.Series(column.domain.texts, dtype=pl.String))


def _records(column: Column, text: str) -> int:
    return sum(int(column.counts[i]) for i, own in enumerate(column.domain.texts) if own.strip() == text)


def _dictionaries(further: Sequence[str | Path]) -> list[mnemonics.Dictionary]:
    """The reader's own first: where two know as many names, they count."""
    return [*(mnemonics.read_dictionary(Path(path)) for path in further), *mnemonics.dictionaries()]


def _by_keys(people: Table, meanings: Sequence[Meaning], unit: str | None) -> list[Meaning]:
    """What nothing is known of but that it has a value for each person is a key of people."""
    unsaid = [name for name, one in zip(people.names, meanings) if one.concept.name in _UNSAID]
    keys = keys_of_people(people, unsaid, unit)
    return [
        replace(
            one,
            concept=CONCEPTS["person_id"],
            confidence=max(one.confidence, _NUMBERED),
            evidence=(keys[name], *one.evidence),
        )
        if name in keys
        else one
        for name, one in zip(people.names, meanings)
    ]


def _rejoining(people: Table, meanings: Sequence[Meaning], unit: str | None) -> dict[str, str]:
    """The columns that would put a person's rows together, and why."""
    shown = {
        name: people.column(name).codes
        for name, meaning in zip(people.names, meanings)
        if meaning.concept.role in (Role.OTHER, Role.SENSITIVE) and not meaning.decide
    }
    return would_rejoin(people, shown, unit)


def _by_rejoining(people: Table, meanings: Sequence[Meaning], rejoining: Mapping[str, str]) -> list[Meaning]:
    """What would put a person's rows together is a quasi-identifier, whatever it is about."""
    out = list(meanings)
    for i, name in enumerate(people.names):
        if name in rejoining:
            why = "whoever puts a person's rows together learns more than each of them tells"
            concept = replace(out[i].concept, role=Role.QUASI, why=why)
            out[i] = replace(out[i], concept=concept, evidence=(rejoining[name], *out[i].evidence))
    return out


def _linked(people: Table, meanings: Sequence[Meaning], unit: str | None) -> tuple[Link, ...]:
    """The columns that would give a proposed quasi-identifier away, were they published; by one row of each person."""
    roles = {name: meaning.concept.role for name, meaning in zip(people.names, meanings)}
    quasi = [name for name, role in roles.items() if role is Role.QUASI]
    shown = [name for name, role in roles.items() if role is not Role.IDENTIFIER]
    described = people.with_roles(**roles).with_unit(unit)
    return linked_columns(described, quasi=quasi, columns=shown) if quasi else ()


def _described(name: str, meaning: Meaning) -> Described:
    concept, facts = meaning.concept, meaning.facts
    return Described(name, concept.role, concept.name, facts.distinct, facts.missing / max(facts.records, 1))


def _measure(
    people: Table, meanings: Sequence[Meaning], unit: str | None
) -> tuple[list[float], float, float]:
    """What each column adds to the distinction of the (other) quasi-identifiers; and what these reach together."""
    names = people.names
    quasi = [name for name, m in zip(names, meanings) if m.concept.role is Role.QUASI]
    known = [people.column(name) for name in quasi]
    of_row, classes = group_codes([c.codes for c in known], [c.domain.size for c in known], len(people))
    without = {}
    if quasi:
        universe = Universe(people, quasi)
        everything = (1 << len(quasi)) - 1
        sets = universe.measure([everything & ~(1 << i) for i in range(len(quasi))])
        without = dict(zip(quasi, sets.classes.tolist()))
    gains = [0.0] * len(names)
    for i, (name, meaning) in enumerate(zip(names, meanings)):
        if name in without:
            gains[i] = (classes - without[name]) / len(people)
        elif meaning.concept.role is not Role.IDENTIFIER and not meaning.facts.constant:
            column = people.column(name)
            beside = group_codes([of_row, column.codes], [classes, column.domain.size], len(people))[1]
            gains[i] = (beside - classes) / len(people)
    return gains, classes / len(people), share_alone(people, of_row, classes, unit)


def _tell(
    column: Column, meaning: Meaning, private: Sequence[Column], whose: Codes | None
) -> tuple[float, str]:
    """The sensitive column this one tells most about: by share of what there is to know, in one row of each person."""
    if meaning.concept.role in (Role.IDENTIFIER, Role.SENSITIVE) or meaning.facts.constant:
        return 0.0, ""
    best = (0.0, "")
    for other in private:
        share = told_share(column, other, whose)
        if share > best[0]:
            best = (share, other.name)
    return best


def _report(
    people: Table,
    column: Column,
    meaning: Meaning,
    gain: float,
    told: tuple[float, str],
    stands: tuple[StandIns | None, Mapping[str, tuple[str, ...]]],
) -> ColumnReport:
    facts, concept = meaning.facts, meaning.concept
    missing, elsewhere = stands
    evidence = [*meaning.evidence]
    if not facts.constant:
        evidence.append(concept.why)
        evidence.append(_count_words(facts.distinct, facts.unique, facts.missing / max(facts.records, 1)))
    if concept.role is Role.QUASI:
        evidence.append(
            f"adds {gain:.1%} of distinction to the other quasi-identifiers"
            if gain >= 0.0005
            else "the other quasi-identifiers already tell apart whom it would; it can stand in for one of them"
        )
    if meaning.decide:
        evidence.append("decide: name and values do not say what it is, so it should not be published unseen")
    if concept.role is Role.OTHER and gain > _MUCH:
        evidence.append(f"look at it: it would add {gain:.1%} of distinction if somebody knew it")
    if told[0] >= _TELLING:
        evidence.append(f"tells {told[0]:.0%} of what there is to know about {told[1]!r}")
    if missing is not None:
        evidence.append(_missing_words(missing, people.na, elsewhere))
    given = people.roles[column.name]
    if given not in (Role.OTHER, concept.role):
        evidence.append(f"was given the role {given}")
    return ColumnReport(
        column.name,
        concept.role,
        round(meaning.confidence * (0.9 if concept.role is Role.OTHER and gain > _MUCH else 1.0), 3),
        tuple(evidence),
        concept.name,
        concept.known,
        facts.distinct,
        facts.missing / max(facts.records, 1),
        facts.unique,
        gain,
        told[0],
        None if given is Role.OTHER else given,
        meaning.decide,
        () if missing is None else missing.values,
    )


def _missing_words(found: StandIns, na: Sequence[str], elsewhere: Mapping[str, tuple[str, ...]]) -> str:
    """The question, and the option that answers it with yes, unless that would take values of other columns."""
    free = [text for text in found.values if not elsewhere[text]]
    words = found.words
    if free:
        words += f" If so, read the table with --na={shlex.quote(','.join([*na, *free]))}"
    if taken := [text for text in found.values if elsewhere[text]]:
        words += f" {_in_other_columns(taken, elsewhere)}"
    return words


def _in_other_columns(taken: Sequence[str], elsewhere: Mapping[str, tuple[str, ...]]) -> str:
    """Why `na` cannot say that some values are missing, and what can."""
    held = "; ".join(f"{text!r} is a value of {', '.join(elsewhere[text][:3])}" for text in taken)
    return f"{held}: `na` would take it there too, so empty these cells in the file if they say nothing."


def _count_words(distinct: int, unique: float, missing: float) -> str:
    words = f"{distinct:,} distinct value{'s' if distinct != 1 else ''}"
    if unique >= 0.0005:
        words += f", {unique:.1%} of records alone with theirs"
    if missing:
        words += f", {missing:.1%} missing" if missing >= 0.0005 else ", a few missing"
    return words
