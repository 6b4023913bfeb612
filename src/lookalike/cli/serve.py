"""`lookalike serve`: the workbench in a browser, on this machine."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer


def serve(
    file: Annotated[
        Path | None,
        typer.Argument(help="The table to open: csv, tsv, parquet, arrow or xlsx.", show_default=False),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    host: Annotated[
        str, typer.Option(help="An address of this machine; others than loopback let other machines in.")
    ] = "127.0.0.1",
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Releases are saved below this folder.")
    ] = Path(),
    most: Annotated[int, typer.Option("--upload", min=1, help="Largest upload, in MB.")] = 500,
    quiet: Annotated[bool, typer.Option("--no-browser", help="Print the address; open nothing.")] = False,
) -> None:
    """From a file to a verified release in the browser, without a line of code.

    The page is served to this machine only, and only to a browser that was given the key in the printed address.
    Nothing is loaded from the network and nothing is sent there. Stop with Ctrl-C.

        lookalike serve
        lookalike serve people.csv
    """
    from lookalike.web.serving import serve as run

    def tell(address: str, page: str) -> None:
        typer.echo(f"The workbench is open at\n\n    {address}\n", err=True)
        if host not in ("127.0.0.1", "localhost", "::1"):
            typer.echo(
                "Other machines can reach it. Give the address, with its key, to nobody else.", err=True
            )
        typer.echo("Stop it with Ctrl-C.", err=True)
        if not quiet and sys.stderr.isatty():
            webbrowser.open(page)

    run(file, host=host, port=port, folder=folder, most_bytes=most * 1_000_000, tell=tell)
