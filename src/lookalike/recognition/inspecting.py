"""Inspect a table: propose the role of each column, and say why in words.

Three questions per column, after El Emam and Dankar 2008 (https://doi.org/10.1197/jamia.M2716): what is it (name
and values), would an outsider know it, and does it tell people apart, alone and on top of the other columns. The
last is one grouping per column beside the classes of the proposed quasi-identifiers. O(columns x n).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import polars as pl

from lookalike.base.checks import checked
from lookalike.base.errors import warn
from lookalike.base.progress import Progress, Report, track
from lookalike.recognition.context import by_links, by_telling, in_context
from lookalike.recognition.entities import Described
from lookalike.recognition.inspection import ColumnReport, Inspection, MissingCode
from lookalike.recognition.links import Link, linked_columns
from lookalike.recognition.links.persons import keys_of
from lookalike.recognition.rejoining import keys_of_people, would_rejoin
from lookalike.recognition.subsets import Universe
from lookalike.recognition.telling import told_share
from lookalike.recognition.totals import warn_of_totals
from lookalike.recognition.units import find_unit, share_alone
from lookalike.tables.columns.alike import tell_of_likeness
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.intake import read
from lookalike.tables.intake import table as make_table
from lookalike.tables.meanings import mnemonics
from lookalike.tables.meanings.concepts import CONCEPTS
from lookalike.tables.meanings.meaning import Meaning
from lookalike.tables.meanings.missing import StandIns, stand_ins, values_elsewhere
from lookalike.tables.meanings.reasons import Reason, Why
from lookalike.tables.sources.frames import Source
from lookalike.tables.table import Table

_TELLING = 0.1  # a share of what there is to know about a sensitive column that is worth a word
_MUCH = 0.05  # a gain in distinction that is worth a word
_UNSAID = ("measurement", "category", "thing")  # of columns that nothing more is known of
_NUMBERED = 0.8  # how sure a key is that has a value for each person
_COUNTED = (Role.QUASI, Role.SENSITIVE)
_MOST_SENSITIVE = 8  # sensitive columns compared with


@checked
def inspect(
    table: Table | Source,
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

    table: a table, a frame, or the name of a file.

    Examples:
        >>> import lookalike as la
        >>> inspection = la.inspect(la.datasets.population(200, seed=1).select("name", "age", "gender", "income"))
        >>> {name: role.value for name, role in inspection.roles.items()}
        {'name': 'identifier', 'age': 'quasi', 'gender': 'quasi', 'income': 'sensitive'}
    """
    people = rows_to_look_at(table, memory=memory)
    with track(progress, "Reading names and values") as report:
        meanings = _read(people, _dictionaries(dictionaries), report)
        columns = [people.column(name) for name in people.names]
        warn_of_totals(columns)
        meanings, unit, links = _beside_each_other(people, columns, meanings)
        report(0.7)
        tells = _tells(people, columns, meanings, unit)
        meanings = by_telling(meanings, {name: i for i, name in enumerate(people.names)}, tells)
        report(0.8)
        gains, distinction, uniqueness = _measure(people, meanings, unit)
        stands = [
            stand_ins(column, meaning.concept.name) for column, meaning in zip(columns, meanings, strict=True)
        ]
        elsewhere = values_elsewhere(columns, stands)
        quasi = {
            column.name for column, m in zip(columns, meanings, strict=True) if m.concept.role is Role.QUASI
        }
        links = tuple(link for link in links if not quasi.issuperset(link.columns))
        reports = []
        for column, meaning, gain, share, missing in zip(
            columns, meanings, gains, tells, stands, strict=True
        ):
            given = people.roles[column.name]
            reasons = (
                *_reasons(meaning, gain, share),
                *_reasons_of_missing(missing, people.na, elsewhere),
                *_reasons_of_role(given, meaning.concept.role),
                *(Reason(Why.LINK, {"link": link}) for link in links if column.name in link.columns),
            )
            reports.append(_report(column, meaning, gain, share, reasons, given=given, missing=missing))
            if meaning.concept.role in _COUNTED and given not in _COUNTED:
                _tell_of_likeness(people, column)
        report(1.0)
    codes = tuple(_missing_codes(columns, stands, elsewhere))
    return Inspection(tuple(reports), len(people), distinction, uniqueness, links, people, codes)


