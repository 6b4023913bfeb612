"""How many people are compatible with each record when missing values and stars match everything.

Two records are compatible when they agree wherever both have a value. Being compatible is not transitive, so there
are no classes; k belongs to a record. Records are grouped by the columns they lack: for one such pattern, all
records that share the same remaining columns with it are counted by one group-by. Cost: O(patterns x cells).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.cells import Cells
from lookalike.tables.columns.grouping import Labels, group_codes, sum_by

Places = NDArray[np.int64]


def count_compatible(cells: Cells, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """People compatible with each cell, where the people per cell add up."""
    out = np.zeros(len(cells), dtype=np.int64)
    for mine, theirs, labels, groups in _comparisons(cells):
        out[mine] += sum_by(labels[len(mine) :], counts[theirs], groups)[labels[: len(mine)]]
    return out


def weigh_compatible(cells: Cells, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of all cells that are compatible with each cell, added up."""
    out = np.zeros(len(cells))
    for mine, theirs, labels, groups in _comparisons(cells):
        summed = np.bincount(labels[len(mine) :], weights=weights[theirs], minlength=groups)
        out[mine] += summed[labels[: len(mine)]]
    return out


def _comparisons(cells: Cells) -> Iterator[tuple[Places, Places, Labels, int]]:
    """Cells, the cells to compare them with, labels that are equal where compatible, and the number of labels."""
    for mine, matches in _patterns(cells):
        for theirs, labels, groups in matches:
            yield mine, theirs, labels, groups


def count_compatible_units(cells: Cells) -> NDArray[np.int64]:
    """Different people compatible with each cell, where a person may have rows in several cells."""
    from lookalike.kernels.wildcards import count_distinct

    unit = cells.entries.unit
    if unit is None:
        return count_compatible(cells, cells.counts)
    out = np.zeros(len(cells), dtype=np.int64)
    for mine, matches in _patterns(cells):
        begin, end, units = [], [], []
        shift = 0
        for theirs, labels, groups in matches:
            group = np.full(len(cells), groups, dtype=np.int64)
            group[theirs] = labels[len(mine) :]
            of_entry = group[cells.entries.cell]
            order = np.argsort(of_entry, kind="stable")
            bounds = np.searchsorted(of_entry[order], np.arange(groups + 1))
            units.append(unit[order[: bounds[-1]]])
            begin.append(shift + bounds[labels[: len(mine)]])
            end.append(shift + bounds[labels[: len(mine)] + 1])
            shift += int(bounds[-1])
        seen = np.full(int(unit.max(initial=0)) + 1, -1, dtype=np.int64)
        found = np.zeros(len(mine), dtype=np.int64)
        count_distinct(np.stack(begin), np.stack(end), np.concatenate(units), seen, found)
        out[mine] = found
    return out


def find_wild(cells: Cells) -> NDArray[np.bool_]:
    """Attributes x cells: where a missing value, or a text of nothing but stars, matches everything."""
    out = np.zeros(cells.codes.shape, dtype=bool)
    for i, attribute in enumerate(cells.attributes):
        domain = attribute.domain
        star = np.zeros(domain.size, dtype=bool)
        if not domain.kind.numeric:
            star[: len(domain.values)] = [set(text) == {"*"} for text in domain.texts]
        star[len(domain.values) :] = True
        out[i] = star[cells.codes[i]]
    return out


def _patterns(cells: Cells) -> Iterator[tuple[Places, list[tuple[Places, Labels, int]]]]:
    """For each pattern of known columns its cells, and the cells to compare them with, by the columns known to both.

    A comparison labels first the pattern's cells, then the others: equal label, compatible.
    """
    known = ~find_wild(cells)
    of_cell, n = group_codes(list(known.astype(np.int32)), [2] * len(known), len(cells))
    patterns = np.empty((n, len(known)), dtype=bool)
    patterns[of_cell] = known.T
    sizes = np.array(cells.sizes, dtype=np.int64)
    for number, pattern in enumerate(patterns):
        mine = np.flatnonzero(of_cell == number)
        both = patterns & pattern
        of_pattern, different = group_codes(list(both.T.astype(np.int32)), [2] * len(known), n)
        matches = []
        for shared in range(different):
            columns = np.flatnonzero(both[np.flatnonzero(of_pattern == shared)[0]])
            theirs = np.flatnonzero(of_pattern[of_cell] == shared)
            codes = cells.codes[columns][:, np.concatenate([mine, theirs])]
            matches.append((theirs, *group_codes(list(codes), sizes[columns].tolist(), codes.shape[1])))
        yield mine, matches
