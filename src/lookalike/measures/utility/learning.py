"""What models still learn from a release: trained on the original and on the release, beside a naive guess.

The protocol of Malle, Kieseberg and Holzinger 2017 with its gaps filled in. Folds are drawn on each table by itself:
models are trained on the other folds and tested on the held-out fold of the same table, in the same encoding.
Classes are learnt by classifiers, numbers by regressors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError, amount, warn
from lookalike.base.progress import Report
from lookalike.measures.utility.classifiers import cross_validate
from lookalike.measures.utility.encoding import COMMON, Features, Published, original_features
from lookalike.measures.utility.regressors import cross_validate_numbers
from lookalike.measures.utility.released import Linked
from lookalike.measures.utility.scores import Comparison, TargetEvaluation
from lookalike.recodings.treatments import Drop, Pseudonymise
from lookalike.tables.columns.roles import Kind
from lookalike.tables.ordering import order_rows
from lookalike.tables.table import Table

LARGEST_TARGET = 50  #: classes; beyond that the column is hardly a class label
FEW_NUMBERS = 20  #: a column with more different numbers is learnt as a number, not as a class
_LARGEST = 1e100  #: numbers that can be squared and added up
MOST_FEATURES = 400  #: beyond that, fewer values of each nominal column get a feature of their own


@dataclass(frozen=True)
class Protocol:
    """How models are trained and tested."""

    classifiers: Sequence[str]
    folds: int
    seed: int
    encoding: str
    sample: int | None


@dataclass(frozen=True, eq=False)
class LearningTable:
    """One table: features, target (a class number or a number, NaN: none), and whose the rows are."""

    features: Features
    target: NDArray[np.float64]
    persons: NDArray[np.int32] | None

    def part(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> LearningTable:
        """Some of its rows, or all of them in another order."""
        persons = None if self.persons is None else self.persons[rows]
        return LearningTable(self.features[rows], self.target[rows], persons)


def evaluate_target(
    people: Table, published: Published, linked: Linked | None, target: str, how: Protocol, report: Report
) -> TargetEvaluation:
    """Train models for one target on both tables, and compare how well they do."""
    column = people.column(target)
    numeric = column.kind in (Kind.INTEGER, Kind.DECIMAL) and len(column.domain.values) > FEW_NUMBERS
    if not numeric and column.domain.size > LARGEST_TARGET:
        raise RequestError(
            f"target {target!r} has {column.domain.size} different values; classifiers need at most {LARGEST_TARGET}. "
            "Group it first."
        )
    warned, said = _warnings(people, published, linked, target), []
    for note in warned:
        warn(note)
    if linked is not None:
        published = linked.published
    names = _features_used(people, published, target)
    most = _most_values(people, names)
    if most < COMMON:
        said.append(
            f"only the {most} most frequent values of each nominal column have a feature of their own"
        )
    persons = None if people.unit is None else np.asarray(people.column(people.unit).codes)
    codes = _released_codes(published, linked, target)
    known = column.domain.numbers if numeric else np.arange(column.domain.size, dtype=float)
    values = np.append(known[: len(column.domain.values)], [np.nan, np.nan])  # missing, and not known at all
    if np.nanmax(np.abs(values), initial=0) > _LARGEST:
        raise RequestError(
            f"target {target!r}: numbers beyond {_LARGEST:g} cannot be learnt. Divide them first, or leave them out."
        )
    sides = {
        "original": LearningTable(
            np.hstack([original_features(people, name, most=most) for name in names]),
            values[column.codes],
            persons,
        ),
        "release": LearningTable(
            np.hstack(
                [published.features(name, labels=how.encoding == "labels", most=most) for name in names]
            ),
            values[codes],
            None if persons is None or linked is None else persons[linked.row],
        ),
    }
    order = _by_content(people, [target, *names])
    sides["original"] = sides["original"].part(order)
    if linked is not None:  # else its rows are in an order of their own already
        sides["release"] = sides["release"].part(np.argsort(np.argsort(order)[linked.row]))
    used = {name: _sample(side, how) for name, side in sides.items()}
    classes = np.empty(0) if numeric else _classes(target, len(column.domain.values), used, how.folds)
    results, records, left_out = {}, {}, {}
    for i, (name, side) in enumerate(sides.items()):

        def learnable(side: LearningTable) -> NDArray[np.bool_]:
            return ~np.isnan(side.target) if numeric else np.isin(side.target, classes)

        def part(share: float, i: int = i) -> None:
            report((i + share) / 2)

        kept, drawn = learnable(side), used[name].part(learnable(used[name]))
        records[name], left_out[name] = int(kept.sum()), int((~kept).sum())
        if len(drawn.target) < records[name]:
            said.append(
                f"{name}: trained and tested on {len(drawn.target):,} of {amount(records[name], 'record')}, "
                "drawn at random; `sample` changes that"
            )
        y: NDArray[Any] = drawn.target if numeric else drawn.target.astype(np.int32)
        train = cross_validate_numbers if numeric else cross_validate
        results[name] = train(drawn.features, y, drawn.persons, how.classifiers, how.folds, how.seed, part)
    compared = [
        Comparison(name, found, results["release"][name]) for name, found in results["original"].items()
    ]
    return TargetEvaluation(
        target,
        len(classes),
        records,
        left_out,
        compared[0],
        tuple(compared[1:]),
        (*warned, *said),
    )


def _warnings(people: Table, published: Published, linked: Linked | None, target: str) -> list[str]:
    """What must be said about a target and whose records are whose; refuses a target that cannot be known."""
    out = []
    if target not in published.rows.columns:
        raise RequestError(f"the release has no column {target!r}.")
    if target in published.recoding.quasi and published.exact(target) is None:
        out.append(
            f"target {target!r} is a quasi-identifier, so the release generalises it. Its original values are used "
            "here; whoever has the release alone cannot do that. Take it out of quasi to publish it as it is."
        )
        if linked is None:
            raise RequestError(
                f"target {target!r} is published generalised, and nothing says which record of the original each "
                "row is. Evaluate what la.anonymize returned for the table in memory, or the folder it was saved in "
                "with private/assignment.json; or release it with the target not among the quasi-identifiers."
            )
    if people.unit is not None and linked is None:
        out.append(
            "the release cannot be made again from its recoding, so nobody knows which of its records belong to one "
            "person: they may be in training and test at once, and its scores flatter. Evaluate it in memory."
        )
    return out


def _released_codes(published: Published, linked: Linked | None, target: str) -> NDArray[np.int64]:
    """Of each released row, the code of its target in the original; -1 where it has none."""
    people = published.people
    if target in published.recoding.quasi:
        exact = published.exact(target)
        if exact is not None:
            return exact
        assert linked is not None
        return people.column(target).codes[linked.row].astype(np.int64)
    theirs = published.column(target)
    return people.column(target).domain.find(theirs.domain)[theirs.codes].astype(np.int64)


def _by_content(people: Table, names: list[str]) -> NDArray[np.int64]:
    """The rows in an order that folds and samples can be drawn in, wherever they stood."""
    told = [people.column(name) for name in [*names, *([] if people.unit is None else [people.unit])]]
    return order_rows(len(people), [(column.codes, column.domain.size) for column in told])


def _most_values(people: Table, names: list[str]) -> int:
    """How many values of a nominal column may have a feature each, so that there are not too many features."""
    sizes = [people.column(name).domain.size for name in names if not people.column(name).kind.ordered]
    most = COMMON
    while most > 8 and sum(min(size, most) for size in sizes) > MOST_FEATURES:
        most -= 1
    return most


def _sample(side: LearningTable, how: Protocol) -> LearningTable:
    """At most as many rows as asked for; all rows of a person, or none."""
    n = len(side.target)
    if how.sample is None or n <= how.sample:
        return side
    owner = np.arange(n) if side.persons is None else np.unique(side.persons, return_inverse=True)[1]
    order = np.random.default_rng(how.seed).permutation(int(owner.max()) + 1)
    upto = np.cumsum(np.bincount(owner)[order])
    drawn = np.zeros(len(order), dtype=bool)
    drawn[order[upto <= how.sample]] = True
    return side.part(drawn[owner])


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


def _classes(target: str, size: int, sides: dict[str, LearningTable], folds: int) -> NDArray[np.int64]:
    """Classes that as many records, or people, have in both tables as there are folds; missing is none."""
    enough = np.ones(size, dtype=bool)
    counted = "records"
    for side in sides.values():
        known = ~np.isnan(side.target)
        once = side.target[known].astype(np.int64)
        if side.persons is not None:
            once = np.unique(np.stack([once, side.persons[known]]), axis=1)[0]
            counted = "people"
        enough &= np.bincount(once, minlength=size) >= folds
    if enough.sum() < 2:
        raise RequestError(
            f"target {target!r}: fewer than two classes have {folds} {counted} or more in both tables. "
            "Ask for fewer `folds`, or group the target."
        )
    return np.flatnonzero(enough)
