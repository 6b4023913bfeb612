"""`lookalike inspect`: a proposed role for each column of a file, with the reasons, and a recipe to edit."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.base.errors import FileError, amount, percent
from lookalike.base.printing import print_json
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, SPARK, TableOptions
from lookalike.cli._typed import join_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from lookalike.recognition.inspection import ColumnReport, Inspection, MissingCode

_COLOURS = {
    "identifier": "red",
    "quasi": "yellow",
    "sensitive": "magenta",
    "other": "dim",
    "decide": "bold cyan",
}
_OPTIONS = {
    "quasi": "--quasi",
    "sensitive": "--sensitive",
    "identifier": "--identifiers",
    "other": "--others",
}
_LONGEST_NAME = 36
_NUMBERS = 27  # role, sure and adds with the gaps around them
_ROOMY = 55  # with so much room reasons stand beside, else below
_WORTH = 0.0005  # smaller gains are not shown
_ASKED = 6  # codes that other columns have as values, each in a line of its own
_NAMED = 6  # columns that a sentence names


def inspect(
    file: File,
    table: Annotated[TableOptions, asks("types", "dictionary", *FILE, *SPARK)],
    recipe: Path | None = option("Write the roles as a TOML recipe, to be edited.", "-r"),
    details: bool = option("Give every reason, not only the first.", default=False),
    json: Json = False,
) -> None:
    """Propose a role for each column, and say why.

    Identifiers name a person; quasi-identifiers are known to outsiders and identify in combination; sensitive columns
    must not be learnt about a person; other columns are neither; where nothing says what a column is, you decide. The
    proposal comes from names, official ones too, from values and from measurements. Read the reasons, edit the recipe.
    """
    import lookalike as la
    from lookalike.runs.unknown import codes_for_missing

    if recipe is not None and recipe.exists():
        raise FileError(f"{recipe}: exists already, perhaps edited. Choose another name.")
    inspection = la.inspect(table.read(file), dictionaries=table.dictionary or (), progress=not json)
    if recipe is not None:
        drafted = la.prepare(file, **table.for_library())
        drafted.beside(recipe.parent).save(recipe)
    if json:
        print_json(inspection)
        return
    sure = codes_for_missing(inspection)
    again = replace(table, na=[*inspection.source.na, *sure]) if sure else table
    _show(inspection, file, again.typed_again(), sure, details=details)
    if recipe is not None:
        typer.echo(f"Roles written to {recipe}. Edit them before you use them.")


def _show(inspection: Inspection, file: Path, how: str, sure: list[str], *, details: bool) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False, soft_wrap=True)
    width = min(max(len("column"), *(len(column.name) for column in inspection.columns)), _LONGEST_NAME)
    longest = max(len(_reason(column)) for column in inspection.columns)
    beside = not details and console.width - width - _NUMBERS >= min(longest, _ROOMY)
    console.print(f"[dim]{'column':<{width}}  role        sure   adds{'  why' if beside else ''}[/]")
    for column in inspection.columns:
        _show_column(console, column, width=width, beside=beside, details=details)
    more = "" if details else " --details gives every reason."
    console.print(f"[dim]adds: the distinction it adds to the (other) quasi-identifiers.{more}[/]")
    if inspection.linked:
        console.print(
            "\nLinked columns: blurring a quasi-identifier hides nobody while these are published as they are."
        )
        for link in inspection.linked:
            console.print(f"  {escape(str(link))}")
    if inspection.undecided:
        console.print(
            f"\nDecide about {amount(len(inspection.undecided), 'column')}: nothing says what "
            f"{'it is' if len(inspection.undecided) == 1 else 'they are'}. "
            "--others NAMES publishes, --quasi NAMES blurs, --drop NAMES leaves out."
        )
    for line in _about_missing(inspection, sure):
        console.print(f"\n{escape(line)}")
    quasi = inspection.quasi
    if not quasi:
        console.print(
            "\nNo quasi-identifiers found. If the table is about people, look again at the columns marked other "
            "or decide."
        )
        return
    read_as = escape(f"{shlex.quote(str(file))}{how}")
    whose = inspection.whose_rows()
    unit = whose.column
    if whose.doubt:
        console.print(f"\nLook again: {escape(whose.doubt)}.")
    if unit is not None:
        read_as += f" --unit {escape(_list([unit]))}"
        console.print(
            f"\nPeople have several rows: {escape(unit)} tells them apart. With --unit, people are counted, not rows."
            + (" Leave out rows without a value in it." if inspection[unit].missing else "")
        )
    everybody = f"{inspection.records:,} records" if unit is None else f"{inspection[unit].distinct:,} people"
    console.print(
        f"\nTogether the {len(quasi)} quasi-identifiers single out [bold]{percent(inspection.uniqueness)}[/] of the "
        f"{everybody}. Next:\n"
        f"  lookalike risk {read_as} {escape(_roles(inspection, 'quasi', 'sensitive'))}\n"
        f"  lookalike anonymize {read_as} {escape(_roles(inspection, 'quasi', 'sensitive', 'identifier', 'other'))} "
        "-k 10 -o release/"
    )


def _roles(inspection: Inspection, *wanted: str) -> str:
    """The options that give these columns the proposed roles; what nobody knows is left out."""
    sure = {role: [c.name for c in inspection.columns if c.role == role and not c.decide] for role in wanted}
    options = {_OPTIONS[role]: names for role, names in sure.items()}
    if "other" in wanted:
        options["--drop"] = inspection.undecided
        given_away = {name for link in inspection.linked for name in link.columns}
        options["--linked"] = [f"{name}=follow" for name in sure["other"] if name in given_away]
    return " ".join(f"{option} {_list(names)}" for option, names in options.items() if names)


def _show_column(console: Console, column: ColumnReport, *, width: int, beside: bool, details: bool) -> None:
    """One line, with the first reason beside the numbers where there is room, else below; or all reasons below."""
    from rich.cells import chop_cells, set_cell_size
    from rich.markup import escape
    from rich.padding import Padding
    from rich.text import Text

    name = column.name if len(column.name) <= width else f"{column.name[: width - 1]}…"
    role = "decide" if column.decide else str(column.role)
    shown = column.role in ("quasi", "other") and column.adds >= _WORTH
    numbers = f"{column.confidence:>4.0%}  {f'{column.adds:.1%}' if shown else '':>5}"
    console.print(
        f"{escape(set_cell_size(name, width))}  [{_COLOURS[role]}]{role:<10}[/]  "
        f"{numbers if beside else numbers.rstrip()}",
        end="  " if beside else "\n",
    )
    if details:
        for reason in column.evidence:
            console.print(Padding(Text(reason, style="dim"), (0, 0, 0, 4)), soft_wrap=False)
        return
    room = console.width - (width + _NUMBERS if beside else 4)
    reason = _reason(column)
    if len(reason) > room:
        reason = f"{chop_cells(reason, room - 1)[0]}…"
    console.print(Text(reason if beside else f"    {reason}", style="dim"))


def _reason(column: ColumnReport) -> str:
    return column.evidence[0].replace("the name says ", "name: ", 1)


def _about_missing(inspection: Inspection, sure: list[str]) -> list[str]:
    """What the next commands read as missing, and what else may be: a sentence for all columns that share a value."""
    read = [code for code in inspection.codes if code.text in sure]
    asked = [code for code in inspection.codes if code.text not in sure and not code.elsewhere]
    shared: dict[str, list[MissingCode]] = {}
    for code in inspection.codes:
        if code.elsewhere:
            shared.setdefault(code.text, []).append(code)
    lines = []
    if read:
        lines.append(f"These can only stand for missing, and the next commands read them so: {_codes(read)}.")
    if asked:
        option = f"--na={_list([*inspection.source.na, *sure, *dict.fromkeys(code.text for code in asked)])}"
        lines.append(
            f"Do these stand for missing: {_codes(asked)}? That is not sure, so the next commands leave them as "
            f"values; if they do, write {option} there."
        )
    for text, codes in list(shared.items())[:_ASKED]:
        option = f"--na={_list([*inspection.source.na, *sure, text])}"
        lines.append(
            f"Is {text!r} missing in {_some(code.column for code in codes)}? The next commands leave it as a value, "
            f"since it is one of {_some(codes[0].elsewhere)}. If it says nothing there either, write {option}; "
            "else empty these cells in the file."
        )
    return lines


def _codes(codes: Sequence[MissingCode]) -> str:
    """Values that may stand for missing, and the columns they are in."""
    values = ", ".join(dict.fromkeys(code.text for code in codes))
    return f"{values} (in {_some(code.column for code in codes)})"


def _some(names: Iterable[str]) -> str:
    different = list(dict.fromkeys(names))
    return ", ".join(different[:_NAMED]) + (", …" if len(different) > _NAMED else "")


def _list(names: list[str]) -> str:
    """Column names as one argument, which the shell and `--quasi` read back as the same names."""
    return shlex.quote(join_names(names))
