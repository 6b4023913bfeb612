"""What a draft decides about each column: its role, rounded or left out, what says the same, how it is blurred."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from math import floor, log10
from typing import Any

import numpy as np

from lookalike.recognition.inspection import ColumnReport
from lookalike.recognition.links.finding import IN_STEP
from lookalike.recognition.links.nesting import MANY, go_in_step, lies_below, most_common_above, say_the_same
from lookalike.recognition.rejoining import would_rejoin
from lookalike.releases.recipes.recipe import ColumnRecipe
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.hierarchies import ROOT, Hierarchy
from lookalike.tables.meanings.keys import may_be_key
from lookalike.tables.meanings.reasons import Reason, Why
from lookalike.tables.table import Table

_ALONE = 0.2  #: share of records alone with their value above which a column is not published as it is
_MOSTLY_ALONE = 0.5  #: the same for sensitive texts, such as mutations: whoever knows one finds the person
_STRUCTURED = ("postcode", "diagnosis", "treatment")  #: codes whose beginnings mean something
_WHERE = {"place", "postcode", "institution", "coordinates"}
_WORK = {"occupation", "employment"}
_BORN = {"age", "birth_year", "birth_date"}
_LIVING = {"place", "postcode"}


def proposal(column: ColumnReport) -> Reason:
    """That a role was proposed, how surely and by what."""
    return Reason(Why.PROPOSED, {"confidence": column.confidence, "evidence": column.reasons[0]})


def decide_column(people: Table, column: ColumnReport, unit: str | None) -> ColumnRecipe:
    """A column in its proposed role: rounded or left out where its values would find too many people."""
    if column.missing == 1:
        return ColumnRecipe(column.role, (Reason(Why.EMPTY),), drop=True)
    decided = ColumnRecipe(column.role, (proposal(column),))
    if column.name == unit:
        decided = decided.with_reason(Why.PEOPLE_COUNTED)
        decided = decided.with_reason(Why.NOBODYS_ROWS) if column.missing else decided
    if column.decide:
        return decided.with_reason(Why.LEFT_OUT_UNDECIDED, drop=True)
    if column.role in (Role.OTHER, Role.SENSITIVE):
        return _coarse_enough(people, column, unit, decided)
    return decided


def _coarse_enough(
    people: Table, column: ColumnReport, unit: str | None, decided: ColumnRecipe
) -> ColumnRecipe:
    """A column to be published, rounded or left out where too many are alone with their value."""
    share = _alone(people, column, unit)
    if share <= _ALONE:
        return decided
    facts = {"share": share, "people": unit is not None, "step": None}
    values = people.column(column.name)
    if values.kind.numeric and values.kind is not Kind.DATE and column.distinct > 1:
        step = _step(np.asarray(values.domain.values, dtype=np.float64))
        if step <= 1 and values.kind is Kind.INTEGER:
            return decided
        return decided.with_reason(Why.ALONE, {**facts, "step": step}, round=step)
    if column.role is Role.SENSITIVE and share <= _MOSTLY_ALONE:
        return decided
    return decided.with_reason(Why.ALONE, facts, drop=True)


def _alone(people: Table, column: ColumnReport, unit: str | None) -> float:
    """The share of records with a value that nobody else has."""
    if unit is None:
        return column.unique
    values, whose = people.column(column.name), people.column(unit)
    pairs, n = group_codes([values.codes, whose.codes], [values.domain.size, whose.domain.size], len(people))
    value_of = np.zeros(n, dtype=np.int64)
    value_of[pairs] = values.codes
    owners = np.bincount(value_of, minlength=values.domain.size)[: len(values.domain.values)]
    return float(values.counts[: len(owners)][owners == 1].sum()) / max(len(people), 1)


def _step(values: np.ndarray[Any, Any]) -> float:
    """A round step, about a fiftieth of where the middle of the values lies."""
    low, high = np.quantile(values, [0.1, 0.9])
    wide = float(high - low) / 50 or float(values[-1] - values[0]) / 50
    power = 10.0 ** floor(log10(wide))
    step = max(lead * power for lead in (1, 2, 5) if lead * power <= wide * (1 + 1e-9))
    return int(step) if step >= 1 else step


def blur_rejoining(
    people: Table, columns: Mapping[str, ColumnRecipe], unit: str | None
) -> dict[str, ColumnRecipe]:
    """What puts a person's rows together only once it is rounded, or among more rows than were looked at: blurred."""
    shown = {
        name: column.round
        for name, column in columns.items()
        if column.role in (Role.OTHER, Role.SENSITIVE) and not column.drop
    }
    return {
        name: ColumnRecipe(Role.QUASI, (columns[name].reasons[0], reason))  # not that it is rounded
        for name, reason in would_rejoin(people, shown, unit).items()
    }


