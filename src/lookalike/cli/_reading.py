"""The options by which commands read a table, and the table they describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli._common import split_names
from lookalike.errors import RequestError

if TYPE_CHECKING:
    from lookalike.tables import Table

_ROLES, _FILE = "What the columns are", "How the file is read"

File = Annotated[
    Path, typer.Argument(help="The table: csv, tsv, parquet, arrow or xlsx.", show_default=False)
]
Quasi = Annotated[
    str,
    typer.Option(
        "--quasi", "-q", help="Columns that outsiders may know: age,sex,zip.", rich_help_panel=_ROLES
    ),
]
Sensitive = Annotated[
    str | None,
    typer.Option(
        "--sensitive", "-s", help="Columns that must not be learnt about a person.", rich_help_panel=_ROLES
    ),
]
Identifiers = Annotated[
    str | None,
    typer.Option("--identifiers", help="Columns that name a person; left out.", rich_help_panel=_ROLES),
]
Targets = Annotated[
    str | None, typer.Option("--targets", help="Columns models predict.", rich_help_panel=_ROLES)
]
Others = Annotated[
    str | None,
    typer.Option(
        "--others", help="Columns to publish as they are, without a warning.", rich_help_panel=_ROLES
    ),
]
Types = Annotated[
    str | None,
    typer.Option(
        "--types",
        help="Types where the guess is wrong: zip=nominal,visit=date; an order: grade=low<mid<high.",
        rich_help_panel=_ROLES,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit", help="The column that tells people apart who have several rows.", rich_help_panel=_ROLES
    ),
]
Weight = Annotated[
    str | None, typer.Option("--weight", help="The column of sampling weights.", rich_help_panel=_ROLES)
]
Hierarchies = Annotated[
    Path | None,
    typer.Option("--hierarchies", help="A folder of hierarchy files COLUMN.csv.", rich_help_panel=_ROLES),
]
Missing = Annotated[
    str,
    typer.Option("--na", help="Spellings of a missing value besides the empty one.", rich_help_panel=_FILE),
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


def read_people(
    file: Path,
    *,
    quasi: str | None = None,
    sensitive: str | None = None,
    identifiers: str | None = None,
    targets: str | None = None,
    others: str | None = None,
    types: str | None = None,
    unit: str | None = None,
    weight: str | None = None,
    hierarchies: Path | None = None,
    na: str = "?",
    delimiter: str | None = None,
    encoding: str = "utf-8",
    no_header: bool = False,
    published: bool = True,
) -> Table:
    """The table as the options describe it. Where it is not `published`, columns without a role need no warning."""
    import lookalike as la

    return la.read(
        file,
        quasi=split_names(quasi),
        sensitive=split_names(sensitive),
        identifiers=split_names(identifiers),
        targets=split_names(targets),
        others=split_names(others) if others or not published else None,
        types=parse_types(types),
        unit=unit,
        weight=weight,
        hierarchies=hierarchies,
        na=split_names(na),
        delimiter=delimiter,
        encoding=encoding,
        header=not no_header,
    )


def parse_types(text: str | None) -> dict[str, str | list[str]]:
    """`zip=nominal,grade=low<mid<high` as types by column."""
    types: dict[str, str | list[str]] = {}
    for part in split_names(text):
        name, equals, kind = part.partition("=")
        if not equals or not name or not kind:
            raise RequestError(f"--types: expected column=type,column=type; {part!r} is not of that form.")
        types[name] = kind.split("<") if "<" in kind else kind
    return types
