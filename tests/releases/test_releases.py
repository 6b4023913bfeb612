"""A release is saved whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from lookalike import fca


def _release() -> la.Release:
    return la.anonymize(
        la.table(pl.DataFrame({"age": [1, 1, 2, 2], "x": list("abcd")}), quasi=["age"], others=["x"]),
        la.KAnonymity(2),
    )


def test_a_saved_release_holds_what_goes_out_what_stays_and_no_traces(tmp_path: Path) -> None:
    folder = _release().save(tmp_path / "deep" / "out")
    assert [p.name for p in tmp_path.rglob(".*")] == []
    assert sorted(p.name for p in folder.iterdir()) == [
        "certificate.json",
        "csv-metadata.json",
        "datapackage.json",
        "dictionary.md",
        "private",
        "release.csv",
        "report.html",
    ]
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
    table = la.table(pl.DataFrame({"town": towns * 5, "age": [1] * 20}), quasi=["town", "age"])
    release = la.anonymize(table, la.KAnonymity(20), method="mondrian", suppression=0.0)
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
    files = {path.name for path in kept.iterdir() if path.is_file()}
    assert files == {
        "assignment.json",
        "evidence.json",
        "recipe.toml",
        "recoding.json",
        "report-internal.html",
        "run.json",
    }
    modes = {path.is_dir(): stat.S_IMODE(path.stat().st_mode) for path in kept.rglob("*")}
    assert set(modes.items()) <= {(False, 0o600), (True, 0o700)}
    _release().save(folder, overwrite=True)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700


def test_whatever_else_tells_of_the_original_is_for_its_owner_only(tmp_path: Path) -> None:
    release, mask = _release(), os.umask(0o022)
    try:
        release.report(tmp_path / "internal.html")
        release.report(tmp_path / "recipient.html", version="recipient")
        people = la.datasets.population(60, seed=1)
        la.prepare(people).save(tmp_path / "recipe.toml")
        la.table(people, quasi=["area"], others=[]).tree("area").write(tmp_path / "areas.csv")
        fca.write_context(la.Context.of({"cat": ["legs"], "fish": ["fins"]}), tmp_path / "context.cxt")
    finally:
        os.umask(mask)
    assert (tmp_path / "hierarchies").is_dir()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes.pop("recipient.html") == 0o644
    assert {name for name, mode in modes.items() if mode & 0o077} == set()


def _town_release(town: str) -> la.Release:
    """A release in which one person from a town of their own is left out."""
    towns = ["Leeds", "Leeds", "York", "York", town]
    table = la.table(
        pl.DataFrame({"town": towns, "age": [31, 32, 33, 34, 90 + len(town)], "s": list("ababc")}),
        quasi=["town"],
        sensitive=["s"],
        others=["age"],
    )
    return la.anonymize(table, la.KAnonymity(2), method="levels", levels={}, suppression=0.5)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_nothing_that_goes_out_tells_one_guess_about_a_person_left_out_from_another(
    tmp_path: Path, format: str
) -> None:
    outs = [
        _town_release(town).save(tmp_path / town, format=format) for town in ("Hull", "Newcastle", "Wick")
    ]
    for name in {path.name for path in outs[0].iterdir()} - {"private", "certificate.json"}:
        assert len({(out / name).read_bytes() for out in outs}) == 1, name
    certificates = [json.loads((out / "certificate.json").read_text()) for out in outs]
    for certificate in certificates:
        del certificate["recoding"], certificate["checksum"]  # random, see below
    assert certificates[0] == certificates[1] == certificates[2]
    assert _town_release("Hull").certificate["recoding"] != _town_release("Hull").certificate["recoding"]


def test_the_commitment_is_opened_by_the_salt_kept_with_the_recoding(tmp_path: Path) -> None:
    folder = _town_release("Hull").save(tmp_path / "out")
    recoding = json.loads((folder / "private" / "recoding.json").read_text())
    assert len(bytes.fromhex(recoding["salt"])) == 32
    assert recoding["salt"] not in (folder / "certificate.json").read_text()
    assert la.verify(folder / "release.csv", folder / "certificate.json").ok
    recoding["salt"] = "00" * 32
    (folder / "private" / "recoding.json").write_text(json.dumps(recoding))
    assert not la.verify(folder / "release.csv", folder / "certificate.json").ok


def test_a_row_of_stars_is_blank_and_its_place_tells_nobody() -> None:
    made = la.pseudonymise(
        people := la.table(
            pl.DataFrame(
                {
                    "id": ["i", "j", "k", "l", "m"],
                    "q": ["odd", "x", "x", "y", "y"],
                    "s": list("vwvwv"),
                    "target": [True, False, True, False, True],
                    "other": [1.5, 2.5, 3.5, 4.5, 5.5],
                    "rounded": [11, 22, 33, 44, 55],
                }
            ),
            identifiers=["id"],
            quasi=["q"],
            sensitive=["s"],
            targets=["target"],
            others=["other", "rounded"],
        ),
        ["id"],
        key=la.Key(bytes(range(32))),
    )
    with pytest.warns(la.LookalikeWarning, match="pseudonym"):
        release = la.anonymize(
            people,
            la.KAnonymity(2),
            method="levels",
            levels={},
            suppression=0.5,
            suppressed="star",
            shuffle=False,
            rounding={"rounded": 10},
            pseudonyms={"id": made},
        )
    assert release.rows.row(-1, named=True) == {
        "id": None,
        "q": "*",
        "s": None,
        "target": None,
        "other": None,
        "rounded": None,
    }
    assert release.rows["q"].to_list() == ["x", "x", "y", "y", "*"]
