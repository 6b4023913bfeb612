"""Spark: frames in and out, what it may collect, tables that change, and a cluster of which a worker dies."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.base.errors import FileError, GuaranteeError, MissingExtra, RequestError
from lookalike.cli import app
from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.opening import open_engine
from lookalike.tables.engines.spark.frames import Spark
from lookalike.tables.engines.spark.parts import Cut, cut_sample
from lookalike.tables.engines.spark.reading import find_units, share_out
from lookalike.tables.engines.spark.workers import _Counts, unpacked
from lookalike.tables.engines.spark.writing import local_folder
from tables.engines.conftest import SOON
from tables.engines.test_dealing import OTHERS, odd_people
from tables.engines.test_engines import QUASI, SAID, odd_values, people

# these tables hold values that differ by blanks and case, which every engine has to tell apart
pytestmark = pytest.mark.filterwarnings("ignore:.*from another one only by")

ROWS = people().drop("note", "paid")


def frame_of(spark: Any, rows: pl.DataFrame, folder: Path) -> Any:
    rows.write_parquet(folder / "people.parquet")
    return spark.read.parquet(str(folder / "people.parquet"))


def collected(frame: Any) -> pl.DataFrame:
    return pl.DataFrame(frame.toArrow())


def test_a_frame_comes_back_as_a_frame(spark: Any, tmp_path: Path) -> None:
    frame = frame_of(spark, ROWS, tmp_path)
    release = la.anonymize(frame, la.KAnonymity(5), method="optimal", **SAID)
    assert type(release.frame) is type(frame)
    assert release.frame.columns == ["age", "sex", "zip", "disease"]
    near = la.anonymize(la.table(ROWS, **SAID), la.KAnonymity(5), method="optimal")
    assert collected(release.frame).sort(pl.all()).equals(near.rows.sort(pl.all()))
    assert la.risk(release.frame, quasi=QUASI).k >= 5


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("asked", [{"method": "local"}, {"method": "mondrian"}, {"unit": "who"}])
def test_rows_that_are_dealt_out_and_rows_of_people_come_back_as_a_frame(
    spark: Any, asked: dict[str, Any], plain: bool, tmp_path: Path
) -> None:
    """The frame, the folder that workers write and the file that is saved here hold the same rows."""
    who = pl.Series("who", [f"p{i % 1200}" for i in range(3000)])
    rows = people().with_columns(who)
    frame = frame_of(spark, rows, tmp_path)
    if not plain:
        frame = frame.where("age is null or age > 0")
    said: dict[str, Any] = {**SAID, "identifiers": ["who"], "unit": asked.get("unit")}
    how: dict[str, Any] = {"method": asked.get("method", "optimal"), "seed": 4}
    how["linked"] = {"note": "accept", "paid": "accept"}
    release = la.anonymize(frame, la.KAnonymity(3), suppression=0.3, **said, **how)
    release.save(tmp_path / "here", format="parquet")
    release.save(tmp_path / "there", to=str(tmp_path / "released"))
    here = pl.read_parquet(tmp_path / "here" / "release.parquet")
    assert sorted(path.suffix for path in (tmp_path / "released").iterdir())[-1] == ".parquet"
    assert pl.read_parquet(tmp_path / "released" / "*.parquet").equals(here)
    assert collected(release.frame).select(here.columns).sort(pl.all()).equals(here.sort(pl.all()))
    released = spark.read.parquet(str(tmp_path / "released"))
    unknown = "unit" in asked  # nothing in the release tells people apart
    assert la.verify(released, tmp_path / "there" / "certificate.json", allow_unknown=unknown).ok
    rows.write_parquet(tmp_path / "same.parquet")
    near = la.anonymize(str(tmp_path / "same.parquet"), la.KAnonymity(3), suppression=0.3, **said, **how)
    near.save(tmp_path / "streamed", format="parquet")
    assert pl.read_parquet(tmp_path / "streamed" / "release.parquet").equals(here)
    assert near.certificate["known"] == release.certificate["known"]


@pytest.mark.parametrize("plain", [True, False])
def test_odd_values_are_published_as_they_are(spark: Any, plain: bool, tmp_path: Path) -> None:
    rows = odd_values().with_columns(q=pl.Series(["a", "b"] * 16))
    if plain:
        rows = rows.select("number", "whole", "yes", "text", "q")  # what workers read by themselves
    frame = frame_of(spark, rows, tmp_path)
    assert (open_engine(frame)._parts is not None) == plain  # type: ignore[attr-defined]
    others = [name for name in rows.columns if name != "q"]
    said: dict[str, Any] = {"quasi": ["q"], "others": others}
    asked: dict[str, Any] = {"linked": dict.fromkeys(others, "accept"), "method": "optimal"}
    release = la.anonymize(frame, la.KAnonymity(3), **said, **asked)
    near = la.anonymize(str(tmp_path / "people.parquet"), la.KAnonymity(3), **said, **asked)
    near.save(tmp_path / "streamed", format="parquet")
    streamed = pl.read_parquet(tmp_path / "streamed" / "release.parquet")
    assert release.certificate["columns"] == near.certificate["columns"]
    assert release.certificate["known"] == near.certificate["known"]
    release.save(tmp_path / "out", to=str(tmp_path / "released"))
    written = spark.read.parquet(str(tmp_path / "released"))
    texts = [pl.col(others).cast(pl.String), pl.col("q")]
    expected = streamed.select(texts).sort(pl.all())
    for found in (collected(release.frame), pl.read_parquet(tmp_path / "released" / "*.parquet")):
        assert found.cast(dict(streamed.schema)).select(texts).sort(pl.all()).equals(expected)
    assert dict(written.dtypes) == dict(release.frame.dtypes)
    assert la.verify(written, tmp_path / "out" / "certificate.json").ok


def test_workers_read_nothing_but_plain_files_by_themselves(spark: Any, tmp_path: Path) -> None:
    frame = frame_of(spark, ROWS, tmp_path)
    assert open_engine(frame)._parts is not None  # type: ignore[attr-defined]
    frame.createOrReplaceTempView("people_in_a_view")
    handed = [
        frame.where("age > 30"),
        frame.select("age"),
        frame.withColumn("x", frame.age),
        frame.distinct(),
    ]
    handed += [frame.limit(5), spark.table("people_in_a_view"), frame.withColumnRenamed("age", "Age")]
    ROWS.write_csv(tmp_path / "people.csv")
    handed.append(spark.read.csv(str(tmp_path / "people.csv"), header=True))
    (tmp_path / "folders" / "town=1").mkdir(parents=True)
    ROWS.write_parquet(tmp_path / "folders" / "town=1" / "a.parquet")
    handed.append(spark.read.parquet(str(tmp_path / "folders")))
    handed.append(spark.read.schema("age int, sex string").parquet(str(tmp_path / "people.parquet")))
    (tmp_path / "two").mkdir()
    ROWS.write_parquet(tmp_path / "two" / "a.parquet")
    ROWS.drop("sex").write_parquet(tmp_path / "two" / "b.parquet")
    handed.append(spark.read.parquet(str(tmp_path / "two")))
    assert [open_engine(each)._parts for each in handed] == [None] * len(handed)  # type: ignore[attr-defined]


@pytest.mark.parametrize("method", ["optimal", "local"])
def test_addresses_of_other_file_systems_are_read_and_written_by_spark(
    spark: Any, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that only Spark knows: what is behind it happens to be a folder here, which nobody may open."""
    from lookalike.tables.engines.spark import reading, workers

    settings = spark._jsc.hadoopConfiguration()
    settings.set(f"fs.viewfs.mounttable.{method}.link./mounted", tmp_path.as_uri())
    place = f"viewfs://{method}/mounted"
    ROWS.write_parquet(tmp_path / "people.parquet")

    def refuse(*said: Any, **how: Any) -> Any:
        raise AssertionError("a file was opened here")

    monkeypatch.setattr(reading, "_cut", refuse)
    monkeypatch.setattr(workers, "write_rows", refuse)
    frame = spark.read.parquet(f"{place}/people.parquet")
    assert open_engine(frame)._parts is None  # type: ignore[attr-defined]
    near = la.anonymize(la.table(ROWS, **SAID), la.KAnonymity(5), method=method)
    release = la.anonymize(frame, la.KAnonymity(5), method=method, **SAID)
    release.save(tmp_path / "out", to=f"{place}/released")
    assert local_folder(spark, f"{place}/released") is None
    assert (tmp_path / "released" / "_SUCCESS").exists()  # Spark's own sign
    written = spark.read.parquet(f"{place}/released")
    assert collected(written).select(near.rows.columns).sort(pl.all()).equals(near.rows.sort(pl.all()))
    assert la.verify(written, tmp_path / "out" / "certificate.json").ok
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "people.parquet", "released"]
    with pytest.raises(FileError, match="exists already"):
        release.to_table(f"{place}/released")  # type: ignore[attr-defined]
    ROWS[:2000].write_parquet(tmp_path / "people.parquet")
    with pytest.raises(FileError, match="changed"):
        release.to_table(f"{place}/again")  # type: ignore[attr-defined]
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("method", ["optimal", "sangreea"])
@pytest.mark.parametrize("unit", [None, "who"])
def test_rows_that_workers_hold_are_released_as_those_in_memory(
    spark: Any, method: str, unit: str | None, tmp_path: Path
) -> None:
    rows = odd_people(800).with_columns(age=pl.col("age").cast(pl.Int32))
    frame = frame_of(spark, rows, tmp_path).where("age is null or age > 0")
    said: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["disease"], "identifiers": ["who"]}
    said |= {"unit": unit, "others": []}
    asked: dict[str, Any] = {"linked": dict.fromkeys(OTHERS, "accept"), "suppression": 0.3, "seed": 2}
    near = la.anonymize(la.table(rows, **said), la.KAnonymity(20), method=method, **asked)
    for source in (frame, frame.withColumn("whole", frame.whole.cast("decimal(20,0)")), frame.repartition(7)):
        made = la.anonymize(source, la.KAnonymity(20), method=method, **said, **asked)
        held = made.people.origin.engine.held  # type: ignore[union-attr,attr-defined]
        assert ("who" in held.columns) == (unit is not None)
        found = collected(made.frame).select(pl.all().cast(pl.String))
        assert found.sort(pl.all()).equals(
            near.rows.select(pl.col(found.columns).cast(pl.String)).sort(pl.all())
        )


