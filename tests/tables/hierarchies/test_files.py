"""ARX's hierarchy files, and folders of them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from lookalike.tables.hierarchies.files import collect, read_folder
from tables.hierarchies.trees import labels_of, nominal


def test_a_file_is_read_leaf_first(tmp_path: Path) -> None:
    path = tmp_path / "zip.csv"
    path.write_text('\ufeff8010;80**;****\r\n8020;80**;****\n\n"90;10";90**;****\n', encoding="utf-8")
    tree = la.Hierarchy.read(path).grow(nominal(["8010", "90;10"]))
    assert labels_of(tree, 1) == ["80**", "90**"]
    assert tree.total == 3
    assert la.Hierarchy.read(path).options["source"] == "zip.csv"


def test_other_delimiters_and_encodings_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "town.csv"
    path.write_bytes("Köln,West\nGera,Ost\n".encode("latin-1"))
    tree = la.Hierarchy.read(path, delimiter=",", encoding="latin-1").grow(nominal(["Gera", "Köln"]))
    assert labels_of(tree, 1) == ["Ost", "West"]
    with pytest.raises(la.FileError, match=r"not utf-8\. Save it as UTF-8"):
        la.Hierarchy.read(path, delimiter=",")
    with pytest.raises(la.FileError, match="cannot be read"):
        la.Hierarchy.read(path, encoding="klingon")
    (tmp_path / "wrong.csv").write_text("a,x\nb,y\n")
    with pytest.raises(la.HierarchyError, match=r"one level each.*delimiter"):
        la.Hierarchy.read(tmp_path / "wrong.csv")
    (tmp_path / "empty.csv").write_text("\n;;\n")
    with pytest.raises(la.HierarchyError, match="is empty"):
        la.Hierarchy.read(tmp_path / "empty.csv")
    with pytest.raises(la.FileError, match="no such hierarchy file"):
        la.Hierarchy.read(tmp_path / "nothing.csv")


def test_a_folder_holds_one_file_per_column(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    (tmp_path / "adult_hierarchy_age.csv").write_text("1;*\n2;*\n")
    assert sorted(read_folder(tmp_path)) == ["age", "sex"]
    table = la.table(pl.DataFrame({"sex": ["f", "m"]}), quasi=["sex"], hierarchies=tmp_path)
    assert table.tree("sex").height == 1
    with pytest.raises(la.FileError, match="none of its 2 hierarchy files is named after a column"):
        collect(tmp_path, ["town"])
    with pytest.raises(la.FileError, match="no such folder"):
        collect(tmp_path / "nowhere", ["sex"])
    (tmp_path / "bare").mkdir()
    with pytest.raises(la.FileError, match=r"holds no .csv"):
        collect(tmp_path / "bare", ["sex"])


def test_hierarchies_are_taken_as_recipes_groups_files_or_written_recipes(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("x;*\n")
    given = {
        "a": la.Hierarchy.mask(),
        "b": tmp_path / "b.csv",
        "c": {"g": ["x"]},
        "d": {"how": "intervals", "widths": [5]},
    }
    assert {name: recipe.how for name, recipe in collect(given, list("abcd")).items()} == {
        "a": "mask",
        "b": "rows",
        "c": "groups",
        "d": "intervals",
    }
    with pytest.raises(la.ColumnError, match="hierarchies: there is no column 'e'"):
        collect({"e": la.Hierarchy.mask()}, ["a"])
    with pytest.raises(la.HierarchyError, match="unknown kind of hierarchy 'magic'"):
        la.Hierarchy.from_dict({"how": "magic"})
    with pytest.raises(la.HierarchyError, match="needs 'points'"):
        la.Hierarchy.from_dict({"how": "cuts"})


def test_arx_hierarchies_of_adult_cover_their_columns(shared_data: Path) -> None:
    folder = shared_data / "adult_arx"
    table = la.read(folder / "adult_arx.csv", hierarchies=folder / "hierarchies")
    heights = {name: table.tree(name).height for name in table.names}
    assert heights == {
        "sex": 1, "age": 4, "race": 1, "marital-status": 2, "education": 3,
        "native-country": 2, "workclass": 2, "occupation": 2, "salary-class": 1,
    }  # fmt: skip
    assert table.tree("age").total == 100
    assert table.tree("native-country").total == 41


def test_a_ragged_file_and_one_that_lacks_values(shared_data: Path) -> None:
    folder = shared_data / "informs"
    table = la.read(folder / "informs.csv", hierarchies=folder / "hierarchies")
    assert table.tree("EDUCYEAR").height == 2
    assert table.tree("income").height == 7
    with pytest.raises(
        la.UnseenValues, match=r"column 'marry', first in row \d+: marry.csv: \d of \d+ distinct"
    ):
        table.tree("marry")
