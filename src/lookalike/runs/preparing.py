"""`prepare`: a draft of a whole run for a table nobody has described, each choice with its reason.

Roles, linked columns and hierarchies are those that `inspect` proposes; promises follow the size of the table (the
smallest groups that offices use are 5 and 11). Nothing is decided that a person could not undo in the file.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import floor, log10
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.checks import checked
from lookalike.columns.coding import Column
from lookalike.columns.grouping import group_codes
from lookalike.columns.roles import Kind, Role
from lookalike.engines import count_values, look_at
from lookalike.errors import LookalikeWarning, RequestError, amount, percent, warn
from lookalike.hierarchies import ROOT, Hierarchy
from lookalike.links.finding import IN_STEP
from lookalike.links.nesting import MANY, go_in_step, lies_below, most_common_above, say_the_same
from lookalike.meanings.keys import may_be_key
from lookalike.models import KAnonymity, LDiversity
from lookalike.models.model import Model
from lookalike.progress import Progress
from lookalike.recipes.recipe import ColumnRecipe, Recipe
from lookalike.recognition.inspecting import inspect
from lookalike.recognition.inspection import ColumnReport, Inspection
from lookalike.recognition.rejoining import STAYS_THE_SAME, would_rejoin
from lookalike.runs.linking import settle_links
from lookalike.runs.unknown import blurred_first, codes_for_missing, told_about_codes
from lookalike.tables.intake import read, table
from lookalike.tables.table import Table

_MANY_PEOPLE = 5_000  #: from so many on, larger groups cost little detail
_GROUP, _LARGE_GROUP, _LEAST = (
    5,
    11,
    3,
)  #: smallest groups: as usual, of many people, and where there are not even five
_DIVERSE = 3  #: sensitive columns that get a promise of their own, the surest first
_MANY = 500_000  #: rows in files beyond which one rule for all of them is proposed
_ALONE = 0.2  #: share of records alone with their value above which a column is not published as it is
_MOSTLY_ALONE = 0.5  #: the same for sensitive texts, such as mutations: whoever knows one finds the person
_STRUCTURED = ("postcode", "diagnosis", "treatment")  #: codes whose beginnings mean something
_WHERE = {"place", "postcode", "institution", "coordinates"}
_WORK = {"occupation", "employment"}
_BORN = {"age", "birth_year", "birth_date"}
_LIVING = {"place", "postcode"}
_EMPTY = "no row has a value: left out"
_SHOWN = 12  #: names in a line, and reasons below it
_FEWEST_OTHERS = (
    0.1  #: share of records without the commonest value below which diversity costs more than it is worth
)


@checked
def prepare(
    source: Any, *, dictionaries: Sequence[str | Path] = (), progress: Progress = False, **how: Any
) -> Recipe:
    """A draft recipe for a file, a frame, a table, or one that `la.inspect` has looked at already.

    dictionaries: files of further official names, as in `la.inspect`. how: as in `la.read`, where the file needs it;
    engine="streaming" for files larger than memory, of which a sample is looked at, perhaps with memory="2GB".
    """
    about: dict[str, Any] = {}
    seen = source if isinstance(source, Inspection) else None
    if seen is not None:
        people = seen.source
    elif isinstance(source, str | Path):
        people = _look(source, how)
        about = {"file": Path(source).name, **{key: value for key, value in how.items() if key != "types"}}
    else:
        people = source if isinstance(source, Table) else table(source, others=[])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LookalikeWarning)
        seen = seen or inspect(people, dictionaries=dictionaries, progress=progress)
    codes = codes_for_missing(seen) if isinstance(source, str | Path) and "na" not in how else []
    notes = told_about_codes(seen, codes)
    if codes and isinstance(source, str | Path):
        about["na"] = ["?", *codes]
        people = _look(source, {**how, "na": about["na"]})
        seen = inspect(people, dictionaries=dictionaries, progress=progress)
    else:  # what is read again is warned about again, where it is still so
        for one in told:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    far = "engine" in how
    count = partial(_count, source, how) if far else None
    whose = seen.whose_rows(count)
    unit = whose.column
    if whose.doubt:
        warn(f"{whose.doubt}.")
    method: dict[str, Any] = {"suppression": 0.05, "seed": 0}
    if count is not None:
        method = {"name": "local" if count(people.names[0])[1] <= _MANY else "optimal", **method}
    if unit is not None:
        about["unit"] = unit
    columns = {column.name: _column(people, column, unit) for column in seen.columns}
    columns |= _rejoining(people, columns, unit)
    empty = [column.name for column in seen.columns if column.missing == 1]
    if not any(one.role is Role.QUASI and STAYS_THE_SAME not in one.reason for one in columns.values()):
        columns = {name: _as_known(people, name, column, empty) for name, column in columns.items()}
    else:
        columns |= blurred_first(people, seen, columns)
    asked = [name for name, column in columns.items() if column.role is Role.QUASI]
    everybody = len(people) if unit is None else len(people.column(unit).domain.values)
    k, why_k = _smallest_group(everybody, "rows" if unit is None else "people")
    same = {name: f"it says the same as {kept!r}" for name, kept in say_the_same(people, asked).items()}
    finer = _too_fine(people, [name for name in asked if name not in same], k)
    for name, why in {**same, **finer}.items():
        columns[name] = replace(columns[name], drop=True, reason=f"{columns[name].reason}; {why}: left out")
    columns = settle_links(people, columns, unit=unit, follow=not far)
    for name in how.get("types") or {}:
        kind = people.kinds[name]
        columns[name] = replace(columns[name], type=kind if isinstance(kind, str) else list(kind))
    quasi = [name for name in asked if not columns[name].drop]
    kin = [*quasi, *finer]
    return Recipe(
        columns=columns,
        promises=tuple(_promises(people, seen, columns, k)),
        source=about,
        method=method,
        reasons={KAnonymity.name: why_k},
        attacks={"run": True},
        hierarchies={} if far else _hierarchies(people, quasi, kin),  # a sample may lack values
        folder=Path(source).parent if isinstance(source, str | Path) else Path(),
        notes=tuple(notes),
    )


def _smallest_group(everybody: int, what: str) -> tuple[int, str]:
    """How many have to look alike, and why."""
    if everybody >= _MANY_PEOPLE:
        many = f"from {_MANY_PEOPLE:,} {what} on it costs little detail"
        return (
            _LARGE_GROUP,
            f"Groups of {_LARGE_GROUP}: the larger of the two sizes that offices use, since {many}",
        )
    if everybody >= _GROUP:
        few = f"there are fewer than {_MANY_PEOPLE:,} {what}; take {_LARGE_GROUP} where much is at stake"
        return _GROUP, f"Groups of {_GROUP}: the smaller of the two sizes that offices use, since {few}"
    return _LEAST, f"Groups of {_LEAST}: there are fewer than {_GROUP} {what}"


def _look(source: str | Path, how: Mapping[str, Any]) -> Table:
    """The table, or some of its rows where they are read a piece at a time."""
    if "engine" not in how:
        if "memory" in how:
            raise RequestError("`memory` goes with engine='streaming'.")
        return read(source, others=[], **how)
    if how["engine"] != "streaming":
        raise RequestError(f"engine: expected 'streaming', found {how['engine']!r}.")
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", LookalikeWarning
        )  # roles are proposed from a sample; what goes out is counted
        return look_at(source, **_for_engine(how))


def _count(source: Any, how: Mapping[str, Any], name: str) -> tuple[int, int]:
    return count_values(
        source, name, **{key: value for key, value in _for_engine(how).items() if key not in ("na", "types")}
    )


def _for_engine(how: Mapping[str, Any]) -> dict[str, Any]:
    known = ("engine", "memory", "delimiter", "quote", "na", "types")
    strange = next((key for key in how if key not in known), None)
    if strange is not None:
        raise RequestError(f"`{strange}` does not go with engine='streaming'.")
    return {key: value for key, value in how.items() if key != "engine"}


def _as_known(people: Table, name: str, column: ColumnRecipe, empty: Collection[str]) -> ColumnRecipe:
    """Where nothing says what outsiders know, whatever is neither an identifier nor sensitive is taken for known.

    What may be a key stays left out: a set of its values would name people.
    """
    if column.role is not Role.OTHER or name in empty:
        return column
    if column.drop and may_be_key(people.column(name)):
        return column
    why = "nothing says what outsiders know, so it is taken for known"
    return replace(column, role=Role.QUASI, drop=False, round=None, reason=f"{column.reason}; {why}")


def _too_fine(people: Table, quasi: list[str], k: int) -> dict[str, str]:
    """Columns that say nothing a coarser one does not, once both are blurred, and why.

    Ages, and years and dates of birth that go in step, are one thing: the coarsest stays. So are postcodes and places
    that lie within each other; there the finer one goes where its values have fewer people than a group needs.
    """
    about = {name: people.concept(people.column(name)) for name in quasi}
    telling = [name for name, concept in about.items() if concept in _BORN | _LIVING]
    order = sorted(telling, key=lambda name: people.column(name).domain.size)
    out: dict[str, str] = {}
    for place, fine in enumerate(order):
        for coarse in order[:place]:
            pair = {about[fine], about[coarse]}
            if coarse in out:
                continue
            if pair <= _BORN and go_in_step(people, fine, coarse) >= IN_STEP:
                out[fine] = f"it tells the age, which {coarse!r} tells less exactly"
                break
            alone = len(people) < k * people.column(fine).domain.size
            if alone and pair <= _LIVING and _lie_within(people, fine, coarse):
                out[fine] = f"it is too fine for groups of {k}, and {coarse!r} says where people live"
                break
    return out


def _lie_within(people: Table, fine: str, coarse: str) -> bool:
    """Whether one of two columns lies below the other, or below a level of its hierarchy."""
    return bool(lies_below(people, fine, [coarse]) or lies_below(people, coarse, [fine]))


def _hierarchies(people: Table, quasi: list[str], columns: list[str]) -> dict[str, Hierarchy]:
    """How columns are blurred; of so many that nobody will look at them, none is compared with the others."""
    columns = columns if len(columns) <= MANY else []
    about = {name: people.concept(people.column(name)) for name in columns}
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
        for text, upper in zip(people.column(name).domain.texts, most_common_above(people, name, above))
    ]
    return Hierarchy.rows(rows, source=f"the column {above.column}")


def _are_kin(one: str, two: str) -> bool:
    return one == two or {one, two} <= _WHERE or {one, two} <= _WORK


def _column(people: Table, column: ColumnReport, unit: str | None) -> ColumnRecipe:
    reason = f"{column.confidence:.0%} sure: {column.evidence[0]}"
    if column.name == unit:
        reason += "; people have several rows, so people are counted, not rows"
        reason += "; rows without one could be anybody's: left out" if column.missing else ""
    if column.missing == 1:
        return ColumnRecipe(column.role, _EMPTY, drop=True)
    made = ColumnRecipe(column.role, reason)
    if column.decide:
        return replace(made, drop=True, reason=f"{reason}; left out until somebody says what it is")
    alone = _alone(people, column, unit) if column.role in (Role.OTHER, Role.SENSITIVE) else 0.0
    if alone <= _ALONE:
        return made
    said = f"{percent(alone)} of the records are alone with their value"
    if unit is not None:
        said = f"{percent(alone)} of the records have a value that no other person has"
    values = people.column(column.name)
    if values.kind.numeric and column.distinct > 1:
        step = _step(np.asarray(values.domain.values, dtype=np.float64))
        if step <= 1 and values.kind is Kind.INTEGER:
            return made
        return replace(made, round=step, reason=f"{reason}; {said}: rounded to {step:g}")
    if column.role is Role.SENSITIVE and alone <= _MOSTLY_ALONE:
        return made
    return replace(made, drop=True, reason=f"{reason}; {said}: left out")


def _rejoining(
    people: Table, columns: Mapping[str, ColumnRecipe], unit: str | None
) -> dict[str, ColumnRecipe]:
    """What puts a person's rows together only once it is rounded, or among more rows than were looked at: blurred."""
    shown = {
        name: _rounded(people.column(name), column.round)
        for name, column in columns.items()
        if column.role in (Role.OTHER, Role.SENSITIVE) and not column.drop
    }
    return {
        name: ColumnRecipe(
            Role.QUASI, f"{columns[name].reason.partition('; ')[0]}; {why}"
        )  # not that it is rounded
        for name, why in would_rejoin(people, shown, unit).items()
    }


