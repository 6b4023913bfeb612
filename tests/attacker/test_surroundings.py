"""The same release whatever surrounds the program: locales, little memory, names that other systems do not like."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.releases.recipes.recipe import Recipe

# the towns differ by case, and a warning says so
_TOLD = pytest.mark.filterwarnings("ignore:.*only by case")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
TOWNS = ["İzmir", "IZMIR", "izmir", "ızmir"]  # four towns, whatever upper and lower case mean where it runs
_JOB = """
    import ctypes, locale, sys
    locale.setlocale(locale.LC_ALL, "")
    print(locale.localeconv()["decimal_point"], chr(ctypes.CDLL(None).towupper(ord("i"))).encode("utf-8"))
    import lookalike as la
    people = la.read(sys.argv[1], quasi=["town", "age"], sensitive=["ill"])
    la.anonymize(people, la.KAnonymity(2), method="local").save(sys.argv[2])
    print(la.verify(sys.argv[2] + "/release.csv", sys.argv[2] + "/certificate.json"))
"""


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    path = tmp_path / "ışık.csv"
    frame = pl.DataFrame({"town": TOWNS * 4, "age": [20, 30] * 8, "ill": ["flu", "cold", "flu", "cıld"] * 4})
    frame.write_csv(path)
    return path


def _run(script: str, *args: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, args)],
        env={**ENVIRONMENT, **environment},
        capture_output=True,
        check=False,
    )


def _turkish(folder: Path) -> dict[str, str]:
    """The Turkish locale, made where the machine has none of its own."""
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.lower()
    if "tr_tr.utf8" in known:
        return {}
    folder.mkdir()
    made = subprocess.run(
        ["localedef", "-i", "tr_TR", "-f", "UTF-8", folder / "tr_TR.UTF-8"], capture_output=True, check=False
    )
    assert (folder / "tr_TR.UTF-8").exists(), made.stderr
    return {"LOCPATH": str(folder)}


@_TOLD
@pytest.mark.skipif(
    shutil.which("localedef") is None, reason="locales are set, and made, as by the GNU C library"
)
@pytest.mark.parametrize("language", ["C", "tr_TR.UTF-8"])
def test_the_same_bytes_come_out_under_every_locale(tmp_path: Path, towns: Path, language: str) -> None:
    places = {} if language == "C" else _turkish(tmp_path / "locales")
    plain = la.anonymize(
        la.read(towns, quasi=["town", "age"], sensitive=["ill"]), la.KAnonymity(2), method="local"
    ).save(tmp_path / "plain")
    run = _run(
        _JOB, towns, tmp_path / "out", LC_ALL=language, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", **places
    )
    assert run.returncode == 0, run.stderr
    said = (
        b". b'I'" if language == "C" else b", b'\\xc4\\xb0'"
    )  # the locale is in effect: a comma, and a dot above I
    assert run.stdout.splitlines()[0] == said
    assert (tmp_path / "out" / "release.csv").read_bytes() == (plain / "release.csv").read_bytes()


@_TOLD
@pytest.mark.parametrize("name", ["town", "ŞEHİR", "şehır"])
def test_turkish_letters_are_told_apart(name: str) -> None:
    """What one letter is in upper and in lower case depends on the language, so no two spellings are ever one."""
    frame = pl.DataFrame({name: TOWNS * 3, "ill": ["flu", "cold", "flu"] * 4})
    assert len(la.table(frame, quasi=[name], others=[]).column(name).domain.texts) == 4


_LITTLE = """
    import resource, sys
    import polars as pl
    import lookalike as la
    from pathlib import Path

    def people(n):
        frame = pl.DataFrame({
            "age": [i * 7919 % 89 for i in range(n)],
            "zip": [f"{i * 104729 % 9973:04d}" for i in range(n)],
            "ill": ["canary-ill-flu", "canary-ill-cold", "canary-ill-ulcer"] * (n // 3),
        })
        return la.table(frame, quasi=["age", "zip"], sensitive=["ill"])

    la.anonymize(people(300), la.KAnonymity(2), suppression=1.0)  # compiled and imported before memory is short
    large = people(300_000)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + int(sys.argv[2]) * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        la.anonymize(large, la.KAnonymity(5), suppression=0.5).save(sys.argv[1])
    except (MemoryError, la.LookalikeError) as problem:
        print(type(problem).__name__, problem)
        sys.exit(3)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits of memory are set as on Linux")
@pytest.mark.parametrize("megabytes", [1, 40])
def test_with_too_little_memory_a_release_is_whole_or_not_there(tmp_path: Path, megabytes: int) -> None:
    run = _run(_LITTLE, tmp_path / "out", megabytes)
    assert run.returncode in (0, 3, -6), run.stderr  # -6: compiled code that gets no memory ends the process
    assert b"canary" not in run.stdout + run.stderr
    if (tmp_path / "out").exists():
        assert la.verify(tmp_path / "out" / "release.csv", tmp_path / "out" / "certificate.json").ok
    elif run.returncode == 3:
        assert list(tmp_path.iterdir()) == []


def test_a_table_of_thousands_of_columns_takes_seconds(tmp_path: Path) -> None:
    """Once 43 seconds at 10,000 columns: whatever looked at all columns for each column."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i}": rng.integers(0, 6, 30).astype(str) for i in range(2_000)})
    frame.write_csv(tmp_path / "wide.csv")
    quasi = ["c0", "c1", "c2"]
    took = {}

    def clock(what: str, began: float) -> None:
        took[what] = time.process_time() - began

    began = time.process_time()
    la.inspect(la.read(tmp_path / "wide.csv", others=[]))
    clock("inspect", began)
    began = time.process_time()
    people = la.read(tmp_path / "wide.csv", quasi=quasi, others=[])
    assert la.risk(people).linked == ()
    clock("risk", began)
    began = time.process_time()
    folder = la.anonymize(people, la.KAnonymity(3), suppression=0.2).save(tmp_path / "out")
    clock("anonymize", began)
    began = time.process_time()
    assert la.verify(folder / "release.csv", folder / "certificate.json").ok
    clock("verify", began)
    began = time.process_time()
    recipe = la.prepare(tmp_path / "wide.csv")
    la.run(recipe, output=tmp_path / "whole")  # all 2,000 are blurred, and the whole battery attacks
    clock("prepare and run", began)
    assert took.pop("prepare and run") < 40
    assert max(took.values()) < 10, took


def test_many_quasi_identifiers_are_attacked_by_a_sample_of_their_sets() -> None:
    """All sets of 15 of 40 columns are 40 billion."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i}": rng.integers(0, 2, 60).astype(str) for i in range(40)})
    people = la.table(frame, quasi=frame.columns)
    release = la.anonymize(people, la.KAnonymity(2), method="mondrian")
    (found,) = la.attack(people, release, only=["partial knowledge"])
    assert found.bound == 0.5
    assert found.worst <= 0.5


