"""There is one pipeline: whatever is asked, told, refused and saved is the same, wherever the rows are."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.base.errors import GuaranteeError, RequestError
from tables.engines.test_engines import (
    Put,
    _address,
    far,
    in_csv,
    in_database,
    in_parquet,
    in_postgres,
    in_relation,
    in_spark,
    near,
    server,
)

__all__ = ["_address", "server"]  # fixtures

pytestmark = pytest.mark.filterwarnings("default::lookalike.base.errors.LookalikeWarning")
EVERYWHERE = [in_csv, in_parquet, in_relation, in_database, in_postgres, in_spark]


@dataclass(frozen=True)
class Case:
    """Something that is asked of a table, with what must be told of it everywhere."""

    asked: dict[str, Any]
    said: dict[str, Any] = field(default_factory=dict)
    tells: str = ""  #: a part of a warning
    models: tuple[la.Model, ...] = (la.KAnonymity(4),)
    people: Callable[[], pl.DataFrame] = lambda: persons()
    split: bool = False  #: whether tuples are dealt out, so that files may differ in who has which of them


def persons(n: int = 600) -> pl.DataFrame:
    """One row for each person."""
    rng = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
            "town": np.array(["Graz", "Linz", "Wels", "Wien"])[rng.integers(0, 4, n)],
            "disease": np.array(["asthma", "cold", "flu"])[rng.integers(0, 3, n)],
            "paid": rng.integers(0, 40, n) * 25,
        }
    )


def visits() -> pl.DataFrame:
    """Three visits of each person, whose height and weight are always the same."""
    rows = persons(200).with_columns(
        pid=pl.int_range(1000, 1200),
        height=pl.Series(np.random.default_rng(1).permutation(200) + 1200),
        weight=pl.Series(np.random.default_rng(2).permutation(200) + 400),
    )
    paid = pl.Series(np.random.default_rng(3).integers(0, 40, 600) * 25)
    return pl.concat([rows] * 3).with_columns(paid=paid)


def named() -> pl.DataFrame:
    return persons().with_columns(note=pl.int_range(pl.len()).cast(pl.String) + " remarks")


QUASI = ["age", "sex", "town"]
CASES = {
    "nothing more": Case({}),
    "optimal": Case({"method": "optimal"}),
    "a time limit": Case({"method": "optimal", "seconds": 60}),
    "an option of one method": Case({"method": "auto", "rounds": 3}),
    "weights": Case({"weights": {"age": 3}}),
    "rounding": Case({"rounding": {"paid": 100}, "method": "optimal"}),
    "means": Case({"numbers": {"age": "mean"}, "method": "mondrian"}),
    "stars": Case({"suppressed": "star", "method": "levels", "levels": {"age": 1}, "suppression": 0.9}),
    "drop": Case({"drop": ["paid"]}),
    "diversity": Case({}, models=(la.KAnonymity(4), la.LDiversity("disease", 2))),
    "a column that is almost a name": Case(
        {"method": "optimal", "linked": {}},
        tells="almost every row has a value of its own in: note",
        people=named,
    ),
    "a number of people without unit": Case(
        {"method": "optimal", "drop": ["height", "weight"], "suppression": 0.3},
        {"identifiers": ["pid"]},
        tells="'pid' has 200 different values in 600 rows",
        people=visits,
    ),
    "a number of people that is dropped": Case(
        {"method": "optimal", "drop": ["height", "weight", "pid"], "suppression": 0.3},
        tells="'pid' has 200 different values in 600 rows",
        people=visits,
    ),
    "measures that stay the same": Case(
        {"method": "optimal", "suppression": 0.3},
        {"identifiers": ["pid"], "unit": "pid"},
        tells="people have several rows, and those of 200 of 200 such people can be put together",
        people=visits,
    ),
}


def seen(make: Callable[[], la.Release], folder: Path) -> dict[str, Any]:
    """All that somebody gets to see of a release, but for what chance or a clock decides."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", la.LookalikeWarning)
        release = make()
    out = release.save(folder)
    certificate = json.loads((out / "certificate.json").read_text())
    for drawn in ("recoding", "checksum", "beside", "salt", "release"):
        certificate.pop(drawn, None)
    numbers = {name: value for name, value in release.to_dict().items() if name != "seconds"}
    return {
        "warnings": [str(one.message) for one in told if issubclass(one.category, la.LookalikeWarning)],
        "certificate": certificate,
        "files": sorted(
            path.relative_to(out).as_posix() for path in out.rglob("*") if "assignment" not in path.name
        ),
        "numbers": numbers,
        "recipe": (out / "private" / "recipe.toml").read_text(),
        "dictionary": (out / "dictionary.md").read_text(),
        "rows": sorted((out / "release.csv").read_text().splitlines()),
    }


@pytest.mark.parametrize("put", EVERYWHERE)
@pytest.mark.parametrize("name", CASES)
def test_everything_is_the_same_wherever_the_rows_are(put: Put, name: str, tmp_path: Path) -> None:
    case = CASES[name]
    rows = case.people()
    said = {"quasi": QUASI, "sensitive": ["disease"], "others": [], **case.said}
    for folder in ("near", "far"):
        (tmp_path / folder).mkdir()
    if put is in_postgres:
        (tmp_path / "far" / "server").write_text((tmp_path / "server").read_text())
    here, there = near(put, rows, tmp_path / "near", **said), far(put(rows, tmp_path / "far"), **said)
    expected = seen(lambda: la.anonymize(here, *case.models, **case.asked), tmp_path / "near" / "out")
    found = seen(lambda: la.anonymize(there, *case.models, **case.asked), tmp_path / "far" / "out")
    assert there.in_memory is False
    assert any(case.tells in one for one in expected["warnings"]) or not case.tells
    for what, value in expected.items():
        assert found[what] == value, what


@pytest.mark.parametrize("put", EVERYWHERE)
def test_what_is_refused_in_memory_is_refused_everywhere(put: Put, tmp_path: Path) -> None:
    rows, said = persons(), {"quasi": QUASI, "sensitive": ["disease"], "others": []}
    here, there = near(put, rows, tmp_path, **said), far(put(rows, tmp_path), **said)
    asked: list[tuple[type[Exception], dict[str, Any]]] = [
        (RequestError, {"method": "optimal", "rounds": 3}),
        (RequestError, {"weights": {"paid": 1}}),
        (RequestError, {"drop": ["age"]}),
        (RequestError, {"rounding": {"disease": 1}, "method": "magic"}),
        (GuaranteeError, {"method": "levels", "levels": {}, "suppression": 0}),
    ]
    for kind, how in asked:
        messages = []
        for table in (here, there):
            with pytest.raises(kind) as problem:
                la.anonymize(table, la.KAnonymity(40), **how)
            messages.append(str(problem.value))
        assert messages[0] == messages[1]
    for table in (here, there):
        with pytest.raises(RequestError, match="nothing says what 1 column holds: paid"):
            la.anonymize(table.with_undecided(["paid"]), la.KAnonymity(4))


@pytest.mark.parametrize("put", EVERYWHERE)
def test_rows_stay_where_they_are_until_somebody_needs_them(put: Put, tmp_path: Path) -> None:
    there = far(put(persons(), tmp_path), quasi=QUASI, sensitive=["disease"], others=[])
    assert "rows in" in repr(there)
    assert not there.in_memory
    with pytest.raises(RequestError, match="column 'paid': the rows are not in memory"):
        there.column("paid")
    whole = there.read_rows()
    assert (whole.in_memory, len(whole)) == (True, 600)
    assert whole.column("paid").counts.sum() == 600
