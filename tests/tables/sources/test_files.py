"""Files: whatever the delimiter, quote, encoding, line ends or format; and the place of what is wrong."""

from __future__ import annotations

import csv
import io
import warnings
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.sources import delimited


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(content: str | bytes, name: str = "people.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def columns(path: Path, **options: Any) -> dict[str, list[Any]]:
    return la.read(path, **options).rows.to_dict(as_series=False)


PLAIN = {"age": ["34", "35"], "town": ["Graz", "Linz"]}


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("age,town\n34,Graz\n35,Linz\n", {}),
        ("age;town\n34;Graz\n35;Linz", {}),
        ("age\ttown\n34\tGraz\n35\tLinz\n", {}),
        ("age|town\n34|Graz\n35|Linz\n", {}),
        ("age town\n34 Graz\n35 Linz\n", {"delimiter": " "}),
        ("age,town\r\n34,Graz\r\n35,Linz\r\n", {}),
        ("age,town\r34,Graz\r35,Linz\r", {}),
        ("\ufeffage,town\n34,Graz\n35,Linz\n", {}),
        ('"age","town"\n"34","Graz"\n35,"Linz" \n', {}),
        ("'age','town'\n34,'Graz'\n35,Linz\n", {"quote": "'"}),
        ("\n\nage,town\n\n34,Graz\n\r\n35,Linz\n\n", {}),
        (" age , town\n34,Graz\n35,Linz\n", {}),
        ("34,Graz\n35,Linz\n", {"header": False, "names": ["age", "town"]}),
        ("\ufeff34,Graz\n35,Linz\n", {"header": False, "names": ["age", "town"]}),
        ("a,b\n34,Graz\n35,Linz\n", {"names": ["age", "town"]}),
    ],
)
def test_the_same_table_in_many_spellings(write: Any, content: str, options: dict[str, Any]) -> None:
    assert columns(write(content), **options) == PLAIN


def test_characters_of_windows_read_as_latin_1_are_told(write: Any) -> None:
    path = write("Löhne in €,n\n1,2\n".encode("cp1252"))
    with pytest.warns(la.LookalikeWarning, match="no letters in latin-1; .* cp1252"):
        la.read(path, encoding="latin-1")
    assert list(columns(path, encoding="cp1252")) == ["Löhne in €", "n"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "utf-8-sig"])
def test_encodings(write: Any, encoding: str) -> None:
    path = write("town;n\nKöln;1\n".encode(encoding))
    assert columns(path, encoding=encoding) == {"town": ["Köln"], "n": ["1"]}


def test_utf_16_is_known_by_its_mark(write: Any) -> None:
    assert columns(write("town,n\nKöln,1\n".encode("utf-16"))) == {"town": ["Köln"], "n": ["1"]}


def test_columns_without_a_header_are_numbered(write: Any) -> None:
    assert columns(write("34,Graz\n35,Linz\n"), header=False) == {
        "column_1": ["34", "35"],
        "column_2": ["Graz", "Linz"],
    }


def test_a_column_without_a_name_is_called_by_its_place_with_a_warning(write: Any) -> None:
    with pytest.warns(la.LookalikeWarning, match="column 1 is called 'column_1'"):
        assert list(columns(write(",town\n0,Graz\n"))) == ["column_1", "town"]


def test_quoted_values_hold_delimiters_quotes_and_lines(write: Any) -> None:
    path = write('a,b\n"x, ""y""",1\n"two\nlines",2\n"x, ""y""",""\n')
    assert columns(path) == {"a": ['x, "y"', "two\nlines", 'x, "y"'], "b": ["1", "2", None]}


def test_doubled_marks_mean_one_only_inside_quotation_marks(write: Any) -> None:
    path = write('a,b\nx""y,1\n"x""y",2\n"x",3\nx,4\n"long value ""x""",5\nlong value ""x"",6\n')
    assert columns(path)["a"] == ['x""y', 'x"y', "x", "x", 'long value "x"', 'long value ""x""']
    assert la.read(path).column("a").domain.size == 5


