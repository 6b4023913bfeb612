"""`lookalike inspect`: a proposed role for each column of a file, with the reasons, and a recipe to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli._common import Json, print_json
from lookalike.cli._reading import Delimiter, Encoding, File, Missing, NoHeader, read_people
from lookalike.errors import FileError

if TYPE_CHECKING:
    from lookalike.recognition import Inspection

_COLOURS = {"identifier": "red", "quasi": "yellow", "sensitive": "magenta", "other": "dim"}


def inspect(
    file: File,
    recipe: Annotated[
        Path | None, typer.Option("--recipe", "-r", help="Write the roles as a TOML recipe, to be edited.")
    ] = None,
    na: Missing = "?",
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    no_header: NoHeader = False,
    json: Json = False,
) -> None:
    """Propose a role for each column, and say why.

    Identifiers name a person; quasi-identifiers are known to outsiders and identify in combination; sensitive columns
    must not be learnt about a person; other columns are neither. The proposal comes from names, values and
    measurements. A person decides: read the reasons, edit the recipe.
    """
    import lookalike as la

    if recipe is not None and recipe.exists():
        raise FileError(f"{recipe}: exists already, perhaps edited. Choose another name.")
    people = read_people(file, na=na, delimiter=delimiter, encoding=encoding, no_header=no_header)
    found = la.inspect(people, progress=not json)
    if recipe is not None:
        _write(recipe, found.recipe(str(file)))
    if json:
        print_json(found)
        return
    _show(found)
    if recipe is not None:
        typer.echo(f"Roles written to {recipe}. Edit them before you use them.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise FileError(f"{path}: cannot write the recipe here ({problem.strerror}).") from None


def _show(found: Inspection) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("column", no_wrap=True)
    table.add_column("role", no_wrap=True)
    table.add_column("sure", justify="right")
    table.add_column("why")
    for column in found.columns:
        colour = _COLOURS[column.role]
        table.add_row(
            escape(column.name),
            f"[{colour}]{column.role}[/]",
            f"{column.confidence:.0%}",
            escape("; ".join(column.evidence)),
        )
    console.print(table)
    quasi = found.quasi
    if not quasi:
        console.print(
            "\nNo quasi-identifiers found. If the table is about people, look again at the columns marked other."
        )
        return
    console.print(
        f"\nTogether the {len(quasi)} quasi-identifiers single out [bold]{found.uniqueness:.1%}[/] of the "
        f"{found.records:,} records. Next: lookalike risk FILE --quasi {','.join(_shell(name) for name in quasi)}",
        soft_wrap=True,
        markup=True,
    )


def _shell(name: str) -> str:
    """A column name as it can be typed in a list."""
    plain = name.replace("[", "(").replace("]", ")")
    return f'"{plain}"' if any(c in plain for c in ' ,"') else plain
