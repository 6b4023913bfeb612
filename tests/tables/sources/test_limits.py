"""A small file that asks for more memory than there is gets a sentence, and the process lives."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from lookalike.tables.sources.files import read_file

LIMIT = 64 << 20
ROWS = 40_000_000  # of zeros, which are a few kilobytes in a file and 320 MB in memory

_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
    'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://'
    'schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="r1"/>'
    "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}
_CELLS = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>age</t></is></c></row><row r="2"><c r="A2"><v>3</v></c></row>'
)
_STRAY = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


def workbook(path: Path, cells: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in _PARTS.items():
            packed.writestr(name, text)
        sheet = f"<sheetData>{cells}</sheetData>"
        start = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        packed.writestr("xl/worksheets/sheet1.xml", f"{start}{sheet}</worksheet>")


def zstd(path: Path, text: bytes) -> None:
    zstandard = pytest.importorskip("zstandard")
    path.write_bytes(zstandard.ZstdCompressor().compress(text))


def zipped(path: Path, text: bytes) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("people.csv", text)


def zeros() -> pl.DataFrame:
    return pl.select(pl.repeat(0, ROWS, dtype=pl.Int64).alias("age"))


def long_rows() -> pl.DataFrame:
    return pl.select(pl.repeat(0, ROWS, dtype=pl.Int64).implode().alias("age"))


TEXT = b"age,job\n" + b"1,2\n" * (LIMIT // 3)
BOMBS: dict[str, Callable[[Path], object]] = {
    "stray.xlsx": lambda path: workbook(path, _CELLS + _STRAY),
    "long.xlsx": lambda path: workbook(path, _CELLS + "<row><c><v>1</v></c></row>" * 2_000_000),
    "text.csv.gz": lambda path: path.write_bytes(gzip.compress(TEXT)),
    "text.csv.zst": lambda path: zstd(path, TEXT),
    "text.csv.zip": lambda path: zipped(path, TEXT),
    "zeros.parquet": lambda path: zeros().write_parquet(path),
    "lists.parquet": lambda path: long_rows().write_parquet(path),
    "zeros.arrow": lambda path: zeros().write_ipc(path, compression="zstd"),
    "stream.arrow": lambda path: zeros().write_ipc_stream(path, compression="zstd"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_needs_more_memory_than_there_is_gets_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    BOMBS[name](path)
    assert path.stat().st_size < LIMIT // 8
    for room in ("apart", "files", "packed"):
        monkeypatch.setattr(f"lookalike.tables.sources.{room}.readable", lambda: LIMIT)
    with pytest.raises(la.FileError, match="64 MB, half of the memory that is free"):
        read_file(path)


def test_a_stray_cell_in_the_last_corner_of_a_sheet_ends_nothing(tmp_path: Path) -> None:
    workbook(tmp_path / "good.xlsx", _CELLS)
    rows = read_file(tmp_path / "good.xlsx")
    assert isinstance(rows, pl.DataFrame)
    assert rows["age"].to_list() == [3]
    workbook(tmp_path / "stray.xlsx", _CELLS + _STRAY)  # 549 GB for the sheet
    with pytest.raises(la.FileError, match="stray cells"):
        read_file(tmp_path / "stray.xlsx")


def test_modules_beside_a_table_are_not_run_by_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "polars.py").write_text("raise SystemExit(3)")
    workbook(tmp_path / "good.xlsx", _CELLS)
    monkeypatch.chdir(tmp_path)
    rows = read_file(Path("good.xlsx"))
    assert isinstance(rows, pl.DataFrame)
    assert rows.height == 1


@pytest.mark.parametrize(
    "text",
    [
        b"a" * 3_000_000,
        b"," * 3_000_000 + b"\n1\n",
        b"a,b\n1," + b"x" * 30_000_000,
        b'a,b\n1,"' + b"x" * 30_000_000,
        b",".join(b"%d" % i for i in range(100_000)) + b"\n" * 3_000_000 + b"1",
    ],
    ids=["one name", "names without end", "a cell without end", "a quotation without end", "wide and long"],
)
def test_a_gigantic_line_is_read_or_refused_in_a_sentence(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(text)
    with suppress(la.LookalikeError):
        read_file(path)


def test_blank_lines_below_a_wide_header_take_no_room_and_are_counted(tmp_path: Path) -> None:
    names = ",".join(f"c{i}" for i in range(50_000))
    path = tmp_path / "people.csv"
    path.write_text(names + "\n" * 2_000_000 + "," * 49_999 + "\n")
    assert read_file(path).height == 1
    path.write_text(names + "\n" * 6_000_000 + "1,2\n")
    with pytest.raises(la.FileError, match="line 6000001: 2 fields"):
        read_file(path)
