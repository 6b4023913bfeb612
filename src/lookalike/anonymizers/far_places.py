"""Which class each tuple goes to of a table whose rows stay where they are, what is published, and what comes out.

What a method decided about rows of codes becomes *tuple -> (class, how many)*, which every engine carries out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.pseudonyms import PSEUDONYM, Pseudonyms
from lookalike.base.progress import Progress, track
from lookalike.recodings import Recoding
from lookalike.recodings.recoding import rounded
from lookalike.recodings.treatments import Drop, Round
from lookalike.tables.coded import merged
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.markers import without_markers
from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.columns.notation import STAR
from lookalike.tables.engines.engine import CLASS, TIMES, Database, Places
from lookalike.tables.engines.far import FarTable, Passed
from lookalike.tables.engines.released import FarRows, release_rows
from lookalike.tables.engines.stored import StoredRows, store_rows
from lookalike.tables.sources.frames import as_it_is
from lookalike.tables.table import Table

Texts = dict[
    str, tuple[NDArray[np.int32], list[Any]]
]  # per quasi-identifier: a place per row, what each publishes


def find_places(
    people: FarTable,
    table: Table,
    recoding: Recoding,
    of_row: NDArray[np.int32],
    texts: Texts,
    *,
    readable: FarTable | None = None,
    alone: bool = True,
    planned: NDArray[np.int32] | None = None,
    pseudonyms: Mapping[str, Pseudonyms] | None = None,
) -> Places:
    """Which class each tuple goes to, or each of its records where the table has a row for each; what is published.

    readable: the tuples whose values read as their kind, where not all do. alone: quasi-identifiers alone decide.
    planned: the class of each row before some were held back; a tuple's records are dealt out in the order of these.
    """
    assert people.times is not None
    boxes, kept = {}, of_row >= 0
    stars = int(of_row.max()) + 1 if recoding.suppressed == "star" and not kept.all() else None
    for name, (where, labels) in texts.items():
        codes = np.zeros(int(of_row.max()) + 1, dtype=np.int32)
        codes[of_row[kept]] = where[kept]
        values = pl.Series(labels, strict=False)
        if stars is not None:
            starred = name in recoding.quasi and values.dtype == pl.String
            codes = np.append(codes, np.int32(len(values) if starred else -1))
            values = pl.concat([values, pl.Series([STAR], dtype=pl.String)]) if starred else values
        boxes[name] = merged(Distinct(codes, values))
    of_row = of_row if stars is None else np.where(kept, of_row, stars).astype(np.int32)
    tuples = people.rows
    if (
        table is people and alone and people.unit is None and people.sensitive
    ):  # quasi-identifiers alone tell the class
        found = tuples.select(named(recoding.quasi)).with_columns(
            pl.Series(CLASS, of_row), pl.Series(TIMES, people.times)
        )
        found = found.group_by(named(recoding.quasi)).agg(pl.col(CLASS).first(), pl.col(TIMES).sum())
        tuples, of_row, records = (
            found.select(named(recoding.quasi)),
            found[CLASS].to_numpy(),
            found[TIMES].to_numpy(),
        )
        of_tuple = np.arange(tuples.height)
    elif table is people:
        of_tuple, records = np.arange(tuples.height), people.times
    else:
        planned = of_row if planned is None else planned
        span = int(planned.max()) + 2
        pairs = np.repeat(np.arange(tuples.height, dtype=np.int64), people.times) * span + planned + 1
        known, first, records = np.unique(pairs, return_index=True, return_counts=True)
        of_tuple, of_row = known // span, of_row[first]
    return Places(
        tuples,
        of_tuple.astype(np.int32),
        of_row,
        records.astype(np.int64),
        boxes,
        tuple(name for name, treatment in recoding.columns.items() if not isinstance(treatment, Drop)),
        _spelt(people if readable is None else readable, recoding),
        people.unit,
        tuple(name for name in texts if name not in recoding.quasi),
        stars,
        {
            name: (made.of_tuple.select(named(made.fields)), made.of_tuple[PSEUDONYM])
            for name, made in (pseudonyms or {}).items()
            if made.of_tuple is not None
        },
        people.na,
    )


def _spelt(people: FarTable, recoding: Recoding) -> dict[str, tuple[pl.Series, pl.Series]]:
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
    for name, counted in zip(to, people.engine.count(*([name] for name in to)) if to else ()):
        values = nameless(counted[name]).drop_nulls()
        kinds = {name: people.kinds[name]} if name in people.kinds else {}
        alone = Table(
            values.alias(name).to_frame(), {name: people.roles[name]}, kinds=kinds, hierarchies={},
            unit=None, weight=None, na=people.na, give_back=as_it_is,
        )  # fmt: skip
        out[name] = (values, rounded(alone, name, to[name]).series(name))
    return out


def release_far(
    people: FarTable, places: Places, seed: int, progress: Progress = False
) -> FarRows | StoredRows:
    """The released rows: recoded by the database that holds them where it can, else here."""
    engine: Any = people.engine
    if hasattr(engine, "release"):
        rows: StoredRows = engine.release(places, seed=seed, check=people.refuse_changed)
        return rows
    if hasattr(engine, "apply"):
        database: Database = engine
        return release_rows(database, places, seed=seed, check=people.refuse_changed)
    passed = Passed(engine)
    with track(progress, "Recoding", passed.text) as report:

        def told(rows: int, share: float) -> None:
            passed.add(rows, share)
            report(passed.rows / people.records)

        return store_rows(engine, places, seed=seed, check=people.refuse_changed, told=told)
