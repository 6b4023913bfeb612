"""Random numbers inside kernels: a xorshift64* generator whose state the caller holds (Vigna 2016,
https://doi.org/10.1145/2845077)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import part


@part
def draw(state: Any, n: Any) -> Any:
    """The next number of a xorshift generator, in 0 .. n - 1."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.int64(((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % np.uint64(n))
