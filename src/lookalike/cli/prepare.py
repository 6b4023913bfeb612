"""`lookalike prepare`: a draft recipe for a file nobody has described, each choice with its reason."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.errors import FileError
from lookalike.base.printing import print_json
from lookalike.cli._compiling import announce_compiling
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, LARGE, TableOptions


def prepare(
    file: File,
    table: Annotated[TableOptions, asks("types", "dictionary", *FILE, *LARGE)],
    output: Path = option("The recipe to write, beside the table.", "-o", default=Path("recipe.toml")),
    json: Json = False,
) -> None:
    """Draft a recipe: what each column is, what to promise, how to blur, with the reasons.

    Read it, change what you know better, then run it. Hierarchies that were grown lie beside it as files to edit.

        lookalike prepare people.csv -o recipe.toml

        lookalike run recipe.toml -o out/
    """
    from lookalike.runs.explaining import explain
    from lookalike.runs.preparing import draft
    from lookalike.runs.wishes import Wishes

    if output.exists():
        raise FileError(f"{output}: exists already, perhaps edited. Choose another name with -o.")
    announce_compiling()
    recipe = draft(file, Wishes(), progress=not json, **table.for_library()).recipe
    recipe.beside(output.parent).save(output)
    if json:
        print_json({"recipe": str(output), "columns": {n: c.to_dict() for n, c in recipe.columns.items()}})
    else:
        typer.echo(
            f"{explain(recipe)}\n\nWritten to {output}. Read the reasons, change what you know better, then:"
        )
        typer.echo(f"  lookalike run {output} -o out/")