def take_for_known(
    people: Table, columns: Mapping[str, ColumnRecipe], empty: Collection[str]
) -> dict[str, ColumnRecipe]:
    """Where nothing says what outsiders know, whatever is neither an identifier nor sensitive is taken for known.

    What may be a key stays left out: a set of its values would name people.
    """
    return {
        name: column.with_reason(Why.TAKEN_FOR_KNOWN, role=Role.QUASI, drop=False, round=None)
        for name, column in columns.items()
        if column.role is Role.OTHER
        and name not in empty
        and not (column.drop and may_be_key(people.column(name)))
    }


def leave_out_doubles(
    people: Table, columns: Mapping[str, ColumnRecipe], quasi: list[str], k: int
) -> tuple[dict[str, ColumnRecipe], list[str]]:
    """Quasi-identifiers that say what another one says are left out; and which of them are finer than it.

    Ages, and years and dates of birth that go in step, are one thing: the coarsest stays. So are postcodes and places
    that lie within each other; there the finer one goes where its values have fewer people than a group needs.
    """
    same = {name: Reason(Why.SAME_AS, {"column": kept}) for name, kept in say_the_same(people, quasi).items()}
    finer = _too_fine(people, [name for name in quasi if name not in same], k)
    out = {
        name: columns[name].with_reason(reason.why, reason.facts, drop=True)
        for name, reason in {**same, **finer}.items()
    }
    return out, list(finer)


def _too_fine(people: Table, quasi: list[str], k: int) -> dict[str, Reason]:
    """Columns that say nothing a coarser one does not, once both are blurred, and why."""
    about = {name: people.concept(people.column(name)) for name in quasi}
    telling = [name for name, concept in about.items() if concept in _BORN | _LIVING]
    order = sorted(telling, key=lambda name: people.column(name).domain.size)
    out: dict[str, Reason] = {}
    for place, fine in enumerate(order):
        for coarse in order[:place]:
            pair = {about[fine], about[coarse]}
            if coarse in out:
                continue
            if pair <= _BORN and go_in_step(people, fine, coarse) >= IN_STEP:
                out[fine] = Reason(Why.SAME_AGE, {"column": coarse})
                break
            alone = len(people) < k * people.column(fine).domain.size
            if alone and pair <= _LIVING and _lie_within(people, fine, coarse):
                out[fine] = Reason(Why.TOO_FINE, {"column": coarse, "k": k})
                break
    return out


def _lie_within(people: Table, fine: str, coarse: str) -> bool:
    """Whether one of two columns lies below the other, or below a level of its hierarchy."""
    return bool(lies_below(people, fine, [coarse]) or lies_below(people, coarse, [fine]))


def keep_types(
    people: Table, columns: Mapping[str, ColumnRecipe], typed: Iterable[str]
) -> dict[str, ColumnRecipe]:
    """The columns that were given a type, with it."""
    kinds = {name: people.kinds[name] for name in typed}
    return {
        name: replace(columns[name], type=kind if isinstance(kind, str) else list(kind))
        for name, kind in kinds.items()
    }


def choose_hierarchies(people: Table, quasi: list[str], finer: list[str]) -> dict[str, Hierarchy]:
    """How columns are blurred; of so many that nobody will look at them, none is compared with the others.

    finer: columns that are left out, by which a hierarchy may tell that it lies above them.
    """
    compared = [*quasi, *finer] if len(quasi) + len(finer) <= MANY else []
    about = {name: people.concept(people.column(name)) for name in compared}
    return {name: _hierarchy(people, name, about) for name in quasi}


def _hierarchy(people: Table, name: str, about: Mapping[str, str]) -> Hierarchy:
    """How a column is blurred: by a coarser one of its kind where there is one, such as districts by regions."""
    tree = people.tree(name)
    concept = people.concept(people.column(name))
    kin = [other for other, its in about.items() if other != name and _are_kin(concept, its)]
    spelled = tree.recipe.how == "prefixes" and concept not in _STRUCTURED
    above = lies_below(people, name, kin) if spelled or not tree.has_meaning else None
    if above is None:
        return tree.recipe
    rows = [
        [text, f"{above.column}: {upper}", ROOT]
        for text, upper in zip(
            people.column(name).domain.texts, most_common_above(people, name, above), strict=True
        )
    ]
    return Hierarchy.rows(rows, source=f"the column {above.column}")


def _are_kin(one: str, two: str) -> bool:
    return one == two or {one, two} <= _WHERE or {one, two} <= _WORK
