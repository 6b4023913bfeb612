"""`lookalike evaluate`: what classifiers still learn from a release, beside the original."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._common import Json, print_json, split_names
from lookalike.cli._reading import File, Read, Types, Unit, reads_files


@reads_files
def evaluate(
    file: File,
    read: Read,
    release: Annotated[
        Path, typer.Argument(help="The folder that `lookalike anonymize` made.", show_default=False)
    ],
    target: Annotated[
        str, typer.Option("--target", metavar="COLUMNS", help="What to predict: income, or several columns.")
    ],
    classifiers: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Some of linear SVC, logistic regression, gradient boosting, random forest."
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts that are held out in turn.")] = 5,
    labels: Annotated[
        bool, typer.Option("--labels", help="A feature per published label, not per value behind it.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same folds and numbers.")] = 0,
    types: Types = None,
    unit: Unit = None,
    json: Json = False,
) -> None:
    """Train four classifiers on the original and on the release, and compare how well they do.

    Folds are drawn on each table by itself, and models are tested on the held-out part of the table they were trained
    on. Roles and hierarchies are read from the release's recoding.

        lookalike evaluate people.csv out/ --target income
    """
    import lookalike as la
    from lookalike.recodings.files import read_recoding

    recoding = read_recoding(release)
    people = read(file, quasi=recoding.quasi, sensitive=recoding.sensitive, others=[], types=types, unit=unit)
    result = la.evaluate(
        people,
        release,
        targets=split_names(target),
        **({"classifiers": split_names(classifiers)} if classifiers else {}),
        folds=folds,
        seed=seed,
        encoding="labels" if labels else "leaves",
        progress=not json,
    )
    if json:
        print_json(result)
    else:
        typer.echo(f"{result}\n\n{result.test_fold}")
