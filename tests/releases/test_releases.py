"""A release is saved whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import polars as pl
import pytest

import lookalike as la


def _release() -> la.Release:
    return la.anonymize(
        la.table(pl.DataFrame({"age": [1, 1, 2, 2], "x": list("abcd")}), quasi=["age"], others=["x"]),
        la.KAnonymity(2),
    )


def test_a_saved_release_holds_what_goes_out_what_stays_and_no_traces(tmp_path: Path) -> None:
    folder = _release().save(tmp_path / "deep" / "out")
    assert [p.name for p in tmp_path.rglob(".*")] == []
    assert sorted(p.name for p in folder.iterdir()) == ["certificate.json", "private", "release.csv"]
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["out"]


def test_an_existing_release_is_only_replaced_when_asked(tmp_path: Path) -> None:
    folder = _release().save(tmp_path / "out", format="parquet")
    with pytest.raises(la.FileError, match="exists already"):
        _release().save(folder)
    assert (folder / "release.parquet").exists()
    _release().save(folder, overwrite=True)
    assert not (folder / "release.parquet").exists()
    assert (folder / "release.csv").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_failure_half_way_leaves_nothing_and_keeps_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _release().save(tmp_path / "out")
    before = (folder / "release.csv").read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lookalike.releases.release._write_json", full)
    with pytest.raises(la.FileError, match="the disk is full"):
        _release().save(folder, overwrite=True)
    assert (folder / "release.csv").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_an_interrupt_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lookalike.releases.release._write_json", stop)
    with pytest.raises(KeyboardInterrupt):
        _release().save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_only_known_formats_are_written(tmp_path: Path) -> None:
    with pytest.raises(la.RequestError, match="csv or parquet"):
        _release().save(tmp_path / "out", format="xml")
    assert list(tmp_path.iterdir()) == []


def test_values_with_delimiters_and_quotes_survive_the_round_trip(tmp_path: Path) -> None:
    towns = ["Liège, la", 'the "old" town', "{x}", "a | b"]
    table = la.table(pl.DataFrame({"town": towns, "age": [1, 1, 1, 1]}), quasi=["town", "age"])
    release = la.anonymize(table, la.KAnonymity(4), method="mondrian", suppression=0.0)
    folder = release.save(tmp_path / "out")
    from lookalike.recodings.labels import ValueSet, read_label

    label = read_label(pl.read_csv(folder / "release.csv")["town"][0])
    assert isinstance(label, ValueSet)
    assert set(label.values) == set(towns)


def test_only_a_release_is_ever_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(la.FileError, match="something else than a release"):
        _release().save(folder, overwrite=True)
    plain = tmp_path / "file"
    plain.write_text("x")
    with pytest.raises(la.FileError, match="something else than a release"):
        _release().save(plain, overwrite=True)
    assert (folder / "thesis.txt").read_text() == "years of work"
    assert plain.read_text() == "x"


def test_what_stays_is_for_its_owner_only(tmp_path: Path) -> None:
    folder = _release().save(tmp_path / "out")
    kept = folder / "private"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    assert [path.name for path in kept.iterdir()] == ["recoding.json"]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept.iterdir())
    _release().save(folder, overwrite=True)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
