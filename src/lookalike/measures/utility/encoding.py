"""Published values as numbers that classifiers can read, the same for an original and its release.

Ordered columns become the middle and the width of what a label stands for, and a flag for missing; nominal columns
spread a mass of one evenly over the values that a label stands for. Distinct labels are read once, so the cost is
O(labels x values + n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import RequestError, amount
from lookalike.recodings.reading import contents
from lookalike.recodings.recoding import Recoding
from lookalike.recodings.treatments import Box, Generalise
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.intake import table
from lookalike.tables.table import Table

Features = NDArray[np.float32]
_LARGEST = 1e18
COMMON = 256  #: nominal values told apart by default


@dataclass(frozen=True, eq=False)
class Published:
    """A released table that can be encoded: its rows, and the recoding that says what the labels mean."""

    rows: pl.DataFrame
    recoding: Recoding
    people: Table  #: the original, for the values behind the labels

    def column(self, name: str) -> Column:
        """A column that was published as it is, as codes."""
        return published_column(self.people, self.rows, name)

    def exact(self, name: str) -> NDArray[np.int64] | None:
        """A blurred column as codes of the original, where every label stands for one value; else None."""
        treatment = self.recoding.columns[name]
        if not isinstance(treatment, Generalise | Box) or treatment.numbers != "range":
            return None
        labels, codes = self.labels(name)
        inside = contents(labels, self.people.column(name).domain, treatment)
        used = np.bincount(codes, minlength=len(labels)) > 0
        if (inside.sum(axis=1)[used] != 1).any():
            return None
        return np.asarray(inside.argmax(axis=1)[codes])

    def labels(self, name: str) -> tuple[list[str | None], NDArray[np.int64]]:
        """The distinct labels of a column, missing first, and the label of each row."""
        texts = nameless(self.rows[name]).cast(pl.String)
        written: list[str | None] = [None, *texts.unique().drop_nulls().sort().to_list()]
        return written, texts.rank("dense").fill_null(0).to_numpy().astype(np.int64)

    def features(self, name: str, *, labels: bool, most: int = COMMON) -> Features:
        """The features of one column. `labels` gives every distinct label of a nominal column a feature of its own.

        most: nominal values told apart; rarer ones share one feature.
        """
        treatment = self.recoding.columns[name]
        domain = self.people.column(name).domain
        if not isinstance(treatment, Generalise | Box):
            column = self.column(name)
            if domain.kind.ordered:
                return _of_numbers(column.domain.numbers)[column.codes]
            inside = np.zeros((column.domain.size, domain.size), dtype=bool)
            place = domain.find(column.domain)
            known = np.flatnonzero(place >= 0)
            inside[known, place[known]] = True
            return _encode(inside, domain, common_values(self.people.column(name), most))[column.codes]
        if treatment.numbers != "range":
            numbers = self.rows[name].cast(pl.Float64, strict=False)
            require_meanings(name, numbers.null_count() - self.rows[name].null_count())
            return _of_numbers(numbers.to_numpy())
        written, codes = self.labels(name)
        inside = contents(written, domain, treatment)
        unread = ~inside.any(axis=1) & (np.bincount(codes, minlength=len(written)) > 0)
        require_meanings(name, int(unread.sum()))
        if labels and not domain.kind.ordered:
            return np.eye(len(written), dtype=np.float32)[codes]
        return _encode(inside, domain, common_values(self.people.column(name), most))[codes]


def original_features(people: Table, name: str, *, most: int = COMMON) -> Features:
    """The features of a column of the original, value by value."""
    column = people.column(name)
    if column.kind.ordered:
        return _of_numbers(column.domain.numbers)[column.codes]
    inside = np.eye(column.domain.size, dtype=bool)
    return _encode(inside, column.domain, common_values(column, most))[column.codes]


def published_column(people: Table, rows: pl.DataFrame, name: str) -> Column:
    """A released column read as the original's was."""
    kind = people.column(name).kind
    types: dict[str, Any] = {name: people.column(name).domain.texts if kind == "ordinal" else kind}
    try:
        return table(rows.select(named(name)), others=[], types=types, na=people.na).column(name)
    except RequestError as problem:
        raise RequestError(f"the release does not fit the original: {problem}") from None


def require_meanings(name: str, unread: int) -> None:
    """Refuse published labels that the recoding gives no meaning."""
    if unread:
        raise RequestError(
            f"column {name!r}: {amount(unread, 'published label')} without a meaning in the recoding. Use the "
            "recoding.json that came with the release, and the table it was made from with the same `types`."
        )


def common_values(column: Column, most: int = COMMON) -> NDArray[np.int64]:
    """The codes that get a feature of their own, most frequent first where there are too many."""
    if column.domain.size <= most:
        return np.arange(column.domain.size)
    return np.sort(np.argsort(-column.counts, kind="stable")[:most])


def _encode(inside: NDArray[np.bool_], domain: Domain, common: NDArray[np.int64]) -> Features:
    """Features of each label from the values it stands for."""
    if domain.kind.ordered:
        return _of_contents(inside, domain)
    mass = inside / np.maximum(inside.sum(axis=1, keepdims=True), 1)
    if len(common) < domain.size:
        mass = np.hstack([mass[:, common], 1 - mass[:, common].sum(axis=1, keepdims=True)])
    return np.asarray(mass, dtype=np.float32)


def _of_contents(inside: NDArray[np.bool_], domain: Domain) -> Features:
    """Middle, width, and how likely missing is, of the numbers each label stands for."""
    numbers = domain.numbers
    known = inside & ~np.isnan(numbers)
    lo = np.where(known, numbers, np.inf).min(axis=1, initial=np.inf)
    hi = np.where(known, numbers, -np.inf).max(axis=1, initial=-np.inf)
    some = known.any(axis=1)
    missing = (inside & np.isnan(numbers)).any(axis=1)
    middle = np.full(len(inside), np.nan)
    middle[some] = lo[some] / 2 + hi[some] / 2
    width = np.zeros(len(inside))
    with np.errstate(over="ignore"):  # bounded below
        width[some] = hi[some] - lo[some]
    return _bounded(np.array([middle, width, np.where(some, 0.5, 1.0) * missing]).T)


def _of_numbers(numbers: NDArray[np.float64]) -> Features:
    """Plain numbers: no width, and missing where NaN."""
    out = [numbers, np.zeros(len(numbers)), np.isnan(numbers).astype(float)]
    return _bounded(np.array(out).T)


def _bounded(numbers: NDArray[np.float64]) -> Features:
    """Numbers as classifiers read them, who square them: none beyond a billion billions."""
    return np.clip(numbers, -_LARGEST, _LARGEST).astype(np.float32)
