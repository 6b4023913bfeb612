"""Someone with only the release and its certificate finds every tampering."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.releases.certificate import checksum
from strategies import ACCEPT, people, promises


def _table() -> la.Table:
    return la.table(
        pl.DataFrame(
            {
                "age": [20, 20, 20, 31, 31, 31, 31, 99],
                "town": ["a", "a", "a", "b", "b", "b", "b", "c"],
                "disease": ["flu", "ulcer", "flu", "flu", "ulcer", "ulcer", "flu", "cancer"],
                "x": [1, 2, 3, 4, 5, 6, 7, 8],
            }
        ),
        quasi=["age", "town"],
        sensitive=["disease"],
        others=["x"],
    )


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    release = la.anonymize(
        _table(),
        la.KAnonymity(3),
        la.LDiversity("disease", 2),
        method="levels",
        levels={},
        suppression=0.2,
        suppressed="star",
        shuffle=False,
    )
    return release.save(tmp_path / "out")


def _verify(folder: Path) -> la.Verification:
    return la.verify(folder / "release.csv", folder / "certificate.json")


def _failing(folder: Path) -> dict[str, str]:
    result = _verify(folder)
    assert not result.ok
    return {finding.check: finding.message for finding in result.findings if finding.ok is False}


def _write(folder: Path, certificate: dict[str, Any]) -> None:
    """A careful forger's certificate: the checksum fits again."""
    certificate["checksum"] = checksum(certificate)
    (folder / "certificate.json").write_text(json.dumps(certificate))


def _edit(folder: Path, change: Callable[[list[str]], list[str]]) -> None:
    path = folder / "release.csv"
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")


def test_an_untouched_release_holds(saved: Path) -> None:
    result = _verify(saved)
    assert result.ok
    assert {f.check for f in result.findings} >= {
        "file",
        "columns",
        "values",
        "rows",
        "k-anonymity",
        "l-diversity of disease",
    }
    assert all(f.ok for f in result.findings)


def test_an_edited_sensitive_cell_is_found_in_its_column(saved: Path) -> None:
    _edit(saved, lambda lines: [lines[0], lines[1].replace("flu", "ulcer"), *lines[2:]])
    failing = _failing(saved)
    assert "disease" in failing["values"]
    assert "file" in failing


def test_an_edited_quasi_identifier_breaks_its_class_and_says_where(saved: Path) -> None:
    _edit(saved, lambda lines: [*lines[:4], lines[4].replace("31", "20"), *lines[5:]])
    result = _verify(saved)
    finding = next(f for f in result.findings if f.check == "k-anonymity")
    assert finding.ok is False
    assert finding.rows == (4,)


def test_a_deleted_and_a_duplicated_row_are_found(saved: Path) -> None:
    whole = (saved / "release.csv").read_text()
    _edit(saved, lambda lines: [*lines[:1], *lines[2:]])
    failing = _failing(saved)
    assert "6 where 7" in failing["rows"]
    assert "k-anonymity" in failing
    (saved / "release.csv").write_text(whole)
    _edit(saved, lambda lines: [*lines, lines[5]])
    assert "8 where 7" in _failing(saved)["rows"]


def test_a_value_outside_the_recoding_is_found_with_its_row(saved: Path) -> None:
    _edit(saved, lambda lines: [lines[0], lines[1].replace("20", "21"), *lines[2:]])
    finding = next(f for f in _verify(saved).findings if f.check == "values of age")
    assert finding.rows == (1,)
    assert "does not produce" in finding.message


def test_anything_restored_in_a_suppressed_row_is_found(saved: Path) -> None:
    for restored in ("*,*,cancer,", "*,*,,8"):
        _edit(saved, lambda lines, restored=restored: [*lines[:-1], restored])  # type: ignore[misc]
        assert "starred but not blank" in _failing(saved)["suppressed rows"]


def test_a_swapped_certificate_is_found(saved: Path, tmp_path: Path) -> None:
    other = la.anonymize(_table(), la.KAnonymity(2), suppression=1.0, drop=["x"]).save(tmp_path / "other")
    (saved / "certificate.json").write_bytes((other / "certificate.json").read_bytes())
    (saved / "private" / "recoding.json").unlink()
    failing = _failing(saved)
    assert "file" in failing
    assert "not certified" in failing["columns"]


def test_a_certificate_that_promises_more_fails(saved: Path) -> None:
    path = saved / "certificate.json"
    written = json.loads(path.read_text())
    written["promise"][0]["k"] = 4
    path.write_text(json.dumps(written))
    assert "1 of 2 classes break it" in _failing(saved)["k-anonymity"]


