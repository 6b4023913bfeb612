"""A model of one's own to explain: gradient boosting on the columns of a table, for those who bring none.

Histogram gradient boosting (Ke et al. 2017) as scikit-learn has it. Names become numbers in their sorted order; a value
that training never saw is missing to the model. Cost: O(n x columns x trees).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import MissingExtra, RequestError
from lookalike.tables.columns.naming import nameless
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.table import Table

MOST_OUTCOMES = 20
_TREES = 60


class TrainedModel:
    """Predicts `target` from `features`; made by `train_model`."""

    def __init__(self, people: Table, target: str, features: Sequence[str], seed: int) -> None:
        try:
            from sklearn.ensemble import HistGradientBoostingClassifier
            from threadpoolctl import threadpool_limits
        except ImportError:
            raise MissingExtra("scikit-learn", "ml", "training a model") from None
        self.target, self.feature_names_in_ = target, list(features)
        self._numeric = {name for name in features if people.column(name).kind.numeric}
        self._codes = {
            name: {text: code for code, text in enumerate(people.column(name).domain.texts)}
            for name in features
        }
        self._days = {
            name: _days_of(people, name)
            for name in self._numeric
            if people.column(name).kind is Kind.DATE and people.rows[name].dtype == pl.String
        }
        outcomes = nameless(people.rows[target]).cast(pl.String)
        known = outcomes.is_not_null().to_numpy()
        y = outcomes.filter(pl.Series(known)).to_numpy()
        self._model = HistGradientBoostingClassifier(max_iter=_TREES, random_state=seed)
        # threads that wait for each other cost more than they save on a busy machine
        self._alone = partial(threadpool_limits, 1)
        with self._alone():
            self._model.fit(self._matrix(people.rows.filter(pl.Series(known))), y)
        self.classes_ = self._model.classes_

    def _matrix(self, rows: pl.DataFrame) -> NDArray[np.float64]:
        columns = []
        for name in self.feature_names_in_:
            if name in self._days:
                days = nameless(rows[name]).replace_strict(
                    self._days[name], default=None, return_dtype=pl.Float64
                )
                columns.append(days.to_numpy())
            elif name in self._numeric and rows[name].dtype.is_temporal():
                columns.append(rows[name].cast(pl.Int64, strict=False).cast(pl.Float64).to_numpy())
            elif name in self._numeric:
                columns.append(rows[name].cast(pl.Float64, strict=False).to_numpy())
            else:
                texts = nameless(rows[name]).cast(pl.String)
                codes = texts.replace_strict(self._codes[name], default=None, return_dtype=pl.Float64)
                columns.append(codes.to_numpy())
        return np.column_stack(columns)

    def predict(self, frame: Any) -> NDArray[Any]:
        """The outcome of each row, as text."""
        rows = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame)
        with self._alone():
            predicted: NDArray[Any] = self._model.predict(self._matrix(rows))
        return predicted

    def __repr__(self) -> str:
        return f"TrainedModel({self.target!r} from {len(self.feature_names_in_)} columns)"


def _days_of(people: Table, name: str) -> dict[str, float]:
    """Each spelling of a date in the table, as a number."""
    column, spelt = people.column(name), people.rows[name]
    numbers = column.domain.numbers[column.codes].tolist()
    return {text: number for text, number in zip(spelt.to_list(), numbers, strict=True) if text is not None}


def train_model(people: Table, target: str, *, seed: int = 0) -> TrainedModel:
    """Train a classifier of `target` on all other columns that are not identifiers."""
    outcomes = people.column(target).domain.texts
    if not 2 <= len(outcomes) <= MOST_OUTCOMES:
        raise RequestError(
            f"column {target!r} has {len(outcomes)} different values; a model to explain needs 2 to {MOST_OUTCOMES}."
        )
    features = [name for name in people.names if name != target and people.roles[name] is not Role.IDENTIFIER]
    if not features:
        raise RequestError(f"no column is left to predict {target!r} from.")
    return TrainedModel(people, target, features, seed)
