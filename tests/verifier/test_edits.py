"""Every field of a certificate is edited in turn: the edit is found, or the field is named as not checked."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from lookalike.releases.certificate import checksum
from lookalike.releases.fields import FIELDS, field_of, paths

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


def _edits(value: Any) -> Iterator[Any]:
    """Other values of the same form, and of others."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1 if value > 0 else 7, 1000)
    elif isinstance(value, str):
        yield from (value[::-1] + "x", "people" if value == "records" else "keep", "0" * len(value))
    elif isinstance(value, list):
        yield from ([], value[1:], [*value, *value], value[::-1] if len(value) > 1 else ["x"])
    elif value is None:
        yield from ("*", "note", 1)
    elif isinstance(value, dict):
        yield {"x": 1}


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        for name, below in value.items():
            yield from _leaves(below, (*path, name))
        yield path
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for place, below in enumerate(value):
            yield from _leaves(below, (*path, place))
        yield path
    else:
        yield path


def _set(written: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    out = copy.copy(written)
    out[path[0]] = _set(written[path[0]], path[1:], value)
    return out


def _get(written: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        written = written[part]
    return written


def _same(value: list[str], original: Any, where: tuple[Any, ...]) -> bool:
    """The same names in another order say the same."""
    return sorted(value) == sorted(_get(original, where))


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
    for where in _leaves(original):
        if where in ((), ("checksum",)):
            continue
        for value in _edits(_get(original, where)):
            if value == _get(original, where) or (
                where[0] in ("quasi", "sensitive") and _same(value, original, where)
            ):
                continue
            written = _set(original, where, value)
            written["checksum"] = checksum(written)
            path.write_text(json.dumps(written))
            edited += 1
            try:
                result = la.verify(folder / "release.csv", path)
            except la.FileError:
                continue
            words = [part for part in where if not isinstance(part, int)]
            field = field_of(".".join(words)) or words[0]
            named = any(one == field or one.startswith(f"{field}.") for one in result.stated)
            assert not result.ok or named, (where, value)
            written["checksum"] = original["checksum"]  # and of a careless editor every edit is found
            path.write_text(json.dumps(written))
            assert not la.verify(folder / "release.csv", path, allow_unknown=True).ok
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
        written = _set(original, where, value)
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
