"""Arrays that grow inside kernels, to about twice their length whenever they are full."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.bits import copy
from lookalike.kernels.compiling import making_part


@making_part
def grown(array: Any, needed: Any) -> Any:
    """The array, or a longer one that begins with it where it has less than `needed` entries."""
    if needed <= array.shape[0]:
        return array
    larger = np.empty(needed + array.shape[0], array.dtype)
    for i in range(array.shape[0]):
        larger[i] = array[i]
    return larger


@making_part
def grown_sets(array: Any, needed: Any) -> Any:
    """The same for rows of words."""
    if needed <= array.shape[0]:
        return array
    larger = np.empty((needed + array.shape[0], array.shape[1]), array.dtype)
    for i in range(array.shape[0]):
        copy(array[i], larger[i])
    return larger
