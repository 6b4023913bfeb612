"""Kernels work with a numba that is not as expected: slower to start, with the same bytes, kept as safely."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import warnings
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest
from numba.core import caching as numbas
from numba.core.codegen import CPUCodegen

from lookalike.kernels import caching, compiling, linking, loading, lowering, plain, probing, trial
from lookalike.kernels.grouping import insert

RUN = """
import sys
import lookalike as la
from lookalike import datasets

people = datasets.population(200, 0).select("area", "age", "gender")
release = la.anonymize(people, la.KAnonymity(3), quasi=["area", "age", "gender"], suppression=0.2, method="mondrian")
release.save(sys.argv[1])
"""


def release(folder: Path, **env: str) -> bytes:
    """The bytes that a new process releases."""
    subprocess.run([sys.executable, "-c", RUN, folder], env={**os.environ, **env}, check=True)
    return (folder / "release.csv").read_bytes()


def test_the_plain_compiler_releases_the_same_bytes_and_keeps_what_it_compiled_in_our_folder(
    tmp_path: Path,
) -> None:
    lean = release(tmp_path / "lean")
    kept = tmp_path / "cache"
    assert release(tmp_path / "plain", LOOKALIKE_COMPILER="plain", NUMBA_CACHE_DIR=str(kept)) == lean
    assert list((kept / "lookalike").rglob("mondrian.*.nbc"))
    assert [path.name for path in kept.iterdir()] == ["lookalike"]
    assert not (kept / "lookalike").stat().st_mode & 0o022


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(caching, "cache_folder", lambda: tmp_path)
    return tmp_path


def test_the_plain_compiler_keeps_nothing_where_numba_would_look_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folder in Path(plain.kernel(insert.py_func).stats.cache_path).parents
    monkeypatch.setattr(numbas.CacheImpl, "_locator_classes", [numbas.UserWideCacheLocator])
    assert plain.kernel(insert.py_func).stats.cache_path is None


fits = pytest.mark.skipif(bool(probing.misfit()), reason="the installed numba is not as expected")


@fits
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("numba.core.lowering.Lower.storevar", "self value"), ("numba.core.lowering.Lower.gone", "self")],
)
def test_a_changed_or_missing_method_is_noticed(
    name: str, parameters: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(probing.EXPECTED, name, parameters)
    assert name.rpartition(".")[2] in probing.misfit()


@fits
def test_another_optimiser_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CPUCodegen, "_module_pass_manager", lambda self: object())
    assert "optimiser" in probing.misfit()


@fits
@pytest.mark.parametrize("wrong", [lambda *_: 0, lambda: None])
def test_a_kernel_that_gives_something_else_or_fails_is_noticed(
    wrong: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong.py_func = trial.weigh_rows.py_func  # type: ignore[attr-defined]
    monkeypatch.setattr(trial, "weigh_rows", wrong)
    assert probing.misfit()


@fits
def test_every_method_of_numba_that_is_replaced_is_expected() -> None:
    expected = [
        (resolve_name(owner), method) for owner, _, method in (n.rpartition(".") for n in probing.EXPECTED)
    ]
    classes = [
        ours
        for module in (linking, loading, lowering)
        for ours in vars(module).values()
        if inspect.isclass(ours) and ours.__module__ == module.__name__
    ]
    for ours in classes:
        for method, member in vars(ours).items():
            replaces = any(
                method in vars(base) for base in ours.__mro__[1:] if base.__module__.startswith("numba.")
            )
            if inspect.isfunction(member) and replaces and method != "__eq__":
                assert any(
                    issubclass(ours, owner) and method == name
                    for owner, name in expected
                    if inspect.isclass(owner)
                ), (ours, method)


def test_what_is_not_as_expected_is_told_once_and_only_to_who_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LOOKALIKE_COMPILER", raising=False)
    monkeypatch.setattr(probing, "misfit", lambda: "Lower.storevar takes something else")
    monkeypatch.setattr(compiling.event, "register", lambda kind, listener: listeners.append(listener))
    listeners: list[compiling._Notice] = []
    assert compiling._compiler.__wrapped__() is plain
    with pytest.warns(RuntimeWarning, match=r"Lower\.storevar takes something else.*Results are the same"):
        listeners[0].tell("first")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        listeners[0].tell("second")


def test_the_trial_does_what_python_does() -> None:
    sums = trial.Sums(np.zeros(1), np.zeros(1))
    assert trial.weigh_rows.py_func(np.array([[2.0, -1.0]]), np.array([3, 5]), sums) == 0
    assert (*sums.of_rows, *sums.of_all) == (6.0, 6.0)