def test_what_is_not_a_certificate_is_refused(saved: Path) -> None:
    for content in ("{", "[]", "{}"):
        (saved / "certificate.json").write_text(content)
        with pytest.raises(la.FileError):
            _verify(saved)
    with pytest.raises(la.FileError, match="cannot be read"):
        la.verify(saved / "release.csv", saved / "nothing.json")


def test_a_certificate_holds_no_value_of_the_original(saved: Path) -> None:
    text = (saved / "certificate.json").read_text()
    assert "flu" not in text
    assert "ulcer" not in text
    assert '"31"' not in text


def test_columns_of_lists_are_saved_as_parquet_and_verified(tmp_path: Path) -> None:
    from datetime import date

    frame = pl.DataFrame(
        {
            "age": [1, 1, 2, 2],
            "visits": [[1, 2], [], None, [3]],
            "first": [{"on": date(2024, 1, 2), "at": 0.1}, None, {"on": None, "at": 2.0}, None],
            "raw": [b"a", b"b", None, b"a"],
        }
    )
    table = la.table(frame, quasi=["age"], others=["visits", "first", "raw"])
    folder = la.anonymize(table, la.KAnonymity(2)).save(tmp_path / "out", format="parquet")
    assert la.verify(folder / "release.parquet", folder / "certificate.json").ok
    changed = pl.read_parquet(folder / "release.parquet").with_columns(visits=pl.lit([1]))
    changed.write_parquet(folder / "release.parquet")
    assert not la.verify(folder / "release.parquet", folder / "certificate.json").ok


def test_parquet_releases_verify_too(tmp_path: Path) -> None:
    folder = la.anonymize(_table(), la.KAnonymity(3), suppression=0.2).save(
        tmp_path / "out", format="parquet"
    )
    result = la.verify(folder / "release.parquet", folder / "certificate.json")
    assert result.ok, str(result)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_release_verifies_whatever_its_folder_is_called(tmp_path: Path, format: str) -> None:
    folder = la.anonymize(_table(), la.KAnonymity(3), suppression=0.2).save(tmp_path / "[x]*", format=format)
    result = la.verify(folder / f"release.{format}", folder / "certificate.json")
    assert result.ok, str(result)


def test_promises_about_orders_and_trees_are_checked_from_the_certificate_alone(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"age": [1, 1, 1, 2, 2, 2], "grade": ["low", "mid", "high"] * 2, "illness": ["a", "b", "c"] * 2}
    )
    table = la.table(
        frame,
        quasi=["age"],
        sensitive=["grade", "illness"],
        types={"grade": ["low", "mid", "high"]},
        hierarchies={"illness": la.Hierarchy.groups({"x": ["a", "b"], "y": ["c"]})},
    )
    models = [la.TCloseness("grade", 0.1), la.TCloseness("illness", 0.1, distance="hierarchical")]
    folder = la.anonymize(table, *models).save(tmp_path / "out")
    assert all(f.ok for f in _verify(folder).findings)
    text = (folder / "certificate.json").read_text()
    assert not any(word in text for word in ('"low"', '"mid"', '"high"'))
    (folder / "private" / "recoding.json").unlink()
    assert all(f.ok for f in _verify(folder).findings)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=people(least=4), models=promises(), method=st.sampled_from(["optimal", "mondrian"]))
def test_every_release_verifies(
    tmp_path_factory: pytest.TempPathFactory, table: la.Table, models: list[la.Model], method: str
) -> None:
    try:
        release = la.anonymize(table, *models, method=method, suppression=1.0, linked=ACCEPT)
    except la.GuaranteeError:
        return
    folder = release.save(tmp_path_factory.mktemp("release") / "out")
    result = _verify(folder)
    assert result.ok, str(result)
    assert not [f for f in result.findings if f.ok is None]


@pytest.mark.parametrize("how", ["midpoint", "mean"])
def test_stars_in_number_columns_verify(tmp_path: Path, how: str) -> None:
    release = la.anonymize(
        _table(),
        la.KAnonymity(3),
        method="levels",
        levels={},
        suppression=0.2,
        suppressed="star",
        numbers={"age": how},
    )
    result = _verify(release.save(tmp_path / "out"))
    assert result.ok, str(result)


def test_one_value_in_two_spellings_verifies(tmp_path: Path) -> None:
    frame = pl.DataFrame({"q": ["x"] * 4 + ["y"] * 4, "s": ["1", "1.0", "?", "2", "1", "2.0", None, "1.00"]})
    table = la.table(frame, quasi=["q"], sensitive=["s"])
    release = la.anonymize(table, la.TCloseness("s", 0.5), la.DeltaDisclosure("s", 3), suppression=1.0)
    result = _verify(release.save(tmp_path / "out"))
    assert result.ok, str(result)


