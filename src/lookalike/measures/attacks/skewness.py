"""Skewness and similarity: the values around a person are others than in the whole release, or close to each other.

Li, Li and Venkatasubramanian 2007, https://doi.org/10.1109/ICDE.2007.367856 (skewness, similarity, t); Li, Tao and
Xiao 2008, https://doi.org/10.1145/1376616.1376666 (proximity breach: a narrow interval counts as one value).
O(cells x classes / 64), plus a sort of the values of each class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import Exposure, Held, PublishedCodes
from lookalike.measures.attacks.results import Attacked
from lookalike.models import AlphaK, TCloseness
from lookalike.tables.cells import Histogram

WIDTH = 0.1  #: of the whole range: numbers that near count as one value


def attack(exposure: Exposure) -> list[Attacked]:
    """Both attacks on every published sensitive column."""
    out = []
    for name in exposure.sensitive:
        values = exposure.values(name)
        out.append(_skewness(exposure, name, values))
        groups = similar(exposure, name)
        if groups is not None:
            out.append(_similarity(exposure, name, groups))
    return out


def _skewness(exposure: Exposure, name: str, values: PublishedCodes) -> Attacked:
    held = exposure.held(values)
    overall = np.bincount(held.value, weights=held.times, minlength=held.size) / max(int(held.times.sum()), 1)
    right, control, worst = _guess(exposure, values)
    gain, ratio = _gains(held, overall)
    classes = exposure.classes_of([name])
    reached = TCloseness(name, 1.0).levels(classes)
    return Attacked(
        "skewness",
        "inference",
        "The attacker knows somebody's quasi-identifiers and that they are in the release, and guesses the commonest "
        "value among the records that fit. The baseline is guessing the commonest value of the whole release.",
        int(exposure.released.sum()),
        right,
        baseline=float(overall.max(initial=0.0)),
        column=name,
        control=control,
        bound=_bound(exposure, name, classes.histogram(name).whole),
        worst=worst,
        details={
            "gain_max": float(gain.max(initial=0.0)),
            "ratio_max": float(ratio.max(initial=0.0)),
            "t_reached": _over_classes(reached, exposure.sizes),
            "largest_share": _over_classes(AlphaK(name, 1.0, 1).levels(classes), exposure.sizes),
        },
    )


def _over_classes(levels: NDArray[np.float64], sizes: NDArray[np.int64]) -> dict[str, float]:
    """How a number per class is spread: over classes, and its mean over records."""
    if not len(levels):
        return {}
    median, tenth, most = np.quantile(levels, [0.5, 0.9, 1.0]).tolist()
    return {"median": median, "quantile_90": tenth, "max": most, "mean": float(sizes @ levels / sizes.sum())}


def _guess(exposure: Exposure, values: PublishedCodes) -> tuple[float, float | None, float]:
    """Right guesses of the commonest value around a person; the same for people held back; the surest guess."""
    _, best, most, total = exposure.around(values)
    guess = best[exposure.cells.of_row]
    right = guess == values.codes
    surest = np.where(total > 0, most / np.maximum(total, 1), 0.0)[exposure.released > 0]
    outside = ~exposure.kept & (guess >= 0)
    control = float(right[outside].mean()) if outside.any() else None
    return float(right[exposure.kept].sum()), control, float(surest.max(initial=0.0))


def _gains(held: Held, overall: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Per class and value, how far its share lies above the share in the whole release, and how many times it is."""
    owner = np.repeat(np.arange(len(held.starts) - 1), np.diff(held.starts))
    total = np.bincount(owner, weights=held.times, minlength=len(held.starts) - 1)
    share = held.times / total[owner]
    return share - overall[held.value], share / overall[held.value]


def _bound(exposure: Exposure, name: str, table: Histogram) -> float | None:
    """The surest guess that the promises allow, where they allow no certainty."""
    promised = [model for model in exposure.models if name in model.columns]
    limit = min([1.0, *(float(model.largest_shares(table).max(initial=0.0)) for model in promised)])
    return limit if limit < 1 else None


def similar(exposure: Exposure, name: str) -> PublishedCodes | None:
    """Values that are as good as one: those under one parent of a given hierarchy, or in one narrow interval."""
    column = exposure.people.column(name)
    codes = np.asarray(column.codes, dtype=np.int64)
    if name in exposure.people.hierarchies:
        tree = exposure.people.tree(name)
        level = min(1, tree.height)
        return PublishedCodes(tree.up[level].astype(np.int64)[codes], len(tree.labels[level]))
    if not column.kind.numeric or column.domain.size < 3:
        return None
    places = column.domain.places
    known = places[~np.isnan(places)]
    width = WIDTH * float(np.ptp(known)) or 1.0
    bins = np.where(np.isnan(places), -1, (places - known.min()) // width).astype(np.int64) + 1
    return PublishedCodes(bins[codes], int(bins.max()) + 1)


def _similarity(exposure: Exposure, name: str, groups: PublishedCodes) -> Attacked:
    held = exposure.held(groups)
    overall = np.bincount(held.value, weights=held.times, minlength=held.size)
    right, control, worst = _guess(exposure, groups)
    distinct = exposure.around(groups)[0]
    return Attacked(
        "similarity",
        "inference",
        "As skewness, but values under one parent of the column's hierarchy, or numbers within the same tenth of the "
        "range, count as one: the attacker is content to know them roughly.",
        int(exposure.released.sum()),
        right,
        baseline=float(overall.max(initial=0.0) / max(overall.sum(), 1)),
        column=name,
        control=control,
        worst=worst,
        details={"all_alike": int(exposure.released[distinct == 1].sum())},
    )
