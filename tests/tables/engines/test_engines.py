"""Wherever the rows are, the answers are those of the table in memory, to the last digit."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.base.errors import FileError, GuaranteeError, RequestError
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.engines.budget import Budget
from lookalike.tables.engines.databases.duck import Duck
from lookalike.tables.engines.engine import TIMES, Places
from lookalike.tables.engines.opening import open_engine, read_memory
from lookalike.tables.engines.stored.rows import store_rows
from lookalike.tables.sources.frames import stays_there

# these tables hold values that differ by blanks and case, which every engine has to tell apart
pytestmark = pytest.mark.filterwarnings("ignore:.*from another one only by")

QUASI = ["age", "sex", "zip"]
SAID: dict[str, Any] = {"quasi": QUASI, "sensitive": ["disease"], "others": []}


def people(n: int = 3000, *, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    zips = np.array(["04177", "04109 ", "04109", "o4177", "O4177", 'München, "Süd"', "a\nb"])
    return pl.DataFrame(
        {
            "age": pl.Series(rng.integers(20, 60, n)).set(pl.Series(rng.random(n) < 0.02), None),
            "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
            "zip": zips[rng.integers(0, len(zips), n)],
            "disease": [None if i % 50 == 0 else f"d{i % 7}" for i in rng.integers(0, 1000, n)],
            "note": [f"{i:x}" * 20 for i in rng.integers(0, 9, n)],
            "paid": rng.integers(-90, 90, n) / 8,
        }
    )


def in_csv(rows: pl.DataFrame, folder: Path) -> Any:
    rows.write_csv(folder / "people.csv")
    return folder / "people.csv"


def in_gzip(rows: pl.DataFrame, folder: Path) -> Any:
    with gzip.open(folder / "people.csv.gz", "wb") as file:
        rows.write_csv(file)
    return folder / "people.csv.gz"


def in_zstd(rows: pl.DataFrame, folder: Path) -> Any:
    zstandard = pytest.importorskip("zstandard")
    (folder / "people.csv.zst").write_bytes(zstandard.compress(rows.write_csv().encode()))
    return folder / "people.csv.zst"


def in_parts(rows: pl.DataFrame, folder: Path) -> Any:
    (folder / "parts").mkdir()
    for i in range(3):
        rows[i * 1000 : (i + 1) * 1000].write_csv(folder / "parts" / f"{i}.csv")
    return folder / "parts"


def in_parquet(rows: pl.DataFrame, folder: Path) -> Any:
    rows.write_parquet(folder / "people.parquet", row_group_size=500)
    return folder / "people.parquet"


def in_pattern(rows: pl.DataFrame, folder: Path) -> Any:
    for i in range(3):
        rows[i * 1000 : (i + 1) * 1000].write_parquet(folder / f"part-{i}.parquet")
    return str(folder / "part-*.parquet")


def in_relation(rows: pl.DataFrame, folder: Path) -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().from_arrow(rows.to_arrow())


def in_database(rows: pl.DataFrame, folder: Path) -> Any:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.from_arrow(rows.to_arrow()).create("people")
    return folder / "people.duckdb"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server of its own, on a free port, with a private data folder."""
    pytest.importorskip("adbc_driver_postgresql")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or [Path(shutil.which("initdb") or "/").parent]
    programs = found[-1]
    if not (programs / "initdb").exists():
        pytest.skip("no PostgreSQL server is installed here")
    as_whom: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="lookalike-postgres-"))
    if os.geteuid() == 0:  # it refuses to run as root
        as_whom = {"user": "nobody", "group": "nogroup"}
        shutil.chown(folder, "nobody", "nogroup")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet: dict[str, Any] = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "cwd": "/",
        **as_whom,
    }
    data = folder / "data"
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True,
        **quiet,
    )
    running = subprocess.Popen(
        [
            programs / "postgres",
            "-D",
            data,
            "-p",
            str(port),
            "-k",
            folder,
            "-c",
            "listen_addresses=127.0.0.1",
            "-F",
        ],
        **quiet,
    )
    address = f"postgresql://tester@127.0.0.1:{port}/postgres"
    try:
        for _ in range(100):
            if not subprocess.run(
                [programs / "pg_isready", "-p", str(port), "-h", "127.0.0.1"], **quiet
            ).returncode:
                break
            time.sleep(0.1)
        yield address
    finally:
        running.send_signal(signal.SIGINT)  # without waiting for those who are still connected
        running.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def in_postgres(rows: pl.DataFrame, folder: Path) -> Any:
    from adbc_driver_postgresql import dbapi

    address = (folder / "server").read_text()
    with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS people")
        cursor.adbc_ingest("people", rows.to_arrow(), mode="create")
    return address


