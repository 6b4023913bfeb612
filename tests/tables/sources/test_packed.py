"""Packed files are read as what is in them, and what cannot be unpacked is said."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import polars as pl
import pytest
import zstandard

import lookalike as la

ROWS = pl.DataFrame({"age": [30, 31], "town": ["Graz", "Wien"]})
CSV = ROWS.write_csv().encode()


def parquet() -> bytes:
    out = io.BytesIO()
    ROWS.write_parquet(out)
    return out.getvalue()


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return out.getvalue()


PACKED = {
    "people.csv.gz": gzip.compress(CSV, mtime=0),
    "people.tsv.gz": gzip.compress(CSV.replace(b",", b"\t")),
    "people.csv.zst": zstandard.compress(CSV),
    "people.zip": zipped(people_csv=CSV),
    "people.parquet.gz": gzip.compress(parquet(), mtime=0),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_file_is_read_as_what_is_in_it(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(PACKED[name])
    people = la.read(tmp_path / name, quasi=["age", "town"])
    assert people.column("age").domain.texts == ["30", "31"]
    assert people.rows["town"].to_list() == ["Graz", "Wien"]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_other_encodings_are_unpacked_first(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress("town,n\nKöln,1\n".encode("latin-1")))
    assert la.read(tmp_path / "a.csv.gz", encoding="latin-1", others=[]).rows["town"].to_list() == ["Köln"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("broken.csv.gz", gzip.compress(CSV, mtime=0)[:-9], "cannot be unpacked as gz"),
        ("broken.csv.zst", b"not zstd at all", "cannot be unpacked as zst"),
        ("broken.zip", b"PK not a zip", "cannot be unpacked as zip"),
        ("two.zip", zipped(a_csv=CSV, b_csv=CSV), "holds 2 files, where one table is needed"),
        ("empty.csv.gz", gzip.compress(b"", mtime=0), "the file is empty"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_cannot_be_unpacked_is_said(name: str, content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(la.FileError, match=told):
        la.read(tmp_path / name)
