"""What classifiers still learn from a release: four of them, on the original and on the release, beside a naive guess.

The protocol of Malle, Kieseberg and Holzinger 2017 with its gaps filled in. Stratified folds are drawn on each table by
itself: models are trained on the other folds and tested on the held-out fold of the same table, in the same encoding.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.errors import LookalikeWarning, RequestError, amount, unknown_column, whole_number
from lookalike.progress import Progress, Report, track
from lookalike.recodings import Recoding
from lookalike.recodings.files import read_recoding, read_release
from lookalike.recodings.treatments import Drop, Pseudonymise
from lookalike.tables.table import Table
from lookalike.utility.classifiers import CLASSIFIERS, cross_validate, require_sklearn
from lookalike.utility.encoding import Published, original_features
from lookalike.utility.scores import Comparison, Evaluation, TargetEvaluation

LARGEST_TARGET = 50  #: classes; beyond that the column is hardly a class label
_LARGEST_SEED = 2**32 - 1  #: of scikit-learn


@runtime_checkable
class Made(Protocol):
    """What is needed of a release in memory."""

    @property
    def rows(self) -> pl.DataFrame:
        """The released table."""

    @property
    def recoding(self) -> Recoding:
        """How it was made."""


def evaluate(
    people: Table,
    release: Made | str | Path,
    *,
    targets: Sequence[str] | None = None,
    classifiers: Sequence[str] = CLASSIFIERS,
    folds: int = 5,
    seed: int = 0,
    encoding: str = "leaves",
    progress: Progress = False,
) -> Evaluation:
    """Train classifiers on the original and on the release, and compare how well they do.

    release: what `la.anonymize` returned, or the folder it was saved in.
    targets: the columns to predict (default: those with the role target). A target is never generalised: where it is a
        quasi-identifier, its original values are used and a warning says so.
    encoding: "leaves" spreads a hierarchy node evenly over its values; "labels" gives each label a feature of its own.
    """
    wanted = _names(people.targets if targets is None else targets, "targets")
    classifiers = _names(classifiers, "classifiers")
    _check(people, wanted, classifiers, folds, encoding)
    whole_number(seed, "seed", most=_LARGEST_SEED)
    require_sklearn()
    published = _published(people, release)
    needed = people.unit is not None or not set(published.recoding.quasi).isdisjoint(wanted)
    linked = _linked(people, published) if needed else None
    if people.unit is not None:
        persons = people.column(people.unit).codes
        _require_people("original", persons, folds)
        if linked is not None:
            _require_people("release", persons[linked.row], folds)
    found = []
    with track(progress, "Training classifiers") as report:
        for i, target in enumerate(wanted):

            def part(share: float, i: int = i) -> None:
                report((i + share) / len(wanted))

            found.append(
                _evaluate(people, published, linked, target, classifiers, folds, seed, encoding, part)
            )
    return Evaluation(tuple(found), folds, seed, encoding)


def _names(given: Sequence[str], what: str) -> list[str]:
    """The names in a list, each once."""
    if isinstance(given, str):
        raise RequestError(f"`{what}` must be a list of names, such as [{given!r}].")
    return list(dict.fromkeys(given))


def _check(people: Table, targets: list[str], classifiers: list[str], folds: int, encoding: str) -> None:
    if not targets:
        raise RequestError("no target to predict. Name one with `targets`.")
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


def _published(people: Table, release: Made | str | Path) -> Published:
    if not isinstance(release, str | Path):
        if not isinstance(release, Made):
            raise RequestError(
                "`release` must be what `la.anonymize` returned, or the folder it was saved in; "
                f"found {type(release).__name__}."
            )
        return Published(release.rows, release.recoding, people)
    folder = Path(release)
    recoding = read_recoding(folder)
    rows = read_release(folder)
    missing = [name for name in rows.columns if name not in people.names]
    if missing:
        raise RequestError(f"the release has columns that the table has not: {', '.join(missing)}.")
    return Published(rows, recoding, people)


@dataclass(frozen=True, eq=False)
class Linked:
    """The release made again, its rows beside the rows of the original they come from."""

    published: Published
    row: NDArray[np.int64]


def _linked(people: Table, published: Published) -> Linked | None:
    """The release beside the original, where its recoding makes it again; one read from disk does so by levels only."""
    recoding = published.recoding
    plain = {
        name: Drop() if isinstance(treatment, Pseudonymise) else treatment
        for name, treatment in recoding.columns.items()
    }
    try:
        applied = replace(recoding, columns=plain).apply(people)
    except RequestError:  # the promise speaks about a population, which is not at hand
        return None
    names = [name for name in published.rows.columns if name in applied.rows.columns]
    ours, theirs = (
        rows.select(pl.col(names).cast(pl.String)).sort(pl.all(), nulls_last=True)
        for rows in (applied.rows, published.rows)
    )
    if not ours.equals(theirs):
        return None
    row = np.arange(len(people)) if recoding.suppressed == "star" else np.flatnonzero(applied.of_row >= 0)
    return Linked(Published(applied.rows, recoding, people), row)


def _evaluate(
    people: Table,
    published: Published,
    linked: Linked | None,
    target: str,
    classifiers: Sequence[str],
    folds: int,
    seed: int,
    encoding: str,
    report: Report,
) -> TargetEvaluation:
    notes = []
    column = people.column(target)
    if column.domain.size > LARGEST_TARGET:
        raise RequestError(
            f"target {target!r} has {column.domain.size} different values; classifiers need at most {LARGEST_TARGET}. "
            "Group it first."
        )
    generalised = target in published.recoding.quasi
    if generalised:
        notes.append(
            f"target {target!r} is a quasi-identifier, so the release generalises it. Its original values are used "
            "here; whoever has the release alone cannot do that. Take it out of quasi to publish it as it is."
        )
        if linked is None:
            raise RequestError(
                f"target {target!r} is published generalised, and the release cannot be made again from its recoding. "
                "Evaluate it in memory, or release it with the target not among the quasi-identifiers."
            )
    elif target not in published.rows.columns:
        raise RequestError(f"the release has no column {target!r}.")
    if people.unit is not None and linked is None:
        notes.append(
            "the release cannot be made again from its recoding, so nobody knows which of its records belong to one "
            "person: they may be in training and test at once, and its scores flatter. Evaluate it in memory."
        )
    for note in notes:
        warnings.warn(note, LookalikeWarning, stacklevel=4)
    if linked is not None:
        published = linked.published
    if generalised and linked is not None:
        codes = column.codes[linked.row]
    else:
        theirs = published.column(target)
        codes = column.domain.find(theirs.domain)[theirs.codes]
    persons = None if people.unit is None else np.asarray(people.column(people.unit).codes)
    names = _features_used(people, published, target)
    original = np.hstack([original_features(people, name) for name in names])
    released = np.hstack([published.features(name, labels=encoding == "labels") for name in names])
    sides = {
        "original": (original, np.asarray(column.codes), persons),
        "release": (released, codes, None if persons is None or linked is None else persons[linked.row]),
    }
    classes = _classes(len(column.domain.values), [(y, groups) for _, y, groups in sides.values()], folds)
    if len(classes) < 2:
        counted = "records" if persons is None else "people"
        raise RequestError(
            f"target {target!r}: fewer than two classes have {folds} {counted} or more in both tables. "
            "Ask for fewer `folds`, or group the target."
        )
    results, records, left_out = {}, {}, {}
    for i, (side, (x, y, groups)) in enumerate(sides.items()):
        kept = np.isin(y, classes)
        records[side], left_out[side] = int(kept.sum()), int((~kept).sum())

        def part(share: float, i: int = i) -> None:
            report((i + share) / 2)

        results[side] = cross_validate(
            x[kept], y[kept], None if groups is None else groups[kept], classifiers, folds, seed, part
        )
    compared = [
        Comparison(name, results["original"][name], results["release"][name])
        for name in ("baseline", *classifiers)
    ]
    return TargetEvaluation(
        target, len(classes), records, left_out, compared[0], tuple(compared[1:]), tuple(notes)
    )


def _features_used(people: Table, published: Published, target: str) -> list[str]:
    """Released columns that say something about a person: no target, no identifier, no pseudonym."""
    unused = {target, people.unit, people.weight, *people.identifiers}
    names = [
        name
        for name, treatment in published.recoding.columns.items()
        if name in published.rows.columns
        and name not in unused
        and not isinstance(treatment, Drop | Pseudonymise)
    ]
    if not names:
        raise RequestError(f"the release has no column to predict {target!r} from.")
    return names


def _classes(
    size: int, sides: list[tuple[NDArray[np.int32], NDArray[np.int32] | None]], folds: int
) -> NDArray[np.int64]:
    """Classes that as many records, or people, have in both tables as there are folds; missing is none."""
    enough = np.ones(size, dtype=bool)
    for y, groups in sides:
        known = (y >= 0) & (y < size)
        once = y[known]
        if groups is not None:
            once = np.unique(np.stack([once, groups[known]]), axis=1)[0]
        enough &= np.bincount(once, minlength=size) >= folds
    return np.flatnonzero(enough)
