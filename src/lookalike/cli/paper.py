"""`lookalike paper`: regenerate a paper's tables and figures beside the printed numbers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.errors import FileError, RequestError, in_words
from lookalike.cli._compiling import announce_compiling
from lookalike.cli._options import Json, option

PAPERS = {
    "cfk": "k-anonymous counterfactual explanations",
    "iml": "interactive anonymisation",
    "qid": "recognition of quasi-identifiers",
    "fca": "re-identification risk by formal concept analysis",
    "dei": "the de-identification pipeline",
}
OTHERS = {
    "all": "one verdict on every table and figure of the five",
    "data": "the public data sets they need, and which are missing",
}


def paper(
    name: Annotated[
        str,
        typer.Argument(
            help=", ".join(f"{k} ({v})" for k, v in (PAPERS | OTHERS).items()), show_default=False
        ),
    ],
    output: Path | None = option("Folder for tables and figures.", "-o"),
    data: Path | None = option("Folder of the public data sets; $LOOKALIKE_DATA unless given."),
    full: bool = option("The full experiment; can be interrupted and resumed.", default=False),
    seed: int = option("Same seed, same numbers.", default=0, min=0),
    json: Json = False,
) -> None:
    """Regenerate a paper's tables and figures, printed and computed side by side.

    Every line has a verdict and the reason: agrees, agrees within the spread of so many seeds, differs, contradicts
    itself in print (with the proof as data), cannot be told from print. Without --full a fast version runs. `all` runs
    the five papers and gives one verdict per table and figure; `data` says which public data sets are missing, where
    they come from and how they are laid out.

        lookalike paper fca
        lookalike paper data
        lookalike paper all --json
        lookalike paper cfk --data data --full -o cfk/
    """
    if name not in PAPERS | OTHERS:
        raise RequestError(f"there is no paper {name!r}; choose from {', '.join(PAPERS | OTHERS)}.")
    from lookalike.papers.data import data_folder

    folder = data_folder(data)
    if name == "data":
        import_module("lookalike.papers.data").run(folder=folder, json=json)
        return
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise FileError(f"{output}: cannot be the folder of results ({in_words(problem)}).") from None
    announce_compiling()
    module = import_module(f"lookalike.papers.{'inventory' if name == 'all' else name}")
    module.run(output=output, full=full, seed=seed, json=json, folder=folder)
