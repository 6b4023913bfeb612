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


def test_csv_on_the_web_describes_the_file_as_it_is(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    metadata = json.loads((folder / "csv-metadata.json").read_text(encoding="utf-8"))
    assert metadata["@context"] == "http://www.w3.org/ns/csvw"
    rows = pl.read_csv(folder / metadata["url"])
    columns = metadata["tableSchema"]["columns"]
    assert [column["titles"] for column in columns] == rows.columns
    assert {column["titles"]: (column["datatype"], column["required"]) for column in columns} == {
        "town": ("string", True),
        "age|x": ("integer", False),
        "ill": ("string", True),
    }
    known = {
        "titles",
        "datatype",
        "required",
        "dc:description",
    }  # the words of the standard, and Dublin Core's
    assert all(set(column) <= known for column in columns)


def test_types_on_the_web_are_types_of_the_standard(tmp_path: Path) -> None:
    """https://www.w3.org/TR/tabular-data-model/#datatypes; dates and true and false are written as it expects."""
    frame = pl.DataFrame(
        {
            "town": ["Gent"] * 4,
            "day": pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 4), eager=True),
            "yes": [True, False, True, False],
            "ratio": [0.5, 1.5, 2.5, 3.5],
        }
    )
    made = la.anonymize(la.table(frame, quasi=["town"], others=[]), la.KAnonymity(2))
    folder = made.save(tmp_path / "out")
    metadata = json.loads((folder / "csv-metadata.json").read_text(encoding="utf-8"))
    types = [column["datatype"] for column in metadata["tableSchema"]["columns"]]
    assert types == ["string", "date", "boolean", "number"]
    assert (folder / "release.csv").read_text(encoding="utf-8").count("2024-01-0") == 4
    assert "true" in (folder / "release.csv").read_text(encoding="utf-8")


def test_a_parquet_file_is_no_csv_on_the_web(tmp_path: Path) -> None:
    frame = pl.DataFrame({"town": ["Gent"] * 4})
    folder = la.anonymize(frame, la.KAnonymity(2), quasi=["town"]).save(tmp_path / "out", format="parquet")
    assert not (folder / "csv-metadata.json").exists()


def test_the_dictionary_names_no_value_of_anybody_left_out_and_no_column_left_out(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    for name in ("dictionary.md", "datapackage.json", "csv-metadata.json"):
        text = (folder / name).read_text(encoding="utf-8")
        assert not any(word in text for word in ("Hull", "rare", "99", "## name"))
    text = (folder / "dictionary.md").read_text(encoding="utf-8")
    assert "| Leeds | 2 |" in text
    assert "## age\\|x" in text
    assert "2-anonymity" in text or "k-anonymity" in text


def test_of_very_many_values_people_read_the_commonest_and_machines_all(tmp_path: Path) -> None:
    ages = pl.DataFrame({"age": [5 * (i // 5) for i in range(600)] + [0] * 9})
    release = la.anonymize(la.table(ages, quasi=["age"]), la.KAnonymity(5))
    release.save(tmp_path / "out")
    told = (tmp_path / "out" / "dictionary.md").read_text("utf-8")
    assert told.count("\n| ") == 2 + 50
    assert "The 50 commonest; 70 more are in datapackage.json." in told
    assert "| 0 | 14 |" in told
    package = json.loads((tmp_path / "out" / "datapackage.json").read_text("utf-8"))
    assert len(package["resources"][0]["schema"]["fields"][0]["counts"]) == 120


def test_numbers_that_came_as_text_are_numbers_and_codes_are_not(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {
            "town": ["Gent"] * 4,
            "weight": ["70.5", "81", "64.0", ""],
            "height": ["170", "181", "", "-1"],
            "code": ["007", "120", "131", "144"],
            "ward": ["1", "2", "3", "4"],
            "share": ["7 %", "8 %", "9 %", "1 %"],
        }
    )
    rows.write_csv(tmp_path / "people.csv")
    table = la.read(tmp_path / "people.csv", quasi=["town"], others=[], types={"ward": "nominal"})
    made = la.anonymize(table, la.KAnonymity(2))
    folder = made.save(tmp_path / "out")
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    types = {field["name"]: field["type"] for field in package["resources"][0]["schema"]["fields"]}
    assert types == {
        "town": "string", "weight": "number", "height": "integer",
        "code": "string", "ward": "string", "share": "string",
    }  # fmt: skip
    packed = made.save(tmp_path / "packed", format="parquet")
    package = json.loads((packed / "datapackage.json").read_text(encoding="utf-8"))
    kinds = pl.read_parquet_schema(packed / "release.parquet")
    for field in package["resources"][0]["schema"]["fields"]:  # of a file with types of its own, these
        assert (field["type"] == "string") == (kinds[field["name"]] == pl.String)


def test_what_is_published_as_it_is_is_not_called_blurred(tmp_path: Path) -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 20, "age": [20 + i // 2 for i in range(40)]})
    made = la.anonymize(la.table(frame, quasi=["sex", "age"]), la.KAnonymity(4), method="local")
    assert [one.what for one in made.outcomes if one.column == "sex"] == ["as it is"]
    folder = made.save(tmp_path / "out")
    sections = (folder / "dictionary.md").read_text(encoding="utf-8").split("\n## ")
    sex, age = (next(one for one in sections if one.startswith(name)) for name in ("sex", "age"))
    assert "nothing of it had to be blurred); kept as it is." in sex
    assert "so it was blurred); generalised to ranges" in age
