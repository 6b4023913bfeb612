"""`Anonymizer`: blurring as a step of a scikit-learn pipeline. Learns a recoding, and brings any rows to its labels.

A row goes to a class that at least k training rows share, or, where it fits none, to the top of every column. Rows are
never left out: a pipeline counts on all of them. O(n) beside what `anonymize` costs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.anonymization import anonymize
from lookalike.base.checks import choice, per_column, whole_number
from lookalike.base.errors import MissingExtra, RequestError, unknown_column
from lookalike.models import KAnonymity
from lookalike.recodings import Recoding
from lookalike.recodings.reading import contents
from lookalike.recodings.taking import readable, take_as
from lookalike.recodings.treatments import Box, Generalise
from lookalike.tables.columns.coding import KindLike
from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.columns.notation import STAR
from lookalike.tables.hierarchies.files import Hierarchies
from lookalike.tables.intake import table
from lookalike.tables.sources.frames import take
from lookalike.tables.table import Table

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
except ImportError:  # the name is there all the same, and says what is missing when it is used

    class BaseEstimator:  # type: ignore[no-redef]
        """Refuses to be made."""

        def __new__(cls, *args: Any, **kwargs: Any) -> BaseEstimator:
            raise MissingExtra("scikit-learn", "ml", "Blurring in a pipeline")

    class OneToOneFeatureMixin:  # type: ignore[no-redef]
        """Nothing."""

    class TransformerMixin:  # type: ignore[no-redef]
        """Nothing."""


_IN_ROW = "in which row"  # a column of our own for a moment; it never meets the caller's


class Anonymizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Blur quasi-identifiers so that k training rows share every published tuple, as a step of a pipeline.

    k: how many training rows share each tuple.
    quasi: the columns to blur, by name or position; all unless given. The others pass as they are.
    method: as in `la.anonymize`: "auto" gives every group of training rows ranges of its own; "optimal" is one rule
        for all rows, so that more new rows fit and less is told about each.
    output: "numbers" publishes numbers and dates (in days) as the middle of their range, so that models can learn from
        them; "labels" publishes ranges as text. Columns without numbers are labels either way.
    suppression: the largest share of training rows that may go to the top of every column.
    hierarchies, types, weights, seed: as in `la.table` and `la.anonymize`, by name; columns of arrays are x0, x1, …

    Examples:
        >>> import lookalike as la
        >>> people = la.datasets.population(200, seed=1).select("age", "gender").to_pandas()
        >>> step = la.Anonymizer(k=5, quasi=["age", "gender"]).fit(people)
        >>> step.transform(people).shape
        (200, 2)
    """

    def __init__(
        self,
        k: int = 5,
        *,
        quasi: Sequence[str | int] | None = None,
        method: str = "auto",
        output: str = "numbers",
        suppression: float = 0.05,
        hierarchies: Hierarchies | None = None,
        types: Mapping[str, KindLike] | None = None,
        weights: Mapping[str, float] | None = None,
        seed: int = 0,
    ) -> None:
        self.k = k
        self.quasi = quasi
        self.method = method
        self.output = output
        self.suppression = suppression
        self.hierarchies = hierarchies
        self.types = types
        self.weights = weights
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Find the recoding of these rows that loses least. y is not looked at."""
        self._learn(self._rows(X, reset=True))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The training rows, blurred."""
        return self.fit(X).transform(X)

    def transform(self, X: Any) -> Any:
        """The rows, blurred; as many as came, in their order."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "recoding_")
        rows = self._rows(X, reset=False)
        labels = self._labels(rows)
        if self.output == "numbers":
            labels = labels.with_columns(
                named(name).replace_strict(self._middles[name], default=None, return_dtype=pl.Float64)
                for name in self._middles
            )
        return _as_it_came(rows.with_columns(labels), X)

    def _learn(self, rows: pl.DataFrame) -> None:
        k = whole_number(self.k, "k", least=1)
        choice(self.output, "output", ("numbers", "labels"))
        if rows.height < k:
            raise RequestError(f"k={k} needs as many rows to be alike, found n_samples={rows.height}.")
        quasi = self._quasi(rows.columns)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about columns that nobody publishes here
            people = table(
                rows.select(named(quasi)),
                quasi=quasi,
                hierarchies=self.hierarchies,
                types=_spoken_of(per_column(self.types, "types"), quasi),
            )
        release = anonymize(
            people,
            KAnonymity(k),
            method=self.method,
            suppression=self.suppression,
            weights=self.weights,
            seed=self.seed,
            shuffle=False,
            suppressed="star",
        )
        self.recoding_ = replace(release.recoding, models=())
        self._published = release.rows.unique(maintain_order=True)
        kinds: dict[str, KindLike] = {}
        self._middles = {}
        for name in quasi:
            column = people.column(name)
            kinds[name] = column.domain.texts if column.kind == "ordinal" else column.kind
            if column.kind.numeric:
                self._middles[name] = _middles(people, name, self._published[name], self.recoding_)
        self._kinds = kinds

    def _labels(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The published label of each row and quasi-identifier; stars where the tuple is none of the training rows'."""
        quasi = self.recoding_.quasi
        fits = np.logical_and.reduce(list(readable(rows.select(named(quasi)), self._kinds, ("?",)).values()))
        stars = pl.DataFrame({name: [STAR] for name in quasi})
        if not fits.any():
            return pl.concat([stars] * rows.height)
        people = take_as(self.recoding_, rows.select(named(quasi)).filter(pl.Series(fits)))
        found = self.recoding_.apply(people).rows.select(named(quasi).cast(pl.String))
        known = (
            found.with_row_index(_IN_ROW)
            .join(self._published, on=named(quasi), how="semi", nulls_equal=True)[_IN_ROW]
            .to_numpy()
        )
        place = np.zeros(rows.height, dtype=np.int64)  # the first line below holds the stars
        place[np.flatnonzero(fits)[known]] = known + 1
        return pl.concat([stars, found])[place]

    def _quasi(self, names: list[str]) -> list[str]:
        if self.quasi is None:
            return names
        if isinstance(self.quasi, str | Mapping) or not isinstance(self.quasi, Iterable):
            raise RequestError("`quasi` must be a list of columns, by name or position.")
        places = dict(enumerate(names))
        out = []
        for one in self.quasi:
            name = one if isinstance(one, str) else places.get(one) if isinstance(one, Integral) else None
            if name not in names:
                raise unknown_column(str(one), names, "quasi")
            out.append(name)
        if not out:
            raise RequestError("`quasi` names no column, so there is nothing to blur.")
        return out

    def _rows(self, X: Any, *, reset: bool) -> pl.DataFrame:
        """What came, as a frame; arrays and lists get the names that scikit-learn gives them."""
        from sklearn.utils.validation import validate_data

        if hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            rows = take(X).rows
            if not rows.height:
                raise RequestError("found a frame with 0 rows, and at least one is needed.")
            return rows
        X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        return pl.DataFrame([_series(f"x{i}", X[:, i]) for i in range(X.shape[1])])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _spoken_of(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    for name in given:
        if name not in names:
            raise unknown_column(name, names, "types")
    return dict(given)


def _middles(people: Table, name: str, labels: pl.Series, recoding: Recoding) -> dict[str, float | None]:
    """The middle of the training values behind each label; of a missing value there is none."""
    domain, treatment = people.column(name).domain, recoding.columns[name]
    assert isinstance(treatment, Generalise | Box)
    known = np.nan_to_num(domain.numbers, nan=0.0)
    counts = ~np.isnan(domain.numbers)
    texts = [
        text for text in nameless(labels).unique(maintain_order=True).drop_nulls().to_list() if text != STAR
    ]
    inside = contents(texts, domain, treatment) & counts
    out: dict[str, float | None] = {}
    for text, codes in zip([*texts, STAR], [*inside, counts], strict=True):
        out[text] = float(known[codes].min() / 2 + known[codes].max() / 2) if codes.any() else None
    return out


def _series(name: str, values: NDArray[Any]) -> pl.Series:
    """A column of an array: numbers where all are, else text."""
    if values.dtype.kind in "biuf":
        return pl.Series(name, values).fill_nan(None) if values.dtype.kind == "f" else pl.Series(name, values)
    try:
        return pl.Series(name, values.astype(np.float64)).fill_nan(None)
    except (TypeError, ValueError):
        gone = [value is None or value != value for value in values]
        return pl.Series(
            name, [None if g else str(v) for v, g in zip(values, gone, strict=True)], dtype=pl.String
        )


def _as_it_came(rows: pl.DataFrame, X: Any) -> Any:
    """A frame of the caller's kind with its index, or an array: of numbers where all columns are."""
    if hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a pipeline keeps the index, whatever it says about people
            return take(X).give_back(rows, in_order=True)
    if all(kind.is_numeric() for kind in rows.dtypes):
        return rows.cast(pl.Float64).fill_null(np.nan).to_numpy()
    return np.array(rows.rows(), dtype=object)
