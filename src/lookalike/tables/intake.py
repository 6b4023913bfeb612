"""Take in a table about people: `table` from any frame, `read` from any file.

Both end in the same checks of what was said about the columns. Nothing is coded yet: `Table` does so on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast

import polars as pl

from lookalike.base.checks import checked, choice, whole_number
from lookalike.base.errors import RequestError, unknown_column
from lookalike.tables.columns.coding import Distinct, KindLike
from lookalike.tables.columns.roles import Kind, Role, assign_roles
from lookalike.tables.engines.engine import CLASS, MOST_TUPLES, PERSON, TIMES
from lookalike.tables.engines.opening import is_elsewhere, open_engine
from lookalike.tables.engines.origin import Origin
from lookalike.tables.hierarchies.files import Hierarchies, collect
from lookalike.tables.sources.files import is_larger_than_memory, read_file
from lookalike.tables.sources.frames import Distributed, Rows, as_it_is, enum_orders, stays_there, take
from lookalike.tables.table import Table


@checked
def table(
    frame: Rows | Distributed,
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
    memory: str | int | None = None,
    most: int = MOST_TUPLES,
) -> Table:
    """A table about people from a pandas, Polars or pyarrow frame, or anything with the Arrow stream protocol.

    The rows of a DuckDB relation or a Spark frame stay where they are: only the distinct tuples of quasi-identifiers,
    sensitive columns and the unit are counted there, when they are needed.

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
    memory: how much the process may take for rows that are elsewhere, such as "2GB".
    most: distinct tuples that may be taken into memory of rows that are elsewhere.

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
    if stays_there(frame):
        origin = Origin(open_engine(frame, memory=memory, most=most), most)
        taken = _Taken(None, {}, columns=_columns_of(origin), origin=origin)
    else:
        taken = _Taken.of(frame)
    return _assemble(
        taken,
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


_make = table  # `read` has an argument of that name


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
class _Taken:
    """What was read of a frame or a file, or where its rows are."""

    rows: pl.DataFrame | Mapping[str, Distinct] | None  #: None where they stay elsewhere
    orders: Mapping[str, list[str]]
    give_back: Callable[..., Any] = as_it_is
    columns: Sequence[str] = ()
    origin: Origin | None = None

    @staticmethod
    def of(frame: Any) -> _Taken:
        """A frame, unless it is what was read of a file."""
        if isinstance(frame, _Taken):
            return frame
        taken = take(frame)
        return _Taken(taken.rows, taken.orders, taken.give_back, taken.rows.columns)


def _columns_of(origin: Origin) -> list[str]:
    """The columns of rows that are elsewhere; refused where one has a name that counting needs."""
    columns = list(origin.engine.describe())
    if ours := next((name for name in columns if name in (TIMES, CLASS, PERSON)), None):
        raise RequestError(f"column {ours!r}: Lookalike has a column of that name beside yours. Rename it.")
    return columns


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
    engine: str | None = None,
    memory: str | int | None = None,
    table: str | None = None,
    most: int | None = None,
    **said: Unpack[Said],
) -> Table:
    """A table about people from a file: csv, tsv or other delimited text, parquet, arrow, xlsx; or where they are.

    A folder or a pattern of csv or parquet files, a file larger than memory, a table of a DuckDB database or of a
    PostgreSQL server stay where they are, and so does a file read with `engine="streaming"` or `memory`.

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
    engine: "streaming" for a file that is read a piece at a time.
    memory: how much the process may take for rows that stay where they are, such as "2GB".
    table: the table of a database or a server.
    most: distinct tuples that may be taken into memory of rows that stay where they are.
    said: roles and the rest of what `la.table` takes.

    Examples:
        >>> from pathlib import Path
        >>> import lookalike as la
        >>> _ = Path("people.csv").write_text("name;age;zip\\nAnn;31;8010\\nBob;?;8020\\n", encoding="utf-8")
        >>> people = la.read("people.csv", identifiers=["name"], quasi=["age", "zip"], na=["?"])
        >>> people.rows["age"].to_list()
        ['31', '?']
    """
    of_file = {
        "encoding": encoding != "utf-8",
        "header": not header,
        "names": names is not None,
        "sheet": sheet is not None,
        "skip_rows": bool(skip_rows),
    }
    if engine is not None:
        choice(engine, "engine", ("streaming",))
    large = is_larger_than_memory(Path(path)) and not any(of_file.values())
    if any(one is not None for one in (engine, memory, table, most)) or is_elsewhere(path) or large:
        if strange := next((name for name, is_said in of_file.items() if is_said), None):
            raise RequestError(f"`{strange}` does not go with rows that stay where they are. Leave it out.")
        how = {"memory": memory, "table": table, "delimiter": delimiter, "quote": quote}
        return open_there(path, **how, **({} if most is None else {"most": most}), **said)  # type: ignore[arg-type]
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
    return _make(
        cast(
            "Rows",
            _Taken(found, orders, columns=list(found.columns if isinstance(found, pl.DataFrame) else found)),
        ),
        **said,
    )


def open_there(
    source: str | Path,
    *,
    memory: str | int | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    quote: str | None = '"',
    most: int = MOST_TUPLES,
    within: Path | None = None,
    **said: Unpack[Said],
) -> Table:
    """A table of rows that stay where they are: in files, a database, on a server.

    within: the folder that every file must lie in, wherever links lead.
    The other arguments are those of `read`.
    """
    engine = open_engine(
        source, memory=memory, table=table, delimiter=delimiter, quote=quote, most=most, within=within
    )
    origin = Origin(engine, most)
    return _make(cast("Rows", _Taken(None, {}, columns=_columns_of(origin), origin=origin)), **said)


def _assemble(
    taken: _Taken,
    named: Mapping[str, Sequence[str] | None],
    *,
    hierarchies: Hierarchies | None,
    types: Mapping[str, KindLike] | None,
    unit: str | None,
    weight: str | None,
    na: Collection[str],
) -> Table:
    columns = taken.columns
    if not columns:
        raise RequestError("the table has no columns.")
    if isinstance(taken.rows, pl.DataFrame) and not taken.rows.height:
        raise RequestError("the table has no rows.")
    if taken.origin is not None and weight is not None:
        raise RequestError("`weight` needs the rows in memory: read the table with la.read.")
    roles, kinds = describe_columns(columns, named, types=types, unit=unit, weight=weight, na=na)
    return Table(
        taken.rows,
        roles,
        kinds={**taken.orders, **kinds},
        hierarchies=collect(hierarchies, columns),
        unit=unit,
        weight=weight,
        na=na,
        give_back=taken.give_back,
        origin=taken.origin,
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
