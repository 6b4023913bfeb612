"""What a column's neighbours say about it: runs of like-named columns, tables about things, and dependences.

Only columns of which nothing is known are given a meaning here; and where a whole table speaks of houses, roads or
the weather and of nobody, what looks like a person's is doubted. O(columns).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lookalike.recognition.links import Link
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.meanings.concepts import CONCEPTS, PERSONAL, ColumnConcept
from lookalike.tables.meanings.keys import few_share, may_be_key
from lookalike.tables.meanings.meaning import Meaning
from lookalike.tables.meanings.names import lexicon, split_words
from lookalike.tables.meanings.plausible import is_bare_class
from lookalike.tables.meanings.reasons import Reason, Why

_NUMBER = re.compile(r"\d+")
_RUN = 5  # columns from which like names make a run
_SCALE = 12  # answers a questionnaire offers at most
_SURE = 0.65  # how sure a meaning taken from neighbours is
_THINGS = 2  # columns that speak of things from which a table without a person is doubted
_INSIDE = ("holds", "adds up")  # such columns say more than the quasi-identifier in them
_FINER, _FEW = (
    4,
    20,
)  # times as many values as a quasi-identifier, and values, from which a column says more than it
_ALL_BUT = 0.95  # a share of what there is to know from which a column says what another one says
_UNKNOWN = 0.5  # how sure it is that nobody knows


def in_context(columns: Sequence[Column], meanings: Sequence[Meaning]) -> list[Meaning]:
    """The meanings once neighbours are looked at."""
    out = _without_people(columns, _without_labels(columns, meanings))
    people = any(one.concept.name in PERSONAL for one in out)
    for run in _runs(columns):
        unknown = [i for i in run if out[i].decide]
        told = {out[i].concept.name for i in run if not out[i].decide and not out[i].facts.constant}
        if not unknown:
            continue
        if len(told) == 1 and len(unknown) <= len(run) // 2:
            (name,) = told
            reason = Reason(Why.ALIKE_NAMES, {"columns": len(run), "concept": CONCEPTS[name].words})
            out = _with_concept(out, unknown, CONCEPTS[name], reason)
        elif (
            not told and _one_scale([columns[i] for i in run]) and (people or _is_asked(columns[run[0]].name))
        ):
            reason = Reason(Why.QUESTIONNAIRE, {"columns": len(run)})
            out = _with_concept(out, unknown, CONCEPTS["answers"], reason)
    return out


def by_links(columns: Sequence[Column], meanings: Sequence[Meaning], links: Iterable[Link]) -> list[Meaning]:
    """Unknown columns that say what a quasi-identifier says are known to whom that one is known.

    A key is not: that of a household goes with where it lives, and a set of such keys would name the households.
    """
    place = {column.name: i for i, column in enumerate(columns)}
    out = list(meanings)
    for link in sorted(links, key=lambda one: -abs(one.strength)):
        i = place[link.columns[0]]
        alone = len(link.columns) == 1 and len(link.quasi) == 1 and link.how not in _INSIDE
        finer = link.how == "determines" and out[i].facts.distinct > max(
            _FINER * out[place[link.quasi[0]]].facts.distinct, _FEW
        )
        named = may_be_key(columns[i]) or finer or (link.how == "determines" and few_share(columns[i]))
        if alone and out[i].decide and not named:
            reason = Reason(Why.KNOWN_BY_LINK, {"link": link})
            out = _with_concept(out, [i], meanings[place[link.quasi[0]]].concept, reason)
    return out


def by_telling(
    meanings: Sequence[Meaning], places: Mapping[str, int], shares: Sequence[tuple[float, str]]
) -> list[Meaning]:
    """Unknown columns that say nearly all about a sensitive one, with about as many values, are as sensitive."""
    out = list(meanings)
    for i, (share, name) in enumerate(shares):
        if share >= _ALL_BUT and out[i].decide:
            other = meanings[places[name]]
            if 2 <= out[i].facts.distinct <= 2 * other.facts.distinct:
                out = _with_concept(out, [i], other.concept, Reason(Why.SAYS_THE_SAME, {"column": name}))
    return out


def _without_people(columns: Sequence[Column], meanings: Sequence[Meaning]) -> list[Meaning]:
    """Where several names speak of things and no column of a person, the rest is about things as well."""
    words = [set(split_words(column.name)) for column in columns]
    of_things = [bool(said & lexicon().about_things) for said in words]
    personal = any(
        one.concept.name in PERSONAL and not thing for one, thing in zip(meanings, of_things, strict=True)
    )
    if personal or sum(of_things) < _THINGS:
        return list(meanings)
    sure = _SURE if sum(of_things) > _THINGS else 0.5
    reason = Reason(Why.ABOUT_THINGS, {"columns": sum(of_things)})
    out = list(meanings)
    for i, one in enumerate(meanings):
        if one.concept.role in (Role.QUASI, Role.SENSITIVE) or (one.decide and of_things[i]):
            out[i] = replace(
                one, concept=CONCEPTS["thing"], confidence=sure, reasons=(reason, *one.reasons[:1])
            )
    return out


def _without_labels(columns: Sequence[Column], meanings: Sequence[Meaning]) -> list[Meaning]:
    """A class is a label where it ends the table, or begins it, and nothing speaks of schools; else nobody knows."""
    taught = any(lexicon().taught & set(split_words(column.name)) for column in columns)
    out = list(meanings)
    for i, (column, one) in enumerate(zip(columns, meanings, strict=True)):
        inside = taught or 0 < i < len(columns) - 1
        if inside and one.concept.name == "bookkeeping" and is_bare_class(column.name):
            reason = Reason(Why.CLASS_OR_LABEL)
            out[i] = replace(one, concept=CONCEPTS["category"], confidence=_UNKNOWN, reasons=(reason,))
    return out


def _runs(columns: Sequence[Column]) -> list[list[int]]:
    """Columns whose names differ in one number only, five or more."""
    families: dict[str, list[int]] = defaultdict(list)
    for i, column in enumerate(columns):
        for match in list(_NUMBER.finditer(column.name))[:2]:
            families[f"{column.name[: match.start()]}\0{column.name[match.end() :]}"].append(i)
    return [run for run in families.values() if len(run) >= _RUN]


def _one_scale(run: Sequence[Column]) -> bool:
    """The same few values in all: none of them has one that most others lack."""
    scales = [frozenset(column.domain.texts) for column in run if len(column.domain.values) <= _SCALE]
    if len(scales) < len(run) or any(column.kind in (Kind.DECIMAL, Kind.DATE) for column in run):
        return False
    every = frozenset().union(*scales)
    return 2 <= len(every) <= _SCALE and all(2 * len(scale) >= len(every) for scale in scales if scale)


def _is_asked(name: str) -> bool:
    return bool(lexicon().asked & set(split_words(name)[:1]))


def _with_concept(
    meanings: Sequence[Meaning], places: Iterable[int], concept: ColumnConcept, reason: Reason
) -> list[Meaning]:
    """The meanings, where the columns at these places are about another concept."""
    out = list(meanings)
    for i in places:
        out[i] = replace(out[i], concept=concept, confidence=_SURE, reasons=(reason,))
    return out
