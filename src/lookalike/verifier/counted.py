"""A release in Spark, counted there: what comes here are distinct combinations of values and how many rows have each.

Spark's own group-by counts; nothing is shared with what made the release. Rows of a frame are in no order, so findings
name no lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.spark.frames import Spark
from lookalike.verifier.contents import MOST_NEW
from lookalike.verifier.released import NewColumn, Released, TextColumn


@dataclass(frozen=True, eq=False)
class CountedRows(Released):
    """Columns that promises are about are combinations that occur; of all others, each value is there once."""

    engine: Spark = field(kw_only=True, repr=False)
    known: tuple[str, ...] = field(kw_only=True)  #: columns of the combinations

    def take(self, rows: NDArray[Any]) -> Released:
        """Some combinations."""
        return Released.take(replace(self, columns={name: self.columns[name] for name in self.known}), rows)

    def rarest(self, names: Sequence[str], other: str) -> int:
        """How many rows share the values of some columns and of one other, at least."""
        if other in self.known:
            return Released.rarest(self, names, other)
        if (self.columns[other].often == 1).any():
            return 1
        return self.engine.rarest(names, other)


def count_released(engine: Spark, written: Mapping[str, Any]) -> CountedRows:
    """Count a release as its certificate asks for it."""
    names = list(engine.describe())
    new = [name for name in names if name not in written["columns"]]
    asked = [written["unit"], *written["quasi"], *written["sensitive"]]
    asked += [promise.get("column") for promise in written["promise"]]
    known = [name for name in dict.fromkeys(asked) if name in names] or names[:1]
    others = [name for name in names if name not in (*known, *new[MOST_NEW:])]
    (tuples,) = engine.group(known)
    values = engine.group(*([name] for name in others)) if others else []
    columns = {name: _column(tuples, name) for name in known}
    columns |= {name: _column(counted, name) for name, counted in zip(others, values, strict=True)}
    columns |= {
        name: TextColumn(np.zeros(0, dtype=np.uint8), pl.Series([], dtype=pl.String))
        for name in new[MOST_NEW:]
    }
    return CountedRows(
        {name: columns[name] for name in names},
        np.zeros(tuples.height, dtype=np.int64),
        tuples[TIMES].to_numpy().astype(np.int64),
        engine=engine,
        known=tuple(known),
    )


def _column(counted: pl.DataFrame, name: str) -> TextColumn:
    new = NewColumn()
    new.add(counted[name])
    return replace(new.column(), times=counted[TIMES].to_numpy().astype(np.int64))
