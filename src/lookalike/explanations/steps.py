"""What a box may be made of, and how it is named: every value as it is, or steps whose names at least k people share.

As in the paper, a box is made of values, and a range ends with the value of whoever has it. Where all that is shown
must be shared, names that fewer than k people have are one step that is never named, and a range ends with a value that
k people have or with a round number (`recodings.edges`). A column of many numbers is cut into steps of about as many
people each, which bounds the cost of the search. O(values) per column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.recodings.edges import find_edges
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.roles import Kind
from lookalike.tables.table import Table

MOST = 64  #: steps of an ordered column

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColumnSteps:
    """The steps of one column, in the order of its values; missing is the last, where there is any."""

    column: Column  #: the column in steps: one value of each stands for it
    of_value: Codes  #: the step of each value of the table
    texts: tuple[list[str], list[str]]  #: per step: how a range that begins, or ends, with it is written
    unnamed: NDArray[np.bool_]  #: per step: fewer than k people have it, so that no explanation names it


def every_value(column: Column) -> ColumnSteps:
    """Each value is a step of its own, and is named as it is."""
    size, texts = column.domain.size, column.domain.texts
    return ColumnSteps(column, np.arange(size), (texts, texts), np.zeros(size, dtype=bool))


def shared_steps(people: Table, name: str, least: int) -> ColumnSteps:
    """ColumnSteps whose names at least so many people share. A column with a hierarchy keeps the nodes of that."""
    column = people.column(name)
    if name in people.hierarchies:
        return every_value(column)
    counts = people.people_having(name)
    return _of_order(column, counts, least) if column.kind.ordered else _of_names(column, counts, least)


def _of_order(column: Column, counts: Codes, least: int) -> ColumnSteps:
    domain = column.domain
    n = len(domain.values)
    before = np.cumsum(counts[:n]) - counts[:n]
    cut = before * MOST // max(int(counts[:n].sum()), 1) if n > MOST else np.arange(n)
    of_value = np.unique(cut, return_inverse=True)[1].astype(np.int64)
    first = np.flatnonzero(np.diff(of_value, prepend=-1))
    last = np.append(first[1:], n)[: len(first)] - 1
    if domain.kind.numeric:
        lower, upper = find_edges(domain, counts, least).texts
    else:
        lower, upper = _shared_ranks(domain, counts[:n] >= least)
    texts = ([lower[value] for value in first], [upper[value] for value in last])
    steps = Domain(domain.kind, domain.values[first], domain.missing)
    return _steps(column, steps, of_value, texts, np.zeros(len(first), dtype=bool), counts, least)


def _shared_ranks(domain: Domain, shared: NDArray[np.bool_]) -> tuple[list[str], list[str]]:
    """For each rank, the nearest one below and above that enough people have; else the end of the scale."""
    n, texts = len(domain.values), domain.texts
    ranks = np.arange(n)
    below = np.maximum.accumulate(np.where(shared, ranks, 0))
    above = np.minimum.accumulate(np.where(shared, ranks, n - 1)[::-1])[::-1]
    return [texts[rank] for rank in below], [texts[rank] for rank in above]


def _of_names(column: Column, counts: Codes, least: int) -> ColumnSteps:
    domain = column.domain
    n = len(domain.values)
    shared = counts[:n] >= least
    named = np.flatnonzero(shared)
    of_value = np.where(shared, np.cumsum(shared) - 1, len(named))
    texts = [domain.texts[code] for code in named]
    unnamed = np.zeros(len(named), dtype=bool)
    if len(named) < n:
        texts, unnamed = [*texts, ""], np.append(unnamed, True)
    steps = Domain(Kind.NOMINAL, np.array(texts, dtype=object), domain.missing)
    return _steps(column, steps, of_value, (texts, texts), unnamed, counts, least)


def _steps(
    column: Column,
    steps: Domain,
    of_value: Codes,
    texts: tuple[list[str], list[str]],
    unnamed: NDArray[np.bool_],
    counts: Codes,
    least: int,
) -> ColumnSteps:
    """The steps of a column, missing among them where some values are."""
    if steps.missing:
        of_value = np.append(of_value, len(steps.values))
        unnamed = np.append(unnamed, counts[-1] < least)
    codes = of_value[column.codes].astype(np.int32)
    return ColumnSteps(Column(column.name, codes, steps, column.times), of_value, texts, unnamed)