def test_rows_are_handed_over_once_and_let_go(spark: Any, tmp_path: Path) -> None:
    """However often rows are looked at for a release, Spark makes each of them once."""
    from pyspark.sql import functions as F

    made = spark.sparkContext.accumulator(0)

    def seen(age: int | None) -> bool:
        made.add(1)
        return age is None or age > 0

    frame = frame_of(spark, ROWS, tmp_path).where(
        F.udf(seen, "boolean", useArrow=False).asNondeterministic()("age")
    )
    gc.collect()  # what other tests left behind
    before = spark.sparkContext._jsc.getPersistentRDDs().size()
    release = la.anonymize(frame, la.KAnonymity(5), method="optimal", **SAID)
    release.to_table(str(tmp_path / "out"))  # type: ignore[attr-defined]
    assert made.value == ROWS.height
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == before + 2
    del release
    gc.collect()
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == before
    la.risk(frame, **SAID)
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == before


@pytest.mark.parametrize("held", [True, False])
def test_tuples_that_outgrow_one_number_are_counted_on(spark: Any, held: bool, tmp_path: Path) -> None:
    """The first pieces are counted as codes, the rest as values."""
    names = [f"q{i}" for i in range(8)]
    few = pl.DataFrame({name: [i % 3 for i in range(1 << 11)] for name in names})
    many = pl.DataFrame({name: pl.Series(range(1 << 11)) * (i + 1) for i, name in enumerate(names)})
    rows = pl.concat([few, many, few[:100]])
    counts = _Counts([dict(rows.schema), {"q0": pl.Int64()}])
    for piece in (few, many, few[:100]):
        counts.add(piece)
    assert [counter is None for counter in counts._counters] == [True, False]
    bundles = [batch.column(2)[0].as_buffer() for batch in counts.hand_out(1)]
    frame = frame_of(spark, rows, tmp_path)
    engine = open_engine(frame.coalesce(1) if held else frame)
    assert isinstance(engine, Spark)
    engine = engine.hold(names, [])
    assert (engine.held is not None) == held
    for group, bundle in ((names, bundles[0]), (["q0"], bundles[1]), (["q1", "q6"], None)):
        expected = rows.group_by(group).agg(pl.len().cast(pl.Int64).alias(TIMES)).sort(pl.all())
        (found,) = engine.count(group)
        assert found.select(expected.columns).sort(pl.all()).equals(expected)
        assert bundle is None or unpacked(bundle).sort(pl.all()).equals(expected)


