"""Sensitive values as classes that can be guessed: a few of them, numbers by tenths, the rare ones together."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from lookalike.measures.attacks.exposure import Exposure, PublishedCodes

LARGEST = 24  #: classes; ordered columns with more values are cut at their quantiles
_PARTS = 10


def guessable(exposure: Exposure, name: str) -> PublishedCodes:
    """A code per row, of few enough values to be predicted."""
    values = exposure.values(name)
    present, place = np.unique(values.codes, return_inverse=True)
    if len(present) <= LARGEST:
        return PublishedCodes(place.astype(np.int64), len(present))
    counts = np.bincount(place)
    if exposure.people.column(name).kind.ordered:
        middle = (np.cumsum(counts) - counts / 2) / counts.sum()
        part = (middle * _PARTS).astype(np.int64)
        return PublishedCodes(
            np.unique(part[place], return_inverse=True)[1].astype(np.int64), len(np.unique(part))
        )
    rank = np.empty(len(present), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(present))
    return PublishedCodes(np.minimum(rank, LARGEST - 1)[place], LARGEST)


def privacy_loss(inside: NDArray[np.bool_], outside: NDArray[np.bool_]) -> dict[str, float]:
    """How much more often guesses about the same people are right when they are in what was learnt from; 95 % interval.

    What is learnt without them holds for anybody (Giomi et al. 2023).
    """
    difference = inside.astype(float) - outside
    loss = float(inside.mean()) - float(outside.mean())
    half = 1.96 * float(difference.std()) / sqrt(max(len(inside), 1))
    return {"privacy_loss": loss, "privacy_loss_low": loss - half, "privacy_loss_high": loss + half}
