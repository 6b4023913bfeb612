"""Composition: two releases about the same people, each safe by itself, are put beside each other.

Ganta, Kasiviswanathan and Smith 2008, https://doi.org/10.1145/1401890.1401926: whoever fits in both releases has a
sensitive value that occurs among their candidates in both; where one value is left, it is theirs. Columns published
unchanged in both, and pseudonyms made with one key, link rows as well.
O(cells x classes / 64), plus the candidates found.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.measures.attacks.exposure import Exposure, PublishedCodes
from lookalike.measures.attacks.results import Attacked
from lookalike.recodings.treatments import Pseudonymise
from lookalike.tables.columns.grouping import group_codes


def attack(first: Exposure, second: Exposure) -> list[Attacked]:
    """Intersect the candidates of everybody who is in both releases."""
    if set(first.cells.names) != set(second.cells.names):
        raise RequestError(
            "the two releases have different quasi-identifiers: "
            f"{', '.join(first.cells.names)}, and {', '.join(second.cells.names)}."
        )
    shared = [name for name in first.sensitive if name in second.sensitive]
    out = [_values(first, second, name) for name in shared]
    unchanged = [name for name in first.published if name in second.published]
    unchanged += [name for name in _fields(first) if name in _fields(second)]
    return [*out, _rows(first, second, unchanged)] if unchanged else out


def _fields(exposure: Exposure) -> list[str]:
    """The columns behind pseudonyms that a person has in every release: who shares them shares the pseudonym."""
    made = (t for t in exposure.recoding.columns.values() if isinstance(t, Pseudonymise))
    return [name for t in made if t.how != "random tokens" for name in t.fields]


def _values(first: Exposure, second: Exposure, name: str) -> Attacked:
    ours, theirs = _together(first, second, [name])
    here, there, weight = _targets(first, second, ours, theirs)
    left, _ = _intersect(first, second, ours, theirs, here, there)
    alone = [_sure(e, v)[at] for e, v, at in ((first, ours, here), (second, theirs, there))]
    trials = int(weight.sum())
    return Attacked(
        "composition",
        "inference",
        "The attacker knows somebody's quasi-identifiers and that they are in both releases, and keeps the sensitive "
        "values that are found among those who fit in both. Success is one value left. The baseline is the better of "
        "the two releases alone.",
        trials,
        int(weight[left == 1].sum()),
        baseline=max(float(weight[sure].sum()) for sure in alone) / max(trials, 1),
        column=name,
        details={"values_left_mean": float(weight @ left) / max(trials, 1)},
    )


def _rows(first: Exposure, second: Exposure, names: list[str]) -> Attacked:
    ours, theirs = _together(first, second, names)
    here, there, weight = _targets(first, second, ours, theirs)
    _, records = _intersect(first, second, ours, theirs, here, there)
    trials = int(weight.sum())
    return Attacked(
        "composition of rows",
        "linkability",
        "The attacker knows somebody's quasi-identifiers and that they are in both releases, and keeps the records of "
        "the first whose unchanged columns are found among those who fit in the second. The rate is the chance of "
        "picking the right record, the baseline that of the better release alone.",
        trials,
        float(weight @ (1 / np.maximum(records, 1))),
        baseline=max(
            float(weight @ (1 / np.maximum(e.candidates[at], 1)))
            for e, at in ((first, here), (second, there))
        )
        / max(trials, 1),
        worst=float((1 / np.maximum(records, 1)).max(initial=0.0)),
        details={"alone": int(weight[records == 1].sum()), "unchanged": names},
    )


def _together(first: Exposure, second: Exposure, names: list[str]) -> tuple[PublishedCodes, PublishedCodes]:
    """Some columns of both releases in common codes: equal where the published values are."""
    columns, sizes = [], []
    for name in names:
        a, b = first.people.column(name), second.people.column(name)
        place = a.domain.find(b.domain).astype(np.int64)
        fresh = np.flatnonzero(place < 0)
        place[fresh] = a.domain.size + np.arange(len(fresh))
        columns.append(np.concatenate([a.codes, place[b.codes]]))
        sizes.append(a.domain.size + len(fresh))
    label, n = group_codes(columns, sizes, len(columns[0]))
    joined = label.astype(np.int64)
    mine = len(first.people)
    return PublishedCodes(joined[:mine], n), PublishedCodes(joined[mine:], n)


def _targets(
    first: Exposure, second: Exposure, ours: PublishedCodes, theirs: PublishedCodes
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """People in both: the cell of each in the first and in the second release, and how many there are.

    Released rows with the same tuple and the same values are taken to be the same people.
    """
    place = _same_cells(first, second)
    keys = []
    for exposure, values, cell in ((first, ours, None), (second, theirs, place)):
        rows = np.flatnonzero(exposure.kept)
        at = exposure.cells.of_row[rows].astype(np.int64)
        at = at if cell is None else cell[at]
        key = at * ours.size + values.codes[rows]
        keys.append(np.unique(key[at >= 0], return_counts=True))
    shared, i, j = np.intersect1d(keys[0][0], keys[1][0], return_indices=True)
    weight = np.minimum(keys[0][1][i], keys[1][1][j])
    cell = shared // ours.size
    back = np.full(len(first.cells), -1, dtype=np.int64)
    back[place[place >= 0]] = np.flatnonzero(place >= 0)
    return cell, back[cell], weight


def _same_cells(first: Exposure, second: Exposure) -> NDArray[np.int64]:
    """For each cell of the second release the cell of the first with the same tuple, or -1."""
    columns = []
    known = np.ones(len(second.cells), dtype=bool)
    for side in first.sides:
        other = second.cells.attributes[second.cells.names.index(side.attribute.name)]
        place = side.domain.find(other.domain)[second.cells.codes[second.cells.names.index(other.name)]]
        known &= place >= 0
        columns.append(place)
    n = len(first.cells)
    both = [np.concatenate([a, np.maximum(b, 0)]) for a, b in zip(first.cells.codes, columns, strict=True)]
    label, groups = group_codes(both, first.cells.sizes, n + len(second.cells))
    cell = np.full(groups, -1, dtype=np.int64)
    cell[label[:n]] = np.arange(n)
    return np.where(known, cell[label[n:]], -1)


def _intersect(
    first: Exposure,
    second: Exposure,
    ours: PublishedCodes,
    theirs: PublishedCodes,
    cell: NDArray[np.int64],
    cell2: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per target the values found around it in both releases, and the first one's records that have them."""
    from lookalike.kernels import attacks as kernels

    pairs, place = np.unique(np.stack([cell, cell2]), axis=1, return_inverse=True)
    around = [x.covers(x.cells.codes[:, pair]) for x, pair in zip((first, second), pairs, strict=True)]
    left, records = kernels.values_shared(around[0], first.held(ours), around[1], second.held(theirs))
    return left[place.ravel()], records[place.ravel()]


def _sure(exposure: Exposure, values: PublishedCodes) -> NDArray[np.bool_]:
    """Cells whose candidates all have one value."""
    return np.asarray(exposure.around(values)[0] == 1)
