"""`evaluate`: what a release is still good for, by the models it teaches and the questions it answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import whole_number
from lookalike.base.errors import RequestError, amount, unknown_column
from lookalike.base.progress import Progress, track
from lookalike.measures.utility.classifiers import CLASSIFIERS, require_sklearn
from lookalike.measures.utility.learning import Protocol, evaluate_target
from lookalike.measures.utility.questions.answers import ask, check_questions
from lookalike.measures.utility.questions.question import Question
from lookalike.measures.utility.released import Made, link, open_release
from lookalike.measures.utility.scores import Evaluation
from lookalike.measures.utility.views import Pair
from lookalike.recognition.frames import takes_frames
from lookalike.tables.table import Table

_LARGEST_SEED = 2**32 - 1  #: of scikit-learn


@takes_frames
def evaluate(
    people: Table,
    release: Made | str | Path,
    *,
    targets: Sequence[str] | None = None,
    questions: Sequence[Question] = (),
    classifiers: Sequence[str] = CLASSIFIERS,
    folds: int = 5,
    sample: int | None = 20_000,
    resamples: int = 200,
    seed: int = 0,
    encoding: str = "leaves",
    progress: Progress = False,
) -> Evaluation:
    """Train models on the original and on the release, ask questions of both, and compare.

    release: what `la.anonymize` returned, or the folder it was saved in.
    targets: the columns to predict (default: those with the role target, none where questions are asked). A target is
        never generalised: where it is a quasi-identifier, its original values are used and a warning says so. Columns
        with more than 20 different numbers are learnt as numbers (R2, RMSE), others as classes (F1, AUC).
    questions: made with `la.Question`, or read from a TOML file by `la.read_questions`.
    sample: the most records that models see of either table; None for all.
    resamples: drawings of people for the intervals of questions; 0 for none.
    encoding: "leaves" spreads a hierarchy node evenly over its values; "labels" gives each label a feature of its own.
    classifiers: names of the models to train. folds: of the cross-validation.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "on_benefits")
        >>> people = la.table(frame, quasi=["age", "gender"], targets=["on_benefits"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> evaluation = la.evaluate(people, release, classifiers=["logistic regression"])
        >>> [target.target for target in evaluation.targets]
        ['on_benefits']
    """
    asked = check_questions(questions)
    named = (() if asked else people.targets) if targets is None else targets
    wanted, classifiers = _names(named, "targets"), _names(classifiers, "classifiers")
    _check(people, wanted, classifiers, folds, encoding, asked)
    whole_number(seed, "seed", most=_LARGEST_SEED)
    whole_number(resamples, "resamples")
    if sample is not None:
        whole_number(sample, "sample", least=1)
    if wanted:
        require_sklearn()
    published = open_release(people, release)
    blurred = [name for name in wanted if name in published.recoding.quasi and published.exact(name) is None]
    needed = people.unit is not None or blurred or (asked and resamples)
    linked = link(people, published) if needed else None
    if wanted and people.unit is not None:
        persons = people.column(people.unit).codes
        _require_people("original", persons, folds)
        if linked is not None:
            _require_people("release", persons[linked.row], folds)
    steps = len(wanted) + bool(asked)
    found = []
    with track(progress, "Training models" if wanted else "Asking questions") as report:
        how = Protocol(classifiers, folds, seed, encoding, sample)
        for i, target in enumerate(wanted):

            def part(share: float, i: int = i) -> None:
                report((i + share) / steps)

            found.append(evaluate_target(people, published, linked, target, how, part))

        def last(share: float) -> None:
            report((steps - 1 + share) / steps)

        answers = (
            ask(Pair(people, published, linked), asked, resamples=resamples, seed=seed, report=last)
            if asked
            else ()
        )
    return Evaluation(tuple(found), folds, seed, encoding, questions=answers)


def _names(given: Sequence[str], what: str) -> list[str]:
    """The names in a list, each once."""
    if isinstance(given, str):
        raise RequestError(f"`{what}` must be a list of names, such as [{given!r}].")
    return list(dict.fromkeys(given))


def _check(
    people: Table,
    targets: list[str],
    classifiers: list[str],
    folds: int,
    encoding: str,
    questions: list[Question],
) -> None:
    if not targets and not questions:
        raise RequestError(
            "no target to predict and no question to ask: give `targets`, `questions`, or both."
        )
    for target in targets:
        if target not in people.names:
            raise unknown_column(target, people.names, "targets")
    if not classifiers:
        raise RequestError(f"no classifier to train; choose from {', '.join(CLASSIFIERS)}.")
    for name in classifiers:
        if name not in CLASSIFIERS:
            raise RequestError(f"there is no classifier {name!r}; choose from {', '.join(CLASSIFIERS)}.")
    whole_number(folds, "folds", least=2)
    if encoding not in ("leaves", "labels"):
        raise RequestError(f"labels can be encoded by their 'leaves' or as 'labels', not {encoding!r}.")


def _require_people(side: str, persons: NDArray[np.int32], folds: int) -> None:
    found = len(np.unique(persons))
    if found < folds:
        raise RequestError(
            f"the {side} has {amount(found, 'person', 'people')} in `unit`, too few for {folds} folds: nobody may be "
            "in training and test at once. Ask for fewer `folds`, or leave `unit` out if it names no people."
        )
