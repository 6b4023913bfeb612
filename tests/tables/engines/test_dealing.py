"""Records that a method cannot tell apart are dealt out by what else they say: the same ones everywhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.recodings.dealing import deal_out, planning_order
from lookalike.tables.columns.coding import Distinct
from lookalike.tables.columns.digests import numbers_of
from lookalike.tables.engines.opening import open_engine
from tables.engines.test_engines import (  # noqa: F401
    Put,
    _address,
    far,
    in_database,
    in_parquet,
    in_pattern,
    in_postgres,
    in_relation,
    in_spark,
    server,
    told,
)

# these tables hold values that differ by blanks and case, which every engine has to tell apart
pytestmark = pytest.mark.filterwarnings("ignore:.*from another one only by")

TYPED = [in_parquet, in_pattern, in_relation, in_database, in_postgres, in_spark]
SAID: dict[str, Any] = {
    "quasi": ["age", "sex"],
    "sensitive": ["disease"],
    "identifiers": ["who"],
    "others": [],
}
K = 100
OTHERS = ["text", "number", "whole", "day", "yes"]


def odd_people(n: int = 3000, *, seed: int = 0) -> pl.DataFrame:
    """Few tuples, many records of each, and whatever is hard to compare in the columns beside them."""
    rng = np.random.default_rng(seed)

    def pick(values: list[Any], **how: Any) -> pl.Series:
        return pl.Series(values, **how).gather(rng.integers(0, len(values), n))

    rows = pl.DataFrame(
        {
            "text": pick(["a", "a ", "A", "ä", "a\u0308", "", None, "x" * 3000, "'\"\\", "日本"]),
            "age": pick([*range(20, 32), None]),
            "who": pick([1, 2, 3]),
            "number": pick([0.0, -0.0, float("nan"), None, 0.1, -1e300, 1 / 3, 5e-324]),
            "sex": pick(["f", "m", "f "]),
            "whole": pick([2**53, 2**53 + 1, None, -1]),
            "day": pick([date(1900, 1, 1), None, date(2024, 2, 29)]),
            "disease": pick(["d1", "d2", None, "d3"]),
            "yes": pick([True, False, None]),
        }
    )
    same = pl.concat_str(pl.col("who", "age", "sex", "disease").cast(pl.String), ignore_nulls=True)
    return rows.with_columns(who=same)  # people have several rows, most of them alike to a method


def as_text(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows as texts, which are compared: NaN is NaN there."""
    return rows.select(pl.all().cast(pl.String)).sort(pl.all())


def asked_for(method: str, unit: str | None = None) -> dict[str, Any]:
    how = (
        {"strict": unit is not None} if method == "mondrian" else {}
    )  # one that counts people parts no equal rows
    return {**how, "method": method, "seed": 7, "linked": dict.fromkeys(OTHERS, "accept"), "suppression": 0.3}


@pytest.mark.parametrize("put", TYPED)
@pytest.mark.parametrize("unit", [None, "who"])
@pytest.mark.parametrize("method", ["local", "mondrian", "sangreea"])
def test_who_goes_where_is_the_same_everywhere(
    put: Put, unit: str | None, method: str, tmp_path: Path
) -> None:
    rows, said = odd_people(), {**SAID, "unit": unit}
    here = la.anonymize(la.table(rows, **said), la.KAnonymity(K), **asked_for(method, unit))
    there = la.anonymize(far(put(rows, tmp_path), **said), la.KAnonymity(K), **asked_for(method, unit))
    assert told(there) == told(here)
    saved = there.save(tmp_path / "out", format="parquet") / "release.parquet"
    assert as_text(pl.read_parquet(saved)).equals(
        as_text(here.rows.select(list(pl.read_parquet_schema(saved))))
    )
    if put in (in_relation, in_spark):  # a database file and a server have no frame
        frame = there.frame
        found = frame.pl() if put is in_relation else pl.DataFrame(frame.toArrow())
        assert as_text(found).equals(as_text(here.rows.select(found.columns)))


