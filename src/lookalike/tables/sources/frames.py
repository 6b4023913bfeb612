"""The boundary: any frame in, a Polars frame inside, the caller's kind of frame out.

pandas, Polars (eager and lazy) and pyarrow come back as they went in, which takes to know each of them: an index, an
ordered category, a type of its own. Anything else with the Arrow stream protocol, a DuckDB relation for one, comes back
as Polars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import polars as pl

from lookalike.base.errors import ColumnError, RequestError
from lookalike.tables.columns.naming import nameless
from lookalike.tables.sources.delimited import name_blanks


class Streams(Protocol):
    """What frames of pandas, Polars, pyarrow and DuckDB have in common."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows, by the Arrow stream protocol."""


class Distributed(Protocol):
    """What frames of Spark have, whose rows stay where they are."""

    @property
    def mapInArrow(self) -> Callable[..., Any]:
        """Work on the rows where they are."""


Rows: TypeAlias = Streams | pl.LazyFrame  #: a frame that is read into memory
Source: TypeAlias = (
    Rows | Distributed | str | Path
)  #: a frame, or where rows are: files by name, a relation, Spark


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame as Polars, the orders its ordered categories declare, and the way back to the caller's kind."""

    rows: pl.DataFrame
    orders: dict[str, list[str]]
    give_back: Callable[..., Any]  #: rows, and whether they are all of the original's, `in_order`


def stays_there(frame: Any) -> bool:
    """Whether rows are neither in memory nor in a file that is read into it: a relation, or a Spark frame."""
    return is_relation(frame) or is_spark(frame)


def is_relation(frame: Any) -> bool:
    """Whether this is a DuckDB relation, told without importing DuckDB."""
    return type(frame).__module__.split(".")[0] in ("duckdb", "_duckdb") and hasattr(frame, "query")


def is_spark(frame: Any) -> bool:
    """Whether this is a Spark frame, told without importing Spark."""
    return type(frame).__module__.startswith("pyspark.sql.") and hasattr(frame, "mapInArrow")


def take(frame: Rows) -> Frame:
    """Read any supported frame. A column without a name is called by its place, as in files."""
    taken = _take(frame)
    names = taken.rows.columns
    if "" not in names:
        return taken
    called = name_blanks(names, "the frame")[names.index("")]
    _refuse_doubles([*names, called])
    return replace(taken, rows=taken.rows.rename({"": called}))


def _take(frame: Any) -> Frame:
    if isinstance(frame, pl.DataFrame):
        return Frame(frame, enum_orders(frame), _way_back(frame))
    if isinstance(frame, pl.LazyFrame):
        rows = frame.collect()
        back = _way_back(rows)
        return Frame(rows, enum_orders(rows), lambda rows, in_order=False: back(rows).lazy())
    library = type(frame).__module__.split(".")[0]
    if library == "pandas" and type(frame).__name__ == "DataFrame":
        from lookalike.tables.sources.pandas_frames import take_pandas

        _refuse_doubles([str(name) for name in frame.columns])
        return Frame(*take_pandas(frame))
    if library == "pyarrow" and hasattr(frame, "schema"):
        _refuse_doubles(frame.schema.names)
        from lookalike.tables.sources.arrow_frames import dictionary_of, way_back

        orders = {
            field.name: [str(value) for value in dictionary_of(frame.column(field.name))]
            for field in frame.schema
            if getattr(field.type, "ordered", False)
        }
        rows = _from_arrow(frame)
        rows.columns = frame.schema.names  # Polars names those without a name by itself
        return Frame(rows, orders, way_back(frame, rows))
    if hasattr(frame, "__arrow_c_stream__"):
        rows = _from_arrow(frame)
        return Frame(rows, enum_orders(rows), as_it_is)
    if isinstance(frame, str | Path):
        raise RequestError("the name of a file is not a table. Read it with lookalike.read(path).")
    raise RequestError(
        f"a {type(frame).__module__}.{type(frame).__qualname__} is not a table. Pass a pandas, Polars or pyarrow "
        "frame, an object with the Arrow stream protocol, or read a file with lookalike.read(path)."
    )


def _from_arrow(frame: Any) -> pl.DataFrame:
    try:
        return pl.DataFrame(frame)
    except pl.exceptions.DuplicateError:
        raise ColumnError(
            "a column name appears more than once. Rename the columns so that each name is unique."
        ) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError):
        raise ColumnError(
            "a column has a type that cannot be read, such as decimals of 256 bits, run-end encoding, intervals of "
            "months or unions. Turn it into text or numbers, or leave it out."
        ) from None


def as_it_is(rows: pl.DataFrame, *, in_order: bool = False) -> pl.DataFrame:
    """The way back to Polars."""
    return rows


def _way_back(frame: pl.DataFrame) -> Callable[..., pl.DataFrame]:
    """The way back to Polars, for texts that were categories.

    An enumeration lists its values: where somebody is left out, only those that are still there. Categories live in a
    pool that all frames share, so they are categories again only where nobody is.
    """
    listed = {n: k for n, k in frame.schema.items() if isinstance(k, pl.Enum | pl.Categorical)}
    height, missing = frame.height, {name: frame[name].null_count() for name in listed}

    def give_back(rows: pl.DataFrame, *, in_order: bool = False) -> pl.DataFrame:
        back = []
        for name, kind in listed.items():
            if rows.schema.get(name) != pl.String:
                continue
            whole = (rows.height, rows[name].null_count()) == (height, missing[name])
            if isinstance(kind, pl.Enum):
                there = set(nameless(rows[name]).drop_nulls())
                values = kind.categories.to_list()
                if there <= set(values):
                    back.append(
                        rows[name].cast(kind if whole else pl.Enum([v for v in values if v in there]))
                    )
            elif whole and set(rows[name]) <= set(frame[name].cast(pl.String)):
                back.append(rows[name].cast(kind))
        return rows.with_columns(back)

    return give_back if listed else as_it_is


def enum_orders(rows: pl.DataFrame) -> dict[str, list[str]]:
    """The order that each enumerated column declares."""
    return {
        name: kind.categories.to_list() for name, kind in rows.schema.items() if isinstance(kind, pl.Enum)
    }


def _refuse_doubles(names: list[str]) -> None:
    doubled = [name for name, times in Counter(names).items() if times > 1]
    if doubled:
        raise ColumnError(
            f"column {doubled[0]!r} appears more than once. Rename the columns so that each name is unique."
        )