@pytest.mark.parametrize("parts", [1, 64])
def test_no_rows_are_no_tuples(spark: Any, parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spark, "_counted_in", parts)
    nobody = spark.createDataFrame(ROWS.to_arrow()).where("age > 1000")
    engine = open_engine(nobody)
    assert isinstance(engine, Spark)
    engine = engine.hold(["age", "sex"], ["zip", "disease"])
    for group in (["age", "sex"], ["disease"]):
        (found,) = engine.count(group)
        assert (found.height, found.columns) == (0, [*group, TIMES])
    assert engine.sample(1.0, seed=0).height == 0


def test_many_workers_add_up_each_others_counts(spark: Any, tmp_path: Path) -> None:
    for i in range(9):
        ROWS[i * 400 : (i + 1) * 400].write_parquet(tmp_path / f"{i}.parquet")
    engine = open_engine(spark.read.parquet(str(tmp_path)))
    assert isinstance(engine, Spark)
    units = find_units(engine.frame)
    assert units is not None
    engine.__dict__["_parts"] = share_out(units, 8)
    groups = [["age", "sex"], ["disease"], ["zip", "age", "disease"]]
    for group, found in zip(groups, engine.count(*groups), strict=True):
        expected = ROWS.group_by(group).agg(pl.len().cast(pl.Int64).alias(TIMES))
        assert found.sort(pl.all()).equals(expected.sort(pl.all()))
    few = Spark(engine.frame, most=10)
    few.__dict__["_parts"] = share_out(units, 8)
    with pytest.raises(RequestError, match=r"more than 10 distinct tuples .*'age' has most values"):
        few.count(["age", "sex"])