_SHORT = """
    import resource, sys
    import lookalike as la
    from lookalike import cli
    from pathlib import Path

    anonymize = la.anonymize

    def with_little(people, *models, **how):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + 64 * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        people.rows.to_numpy().repeat(2**23)  # as any step on a larger table would
        return anonymize(people, *models, **how)

    la.anonymize = with_little
    cli.main()
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits of memory are set as on Linux")
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_command_without_memory_says_what_to_do(tmp_path: Path, form: list[str]) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,ill\n" + "30,canary-flu\n40,canary-cold\n" * 9)
    call = ["anonymize", table, "--quasi", "age", "--sensitive", "ill", "-k", 2, "-o", tmp_path / "out"]
    run = _run(_SHORT, *call, *form)
    assert run.returncode == 2, run.stderr
    assert b"too little memory for this; nothing was written" in run.stderr
    assert b"Traceback" not in run.stderr
    assert b"canary" not in run.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


WINDOWS = [
    "CON",
    "nul.txt",
    "ends.",
    "ends ",
    "back\\slash",
    "for/ward",
    "a:b",
    "..",
    "what?",
    "<pipe|>",
    "ＣＯＮ",
]


def test_names_that_windows_does_not_like_become_no_names_of_files(tmp_path: Path) -> None:
    frame = pl.DataFrame({name: list("xxyy") for name in WINDOWS} | {"ill": list("abab")})
    people = la.table(frame, quasi=WINDOWS, sensitive=["ill"])
    folder = la.anonymize(people, la.KAnonymity(2), method="optimal").save(tmp_path / "out")
    assert la.verify(folder / "release.csv", folder / "certificate.json").ok
    assert la.read_release(folder).columns == [*WINDOWS, "ill"]
    for path in folder.rglob("*"):
        assert set(path.name) & set('\\/:*?"<>|') == set()
        assert path.stem.upper() not in ("CON", "NUL")
        assert path.name == path.name.rstrip(". ")


def test_files_of_a_recipe_have_names_that_every_system_takes(tmp_path: Path) -> None:
    """Also those of columns that differ in nothing but signs, or in upper and lower case."""
    names = [*WINDOWS, "con", "Con", "aux", "COM1", "lpt9", "a*b", "a?b", "x" * 300, " ", "é" * 80]
    levels = la.Hierarchy.rows([[value, "some", "*"] for value in "xy"])
    frame = pl.DataFrame({name: list("xxyy") * 5 for name in names} | {"ill": list("abab") * 5})
    people = la.table(frame, quasi=names, sensitive=["ill"], hierarchies=dict.fromkeys(names, levels))
    path = la.prepare(people).save(tmp_path / "recipe.toml")
    files = [file.name for file in (tmp_path / "hierarchies").iterdir()]
    assert len(files) > 10
    assert len({name.lower() for name in files}) == len(files)
    for name in files:
        assert set(name) & set('\\/:*?"<>| ') == set()
        assert name.partition(".")[0].upper() not in {"CON", "AUX", "NUL", "PRN", "COM1", "LPT9"}
        assert len(name.encode()) <= 255
    read = Recipe.load(path)
    assert {name for name, column in read.columns.items() if column.hierarchy} == {
        name for name, column in la.prepare(people).columns.items() if name in names and not column.drop
    }
