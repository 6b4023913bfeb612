"""pyarrow tables on their way back: columns whose values survived get their old type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl


def way_back(frame: Any, rows: pl.DataFrame) -> Callable[..., Any]:
    """How rows become a pyarrow table like this one, which was read as `rows`.

    A dictionary lists its values: where somebody is left out, only those that are still there.
    """
    types = {field.name: field.type for field in frame.schema}
    schema = {
        n: pl.String() if isinstance(k, pl.Enum | pl.Categorical) else k for n, k in rows.schema.items()
    }
    listed = {name: dictionary_of(frame.column(name)) for name in _dictionaries(frame)}
    height, missing = rows.height, {name: rows[name].null_count() for name in rows.columns}

    def give_back(rows: pl.DataFrame, *, in_order: bool = False) -> Any:
        import pyarrow

        table = rows.to_arrow()
        for place, name in enumerate(rows.columns):
            if name not in types or schema[name] != rows.schema[name]:
                continue
            whole = (rows.height, rows[name].null_count()) == (height, missing[name])
            column = _column(pyarrow, table.column(place), types[name], listed.get(name, []), whole)
            if column is not None:
                table = table.set_column(place, pyarrow.field(name, column.type), column)
        return table

    return give_back


def _dictionaries(frame: Any) -> list[str]:
    """The columns that list their values; of a stream nobody knows them any more once it is read."""
    if not hasattr(frame, "column"):
        return []
    return [field.name for field in frame.schema if hasattr(field.type, "ordered")]


def dictionary_of(column: Any) -> list[Any]:
    """The values of a dictionary column in their order, from all of its chunks."""
    chunks = getattr(column, "chunks", [column])
    return list(dict.fromkeys(value for chunk in chunks for value in chunk.dictionary.to_pylist()))


def _column(pyarrow: Any, column: Any, kind: Any, listed: list[Any], whole: bool) -> Any:
    """The column in its old type; None where its values do not fit that any more."""
    if not pyarrow.types.is_dictionary(kind):
        try:
            return column.cast(kind)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, pyarrow.ArrowTypeError):
            return None
    there = set(column.to_pylist()) - {None}
    if not there <= set(listed):
        return None
    values = listed if whole else [value for value in listed if value in there]
    place = {value: code for code, value in enumerate(values)}
    codes = pyarrow.array([place.get(value) for value in column.to_pylist()], kind.index_type)
    dictionary = pyarrow.array(values, kind.value_type)
    return pyarrow.DictionaryArray.from_arrays(codes, dictionary, ordered=kind.ordered)