def _rounded(column: Column, step: float | None) -> np.ndarray[Any, Any]:
    """The codes of a column once it is rounded."""
    if step is None:
        return column.codes
    values = np.asarray(column.domain.values, dtype=np.float64)
    groups = np.unique(np.round(values / step), return_inverse=True)[1]
    return np.append(groups, groups.max(initial=0) + 1)[np.minimum(column.codes, len(values))]


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


def _promises(people: Table, seen: Inspection, columns: Mapping[str, ColumnRecipe], k: int) -> list[Model]:
    """Groups as large as practice asks at this size, and two values in each for what must not be learnt."""
    promises: list[Model] = [KAnonymity(k)]
    for column in sorted(seen.columns, key=lambda one: -one.confidence):
        own = columns[column.name]
        changed = own.drop or own.linked or own.round is not None
        if (
            column.role is not Role.SENSITIVE
            or changed
            or len(promises) > _DIVERSE
            or not 2 <= column.distinct <= 50
        ):
            continue
        counts = people.column(column.name).counts
        if counts.sum() - counts.max() >= _FEWEST_OTHERS * len(people):
            promises.append(LDiversity(column.name, 2))
    return promises


def explain(recipe: Recipe) -> str:
    """What a recipe will do, in a few lines."""
    roles = {role: recipe.having(role) for role in Role}
    dropped = [name for name, column in recipe.columns.items() if column.drop]
    linked = [name for name, column in recipe.columns.items() if column.linked]
    unknown = [name for name in roles[Role.QUASI] if recipe.columns[name].unknown]
    kept = roles[Role.OTHER] + roles[Role.TARGET]
    promised = {name for model in recipe.promises for name in model.columns}
    bare = [name for name in roles[Role.SENSITIVE] if name not in promised and name not in dropped]
    empty = [name for name in dropped if recipe.columns[name].reason == _EMPTY]
    rejoining: dict[str, list[str]] = {}  # why -> columns
    for name in roles[Role.QUASI]:
        _, stays, said = recipe.columns[name].reason.partition(STAYS_THE_SAME)
        if stays:
            rejoining.setdefault(said.partition(";")[0], []).append(name)
    lines = [
        f"left out: {_list(roles[Role.IDENTIFIER] + [name for name in dropped if name not in empty])}",
        f"blurred (quasi-identifiers): {_list([n for n in roles[Role.QUASI] if n not in unknown])}",
        f"protected (sensitive): {_list([n for n in roles[Role.SENSITIVE] if n in promised])}",
        f"published as they are: {_list([n for n in kept if n not in linked])}",
    ]
    if bare:
        lines.insert(
            3,
            f"sensitive, but nothing is promised about their values: {_list(bare)}\n  (rounded, very many values, "
            f"nearly all alike, or more than {_DIVERSE} such columns; a [[promise]] in the recipe adds one)",
        )
    if unknown:
        lines[2:2] = [
            f"blurred before these, since nothing says what they are: {_list(unknown)}",
            "  if one of them must not be learnt, make it sensitive: nothing is promised about its values till then",
        ]
    lines[2:2] = [
        f"  among them {_list(names)}: {'it' if len(names) == 1 else 'each'} {STAYS_THE_SAME}{said}"
        for said, names in rejoining.items()
    ]
    if empty:
        lines.insert(1, f"left out, since no row has a value: {_list(empty)}")
    if linked:
        lines.append(f"blurred along with what they give away: {_list(linked)}")
        lines += [f"  {recipe.columns[name].reason.rpartition('; ')[2]}" for name in linked[:_SHOWN]]
    if "unit" in recipe.source:
        lines.append(
            f"people have several rows; {recipe.source['unit']} tells them apart, and people are counted"
        )
    marked = [text for text in recipe.source.get("na", ()) if text != "?"]
    lines += recipe.notes or ([f"read as missing, in every column: {_list(marked)}"] if marked else [])
    for model in recipe.promises:
        why = recipe.reasons.get(model.name)
        lines.append(f"promised: {model.in_words}" + (f" {why}." if why else ""))
    lines.append(f"at most {percent(recipe.method.get('suppression', 0.05))} of the people left out")
    return "\n".join(lines)


def _list(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    more = f" and {amount(len(names) - _SHOWN, 'other')}" if len(names) > _SHOWN else ""
    return (shown + more) or "none"
