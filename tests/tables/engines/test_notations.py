"""Numbers, dates and orders that are written in words are read alike, wherever the rows are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from tables.engines.test_engines import (  # noqa: F401
    TEXT,
    TYPED,
    Put,
    _address,
    far,
    near,
    server,
    told,
)

# these tables hold values that differ by blanks and case, which every engine has to tell apart
pytestmark = pytest.mark.filterwarnings("ignore:.*from another one only by")

SAID: dict[str, Any] = {
    "quasi": ["age", "share", "seen", "came"],
    "sensitive": ["born"],
    "others": [],
    "na": ["1"],
}


def people(n: int = 1500) -> pl.DataFrame:
    rng = np.random.default_rng(0)

    def pick(*values: str) -> pl.Series:
        return pl.Series(values).gather(rng.integers(0, len(values), n))

    return pl.DataFrame(
        {
            "age": pick(*map(str, range(80, 90)), "90+"),
            "share": pick(*(f"{i} %" for i in range(5, 60, 5))),
            "seen": pick("März 2019", "Mai 2019", "Dez. 2019", "Jan. 2020"),
            "came": pick("2019-05-06", "07.05.2019", "8 May 2019", "09/30/2019 8:15"),
            "born": pick("20-05-85", "01-02-35", "13-12-15", "29-02-00"),
        }
    )


@pytest.mark.filterwarnings("ignore:column 'born'", "ignore:column 'came'")
@pytest.mark.parametrize("put", [*TEXT[:1], *TYPED])
def test_texts_with_an_order_are_the_same_wherever_they_are(put: Put, tmp_path: Path) -> None:
    rows = people()
    asked: dict[str, Any] = {"method": "mondrian", "suppression": 0}
    models = [la.KAnonymity(20), la.LDiversity("born", 2)]
    table = near(put, rows, tmp_path, **SAID)
    kinds = {name: str(table.column(name).kind) for name in rows.columns}
    assert kinds == {"age": "ordinal", "share": "integer", "seen": "ordinal", "came": "date", "born": "date"}
    here = la.anonymize(table, *models, **asked)
    there = la.anonymize(far(put(rows, tmp_path), **SAID), *models, **asked)
    assert told(there) == told(here)
    out = there.save(tmp_path / "out", format="parquet")
    saved = pl.read_parquet(out / "release.parquet")
    assert saved.sort(pl.all()).equals(here.rows.select(saved.columns).sort(pl.all()))
    assert not any(here.rows[name].null_count() for name in here.rows.columns)
