"""The same release whatever surrounds the program: locales, little memory, names that other systems do not like."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
TOWNS = ["İzmir", "IZMIR", "izmir", "ızmir"]  # four towns, whatever upper and lower case mean where it runs
_JOB = """
    import locale, sys
    locale.setlocale(locale.LC_ALL, "")
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


@pytest.mark.parametrize("language", ["C", "tr_TR.UTF-8"])
def test_the_same_bytes_come_out_under_every_locale(tmp_path: Path, towns: Path, language: str) -> None:
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.lower()
    if language != "C" and "tr_tr.utf8" not in known:
        pytest.skip(f"this machine has no locale {language}")
    plain = la.anonymize(
        la.read(towns, quasi=["town", "age"], sensitive=["ill"]), la.KAnonymity(2), method="local"
    ).save(tmp_path / "plain")
    run = _run(_JOB, towns, tmp_path / "out", LC_ALL=language, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "out" / "release.csv").read_bytes() == (plain / "release.csv").read_bytes()


@pytest.mark.parametrize("name", ["town", "ŞEHİR", "şehır"])
def test_turkish_letters_are_told_apart(name: str) -> None:
    """What one letter is in upper and in lower case depends on the language, so no two spellings are ever one."""
    frame = pl.DataFrame({name: TOWNS * 3, "ill": ["flu", "cold", "flu"] * 4})
    assert len(la.table(frame, quasi=[name], others=[]).column(name).domain.texts) == 4


_LITTLE = """
    import resource, sys
    import numpy as np
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
    frame = pl.DataFrame({f"c{i}": rng.integers(0, 6, 30).astype(str) for i in range(4_000)})
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
