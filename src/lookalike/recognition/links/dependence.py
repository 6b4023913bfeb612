"""How far columns determine each other beyond chance, and whether their orders agree. One grouping per pair, O(n).

mu is the share of a column's variety that another one accounts for, less what as many values would account for by
luck: 0 for chance, 1 for a function. Piatetsky-Shapiro and Matheus 1993, Measuring data dependencies in large
databases; found to tell functions from accidents best by Parciak et al. 2024 (https://arxiv.org/abs/2312.06296).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_BATCH = 1 << 22  # codes, and possible pairs of values, looked at in one go
_DENSE = 8  # up to so many possible pairs a row are counted in a table; of more, those that occur are sorted


@dataclass(frozen=True, eq=False)
class RankedCodes:
    """A column to be compared: a code per row, missing being a value too, and the rank of each code (NaN: none)."""

    codes: NDArray[np.int32]
    size: int
    ordered: int  #: codes below this one have a place in the order; missing has none
    known: NDArray[np.int64] | None = None  #: rows per code, where they have been counted

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Rows per code."""
        if self.known is not None:
            return self.known
        return np.bincount(self.codes, minlength=self.size).astype(np.int64)

    @cached_property
    def distinct(self) -> int:
        """How many values occur."""
        return int((self.counts > 0).sum())

    @cached_property
    def alike(self) -> float:
        """The chance that two rows drawn with replacement have the same value."""
        return float(((self.counts / max(len(self.codes), 1)) ** 2).sum())

    @cached_property
    def ranks(self) -> Numbers:
        """The mean rank of each code from the middle of all; NaN where it has no place in the order."""
        counts = self.counts[: self.ordered]
        out = np.full(self.size, np.nan)
        out[: self.ordered] = np.cumsum(counts) - (counts + 1) / 2 - (counts.sum() - 1) / 2
        return out


@dataclass(frozen=True, eq=False)
class Dependence:
    """How one column and each of several others depend on each other."""

    onto: Numbers  #: mu of the column onto each other
    back: Numbers  #: mu of each other onto the column
    step: Numbers  #: rank correlation with each other, over the rows where both have a place in their order


def measure(one: RankedCodes, others: Sequence[RankedCodes]) -> Dependence:
    """Dependence of a column on each of several others, in batches that fit the cache."""
    n = len(one.codes)
    onto, back, step = (np.zeros(len(others)) for _ in range(3))
    for batch in _batches(one, others):
        column, x, y, times = _pairs(one, [others[i] for i in batch])
        start = np.cumsum([0, *(others[i].size for i in batch)])
        counts = np.concatenate([others[i].counts for i in batch])
        squares = times.astype(np.float64) ** 2
        width = len(batch)
        given_one = np.bincount(column, squares / one.counts[x], width) / n
        given_other = np.bincount(column, squares / counts[start[column] + y], width) / n
        ranks = np.concatenate([others[i].ranks for i in batch])
        onto[batch] = [
            _beyond_chance(p, others[i].alike, n, one.distinct)
            for p, i in zip(given_one.tolist(), batch, strict=True)
        ]
        back[batch] = [
            _beyond_chance(p, one.alike, n, others[i].distinct)
            for p, i in zip(given_other.tolist(), batch, strict=True)
        ]
        step[batch] = _correlate(one.ranks[x], ranks[start[column] + y], times, column, width)
    return Dependence(onto, back, step)


def in_step(one: RankedCodes, other: RankedCodes) -> float:
    """Rank correlation of two columns, row by row: for columns of which nearly every pair of values is distinct."""
    zero = np.zeros(len(one.codes), dtype=np.int64)
    return float(_correlate(one.ranks[one.codes], other.ranks[other.codes], zero + 1, zero, 1)[0])


def evidence(source: RankedCodes, target: RankedCodes) -> float:
    """Bits against chance if `source` determined `target`: what a row that repeats a value would have to guess."""
    repeats = len(source.codes) - source.distinct
    return repeats * -float(np.log2(target.alike)) if target.alike < 1 else 0.0


def _beyond_chance(given: float, alike: float, n: int, values: int) -> float:
    if values >= n or alike >= 1:
        return 0.0
    return max(0.0, 1 - (1 - given) / (1 - alike) * (n - 1) / (n - values))


def _batches(one: RankedCodes, others: Sequence[RankedCodes]) -> Iterator[list[int]]:
    batch: list[int] = []
    codes = pairs = 0
    for i, other in enumerate(others):
        codes, pairs = codes + len(one.codes), pairs + one.size * other.size
        if batch and (codes > _BATCH or pairs > _BATCH):
            yield batch
            batch, codes, pairs = [], len(one.codes), one.size * other.size
        batch.append(i)
    if batch:
        yield batch


def _pairs(one: RankedCodes, others: Sequence[RankedCodes]) -> tuple[NDArray[np.int64], ...]:
    """Each pair of values that occurs: which other column, the code of the one, of the other, and how often."""
    sizes = np.array([other.size for other in others], dtype=np.int64)
    start = np.cumsum([0, *(one.size * sizes)])
    keys = one.codes * sizes[:, None]
    for row, other in zip(keys, others, strict=True):
        row += other.codes
    keys += start[:-1, None]
    flat, span = keys.ravel(), int(start[-1])
    if span <= _DENSE * len(flat):
        table = np.bincount(flat, minlength=span)
        found = np.flatnonzero(table)
        times = table[found]
    else:
        flat.sort()
        ends = np.flatnonzero(np.append(flat[1:] != flat[:-1], True))
        found, times = flat[ends], np.diff(ends, prepend=-1)
    column = np.searchsorted(start, found, side="right") - 1
    x, y = np.divmod(found - start[column], sizes[column])
    return column, x, y, times


def _correlate(x: Numbers, y: Numbers, times: NDArray[np.int64], column: NDArray[Any], width: int) -> Numbers:
    both = ~(np.isnan(x) | np.isnan(y))
    x, y, times, column = x[both], y[both], times[both], column[both]

    def total(values: Any) -> Numbers:
        return np.asarray(np.bincount(column, values * times, width), dtype=np.float64)

    n = np.maximum(total(np.ones(len(x))), 1)
    mean_x, mean_y = total(x) / n, total(y) / n
    x, y = x - mean_x[column], y - mean_y[column]
    spread = np.sqrt(total(x * x) * total(y * y))
    return np.divide(total(x * y), spread, out=np.zeros(width), where=spread > 0)
