"""`prepare`: a draft of a whole run for a table nobody has described, each choice with its reason.

Roles, linked columns and hierarchies are those that `inspect` proposes; promises follow the size of the table (the
smallest groups that offices use are 5 and 11). Nothing is decided that a person could not undo in the file.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.base.checks import checked
from lookalike.base.errors import LookalikeWarning, warn
from lookalike.base.progress import Progress
from lookalike.models import KAnonymity
from lookalike.recognition.inspecting import inspect
from lookalike.recognition.inspection import Inspection
from lookalike.recognition.units import WhoseRows
from lookalike.releases.recipes.recipe import ColumnRecipe, Recipe
from lookalike.runs.columns import (
    blur_rejoining,
    choose_hierarchies,
    decide_column,
    keep_types,
    leave_out_doubles,
    take_for_known,
)
from lookalike.runs.linking import decide_links
from lookalike.runs.promises import promise, smallest_group
from lookalike.runs.unknown import blurred_first, codes_for_missing, told_about_codes
from lookalike.runs.wishes import Wishes
from lookalike.tables.columns.roles import Role
from lookalike.tables.intake import read, table
from lookalike.tables.meanings.reasons import Why
from lookalike.tables.table import Table

_MANY = 500_000  #: rows in files beyond which one rule for all of them is proposed


@dataclass(frozen=True, eq=False)
class Draft:
    """A drafted recipe, and the table as it was read for it, so that `run` need not read it again."""

    recipe: Recipe
    people: Table


@checked
def prepare(
    source: Any, *, dictionaries: Sequence[str | Path] = (), progress: Progress = False, **how: Any
) -> Recipe:
    """A draft recipe for a file, a frame, a table, or one that `la.inspect` has looked at already.

    dictionaries: files of further official names, as in `la.inspect`. how: as in `la.read`, where the file needs it;
    engine="streaming" for files larger than memory, of which a sample is looked at, perhaps with memory="2GB".
    source: a file, a frame, a table or an inspection.

    Examples:
        >>> import lookalike as la
        >>> recipe = la.prepare(la.datasets.population(200, seed=1).select("age", "gender", "income"))
        >>> [str(promise) for promise in recipe.promises]
        ['k-anonymity (k=5)']
    """
    recipe = draft(source, Wishes(), dictionaries=dictionaries, progress=progress, **how).recipe
    for doubt in recipe.doubts:
        warn(f"{doubt}.")
    return recipe


def draft(
    source: Any,
    wishes: Wishes,
    *,
    dictionaries: Sequence[str | Path] = (),
    progress: Progress = False,
    **how: Any,
) -> Draft:
    """A draft recipe in which `wishes` are decided already, with the table it is for. Arguments as in `prepare`."""
    everybody, inspection, about, notes = _look(source, wishes, dictionaries, progress, how)
    people = inspection.source
    whose = _whose_rows(inspection, wishes, everybody)
    unit = whose.column
    if unit is not None:
        about["unit"] = unit
    columns = wishes.decide(_columns(inspection, unit))
    asked = [name for name, column in columns.items() if column.role is Role.QUASI]
    k, why_k = wishes.smallest_group or _smallest_group(people, unit)
    doubles, finer = leave_out_doubles(people, columns, asked, k)
    columns |= {name: one for name, one in doubles.items() if not wishes.keeps(name, people.names)}
    counted = people.with_unit(unit)
    columns = decide_links(counted, columns)
    columns |= keep_types(people, columns, how.get("types") or {})
    quasi = [name for name in asked if not columns[name].drop]
    finer = [name for name in finer if columns[name].drop]
    return Draft(
        Recipe(
            columns=columns,
            promises=wishes.promised(promise(people, inspection, columns, KAnonymity(k))),
            source=about,
            method={"suppression": 0.05, "seed": 0},
            reasons={KAnonymity(k).about: why_k, **wishes.reasons},
            attacks={"run": True},
            # a sample may lack values
            hierarchies=choose_hierarchies(people, quasi, finer) if everybody.in_memory else {},
            folder=Path(source).parent if isinstance(source, str | Path) else Path(),
            notes=tuple(notes),
            doubts=(whose.doubt,) if whose.doubt else (),
        ),
        counted if everybody.in_memory else everybody,
    )


def _look(
    source: Any,
    wishes: Wishes,
    dictionaries: Sequence[str | Path],
    progress: Progress,
    how: Mapping[str, Any],
) -> tuple[Table, Inspection, dict[str, Any], list[str]]:
    """The table; an inspection of its rows, or of some where they are elsewhere; how its file is read, as a recipe says
    it; and what was decided about codes for missing.

    Codes that surely mean missing are read so, and the table is inspected again, unless `na` was said.
    """
    if isinstance(source, Inspection):
        return source.source, source, {}, told_about_codes(source, [])
    named = isinstance(source, str | Path)
    people = wishes.look_at(_open(source, how))
    about = {"file": Path(source).name, **{key: how[key] for key in how if key != "types"}} if named else {}
    if named and not people.in_memory:
        about["engine"] = "streaming"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", LookalikeWarning)
        inspection = inspect(people.in_sight(), dictionaries=dictionaries, progress=progress)
    codes = codes_for_missing(inspection) if named and "na" not in how else []
    notes = told_about_codes(inspection, codes)
    if codes:
        about["na"] = [*people.na, *codes]
        again = people.with_na(about["na"])
        return again, inspect(again.in_sight(), dictionaries=dictionaries, progress=progress), about, notes
    for one in warned:  # of a table that is inspected again, only what is still so is warned about
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return people, inspection, about, notes


def _open(source: Any, how: Mapping[str, Any]) -> Table:
    """The table; its rows may stay where they are."""
    if isinstance(source, Table):
        return source
    if not isinstance(source, str | Path):
        return table(source, others=[])
    return read(source, others=[], **how)


def _whose_rows(inspection: Inspection, wishes: Wishes, everybody: Table) -> WhoseRows:
    """The column that tells people apart: the table's own, or the likeliest, with the question that remains."""
    if inspection.source.unit is not None or wishes.counts_rows(inspection.source.names):
        return WhoseRows(inspection.source.unit)
    origin = everybody.origin
    if origin is None:
        return inspection.whose_rows()

    def count(name: str) -> tuple[int, int]:
        return everybody.distinct_values([name])[name], origin.records

    return inspection.whose_rows(count)


def _columns(inspection: Inspection, unit: str | None) -> dict[str, ColumnRecipe]:
    """Every column in its proposed role; where nothing is known to outsiders, all that is not sensitive is."""
    people = inspection.source
    columns = {column.name: decide_column(people, column, unit) for column in inspection.columns}
    columns |= blur_rejoining(people, columns, unit)
    if any(one.role is Role.QUASI and one.because(Why.REJOINS) is None for one in columns.values()):
        return columns | blurred_first(people, inspection, columns)
    empty = [column.name for column in inspection.columns if column.missing == 1]
    return columns | take_for_known(people, columns, empty)


def _smallest_group(people: Table, unit: str | None) -> tuple[int, str]:
    """How many have to look alike, and why."""
    if unit is None:
        return smallest_group(len(people), "rows")
    return smallest_group(len(people.column(unit).domain.values), "people")
