"""Where compiled kernels are kept: a folder of the user's own, under names that say what they were compiled from.

Numba keeps them beside the sources and looks only at the file of the kernel itself. Here the package may be installed
read-only, a changed helper makes its callers anew, and several copies of the package share what they have in common:
the folder of a module is named after a digest of it, of all kernels it imports, and of what compiles them.
Compiled kernels are pickles, and loading one runs it, so a folder that others can write to is never used.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import re
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _CacheLocator

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same kernel, and one result is kept
    fcntl = None  # type: ignore[assignment]

_PACKAGE = Path(__file__).parent
_PATIENCE = 60  #: seconds to wait for another process that compiles the same kernel
_IMPORT = re.compile(r"^\s*from lookalike\.kernels\.([\w.]+) import", re.MULTILINE)


def cache_of(function: Any) -> Any:
    """Numba's cache for one kernel; one that keeps nothing where no folder is safe."""
    return NullCache() if cache_folder() is None else _KernelCache(function)


@cache
def cache_folder() -> Path | None:
    """The folder for compiled kernels, made if need be: the first that is ours alone, or None."""
    return next((folder for folder in _candidates() if _is_ours(folder)), None)


def _candidates() -> Iterator[Path]:
    """NUMBA_CACHE_DIR where set, the user's cache folder, and a private one among the temporary files."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"]) / "lookalike"
    if sys.platform == "win32":
        if os.environ.get("LOCALAPPDATA"):
            yield Path(os.environ["LOCALAPPDATA"]) / "lookalike" / "kernels"
    elif os.environ.get("XDG_CACHE_HOME"):
        yield Path(os.environ["XDG_CACHE_HOME"]) / "lookalike"
    else:
        home = Path(os.path.expanduser("~"))
        if home.is_absolute():
            yield home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "lookalike"
    user = os.getuid() if hasattr(os, "getuid") else "kernels"
    yield Path(tempfile.gettempdir()) / f"lookalike-{user}"


def _is_ours(folder: Path) -> bool:
    """Whether the folder can be written by this user and by nobody else; it is made where it is missing."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        if not hasattr(os, "getuid"):
            return True
        what = folder.lstat()
        alone = stat.S_ISDIR(what.st_mode) and what.st_uid == os.getuid() and not what.st_mode & 0o022
        return alone and not any(_lets_others_swap(above) for above in folder.resolve().parents)
    except OSError:
        return False


def _lets_others_swap(folder: Path) -> bool:
    """Whether anybody may put another folder in the place of one in here (sticky folders keep each their own)."""
    mode = folder.stat().st_mode
    return bool(mode & 0o002) and not mode & stat.S_ISVTX


@cache
def digest_of(module: str) -> str:
    """Digest of a kernel module (`local/boxes.py`), all kernels it imports, and what compiles them."""
    digest = hashlib.sha256(" ".join(_compilers()).encode())
    for name, text in sorted(_sources(module).items()):
        digest.update(f"\0{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:24]


def _compilers() -> list[str]:
    versions = [numba.__version__, llvmlite.__version__, np.__version__]
    return [*versions, sys.implementation.cache_tag or platform.python_version(), platform.machine()]


def _sources(module: str) -> dict[str, bytes]:
    """The texts of a module and of all kernel modules it imports, directly or not."""
    found: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = (_PACKAGE / name).read_bytes()
            imported = _IMPORT.findall(found[name].decode("utf-8"))
            waiting += [other.replace(".", "/") + ".py" for other in imported]
    return found


class _Locator(_CacheLocator):
    """Tells numba the folder and the name for one kernel."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        self._digest = digest_of(Path(file).relative_to(_PACKAGE).as_posix())

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator:
        return cls(function, file)

    def get_cache_path(self) -> str:
        return str(Path(cache_folder() or "") / self._digest)

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return str(self._line)


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - as numba has it


class _KernelCache(FunctionCache):
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
