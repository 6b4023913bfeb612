"""Carry out what was decided about a table: rows in memory are recoded here, others where they are.

What a method decided about rows of codes becomes *tuple -> (class, how many)*, which every engine carries out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.pseudonyms import PSEUDONYM, Pseudonyms
from lookalike.base.progress import Progress
from lookalike.recodings import Recoding
from lookalike.recodings.recoding import Placed, rounded
from lookalike.recodings.treatments import Drop, Round
from lookalike.recognition.links.link import class_sizes
from lookalike.tables.coded import CodedRows, ReleasedRows, merged, used
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.markers import without_markers
from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.columns.notation import STAR
from lookalike.tables.engines.engine import CLASS, TIMES, Places
from lookalike.tables.sources.frames import as_it_is
from lookalike.tables.table import Table

#: the smallest class when some columns are known besides, and the records in classes smaller than a number
KnownWith = Callable[[tuple[str, ...], int], tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Recoded:
    """The rows that go out, and how far their classes fall when more is known."""

    rows: ReleasedRows
    known: KnownWith


def publish(
    people: Table,
    table: Table,
    recoding: Recoding,
    placed: Placed,
    *,
    pseudonyms: Mapping[str, Pseudonyms],
    seed: int,
    shuffle: bool = True,
    planned: NDArray[np.int32] | None = None,
    reads: NDArray[np.bool_] | None = None,
    progress: Progress = False,
) -> Recoded:
    """The released rows of a table.

    table: the people as a method saw them, with a row for each record where it puts single records into classes.
    planned: the class of each row before some were held back; a tuple's records are dealt out in the order of these.
    reads: of `people`, the rows that are in `table`, where some have values that do not read as their kind.
    """
    if people.origin is not None:
        places = find_places(
            people, table, recoding, placed, planned=planned, reads=reads, pseudonyms=pseudonyms
        )
        rows = people.origin.release(places, people.records, seed=seed, progress=progress)
        return Recoded(rows, rows.known)
    made = {name: list(one.values) for name, one in pseudonyms.items()}
    coded = recoding.publish(table, placed, made)
    shown = coded.shuffled(seed) if shuffle else _stars_last(coded, placed.of_row)
    return Recoded(shown, known_in(coded, placed.of_row, table))


def _stars_last(rows: CodedRows, of_row: NDArray[np.int32]) -> CodedRows:
    """Rows in the original's order, but for those kept as stars: their place would tell who they are."""
    return rows if rows.height < len(of_row) else rows.take(np.argsort(of_row < 0, kind="stable"))


def known_in(rows: CodedRows, of_row: NDArray[np.int32], table: Table) -> KnownWith:
    """How far classes fall, of rows in memory that came in the order of their classes."""
    kept = of_row >= 0
    unit = None if table.unit is None else table.column(table.unit).codes[kept]
    starred = rows.height > int(kept.sum())

    def known(names: tuple[str, ...], promised: int) -> tuple[int, int]:
        codes = (rows.columns[name].codes + 1 for name in names)
        columns = [of_row[kept], *(each[kept] if starred else each for each in codes)]
        label, sizes = class_sizes(columns, len(columns[0]), unit)
        return int(sizes.min()), int((sizes[label] < promised).sum())

    return known


