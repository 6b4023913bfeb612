"""`lookalike report`: make the reports of a saved release again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.printing import print_json
from lookalike.cli._options import Json


def report(
    folder: Annotated[Path, typer.Argument(help="The folder of a release.", show_default=False)],
    json: Json = False,
) -> None:
    """Make the report for the recipient again, from the release and its certificate alone.

    Where the private part is there, the internal report is made again as well.

        lookalike report out/
    """
    from lookalike.releases.reporting import write_reports

    written = write_reports(folder)
    if json:
        print_json({"reports": [str(path) for path in written]})
    else:
        typer.echo("\n".join(f"written: {path}" for path in written))
