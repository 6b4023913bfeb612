"""Numba's cache, for kernels: in the folders of `caching`, and loaded without what only compiling needs."""

from __future__ import annotations

import pickle
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from lookalike.kernels.caching import folder_of

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same kernel, and one result is kept
    fcntl = None  # type: ignore[assignment]

_PATIENCE = 60  #: seconds to wait for another process that compiles the same kernel


class _Locator(_CacheLocator):
    """Tells numba the folder and the name for one kernel."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        self._folder = folder_of(function) or Path()

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator:
        return cls(function, file)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name  # a digest of the sources

    def get_disambiguator(self) -> str:
        return str(self._line)


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - as numba has it


class KernelCache(FunctionCache):
    """A cache that helps where it can: a full disk or a damaged file costs time, never the answer.

    Of several processes that miss the same kernel one compiles it, and the others wait for what it keeps.
    """

    _impl_class = _KernelCacheImpl
    _turn: IO[bytes] | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load(sig, target_context)
        if found is None:
            self._turn = _wait_for_turn(Path(self._cache_file._index_path))
            found = self._load(sig, target_context)
            if found is not None:
                self._end_turn()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
            super().save_overload(sig, data)
        self._end_turn()

    def _load(self, sig: Any, target_context: Any) -> Any:
        """As numba does, but without all it knows about Python, NumPy and SciPy, which only compiling needs: 0.4 s."""
        try:
            return self._load_overload(sig, target_context)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return None

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._turn.close()
            self._turn = None


def _wait_for_turn(index: Path) -> IO[bytes] | None:
    """A lock on a kernel's file, or None where there can be none or another process holds it for too long."""
    if fcntl is None:
        return None
    with suppress(OSError):
        index.parent.mkdir(exist_ok=True)
        lock = index.with_suffix(".lock").open("wb")
        for _ in range(_PATIENCE * 20):
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            time.sleep(0.05)
        lock.close()
    return None
