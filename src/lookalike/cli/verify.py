"""`lookalike verify`: check a release against its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.errors import FileError, RequestError
from lookalike.base.printing import print_json
from lookalike.cli._options import Json, option
from lookalike.cli._reading import read_with_spark


def verify(
    release: Annotated[Path, typer.Argument(help="The released table, csv or parquet.", show_default=False)],
    certificate: Annotated[Path, typer.Argument(help="Its certificate.json.", show_default=False)],
    recoding: Path | None = option(
        "Its recoding.json, looked for in private/ beside the certificate; it lets more be checked."
    ),
    signer: Path | None = option("Public key of whoever should have signed the certificate."),
    allow_unknown: bool = option("A promise that cannot be checked is no failure.", default=False),
    engine: str | None = option("spark: the release is read where Spark wrote it.", metavar="spark"),
    master: str | None = option("With --engine spark.", metavar="URL"),
    json: Json = False,
) -> None:
    """Recompute every guarantee of a release from the release alone.

    Whoever receives a release can run this; the original is not needed. Exit code 1 when anything fails, or cannot be
    checked and --allow-unknown is not given.

        lookalike verify out/release.csv out/certificate.json
        lookalike verify out/release.csv out/certificate.json --signer office.key.pub
    """
    import lookalike as la

    if engine not in (None, "spark") or (master is not None and engine is None):
        raise RequestError("--engine: expected spark, with which --master goes.")
    if release.is_dir() and engine is None:
        raise FileError(f"{release}: is a folder. Name the table in it, such as {release / 'release.csv'}.")
    rows = release if engine is None else read_with_spark(release, master=master, table=_is_table(release))
    result = la.verify(rows, certificate, recoding=recoding, signer=signer, allow_unknown=allow_unknown)
    if json:
        print_json(result)
    else:
        _show(result)
    if not result.ok:
        raise typer.Exit(1)


def _is_table(release: Path) -> bool:
    """Whether rows that Spark wrote are a table of its catalogue, as they are where there is no slash."""
    return len(release.parts) == 1 and not release.exists()


def _show(result: object) -> None:
    from rich.console import Console
    from rich.markup import escape

    from lookalike.verifier import Verification

    assert isinstance(result, Verification)
    console = Console()
    marks = {True: "[green]holds[/]  ", False: "[red]FAILS[/]  ", None: "[yellow]unknown[/]"}
    for finding in result.findings:
        check, message = escape(finding.check), escape(finding.message)
        console.print(f"{marks[finding.ok]} [bold]{check}[/]: {message}", highlight=False)
    console.print(f"\nStated, not checked: {escape(', '.join(result.stated)) or 'nothing'}.", highlight=False)
    console.print(f"{escape(result.signature)}.", highlight=False)
    unknown = any(finding.ok is None for finding in result.findings)
    if any(finding.ok is False for finding in result.findings):
        console.print("\n[bold red]The release fails its certificate.[/]")
    elif unknown and not result.ok:
        console.print(
            "\n[bold red]Not everything promised could be checked.[/] If you trust whoever made it: --allow-unknown."
        )
    elif unknown:
        console.print("\n[bold]Everything that could be checked holds; what is unknown was not checked.[/]")
    else:
        console.print("\n[bold green]Everything holds.[/]")
