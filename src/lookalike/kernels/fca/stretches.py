"""Kernels that work in stretches: one stops where an array is full, and goes on in a longer one.

A kernel that made its arrays itself would take twice as long to compile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

COMPLETE, STOPPED, FULL = (
    0,
    1,
    2,
)  # how a stretch ends: nothing is left, a limit was reached, an array is full


class Crosses(NamedTuple):
    """A context of distinct rows."""

    rows: Any  #: as bit sets
    weights: Any  #: objects of each
    everything: Any  #: the set of all attributes


def grown(array: Any, needed: int) -> Any:
    """The array, or one about twice as long that begins with it where it has less than `needed` entries."""
    if needed <= len(array):
        return array
    longer = np.empty((needed + len(array), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
