"""What can be asked of a table in memory can be asked of rows that are elsewhere, with the same answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.base.errors import FileError, RequestError
from lookalike.tables.engines.databases.postgres import Postgres
from lookalike.tables.engines.opening import open_engine
from lookalike.tables.engines.origin import Passed
from tables.engines.test_engines import (
    QUASI,
    SAID,
    Put,
    _address,
    far,
    in_csv,
    in_parquet,
    in_parts,
    in_pattern,
    in_postgres,
    in_relation,
    in_spark,
    near,
    people,
    server,
    told,
)

# these tables hold values that differ by blanks and case, which every engine has to tell apart
pytestmark = pytest.mark.filterwarnings("ignore:.*from another one only by")

__all__ = ["_address", "server"]  # fixtures

EVERYWHERE = [in_csv, in_parts, in_parquet, in_pattern, in_relation, in_postgres, in_spark]
ACCEPT = {"note": "accept", "paid": "accept"}
MODELS = (la.KAnonymity(5), la.LDiversity("disease", 2))


def same(found: la.Release, expected: la.Release, folder: Path, *, split: bool = False) -> pl.DataFrame:
    """Both tell the same, the saved release verifies, and holds the same rows; where tuples are split, some columns."""
    assert told(found)[0] == told(expected)[0]
    for name, value in told(expected)[1].items():
        assert (split and name == "known") or found.certificate[name] == value, name
    assert found.recoding.to_dict() == expected.recoding.to_dict()
    out = found.save(folder / "out")
    verified = la.verify(out / "release.csv", out / "certificate.json", allow_unknown=True)
    assert verified.ok, verified
    saved = pl.read_csv(out / "release.csv", infer_schema=False)
    plain = pl.read_csv(expected.rows.write_csv().encode(), infer_schema=False)
    some = [*QUASI, "disease"] if split else plain.columns
    assert saved.columns == plain.columns
    assert saved.select(some).sort(some).equals(plain.select(some).sort(some))
    return saved


@pytest.mark.parametrize("put", EVERYWHERE)
@pytest.mark.parametrize("method", ["optimal", "mondrian", "local"])
def test_rows_kept_as_stars_say_nothing_and_are_the_same_everywhere(
    put: Put, method: str, tmp_path: Path
) -> None:
    rows = people().with_columns(pl.when(pl.int_range(pl.len()) < 40).then(99).otherwise("age").alias("age"))
    asked: dict[str, Any] = {"method": method, "linked": ACCEPT, "suppressed": "star", "suppression": 0.2}
    hierarchy = {"age": la.Hierarchy.intervals(5, 10), "zip": la.Hierarchy.mask()}
    expected = la.anonymize(near(put, rows, tmp_path, **SAID, hierarchies=hierarchy), *MODELS, **asked)
    found = la.anonymize(far(put(rows, tmp_path), **SAID, hierarchies=hierarchy), *MODELS, **asked)
    saved = same(found, expected, tmp_path, split=method != "optimal")
    assert saved.height == rows.height
    blank = saved.filter(pl.all_horizontal(pl.col(QUASI).is_in(["*"])))
    assert blank.select(pl.col("disease", "note", "paid").is_null().all()).row(0) == (True,) * 3
    if method == "optimal":
        assert blank.height == found.suppressed > 0


@pytest.mark.parametrize("put", [in_csv, in_relation, in_postgres])
def test_a_class_that_says_nothing_is_not_told_from_stars(put: Put, tmp_path: Path) -> None:
    rows = people(400)
    asked: dict[str, Any] = {"method": "levels", "levels": {"age": 9, "sex": 9, "zip": 9}, "linked": ACCEPT}
    every = la.table(rows, **SAID)
    asked["levels"] = {name: every.tree(name).height for name in QUASI}
    asked |= {"suppressed": "star", "suppression": 0.9}
    hardly = [la.KAnonymity(5)]
    expected = la.anonymize(near(put, rows, tmp_path, **SAID), *hardly, **asked)
    found = la.anonymize(far(put(rows, tmp_path), **SAID), *hardly, **asked)
    same(found, expected, tmp_path)


@pytest.mark.parametrize("put", EVERYWHERE)
@pytest.mark.parametrize("fields", [["note"], ["note", "paid"]])
def test_pseudonyms_are_the_same_everywhere(put: Put, fields: list[str], tmp_path: Path) -> None:
    rows = people().with_columns(
        pl.when(pl.int_range(pl.len()) % 11 == 0).then(None).otherwise("note").alias("note")
    )
    key = la.Key(bytes(range(32)))
    said = {**SAID, "identifiers": ["note"]}
    close, away = near(put, rows, tmp_path, **said), far(put(rows, tmp_path), **said)
    made = [la.pseudonymise(one, fields, key=key) for one in (close, away)]
    assert made[0].duplicates == made[1].duplicates
    asked: dict[str, Any] = {"method": "optimal", "linked": {"paid": "accept"}}
    with pytest.warns(la.LookalikeWarning, match="pseudonym"):
        expected = la.anonymize(close, *MODELS, **asked, pseudonyms={"note": made[0]})
    with pytest.warns(la.LookalikeWarning, match="pseudonym"):
        found = la.anonymize(away, *MODELS, **asked, pseudonyms={"note": made[1]})
    saved = same(found, expected, tmp_path)
    assert saved["note"].str.contains("^[0-9a-f]{64}$").all()


@pytest.mark.parametrize("put", [in_csv, in_parquet, in_relation])
def test_people_with_several_rows_keep_one_pseudonym(put: Put, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = people(900).with_columns(who=pl.Series([f"p{i}" for i in rng.integers(0, 400, 900)]))
    said = {**SAID, "sensitive": [], "identifiers": ["who"], "unit": "who"}
    key = la.Key(bytes(range(32)))
    close, away = near(put, rows, tmp_path, **said), far(put(rows, tmp_path), **said)
    asked: dict[str, Any] = {
        "method": "optimal",
        "linked": {**ACCEPT, "disease": "accept"},
        "suppression": 0.3,
    }
    releases = []
    for table in (close, away):
        made = la.pseudonymise(table, ["who"], key=key)
        with pytest.warns(la.LookalikeWarning, match="pseudonym"):
            releases.append(la.anonymize(table, la.KAnonymity(4), **asked, pseudonyms={"who": made}))
    saved = same(releases[1], releases[0], tmp_path)
    assert saved["who"].n_unique() == releases[0].rows["who"].n_unique()


def test_random_tokens_come_with_a_private_table(tmp_path: Path) -> None:
    away = far(in_csv(people(), tmp_path), **SAID, identifiers=["note"])
    made = la.pseudonymise(away, ["note"])
    assert made.private is not None
    assert made.private["pseudonym"].n_unique() == people()["note"].n_unique()
    close = la.table(people(), **SAID, identifiers=["note"])
    with pytest.raises(RequestError, match="not in memory"):
        la.anonymize(close, la.KAnonymity(5), pseudonyms={"note": made}, linked={"paid": "accept"})
    with pytest.raises(RequestError, match="rows that are in memory"):
        la.anonymize(
            away,
            la.KAnonymity(5),
            pseudonyms={"note": la.pseudonymise(close, ["note"])},
            linked={"paid": "accept"},
        )


@pytest.mark.parametrize("put", EVERYWHERE)
@pytest.mark.parametrize("method", ["optimal", "local"])
def test_linked_columns_follow_everywhere(put: Put, method: str, tmp_path: Path) -> None:
    rows = people().with_columns(born=2020 - pl.col("age"), post=pl.col("zip") + " office")
    asked: dict[str, Any] = {
        "method": method,
        "linked": {**ACCEPT, "born": "follow", "post": "follow"},
        "suppressed": "star" if method == "local" else "drop",
    }
    expected = la.anonymize(near(put, rows, tmp_path, **SAID), *MODELS, **asked)
    found = la.anonymize(far(put(rows, tmp_path), **SAID), *MODELS, **asked)
    saved = same(found, expected, tmp_path, split=method == "local")
    for name in ("born", "post"):
        plain = pl.read_csv(expected.rows.write_csv().encode(), infer_schema=False)
        assert saved[name].sort().equals(plain[name].sort())
        assert saved.select(*QUASI, name).n_unique() == saved.select(QUASI).n_unique()


@pytest.mark.parametrize("put", EVERYWHERE)
@pytest.mark.parametrize("away", [False, True], ids=["population in memory", "population in files"])
def test_a_population_is_counted_the_same_everywhere(put: Put, away: bool, tmp_path: Path) -> None:
    rows = people(2100)
    everyone = pl.concat([rows, people(6000, seed=5)]).select(QUASI)
    asked: dict[str, Any] = {"linked": ACCEPT, "suppression": 0.1}
    if put in (in_csv, in_parts):
        everyone = pl.read_csv(everyone.write_csv().encode(), infer_schema=False)
    everyone.write_parquet(tmp_path / "everyone.parquet")
    source = str(tmp_path / "everyone.parquet") if away else everyone
    close, there = near(put, rows, tmp_path, **SAID), far(put(rows, tmp_path), **SAID)
    for i, (model, method) in enumerate(
        [(la.KMap(20), "optimal"), (la.DeltaPresence(0.01, 0.6), "optimal"), (la.KMap(12), "local")]
    ):
        expected = la.anonymize(close, model, **asked, method=method, population=everyone)
        found = la.anonymize(there, model, **asked, method=method, population=source)
        (tmp_path / str(i)).mkdir()
        same(found, expected, tmp_path / str(i), split=method == "local")


@pytest.mark.parametrize("put", [in_csv, in_parquet, in_relation, in_postgres, in_spark])
def test_the_greatest_safe_set_is_the_same_everywhere(put: Put, tmp_path: Path) -> None:
    rows = people(600)
    asked: dict[str, Any] = {"method": "semantic", "linked": ACCEPT, "suppression": 1.0, "threshold": 0.5}
    expected = la.anonymize(near(put, rows, tmp_path, **SAID), **asked)
    found = la.anonymize(far(put(rows, tmp_path), **SAID), **asked)
    same(found, expected, tmp_path)


def test_an_order_that_nobody_defined_cannot_be_kept(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="order of their own"):
        la.anonymize(far(in_csv(people(), tmp_path), **SAID), la.KAnonymity(5), shuffle=False)


@pytest.mark.filterwarnings("ignore:the release keeps a pseudonym")
@pytest.mark.parametrize("asked", ["local", "mondrian", "people with several rows", "stars", "pseudonyms"])
def test_a_relation_comes_back_as_one_whatever_is_done(asked: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(3)
    rows = people().with_columns(who=pl.Series([f"p{i}" for i in rng.integers(0, 2000, 3000)]))
    said: dict[str, Any] = {**SAID, "identifiers": ["who"], "linked": ACCEPT, "suppression": 0.3}
    relation = duckdb.connect().from_arrow(rows.to_arrow())
    if asked in ("local", "mondrian"):
        said["method"] = asked
    elif asked == "people with several rows":
        said |= {"unit": "who", "sensitive": [], "linked": {**ACCEPT, "disease": "accept"}}
    elif asked == "stars":
        said["suppressed"] = "star"
    else:
        away = la.pseudonymise(relation, ["who"], quasi=QUASI, key=la.Key(bytes(range(32))))
        said |= {"pseudonyms": {"who": away}}
    release = la.anonymize(relation, la.KAnonymity(5), **said)
    assert isinstance(release.frame, duckdb.DuckDBPyRelation)
    out = release.save(tmp_path / "out", format="parquet")
    saved = pl.read_parquet(out / "release.parquet")
    assert release.frame.pl().select(saved.columns).sort(pl.all()).equals(saved.sort(pl.all()))
    assert release.frame.pl().height == release.records - (0 if asked == "stars" else release.suppressed)


def test_a_table_of_the_server_is_there_whole_or_not_at_all(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "server").write_text(server)
    in_postgres(people().drop("note", "paid"), tmp_path)
    release = la.anonymize(server, la.KAnonymity(5), table="people", method="local", **SAID)
    whole = Postgres.ordered
    with monkeypatch.context() as patch:
        patch.setattr(
            Postgres,
            "ordered",
            lambda *said: f"SELECT *, 1 / (sex <> 'm')::int AS x FROM ({whole(*said)}) AS p",
        )
        with pytest.raises(FileError, match="PostgreSQL did not answer"):
            release.to_table("half")
    with pytest.raises(FileError):
        la.risk(server, table="half", quasi=QUASI)
    release.to_table("half")
    assert (
        la.risk(server, table="half", quasi=QUASI).to_dict()["records"]
        == release.records - release.suppressed
    )


@pytest.mark.parametrize("place", ["0.csv", "9.csv"])
def test_of_many_files_one_may_have_no_rows(place: str, tmp_path: Path) -> None:
    parts = in_parts(people(), tmp_path)
    (parts / "0.csv").rename(parts / "5.csv")
    (parts / place).write_text("age,sex,zip,disease,note,paid\n")
    assert la.risk(parts, quasi=QUASI).to_dict()["records"] == 3000
    for path in parts.iterdir():
        path.write_text("age,sex,zip,disease,note,paid\n")
    with pytest.raises(FileError, match="no rows"):
        la.risk(parts, quasi=QUASI)


def test_progress_tells_rows_and_bytes(tmp_path: Path) -> None:
    engine = open_engine(in_parts(people(), tmp_path))
    passed = Passed(engine)
    assert passed.text() == ""
    passed.add(1000, 0.5)
    size = sum(path.stat().st_size for path in (tmp_path / "parts").iterdir()) / 1e6
    assert passed.text() == f"(1,000 rows, {size / 2:,.0f} of {size:,.0f} MB)"
    shares: list[float] = []
    la.anonymize(tmp_path / "parts", la.KAnonymity(5), progress=shares.append, drop=["note", "paid"], **SAID)
    assert shares[-1] == 1
