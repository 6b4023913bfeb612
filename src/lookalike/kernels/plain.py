"""Kernels as numba compiles them itself, by what its documentation promises: slower to start than `lean`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from lookalike.kernels.caching import folder_of


def kernel(function: Callable[..., Any]) -> Any:
    """Compiled on its first call, and kept by numba's own cache: in our folder, or not at all."""
    folder = folder_of(function)
    compiled = numba.njit(nogil=True)(function)
    if folder is None:
        return compiled
    elsewhere, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        compiled.enable_caching()
    finally:
        numba.config.CACHE_DIR = elsewhere
    # who tells numba to look elsewhere (NUMBA_CACHE_LOCATOR_CLASSES) may name a folder that others can write to
    kept = folder in Path(compiled.stats.cache_path).parents
    return compiled if kept else numba.njit(nogil=True)(function)


part = paragraph = kernel
