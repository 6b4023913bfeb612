"""Cells that a spreadsheet would run are warned about, or made plain; undone without loss; understood by verify."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.releases.certificate import checksum
from lookalike.tables.sources.spreadsheets import escape, formula_columns, holds_formulas, unescape

FORMULAS = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-1+1", "\tx", "\rx", "\nx", "＝1", "'=1", "''@x"]
PLAIN = ["-5", "+3.5e-7", "-", "a=b", "'quoted'", "'", "", "[−5, 3]", "*", "'-5"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_is_found_and_made_text(cell: str) -> None:
    rows = pl.DataFrame({"x": [cell]})
    assert formula_columns(rows) == ["x"]
    assert escape(rows)["x"].to_list() == ["'" + cell]
    assert not holds_formulas(escape(rows))


@pytest.mark.parametrize("cell", PLAIN)
def test_what_is_no_formula_stays(cell: str) -> None:
    rows = pl.DataFrame({"x": [cell]})
    assert formula_columns(rows) == []
    assert escape(rows).equals(rows)


texts = st.text(alphabet="'=+-@\t\r\n1.5eE aZ＝", max_size=6)


@given(st.lists(st.one_of(st.none(), texts), max_size=8), texts.filter(bool))
def test_escaping_is_undone_without_loss(cells: list[str | None], name: str) -> None:
    rows = pl.DataFrame({name: pl.Series(cells, dtype=pl.String)})
    assert unescape(escape(rows)).equals(rows)
    assert unescape(escape(rows)).columns == rows.columns
    assert not holds_formulas(escape(rows))


def _release() -> la.Release:
    frame = pl.DataFrame(
        {"q": ["=a", "=a", "b", "b"], "=note": ["=1+1", "x;=2", None, ""], "n": [-1, 2, None, 4]}
    )
    return la.anonymize(la.table(frame, quasi=["q"], others=[]), la.KAnonymity(2), method="levels", levels={})


def test_formulas_are_warned_about_by_column(tmp_path: Path) -> None:
    with pytest.warns(la.LookalikeWarning, match="'q', '=note' begin as formulas"):
        _release().save(tmp_path / "out")
    _release().save(tmp_path / "other", format="parquet")  # no spreadsheet, no warning


def test_a_safe_release_verifies_and_reads_back_as_it_was(tmp_path: Path) -> None:
    release = _release()
    folder = release.save(tmp_path / "out", spreadsheet_safe=True)
    assert not holds_formulas(pl.read_csv(folder / "release.csv", infer_schema=False))
    result = la.verify(folder / "release.csv", folder / "certificate.json")
    assert result.ok, str(result)
    rows = la.read_release(folder)
    assert rows.equals(release.rows.with_columns(pl.col("n").cast(pl.String)))
    written = json.loads((folder / "certificate.json").read_text())
    assert written["release"]["spreadsheet_safe"] is True
    written["release"]["spreadsheet_safe"] = False
    written["checksum"] = checksum(written)
    (folder / "certificate.json").write_text(json.dumps(written))
    assert not la.verify(folder / "release.csv", folder / "certificate.json").ok


def test_a_release_said_to_be_safe_that_is_not_fails(tmp_path: Path) -> None:
    with pytest.warns(la.LookalikeWarning):
        folder = _release().save(tmp_path / "out")
    path = folder / "certificate.json"
    written = json.loads(path.read_text())
    written["release"]["spreadsheet_safe"] = True
    written["checksum"] = checksum(written)
    path.write_text(json.dumps(written))
    result = la.verify(folder / "release.csv", path)
    assert any(f.check == "spreadsheets" and f.ok is False for f in result.findings)


@pytest.mark.parametrize(
    "cell", ["=1+1", "'=1", "-x", "+x", "@x", "\tx", "\rx", "\nx", "＝x", "＋x", "－x", "＠x"]
)
def test_a_formula_is_found_among_many_texts(cell: str) -> None:
    plain = pl.Series(
        "x", [f"{sign}{i}" for i in range(100) for sign in ("", "-", "a", "é", "'", "：", "～")]
    )
    assert formula_columns([plain]) == []
    assert formula_columns([pl.concat([plain, pl.Series("x", [cell])])]) == ["x"]
