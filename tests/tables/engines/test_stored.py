"""Rows that are kept as codes: every value comes back, in an order that says nothing, within the memory allowed."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import subprocess
import sys
from collections import Counter
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.base.errors import FileError, RequestError
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.files.counting import TooWideError, TupleCounter
from lookalike.tables.engines.opening import open_engine
from lookalike.tables.engines.stored.buckets import Buckets
from lookalike.tables.engines.stored.finding import Finder
from lookalike.tables.engines.stored.known_values import KnownValues
from lookalike.tables.engines.stored.packing import Layout, Mixer

QUASI = ["age", "sex"]


def people(n: int = 4000, *, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "person": rng.integers(0, n // 2, n),
            "age": rng.integers(20, 90, n),
            "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
            "disease": [f"d{i}" for i in rng.integers(0, 9, n)],
            "income": np.round(rng.lognormal(8, 1, n), 2),
        }
    )


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", None, "", "é", "a"],
        [3, -7, None, 2**53 + 1, 3],
        [1, 2, None, 1],
        [0.5, -0.0, float("nan"), None, 0.0, 1e300],
        [True, None, False],
        [date(2020, 1, 1), None, date(1900, 2, 3)],
        [datetime(2020, 1, 1, 3), None, datetime(1950, 1, 1)],
        [time(3, 4), None, time(1, 2)],
        [timedelta(days=3), None, timedelta(seconds=1)],
        [Decimal("1.10"), None, Decimal("-3.00")],
        [[1, 2], None, [3]],
        [None, None],
    ],
)
def test_codes_stand_for_the_values_they_came_from(values: list[Any]) -> None:
    series = pl.Series("x", values)
    known = KnownValues.of(series)
    codes = known.codes(series)
    back = pl.concat([known.values, pl.Series("x", [None], dtype=known.values.dtype)]).gather(codes.tolist())
    assert back.equals(series if not series.dtype.is_float() else series + 0.0, null_equal=True)
    assert known.codes(series[:0]).tolist() == []


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (["a"], "b"),
        ([1, 5], 3),
        ([1, 5], 9),
        ([1, 2**60], 7),
        ([0.5], 0.25),
        ([Decimal("1.1")], Decimal("1.2")),
        ([None], 3),
    ],
)
def test_a_value_that_was_not_counted_means_that_the_table_changed(known: list[Any], new: Any) -> None:
    column = pl.Series([new])
    with pytest.raises(FileError, match="changed"):
        KnownValues.of(pl.Series(known, dtype=column.dtype)).codes(column)


@pytest.mark.parametrize("sizes", [[2, 3], [2**31 - 1, 5, 2**31 - 1, 9], [1], [2**31 - 1] * 6])
def test_rows_are_mixed_and_come_back(sizes: list[int]) -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, size, 500) for size in sizes]
    layout, mixer = Layout.of(sizes), Mixer.of(3)
    rows = layout.pack(columns, 500)
    back = mixer.unmix(mixer.mix(rows))
    assert all((layout.unpack(back, i) == column).all() for i, column in enumerate(columns))
    if layout.words == 1 and sizes[0] > 1:
        assert (mixer.mix(rows) != Mixer.of(4).mix(rows)).any()


@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("memory", [1 << 30, 20_000])
def test_buckets_hand_out_every_row_once_and_sorted(words: int, memory: int) -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2**63, (5000, words), dtype=np.uint64)
    rows[:2000, 0] = rows[2000:4000, 0]  # ties are broken by the other words
    buckets = Buckets(5000, words, memory=memory)
    assert (buckets.bits > 0) == (memory < 1 << 20)
    for start in range(0, 5000, 700):
        buckets.put(rows[start : start + 700])
    expected = rows[np.lexsort(rows.T[::-1])]
    for _ in range(2):
        assert np.array_equal(np.concatenate(list(buckets.in_order())), expected)


@pytest.mark.parametrize("sizes", [[5, 7], [2**20, 2**20], [2**31 - 2] * 4])
def test_tuples_are_found_and_no_others(sizes: list[int]) -> None:
    rng = np.random.default_rng(1)
    tuples = np.unique(np.stack([rng.integers(0, min(size, 40), 60) for size in sizes]), axis=1)
    finder = Finder(list(tuples), sizes, tuples.shape[1])
    order = rng.permutation(tuples.shape[1])
    assert finder.find(list(tuples[:, order]), len(order)).tolist() == order.tolist()
    asked = np.stack([rng.integers(0, min(size, 40), 200) for size in sizes])
    there = {tuple(column): i for i, column in enumerate(tuples.T.tolist())}
    assert finder.find(list(asked), 200).tolist() == [there.get(tuple(one), -1) for one in asked.T.tolist()]


@pytest.mark.parametrize("method", ["optimal", "local"])
def test_people_with_several_rows_are_counted_as_in_memory(method: str, tmp_path: Path) -> None:
    rows = people()
    rows.write_parquet(tmp_path / "people.parquet")
    said: dict[str, Any] = {
        "identifiers": ["person"], "quasi": QUASI, "sensitive": ["disease"], "others": [], "unit": "person",
    }  # fmt: skip
    asked: dict[str, Any] = {"method": method, "suppression": 0.2, "linked": {"income": "accept"}}
    near = la.anonymize(la.table(rows, **said), la.KAnonymity(5), **asked)
    far = la.anonymize(tmp_path / "people.parquet", la.KAnonymity(5), **asked, **said)
    for name in ("records", "suppressed", "classes", "k", "loss", "ncp", "levels"):
        assert far.to_dict()[name] == near.to_dict()[name], name
    assert far.certificate["columns"] == near.certificate["columns"]
    out = far.save(tmp_path / "out")
    assert la.verify(out / "release.csv", out / "certificate.json", allow_unknown=True).ok


def test_rounding_and_numbers_are_as_in_memory(tmp_path: Path) -> None:
    rows = people().drop("person")
    rows.write_parquet(tmp_path / "people.parquet")
    said: dict[str, Any] = {"quasi": QUASI, "sensitive": ["disease"], "others": []}
    asked: dict[str, Any] = {
        "method": "optimal", "rounding": {"income": 1000}, "numbers": {"age": "mean"}, "linked": {"income": "accept"},
    }  # fmt: skip
    near = la.anonymize(la.table(rows, **said), la.KAnonymity(20), **asked)
    far = la.anonymize(tmp_path / "people.parquet", la.KAnonymity(20), **asked, **said)
    for format in ("csv", "parquet"):
        out = far.save(tmp_path / format, format=format)
        assert la.verify(out / f"release.{format}", out / "certificate.json").ok
    saved = pl.read_parquet(tmp_path / "parquet" / "release.parquet")
    assert saved.sort(pl.all()).equals(near.rows.sort(pl.all()))


def test_a_linked_column_can_become_a_quasi_identifier(tmp_path: Path) -> None:
    rows = people().drop("person", "income").with_columns(born=2020 - pl.col("age"))
    rows.write_parquet(tmp_path / "people.parquet")
    said: dict[str, Any] = {"quasi": QUASI, "sensitive": ["disease"], "others": []}
    asked: dict[str, Any] = {"method": "optimal", "linked": {"born": "quasi"}}
    near = la.anonymize(la.table(rows, **said), la.KAnonymity(20), **asked)
    far = la.anonymize(tmp_path / "people.parquet", la.KAnonymity(20), **asked, **said)
    assert far.levels == near.levels
    assert (far.loss, far.k, far.suppressed) == (near.loss, near.k, near.suppressed)


def test_equal_tuples_are_dealt_out_by_what_else_rows_hold(tmp_path: Path) -> None:
    rows = people(2000).drop("person")
    files = {
        "there": rows,
        "reversed": rows.reverse(),
        "shuffled": rows.sample(fraction=1, shuffle=True, seed=5),
    }
    saved = {}
    for name, each in files.items():
        each.write_parquet(tmp_path / f"{name}.parquet")
        release = la.anonymize(
            tmp_path / f"{name}.parquet", la.KAnonymity(5), quasi=QUASI, others=[], method="local", seed=1,
            linked={"income": "accept"},
        )  # fmt: skip
        saved[name] = (release.save(tmp_path / f"out-{name}") / "release.csv").read_bytes()
    assert len(set(saved.values())) == 1
    released = pl.read_csv(tmp_path / "out-there" / "release.csv")
    assert Counter(released["income"]) == Counter(rows["income"])


LIMITED = """
import json, sys, warnings
warnings.simplefilter("ignore")
import polars as pl
import lookalike as la
from lookalike.tables.engines.budget import resident
big, limit, out, format = sys.argv[1:]
def release(source, memory, to):
    made = la.anonymize(source, la.KAnonymity(10), quasi=["age", "sex"], others=[], method="optimal", memory=memory,
        linked={"note": "accept"})
    made.save(to, format=format)
