"""`lookalike apply`: next month's rows, recoded as a release was, into a folder of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._common import Json, print_json, split_names
from lookalike.cli._reading import Read, Unit, reads_files
from lookalike.cli._released import as_released
from lookalike.errors import FileError


@reads_files
def apply(
    release: Annotated[
        Path,
        typer.Argument(help="The folder of the release, its private part included.", show_default=False),
    ],
    file: Annotated[Path, typer.Argument(help="The new rows.", show_default=False)],
    read: Read,
    context: typer.Context,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the new release; made whole or not at all.")
    ],
    joins: Annotated[
        bool,
        typer.Option("--joins", help="Count and publish the new rows together with those of the release."),
    ] = False,
    suppression: Annotated[
        float | None,
        typer.Option(
            help="Largest share of new records that may be held back; as for the release otherwise.",
            show_default=False,
        ),
    ] = None,
    pseudonym: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="The columns that its pseudonyms are made from.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="Key file for pseudonyms; else the variable LOOKALIKE_KEY.")
    ] = None,
    unit: Unit = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same order of rows.")] = 0,
    format: Annotated[str, typer.Option(help="csv or parquet.")] = "csv",
    force: Annotated[bool, typer.Option("--force", help="Replace the output folder.")] = False,
    json: Json = False,
) -> None:
    """Recode new rows as a release was, with the same promise.

    Values never seen go where the rules of the hierarchies put them; rows with a value that no rule covers, and classes
    that would break the promise, are held back. Exit code 1 if too many would have to be.

        lookalike apply out/ people-2027.csv -o out-2027/

        lookalike apply out/ people-2027.csv --joins -o out-all/
    """
    import lookalike as la
    from lookalike.cli.anonymize import make_pseudonyms, show_release
    from lookalike.releases.release import check_destination

    if output.exists() and not force:
        raise FileError(f"{output}: exists already. Choose another folder, or pass --force to replace it.")
    check_destination(output, format=format, overwrite=force)
    read_it, taken = as_released(read, context, release, file, unit=unit)
    people = read_it(file, others=[])
    found = la.apply(
        release,
        people.rows,
        joins=joins,
        suppression=suppression,
        pseudonyms=make_pseudonyms(people, split_names(pseudonym), key),
        na=people.na,
        **taken,
        seed=seed,
    )
    found.save(output, format=format, overwrite=force)
    if json:
        print_json({**found.to_dict(), "output": str(output)})
        return
    show_release(found, output, format)
    typer.echo(found.summary)
