"""Where compiled kernels are kept: a folder of the user's own, under names that say what they were compiled from.

Numba keeps them beside the sources and looks only at the file of the kernel itself. Here the package may be installed
read-only, a changed helper makes its callers anew, and several copies of the package share what they have in common:
the folder of a module is named after a digest of it, of all kernels it imports, and of what compiles them.
Compiled kernels are pickles, and loading one runs it, so a folder that others can write to is never used.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

_PACKAGE = Path(__file__).parent
_IMPORT = re.compile(r"^\s*from lookalike\.kernels(?:\.| import (?=\w+$))([\w.]+)", re.MULTILINE)


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


def folder_of(function: Any) -> Path | None:
    """The folder for the module of a kernel, or None where no folder is safe."""
    folder = cache_folder()
    module = Path(function.__code__.co_filename).relative_to(_PACKAGE).as_posix()
    return folder and folder / digest_of(module)


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
