"""`lookalike paper`: regenerate a paper's tables and figures beside the printed numbers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._common import Json, announce_compiling
from lookalike.errors import FileError, RequestError

PAPERS = {
    "cfk": "k-anonymous counterfactual explanations",
    "iml": "interactive anonymisation",
    "qid": "recognition of quasi-identifiers",
    "fca": "re-identification risk by formal concept analysis",
    "dei": "the de-identification pipeline",
}


def paper(
    name: Annotated[
        str, typer.Argument(help=", ".join(f"{k} ({v})" for k, v in PAPERS.items()), show_default=False)
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for tables and figures.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="The full experiment; can be interrupted and resumed.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same numbers.")] = 0,
    json: Json = False,
) -> None:
    """Regenerate a paper's tables and figures, printed and computed side by side.

    Errors in print are remarked. Without --full a fast version runs; where a paper needs public data sets, set
    LOOKALIKE_DATA to their folder.

        lookalike paper fca
        LOOKALIKE_DATA=data lookalike paper cfk --full -o cfk/
    """
    if name not in PAPERS:
        raise RequestError(f"there is no paper {name!r}; choose from {', '.join(PAPERS)}.")
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise FileError(f"{output}: cannot be the folder of results ({problem.strerror}).") from None
    announce_compiling()
    import_module(f"lookalike.papers.{name}").run(output=output, full=full, seed=seed, json=json)