def rows_to_look_at(table: Any, *, memory: str | int | None = None) -> Table:
    """All rows of a table in memory; of others about 200,000, chosen by what they hold, and a warning where that is not
    all of them."""
    if isinstance(table, str | Path):
        table = read(table, engine="streaming", memory=memory, others=[])
    elif not isinstance(table, Table):
        table = make_table(table, others=[])
    if table.origin is None:
        return cast("Table", table)
    some, records = table.in_sight(), table.origin.records
    if len(some) < records:
        warn(
            f"{len(some):,} of {records:,} rows were looked at, chosen by what they hold. People are more alone in a "
            "sample than in the table: for numbers about all of them, count with la.risk.",
        )
    return cast("Table", some)


def _read(people: Table, dictionaries: Sequence[mnemonics.Dictionary], report: Report) -> list[Meaning]:
    """What each column is about, by its own name and values."""
    official = mnemonics.look_up(people.names, dictionaries)
    meanings = []
    for i, name in enumerate(people.names):
        meanings.append(people.meaning(people.column(name), official.get(name)))
        report(0.6 * (i + 1) / len(people.names))
    return meanings


def _beside_each_other(
    people: Table, columns: Sequence[Column], meanings: Sequence[Meaning]
) -> tuple[list[Meaning], str | None, tuple[Link, ...]]:
    """What columns are about beside the others, which of them tells people apart, and which give others away."""
    out = in_context(columns, meanings)
    described = [_described(name, meaning) for name, meaning in zip(people.names, out, strict=True)]
    unit = people.unit or find_unit(people, described).column
    out = _by_keys(people, out, unit)
    rejoining = _rejoining(people, out, unit)
    out = _by_rejoining(people, out, rejoining)
    links = _links(people, out, unit)
    telling = (link for link in links if rejoining.keys().isdisjoint(link.quasi))
    return by_links(columns, out, telling), unit, links


def _missing_codes(
    columns: Sequence[Column], stands: Sequence[StandIns | None], elsewhere: Mapping[str, tuple[str, ...]]
) -> Iterator[MissingCode]:
    """The values that may stand for missing, one by one."""
    for column, missing in zip(columns, stands, strict=True):
        for text in () if missing is None else missing.values:
            sure = missing is not None and text in missing.sure
            yield MissingCode(column.name, text, _records(column, text), sure, elsewhere[text])


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
    """What nothing is known of but that it has a value for each person is a key of people; so is what people are
    counted by."""
    unsaid = [name for name, one in zip(people.names, meanings, strict=True) if one.concept.name in _UNSAID]
    keys = keys_of_people(people, unsaid, unit)
    counted = next((i for i, name in enumerate(people.names) if name == unit), None)
    if counted is not None and meanings[counted].concept.role is not Role.IDENTIFIER and people.unit is None:
        keys[people.names[counted]] = Reason(Why.COUNTED_BY)
    return [
        replace(
            one,
            concept=CONCEPTS["person_id"],
            confidence=max(one.confidence, _NUMBERED),
            reasons=(keys[name], *one.reasons),
        )
        if name in keys
        else one
        for name, one in zip(people.names, meanings, strict=True)
    ]


def _rejoining(people: Table, meanings: Sequence[Meaning], unit: str | None) -> dict[str, Reason]:
    """The columns that would put a person's rows together, and why."""
    shown = [
        name
        for name, meaning in zip(people.names, meanings, strict=True)
        if meaning.concept.role in (Role.OTHER, Role.SENSITIVE) and not meaning.decide
    ]
    return would_rejoin(people, dict.fromkeys(shown), unit)


def _by_rejoining(
    people: Table, meanings: Sequence[Meaning], rejoining: Mapping[str, Reason]
) -> list[Meaning]:
    """What would put a person's rows together is a quasi-identifier, whatever it is about."""
    out = list(meanings)
    for i, name in enumerate(people.names):
        if name in rejoining:
            why = "whoever puts a person's rows together learns more than each of them tells"
            concept = replace(out[i].concept, role=Role.QUASI, why=why)
            out[i] = replace(out[i], concept=concept, reasons=(rejoining[name], *out[i].reasons))
    return out


