"""`lookalike apply`: next month's rows, recoded as a release was, into a folder of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._options import Json, asks, option
from lookalike.cli._reading import FILE, TableOptions
from lookalike.cli._released import as_released
from lookalike.cli._saving import PseudonymOptions, SavingOptions


def apply(
    release: Annotated[
        Path,
        typer.Argument(help="The folder of the release, its private part included.", show_default=False),
    ],
    file: Annotated[Path, typer.Argument(help="The new rows.", show_default=False)],
    table: Annotated[TableOptions, asks("unit", *FILE)],
    pseudonyms: PseudonymOptions,
    saving: Annotated[SavingOptions, asks("output", "force", "format")],
    context: typer.Context,
    joins: bool = option(
        "Publish the new rows together with those of the release; they keep the promise by themselves as well.",
        default=False,
    ),
    suppression: float | None = option(
        "Largest share of new records that may be held back; as for the release otherwise.",
        show_default=False,
    ),
    seed: int = option("Same seed, same order of rows.", default=0, min=0),
    json: Json = False,
) -> None:
    """Recode new rows as a release was, with the same promise.

    Values never seen go where the rules of the hierarchies put them; rows with a value that no rule covers, and classes
    that would break the promise, are held back. Exit code 1 if too many would have to be.

        lookalike apply out/ people-2027.csv -o out-2027/

        lookalike apply out/ people-2027.csv --joins -o out-all/
    """
    import lookalike as la

    saving.check()
    table = as_released(table, context, release, file)
    people = replace(table, unit=None, others=[]).read(file)
    found = la.apply(
        release,
        people.rows,
        joins=joins,
        suppression=suppression,
        pseudonyms=pseudonyms.make(people),
        na=people.na,
        unit=table.unit,
        seed=seed,
    )
    saving.save(found, json=json)
    if not json:
        typer.echo(found.summary)
