"""Columns of a release are numbered, and rows grouped, as a plain count of texts says; however the file is cut."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lookalike.verifier import reading
from lookalike.verifier.contents import made_plain
from lookalike.verifier.reading import read_rows
from lookalike.verifier.released import Released

WORDS = ["", "a", "b", "ä", "*", "[1, 2]", "long text " * 9, None]


def _texts(rows: Released, name: str) -> list[str | None]:
    column = rows.columns[name]
    return [[None, *column.texts.to_list()][place] for place in column.places.tolist()]


def _frame(seed: int, height: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "word": [WORDS[i] for i in draw.integers(0, len(WORDS), height)],
            "own": [f"name {i}" for i in draw.permutation(height)],
            "near": draw.integers(-5, 30, height),
            "far": draw.integers(-(2**62), 2**62, height),
            "gap": pl.Series(draw.integers(2**53, 2**53 + 9, height)).set(
                pl.Series(draw.random(height) < 0.3), None
            ),
            "half": draw.integers(0, 9, height) / 2,
            "nothing": pl.Series([None] * height, dtype=pl.Int64),
        }
    )


@pytest.mark.parametrize("height", [0, 1, 7, 150, 230, 1200])
@pytest.mark.parametrize("at_once", [3, 90, 250, 5000])
def test_pieces_are_put_together_whatever_their_size(
    height: int, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_AT_ONCE", at_once)
    frame = _frame(height, height)
    frame.write_parquet(tmp_path / "release.parquet")
    rows = read_rows(tmp_path / "release.parquet")
    assert rows.height == height
    for name in frame.columns:
        expected = [None if value is None else str(value) for value in frame[name].to_list()]
        assert _texts(rows, name) == expected
        counts = Counter(expected)
        none = [(None, counts.pop(None))] if None in counts else []
        assert rows.columns[name].counts.pairs() == [*none, *sorted(counts.items())]


def test_a_large_csv_file_reads_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = _frame(1, 900)
    frame.write_csv(tmp_path / "release.csv")
    small = read_rows(tmp_path / "release.csv")
    monkeypatch.setattr(reading, "_SMALL", 1)
    large = read_rows(tmp_path / "release.csv")
    for name in frame.columns:
        assert _texts(small, name) == _texts(large, name)


@pytest.mark.parametrize("names", [["word"], ["word", "near"], ["own", "far", "half"], ["nothing"], []])
@pytest.mark.parametrize("height", [1, 40, 900])
def test_rows_are_grouped_as_a_count_of_texts_says(names: list[str], height: int, tmp_path: Path) -> None:
    _frame(2, height).write_parquet(tmp_path / "release.parquet")
    whole = read_rows(tmp_path / "release.parquet")
    for rows in (whole, whole.take(np.arange(height) % 2 == 0)):
        classes = rows.classes(names)
        tuples = list(zip(*(_texts(rows, name) for name in names), strict=True)) or [()] * rows.height
        assert sorted(classes.sizes.tolist()) == sorted(Counter(tuples).values())
        first = classes.first()
        assert [tuples[i] for i in first] == [tuples[i] for i in dict.fromkeys(first.tolist())]
        assert [tuples.index(tuples[i]) for i in first] == first.tolist()
        for name in rows.columns:
            texts = _texts(rows, name)
            of, place, times = classes.with_values(rows.columns[name])
            named = [None, *rows.columns[name].texts.to_list()]
            found = {
                (tuples[first[a]], named[b]): n
                for a, b, n in zip(of.tolist(), place.tolist(), times.tolist(), strict=True)
            }
            assert found == Counter(zip(tuples, texts, strict=True))


def test_texts_that_were_made_safe_for_spreadsheets_are_one_again(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("'=a,b\n'=1+1,x\n''=1+1,y\n=1+1,x\n")
    rows = made_plain(read_rows(tmp_path / "release.csv"))
    assert _texts(rows, "=a") == ["=1+1", "'=1+1", "=1+1"]
    assert rows.classes(["=a"]).sizes.tolist() in ([2, 1], [1, 2])
