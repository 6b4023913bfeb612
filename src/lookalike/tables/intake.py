"""Take in a table about people: `table` from any frame, `read` from any file.

Both end in the same checks of what was said about the columns. Nothing is coded yet: `Table` does so on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast

import polars as pl

from lookalike.base.checks import checked, whole_number
from lookalike.base.errors import RequestError, unknown_column
from lookalike.tables.columns.coding import Distinct, KindLike
from lookalike.tables.columns.roles import Kind, Role, assign_roles
from lookalike.tables.hierarchies.files import Hierarchies, collect
from lookalike.tables.sources.files import read_file
from lookalike.tables.sources.frames import Rows, as_it_is, enum_orders, take
from lookalike.tables.table import Table


@checked
def table(
    frame: Rows,
    *,
    identifiers: Sequence[str] = (),
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    targets: Sequence[str] = (),
    others: Sequence[str] | None = None,
    hierarchies: Hierarchies | None = None,
    types: Mapping[str, KindLike] | None = None,
    unit: str | None = None,
    weight: str | None = None,
    na: Collection[str] = ("?",),
) -> Table:
    """A table about people from a pandas, Polars or pyarrow frame, or anything with the Arrow stream protocol.

    identifiers, quasi, sensitive, targets: the role of each column. Columns not named get the role *other* with a
    warning; name them in `others` (or pass `others=[]` to mean "all the rest") and the warning goes away.
    hierarchies: one per column, or a folder of `COLUMN.csv` files; columns without one get an automatic one.
    types: integer, decimal, date, ordinal or nominal; a date format such as "%d/%m/%Y"; or the values in their order.
    unit: the column that tells people (or households) apart when a person has several rows; k then counts people.
    weight: the column of sampling weights, for population risk.
    na: spellings of a missing value besides null, NaN and empty text, also of numbers and dates: ["?", "-9"]; a release
        publishes them as missing.
    frame: the rows, of any library named above.
    others: columns that are published as they are; [] means all the rest.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> people.quasi, people.sensitive
        (['age'], ['disease'])
        >>> len(people)
        6
    """
    taken = frame if isinstance(frame, _File) else take(frame)
    return _assemble(
        taken.rows,
        taken.orders,
        taken.give_back,
        {
            "identifiers": identifiers,
            "quasi": quasi,
            "sensitive": sensitive,
            "targets": targets,
            "others": others,
        },
        hierarchies=hierarchies,
        types=types,
        unit=unit,
        weight=weight,
        na=na,
    )


class Said(TypedDict, total=False):
    """What `table` takes besides the frame."""

    identifiers: Sequence[str]
    quasi: Sequence[str]
    sensitive: Sequence[str]
    targets: Sequence[str]
    others: Sequence[str] | None
    hierarchies: Hierarchies | None
    types: Mapping[str, KindLike] | None
    unit: str | None
    weight: str | None
    na: Collection[str]


@dataclass(frozen=True, eq=False)
class _File:
    """What was read of a file, in the place of a frame."""

    rows: pl.DataFrame | Mapping[str, Distinct]
    orders: Mapping[str, list[str]]
    give_back: Callable[..., Any] = as_it_is


@checked
def read(
    path: str | Path,
    *,
    delimiter: str | None = None,
    quote: str | None = '"',
    encoding: str = "utf-8",
    header: bool = True,
    names: Sequence[str] | None = None,
    sheet: str | None = None,
    skip_rows: int = 0,
    **said: Unpack[Said],
) -> Table:
    """A table about people from a file: csv, tsv or other delimited text, parquet, arrow, xlsx.

    The delimiter is guessed unless given; `quote=""` makes quotation marks ordinary characters; `header=False` calls
    the columns column_1, column_2, … or as in `names`. Lines with nothing on them are passed over, and so many
    above the names of the columns as `skip_rows` says, in text and workbooks.
    The other arguments are those of `table`: identifiers, quasi, sensitive, targets, others, hierarchies, types, unit,
    weight, na.

    delimiter: the character between values; guessed unless given.
    quote: the quotation mark; "" where there is none.
    encoding: of text files.
    header: False where the first line is data already.
    names: names of the columns, for files without a header.
    sheet: of a workbook; the first one unless given.
    skip_rows: lines above the names of the columns.
    said: roles and the rest of what `la.table` takes.

    Examples:
        >>> from pathlib import Path
        >>> import lookalike as la
        >>> _ = Path("people.csv").write_text("name;age;zip\\nAnn;31;8010\\nBob;?;8020\\n", encoding="utf-8")
        >>> people = la.read("people.csv", identifiers=["name"], quasi=["age", "zip"], na=["?"])
        >>> people.rows["age"].to_list()
        ['31', '?']
    """
    found = read_file(
        Path(path),
        delimiter=delimiter,
        quote=quote,
        encoding=encoding,
        header=header,
        names=None if names is None else list(names),
        sheet=sheet,
        skip_rows=whole_number(skip_rows, "skip_rows"),
    )
    orders = enum_orders(found) if isinstance(found, pl.DataFrame) else {}
    return table(cast("Rows", _File(found, orders)), **said)


def _assemble(
    rows: pl.DataFrame | Mapping[str, Distinct],
    orders: Mapping[str, list[str]],
    give_back: Callable[..., Any],
    named: Mapping[str, Sequence[str] | None],
    *,
    hierarchies: Hierarchies | None,
    types: Mapping[str, KindLike] | None,
    unit: str | None,
    weight: str | None,
    na: Collection[str],
) -> Table:
    columns = rows.columns if isinstance(rows, pl.DataFrame) else list(rows)
    if not columns:
        raise RequestError("the table has no columns.")
    if isinstance(rows, pl.DataFrame) and not rows.height:
        raise RequestError("the table has no rows.")
    roles, kinds = describe_columns(columns, named, types=types, unit=unit, weight=weight, na=na)
    return Table(
        rows,
        roles,
        kinds={**orders, **kinds},
        hierarchies=collect(hierarchies, columns),
        unit=unit,
        weight=weight,
        na=na,
        give_back=give_back,
    )


def describe_columns(
    columns: Sequence[str],
    named: Mapping[str, Sequence[str] | None],
    *,
    types: Mapping[str, KindLike] | None,
    unit: str | None,
    weight: str | None,
    na: Collection[str],
) -> tuple[dict[str, Role], dict[str, KindLike]]:
    """The role of every column and the kinds that were given, checked."""
    if isinstance(na, str):
        raise RequestError(f"na: give a list of spellings, such as [{na!r}].")
    roles = assign_roles(columns, named, unit=unit, weight=weight)
    kinds: dict[str, KindLike] = {}
    for name, kind in (types or {}).items():
        if name not in roles:
            raise unknown_column(name, columns, "types")
        kinds[name] = _kind(name, kind)
    return roles, kinds


_KINDS = f"use {', '.join(Kind)}, a date format such as '%d/%m/%Y', or a list of values in order"


def _kind(name: str, kind: KindLike) -> KindLike:
    if not isinstance(kind, str):
        if isinstance(kind, Mapping | bytes) or not isinstance(kind, Iterable):
            raise RequestError(f"types: column {name!r} has a {type(kind).__name__}; {_KINDS}.")
        return [str(value).lower() if isinstance(value, bool) else str(value) for value in kind]
    if "%" in kind:
        return kind
    try:
        return Kind(kind)
    except ValueError:
        raise RequestError(f"types: column {name!r} cannot be {kind!r}; {_KINDS}.") from None