def test_the_order_of_a_frame_says_nothing_of_the_original(spark: Any) -> None:
    found = []
    for rows in (ROWS, ROWS.reverse()):
        frame = spark.createDataFrame(rows.to_arrow()).repartition(3)
        found.append(
            [
                collected(la.anonymize(frame, la.KAnonymity(5), method="optimal", seed=s, **SAID).frame)
                for s in (3, 4)
            ]
        )
    assert found[0][0].equals(found[1][0])
    assert not found[0][0].equals(found[0][1])
    assert found[0][0].sort(pl.all()).equals(found[0][1].sort(pl.all()))


def test_more_tuples_than_may_be_collected_are_refused_with_the_column_to_coarsen(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS.to_arrow())
    with pytest.raises(RequestError, match=r"more than 10 distinct tuples .*'age' has most values"):
        la.risk(frame, most=10, **SAID)


def test_names_that_spark_takes_for_one_or_for_a_path_are_told_apart(spark: Any) -> None:
    rows = pl.DataFrame(
        {"age": [1, 1, 2], "Age": [1, 2, 2], "a.b`c": ["x", "y", "y"], "a b": [None, 1.5, 1.5]}
    )
    frame = spark.createDataFrame(rows.to_arrow())
    for name in rows.columns:
        said: dict[str, Any] = {"quasi": [name], "others": []}
        assert la.risk(frame, **said).to_dict() == la.risk(la.table(rows, **said)).to_dict()
    with pytest.raises(RequestError, match="two columns 'age'"):
        la.risk(frame.toDF("age", "x", "y", "age"), quasi=["x"])


