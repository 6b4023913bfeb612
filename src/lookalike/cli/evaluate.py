"""`lookalike evaluate`: what a release is still good for, beside the original."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli._common import Json, print_json, split_names
from lookalike.cli._reading import File, Read, Types, Unit, reads_files
from lookalike.cli._released import as_released

Questions = Annotated[
    Path | None,
    typer.Option("--questions", metavar="FILE", help="A TOML file of questions to ask of both tables."),
]


@reads_files
def evaluate(
    file: File,
    read: Read,
    context: typer.Context,
    release: Annotated[
        Path, typer.Argument(help="The folder that `lookalike anonymize` made.", show_default=False)
    ],
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="COLUMNS", help="What to predict: income, or several columns."),
    ] = None,
    questions: Questions = None,
    classifiers: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Some of linear SVC, logistic regression, gradient boosting, random forest."
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts that are held out in turn.")] = 5,
    sample: Annotated[
        int, typer.Option(min=0, help="The most records that models see of either table; 0 for all.")
    ] = 20_000,
    resamples: Annotated[
        int, typer.Option(min=0, help="Drawings of people for the intervals of questions; 0 for none.")
    ] = 200,
    labels: Annotated[
        bool, typer.Option("--labels", help="A feature per published label, not per value behind it.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same folds and numbers.")] = 0,
    types: Types = None,
    unit: Unit = None,
    json: Json = False,
) -> None:
    """Ask the original and the release the same questions, train the same models on both, and compare.

    Folds are drawn on each table by itself, and models are tested on the held-out part of the table they were trained
    on. Roles and hierarchies are read from the release's recoding, and how the table was read from its recipe.

        lookalike evaluate people.csv out/ --target income
        lookalike evaluate people.csv out/ --questions questions.toml
    """
    import lookalike as la
    from lookalike.recodings.files import read_recoding
    from lookalike.recognition.units import whose_are_known

    asked = [] if questions is None else la.read_questions(questions)
    recoding = read_recoding(release)
    read_it, taken = as_released(read, context, release, file, types=types, unit=unit)
    people = whose_are_known(
        read_it(file, quasi=recoding.quasi, sensitive=recoding.sensitive, others=[], **taken)
    )
    result = la.evaluate(
        people,
        release,
        targets=split_names(target),
        questions=asked,
        **({"classifiers": split_names(classifiers)} if classifiers else {}),
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
