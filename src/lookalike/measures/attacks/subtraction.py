"""Subtraction: two releases publish the same people alike, and the rows of one are taken away from the other.

What is left is a release of its own, of the people who are in one of the two only: newcomers where rows joined a
release, those who left where it was issued again. It must keep the promise by itself. As with queries about sets that
differ by few people (Denning, Denning and Schwartz 1979, The tracker, https://doi.org/10.1145/320064.320069).
O(n log n) for n released rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erf
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.measures.attacks.results import Attacked
from lookalike.models.model import Model
from lookalike.recodings.joining import classes_of
from lookalike.tables.columns.naming import named

Integers = NDArray[np.int64]
_STORY = (
    "The attacker takes the rows of one release away from those of another that publishes the same people alike. What "
    "is left is about people who are in one of them only."
)


class PublishedRows(NamedTuple):
    """A release as everybody sees it, and what it promises."""

    rows: pl.DataFrame
    quasi: Sequence[str]
    sensitive: Sequence[str]  #: those that are published
    models: Sequence[Model]
    unit: str | None = None  #: the column that tells people apart, where it is published


def attack(first: PublishedRows, second: PublishedRows) -> list[Attacked]:
    """Take each release away from the other; nothing comes back where they do not publish the same people alike."""
    if set(first.quasi) != set(second.quasi):
        raise RequestError(
            "the two releases have different quasi-identifiers: "
            f"{', '.join(first.quasi)}, and {', '.join(second.quasi)}."
        )
    names = [name for name in first.rows.columns if name in second.rows.columns]
    texts = [one.rows.select(named(names).cast(pl.String)) for one in (first, second)]
    alike = classes_of(pl.concat(texts), names)
    labels = alike[: first.rows.height], alike[first.rows.height :]
    counts = [np.bincount(label, minlength=int(alike.max(initial=-1)) + 1) for label in labels]
    if not _publish_people_alike(*counts):
        return []
    left = [
        _what_is_left(release, text, _occurrence(label) >= less[label])
        for release, label, text, less in zip(
            (first, second), labels, texts, (counts[1], counts[0]), strict=True
        )
    ]
    left = [one for one in left if len(one.people)]
    return _measure(left, min(_k(first), _k(second)), (first, second)) if left else []


class _Left(NamedTuple):
    """Classes in which somebody is left."""

    people: Integers  #: who are left in each
    among: Integers  #: the people of the whole class
    values: Mapping[str, tuple[Integers, Integers]]  #: per sensitive column, different values of both


def _occurrence(label: NDArray[np.int32]) -> Integers:
    """How many rows alike come before each row."""
    order = np.argsort(label, kind="stable")
    starts = np.searchsorted(label[order], label[order], side="left")
    out = np.empty(len(label), dtype=np.int64)
    out[order] = np.arange(len(label)) - starts
    return out


def _publish_people_alike(ours: Integers, theirs: Integers) -> bool:
    """Whether far fewer rows are left than of two draws of the same people at random.

    Where all rows of one are in the other, they are taken for the same people.
    """
    rest = [int(np.maximum(a - b, 0).sum()) for a, b in ((ours, theirs), (theirs, ours))]
    if 0 in rest:
        return True
    n, m = int(ours.sum()), int(theirs.sum())
    share = (ours + theirs) / (n + m)
    mean, spread = (n - m) * share, np.sqrt((n + m) * share * (1 - share)) + 1e-12
    z = mean / spread
    above = np.array([(1 + erf(x / 2**0.5)) / 2 for x in z])
    by_chance = np.minimum(mean * above + spread * np.exp(-(z**2) / 2) / (2 * np.pi) ** 0.5, n * share).sum()
    return bool(rest[0] < by_chance / 2)


def _what_is_left(release: PublishedRows, texts: pl.DataFrame, left: NDArray[np.bool_]) -> _Left:
    """The classes of the rows that are left."""
    of_row = classes_of(texts, release.quasi)
    whose = np.arange(len(left)) if release.unit is None else classes_of(texts, [release.unit])
    here = np.unique(of_row[left])

    def both(what: NDArray[np.integer[Any]]) -> tuple[Integers, Integers]:
        return _distinct(of_row[left], what[left])[here], _distinct(of_row, what)[here]

    return _Left(*both(whose), {name: both(classes_of(texts, [name])) for name in release.sensitive})


def _distinct(of_row: NDArray[np.int32], what: NDArray[np.integer[Any]]) -> Integers:
    """How many different people, or values, each class has."""
    return np.bincount(np.unique(np.stack([of_row, what]), axis=1)[0])


def _k(release: PublishedRows) -> int:
    """The size of classes that is promised."""
    return max([1, *(model.smallest_class for model in release.models)])


def _measure(left: Sequence[_Left], k: int, releases: Sequence[PublishedRows]) -> list[Attacked]:
    """Whoever is left on either side, in the classes that are left."""
    people, among = (
        np.concatenate(parts) for parts in zip(*((one.people, one.among) for one in left), strict=True)
    )
    trials = int(people.sum())
    out = [
        Attacked(
            "subtraction",
            "linkability",
            f"{_STORY} The rate is the chance of picking the right one among those who share the quasi-identifiers of "
            "such a person. The baseline is the same with the whole release.",
            trials,
            float(len(people)),
            baseline=float((people / among).sum() / trials),
            bound=1 / k if k > 1 else None,
            worst=1 / int(people.min()),
            details={
                "smallest_class": int(people.min()),
                "alone": int((people == 1).sum()),
                "in_classes_below_the_promise": int(people[people < k].sum()),
            },
        )
    ]
    for name in dict.fromkeys(name for one in left for name in one.values):
        told = [(one.people, *one.values[name]) for one in left if name in one.values]
        people, here, everywhere = (np.concatenate(parts) for parts in zip(*told, strict=True))
        models = [model for release in releases for model in release.models if name in model.columns]
        out.append(
            Attacked(
                "subtraction",
                "inference",
                f"{_STORY} Success is that those who share the quasi-identifiers of such a person have one value. The "
                "baseline is the same with the whole release.",
                int(people.sum()),
                float(people[here == 1].sum()),
                baseline=float(people[everywhere == 1].sum() / people.sum()),
                column=name,
                bound=0.0 if any(model.fewest_values >= 2 for model in models) else None,
                details={"fewest_values_in_a_class": int(here.min())},
            )
        )
    return out
