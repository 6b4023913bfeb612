"""`lookalike attack`: what attackers still learn from a release, attack by attack, beside baselines and bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.printing import show
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, TableOptions
from lookalike.cli._released import read_as_released
from lookalike.cli._typed import names_or_none


def attack(
    file: File,
    context: typer.Context,
    release: Annotated[
        Path, typer.Argument(help="The folder that `lookalike anonymize` made.", show_default=False)
    ],
    table: Annotated[TableOptions, asks("identifiers", "types", "unit", *FILE)],
    only: list[str] | None = option(
        "Some of the attacks: linkage,homogeneity.", metavar="NAMES", parse=names_or_none
    ),
    second: Path | None = option(
        "Another release about the same people, to put beside it.", metavar="FOLDER"
    ),
    population: Path | None = option(
        "A table of the population, the people of the release among them.", metavar="FILE"
    ),
    seed: int = option("Same seed, same answer.", default=0, min=0),
    json: Json = False,
) -> None:
    """Attack a release and say how often each attack succeeds, beside what it would reach without the release.

    The table and the private part of the release are needed, since only who knows the truth can say whether an attack
    was right. How the table was read is taken from the release's private/recipe.toml where it is there and nothing else
    is typed. Exit code 1 if an attack succeeds beyond what the promise implies.

        lookalike attack people.csv out/

        lookalike attack people.csv out/ --only linkage,membership --population register.csv
    """
    import lookalike as la

    people = read_as_released(table, context, release, file)
    register = None
    if population is not None:
        register = replace(table.only_file(), others=[], na=list(people.na)).read(population)
    found = la.attack(
        people,
        release,
        only=only,
        second=second,
        population=register,
        seed=seed,
        progress=not json,
    )
    show(found, json=json)
    for one in () if json else found.defects:
        typer.echo(f"\n{one.title}: {one.verdict}")
    if found.defects:
        raise typer.Exit(1)
