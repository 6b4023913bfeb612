"""Compiled kernels are kept in a folder of the user's own, made anew when anything they call changes, and never taken
from where others can write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lookalike.kernels import caching, lean, plain
from lookalike.kernels.grouping import insert
from lookalike.kernels.probing import misfit

KERNELS = Path(caching.__file__).parent
MACHINERY = (
    "caching",
    "compiling",
    "lean",
    "linking",
    "loading",
    "lowering",
    "plain",
    "probing",
    "trial",
)
HELPER = """
from lookalike.kernels.compiling import kernel


@kernel
def helper(x):
    return x + {step}
"""
CALLER = """
from lookalike.kernels.compiling import kernel
from lookalike.kernels.helper import helper


@kernel
def caller(x):
    return 10 * helper(x)
"""
RUN = """
import sys

from numba.core import event

compiled = []


class Listener(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if function.__module__ != "lookalike.kernels.trial":
            compiled.append(function.__name__)

    def on_end(self, event):
        pass


event.register("numba:compile", Listener())
from lookalike.kernels.caller import caller

print(caller(1), *compiled, *(["all of numba"] if "numba.np.linalg" in sys.modules and not compiled else []))
"""


xdg = pytest.mark.skipif(
    bool(misfit()) or sys.platform in ("win32", "darwin"),
    reason="the cache is lean's, and its folder named by XDG_CACHE_HOME",
)


def checkout(folder: Path, *, step: int) -> Path:
    """A copy of the package with two kernels, one calling the other."""
    kernels = folder / "lookalike" / "kernels"
    kernels.mkdir(parents=True, exist_ok=True)
    for name in MACHINERY:
        shutil.copy(KERNELS / f"{name}.py", kernels)
    for empty in (kernels / "__init__.py", kernels.parent / "__init__.py"):
        empty.touch()
    (kernels / "helper.py").write_text(HELPER.format(step=step), encoding="utf-8")
    (kernels / "caller.py").write_text(CALLER, encoding="utf-8")
    return folder


def run(folder: Path, cache: Path) -> list[str]:
    """What a new process answers, and the kernels it compiled."""
    env = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    env |= {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", RUN], env=env, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@xdg
def test_a_changed_helper_makes_its_callers_anew_and_checkouts_share_what_they_have_in_common(
    tmp_path: Path,
) -> None:
    first = checkout(tmp_path / "first", step=1)
    assert run(first, tmp_path / "cache") == ["20", "caller", "helper"]
    assert run(first, tmp_path / "cache") == ["20"]
    assert run(checkout(tmp_path / "second", step=1), tmp_path / "cache") == ["20"]
    checkout(first, step=2)
    assert run(first, tmp_path / "cache") == ["30", "caller", "helper"]
    checkout(first, step=1)
    assert run(first, tmp_path / "cache") == ["20"]


@xdg
def test_a_damaged_cache_costs_time_and_nothing_else(tmp_path: Path) -> None:
    folder = checkout(tmp_path / "first", step=1)
    run(folder, tmp_path / "cache")
    for file in (tmp_path / "cache").rglob("*.nb*"):
        file.write_bytes(file.read_bytes()[:20])
    assert run(folder, tmp_path / "cache")[0] == "20"


@xdg
def test_of_processes_that_start_together_one_compiles_and_the_others_wait(tmp_path: Path) -> None:
    folder = checkout(tmp_path / "first", step=1)
    with ThreadPoolExecutor(3) as starts:
        answers = list(starts.map(lambda _: run(folder, tmp_path / "cache"), range(3)))
    assert sorted(answers) == [["20"], ["20"], ["20", "caller", "helper"]]


def test_a_digest_covers_what_a_module_imports_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout(tmp_path, step=1)
    monkeypatch.setattr(caching, "_PACKAGE", tmp_path / "lookalike" / "kernels")
    monkeypatch.setattr(caching, "digest_of", caching.digest_of.__wrapped__)
    helper, caller = caching.digest_of("helper.py"), caching.digest_of("caller.py")
    with (tmp_path / "lookalike/kernels/caller.py").open("a") as file:
        file.write("# more\n")
    assert caching.digest_of("helper.py") == helper
    assert caching.digest_of("caller.py") != caller


def test_a_digest_covers_what_compiles() -> None:
    assert {f"{name}.py" for name in MACHINERY} <= set(caching._sources("grouping.py"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only candidate for the cache."""
    monkeypatch.setattr(caching, "_candidates", lambda: iter([tmp_path / "cache"]))
    monkeypatch.setattr(caching, "cache_folder", caching.cache_folder.__wrapped__)
    tmp_path.chmod(0o700)
    return tmp_path / "cache"


posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")


@posix
def test_a_new_cache_folder_belongs_to_its_owner_only(folder: Path) -> None:
    assert caching.cache_folder() == folder
    assert folder.stat().st_mode & 0o077 == 0


@posix
@pytest.mark.parametrize("mode", [0o777, 0o722, 0o720])
def test_a_folder_that_others_can_write_to_is_never_used(folder: Path, mode: int) -> None:
    folder.mkdir()
    folder.chmod(mode)
    assert caching.cache_folder() is None


@posix
def test_a_folder_that_others_can_swap_for_theirs_is_never_used(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    folder.parent.chmod(0o777)
    assert caching.cache_folder() is None
    folder.parent.chmod(0o1777)
    assert caching.cache_folder() == folder


@posix
def test_a_link_to_a_folder_is_never_used(folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    assert caching.cache_folder() is None


@posix
def test_somebody_elses_folder_is_never_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    assert caching.cache_folder() is None


def test_where_no_folder_can_be_made_kernels_work_without_one(folder: Path) -> None:
    folder.write_text("a file in the way", encoding="utf-8")
    assert caching.cache_folder() is None
    assert [compiler.kernel(insert.py_func).stats.cache_path for compiler in (lean, plain)] == [None, None]
