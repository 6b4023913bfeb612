"""Kernels as numba is made to compile them here: linked, lowered and loaded by the modules of these names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from lookalike.kernels.caching import folder_of
from lookalike.kernels.linking import KernelCompiler, Part
from lookalike.kernels.loading import KernelCache

_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True, "_nrt": False}
_INNER = _OPTIONS | {"nopython": True, "boundscheck": None, "no_cpython_wrapper": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compiled on its first call, and kept in our folder where that is safe."""
    compiled = numba.njit(**_OPTIONS, pipeline_class=KernelCompiler)(function)
    folder = folder_of(function)
    if folder is not None:
        stored = KernelCache(function)
        # who tells numba to look elsewhere (NUMBA_CACHE_LOCATOR_CLASSES) may name a folder that others can write to
        if stored.cache_path == str(folder):
            compiled._cache = stored
    return compiled


def part(function: Callable[..., Any]) -> Any:
    """Compiled into the kernels that call it."""
    return Part(function, _INNER)


def paragraph(function: Callable[..., Any]) -> Any:
    """Put into the kernel that calls it before anything is compiled."""
    return Part(function, _INNER | {"inline": "always"})
