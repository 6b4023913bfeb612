"""What numbers and dates say by how they are spread: birthdays, row numbers, years, degrees; what they remind of.

No value is ever shown: findings speak of kinds. O(distinct values).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind

_MOST = 0.9  # the share of values that must have a shape
_FEW = 5  # below this many distinct values a shape proves little
_ROWS, _YEARS = 20, 8  # rows from which a row number, and values from which years are believed


@dataclass(frozen=True)
class Resemblance:
    """What values look like: a concept, how strongly they say so, and the evidence in words."""

    concept: str
    strength: float
    words: str


def read_spread(column: Column, texts: list[str]) -> list[Resemblance]:
    """Everything the spread of numbers or dates says; `texts` are some of the values as written."""
    return [*_dates(column), *_degrees(column, texts), *_whole_numbers(column)]


def _dates(column: Column) -> list[Resemblance]:
    if column.kind is not Kind.DATE or not len(column.domain.values):
        return []
    days = column.domain.values.astype("datetime64[D]")
    span = float((days[-1] - days[0]).astype(int)) / 365.25
    if span > 40 and len(days) > 20:
        return [Resemblance("birth_date", 0.7, f"dates over {span:.0f} years, as birthdays are")]
    return [Resemblance("event_date", 0.8, "dates")]


def _degrees(column: Column, texts: list[str]) -> list[Resemblance]:
    """Coordinates: degrees with many decimals."""
    if column.kind is not Kind.DECIMAL or len(texts) < _FEW:
        return []
    numbers = column.domain.values
    fine = np.mean([len(t.partition(".")[2]) >= 4 for t in texts])
    if fine >= _MOST and numbers.min() >= -180 and numbers.max() <= 180 and np.ptp(numbers) < 90:
        return [Resemblance("coordinates", 0.4, "numbers that could be degrees")]
    return []


def _whole_numbers(column: Column) -> list[Resemblance]:
    """Row numbers, whatever they are called, and years."""
    values = column.domain.values
    if column.kind is not Kind.INTEGER or len(values) < _YEARS:
        return []
    first, last = int(values[0]), int(values[-1])
    each_once = len(values) == len(column.codes) >= _ROWS
    if each_once and last - first + 1 == len(values):
        return [Resemblance("record_id", 0.85, "consecutive whole numbers, one per row: a row number")]
    if first >= 1900 and last <= 2035:
        return [Resemblance("event_date", 0.5, "whole numbers that read as years")]
    return []


def shape_of(column: Column) -> str:
    """What the spread of numbers reminds of, to be said beside "nobody knows"; nothing where it reminds of nothing."""
    numbers, counts = column.domain.values, column.counts[: len(column.domain.values)]
    if column.kind is Kind.DATE or len(numbers) < 2 * _ROWS:
        return ""
    if column.kind is Kind.INTEGER and numbers[0] >= 0 and 60 <= numbers[-1] <= 110:
        return "; they span what ages do"
    if (
        column.kind is Kind.INTEGER
        and numbers[0] >= 501
        and 10_000 <= numbers[-1] <= 99_999
        and len(numbers) > 200
    ):
        return "; they could be postcodes"
    low, middle, high = np.quantile(np.repeat(numbers, np.minimum(counts, 50)), [0.05, 0.5, 0.95])
    if low >= 0 and high > 1000 and high - middle > 2 * (middle - low):
        return "; they are spread as amounts of money are"
    return ""
