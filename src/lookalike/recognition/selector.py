"""`QuasiSelector`: recognition as a step of a scikit-learn pipeline, and a scorer against a known truth."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from typing import Any

import polars as pl

from lookalike.base.errors import LookalikeWarning, MissingExtra, RequestError
from lookalike.recognition.inspecting import inspect
from lookalike.recognition.metrics.performance import Scores, score_recognition
from lookalike.recognition.search import METHODS, search_quasi
from lookalike.tables.columns.naming import named
from lookalike.tables.intake import table
from lookalike.tables.sources.frames import take

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:  # the name is there all the same, and says what is missing when it is used

    class BaseEstimator:  # type: ignore[no-redef]
        """Refuses to be made."""

        def __new__(cls, *args: Any, **more: Any) -> BaseEstimator:
            raise MissingExtra("scikit-learn", "ml", cls.__name__)

    class TransformerMixin:  # type: ignore[no-redef]
        """Nothing."""


INSPECT = "inspect"


class QuasiSelector(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Recognise the quasi-identifiers of a frame, and keep them or leave them out.

    method: "inspect" reads names and values, as `la.inspect` does; one of the methods of `la.search_quasi` looks for
        the set with the highest fitness.
    keep: whether `transform` gives the quasi-identifiers alone, or all other columns.
    options: of the search, such as {"fitness": ..., "population": 50}.
    seed: of the search.

    Examples:
        >>> import lookalike as la
        >>> people = la.datasets.population(200, seed=1).select("age", "gender", "income").to_pandas()
        >>> step = la.QuasiSelector().fit(people)
        >>> list(step.transform(people).columns)
        ['age', 'gender']
        >>> step.score(people, ["age", "gender"])
        1.0
    """

    def __init__(
        self,
        method: str = INSPECT,
        *,
        keep: bool = True,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.method = method
        self.keep = keep
        self.options = options
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> QuasiSelector:
        """Look at the columns. y is not looked at."""
        if self.method not in (INSPECT, *METHODS):
            raise RequestError(f"`method` must be {INSPECT}, {', '.join(METHODS)}; found {self.method!r}.")
        rows = _frame(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LookalikeWarning)  # nobody publishes anything here
            people = table(rows, others=[])
            if self.method == INSPECT:
                found = set(inspect(people).quasi)
            else:
                options = self.options or {}
                found = set(search_quasi(people, method=self.method, seed=self.seed, **options).columns)
        self.feature_names_in_ = list(rows.columns)
        self.n_features_in_ = rows.width
        self.quasi_ = [name for name in rows.columns if name in found]
        return self

    def get_support(self) -> list[bool]:
        """Which columns were recognised, in their order."""
        return [name in self.quasi_ for name in self.feature_names_in_]

    def get_feature_names_out(self, input_features: Any = None) -> list[str]:
        """The columns that `transform` gives."""
        return [
            name
            for name, one in zip(self.feature_names_in_, self.get_support(), strict=True)
            if one == self.keep
        ]

    def transform(self, X: Any) -> Any:
        """The quasi-identifiers, or all columns but these, as the frame came."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "quasi_")
        shown = self.get_feature_names_out()
        return X[shown] if hasattr(X, "loc") else _frame(X).select(named(shown))

    def score(self, X: Any, y: Collection[str]) -> float:
        """F1 of the columns recognised in X against those in y, which are the truth; 0 where none is right."""
        return _f1(self._scores(X, y))

    def _scores(self, X: Any, truth: Collection[str]) -> Scores:
        return score_recognition(self.quasi_, list(truth), list(_frame(X).columns))


def recognition_scorer(truth: Collection[str], *, measure: str = "f1") -> Callable[..., float]:
    """A scorer for model selection: how well a fitted `QuasiSelector` found these columns, by any measure of `Scores`.

    truth: the columns that are quasi-identifiers. measure: "f1", "precision", "recall", "jaccard", ...

    Examples:
        >>> import lookalike as la
        >>> people = la.datasets.population(200, seed=1).select("age", "gender", "income").to_pandas()
        >>> scorer = la.recognition_scorer(["age", "gender"], measure="recall")
        >>> scorer(la.QuasiSelector().fit(people), people)
        1.0
    """
    if not isinstance(getattr(Scores, measure, None), property):
        raise RequestError(
            f"`measure` must be a measure of a recognition, such as f1 or recall; found {measure!r}."
        )

    def scorer(estimator: QuasiSelector, X: Any, y: Any = None) -> float:
        found = estimator._scores(X, truth)
        return _f1(found) if measure == "f1" else float(getattr(found, measure))

    return scorer


def _f1(found: Scores) -> float:
    return found.f1 if found.tp else 0.0


def _frame(X: Any) -> pl.DataFrame:
    if not (hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__")):
        raise RequestError(f"`X` must be a frame with named columns, found {type(X).__name__}.")
    return take(X).rows
