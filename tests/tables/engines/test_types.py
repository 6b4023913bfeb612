"""What the types of a database hold beyond texts and numbers: days, times, truths, amounts, and no values at all."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from tables.engines.test_engines import (  # noqa: F401
    Put,
    _address,
    far,
    in_parquet,
    in_postgres,
    in_relation,
    near,
    server,
    told,
)

pytestmark = pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")

EVERYWHERE = [in_parquet, in_relation, in_postgres]
VALUES: dict[str, list[Any]] = {
    "days": [date(2020, 1, 1), date(1, 1, 1), None, date(9999, 12, 31), date(2021, 2, 3)],
    "times": [datetime(2020, 1, 1, 5), datetime(2020, 1, 1, 6), None, datetime(1999, 1, 1), datetime(2021, 2, 3)],
    "times of a zone": [datetime(2020, 1, i + 1, 5, tzinfo=UTC) for i in range(4)] + [None],
    "times of day": [time(5), time(5, 0, 1), None, time(23, 59, 59), time(0)],
    "truths": [True, False, None, True, False],
    "amounts": [Decimal("1.10"), Decimal("2.00"), None, Decimal("-3.25"), Decimal("0.00")],
    "floats": [1.0, 2.5, None, -0.0, 0.0],
    "large numbers": [2**53 + 1, 2**53 + 2, None, 2**63 - 1, -(2**63)],
    "words": ["'; DROP TABLE people; --", 'say "∅"', None, "\\", "a\r\nb"],
    "words that look alike": ["é", "e\u0301", "İ", "i̇", "ﬀ"],
    "words that mean nothing": ["NULL", "\\N", "NaN", " ", "*"],
}  # fmt: skip


def _rows(kind: str) -> pl.DataFrame:
    values = VALUES[kind] * 24
    return pl.DataFrame(
        {
            "age": [20 + i % 6 for i in range(len(values))],
            "it": values,
            "disease": [f"d{i % 3}" for i in range(len(values))],
        }
    )


@pytest.mark.parametrize("role", ["quasi", "sensitive", "others"])
@pytest.mark.parametrize("put", EVERYWHERE)
@pytest.mark.parametrize("kind", VALUES)
def test_columns_of_every_type_are_released_as_from_memory(
    kind: str, put: Put, role: str, tmp_path: Path
) -> None:
    if put is in_postgres and kind in ("times of day", "amounts"):
        pytest.skip("PostgreSQL hands these over as texts")
    said: dict[str, Any] = {"quasi": ["age"], "sensitive": ["disease"], "others": []}
    said[role] = [*said[role], "it"]
    rows = _rows(kind)
    for method in ("optimal", "mondrian"):
        linked = dict.fromkeys([*said["sensitive"], *said["others"]], "accept")
        asked: dict[str, Any] = {"method": method, "suppression": 0.5, "linked": linked}
        expected = la.anonymize(near(put, rows, tmp_path, **said), la.KAnonymity(4), **asked)
        found = la.anonymize(far(put(rows, tmp_path), **said), la.KAnonymity(4), **asked)
        assert told(found)[0] == told(expected)[0]
        out = found.save(tmp_path / method, format="parquet")
        assert la.verify(out / "release.parquet", out / "certificate.json").ok
        saved = pl.read_parquet(out / "release.parquet").select(pl.all().cast(pl.String))
        kept = expected.rows.select(pl.all().cast(pl.String))
        assert saved.sort(pl.all()).equals(kept.sort(pl.all()))


@pytest.mark.parametrize("role", ["quasi", "sensitive", "others"])
@pytest.mark.parametrize("days", [date.max.toordinal(), date.min.toordinal() - 2, 2**31 - 1 - 719_163])
def test_days_that_no_calendar_has_are_refused_in_a_sentence(days: int, role: str, tmp_path: Path) -> None:
    first = date(1970, 1, 1).toordinal()
    column = pl.Series([days - first + 1, 1, 2, 3, 4, 5], dtype=pl.Int64).cast(pl.Int32).cast(pl.Date)
    said: dict[str, Any] = {"quasi": ["age"], "sensitive": [], "others": []}
    said[role] = [*said[role], "it"]
    people = la.table(pl.DataFrame({"age": [1, 1, 1, 2, 2, 2], "it": column}), **said)
    with pytest.raises(la.ColumnError, match="'it' holds days before the year 1 or after 9999"):
        la.anonymize(people, la.KAnonymity(3), linked={} if role == "quasi" else {"it": "accept"})


def test_the_infinity_of_a_server_is_refused_in_a_sentence(server: str, tmp_path: Path) -> None:  # noqa: F811
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    for kind in ("date", "timestamp"):
        with dbapi.connect(server, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS people")
            cursor.execute(
                f"CREATE TABLE people AS SELECT i % 3 AS age, (CASE WHEN i < 3 THEN 'infinity' ELSE '2020-01-01' END)"
                f"::{kind} AS it FROM generate_series(1, 30) AS i"
            )
        for role in ("sensitive", "others"):
            said: dict[str, Any] = {"quasi": ["age"], "sensitive": [], "others": []}
            said[role] = ["it"]
            with pytest.raises(la.LookalikeError, match=r"no calendar|before the year 1|did not answer"):
                la.anonymize(far(server, **said), la.KAnonymity(3), linked={"it": "accept"}).save(
                    tmp_path / f"{kind} {role}"
                )
            assert not list(tmp_path.iterdir())
