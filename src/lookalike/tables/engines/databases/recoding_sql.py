"""The rows that stay, recoded, as one query: a join finds what a tuple publishes, a window who of it goes where.

Small tables go where the rows are: the tuples with their classes, and of columns that are published otherwise than they
are, or that records of one tuple are dealt out by, what is published of each value and its number
(`recodings/dealing.py`). A tuple's records are numbered in the order of the exclusive or of their values' numbers, and
each class takes so many of them as the plan says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import polars as pl

from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.digests import numbers_of
from lookalike.tables.columns.markers import can_be_marked, without_markers
from lookalike.tables.columns.naming import nameless
from lookalike.tables.engines.engine import CLASS, PERSON, Engine, Places

_NOW, _WAS, _BECOMES, _NUMBER = "now_{}", "was_{}", "becomes", "number"


@dataclass(frozen=True)
class Dialect:
    """What databases write differently."""

    place: Callable[[pl.DataFrame], str]  #: puts a few rows where the others are; gives what to call them
    equal: Callable[[Sequence[str], Sequence[str]], str]  #: whether tuples are the same, missing values too
    xor: Callable[[str, str], str]


def recoded(engine: Engine, places: Places, source: str, dialect: Dialect, *, seed: int) -> str:
    """The query for the rows of `source` that stay, what is published of them, their class, and whose they are."""
    joins, shown, numbers = [], {}, []
    for i, (name, (by, rows)) in enumerate(_look_ups(engine, places, seed).items()):
        found = [f"s{i}.{_WAS.format(j)}" for j in range(len(by))]
        match = dialect.equal([f"p.{quoted(each)}" for each in by], found)
        joins.append(f"LEFT JOIN {dialect.place(rows)} AS s{i} ON {match}")
        if _BECOMES in rows.columns:
            shown[name] = f"s{i}.{_BECOMES}"
        if _NUMBER in rows.columns:
            missing = numbers_of(pl.Series([], dtype=pl.String), name, seed)[-1]
            numbers.append(f"coalesce(s{i}.{_NUMBER}, {missing})")
    known = {name: _WAS.format(i) for i, name in enumerate(places.tuples.columns)}
    match = dialect.equal([f"p.{quoted(name)}" for name in known], [f"w.{was}" for was in known.values()])
    lines = _lines(places)
    if places.split:
        tuples = places.tuples.rename(known).with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("t"))
        order = f"ORDER BY {reduce(dialect.xor, numbers)}" if numbers else ""
        rank = f"row_number() OVER (PARTITION BY w.t {order}) AS r"
        beside = f"JOIN {dialect.place(lines)} AS l ON l.t = q.t AND q.r BETWEEN l.first AND l.last"
        label, ranked = "l", ["w.t AS t", rank]
    else:
        of_tuple = pl.Series(lines["t"])
        tuples = pl.concat(
            [places.tuples.rename(known)[of_tuple], lines.drop("t", "first", "last")], how="horizontal"
        )
        now = [_NOW.format(i) for i in range(len(places.boxes))]
        beside, label, ranked = "", "q", [f"w.{each}" for each in ("class", *now)]
    inner = [f"{shown.get(name, f'p.{quoted(name)}')} AS o_{i}" for i, name in enumerate(places.others)]
    if places.unit is not None:
        inner.append(f"p.{quoted(places.unit)} AS u")
    published = {name: f"{label}.{_NOW.format(i)}" for i, name in enumerate(places.boxes)}
    for i, name in enumerate(places.others):  # of rows kept as stars nothing is said
        said = f"q.o_{i}"
        stars = f"CASE WHEN {label}.class <> {places.stars} THEN {said} END"
        published[name] = said if places.stars is None else stars
    columns = [f"{published[name]} AS {quoted(name)}" for name in places.names]
    columns.append(f"{label}.class AS {quoted(CLASS)}")
    if places.unit is not None:
        columns.append(f"q.u AS {quoted(PERSON)}")
    return (
        f"SELECT {', '.join(columns)} FROM (SELECT {', '.join([*inner, *ranked])} FROM ({source}) AS p "
        f"JOIN {dialect.place(tuples)} AS w ON {match} {' '.join(joins)}) AS q {beside}"
    )


def _lines(places: Places) -> pl.DataFrame:
    """For each tuple and each class that it goes to: from which record on, up to which, and what is published."""
    ends = np.cumsum(places.records)
    before = (ends - places.records)[np.searchsorted(places.of_tuple, np.arange(places.tuples.height))]
    kept = places.classes >= 0
    of_tuple, classes = places.of_tuple[kept], places.classes[kept]
    last = ends[kept] - before[of_tuple]
    now = [
        Distinct(box.codes[classes], box.values).series(_NOW.format(i))
        for i, box in enumerate(places.boxes.values())
    ]
    return pl.DataFrame(
        [
            pl.Series("t", of_tuple, dtype=pl.Int32),
            pl.Series("first", last - places.records[kept] + 1),
            pl.Series("last", last),
            pl.Series("class", classes, dtype=pl.Int32),
            *now,
        ]
    )


def _look_ups(engine: Engine, places: Places, seed: int) -> dict[str, tuple[list[str], pl.DataFrame]]:
    """Per published column that is looked up: by which columns, what is published for their tuples, its number."""
    found: dict[str, tuple[list[str], pl.DataFrame]] = {}
    for name, (values, becomes) in places.spelt.items():
        found[name] = ([name], pl.DataFrame({_WAS.format(0): values, _BECOMES: becomes}))
    for name, (tuples, becomes) in places.made.items():
        known = {each: _WAS.format(i) for i, each in enumerate(tuples.columns)}
        found[name] = (tuples.columns, tuples.rename(known).with_columns(becomes.alias(_BECOMES)))
    dealt_by = [name for name in places.others if places.split and name not in places.tuples.columns]
    kinds = engine.describe() if places.na else {}
    asked = [
        n for n in places.as_they_are if n in dealt_by or (n in kinds and can_be_marked(kinds[n], places.na))
    ]
    for name, counted in zip(asked, engine.count(*([name] for name in asked)) if asked else (), strict=True):
        values = nameless(counted[name]).drop_nulls()
        becomes = without_markers(values, places.na)
        if becomes.null_count():
            found[name] = ([name], pl.DataFrame({_WAS.format(0): values, _BECOMES: becomes}))
        elif name in dealt_by:
            found[name] = ([name], pl.DataFrame({_WAS.format(0): values}))
    for name in dealt_by:
        by, rows = found[name]
        numbers = numbers_of(rows[_BECOMES if _BECOMES in rows.columns else _WAS.format(0)], name, seed)[:-1]
        found[name] = (by, rows.with_columns(pl.Series(_NUMBER, numbers)))
    return found


def rarest_query(source: str, columns: Sequence[str], below: int, *, people: bool, but: Sequence[int]) -> str:
    """The fewest rows, or people, that share a tuple, and the rows whose tuple is shared by fewer than `below`."""
    who = f"count(DISTINCT {quoted(PERSON)})" if people else "count(*)"
    where = f"WHERE {quoted(CLASS)} NOT IN ({', '.join(map(str, but))})" if but else ""
    groups = f"SELECT {who} AS n, count(*) AS r FROM {source} AS a {where} GROUP BY {', '.join(map(quoted, columns))}"
    few = f"coalesce(sum(CASE WHEN n < {int(below)} THEN r END), 0)"
    return f"SELECT CAST(min(n) AS BIGINT) AS least, CAST({few} AS BIGINT) AS few FROM ({groups}) AS g"


def quoted(name: str) -> str:
    """A name, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
