"""A column may be called whatever it likes: no name is read as a pattern, as SQL, or as one of our own."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.base.errors import RequestError
from lookalike.tables.engines.engine import CLASS, PERSON, TIMES
from tables.engines.test_engines import (  # noqa: F401
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
    told,
)

# these tables hold values that differ by blanks and case, which every engine has to tell apart
pytestmark = pytest.mark.filterwarnings("ignore:.*from another one only by")

#: quasi-identifier, another one, sensitive column, other column
NAMES = {
    "stars": ("*", "**", "a*", "*x"),
    "patterns": ("^a.*$", "^.*$", "^$", "^ab$"),
    "quotation marks": ('a"b', '"', "o'neil", '""'),
    "blanks": (" ", " a", "a ", "a b"),
    "scripts": ("日本", "a\u0308", "ä", "имя"),
    "sql": ("select", "from", "group by", "; drop table people; --"),
    "ours": ("class", "count", "code", "value"),
    "ours too": ("times", "t", "place", "set"),
    "marks": ("a,b", "a.b", "a\\b", "{x}"),
}
EVERYWHERE = [in_csv, in_parquet, in_relation, in_database, in_postgres, in_spark]


def people(names: tuple[str, ...], *, seed: int = 0) -> pl.DataFrame:
    rng, n = np.random.default_rng(seed), 600
    columns = {
        "a": rng.integers(0, 9, n),
        "ab": rng.integers(20, 30, n),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
        "disease": np.array(["d1", "d2", "d3"])[rng.integers(0, 3, n)],
        "note": np.array(["x", "y", "=1"])[rng.integers(0, 3, n)],
    }
    return pl.DataFrame(columns).rename(dict(zip(["ab", "sex", "disease", "note"], names, strict=True)))


def said_of(names: tuple[str, ...]) -> dict[str, Any]:
    return {"quasi": list(names[:2]), "sensitive": [names[2]], "others": []}


def asked_of(names: tuple[str, ...], method: str) -> dict[str, Any]:
    return {"method": method, "linked": {names[3]: "accept", "a": "accept"}}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("put", EVERYWHERE)
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_rows_are_released_whatever_their_columns_are_called(
    names: tuple[str, ...], put: Put, method: str, tmp_path: Path
) -> None:
    if put is in_csv and names is NAMES["blanks"]:
        pytest.skip("blanks around a name in a text file are not part of it")
    if put is in_spark and method == "optimal" and names is not NAMES["patterns"]:
        pytest.skip("a session is slow; one name of each kind will do")
    rows, said, asked = people(names), said_of(names), asked_of(names, method)
    models = [la.KAnonymity(5), la.LDiversity(names[2], 2)]
    here = la.anonymize(near(put, rows, tmp_path, **said), *models, **asked)
    there = la.anonymize(far(put(rows, tmp_path), **said), *models, **asked)
    assert told(there) == told(here)
    for format in ("csv", "parquet"):
        out = there.save(tmp_path / format, format=format, spreadsheet_safe=format == "csv")
        assert la.verify(out / f"release.{format}", out / "certificate.json").ok
    saved = pl.read_parquet(tmp_path / "parquet" / "release.parquet")
    assert set(saved.columns) == {"a", *names}
    assert saved.sort(pl.all()).equals(here.rows[saved.columns].sort(pl.all()))


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("method", ["optimal", "local"])
def test_releases_are_used_whatever_their_columns_are_called(
    names: tuple[str, ...], method: str, tmp_path: Path
) -> None:
    table = la.table(people(names), **said_of(names))
    release = la.anonymize(table, la.KAnonymity(5), **asked_of(names, method))
    blank = names is NAMES["blanks"]  # around a name in a text file they are not part of it
    out = release.save(tmp_path / "out", format="parquet" if blank else "csv", spreadsheet_safe=not blank)
    assert la.inspect(people(names)).columns[1].name == names[0]
    assert la.risk(table).people == 600
    assert la.evaluate(table, release, targets=[names[2]]).to_dict()["targets"]
    assert la.attack(table, release).results
    for joins in (None, True):
        new = people(names, seed=1)
        assert la.apply(release, new, joins=joins, suppression=0.9).k >= 5
        assert (
            la.apply(out, (in_parquet if blank else in_csv)(new, tmp_path), joins=joins, suppression=0.9).k
            >= 5
        )


@pytest.mark.parametrize("name", [TIMES, CLASS, PERSON])
def test_names_of_our_own_columns_are_refused(name: str, tmp_path: Path) -> None:
    path = in_parquet(people((name, "sex", "disease", "note")), tmp_path)
    with pytest.raises(RequestError, match="Rename it"):
        far(path, quasi=["sex"], others=[])


def test_names_that_users_chose_are_never_handed_to_polars_as_patterns() -> None:
    """`pl.col` reads patterns: outside `columns/naming.py` it is called with a name of our own."""
    package = Path(la.__file__).parent
    found = []
    for path in sorted(package.rglob("*.py")):
        if "papers" in path.parts:  # of tables that are known
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pl.col":
                given = [
                    one for one in node.args
                    if not isinstance(one, ast.Constant) and not ast.unparse(one).isupper()
                ]  # fmt: skip
                found += [f"{path.name}:{node.lineno}" for _ in given]
    assert found == []
