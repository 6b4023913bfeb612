"""Membership: is a known person in the release?

People in the release lie nearer to what is published than others do, if the release says more about its own people than
about the population. The distance is Gower's (1971, https://doi.org/10.2307/2528823) between the person's exact tuple
and the nearest published record, each published value standing for all that it covers; people who fit no record are
farthest. The attack calls near people members (after Shokri et al. 2017, https://doi.org/10.1109/SP.2017.41).
O(people tried x classes x attributes).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import CoveredColumn, Exposure
from lookalike.measures.attacks.results import Attacked

MOST = 2000  #: people tried on each side
_UNFIT = 10.0  #: added to the distance of people who fit no record


def attack(exposure: Exposure, *, seed: int = 0) -> list[Attacked]:
    """Released people against those who are not in the release."""
    outside = exposure.held_back + (0 if exposure.outsiders is None else exposure.outsiders)
    if not outside.any():
        return []
    rng = np.random.default_rng(seed)
    inside = _draw(exposure.released, rng)
    outsiders = _draw(outside, rng)
    tried = np.unique(np.concatenate([inside, outsiders]))
    near = np.full(len(exposure.cells), np.inf)
    near[tried] = distances(exposure, tried)
    near[tried] += _UNFIT * (exposure.candidates[tried] == 0)
    ours, theirs = near[inside], near[outsiders]
    called = {rate: _advantage(ours, theirs, rate) for rate in (0.01, 0.1)}
    presence = min([1.0, *(model.largest_presence for model in exposure.models)])
    fits = exposure.candidates[outsiders] > 0
    return [
        Attacked(
            "membership",
            "singling out",
            "The attacker knows somebody's quasi-identifiers and asks whether they are in the release, calling those "
            "members who lie nearest to a published record, as many as wrongly calls one outsider in ten. The others "
            "are people whose records were held back, and people of the population where there is one. The baseline "
            "is calling by lot.",
            len(inside),
            len(inside) * called[0.1][0],
            baseline=called[0.1][1],
            control=called[0.1][1],
            details={
                "auc": _auc(ours, theirs),
                "advantage_at_1_percent": called[0.01][0] - called[0.01][1],
                "advantage_at_10_percent": called[0.1][0] - called[0.1][1],
                "outsiders": len(outsiders),
                "outsiders_who_fit": float(fits.mean()),
                "members_who_fit": float((exposure.candidates[inside] > 0).mean()),
                "delta_presence": presence if presence < 1 else None,
            },
        )
    ]


def distances(exposure: Exposure, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Gower's distance of each cell to the nearest published record, 0 to 1."""
    from lookalike.kernels import attacks as kernels

    most = max(len(side.inside) for side in exposure.sides)
    offset, parts, codes = [0], [], []
    for side, every in zip(exposure.sides, exposure.cells.codes, strict=True):
        used, place = np.unique(every[cells], return_inverse=True)
        table = np.zeros((len(used), most))
        table[:, : len(side.inside)] = _gower(side, used)
        parts.append(table)
        codes.append(place.ravel())
        offset.append(offset[-1] + len(used))
    labels = np.stack([side.label for side in exposure.sides])
    found = kernels.nearest(np.concatenate(parts), np.array(offset[:-1]), np.stack(codes), labels)
    return np.asarray(found / len(parts))


def _gower(side: CoveredColumn, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Mean distance of some codes to what each label covers: over the range for numbers, 0 or 1 otherwise."""
    share = side.inside / np.maximum(side.inside.sum(axis=1, keepdims=True), 1)
    if not side.domain.kind.ordered:
        return np.asarray(1 - share.T[codes])
    places = side.domain.places
    extent = float(np.nanmax(places) - np.nanmin(places)) if not np.isnan(places).all() else 0.0
    scaled = places / (extent or 1.0)
    inside = np.where(side.inside, scaled, np.nan)
    some = ~np.isnan(inside).all(axis=1)
    lo, hi = np.zeros(len(inside)), np.zeros(len(inside))
    lo[some], hi[some] = np.nanmin(inside[some], axis=1), np.nanmax(inside[some], axis=1)
    x = scaled[codes][:, None]
    width = np.maximum(hi - lo, 1e-12)
    within = ((x - lo) ** 2 + (hi - x) ** 2) / (2 * width)  # of a point to points spread evenly around it
    apart = np.where((x >= lo) & (x <= hi), np.where(hi > lo, within, 0.0), np.abs(x - (lo + hi) / 2))
    missing = np.isnan(places)
    held = share[:, missing].sum(axis=1) > 0
    return np.asarray(np.where(np.isnan(x), ~held, np.where(some, apart, 1.0)))


def _draw(weight: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """The cells of up to MOST people, drawn without favour."""
    cells = np.repeat(np.arange(len(weight)), weight)
    return cells if len(cells) <= MOST else rng.choice(cells, MOST, replace=False)


def _advantage(ours: NDArray[np.float64], theirs: NDArray[np.float64], rate: float) -> tuple[float, float]:
    """Members and outsiders called when at most this share of outsiders may be: equals are called by lot."""
    allowed = rate * len(theirs)
    limit = np.sort(theirs)[int(allowed)] if int(allowed) < len(theirs) else np.inf
    below, at = float((theirs < limit).sum()), float((theirs == limit).sum())
    part = (allowed - below) / at if at else 0.0
    called = float((ours < limit).mean() + part * (ours == limit).mean())
    return called, rate


def _auc(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """The chance that a member lies nearer than an outsider, ties counting half."""
    ordered = np.sort(theirs)
    farther = len(theirs) - np.searchsorted(ordered, ours, side="right")
    ties = np.searchsorted(ordered, ours, side="right") - np.searchsorted(ordered, ours, side="left")
    return float((farther + ties / 2).mean() / len(theirs))
