"""`lookalike attack`: what attackers still learn from a release, attack by attack, beside baselines and bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._common import Json, print_json, split_names
from lookalike.cli._reading import File, Identifiers, Read, Types, Unit, reads_files
from lookalike.cli._released import as_released


@reads_files
def attack(
    file: File,
    read: Read,
    context: typer.Context,
    release: Annotated[
        Path, typer.Argument(help="The folder that `lookalike anonymize` made.", show_default=False)
    ],
    only: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Some of the attacks: linkage,homogeneity.")
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Another release about the same people, to put beside it."),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table of the population, the people of the release among them."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same answer.")] = 0,
    identifiers: Identifiers = None,
    types: Types = None,
    unit: Unit = None,
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
    from lookalike.recodings.files import read_recoding
    from lookalike.recognition.units import whose_are_known

    recoding = read_recoding(release)
    roles = {"sensitive": list(recoding.sensitive), "identifiers": identifiers, "others": []}
    read_it, taken = as_released(read, context, release, file, types=types, unit=unit)
    people = whose_are_known(read_it(file, quasi=recoding.quasi, **taken, **roles))
    register = None if population is None else read(population, others=[], na=people.na)
    found = la.attack(
        people,
        release,
        only=None if only is None else split_names(only),
        second=second,
        population=register,
        seed=seed,
        progress=not json,
    )
    if json:
        print_json(found)
    else:
        typer.echo(str(found))
        for one in found.defects:
            typer.echo(f"\n{one.title}: {one.verdict}")
    if found.defects:
        raise typer.Exit(1)
