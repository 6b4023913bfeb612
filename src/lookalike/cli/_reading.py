"""The options by which commands read a table, and the table they describe."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli._common import announce_compiling, split_names
from lookalike.errors import RequestError

if TYPE_CHECKING:
    from lookalike.tables.table import Table

_ROLES, _FILE = "What the columns are", "How the file is read"

File = Annotated[
    Path, typer.Argument(help="The table: csv, tsv, parquet, arrow or xlsx.", show_default=False)
]
Quasi = Annotated[
    str,
    typer.Option(
        "--quasi",
        "-q",
        metavar="COLUMNS",
        help="Columns that outsiders may know: age,sex,zip.",
        rich_help_panel=_ROLES,
    ),
]
Sensitive = Annotated[
    str | None,
    typer.Option(
        "--sensitive",
        "-s",
        metavar="COLUMNS",
        help="Columns that must not be learnt about a person.",
        rich_help_panel=_ROLES,
    ),
]
Identifiers = Annotated[
    str | None,
    typer.Option(
        "--identifiers",
        metavar="COLUMNS",
        help="Columns that name a person; left out.",
        rich_help_panel=_ROLES,
    ),
]
Targets = Annotated[
    str | None,
    typer.Option("--targets", metavar="COLUMNS", help="Columns models predict.", rich_help_panel=_ROLES),
]
Others = Annotated[
    str | None,
    typer.Option(
        "--others",
        metavar="COLUMNS",
        help="Columns to publish as they are; '' accepts all that are not named.",
        rich_help_panel=_ROLES,
    ),
]
Types = Annotated[
    str | None,
    typer.Option(
        "--types",
        metavar="COLUMN=TYPE,…",
        help="Types where the guess is wrong: zip=nominal,visit=date; an order: grade=low<mid<high.",
        rich_help_panel=_ROLES,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="COLUMN",
        help="The column that tells people apart who have several rows.",
        rich_help_panel=_ROLES,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight", metavar="COLUMN", help="The column of sampling weights.", rich_help_panel=_ROLES
    ),
]
Hierarchies = Annotated[
    Path | None,
    typer.Option(
        "--hierarchies",
        metavar="FOLDER",
        help="A folder of hierarchy files COLUMN.csv.",
        rich_help_panel=_ROLES,
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        "--na",
        metavar="TEXTS",
        help="Spellings of a missing value besides the empty one.",
        rich_help_panel=_FILE,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", help="Between the fields; guessed otherwise.", rich_help_panel=_FILE),
]
Encoding = Annotated[str, typer.Option("--encoding", help="Of a text file.", rich_help_panel=_FILE)]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header", help="The first line is data; columns are column_1, …", rich_help_panel=_FILE
    ),
]
Quote = Annotated[
    str,
    typer.Option(
        "--quote", help="Around fields; '' if quotation marks are ordinary characters.", rich_help_panel=_FILE
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", help="Of a workbook; the first one otherwise.", rich_help_panel=_FILE),
]

Read = Callable[..., "Table"]  #: reads a file, given the roles of its columns as they were typed or as lists

_HOW = [
    Parameter("na", Parameter.KEYWORD_ONLY, annotation=Missing, default="?"),
    Parameter("delimiter", Parameter.KEYWORD_ONLY, annotation=Delimiter, default=None),
    Parameter("quote", Parameter.KEYWORD_ONLY, annotation=Quote, default='"'),
    Parameter("encoding", Parameter.KEYWORD_ONLY, annotation=Encoding, default="utf-8"),
    Parameter("no_header", Parameter.KEYWORD_ONLY, annotation=NoHeader, default=False),
    Parameter("sheet", Parameter.KEYWORD_ONLY, annotation=Sheet, default=None),
]


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how files are read; it gets one function `read` in their place."""
    own = [one for one in signature(command, eval_str=True).parameters.values() if one.name != "read"]
    shown = [*(one.replace(kind=Parameter.KEYWORD_ONLY) for one in own), *_HOW]

    @wraps(command)
    def call(**typed: Any) -> None:
        how = {one.name: typed.pop(one.name) for one in _HOW}
        command(read=partial(read_people, **how), **typed)

    call.__annotations__ = {one.name: one.annotation for one in shown}
    call.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    return call


def read_people(file: Path, *, no_header: bool = False, **typed: Any) -> Table:
    """The table as the options describe it; what was not typed is left to the defaults of `la.read`."""
    import lookalike as la

    announce_compiling()
    told = {name: value for name, value in typed.items() if value is not None}
    if "sheet" in told and file.suffix.lower() not in (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"):
        raise RequestError(f"{file}: is no workbook, so it has no --sheet.")
    for name in ("identifiers", "quasi", "sensitive", "targets", "others", "na"):
        if isinstance(told.get(name), str):
            told[name] = split_names(told[name])
    if "types" in told:
        told["types"] = parse_types(told["types"])
    return la.read(file, header=not no_header, **told)


def parse_types(text: str | None) -> dict[str, str | list[str]]:
    """`zip=nominal,grade=low<mid<high` as types by column."""
    types: dict[str, str | list[str]] = {}
    for part in split_names(text):
        name, equals, kind = part.partition("=")
        if not equals or not name or not kind:
            raise RequestError(f"--types: expected column=type,column=type; {part!r} is not of that form.")
        types[name] = kind.split("<") if "<" in kind else kind
    return types