@pytest.mark.parametrize(
    ("method", "unit"), [("local", None), ("mondrian", None), ("sangreea", None), ("sangreea", "who")]
)
def test_tuples_are_split_here_so_that_dealing_matters(method: str, unit: str | None) -> None:
    rows = odd_people()
    release = la.anonymize(la.table(rows, **SAID, unit=unit), la.KAnonymity(K), **asked_for(method, unit))
    seen = rows.select("age", "sex", "disease", *([] if unit is None else ["who"])).rows()
    several = Counter(tuple_ for tuple_, _ in set(zip(seen, release.of_row.tolist(), strict=True)))
    assert sum(n > 1 for n in several.values()) > 10


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_partitions_and_their_order_do_not_matter_to_spark(spark: Any, parts: int, tmp_path: Path) -> None:
    rows = odd_people()
    here = la.anonymize(la.table(rows, **SAID), la.KAnonymity(K), **asked_for("local"))
    frame = spark.createDataFrame(rows.sample(fraction=1.0, shuffle=True, seed=parts).to_arrow()).repartition(
        parts
    )
    release = la.anonymize(frame, la.KAnonymity(K), **SAID, **asked_for("local"))
    found = pl.DataFrame(release.frame.toArrow())
    assert as_text(found).equals(as_text(here.rows.select(found.columns)))


@pytest.mark.parametrize("put", [None, in_parquet, in_relation, in_postgres])
def test_the_order_of_rows_does_not_matter(put: Put | None, tmp_path: Path) -> None:
    found = []
    for i, rows in enumerate((odd_people(), odd_people().reverse(), odd_people().sort(pl.all()))):
        folder = tmp_path / str(i)
        folder.mkdir()
        if put is in_postgres:
            (folder / "server").write_text((tmp_path / "server").read_text())
        people = la.table(rows, **SAID) if put is None else far(put(rows, folder), **SAID)
        release = la.anonymize(people, la.KAnonymity(K), **asked_for("mondrian"))
        found.append((release.save(folder / "out") / "release.csv").read_bytes())
    assert found[0] == found[1] == found[2]


def test_another_seed_deals_out_otherwise() -> None:
    people = la.table(odd_people(), **SAID)
    found = []
    for seed in (1, 2):
        of_row = np.arange(3000, dtype=np.int32) % 50
        published = {"whole": people.as_it_came("whole"), "text": people.as_it_came("text")}
        found.append(deal_out(people, of_row, besides=(), published=published, seed=seed))
    assert not np.array_equal(*found)


def test_a_row_has_the_exclusive_or_of_its_values_digests() -> None:
    """By the definition, row by row."""
    rows = odd_people(400)
    people = la.table(rows, **SAID)
    of_row = np.random.default_rng(3).integers(-1, 5, 400).astype(np.int32)
    published = {"yes": people.as_it_came("yes"), "text": people.as_it_came("text")}
    dealt = deal_out(people, of_row, besides=(), published=published, seed=11)

    def number(name: str, text: str | None) -> int:
        key = hashlib.sha256(f"11 {name}".encode()).digest()
        said = b"" if text is None else b"=" + text.encode()
        return int.from_bytes(hashlib.blake2b(said, key=key, digest_size=8).digest(), "little") & (2**63 - 1)

    keys = [
        number("yes", None if yes is None else str(yes).lower()) ^ number("text", text)
        for yes, text in rows.select("yes", "text").iter_rows()
    ]
    tuples = rows.select("age", "sex", "disease").rows()
    for tuple_ in set(tuples):
        mine = [i for i, each in enumerate(tuples) if each == tuple_]
        assert sorted(of_row[mine].tolist()) == sorted(dealt[mine].tolist())
        mine.sort(key=lambda i: keys[i])
        given = {}
        for key, label in zip((keys[i] for i in mine), sorted(of_row[mine].tolist()), strict=True):
            given.setdefault(key, []).append(label)
        for key, labels in given.items():
            assert sorted(int(dealt[i]) for i in mine if keys[i] == key) == labels


