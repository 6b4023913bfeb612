"""Does what an explanation says hold for the person as they otherwise are?

A blurred column in which the person already is inside the range is not told as a change, but pureness is measured over
the whole range. Here the values that would change are combined with the person's own: where the outcome is desired less
often than the explanation says, the ranges to stay in have to be told, too. O(combinations) for one call of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.explanations.explanation import Change
from lookalike.explanations.features import Features
from lookalike.explanations.outcomes import Outcomes
from lookalike.recodings.labels import Label
from lookalike.tables.columns.naming import nameless

_TRIED = 100  #: combinations of values that would change; a sample of more

Told = tuple[Sequence[Change], Mapping[str, Label], int]  #: changes, box, training row of an explanation


def shares_as_they_are(
    outcomes: Outcomes, features: Features, rows: pl.DataFrame, told: Sequence[Told]
) -> list[float]:
    """For each row and what it is told: how often the outcome is desired, all but the changes being its own."""
    return [float(desired.mean()) for _, desired in try_ways(outcomes, features, rows, told)]


def try_ways(
    outcomes: Outcomes, features: Features, rows: pl.DataFrame, told: Sequence[Told]
) -> list[tuple[dict[str, NDArray[np.int64]], NDArray[np.bool_]]]:
    """For each row and what it is told: up to 100 ways to do so, and which lead to the outcome.

    A way is, per column that would change, a training row with the value it would have; all else is the row's own.
    """
    taken = [_values(features, *one) for one in told]
    columns = []
    for name in features.names:
        written, own, parts = nameless(features.people.rows[name]), nameless(rows[name]), []
        for i, (where, tried) in enumerate(taken):
            if name in where:
                parts.append(written.gather(pl.Series(where[name])).cast(own.dtype))
            else:
                parts.append(own.gather([i] * tried))
        columns.append(pl.concat(parts).alias(name))
    desired = outcomes.desired_of(pl.DataFrame(columns))
    ends = np.cumsum([tried for _, tried in taken])[:-1]
    return [(where, part) for (where, _), part in zip(taken, np.split(desired, ends), strict=True)]


def _values(
    features: Features, changes: Sequence[Change], box: Mapping[str, Label], row: int
) -> tuple[dict[str, NDArray[np.int64]], int]:
    """Per column that would change, the training rows of the values tried; and how many combinations there are."""
    some = {change.column: _rows_inside(features, change.column, box, row) for change in changes}
    many = int(np.prod([float(len(one)) for one in some.values()]))
    if many <= _TRIED:
        each = np.array(list(product(*some.values())), dtype=np.int64).reshape(many, len(some))
    else:
        rng = np.random.default_rng(0)
        each = np.stack([rng.choice(one, _TRIED) for one in some.values()], axis=1)
    return dict(zip(some, each.T, strict=True)), len(each)


def _rows_inside(features: Features, name: str, box: Mapping[str, Label], row: int) -> NDArray[np.int64]:
    """A training row for each value that a column may have."""
    if name not in box:
        return np.array([row])
    column = features.people.column(name)
    first = np.full(column.domain.size, -1, dtype=np.int64)
    first[column.codes[::-1]] = np.arange(len(column.codes))[::-1]
    inside = first[np.asarray(box[name].matches(column.domain))]
    return inside[inside >= 0]
