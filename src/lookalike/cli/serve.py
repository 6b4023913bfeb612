"""`lookalike serve`: the workbench in a browser, on this machine."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._options import option


def serve(
    file: Annotated[
        Path | None,
        typer.Argument(help="The table to open: csv, tsv, parquet, arrow or xlsx.", show_default=False),
    ] = None,
    port: int = option("0 takes a free one.", default=0, min=0, max=65535),
    host: str = option(
        "An address of this machine; others than loopback let other machines in.", default="127.0.0.1"
    ),
    folder: Path = option("Releases are saved below this folder.", "--output", "-o", default=Path()),
    most: int = option("Largest upload, in MB.", "--upload", default=500, min=1),
    quiet: bool = option("Print the address; open nothing.", "--no-browser", default=False),
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
