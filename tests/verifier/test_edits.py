"""Every field of a certificate is edited in turn: the edit is found, or the field is named as not checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from lookalike.releases.certificate import checksum
from lookalike.releases.fields import FIELDS, field_of, paths
from verifier.editing import edits, replaced, slips_through

RELEASES: dict[str, dict[str, Any]] = {
    "levels, dropped": {"method": "levels", "levels": {"age": 1}},
    "levels, starred": {"method": "levels", "levels": {"age": 1}, "suppressed": "star"},
    "local": {"method": "local"},
    "people": {"method": "levels", "levels": {"age": 1}, "unit": True},
    "mean": {"method": "mondrian", "numbers": {"age": "mean"}},
    "limited": {"method": "optimal", "seconds": 60},
}


def _make(tmp_path: Path, made: dict[str, Any]) -> Path:
    options = dict(made)
    unit = "id" if options.pop("unit", False) else None
    frame = pl.DataFrame(
        {
            "id": [*range(12), 12],
            "age": [20, 21, 22, 30, 31, 32, 40, 41, 42, 43, 44, 45, 99],
            "grade": ["low", "mid", "high", "low", "high", "mid", "low", "mid", "high", "low", "mid", "high", "mid"],
            "illness": ["flu", "ulcer", "cold"] * 4 + ["rare"],
            "note": list("abcdefghijklm"),
            "name": [f"person {i}" for i in range(13)],
        }
    )  # fmt: skip
    table = la.table(
        frame,
        identifiers=["name"] if unit else ["name", "id"],
        quasi=["age"],
        sensitive=["grade", "illness"],
        others=["note", "id"] if unit else ["note"],
        unit=unit,
        types={"grade": ["low", "mid", "high"]},
        hierarchies={
            "age": la.Hierarchy.intervals(10, 50),
            "illness": la.Hierarchy.groups({"x": ["flu", "cold"], "y": ["ulcer", "rare"]}),
        },
    )
    models = [
        la.KAnonymity(3),
        la.LDiversity("illness", 2),
        la.TCloseness("grade", 0.9),
        la.TCloseness("illness", 0.9, distance="hierarchical"),
    ]
    return la.anonymize(table, *models, suppression=0.2, **options).save(tmp_path / "out")


@pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")
@pytest.mark.parametrize("made", RELEASES)
def test_an_edit_of_any_field_is_found_or_the_field_is_named(tmp_path: Path, made: str) -> None:
    folder = _make(tmp_path, RELEASES[made])
    (folder / "private" / "recoding.json").unlink()
    path = folder / "certificate.json"
    original = json.loads(path.read_text())
    untouched = la.verify(folder / "release.csv", path)
    assert untouched.ok, str(untouched)
    assert untouched.signature.startswith("not signed")
    edited = 0
    for where, value in edits(original):
        edited += 1
        assert not slips_through(folder / "release.csv", path, original, where, value), (where, value)
        path.write_text(
            json.dumps(replaced(original, where, value))
        )  # of a careless editor every edit is found
        try:
            assert not la.verify(folder / "release.csv", path, allow_unknown=True).ok
        except la.FileError:
            continue
    assert edited > 100


@pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")
def test_whoever_has_the_recoding_finds_more_edits(tmp_path: Path) -> None:
    folder = _make(tmp_path, RELEASES["levels, dropped"])
    path = folder / "certificate.json"
    original = json.loads(path.read_text())
    assert "recoding" not in la.verify(folder / "release.csv", path).stated
    for where, value in [
        (("promise", 0, "k"), 2),
        (("recoding",), "0" * 64),
        (("sensitive",), original["sensitive"][::-1]),
    ]:
        written = replaced(original, where, value)
        written["checksum"] = checksum(written)
        path.write_text(json.dumps(written))
        result = la.verify(folder / "release.csv", path)
        assert any(f.check == "recoding" and f.ok is False for f in result.findings), where


@pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")
def test_what_each_field_reveals_is_said_of_every_field_and_in_the_docs(tmp_path: Path) -> None:
    seen = set()
    for number, made in enumerate(RELEASES.values()):
        folder = _make(tmp_path / str(number), made)
        seen |= {field_of(path) for path in paths(json.loads((folder / "certificate.json").read_text()))}
    assert None not in seen
    page = (Path(__file__).parents[2] / "docs" / "certificate.md").read_text(encoding="utf-8")
    for name, field in FIELDS.items():
        assert f"| `{name}` | {field.checked} | {field.reveals} |" in page
