"""The data dictionary names every released column, its values and counts, and nothing that was left out."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

import lookalike as la


def _folder(tmp_path: Path) -> Path:
    frame = pl.DataFrame(
        {
            "name": list("abcde"),
            "town": ["Leeds", "Leeds", "York", "York", "Hull"],
            "age|x": [31, 32, 33, None, 99],
            "ill": ["flu", "cold", "flu", "cold", "rare"],
        }
    )
    table = la.table(frame, identifiers=["name"], quasi=["town"], sensitive=["ill"], others=["age|x"])
    release = la.anonymize(table, la.KAnonymity(2), method="levels", levels={}, suppression=0.2)
    return release.save(tmp_path / "out")


def test_the_data_package_describes_the_release_column_by_column(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    package = json.loads((folder / "datapackage.json").read_text())
    resource = package["resources"][0]
    rows = pl.read_csv(folder / resource["path"])
    fields = {field["name"]: field for field in resource["schema"]["fields"]}
    assert list(fields) == rows.columns
    assert fields["town"]["constraints"]["enum"] == ["Leeds", "York"]
    assert fields["ill"]["counts"] == {"cold": 2, "flu": 2}
    assert (fields["age|x"]["type"], fields["age|x"]["missing"]) == ("integer", 1)
    assert fields["town"]["role"] == "quasi"
    assert "kept as it is" in fields["town"]["description"]


def test_the_dictionary_names_no_value_of_anybody_left_out_and_no_column_left_out(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    for name in ("dictionary.md", "datapackage.json"):
        text = (folder / name).read_text(encoding="utf-8")
        assert not any(word in text for word in ("Hull", "rare", "99", "## name"))
    text = (folder / "dictionary.md").read_text(encoding="utf-8")
    assert "| Leeds | 2 |" in text
    assert "## age\\|x" in text
    assert "2-anonymity" in text or "k-anonymity" in text