def test_people_with_several_rows_are_not_called_a_failure(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": [1] * 5 + [2, 3], "q": ["x"] * 7, "s": ["a"] * 5 + ["a", "b"]})
    table = la.table(frame, quasi=["q"], sensitive=["s"], unit="id")
    release = la.anonymize(table, la.KAnonymity(3), la.AlphaK("s", 0.7, 2))
    folder = release.save(tmp_path / "out")
    result = _verify(folder)
    assert not any(f.ok is False for f in result.findings)
    assert [f.check for f in result.findings if f.ok is None] == ["k-anonymity", "(alpha,k)-anonymity of s"]
    assert not result.ok  # unknown is not ok
    assert la.verify(folder / "release.csv", folder / "certificate.json", allow_unknown=True).ok


def test_people_are_counted_where_the_release_tells_them_apart(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": [1, 1, 2, 3, 4, 5, 5, 6], "q": ["x"] * 4 + ["y"] * 4, "s": list("aabcabbc")})
    table = la.table(frame, quasi=["q"], sensitive=["s"], others=["id"], unit="id")
    release = la.anonymize(table, la.KAnonymity(3), la.LDiversity("s", 2), suppression=0.0)
    folder = release.save(tmp_path / "out")
    result = _verify(folder)
    assert result.ok, str(result)
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["promise"][0]["k"] = 4  # so many rows, but not so many people
    _write(folder, certificate)
    assert "classes break it" in _failing(folder)["k-anonymity"]


def test_dates_and_times_beside_a_promise_verify_in_both_formats(tmp_path: Path) -> None:
    from datetime import datetime

    frame = pl.DataFrame({"q": ["x"] * 3, "seen": [datetime(2024, 1, d, 12, 30) for d in (1, 2, 3)]})
    release = la.anonymize(la.table(frame, quasi=["q"], others=["seen"]), la.KAnonymity(3))
    for form in ("csv", "parquet"):
        folder = release.save(tmp_path / form, format=form)
        result = la.verify(folder / f"release.{form}", folder / "certificate.json")
        assert result.ok, str(result)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("quasi", []),
        ("quasi", ["nope"]),
        ("quasi", "age"),
        ("promise", {}),
        ("promise", [{"model": "k-anonymity", "k": -1}]),
        ("promise", [{"model": "t-closeness", "column": "disease", "t": 1e300}]),
        ("measured", {}),
        ("measured", {"records": "many", "suppressed": 0, "classes": 1, "k": 1}),
        ("columns", []),
        ("sensitive", 3),
        ("suppressed_rows", "maybe"),
        ("counted", None),
        ("recoding", None),
        ("release", []),
    ],
)
def test_a_malformed_certificate_is_refused(saved: Path, part: str, value: object) -> None:
    path = saved / "certificate.json"
    written = json.loads(path.read_text())
    written[part] = value
    path.write_text(json.dumps(written))
    with pytest.raises(la.FileError, match="is not a certificate as Lookalike writes them"):
        _verify(saved)


def test_a_promise_about_a_column_that_is_not_there_fails(saved: Path) -> None:
    path = saved / "certificate.json"
    written = json.loads(path.read_text())
    written["promise"][1]["column"] = "zzz"
    written["measured"]["k"] = 10**6
    path.write_text(json.dumps(written))
    failing = _failing(saved)
    assert "not in the release" in failing["l-diversity of zzz"]
    assert "k: 3 where 1,000,000 is" in failing["numbers"]


@pytest.mark.parametrize("method", ["optimal", "local"])
def test_column_names_with_quotation_marks_are_read_back(method: str, tmp_path: Path) -> None:
    names = ['size "EU"', '"', 'a""b', "x,y\nz"]
    rows = pl.DataFrame({name: [(i * (j + 2)) % 3 for i in range(60)] for j, name in enumerate(names)})
    said: dict[str, Any] = {"quasi": names[:2], "sensitive": names[2:3], "others": names[3:]}
    release = la.anonymize(
        rows, la.KAnonymity(5), method=method, linked=dict.fromkeys(names[2:], "accept"), **said
    )
    release.save(tmp_path / "out")
    assert la.verify(tmp_path / "out" / "release.csv", tmp_path / "out" / "certificate.json").ok
    assert la.read_release(tmp_path / "out").columns == names
    assert la.apply(tmp_path / "out", rows, suppression=1.0).rows.columns == names
