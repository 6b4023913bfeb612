"""`lookalike evaluate`: what a release is still good for, beside the original."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.base.printing import print_json
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._reading import FILE, TableOptions
from lookalike.cli._released import read_as_released
from lookalike.cli._typed import split_names


def evaluate(
    file: File,
    context: typer.Context,
    release: Annotated[
        Path, typer.Argument(help="The folder that `lookalike anonymize` made.", show_default=False)
    ],
    table: Annotated[TableOptions, asks("types", "unit", *FILE)],
    target: list[str] = option(
        "What to predict: income, or several columns.", metavar="COLUMNS", parse=split_names
    ),
    questions: Path | None = option("A TOML file of questions to ask of both tables.", metavar="FILE"),
    classifiers: list[str] = option(
        "Some of linear SVC, logistic regression, gradient boosting, random forest.",
        metavar="NAMES",
        parse=split_names,
    ),
    folds: int = option("Parts that are held out in turn.", default=5, min=2),
    sample: int = option(
        "The most records that models see of either table; 0 for all.", default=20_000, min=0
    ),
    resamples: int = option(
        "Drawings of people for the intervals of questions; 0 for none.", default=200, min=0
    ),
    labels: bool = option("A feature per published label, not per value behind it.", default=False),
    seed: int = option("Same seed, same folds and numbers.", default=0, min=0),
    json: Json = False,
) -> None:
    """Ask the original and the release the same questions, train the same models on both, and compare.

    Folds are drawn on each table by itself, and models are tested on the held-out part of the table they were trained
    on. Roles and hierarchies are read from the release's recoding, and how the table was read from its recipe.

        lookalike evaluate people.csv out/ --target income
        lookalike evaluate people.csv out/ --questions questions.toml
    """
    import lookalike as la

    asked = [] if questions is None else la.read_questions(questions)
    people = read_as_released(table, context, release, file)
    result = la.evaluate(
        people,
        release,
        targets=target,
        questions=asked,
        **({"classifiers": classifiers} if classifiers else {}),
        folds=folds,
        sample=sample or None,
        resamples=resamples,
        seed=seed,
        encoding="labels" if labels else "leaves",
        progress=not json,
    )
    if json:
        print_json(result)
    else:
        typer.echo(str(result) + (f"\n\n{result.test_fold}" if result.targets else ""))
