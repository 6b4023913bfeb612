"""Ask a model for outcomes: any object with `predict`, or any function of a frame that returns one outcome per row.

The model sees frames of the kind the training table came as, with its columns in its order (`as_trained` says how).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.checks import column_names
from lookalike.base.errors import ColumnError, RequestError
from lookalike.explanations.as_trained import AsTrained
from lookalike.tables.columns.roles import Role
from lookalike.tables.table import Table


class Outcomes:
    """A model, the columns it looks at, and which outcome is desired. `calls` counts its use."""

    def __init__(self, model: Any, people: Table, *, desired: Any, features: Sequence[str] | None) -> None:
        self.model = model
        self.people = people
        self.desired = desired
        self.features = find_features(model, people, features)
        self._predict = _callable(model)
        self._seen = AsTrained(people, self.features, model)
        self.calls = 0

    def predict(self, rows: pl.DataFrame) -> NDArray[Any]:
        """The model's outcome for each row."""
        return self._checked(self._predict(self._seen.frame(rows)), rows.height)

    def desired_of(self, rows: pl.DataFrame) -> NDArray[np.bool_]:
        """Which rows get the desired outcome."""
        return self.is_desired(self.predict(rows))

    def is_desired(self, outcomes: NDArray[Any]) -> NDArray[np.bool_]:
        """Which outcomes are the desired one."""
        return np.asarray([outcome == self.desired for outcome in outcomes.tolist()], dtype=bool)

    def desired_at(self, where: dict[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Outcomes of made-up rows: for each column, the training rows its values are taken from."""
        rows = len(next(iter(where.values())))
        return self.is_desired(self._checked(self._predict(self._seen.at(where)), rows))

    def scores(self, rows: pl.DataFrame) -> NDArray[np.float64]:
        """The model's probability of the desired outcome for each row."""
        if not hasattr(self.model, "predict_proba"):
            raise RequestError("this needs a model with predict_proba, which tells how sure it is.")
        frame = self._seen.frame(rows)
        where = [
            i for i, label in enumerate(np.asarray(self.model.classes_).tolist()) if label == self.desired
        ]
        self.calls += 1
        out: NDArray[np.float64] = np.asarray(self.model.predict_proba(frame), dtype=float)[:, where[0]]
        return out

    def _checked(self, answer: Any, rows: int) -> NDArray[Any]:
        self.calls += 1
        outcomes = np.asarray(answer)
        if outcomes.ndim == 2 and outcomes.shape[1] == 1:
            outcomes = outcomes[:, 0]
        if outcomes.shape != (rows,):
            raise RequestError(
                f"the model answered {rows} rows with an array of shape {outcomes.shape}; "
                "it must return one outcome per row."
            )
        return outcomes


def find_features(model: Any, people: Table, features: Sequence[str] | None) -> list[str]:
    """The columns the model looks at: as given, as the model remembers them, or all but names, targets and weights."""
    if features is None and hasattr(model, "feature_names_in_"):
        features = [str(name) for name in model.feature_names_in_]
    if features is None:
        aside = {Role.IDENTIFIER, Role.TARGET}
        features = [
            n for n in people.names if people.roles[n] not in aside and n not in (people.unit, people.weight)
        ]
    features = column_names(features, "features")
    absent = [name for name in features if name not in people.names]
    if absent:
        raise ColumnError(
            f"the model looks at columns the training table does not have: {', '.join(absent)}. "
            "Pass the table the model was trained on, or name the columns with features=[...]."
        )
    if len(set(features)) < len(features):
        raise ColumnError("features: a column is named twice.")
    if not features:
        raise ColumnError("the model has no columns to look at: every column is an identifier or a target.")
    return list(features)


def _callable(model: Any) -> Callable[[Any], Any]:
    if isinstance(model, str | Path):
        raise RequestError(
            "the model is a path. Load it first, with lookalike.explanations.read_model(path), and pass the model."
        )
    if isinstance(model, type):
        raise RequestError(f"the model is the class {model.__name__}; pass a fitted instance of it.")
    if hasattr(model, "predict"):
        predict: Callable[[Any], Any] = model.predict
        return predict
    if callable(model):
        called: Callable[[Any], Any] = model
        return called
    raise RequestError(
        f"a {type(model).__name__} is not a model: it has no predict, and it is not a function of a frame."
    )