def test_quotation_marks_inside_a_value_are_ordinary_characters(write: Any) -> None:
    path = write("a,b\n5' 10\",x\n6',\"y\n")
    assert columns(path, quote="") == {"a": ["5' 10\"", "6'"], "b": ["x", '"y']}
    assert columns(write('a,b\n6" tall,x\n')) == {"a": ['6" tall'], "b": ["x"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", "line 3: 1 fields where the first line has 2"),
        ("Extract of May\na,b\n1,2\n3,4\n", "line 2: 2 fields where .* If that one is a title, take out"),
        (
            "Extract of May,,\na,b,c\n1,2,3\n",
            "the first line names 1 of 3 columns, as a title does. Take out",
        ),
        ("a,b\n1,2\n\n3,4,5\n", "line 4: 3 fields where the first line has 2"),
        ('a,b\n"x\ny",2\n3\n', "line 4: 1 fields"),
        ('"a\nb",c\n1,2\n3\n', "line 4: 1 fields"),
        ('a,b\n1,2\n3,"x\n4,5\n', "line 3: a quotation mark opens here and is never closed"),
        ('a,b\n1,"x"y\n', "line 2, field 2: text follows a closing quotation mark"),
        ("a,b\n", "has column names but no rows"),
        ("", "the file is empty"),
        ("\n\n", "has no columns"),
        (b"a,b\n1,2\n3,\xe9\n", "line 3: not UTF-8 text.*latin-1"),
        (b"a\x00b\x00\n", "zero bytes"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(write: Any, content: str | bytes, message: str) -> None:
    path = write(content)
    with pytest.raises(la.RequestError, match=f"(?s){path.name}.*{message}"):
        la.read(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "||"}, "delimiter must be one plain character"),
        ({"quote": "«"}, "quote must be one plain character"),
        ({"encoding": "klingon"}, "no encoding called 'klingon'"),
        ({"encoding": "utf-16"}, "cannot be read as utf-16"),
        ({"names": ["x"]}, "1 column names were given, but the file has 2"),
        ({"names": ["x", "x"]}, "'x' appears 2 times"),
    ],
)
def test_wrong_options_are_refused(write: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        la.read(write("a,b\n1,2\n3"), **options)


def test_files_that_are_not_there_or_not_what_they_say(write: Any, tmp_path: Path) -> None:
    with pytest.raises(la.FileError, match="no such file"):
        la.read(tmp_path / "nobody.csv")
    with pytest.raises(la.FileError, match="no csv or parquet files there"):
        la.read(tmp_path)
    for name in ("x.parquet", "x.arrow", "x.xlsx"):
        with pytest.raises(la.FileError, match=f"{name}: cannot be read as"):
            la.read(write("a,b\n1,2\n", name))


FRAME = pl.DataFrame(
    {"age": [34, None, 7], "town": ["Graz", "Linz", None], "born": [date(1990, 1, 1), date(1991, 2, 3), None]}
)


def test_every_format_gives_the_same_table(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "t.csv")
    FRAME.write_csv(tmp_path / "t.tsv", separator="\t")
    FRAME.write_parquet(tmp_path / "t.parquet")
    FRAME.write_ipc(tmp_path / "t.arrow")
    FRAME.write_ipc_stream(tmp_path / "stream.arrow")
    FRAME.write_excel(tmp_path / "t.xlsx")
    wanted = la.table(FRAME, quasi=FRAME.columns)
    for path in sorted(tmp_path.iterdir()):
        got = la.read(path, quasi=FRAME.columns)
        for name in FRAME.columns:
            assert got.column(name).kind is wanted.column(name).kind, path.name
            assert got.column(name).domain.texts == wanted.column(name).domain.texts, path.name
            assert np.array_equal(got.column(name).codes, wanted.column(name).codes), path.name


def test_rows_above_the_names_are_passed_over_where_somebody_says_how_many(tmp_path: Path) -> None:
    from xlsxwriter import Workbook

    FRAME.write_csv(tmp_path / "plain.csv")
    below = (tmp_path / "plain.csv").read_text()
    (tmp_path / "t.csv").write_text(f'\ufeffExtract of "May\nby the office\n\n{below}', encoding="utf-8")
    with Workbook(tmp_path / "t.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "Extract of May")
        sheet.write(1, 0, "by the office")
        for row, line in enumerate([FRAME.columns, *FRAME.rows()]):
            sheet.write_row(3 + row, 0, [str(value) if value is not None else "" for value in line])
    for name in ("t.csv", "t.xlsx"):
        with pytest.raises(la.FileError, match="skip_rows"):
            la.read(tmp_path / name)
        for skip in (2, 3):  # a line with nothing on it is passed over anyway
            got = la.read(tmp_path / name, others=[], skip_rows=skip)
            assert list(got.names) == FRAME.columns, name
            assert got.column("town").domain.texts == ["Graz", "Linz"]
            assert got.column("age").kind == "integer"
    (tmp_path / "bad.csv").write_text("title\na,b\n1,2\n3\n")
    with pytest.raises(la.FileError, match="line 4: 1 fields where"):
        la.read(tmp_path / "bad.csv", skip_rows=1)
    with pytest.raises(la.FileError, match="no more than the 9 lines"):
        la.read(tmp_path / "bad.csv", skip_rows=9)
    with pytest.raises(la.RequestError, match="skip_rows"):
        la.read(tmp_path / "bad.csv", skip_rows=-1)


def test_empty_rows_above_the_names_of_a_workbook_are_no_records(tmp_path: Path) -> None:
    from xlsxwriter import Workbook

    with Workbook(tmp_path / "t.xlsx") as book:
        sheet = book.add_worksheet()
        for row, line in enumerate([["age", "sex"], [34, "f"], [35, "m"]]):
            sheet.write_row(3 + row, 1, line)
    assert la.read(tmp_path / "t.xlsx", others=[]).rows.rows() == [(34, "f"), (35, "m")]


@pytest.mark.parametrize("name", ["[t]", "t*", "t?"])
def test_a_path_is_taken_to_the_letter(tmp_path: Path, name: str) -> None:
    folder, other = tmp_path / name, tmp_path / "tt"
    for place, frame in ((folder, FRAME), (other, FRAME.head(1))):
        place.mkdir()
        frame.write_csv(place / f"{name}.csv")
        frame.write_parquet(place / f"{name}.parquet")
        frame.write_ipc(place / f"{name}.arrow")
        frame.write_ipc_stream(place / f"{name}.ipc")
        frame.write_excel(place / f"{name}.xlsx")
    for path in folder.iterdir():
        assert len(la.read(path, quasi=FRAME.columns)) == len(FRAME), path.name


def test_hierarchies_are_found_in_a_folder_with_brackets_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "[h]"
    folder.mkdir()
    (folder / "town.csv").write_text("Graz;Austria\nLinz;Austria\n")
    people = la.table(FRAME, quasi=["town"], others=[], hierarchies=folder)
    assert people.tree("town").labels[-1] == ("Austria",)


def test_workbooks_have_sheets_headers_and_late_surprises(tmp_path: Path) -> None:
    from xlsxwriter import Workbook

    path = tmp_path / "book.xlsx"
    with Workbook(path) as book:
        sheet = book.add_worksheet("people")
        sheet.write_row(0, 0, ["code", "", "n"])
        for row in range(1, 1500):
            sheet.write_row(row, 0, [row, "x", 1.5])
        sheet.write_row(1500, 0, ["late", "x", 2])
        book.add_worksheet("empty").write_row(0, 0, ["a", "b"])
        book.add_worksheet("doubled").write_row(0, 0, ["a", "a"])
        book.get_worksheet_by_name("doubled").write_row(1, 0, [1, 2])
    with pytest.warns(la.LookalikeWarning, match="column 2 is called 'column_2'"):
        table = la.read(path, quasi=["code"], others=[])
    assert table.names == ["code", "column_2", "n"]
    assert len(table) == 1500
    assert table.column("code").domain.size == 1500
    assert not table.column("code").domain.missing
    assert len(la.read(path, header=False, names=["x", "y", "z"])) == 1501
    for name, message in (
        ("empty", "no rows"),
        ("none", "no sheet 'none'"),
    ):
        with pytest.raises(la.RequestError, match=message):
            la.read(path, sheet=name)
    with pytest.warns(la.LookalikeWarning, match="with the name of another; numbered: a_2"):
        assert la.read(path, sheet="doubled", others=[]).names == ["a", "a_2"]


def workbook(path: Path, **sheets: list[list[object]]) -> Path:
    from xlsxwriter import Workbook

    with Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)
    return path


DATA: list[list[object]] = [["age", "sex", "income"], *([20 + i, "f", 10 * i] for i in range(9))]
TOLD: list[list[object]] = [
    ["variable", "meaning"],
    ["age", "in years"],
    ["sex", "of the person"],
    ["income", "euro"],
]


@pytest.mark.parametrize(
    "first",
    [
        TOLD,
        [["Codebook"], [], *TOLD],
        [["no", "field", "type"], [1, "AGE", "n"], [2, "age", "n"], [3, "sex", "c"]],
        [["Survey of 2021"], ["please cite"]],
        [],
    ],
)
def test_what_describes_or_introduces_a_table_is_not_read_in_its_place(
    tmp_path: Path, first: list[list[object]]
) -> None:
    path = workbook(tmp_path / "book.xlsx", about=first, data=DATA, notes=[["x"]])
    with pytest.warns(la.LookalikeWarning, match="sheet 'data' is read; 'about', which comes first"):
        assert la.read(path, others=[]).names == ["age", "sex", "income"]


@pytest.mark.parametrize(
    "second",
    [
        TOLD,
        [["age", "sex", "income"], [1, "m", 3]],
        [["x"], *([i] for i in range(50))],
        [["p", "q"], ["age", 1]],
        [],
    ],
)
def test_else_the_first_sheet_is_read(tmp_path: Path, second: list[list[object]]) -> None:
    path = workbook(tmp_path / "book.xlsx", data=DATA, more=second)
    with warnings.catch_warnings():
        warnings.simplefilter("error", la.LookalikeWarning)
        assert len(la.read(path, others=[])) == 9


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("a,a", ["a", "a_2"]),
        ("a,b,a,a", ["a", "b", "a_2", "a_3"]),
        ("a,a,a_2", ["a", "a_3", "a_2"]),
        ("a_2,a,a", ["a_2", "a", "a_3"]),
        ("a,a ,A", ["a", "a_2", "A"]),
    ],
)
def test_columns_of_one_name_are_numbered(write: Any, head: str, names: list[str]) -> None:
    path = write(f"{head}\n{','.join('12345'[: len(names)])}\n")
    with pytest.warns(la.LookalikeWarning, match="with the name of another; numbered: a_"):
        table = la.read(path, others=[])
    assert table.names == names
    assert table.rows.row(0) == tuple("12345"[: len(names)])