def _links(people: Table, meanings: Sequence[Meaning], unit: str | None) -> tuple[Link, ...]:
    """The columns that would give a proposed quasi-identifier away, were they published; by one row of each person."""
    roles = {name: meaning.concept.role for name, meaning in zip(people.names, meanings, strict=True)}
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
    quasi = [name for name, m in zip(names, meanings, strict=True) if m.concept.role is Role.QUASI]
    known = [people.column(name) for name in quasi]
    of_row, classes = group_codes([c.codes for c in known], [c.domain.size for c in known], len(people))
    without = {}
    if quasi:
        universe = Universe(people, quasi)
        everything = (1 << len(quasi)) - 1
        sets = universe.measure([everything & ~(1 << i) for i in range(len(quasi))])
        without = dict(zip(quasi, sets.classes.tolist(), strict=True))
    gains = [0.0] * len(names)
    for i, (name, meaning) in enumerate(zip(names, meanings, strict=True)):
        if name in without:
            gains[i] = (classes - without[name]) / len(people)
        elif meaning.concept.role is not Role.IDENTIFIER and not meaning.facts.constant:
            column = people.column(name)
            beside = group_codes([of_row, column.codes], [classes, column.domain.size], len(people))[1]
            gains[i] = (beside - classes) / len(people)
    return gains, classes / len(people), share_alone(people, of_row, classes, unit)


def _tells(
    people: Table, columns: Sequence[Column], meanings: Sequence[Meaning], unit: str | None
) -> list[tuple[float, str]]:
    """Per column the sensitive one that it tells most about, by share of what there is to know, in one row of each
    person."""
    private = [c for c, m in zip(columns, meanings, strict=True) if m.concept.role is Role.SENSITIVE][
        :_MOST_SENSITIVE
    ]
    whose = None if unit is None else keys_of(people.column(unit))
    out = []
    for column, meaning in zip(columns, meanings, strict=True):
        best = (0.0, "")
        if meaning.concept.role not in (Role.IDENTIFIER, Role.SENSITIVE) and not meaning.facts.constant:
            for other in private:
                share = told_share(column, other, whose)
                if share > best[0]:
                    best = (share, other.name)
        out.append(best)
    return out


def _report(
    column: Column,
    meaning: Meaning,
    gain: float,
    tells: tuple[float, str],
    reasons: tuple[Reason, ...],
    *,
    given: Role,
    missing: StandIns | None,
) -> ColumnReport:
    facts, concept = meaning.facts, meaning.concept
    doubted = 0.9 if concept.role is Role.OTHER and gain > _MUCH else 1.0
    return ColumnReport(
        column.name,
        concept.role,
        round(meaning.confidence * doubted, 3),
        reasons,
        concept.name,
        concept.known,
        facts.distinct,
        facts.missing / max(facts.records, 1),
        facts.unique,
        gain,
        tells[0],
        None if given is Role.OTHER else given,
        meaning.decide,
        () if missing is None else missing.values,
    )


def _reasons(meaning: Meaning, gain: float, tells: tuple[float, str]) -> Iterator[Reason]:
    """Why a column has its role, and how far it tells people apart."""
    facts, concept = meaning.facts, meaning.concept
    yield from meaning.reasons
    if not facts.constant:
        yield Reason(Why.CONCEPT, {"words": concept.why})
        missing = facts.missing / max(facts.records, 1)
        yield Reason(Why.COUNTS, {"distinct": facts.distinct, "unique": facts.unique, "missing": missing})
    if concept.role is Role.QUASI:
        yield Reason(Why.ADDS, {"share": gain}) if gain >= 0.0005 else Reason(Why.ADDS_NOTHING)
    if meaning.decide:
        yield Reason(Why.UNDECIDED)
    if concept.role is Role.OTHER and gain > _MUCH:
        yield Reason(Why.LOOK_AT_IT, {"share": gain})
    if tells[0] >= _TELLING:
        yield Reason(Why.TELLS, {"share": tells[0], "column": tells[1]})


def _reasons_of_missing(
    missing: StandIns | None, na: Sequence[str], elsewhere: Mapping[str, tuple[str, ...]]
) -> Iterator[Reason]:
    """Values that may stand for missing, and those of them that `na` would take in other columns, too."""
    if missing is not None:
        free = [text for text in missing.values if not elsewhere[text]]
        taken = {text: elsewhere[text] for text in missing.values if elsewhere[text]}
        facts = {"words": missing.words, "na": list(na), "free": free, "taken": taken}
        yield Reason(Why.STAND_INS, facts)


def _reasons_of_role(given: Role, proposed: Role) -> Iterator[Reason]:
    """That somebody gave the column another role."""
    if given not in (Role.OTHER, proposed):
        yield Reason(Why.GIVEN_ROLE, {"role": str(given)})
