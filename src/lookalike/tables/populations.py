"""Attach a population to a table, so that k-map, delta-presence and the journalist's risk can be counted.

The population is any table with the same quasi-identifiers in the same form, the people of the table among them. Its
cells are counted as those of the table are, and both are brought together. Cost: that of counting both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.checks import checked
from lookalike.base.errors import RequestError, unknown_column, warn
from lookalike.tables.cells import Attribute, Cells, count
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.grouping import group_codes, sum_by
from lookalike.tables.intake import read, table
from lookalike.tables.sources import frames
from lookalike.tables.sources.frames import Rows, Source
from lookalike.tables.table import Table


@checked
def with_population(
    people: Table,
    population: Table | Source,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
) -> Cells:
    """The cells of a table with the number of people of the population in each, also of cells nobody in the table has.

    population: a `Table`, any frame that has the quasi-identifiers as columns, or the name of files. Missing values
    match missing values.
    Where the population names a unit (or the frame has the table's unit column), its people are counted, not its rows.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> sample = la.table(pl.DataFrame({"sex": ["f", "m", "m"]}), quasi=["sex"])
        >>> cells = la.with_population(sample, pl.DataFrame({"sex": ["f", "f", "f", "m", "m"]}))
        >>> cells.counts.tolist(), cells.population.tolist()
        ([1, 2], [3, 2])
    """
    if not isinstance(people, Table):
        raise RequestError(f"`people` must be a table (la.table, la.read), found {type(people).__name__}.")
    names = list(people.quasi if quasi is None else quasi)
    if not names:
        raise RequestError("the table has no quasi-identifiers. Name them with `quasi`.")
    wanted = list(people.sensitive if sensitive is None else sensitive)
    if isinstance(population, str | Path) or frames.stays_there(population):
        population = _opened(people, population, names)
    everyone = (
        population.rows if isinstance(population, Table) else frames.take(cast("Rows", population)).rows
    )
    if not len(everyone):
        raise RequestError("the population has no rows.")
    for name in names:
        if name not in everyone.columns:
            raise unknown_column(name, everyone.columns, "population")
    both = table(
        pl.concat([_one_below_the_other(people.rows, everyone, name) for name in names], how="horizontal"),
        quasi=names,
        hierarchies={name: people.hierarchies[name] for name in names if name in people.hierarchies},
        types={name: people.kinds[name] for name in names if name in people.kinds},
        na=people.na,
    )
    inside = np.arange(len(both)) < len(people)
    stands_for = population.times if isinstance(population, Table) else None
    if people.times is not None or stands_for is not None:
        both = both.standing_for(
            np.concatenate([_records(people.times, inside), _records(stands_for, ~inside)])
        )
    cells = count(
        [_part(both, name, inside, people.times) for name in names],
        [people.column(name) for name in wanted],
        rows=len(people),
        unit=None if people.unit is None else people.column(people.unit),
        sensitive_trees={name: partial(people.tree, name) for name in wanted},
        times=people.times,
    )
    unit = population.unit if isinstance(population, Table) else people.unit
    theirs = count(
        [_part(both, name, ~inside, stands_for) for name in names],
        [],
        rows=len(everyone),
        unit=table(everyone, others=[]).column(unit)
        if unit is not None and unit in everyone.columns
        else None,
        times=stands_for,
    )
    if theirs.counts.sum() > theirs.people:
        raise RequestError(
            "somebody in the population has rows with different quasi-identifiers, so its people cannot be counted "
            "class by class. Keep one row per person."
        )
    return _join(cells, theirs)


def _opened(people: Table, population: Any, names: list[str]) -> Table:
    """A population whose rows stay where they are, described as the table is."""
    said: dict[str, Any] = {
        "quasi": names,
        "others": [],
        "hierarchies": {name: people.hierarchies[name] for name in names if name in people.hierarchies},
        "types": {name: people.kinds[name] for name in names if name in people.kinds},
        "na": people.na,
    }
    if isinstance(population, str | Path):
        everyone = read(population, engine="streaming", **said)
    else:
        everyone = table(population, **said)
    return everyone.with_unit(people.unit) if people.unit in everyone.names else everyone


def _part(both: Table, name: str, chosen: NDArray[np.bool_], times: NDArray[np.int64] | None) -> Attribute:
    """A column of some of the rows, in the domain and with the hierarchy of all of them."""
    column = both.column(name)
    return Attribute(Column(name, column.codes[chosen], column.domain, times), partial(both.tree, name))


def _records(times: NDArray[np.int64] | None, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.ones(int(rows.sum()), dtype=np.int64) if times is None else times


def _one_below_the_other(mine: pl.DataFrame, theirs: pl.DataFrame, name: str) -> pl.DataFrame:
    """One column of both tables, in a type that holds both."""
    above, below = mine[name], theirs[name]
    if above.dtype != below.dtype or above.dtype in (pl.Categorical, pl.Enum):
        both_numeric = above.dtype.is_numeric() and below.dtype.is_numeric()
        kind = pl.Float64 if both_numeric else pl.String
        above, below = above.cast(kind), below.cast(kind)
    return pl.concat([above.alias(name), below.alias(name)]).to_frame()


def _join(cells: Cells, theirs: Cells) -> Cells:
    """Cells of the table first, then those that only the population has."""
    both = [np.concatenate([a, b]) for a, b in zip(cells.codes, theirs.codes, strict=True)]
    labels, tuples = group_codes(both, cells.sizes, len(cells) + len(theirs))
    mine, others = labels[: len(cells)], labels[len(cells) :]
    population = sum_by(others, theirs.counts, tuples)[mine]
    absent = int((population < cells.counts).sum())
    if absent:
        warn(
            f"{absent} distinct tuple(s) have more people in the table than in the population, so the table is not "
            "part of it; there the population is taken to be as large as the table.",
        )
    extra = ~np.isin(others, mine)
    none = np.zeros(int(extra.sum()), dtype=np.int64)
    return replace(
        cells,
        codes=np.concatenate([cells.codes, theirs.codes[:, extra]], axis=1),
        counts=np.concatenate([cells.counts, none]),
        records=np.concatenate([cells.records, none]),
        population=np.concatenate([np.maximum(population, cells.counts), theirs.counts[extra]]),
    )