FIELD = st.text(alphabet=st.sampled_from("ab,;\"\n\r 'é😀"), max_size=4)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(FIELD, min_size=3, max_size=3), min_size=1, max_size=12),
    end=st.sampled_from(["\n", "\r\n"]),
    delimiter=st.sampled_from(",;"),
)
def test_whatever_was_written_is_read_back(
    tmp_path: Path, rows: list[list[str]], end: str, delimiter: str
) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
        [["x", "y", "z"], *rows]
    )
    path = tmp_path / "t.csv"
    path.write_bytes(text.getvalue().encode())
    assert la.read(path, delimiter=delimiter).rows.rows() == [tuple(v or None for v in row) for row in rows]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["a,b", "cc,", ",d", "", "eee,ffffffffff"]), min_size=1, max_size=60),
    st.integers(1, 5),
)
def test_sharing_the_bytes_between_threads_changes_nothing(
    tmp_path: Path, lines: list[str], threads: int
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "\n".join(lines) + "\nlast,one\n")
    with pytest.MonkeyPatch.context() as patch:
        alone = columns(path)
        patch.setattr(delimited, "_threads", lambda text: threads)
        assert columns(path) == alone
    assert alone["x"] == [line.split(",")[0] or None for line in lines if line] + ["last"]


def test_a_problem_far_down_is_named_by_its_line_also_with_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited, "_threads", lambda text: 3)
    path = tmp_path / "t.csv"
    lines = ["x,y"] + [f"{i},{i}" for i in range(2, 1001)]
    path.write_text("\n".join([*lines[:899], "broken", *lines[900:]]))
    with pytest.raises(la.FileError, match="line 900: 1 fields"):
        la.read(path)


