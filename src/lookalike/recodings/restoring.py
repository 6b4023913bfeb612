"""Types survive where values do: a quasi-identifier published as single values is given back as it came.

Releases hold labels as text. Where every label of a column is one value of the original, the caller's frame gets the
value itself, in its own type: a number, a date, true or false. O(n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from lookalike.tables.columns.grouping import first_of_each
from lookalike.tables.columns.naming import nameless
from lookalike.tables.sources.traces import leave_no_trace
from lookalike.tables.table import Table


def give_back(people: Table, rows: pl.DataFrame, quasi: Sequence[str], *, in_order: bool) -> Any:
    """Released rows as the caller's kind of frame; `in_order`: they are the original's rows, all and in their order."""
    texts = [name for name in quasi if name in rows.columns and rows.schema[name] == pl.String]
    values = [value for name in texts if (value := _values(people, rows[name])) is not None]
    if values:
        left_out = not in_order and rows.height != len(people)
        rows = rows.with_columns(leave_no_trace(pl.DataFrame(values), left_out=left_out))
    return people.give_back(rows, in_order=in_order)


def _values(people: Table, labels: pl.Series) -> pl.Series | None:
    """The values behind labels that are single values of the original; None where they are texts or stand for more."""
    source = nameless(people.rows[labels.name])
    if source.dtype == pl.String or isinstance(source.dtype, pl.Enum | pl.Categorical):
        return None
    column = people.column(labels.name)
    texts = column.domain.texts
    first = first_of_each(column.codes, column.domain.size)[: len(texts)]
    known = source.drop_nulls()
    if isinstance(source.dtype, pl.Datetime) and (known.dt.truncate("1d") != known).any():
        return None  # a day stands for all its hours: only midnights are whole values
    values = source.gather(pl.Series(first.astype(np.int64)))
    place = {text: code for code, text in enumerate(texts)}
    codes = [None if label is None else place.get(label, -1) for label in labels.to_list()]
    if -1 in codes:
        return None
    return values.gather(pl.Series(codes, dtype=pl.Int64)).alias(labels.name)
