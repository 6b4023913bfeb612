"""`lookalike deidentify`: column after column is blurred, with what each step buys and what k costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._common import Json, print_json, split_names, split_pairs
from lookalike.cli._reading import File, Hierarchies, Quasi, Read, Sensitive, Types, Unit, reads_files
from lookalike.errors import GuaranteeError, RequestError


@reads_files
def deidentify(
    file: File,
    read: Read,
    quasi: Quasi,
    levels: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN=LEVEL,…", help="How far up each column goes, in this order: age=2,zip=1."
        ),
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", min=1, metavar="NUMBER", help="Smallest class to keep.")
    ] = None,
    negative: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE", help="The value of a sensitive column that harms, on_benefits=yes."
        ),
    ] = None,
    drop: Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns to leave out.")] = None,
    sensitive: Sensitive = None,
    hierarchies: Hierarchies = None,
    types: Types = None,
    unit: Unit = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the release; made whole or not at all.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the output folder.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same order of rows.")] = 0,
    json: Json = False,
) -> None:
    """Leave columns out, blur one after the other, drop small classes, and see what each step buys and costs.

    lookalike deidentify people.csv -q age,zip --levels age=2,zip=3 -k 5

    lookalike deidentify people.csv -q age,zip -s poor --levels age=2,zip=3 -k 5 --negative poor=yes -o out/
    """
    import lookalike as la
    from lookalike.releases.release import check_destination

    if levels is None:
        raise RequestError(
            "say how far up each column goes, in the order in which they are blurred: --levels age=2,zip=1; "
            "`lookalike hierarchy` shows the levels of a column."
        )
    if k is None:
        raise RequestError("say how many have to look alike: -k 5; smaller classes are left out.")
    if output is not None:
        check_destination(output, overwrite=force)
    harms = {}
    for one in negative or ():
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise RequestError(f"--negative: expected column=value, found {one!r}.")
        harms[name] = value
    private = list(dict.fromkeys([*split_names(sensitive), *harms]))
    people = read(
        file, quasi=quasi, sensitive=private, others=[], hierarchies=hierarchies, types=types, unit=unit
    )
    typed = split_pairs(levels, option="--levels")
    found = la.deidentify(
        people,
        levels={name: int(level) if level == int(level) else level for name, level in typed.items()},  # type: ignore[misc]
        k=k,
        negative=harms,
        drop=split_names(drop),
        seed=seed,
    )
    if output is not None:
        if found.release is None:
            raise GuaranteeError(f"nothing is left at k = {k}: blur further, or ask for less.")
        found.release.save(output, overwrite=force)
    if json:
        print_json({**found.to_dict(), "output": None if output is None else str(output)})
        return
    typer.echo(str(found))
    if output is not None:
        typer.echo(f"\n{found.release!r}\nsaved in {output}")
