"""Domain: the sorted distinct values of a column. A code is a position in it; missing is the last code.

Everything that thinks works on codes; only this file knows what a code looked like in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.roles import Kind

Codes = NDArray[np.int32]
GREATEST = float(np.finfo(float).max)
EXACT = 2.0**53  #: whole numbers below this are floats of their own
FINEST = 1e-300  #: the smallest step that floats can count with


@dataclass(frozen=True, eq=False)
class Domain:
    """The values a column takes: `values[code]`, sorted; where `missing`, the code after the last value.

    Values are int64, float64, datetime64[D] or str objects, by kind. The order of an ordinal domain is its ranks.
    """

    kind: Kind
    values: NDArray[Any]
    missing: bool = False

    @property
    def size(self) -> int:
        """Number of codes, missing included."""
        return len(self.values) + self.missing

    @cached_property
    def texts(self) -> list[str]:
        """Each value as text, without missing: integers and decimals in their shortest form, dates as ISO."""
        return texts_of(self.values, self.kind)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """One number per code to measure ranges by: the value, days of a date, the rank otherwise; NaN for missing."""
        n = len(self.values)
        out = np.full(self.size, np.nan)
        if self.kind is Kind.DATE:
            out[:n] = self.values.astype(np.int64)
        elif self.kind.numeric:
            out[:n] = self.values
        else:
            out[:n] = np.arange(n)
        return out

    @cached_property
    def measure(self) -> float:
        """What numbers are divided by before they are added or subtracted: 1, or a power of 2 where floats run out."""
        known = self.numbers[: len(self.values)]
        largest = float(np.abs(known).max(initial=0))
        return 2.0**200 if largest > 1e250 else 2.0**-200 if 0 < largest < 1e-250 else 1.0

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """The numbers in units in which sums and distances are numbers, too."""
        return self.numbers / self.measure

    def number(self, text: str, *, order: Sequence[str] | None = None) -> float:
        """Where a text stands among the domain's numbers, whether it is one of its values or not; NaN for nowhere.

        order: the ranks of an ordinal domain, where it holds some of its values only.
        """
        if not self.kind.numeric:
            ranks = self.texts if order is None else order
            return float(ranks.index(text)) if text in ranks else np.nan
        try:
            if self.kind is Kind.DATE:
                return float(np.datetime64(text, "D").astype(np.int64))
            return float(text)
        except ValueError:
            return np.nan

    def code_of(self, value: object) -> int:
        """The code of a value that somebody named, be it as a text, a number, a day or a truth; -1 where it is none."""
        text = str(value)
        if text not in self._codes and isinstance(value, bool | np.bool_):
            text = text.lower()
        if text in self._codes:
            return self._codes[text]
        if not self.kind.numeric or (self.kind is Kind.DATE and len(text) < 10):  # a year is no day
            return -1
        number = self.number(text)
        if self.kind is Kind.INTEGER and not abs(number) < EXACT:
            return -1
        equal = np.flatnonzero(self.numbers == number)
        return int(equal[0]) if len(equal) else -1

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self.texts)}

    def find(self, other: Domain) -> Codes:
        """For each code of `other`, the code of the same value here, or -1 where it is not known here."""
        out = np.full(other.size, -1, dtype=np.int32)
        n = len(other.values)
        if self.kind.numeric and other.kind.numeric and (self.kind is Kind.DATE) == (other.kind is Kind.DATE):
            if len(self.values):
                at = np.minimum(np.searchsorted(self.values, other.values), len(self.values) - 1)
                out[:n] = np.where(self.values[at] == other.values, at, -1)
        else:
            out[:n] = [self._codes.get(text, -1) for text in other.texts]
        if other.missing and self.missing:
            out[-1] = self.size - 1
        return out

    def part(self, codes: NDArray[np.integer[Any]]) -> Domain:
        """The domain of some of its codes, which are given in ascending order."""
        inner = codes[codes < len(self.values)]
        return Domain(self.kind, self.values[inner], missing=len(inner) < len(codes))

    def __repr__(self) -> str:
        return f"Domain({self.kind}, {self.size} values{', missing among them' if self.missing else ''})"


def spread(numbers: NDArray[np.float64]) -> float:
    """From the first of ascending numbers to the last, at most the greatest float."""
    return min(float(numbers[-1]) - float(numbers[0]), GREATEST) if len(numbers) else 0.0


def texts_of(values: NDArray[Any], kind: Kind) -> list[str]:
    """Values as text, one form per value: `3`, `3.25`, `2024-02-29`."""
    if kind is Kind.DATE:
        return np.datetime_as_string(values.astype("datetime64[D]")).tolist() if len(values) else []
    if kind is Kind.DECIMAL:
        return [number_text(v) for v in values.tolist()]
    return [str(v) for v in values.tolist()]


def number_text(value: float) -> str:
    """The shortest text of a number that reads back as the same number, without a needless `.0`."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def nominal(texts: Sequence[str], *, missing: bool = False) -> Domain:
    """A nominal domain of these texts, sorted."""
    values = np.array(sorted(set(texts)), dtype=object)
    return Domain(Kind.NOMINAL, values, missing)