def test_values_that_engines_hold_differently_have_one_number() -> None:
    moment = datetime(2024, 3, 1, 12, 30, 15, 250, tzinfo=UTC)
    alike = [
        (pl.Series([0.0, 1.5]), pl.Series([-0.0, 1.5], dtype=pl.Float32)),
        (pl.Series([1, -7], dtype=pl.Int8), pl.Series([1, -7], dtype=pl.Int64)),
        (pl.Series(["a", "b"], dtype=pl.Categorical), pl.Series(["a", "b"])),
        (pl.Series([moment]), pl.Series([moment.replace(tzinfo=None)], dtype=pl.Datetime("ns"))),
        (pl.Series([moment]), pl.Series([moment]).dt.convert_time_zone("Asia/Tokyo")),
        (pl.Series([Decimal("1.10")], dtype=pl.Decimal(12, 2)), pl.Series(["1.10"])),
        (pl.Series([timedelta(days=1)]), pl.Series([timedelta(hours=24)], dtype=pl.Duration("ms"))),
    ]
    for one, other in alike:
        assert numbers_of(one, "x", 3).tolist() == numbers_of(other, "x", 3).tolist()
    told_apart = numbers_of(pl.Series(["a", "a ", "A", "", "ä", "a\u0308"]), "x", 3)
    assert len(set(told_apart.tolist())) == 7
    assert (told_apart >= 0).all()
    assert not set(told_apart.tolist()) & set(numbers_of(pl.Series(["a", "a "]), "y", 3).tolist())


def test_rows_are_planned_by_what_a_method_sees_alone() -> None:
    rows = odd_people(500).with_columns(age=pl.col("age").cast(pl.String).fill_null("?"))
    rows = rows.with_columns(age=pl.when(pl.int_range(pl.len()) % 7 == 0).then(None).otherwise("age"))
    seen = ["age", "sex", "disease"]
    found = []
    for each in (rows, rows.reverse(), rows.select(*seen, "who"), rows.select("who", *OTHERS, *seen)):
        people = la.table(each, **SAID)
        found.append(each.select(seen)[planning_order(people)])
    assert all(each.equals(found[0]) for each in found[1:])


def test_a_server_gives_each_class_as_many_of_a_tuple_as_planned(server: str, tmp_path: Path) -> None:  # noqa: F811
    """Counted in SQL: places that name more records than there are would show as lost rows."""
    from lookalike.tables.engines.engine import CLASS, TIMES, Places

    (tmp_path / "server").write_text(server)
    rows = pl.DataFrame({"a": ["x"] * 6 + [None] * 3, "b": [*"uvwuvw", "1", "2", "3"]})
    box = {"a": Distinct(np.array([0, 1, 0], dtype=np.int32), pl.Series(["X", "Y"]))}
    places = Places(
        pl.DataFrame({"a": ["x", None]}),
        np.array([0, 0, 0, 1, 1], dtype=np.int32),
        np.array([-1, 0, 1, 1, 2], dtype=np.int32),
        np.array([1, 2, 3, 2, 1]),
        box,
        ("a", "b"),
    )
    for source in (in_relation(rows, tmp_path), in_postgres(rows, tmp_path)):
        engine = open_engine(source, table="people" if isinstance(source, str) else None)
        applied = engine.apply(places, seed=5)  # type: ignore[attr-defined]
        times = dict(applied.count([CLASS])[0].select(CLASS, TIMES).iter_rows())
        assert times == {0: 2, 1: 5, 2: 1}
        assert applied.rarest([CLASS], 3) == (1, 3)
        assert applied.rarest([CLASS], 3, but=[2]) == (2, 2)
