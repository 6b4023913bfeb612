"""`lookalike deidentify`: column after column is blurred, with what each step buys and what k costs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.errors import GuaranteeError, RequestError
from lookalike.base.printing import print_json
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, HIERARCHIES, KNOWN, PeopleOptions
from lookalike.cli._typed import split_each, split_levels, split_names


def deidentify(
    file: File,
    table: Annotated[PeopleOptions, asks(*KNOWN, "sensitive", "unit", *HIERARCHIES, *FILE)],
    levels: dict[str, int] = option(
        "How far up each column goes, in this order: age=2,zip=1.",
        metavar="COLUMN=LEVEL,…",
        parse=split_levels,
    ),
    k: int | None = option("Smallest class to keep.", min=1, metavar="NUMBER"),
    negative: dict[str, str] = option(
        "The value of a sensitive column that harms, on_benefits=yes.",
        metavar="COLUMN=VALUE",
        parse=partial(split_each, option="--negative", form="column=value"),
        several=True,
    ),
    drop: list[str] = option("Columns to leave out.", metavar="COLUMNS", parse=split_names),
    output: Path | None = option("Folder for the release; made whole or not at all.", "-o"),
    force: bool = option("Replace the output folder.", default=False),
    seed: int = option("Same seed, same order of rows.", default=0, min=0),
    json: Json = False,
) -> None:
    """Leave columns out, blur one after the other, drop small classes, and see what each step buys and costs.

    lookalike deidentify people.csv -q age,zip --levels age=2,zip=3 -k 5

    lookalike deidentify people.csv -q age,zip -s poor --levels age=2,zip=3 -k 5 --negative poor=yes -o out/
    """
    import lookalike as la
    from lookalike.releases.release import check_destination

    if not levels:
        raise RequestError(
            "say how far up each column goes, in the order in which they are blurred: --levels age=2,zip=1; "
            "`lookalike hierarchy` shows the levels of a column."
        )
    if k is None:
        raise RequestError("say how many have to look alike: -k 5; smaller classes are left out.")
    if output is not None:
        check_destination(output, overwrite=force)
    private = list(dict.fromkeys([*(table.sensitive or ()), *negative]))
    people = replace(table, sensitive=private, others=[]).read(file)
    found = la.deidentify(
        people,
        levels=levels,
        k=k,
        negative=negative,
        drop=drop,
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
