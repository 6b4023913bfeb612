"""`lookalike run`: a recipe, or a file nobody has prepared, carried out from the table to the folder that goes out."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.base.errors import RequestError
from lookalike.base.printing import print_json
from lookalike.cli._compiling import announce_compiling
from lookalike.cli._options import Json, asks, option
from lookalike.cli._promises import promise_help, read_promises
from lookalike.cli._reading import FILE, LARGE, TableOptions
from lookalike.cli._saving import show_release
from lookalike.cli._typed import split_names

if TYPE_CHECKING:
    from lookalike.releases.recipes.recipe import Recipe
    from lookalike.runs.wishes import Wishes

_change = partial(option, panel="What is decided otherwise than proposed")


@dataclass(frozen=True, kw_only=True)
class ChangeOptions:
    """What is decided otherwise than a draft would."""

    k: int | None = _change("The size of groups.", metavar="NUMBER")
    quasi: list[str] = _change(
        "Columns that outsiders know, besides those proposed, and those that they do not: +zip,-year.",
        "-q",
        metavar="COLUMNS",
        parse=split_names,
    )
    drop: list[str] = _change("Columns to leave out.", metavar="COLUMNS", parse=split_names)
    unit: str | None = _change(
        "The column that tells people apart who have several rows; 'rows' if every row is another person.",
        metavar="COLUMN",
    )
    target: list[str] = _change("Columns that models predict.", metavar="COLUMNS", parse=split_names)
    promise: list[str] | None = _change(
        lambda: promise_help("A further promise, said once or several times"),
        metavar="NAME=VALUE of COLUMN",
    )

    def wishes(self) -> Wishes:
        """What was typed, as a draft takes it."""
        from lookalike.runs.wishes import Wishes

        return Wishes(
            self.k,
            tuple(self.quasi),
            tuple(self.drop),
            tuple(self.target),
            self.unit,
            tuple(read_promises(self.promise)),
        )


def run(
    file: Annotated[Path, typer.Argument(help="A recipe (.toml), or the table itself.", show_default=False)],
    table: Annotated[TableOptions, asks("types", "dictionary", *FILE, *LARGE)],
    changes: ChangeOptions,
    output: Path | None = option(
        "The folder of the release. Default: the table's name and -release, here.", "-o", show_default=False
    ),
    yes: bool = option("Do not ask before starting.", "-y", default=False),
    following: Path | None = option(
        "Next month's table, recoded as the recipe's release was.", "--next", metavar="FILE"
    ),
    joins: bool = option("The new rows are counted and published with the earlier release.", default=False),
    anywhere: bool = option("Paths in the recipe may lead out of its folder.", default=False),
    force: bool = option("Replace the output folder.", default=False),
    despite: str | None = option(
        "Why this release may be held together with another one of the same people beside it.",
        metavar="REASON",
    ),
    json: Json = False,
) -> None:
    """Do the whole job: read, blur, ask, attack, report, save.

    Given a table, a recipe is prepared first and shown, and nothing happens before you agree.

        lookalike run recipe.toml -o out/

        lookalike run people.csv

        lookalike run people.csv -k 11 --quasi=+zip,-year --promise "l=3 of diagnosis"

        lookalike run out/private/recipe.toml --anywhere --next people-2027.csv -o out-2027/
    """
    import lookalike as la
    from lookalike.anonymizers.next_release import NextRelease
    from lookalike.releases.release import check_destination
    from lookalike.runs.explaining import explain
    from lookalike.runs.preparing import draft

    if output is None:
        rows = following or file
        named = rows.absolute().parent if "*" in rows.name else rows  # of a pattern, where the files lie
        output = Path(f"{named.name.split('.')[0]}-release")
    check_destination(output, overwrite=force)
    wishes = changes.wishes()
    announce_compiling()
    if file.suffix.lower() == ".toml":
        if table.typed_again() or table.dictionary or changes != ChangeOptions():
            raise RequestError(
                "a recipe says itself how its file is read, what its columns are and what is promised: edit it."
            )
        recipe, people = la.Recipe.load(file, anywhere=anywhere), None
    else:
        drafted = draft(file, wishes, progress=not json, **table.for_library())
        if drafted.recipe.doubts and not yes and not json and sys.stdin.isatty():
            wishes = _ask_whose_rows(drafted.recipe, wishes)
            drafted = draft(file, wishes, progress=not json, **table.for_library())
        recipe, people = drafted.recipe, drafted.people
        if not json:
            typer.echo(explain(recipe))
        if not yes:
            if json or not sys.stdin.isatty():
                raise RequestError(
                    "nobody is there to agree to what was prepared: pass --yes, or prepare a recipe first."
                )
            if not typer.confirm("\nGo ahead?"):
                raise typer.Exit(0)
    if despite is not None:
        recipe = replace(recipe, output={**recipe.output, "despite": despite})
    done = la.run(
        recipe,
        source=people,
        following=following,
        joins=joins,
        output=output,
        overwrite=force,
        progress=not json,
    )
    if json:
        print_json(
            {
                "verdict": done.verdict,
                **done.release.to_dict(),
                "output": str(output),
                "attacks": done.attacks,
                "questions": done.answers,
            }
        )
        return
    show_release(done.release, output, recipe.output.get("format", "csv"))
    if isinstance(done.release, NextRelease):
        typer.echo(done.release.summary)
    if done.attacks is not None:
        where = f"Every attack is in {output}/private/report-internal.html." if done.attacks else ""
        typer.echo(f"\n{done.attacks.summary}\n{where}".rstrip())
    typer.echo(f"\n{done.verdict.text}")


def _ask_whose_rows(recipe: Recipe, wishes: Wishes) -> Wishes:
    """What somebody says about whose rows these are, before anything is promised."""
    typer.echo("\n".join(f"{doubt}." for doubt in recipe.doubts))
    from lookalike.runs.wishes import ROWS

    unit = recipe.source.get("unit", ROWS)
    said = typer.prompt("\nThe column that tells people apart, or 'rows'", default=unit)
    return replace(wishes, unit=said)