read = pl.scan_csv if format == "csv" else pl.scan_parquet
few = read(f"{big}/0.{format}").head(5000).collect()
few.write_csv(f"{out}-few.csv") if format == "csv" else few.write_parquet(f"{out}-few.parquet")
release(f"{out}-few.{format}", "160MB", f"{out}-few")  # what is loaded or compiled once is no part of a table
open("/proc/self/clear_refs", "w").write("5")  # nor is the peak until here
before = resident()
release(big, limit, out)
status = open("/proc/self/status").read()  # getrusage would count the process that started this one
print(json.dumps([before, int(status.partition("VmHWM:")[2].split()[0]) * 1024]))
"""


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the system does not tell what a process takes"
)
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_process_takes_no_more_memory_than_allowed(format: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    notes = pl.Series([f"{i:05x}" * 20 for i in range(20_000)])
    (tmp_path / "big").mkdir()
    n = 280_000
    for part in range(9):
        rows = pl.DataFrame(
            {
                "age": rng.integers(20, 90, n),
                "sex": pl.Series(["f", "m"]).gather(rng.integers(0, 2, n)),
                **{f"x{i}": rng.integers(0, 1000, n) for i in range(4)},
                "note": notes.gather(rng.integers(0, 20_000, n)),
            }
        )
        file = tmp_path / "big" / f"{part}.{format}"
        rows.write_csv(file) if format == "csv" else rows.write_parquet(file)
    whole = rows.estimated_size() * 9
    limit = 208 << 20
    assert limit < 0.65 * whole
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, tmp_path / "big", "208MB", tmp_path / "out", format],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    before, peak = json.loads(done.stdout)
    assert peak - before < limit


def test_a_limit_that_cannot_be_kept_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people().write_parquet(tmp_path / "people.parquet")
    monkeypatch.setattr(Budget, "taken", lambda self: 1 << 40)
    with pytest.raises(RequestError, match="MB may be taken"):
        la.risk(tmp_path / "people.parquet", quasi=QUASI, memory="64MB")


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_full_disk_leaves_nothing_behind(
    format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = people(60_000).drop("person")
    rows.write_parquet(tmp_path / "people.parquet")
    release = la.anonymize(
        tmp_path / "people.parquet", la.KAnonymity(5), quasi=QUASI, others=[], method="optimal",
        linked={"income": "accept"},
    )  # fmt: skip
    old, before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(FileError, match="cannot be written"):
            release.save(tmp_path / "out", format=format)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, old)
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]
    release.save(tmp_path / "out", format=format)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_an_interrupt_leaves_nothing_behind(
    format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people().drop("person").write_parquet(tmp_path / "people.parquet")
    release = la.anonymize(
        tmp_path / "people.parquet", la.KAnonymity(5), quasi=QUASI, others=[], method="optimal",
        linked={"income": "accept"},
    )  # fmt: skip
    whole = type(release.coded)._published

    def interrupted(self: Any, height: int) -> Any:
        yield from whole(self, height)
        raise KeyboardInterrupt

    monkeypatch.setattr(type(release.coded), "_published", interrupted)
    with pytest.raises(KeyboardInterrupt):
        release.save(tmp_path / "out", format=format)
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_a_full_disk_while_sorting_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    buckets = Buckets(100_000, 1, memory=1000)

    class Full:
        def write(self, content: bytes) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    buckets._files[:] = [Full() for _ in buckets._files]  # type: ignore[misc]
    with pytest.raises(FileError, match="TMPDIR"):
        buckets.put(np.arange(5, dtype=np.uint64)[:, None])


def test_rows_on_disk_have_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    buckets = Buckets(100_000, 1, memory=1000)
    buckets.put(np.arange(100_000, dtype=np.uint64)[:, None] << np.uint64(40))
    assert buckets.bits
    assert list(tmp_path.iterdir()) == []


def test_texts_that_share_a_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pl.Series, "hash", lambda self, seed=0: pl.Series([7] * len(self), dtype=pl.UInt64))
    assert KnownValues(pl.Series(["a", "b"])).codes(pl.Series(["b", "a", None])).tolist() == [1, 0, 2]


@pytest.mark.parametrize("room", [1, 10**6])
def test_the_smallest_class_with_a_column_known_is_counted_in_some_classes_or_in_all(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookalike.tables.engines.stored.rows._COUNTS", room)
    rows = people().drop("person", "income").with_columns(pl.col("age") // 30)
    rows.write_parquet(tmp_path / "people.parquet")
    release = la.anonymize(tmp_path / "people.parquet", la.KAnonymity(5), quasi=QUASI, others=[])
    release.save(tmp_path / "out", format="parquet")
    out = pl.read_parquet(tmp_path / "out" / "release.parquet")
    assert release.certificate["known"] == {"disease": out.group_by(*QUASI, "disease").len()["len"].min()}
    assert release.certificate["known"]["disease"] > 1


def test_labels_of_people_left_out_are_not_in_the_file(tmp_path: Path) -> None:
    rows = pl.DataFrame({"town": ["Here"] * 50 + ["There"] * 50 + ["Nowhere"] * 2, "x": ["a", "b"] * 51})
    rows.write_parquet(tmp_path / "people.parquet")
    release = la.anonymize(
        tmp_path / "people.parquet", la.KAnonymity(5), quasi=["town"], others=[], method="levels",
        levels={"town": 0},
    )  # fmt: skip
    assert release.suppressed == 2
    release.save(tmp_path / "out", format="parquet")
    content = (tmp_path / "out" / "release.parquet").read_bytes()
    assert b"There" in content
    assert b"Nowhere" not in content


@pytest.mark.parametrize("pieces", [1, 7, 40])
def test_tuples_of_pieces_are_those_of_all_rows(pieces: int) -> None:
    rng = np.random.default_rng(3)
    rows = pl.DataFrame(
        {
            "text": pl.Series(["a", "b", "", "é", None]).gather(np.sort(rng.integers(0, 5, 2000))),
            "day": pl.Series([date(2020, 1, 1), None, date(1900, 2, 3)]).gather(rng.integers(0, 3, 2000)),
            "many": rng.integers(-(2**60), 2**60, 300)[rng.integers(0, 300, 2000)],
            "nothing": pl.Series([None] * 2000, dtype=pl.String),
        }
    )
    counter = TupleCounter(rows.schema)
    for start in range(0, 2000, -(-2000 // pieces)):
        counter.add(rows[start : start + -(-2000 // pieces)])
    counted = rows.group_by(pl.all()).agg(pl.len().cast(pl.Int64).alias(TIMES))
    assert counter.counted().sort(pl.all()).equals(counted.sort(pl.all()))


def test_tuples_that_no_number_can_tell_apart_are_counted_by_polars(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = pl.DataFrame({f"c{i}": rng.integers(0, 10**6, 3000) for i in range(8)})
    rows.write_parquet(tmp_path / "wide.parquet")
    found = open_engine(tmp_path / "wide.parquet").count(rows.columns)[0]
    assert found.drop(TIMES).sort(pl.all()).equals(rows.unique().sort(pl.all()))
    with pytest.raises(TooWideError):
        TupleCounter(rows.schema).add(rows)
