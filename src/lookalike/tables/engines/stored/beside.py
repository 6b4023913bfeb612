"""Published rows of two releases as one table, read a piece at a time, the way `stack` puts them together in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.engine import TIMES, OnRows, Piece, Places
from lookalike.tables.stacking import stack

Pieces = Callable[[], Iterator[pl.DataFrame]]  #: published rows, from the beginning each time
_LINES = 1 << 20  # tuples that wait to be added up


@dataclass(frozen=True, eq=False)
class Beside:
    """Rows that are out, and rows that go out with them."""

    parts: tuple[Pieces, Pieces] = field(repr=False)
    kinds: Mapping[str, pl.DataType]  #: the columns, and what types they have in both
    budget: Budget = field(repr=False)

    @staticmethod
    def of(before: Pieces, now: Pieces, kinds: Mapping[str, pl.DataType], budget: Budget) -> Beside:
        """Rows that are out, and new ones of these types; where types differ, as they are put together in memory."""
        values = count_pieces(before(), [[name] for name in kinds])
        empty = pl.DataFrame(schema=dict(kinds))
        both = {
            name: stack(found.select(named(name)), empty.select(named(name)))
            for name, found in zip(kinds, values, strict=True)
        }
        return Beside((before, now), {name: one.schema[name] for name, one in both.items()}, budget)

    def pieces(self, columns: Sequence[str], *, on_rows: OnRows | None = None) -> Iterator[Piece]:
        """Some columns of all rows, a piece at a time."""
        for part in self.parts:
            for piece in part():
                if on_rows is not None:
                    on_rows(piece.height, 0.0)
                yield piece.select(named(name).cast(self.kinds[name]) for name in columns)

    def count(self, *groups: Sequence[str], on_rows: OnRows | None = None) -> list[pl.DataFrame]:
        """The distinct tuples of each group of columns and how often each occurs."""
        wanted = list(dict.fromkeys(name for group in groups for name in group))
        pieces = (piece for piece in self.pieces(wanted, on_rows=on_rows) if isinstance(piece, pl.DataFrame))
        return count_pieces(pieces, groups)


def count_pieces(pieces: Iterator[pl.DataFrame], groups: Sequence[Sequence[str]]) -> list[pl.DataFrame]:
    """The distinct tuples of each group of columns and how often each occurs, of rows that come in pieces."""
    found: list[list[pl.DataFrame]] = [[] for _ in groups]
    for piece in pieces:
        for mine, group in zip(found, groups, strict=True):
            mine.append(piece.group_by(named(group)).agg(pl.len().cast(pl.Int64).alias(TIMES)))
            if sum(each.height for each in mine[1:]) > _LINES:
                mine[:] = [_add_up(mine, group)]
    return [_add_up(mine, group) for mine, group in zip(found, groups, strict=True)]


def _add_up(parts: Sequence[pl.DataFrame], group: Sequence[str]) -> pl.DataFrame:
    return pl.concat(parts).group_by(named(group)).agg(pl.col(TIMES).sum())


def places_as_published(rows: Beside, quasi: Sequence[str], unit: str | None) -> Places:
    """Where rows go that are published as they are: each tuple of quasi-identifiers is a class."""
    by = [*quasi, *([] if unit is None or unit in quasi else [unit])]
    (counted,) = rows.count(by)
    counted = counted.sort(named(by))
    codes: dict[str, Any] = {}
    boxes = {}
    for name in quasi:
        values = nameless(counted[name]).unique(maintain_order=True).drop_nulls()
        place = values.alias("value").to_frame().with_row_index("code")
        rows_of = counted[name].alias("value").to_frame()
        found = rows_of.join(place, on="value", how="left", maintain_order="left")["code"]
        codes[name] = (found.cast(pl.Int64).fill_null(-1).to_numpy(), values)
    of_tuple, classes = group_codes(
        [each + 1 for each, _ in codes.values()],
        [len(values) + 1 for _, values in codes.values()],
        counted.height,
    )
    first = np.zeros(classes, dtype=np.int64)
    first[of_tuple[::-1]] = np.arange(counted.height)[::-1]
    for name, (each, values) in codes.items():
        boxes[name] = Distinct(each[first].astype(np.int32), values)
    return Places(
        counted.select(named(by)),
        np.arange(counted.height, dtype=np.int32),
        of_tuple.astype(np.int32),
        counted[TIMES].to_numpy(),
        boxes,
        tuple(rows.kinds),
        unit=unit,
    )