def in_spark(rows: pl.DataFrame, folder: Path) -> Any:
    from pyspark.sql import SparkSession

    rows.write_parquet(folder / "people.parquet")
    session = SparkSession.getActiveSession()
    assert session is not None
    return session.read.parquet(str(folder / "people.parquet"))


@pytest.fixture(autouse=True)
def _address(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Start the server, or Spark, only for tests that need it."""
    put = request.node.callspec.params.get("put") if getattr(request.node, "callspec", None) else None
    if put is in_postgres:
        (tmp_path / "server").write_text(request.getfixturevalue("server"))
    if put is in_spark:
        request.getfixturevalue("spark")


TEXT = [in_csv, in_gzip, in_zstd, in_parts]
TYPED = [in_parquet, in_pattern, in_relation, in_database, in_postgres, in_spark]
Put = Callable[[pl.DataFrame, Path], Any]


def near(put: Put, rows: pl.DataFrame, folder: Path, **said: Any) -> la.Table:
    """The same rows in memory, read as the source holds them: as text, or with their types."""
    if put in TYPED:
        return la.table(rows, **said)
    rows.write_csv(folder / "near.txt")
    return la.read(folder / "near.txt", **said)


def far(source: Any, **said: Any) -> la.Table:
    """The table of rows that stay where they are."""
    if stays_there(source):
        return la.table(source, memory="64MB", **said)
    table = "people" if str(source).endswith((".duckdb", "/postgres")) else None
    return la.read(source, memory="64MB", table=table, **said)


def counted(source: Any, **said: Any) -> la.Table:
    """The same, with its tuples counted."""
    seen = far(source, **said)
    seen.take_tuples()
    return seen


def told(release: la.Release) -> tuple[dict[str, Any], dict[str, Any]]:
    numbers = {name: value for name, value in release.to_dict().items() if name != "seconds"}
    return numbers, {name: value for name, value in release.certificate.items() if name != "recoding"}


@pytest.mark.parametrize("put", [*TEXT, *TYPED])
def test_risk_is_the_same_everywhere(put: Put, tmp_path: Path) -> None:
    rows = people()
    expected = la.risk(near(put, rows, tmp_path, **SAID))
    found = la.risk(far(put(rows, tmp_path), **SAID))
    assert found.to_dict() == expected.to_dict()
    assert found.special.to_dict() == expected.special.to_dict()


@pytest.mark.parametrize("put", [*TEXT, in_parquet, in_pattern, in_relation, in_spark])
def test_inspect_proposes_the_same_everywhere(put: Put, tmp_path: Path) -> None:
    rows = people()
    expected = la.inspect(near(put, rows, tmp_path, others=[])).to_dict()
    assert la.inspect(put(rows, tmp_path)).to_dict() == expected


def test_inspect_says_when_it_looks_at_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.tables.table.LOOKED_AT", 500)
    with pytest.warns(la.LookalikeWarning, match="of 3,000 rows were looked at"):
        seen = la.inspect(in_csv(people(), tmp_path))
    assert 300 < seen.records < 700


@pytest.mark.parametrize("put", [*TEXT, *TYPED])
@pytest.mark.parametrize("method", ["optimal", "datafly"])
def test_a_release_is_the_same_everywhere(
    put: Put, method: str, tmp_path: Path, expected_bytes: dict[Any, bytes]
) -> None:
    rows = people()
    models = [la.KAnonymity(5), la.LDiversity("disease", 2)]
    asked: dict[str, Any] = {"method": method, "linked": {"note": "accept", "paid": "accept"}}
    expected = la.anonymize(near(put, rows, tmp_path, **SAID), *models, **asked)
    found = la.anonymize(far(put(rows, tmp_path), **SAID), *models, **asked)
    assert told(found) == told(expected)
    for format in ("csv", "parquet"):
        out = found.save(tmp_path / format, format=format)
        assert la.verify(out / f"release.{format}", out / "certificate.json").ok
        saved = (
            pl.read_csv(out / "release.csv", infer_schema=False)
            if format == "csv"
            else pl.read_parquet(out / "release.parquet")
        )
        plain = expected.rows.select(pl.all().cast(pl.String)) if format == "csv" else expected.rows
        assert saved.sort(pl.all()).equals(plain.select(saved.columns).sort(pl.all()))
    family, written = (method, put in TYPED), (tmp_path / "csv" / "release.csv").read_bytes()
    assert expected_bytes.setdefault(family, written) == written


@pytest.mark.parametrize("put", [*TEXT, *TYPED])
@pytest.mark.parametrize("method", ["local", "mondrian", "sangreea"])
def test_methods_that_split_tuples_decide_the_same_everywhere(
    put: Put, method: str, tmp_path: Path, expected_bytes: dict[Any, bytes]
) -> None:
    rows = people().select("note", *QUASI, "paid", "disease")
    models = [la.KAnonymity(5), la.LDiversity("disease", 2)]
    asked: dict[str, Any] = {"method": method, "linked": {"note": "accept", "paid": "accept"}, "seed": 4}
    expected = la.anonymize(near(put, rows, tmp_path, **SAID), *models, **asked)
    found = la.anonymize(far(put(rows, tmp_path), **SAID), *models, **asked)
    assert found.recoding.to_dict() == expected.recoding.to_dict()
    assert told(found) == told(expected)
    here, there = ([each["groups"] for each in r.evidence.original["who_pays"]] for r in (expected, found))
    assert here
    for mine, theirs in zip(chain(*here), chain(*there), strict=True):
        assert mine["loss"] == pytest.approx(
            theirs["loss"]
        )  # of the class each record is in, not of any that fits
    out = found.save(tmp_path / "out")
    assert la.verify(out / "release.csv", out / "certificate.json").ok
    saved = pl.read_csv(out / "release.csv", infer_schema=False)
    plain = expected.rows.select(pl.all().cast(pl.String)).select(saved.columns)
    assert saved.sort(pl.all()).equals(plain.sort(pl.all()))
    assert not (out / "private" / "assignment.json").exists()
    family, written = (method, put in TYPED), (out / "release.csv").read_bytes()
    assert expected_bytes.setdefault(family, written) == written


@pytest.fixture(scope="module")
def expected_bytes() -> dict[Any, bytes]:
    """What the first engine wrote, for the others to be compared with."""
    return {}


@pytest.mark.parametrize("put", [*TEXT, in_parquet, in_pattern, in_relation, in_spark])
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_new_rows_are_recoded_the_same_everywhere(put: Put, method: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"method": method, "linked": {"note": "accept", "paid": "accept"}}
    models = [la.KAnonymity(5), la.LDiversity("disease", 2)]
    first = la.anonymize(near(put, people(), tmp_path, **SAID), *models, **asked)
    first.save(tmp_path / "first", format="parquet" if put in TYPED else "csv")
    rows = people(3000, seed=1).with_columns(
        age=pl.when(pl.int_range(pl.len()) % 500 == 7).then(900).otherwise("age"),
        zip=pl.when(pl.int_range(pl.len()) % 400 == 9).then(pl.lit("unheard of")).otherwise("zip"),
    )
    new = rows if put in TYPED else pl.read_csv(rows.write_csv().encode(), infer_schema=False)
    expected = la.apply(tmp_path / "first", new, suppression=0.5)
    found = la.apply(tmp_path / "first", put(rows, tmp_path), suppression=0.5, memory="64MB")
    assert found.held_back == expected.held_back
    assert found.unseen == expected.unseen
    numbers = {
        n: v
        for n, v in expected.to_dict().items()
        if n not in ("seconds", "loss", "ncp", "outcomes", "drift")
    }
    assert {name: found.to_dict()[name] for name in numbers} == numbers
    assert found.loss == pytest.approx(expected.loss)
    assert found.drift == pytest.approx(expected.drift)
    out = found.save(tmp_path / "next")
    assert la.verify(out / "release.csv", out / "certificate.json").ok
    saved = pl.read_csv(out / "release.csv", infer_schema=False)
    plain = expected.rows.select(pl.all().cast(pl.String)).select(saved.columns)
    assert saved.sort(pl.all()).equals(plain.sort(pl.all()))
    with pytest.raises(GuaranteeError, match="held back"):
        la.apply(tmp_path / "first", put_again(put, rows, tmp_path), suppression=0)


@pytest.mark.parametrize("put", [*TEXT, *TYPED])
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_new_rows_join_a_release_the_same_everywhere(
    put: Put, method: str, format: str, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {"method": method, "linked": {"note": "accept", "paid": "accept"}}
    models = [la.KAnonymity(5), la.LDiversity("disease", 2)]
    first = la.anonymize(near(put, people(), tmp_path, **SAID), *models, **asked)
    first.save(tmp_path / "first", format=format)
    rows = people(3000, seed=1).with_columns(
        age=pl.when(pl.int_range(pl.len()) % 500 == 7).then(900).otherwise("age"),
        zip=pl.when(pl.int_range(pl.len()) % 400 == 9).then(pl.lit("unheard of")).otherwise("zip"),
    )
    new = rows if put in TYPED else pl.read_csv(rows.write_csv().encode(), infer_schema=False)
    expected = la.apply(tmp_path / "first", new, joins=True, suppression=0.5)
    there = put(rows, tmp_path)
    there = far(there, **SAID) if put in (in_database, in_postgres) else there
    found = la.apply(tmp_path / "first", there, joins=True, suppression=0.5, memory="64MB")
    assert (found.joined, found.held_back, found.unseen) == (
        first.coded.height,
        expected.held_back,
        expected.unseen,
    )
    assert found.summary == expected.summary
    for name, value in expected.to_dict().items():
        if name not in ("seconds", "loss", "ncp", "outcomes", "drift"):
            assert found.to_dict()[name] == value, name
    assert found.loss == pytest.approx(expected.loss)
    assert found.drift == pytest.approx(expected.drift)
    for name in ("promise", "achieved", "columns", "known", "meanings"):
        assert found.certificate[name] == expected.certificate[name], name
    out = found.save(tmp_path / "both")
    assert la.verify(out / "release.csv", out / "certificate.json").ok
    saved = pl.read_csv(out / "release.csv", infer_schema=False)
    plain = expected.rows.select(pl.all().cast(pl.String)).select(saved.columns)
    assert saved.sort(pl.all()).equals(plain.sort(pl.all()))
    with pytest.raises(GuaranteeError, match="held back"):
        la.apply(tmp_path / "first", put_again(put, rows, tmp_path), joins=True, suppression=0)


@pytest.mark.parametrize("put", [in_csv, in_parquet, in_relation, in_spark])
def test_new_rows_of_people_join_a_release_that_is_not_in_memory(put: Put, tmp_path: Path) -> None:
    """People who are in both months count once, and who breaks a promise goes with all new rows."""
    who = [f"p{i % 700}" for i in range(3000)]
    said: dict[str, Any] = {**SAID, "unit": "who", "others": ["who"]}
    asked: dict[str, Any] = {
        "method": "optimal",
        "linked": {"note": "accept", "paid": "accept", "who": "accept"},
        "suppression": 0.6,
    }
    old, new = (
        people().with_columns(who=pl.Series(who)),
        people(seed=1).with_columns(who=pl.Series(who[::-1])),
    )
    (tmp_path / "new").mkdir()
    first = la.anonymize(near(put, old, tmp_path, **said), la.KAnonymity(4), **asked)
    away = la.anonymize(far(put(old, tmp_path), **said), la.KAnonymity(4), **asked)
    rows = new if put in TYPED else pl.read_csv(new.write_csv().encode(), infer_schema=False)
    expected = la.apply(first, rows, joins=True, suppression=0.9)
    assert expected.held_back["in a class that would break the promise"] > 0
    found = la.apply(away, put(new, tmp_path / "new"), joins=away, suppression=0.9, memory="64MB")
    assert found.held_back == expected.held_back
    assert (found.k, found.classes, found.joined) == (expected.k, expected.classes, expected.joined)
    assert found.certificate["known"] == expected.certificate["known"]
    out = found.save(tmp_path / "both")
    saved = pl.read_csv(out / "release.csv", infer_schema=False)
    plain = expected.rows.select(pl.all().cast(pl.String)).select(saved.columns)
    assert saved.sort(pl.all()).equals(plain.sort(pl.all()))


def put_again(put: Put, rows: pl.DataFrame, folder: Path) -> Any:
    (folder / "again").mkdir(exist_ok=True)
    if put in (in_database, in_postgres):
        (folder / "again" / "server").write_text(
            (folder / "server").read_text() if put is in_postgres else ""
        )
        return far(put(rows, folder / "again"), **SAID)
    return folder / "parts" if put is in_parts else put(rows, folder / "again")


def odd_values() -> pl.DataFrame:
    moment = datetime(2024, 3, 1, 12, 30, 15, 250, tzinfo=UTC)
    return pl.DataFrame(
        {
            "number": [0.0, -0.0, float("nan"), None, 1e300, 1.5, 1.5, float("nan")] * 4,
            "whole": [2**53, 2**53 + 1, None, -1, 2**53, 2**53 + 1, 7, -1] * 4,
            "money": pl.Series(
                [Decimal("1.10"), Decimal("-3"), None, Decimal("0")] * 8, dtype=pl.Decimal(12, 2)
            ),
            "day": [date(1900, 1, 1), None, date(2024, 2, 29), date(2024, 2, 29)] * 8,
            "moment": [moment, moment + timedelta(days=1), None, moment] * 8,
            "yes": [True, False, None, True] * 8,
            "text": ["a", "A", "a ", "x" * 5000, None, "", "é", "é"] * 4,
            "kind": pl.Series(["p", "q", None, "p"] * 8, dtype=pl.Categorical),
        }
    )


@pytest.mark.parametrize("put", TYPED)
@pytest.mark.parametrize("name", odd_values().columns)
def test_odd_values_are_told_apart_alike(put: Put, name: str, tmp_path: Path) -> None:
    rows = odd_values()
    said: dict[str, Any] = {"quasi": [name], "others": []}
    expected = la.risk(la.table(rows, **said)).to_dict()
    source = put(pl.concat([rows] * 94)[:3000], tmp_path) if put is in_pattern else put(rows, tmp_path)
    if put is in_pattern:
        expected = la.risk(la.table(pl.concat([rows] * 94)[:3000], **said)).to_dict()
    assert la.risk(far(source, **said)).to_dict() == expected


@pytest.mark.parametrize("put", TYPED)
def test_no_release_has_two_zeros(put: Put, tmp_path: Path) -> None:
    rows = pl.DataFrame({"a": [1, 2] * 1500, "other": [-0.0, -0.0, 0.0, 0.0, 1.5, None] * 500})
    said: dict[str, Any] = {"quasi": ["a"], "others": ["other"]}
    here = la.anonymize(la.table(rows, **said), la.KAnonymity(2), method="optimal")
    there = la.anonymize(far(put(rows, tmp_path), **said), la.KAnonymity(2), method="optimal")
    for i, release in enumerate((here, there)):
        saved = release.save(tmp_path / f"out-{i}") / "release.csv"
        assert set(pl.read_csv(saved, infer_schema=False)["other"]) == {"0.0", "1.5", None}
        assert la.verify(saved, saved.parent / "certificate.json").ok
    assert here.certificate["columns"] == there.certificate["columns"]


def test_verbs_take_the_names_of_files_and_relations(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = people()
    path = in_parquet(rows, tmp_path)
    expected = la.risk(rows, quasi=QUASI).to_dict()
    assert la.risk(str(path), quasi=QUASI).to_dict() == expected
    assert la.risk(str(tmp_path / "*.parquet"), quasi=QUASI, memory="64MB").to_dict() == expected
    relation = duckdb.connect().from_arrow(rows.drop("note", "paid").to_arrow())
    assert la.risk(relation, quasi=QUASI).to_dict() == expected
    release = la.anonymize(relation, la.KAnonymity(5), **SAID)
    assert release.frame.columns == ["age", "sex", "zip", "disease"]
    assert la.risk(release.frame, quasi=QUASI).k >= 5


def test_the_order_of_rows_says_nothing_of_the_original(tmp_path: Path) -> None:
    rows = people().drop("note", "paid")
    saved = []
    for i, each in enumerate((rows, rows.reverse())):
        (tmp_path / str(i)).mkdir()
        release = la.anonymize(far(in_csv(each, tmp_path / str(i)), **SAID), la.KAnonymity(5), seed=3)
        saved.append((release.save(tmp_path / str(i) / "out") / "release.csv").read_bytes())
    assert saved[0] == saved[1]


def test_pieces_end_where_records_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = people(20_000)
    engine = open_engine(in_csv(rows, tmp_path), memory="64MB")
    object.__setattr__(engine, "budget", Budget(1 << 21))
    monkeypatch.setattr(Budget, "left", lambda self: self.bytes)
    pieces = [
        pl.DataFrame([found.series(name) for name, found in piece.items()])  # type: ignore[union-attr]
        for piece in engine.pieces(rows.columns)
    ]
    assert len(pieces) > 5
    assert pl.concat(pieces).equals(pl.read_csv(tmp_path / "people.csv", infer_schema=False))


def test_a_broken_line_is_named_by_its_number_in_the_file(tmp_path: Path) -> None:
    lines = ["age,sex,zip", *["30,f,1"] * 200_000, "30,f", *["30,f,1"] * 10]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(FileError, match=r"line 200002: 2 fields"):
        counted(tmp_path / "people.csv", quasi=QUASI)


@pytest.mark.parametrize("put", [in_csv, in_parquet])
def test_a_file_that_changes_after_counting_is_not_released(put: Put, tmp_path: Path) -> None:
    rows = people()
    path = put(rows, tmp_path)
    seen = counted(path, **SAID)
    put(rows[:2000], tmp_path)
    with pytest.raises(FileError, match="changed"):
        la.anonymize(seen, la.KAnonymity(5), method="optimal")
    path.unlink()
    with pytest.raises(FileError, match="Nothing was released"):
        la.anonymize(seen, la.KAnonymity(5), method="optimal")


def test_a_relation_that_changes_before_saving_leaves_nothing_behind(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.from_arrow(people().drop("note", "paid").to_arrow()).create("people")
    release = la.anonymize(connection.table("people"), la.KAnonymity(5), **SAID)
    connection.execute("DELETE FROM people WHERE age = 30")
    with pytest.raises(FileError, match="changed"):
        release.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_relation_is_looked_at_before_and_after_each_step_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    duckdb = pytest.importorskip("duckdb")
    passes, look = [], Duck.fingerprint
    monkeypatch.setattr(Duck, "fingerprint", lambda self: passes.append(1) or look(self))
    relation = duckdb.connect().from_arrow(people().drop("note", "paid").to_arrow())
    la.risk(relation, **SAID)
    assert len(passes) == 2  # before it is counted, and after
    passes.clear()
    la.anonymize(relation, la.KAnonymity(5), **SAID)
    assert len(passes) == 3  # and after rows were recoded


def test_a_promise_that_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    seen = far(in_csv(people(), tmp_path), **SAID)
    with pytest.raises(GuaranteeError, match="cannot be kept"):
        la.anonymize(seen, la.KAnonymity(50), method="levels", levels={}, suppression=0)


def test_too_many_tuples_are_refused_with_the_column_to_coarsen(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="'age' has most values"):
        counted(in_csv(people(), tmp_path), most=10, **SAID)


def test_columns_that_undo_the_promise_are_refused_from_a_sample(tmp_path: Path) -> None:
    rows = people().with_columns(code=pl.col("zip").rank("dense")).drop("note", "paid")
    seen = far(in_csv(rows, tmp_path), **SAID)
    levels = {"age": seen.tree("age").height - 1, "zip": seen.tree("zip").height}
    with pytest.raises(GuaranteeError, match="undone by its own columns"):
        la.anonymize(seen, la.KAnonymity(100), method="levels", levels=levels)


@pytest.mark.parametrize("put", [in_csv, in_gzip, in_parts, in_parquet, in_pattern])
def test_progress_grows_to_the_end(put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = people(3000)
    engine = open_engine(put(rows, tmp_path), memory="64MB")
    monkeypatch.setattr(Budget, "left", lambda self: 1 << 19)
    seen: list[tuple[int, float]] = []
    list(engine.pieces(rows.columns, on_rows=lambda n, share: seen.append((n, share))))
    assert sum(n for n, _ in seen) == 3000
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0) or put is in_gzip
    shown: list[float] = []
    (tmp_path / "more").mkdir()
    far_away = far(put(rows, tmp_path / "more"), **SAID)
    asked: dict[str, Any] = {"linked": {"note": "accept", "paid": "accept"}, "method": "optimal"}
    la.anonymize(far_away, la.KAnonymity(5), progress=shown.append, **asked)
    assert shown[-1] == 1.0


def test_sources_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        la.read(tmp_path / "nothing*.csv", **SAID)
    in_csv(people(), tmp_path)
    in_parquet(people(), tmp_path)
    with pytest.raises(FileError, match="text and parquet"):
        la.read(tmp_path, **SAID)
    (tmp_path / "x.duckdb").write_bytes(b"")
    with pytest.raises(RequestError, match="Say which `table`"):
        la.read(tmp_path / "x.duckdb", **SAID)


def test_files_with_other_columns_are_not_one_table(tmp_path: Path) -> None:
    for put in (in_parts, in_pattern):
        source = put(people(), tmp_path)
    people()[:9].drop("sex").write_csv(tmp_path / "parts" / "9.csv")
    people()[:9].drop("sex").write_parquet(tmp_path / "part-9.parquet")
    for source in (tmp_path / "parts", str(tmp_path / "part-*.parquet")):
        with pytest.raises(FileError, match="has other columns"):
            counted(source, **SAID)


def test_memory_is_an_amount() -> None:
    assert read_memory("2GB") == 2 << 30
    assert read_memory("500 MiB") == 500 << 20
    assert read_memory(1 << 30) == 1 << 30
    for wrong in ("much", "-2GB", "2 houses", "1MB"):
        with pytest.raises(RequestError, match="memory"):
            read_memory(wrong)


def test_what_was_applied_can_be_counted(tmp_path: Path) -> None:
    rows = pl.DataFrame({"a": ["x", "y", None, "x"], "b": ["1", "2", "3", "4"]})
    boxes = {"a": Distinct(np.array([0, 1], dtype=np.int32), pl.Series(["X", "none"]))}
    known = pl.DataFrame({"a": ["x", None, "y"]})
    order, classes = np.arange(3, dtype=np.int32), np.array([0, 1, -1], dtype=np.int32)
    places = Places(known, order, classes, np.array([2, 1, 1]), boxes, ("a", "b"))
    applied = open_engine(in_relation(rows, tmp_path)).apply(places, seed=0)
    assert sorted(applied.count(["a"])[0].select("a", TIMES).iter_rows()) == [("X", 2), ("none", 1)]
    for put in (in_csv, in_parquet, in_relation):
        stored = store_rows(open_engine(put(rows, tmp_path)), places, seed=0, check=lambda: None)
        assert stored.counts("a").pairs() == [("X", 2), ("none", 1)]
        assert sorted(pl.concat(stored.pieces()).iter_rows()) == [("X", "1"), ("X", "4"), ("none", "3")]


def test_the_shell_counts_files_a_piece_at_a_time(tmp_path: Path) -> None:
    import json

    from typer.testing import CliRunner

    from lookalike.cli import app

    in_parts(people().drop("note", "paid"), tmp_path)
    asked = ["-q", ",".join(QUASI), "-s", "disease", "--engine", "streaming", "--memory", "64MB", "--json"]
    run = CliRunner().invoke(app, ["risk", str(tmp_path / "parts"), *asked])
    assert json.loads(run.stdout)["records"] == 3000
    shown = CliRunner().invoke(app, ["risk", str(tmp_path / "parts"), *asked[:-1]])
    assert "3,000 people" in shown.stdout
    out = ["-k", "5", "--others", "", "-o", str(tmp_path / "out")]
    run = CliRunner().invoke(app, ["anonymize", str(tmp_path / "parts" / "*.csv"), *asked, *out])
    assert run.exit_code == 0, run.output
    assert la.verify(tmp_path / "out" / "release.csv", tmp_path / "out" / "certificate.json").ok
    wrong = CliRunner().invoke(app, ["risk", str(tmp_path / "parts"), "-q", "age", "--memory", "64MB"])
    assert wrong.exit_code == 2


def test_a_release_is_written_to_a_new_table_of_the_server(server: str, tmp_path: Path) -> None:
    (tmp_path / "server").write_text(server)
    in_postgres(people().drop("note", "paid"), tmp_path)
    release = la.anonymize(server, la.KAnonymity(5), table="people", **SAID)
    release.to_table("released")
    assert la.risk(server, table="released", quasi=QUASI).k >= 5
    with pytest.raises(FileError, match="PostgreSQL did not answer"):
        release.to_table("released")


def test_a_server_whose_table_changes_or_that_is_gone_releases_nothing(server: str, tmp_path: Path) -> None:
    from adbc_driver_postgresql import dbapi

    (tmp_path / "server").write_text(server)
    in_postgres(people().drop("note", "paid"), tmp_path)
    release = la.anonymize(server, la.KAnonymity(5), table="people", **SAID)
    with dbapi.connect(server, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("DELETE FROM people WHERE age = 30")
        with pytest.raises(FileError, match="changed"):
            release.save(tmp_path / "out")
        cursor.execute("DROP TABLE people")
        with pytest.raises(FileError, match="Nothing was released"):
            release.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(FileError, match="cannot be reached"):
        la.read("postgresql://nobody@127.0.0.1:1/none", table="people", **SAID)


def test_a_release_is_written_to_a_new_table_of_the_database() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.from_arrow(people().drop("note", "paid").to_arrow()).create("people")
    release = la.anonymize(connection.table("people"), la.KAnonymity(5), **SAID)
    release.to_table("released")
    assert la.risk(connection.table("released"), quasi=QUASI).k >= 5


def test_rows_that_are_dealt_out_here_become_a_table_of_the_database_too(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.from_arrow(people().drop("note", "paid").to_arrow()).create("people")
    seen = la.table(connection.table("people"), **SAID)
    release = la.anonymize(seen, la.KAnonymity(5), method="local")
    release.to_table("released")
    release.save(tmp_path / "out", format="parquet")
    made = pl.DataFrame(connection.table("released").arrow())
    saved = pl.read_parquet(tmp_path / "out" / "release.parquet")
    assert made.sort(pl.all()).equals(saved.sort(pl.all()))
    assert la.risk(connection.table("released"), quasi=QUASI).k >= 5
    connection.execute("DELETE FROM people WHERE age = 30")
    with pytest.raises(FileError, match="changed"):
        release.to_table("again")
    assert connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'again'"
    ).fetchone() == (0,)


def test_rows_that_are_dealt_out_here_become_a_table_of_the_server_too(server: str, tmp_path: Path) -> None:
    (tmp_path / "server").write_text(server)
    in_postgres(people().drop("note", "paid"), tmp_path)
    release = la.anonymize(server, la.KAnonymity(5), table="people", method="local", **SAID)
    release.to_table("dealt")
    assert la.risk(server, table="dealt", quasi=QUASI).k >= 5
    with pytest.raises(FileError, match="PostgreSQL did not answer"):
        release.to_table("dealt")


def test_rows_of_files_are_no_table_of_a_database(tmp_path: Path) -> None:
    release = la.anonymize(far(in_csv(people(), tmp_path), **SAID), la.KAnonymity(5))
    with pytest.raises(RequestError, match="these rows are recoded here"):
        release.to_table("released")


def test_of_few_different_rows_a_sample_holds_a_part_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookalike.tables.table.LOOKED_AT", 500)
    district = [i * i % 7 for i in range(20_000)]
    rows = pl.DataFrame({"code": [f"k{d}" for d in district], "district": [f"d{d}" for d in district]})
    rows.write_csv(tmp_path / "few.csv")
    with pytest.warns(la.LookalikeWarning, match="rows were looked at"):
        la.inspect(tmp_path / "few.csv")
    seen = far(tmp_path / "few.csv", others=[]).in_sight()
    assert seen.rows["code"].n_unique() == len(set(district))
    assert 450 <= len(seen) <= 550
    (link,) = la.linked_columns(far(tmp_path / "few.csv", quasi=["district"], others=["code"]))
    assert (link.columns, link.how) == (("code",), "one to one")