def test_texts_that_a_collation_takes_for_equal_are_told_apart(spark: Any) -> None:
    frame = spark.sql("SELECT collate(t, 'UTF8_LCASE') AS t FROM VALUES ('a'), ('A'), ('a '), ('a') AS v(t)")
    assert la.risk(frame, quasi=["t"]).uniques == 2


def test_rows_of_small_and_large_classes_are_known_alike(spark: Any, tmp_path: Path) -> None:
    """The rarest pair is counted in all classes where the small ones do not show one that occurs once."""
    rows = pl.DataFrame({"q": ["a"] * 6 + ["b"] * 600, "v": ["x", "y"] * 3 + ["x"] * 595 + ["y"] * 5})
    said: dict[str, Any] = {"quasi": ["q"], "others": ["v"]}
    asked: dict[str, Any] = {"method": "levels", "levels": {}, "linked": {"v": "accept"}}
    release = la.anonymize(frame_of(spark, rows, tmp_path), la.KAnonymity(5), **said, **asked)
    assert release.certificate["known"] == {"v": 3}
    many = pl.concat([rows, pl.DataFrame({"q": ["b"] * 2, "v": ["z"] * 2})])
    (tmp_path / "more").mkdir()
    release = la.anonymize(frame_of(spark, many, tmp_path / "more"), la.KAnonymity(5), **said, **asked)
    assert release.certificate["known"] == {"v": 2}
    assert release.coded.known(["v"], 4) == (2, 8)  # type: ignore[attr-defined]


