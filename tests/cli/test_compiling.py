"""Whoever watches is told when kernels are compiled; where they are found on disk, nothing is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lookalike.cli import _compiling

SCRIPT = """
import numpy as np
import sys
from lookalike.cli._compiling import Compiling
from lookalike.kernels.compiling import tell_compiling
sys.stderr = sys.stdout
tell_compiling(Compiling())
from lookalike.kernels.grouping import group
for kind in (np.int64, np.int32):
    group(np.arange(10, dtype=kind) // 2)
"""


def test_compiling_is_told_once_and_only_on_the_first_use(tmp_path: Path) -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    first, second = told
    assert first.startswith("Compiling for this machine, on first use")
    assert first.count("Compiling") == 1
    assert second == ""


def test_nobody_watches_so_nothing_is_asked_of_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lookalike.kernels.compiling", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    _compiling.announce_compiling()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with pytest.raises(ImportError):
        _compiling.announce_compiling()