def find_places(
    people: Table,
    table: Table,
    recoding: Recoding,
    placed: Placed,
    *,
    planned: NDArray[np.int32] | None,
    reads: NDArray[np.bool_] | None,
    pseudonyms: Mapping[str, Pseudonyms],
) -> Places:
    """Which class each tuple goes to, or each of its records where the table has a row for each; what is published."""
    times = people.times
    assert times is not None
    tuples = people.rows
    of_row, boxes, stars = _boxes(placed, recoding)
    if reads is not None and not reads.all():
        everywhere = np.full(len(people), -1, dtype=np.int32)
        everywhere[reads] = of_row
        of_row = everywhere
    quasi_decides = table is people and people.unit is None and bool(people.sensitive)
    if quasi_decides:  # then equal quasi-identifiers go to the same class, whatever else the tuple holds
        found = tuples.select(named(recoding.quasi)).with_columns(
            pl.Series(CLASS, of_row), pl.Series(TIMES, times)
        )
        found = found.group_by(named(recoding.quasi)).agg(pl.col(CLASS).first(), pl.col(TIMES).sum())
        tuples, of_row = found.select(named(recoding.quasi)), found[CLASS].to_numpy()
        of_tuple, records = np.arange(tuples.height), found[TIMES].to_numpy()
    elif len(of_row) == len(people):
        of_tuple, records = np.arange(tuples.height), times
    else:
        planned = of_row if planned is None else planned
        span = int(planned.max()) + 2
        pairs = np.repeat(np.arange(tuples.height, dtype=np.int64), times) * span + planned + 1
        known, first, records = np.unique(pairs, return_index=True, return_counts=True)
        of_tuple, of_row = known // span, of_row[first]
    return Places(
        tuples,
        of_tuple.astype(np.int32),
        of_row,
        records.astype(np.int64),
        boxes,
        tuple(name for name, treatment in recoding.columns.items() if not isinstance(treatment, Drop)),
        _spelt(people if reads is None else table, recoding),
        people.unit,
        tuple(name for name in placed.texts if name not in recoding.quasi),
        stars,
        {
            name: (made.of_tuple.select(named(made.fields)), made.of_tuple[PSEUDONYM])
            for name, made in pseudonyms.items()
            if made.of_tuple is not None
        },
        people.na,
    )


def _boxes(placed: Placed, recoding: Recoding) -> tuple[NDArray[np.int32], dict[str, Distinct], int | None]:
    """The class of each row, what each class publishes, and the class of rows that are kept as stars."""
    of_row, kept = placed.of_row, placed.of_row >= 0
    stars = int(of_row.max()) + 1 if recoding.suppressed == "star" and not kept.all() else None
    boxes = {}
    for name, (where, labels) in placed.texts.items():
        codes = np.zeros(int(of_row.max()) + 1, dtype=np.int32)
        codes[of_row[kept]] = where[kept]
        values = pl.Series(labels, strict=False)
        if stars is not None:
            starred = name in recoding.quasi and values.dtype == pl.String
            codes = np.append(codes, np.int32(len(values) if starred else -1))
            values = pl.concat([values, pl.Series([STAR], dtype=pl.String)]) if starred else values
        boxes[name] = merged(used(Distinct(codes, values)))
    return of_row if stars is None else np.where(kept, of_row, stars).astype(np.int32), boxes, stars


def _spelt(people: Table, recoding: Recoding) -> dict[str, tuple[pl.Series, pl.Series]]:
    """Columns whose values are published otherwise than they are: rounded, or spelt as they were counted."""
    out = {}
    promised = dict.fromkeys(name for model in recoding.models for name in model.columns)
    for name in promised:
        values = nameless(people.rows[name]).unique().drop_nulls()
        if values.dtype == pl.String:
            column = people.column(name)
            spelt = pl.Series([*column.domain.texts, None], dtype=pl.String).gather(pl.Series(column.codes))
            pairs = pl.DataFrame({"was": people.rows[name], "now": spelt}).unique().drop_nulls("was")
            if not pairs["was"].equals(pairs["now"]):
                out[name] = (pairs["was"], pairs["now"])
        elif values.dtype.is_float():
            out[name] = (values, without_markers(values, people.na).fill_nan(None))
    to = {name: how.to for name, how in recoding.columns.items() if isinstance(how, Round)}
    assert people.origin is not None
    for name, counted in zip(to, people.origin.values(list(to)), strict=True):
        values = nameless(counted[name]).drop_nulls()
        kinds = {name: people.kinds[name]} if name in people.kinds else {}
        alone = Table(
            values.alias(name).to_frame(), {name: people.roles[name]}, kinds=kinds, hierarchies={},
            unit=None, weight=None, na=people.na, give_back=as_it_is,
        )  # fmt: skip
        out[name] = (values, rounded(alone, name, to[name]).series(name))
    return out
