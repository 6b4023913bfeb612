"""A release made again from its recoding, to the letter: only so is it known which row of the table is where in it.

O(n log n), to compare what is made with what is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from lookalike.base.errors import RequestError, shown_names
from lookalike.recodings.recoding import Applied, Recoding
from lookalike.recodings.treatments import Drop, Pseudonymise
from lookalike.tables.cells import Cells
from lookalike.tables.columns.naming import named
from lookalike.tables.table import Table


def in_order(recoding: Recoding, names: Sequence[str]) -> Recoding:
    """The recoding with its columns in the table's order, which a file does not keep and classes are numbered by."""
    there = set(names)
    unknown = [name for name in recoding.columns if name not in there]
    if unknown:
        shown = shown_names(unknown, recoding.all_texts)
        raise RequestError(f"the release was made from columns that the table has not: {shown}.")
    return replace(
        recoding,
        columns={name: recoding.columns[name] for name in names if name in recoding.columns},
        boxes={name: recoding.boxes[name] for name in names if name in recoding.boxes},
    )


def make_again(
    people: Table, rows: pl.DataFrame, recoding: Recoding, *, population: Cells | None = None
) -> Applied | None:
    """The release, pseudonyms aside, from the table and a recoding in its order; None where other rows come out."""
    plain = {name: Drop() if isinstance(t, Pseudonymise) else t for name, t in recoding.columns.items()}
    applied = replace(recoding, columns=plain).apply(people, population=population)
    made = set(applied.rows.columns)
    names = [name for name in rows.columns if name in made]
    ours, theirs = (
        frame.select(named(names).cast(pl.String)).sort(pl.all(), nulls_last=True)
        for frame in (applied.rows, rows)
    )
    return applied if ours.equals(theirs) else None