def test_adult_reads_as_its_description_says(shared_data: Path) -> None:
    table = la.read(shared_data / "adult" / "adult.csv")
    assert len(table) == 48_842
    assert table.column("age").kind is la.Kind.INTEGER
    assert table.column("occupation").domain.missing
    assert table.column("age").domain.size == 74


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_an_order_that_a_file_declares_is_kept(kind: str, tmp_path: Path) -> None:
    levels = ["low", "mid", "high"]
    frame = pl.DataFrame({"grade": pl.Series(["high", "low", "mid"], dtype=pl.Enum(levels))})
    path = tmp_path / f"grades.{kind}"
    frame.write_parquet(path) if kind == "parquet" else frame.write_ipc(path)
    column = la.read(path, others=[]).column("grade")
    assert column.kind == "ordinal"
    assert column.domain.texts == levels


@pytest.mark.parametrize("last", ["7", "", "x", "-0", "007"])
def test_many_whole_numbers_are_the_texts_of_the_file(
    write: Any, monkeypatch: pytest.MonkeyPatch, last: str
) -> None:
    monkeypatch.setattr(delimited, "_ROOM", 16)
    monkeypatch.setattr(delimited, "_MANY", 100)
    texts = [*map(str, np.random.default_rng(3).integers(-200, 2000, 300)), "", last]
    people = la.read(write("\n".join(["n,x", *(f"{text},1" for text in texts)])), others=[])
    assert people.rows["n"].to_list() == [text or None for text in texts]
    plain = last not in ("x", "-0", "007")
    assert people.as_it_came("n").values.flags["SORTED_ASC"] == plain


def test_whole_numbers_of_a_workbook_stay_whole(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ["visits", "rate", "some", "huge", "none"],
        [1, 1.5, 2, 2**60, None],
        [2, 2.0, None, 1, None],
    ):
        sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    read = la.read(tmp_path / "book.xlsx", others=[]).rows
    assert read["visits"].to_list() == [1, 2]
    assert [str(value) for value in read["visits"]] == ["1", "2"]
    assert [str(value) for value in read["some"]] == ["2", "None"]
    assert [str(value) for value in read["rate"]] == ["1.5", "2.0"]
    assert read["huge"].dtype.is_float()  # so many digits a workbook does not keep