def test_a_file_that_changes_after_counting_is_not_released(spark: Any, tmp_path: Path) -> None:
    frame = frame_of(spark, ROWS, tmp_path)
    release = la.anonymize(frame, la.KAnonymity(5), method="optimal", **SAID)
    ROWS[:2000].write_parquet(tmp_path / "people.parquet")
    for write in (lambda: release.to_table(str(tmp_path / "out")), lambda: release.save(tmp_path / "out")):
        with pytest.raises(FileError, match="changed"):
            write()
    (tmp_path / "people.parquet").unlink()
    with pytest.raises(FileError, match="gone since its rows were counted"):
        release.to_table(str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_rows_that_are_in_no_file_are_told_apart_by_what_they_hold(spark: Any) -> None:
    frames = [spark.createDataFrame(rows.to_arrow()) for rows in (ROWS, ROWS.reverse(), ROWS[1:])]
    whole, turned, less = (open_engine(frame).fingerprint() for frame in frames)
    assert whole == turned
    assert whole != less


def test_a_release_is_written_where_spark_writes(spark: Any, tmp_path: Path) -> None:
    frame = frame_of(spark, ROWS, tmp_path)
    release = la.anonymize(frame, la.KAnonymity(5), method="optimal", **SAID)
    out, rows = tmp_path / "out", tmp_path / "released"
    release.save(out, to=str(rows))
    assert la.verify(spark.read.parquet(str(rows)), out / "certificate.json").ok
    changed = spark.read.parquet(str(rows)).limit(2900)
    assert not la.verify(changed, out / "certificate.json").ok
    with pytest.raises(FileError, match="exists already"):
        release.save(tmp_path / "again", to=str(rows))
    assert not (tmp_path / "again").exists()
    near = la.anonymize(la.table(ROWS, **SAID), la.KAnonymity(5), method="optimal")
    with pytest.raises(RequestError, match="these rows are recoded here"):
        near.save(tmp_path / "again", to=str(rows))


def changed_in_some_way(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """A release as it was certified, and as somebody might have changed it."""
    first = pl.int_range(pl.len()) == 0
    return {
        "nothing": rows,
        "a row is gone": rows[1:],
        "a value of a quasi-identifier": rows.with_columns(
            age=pl.when(first).then(pl.lit("odd")).otherwise("age")
        ),
        "a sensitive value": rows.with_columns(disease=pl.when(first).then(None).otherwise("disease")),
        "another value": rows.with_columns(paid=pl.when(first).then(77.5).otherwise("paid")),
        "values change places": rows.with_columns(pl.col("paid").reverse()),
        "a column more": rows.with_columns(more=pl.lit(1)),
        "a column less": rows.drop("zip"),
        "one class is split": rows.with_columns(
            sex=pl.when(pl.int_range(pl.len()) % 7 == 0).then(pl.lit("x")).otherwise("sex")
        ),
        "no rows": rows[:0],
    }


@pytest.mark.filterwarnings("ignore:the release keeps a pseudonym")
@pytest.mark.parametrize("people_are", ["rows", "hidden", "published"])
def test_what_spark_verifies_by_counting_is_what_the_file_says(
    spark: Any, people_are: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = people().drop("note").with_columns(who=pl.Series([f"p{i % 2500}" for i in range(3000)]))
    said: dict[str, Any] = {**SAID, "identifiers": ["who"], "unit": None if people_are == "rows" else "who"}
    asked: dict[str, Any] = {"suppression": 0.3, "linked": {"paid": "accept"}, "method": "optimal"}
    table = la.table(rows, **said)
    if people_are == "published":
        asked["pseudonyms"] = {"who": la.pseudonymise(table, ["who"])}
    models = [la.KAnonymity(4), la.LDiversity("disease", 2)]
    release = la.anonymize(
        table, *models, *([la.TCloseness("disease", 0.6)] * (people_are == "rows")), **asked
    )
    release.save(tmp_path / "out", format="parquet")
    monkeypatch.setattr(Spark, "pieces", None)  # rows stay where they are
    for what, each in changed_in_some_way(release.rows).items():
        path = tmp_path / "changed.parquet"
        each.write_parquet(path)
        near = la.verify(path, tmp_path / "out" / "certificate.json")
        far = la.verify(spark.read.parquet(str(path)), tmp_path / "out" / "certificate.json")
        lines = re.compile(r", (one|first) at row \d+")
        expected = [(f.check, f.ok, lines.sub("", f.message)) for f in near.findings]
        found = [(f.check, f.ok, f.message) for f in far.findings]
        assert found == [one for one in expected if one[0] != "file"], what
        assert not any(f.rows for f in far.findings)


def test_the_shell_reads_and_writes_where_spark_does(spark: Any, tmp_path: Path) -> None:
    frame_of(spark, ROWS, tmp_path)
    ROWS.write_csv(tmp_path / "people.csv")
    asked = ["-q", ",".join(QUASI), "-s", "disease", "--engine", "spark"]
    for name in ("people.parquet", "people.csv"):
        run = CliRunner().invoke(app, ["risk", str(tmp_path / name), *asked, "--json"])
        expected = la.risk(la.read(tmp_path / name, **SAID)).to_dict()
        assert json.loads(run.stdout)["classes"] == expected["classes"], run.output
    run = CliRunner().invoke(
        app, ["inspect", str(tmp_path / "people.parquet"), "--engine", "spark", "--json"]
    )
    assert json.loads(run.stdout)["records"] == 3000, run.output
    where = ["-o", str(tmp_path / "out"), "--to", str(tmp_path / "released")]
    run = CliRunner().invoke(
        app, ["anonymize", str(tmp_path / "people.parquet"), *asked, "-k", "5", "--others", "", *where]
    )
    assert run.exit_code == 0, run.output
    check = ["verify", str(tmp_path / "released"), str(tmp_path / "out" / "certificate.json")]
    run = CliRunner().invoke(app, [*check, "--engine", "spark"])
    assert run.exit_code == 0, run.output
    for wrong in (
        ["--master", "local[1]"],
        ["--engine", "flink"],
        ["--engine", "streaming", "--master", "yarn"],
    ):
        run = CliRunner().invoke(app, ["risk", str(tmp_path / "people.csv"), "-q", "age", *wrong])
        assert run.exit_code == 2
    run = CliRunner().invoke(app, ["risk", str(tmp_path / "nothing.parquet"), *asked])
    assert "no such file" in run.output


def test_without_java_the_error_says_what_to_install(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    (tmp_path / "bin").mkdir()
    ROWS.write_csv(tmp_path / "people.csv")
    asked = ["risk", str(tmp_path / "people.csv"), "-q", "age", "--engine", "spark"]
    there = {**os.environ, "JAVA_HOME": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-m", "lookalike", *asked], env=there, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "Spark needs Java 17 or 21, and none was found. Install one" in run.stderr
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    (tmp_path / "bin" / "java").chmod(0o755)
    run = subprocess.run(
        [sys.executable, "-m", "lookalike", *asked], env=there, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "Java 11 was found" in run.stderr


def test_without_pyspark_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.tables.engines.spark.session import open_session

    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtra, match="the engine spark needs pyspark"):
        open_session()


SCRIPT = """
import json, os, signal, sys, warnings
warnings.simplefilter("ignore")
import lookalike as la
from lookalike.tables.engines.spark.session import open_session
master, folder = sys.argv[1:]
said = dict(quasi=["age", "sex", "zip"], sensitive=["disease"], others=[])
spark = open_session(master)
frame = spark.read.parquet(folder + "/people.parquet").repartition(8)
risk = la.risk(frame, **said)
release = la.anonymize(frame, la.KAnonymity(5), method="optimal", **said)
print("counted", flush=True)
sys.stdin.readline()
release.to_table(folder + "/released")
release.save(folder + "/out", format="parquet")
print(json.dumps({"classes": risk.to_dict()["classes"], "k": release.k, "suppressed": release.suppressed}), flush=True)
os.kill(spark._jvm.java.lang.ProcessHandle.current().pid(), signal.SIGKILL)
try:
    release.to_table(folder + "/never")
except la.LookalikeError as problem:
    print(type(problem).__name__, problem)
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """One master and two workers on loopback, from the programs that come with pyspark."""
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java is installed here, which Spark needs")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    there = {
        **os.environ,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": SOON,
    }
    there |= {"SPARK_WORKER_DIR": str(tmp_path / "work"), "PYSPARK_PYTHON": sys.executable}
    begin = [str(Path(pyspark.__file__).parent / "bin" / "spark-class")]
    here = ["--host", "127.0.0.1", "--webui-port", "0"]
    started = []

    def start(*arguments: str) -> None:
        with (tmp_path / f"{len(started)}.log").open("wb") as log:
            started.append(
                subprocess.Popen(
                    [*begin, *arguments], env=there, stdout=log, stderr=log, start_new_session=True
                )
            )

    start("org.apache.spark.deploy.master.Master", *here, "--port", str(port))
    for _ in range(2):
        start("org.apache.spark.deploy.worker.Worker", *here, "-c", "1", "-m", "1g", address)
    try:
        deadline = time.monotonic() + 180
        while (tmp_path / "0.log").read_text().count("Registering worker") < 2:
            assert time.monotonic() < deadline, "the cluster did not come up"
            time.sleep(0.2)
        yield address, started[1:]
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)


def test_a_cluster_gives_the_same_answers_though_a_worker_dies(cluster: Any, tmp_path: Path) -> None:
    address, workers = cluster
    ROWS.write_parquet(tmp_path / "people.parquet")
    settings = (
        "--conf spark.cores.max=2 --conf spark.executor.memory=512m --conf spark.sql.shuffle.partitions=2"
    )
    settings += " --conf spark.driver.host=127.0.0.1 --conf spark.scheduler.minRegisteredResourcesRatio=1.0"
    settings += (
        f" --conf 'spark.executor.extraJavaOptions={SOON}' --conf 'spark.driver.extraJavaOptions={SOON}'"
    )
    settings += " --conf spark.ui.enabled=false pyspark-shell"
    there = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": settings}
    driver = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, address, str(tmp_path)],
        env={**there, "PYSPARK_PYTHON": sys.executable},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert driver.stdin is not None
    assert driver.stdout is not None
    try:
        assert driver.stdout.readline() == "counted\n"
        driver.stdin.write("go\n")
        driver.stdin.flush()
        os.killpg(workers[0].pid, signal.SIGKILL)  # with what it was working on
        found, last, *_ = driver.communicate(timeout=300)[0].splitlines()
    finally:
        driver.kill()
        driver.wait(30)
    near = la.anonymize(la.table(ROWS, **SAID), la.KAnonymity(5), method="optimal")
    expected = {"classes": la.risk(la.table(ROWS, **SAID)).to_dict()["classes"]}
    assert json.loads(found) == {**expected, "k": near.k, "suppressed": near.suppressed}
    written = pl.concat(pl.read_parquet(file) for file in (tmp_path / "released").glob("*.parquet"))
    assert written.sort(pl.all()).equals(near.rows.select(written.columns).sort(pl.all()))
    assert la.verify(tmp_path / "out" / "release.parquet", tmp_path / "out" / "certificate.json").ok
    assert last.startswith("FileError")
    assert "Nothing was released" in last
    assert not list(tmp_path.glob("never*"))


def test_a_sample_is_cut_into_parts_of_about_the_same_size() -> None:
    tree = cut_sample(ROWS, QUASI, 8)
    assert isinstance(tree, Cut)
    assert tree.parts == 8

    def sizes(tree: Cut | int, rows: pl.DataFrame) -> list[int]:
        if isinstance(tree, int):
            return [rows.height]
        right = (pl.col(tree.column) > tree.above).fill_null(False)
        return sizes(tree.left, rows.filter(~right)) + sizes(tree.right, rows.filter(right))

    found = sizes(tree, ROWS)
    assert sum(found) == ROWS.height
    assert min(found) > 200
    assert cut_sample(pl.DataFrame({"a": [1, 1, None]}), ["a"], 4) == 0


@pytest.mark.parametrize("method", ["mondrian", "local"])
def test_workers_anonymise_a_part_each_and_the_whole_keeps_the_promise(
    spark: Any, method: str, tmp_path: Path
) -> None:
    frame = frame_of(spark, people(), tmp_path)
    models = [la.KAnonymity(5), la.LDiversity("disease", 2)]
    said: dict[str, Any] = {**SAID, "others": ["paid"], "identifiers": ["note"]}
    asked: dict[str, Any] = {"parts": 4, "method": method, "linked": {"paid": "accept"}}
    release = la.anonymize_in_parts(frame, *models, **asked, **said)
    rows = collected(release.frame)
    assert rows.columns == ["age", "sex", "zip", "disease", "paid"]
    sizes = rows.group_by(QUASI).agg(pl.len(), values=pl.col("disease").n_unique())
    assert (release.k, release.classes, release.parts) == (sizes["len"].min(), sizes.height, 4)
    assert release.k >= 5
    assert sizes["values"].min() >= 2  # type: ignore[operator]
    assert release.records - release.suppressed == rows.height >= 2850
    if not release.suppressed:
        assert rows["paid"].sort().equals(people()["paid"].sort())
    near = la.anonymize(la.table(people(), **said), *models, method=method, linked={"paid": "accept"})
    assert sizes.height > near.classes / 2
    release.to_table(str(tmp_path / "released"))
    written = collected(spark.read.parquet(str(tmp_path / "released")))
    assert written.sort(pl.all()).equals(rows.sort(pl.all()))


def test_parts_promise_only_what_a_union_of_classes_keeps(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS.to_arrow())
    with pytest.raises(RequestError, match="no worker can promise"):
        la.anonymize_in_parts(frame, la.TCloseness("disease", 0.5), parts=2, **SAID)
    with pytest.raises(RequestError, match="is for Spark frames"):
        la.anonymize_in_parts(ROWS, la.KAnonymity(5), parts=2, **SAID)
    few = spark.createDataFrame(ROWS[:40].to_arrow())
    with pytest.raises(GuaranteeError, match="would have to be left out"):
        la.anonymize_in_parts(few, la.KAnonymity(20), parts=8, **SAID)
