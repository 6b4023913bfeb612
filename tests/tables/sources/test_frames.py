"""Any frame in, the same answers, the caller's kind of frame out."""

from __future__ import annotations

import uuid
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.sources.frames import take


class Stream:
    """Some other library's frame: nothing but the Arrow stream protocol."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows.__arrow_c_stream__(requested_schema)


def odd_index(rows: pl.DataFrame) -> pd.DataFrame:
    frame = rows.to_pandas()
    frame.index = pd.Index([7] * len(frame), name="age")
    return frame


MAKERS: dict[str, Any] = {
    "polars": lambda rows: rows,
    "polars lazy": lambda rows: rows.lazy(),
    "pandas": lambda rows: rows.to_pandas(),
    "pandas with an odd index": odd_index,
    "pandas objects": lambda rows: pd.DataFrame(rows.to_dict(as_series=False), dtype=object),
    "pandas nullable": lambda rows: rows.to_pandas().convert_dtypes(),
    "pandas on arrow": lambda rows: rows.to_pandas(use_pyarrow_extension_array=True),
    "pyarrow": lambda rows: rows.to_arrow(),
    "arrow stream": Stream,
}

ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 20)),
        st.sampled_from(["f", "m", None]),
        st.sampled_from([0.5, 1.25, None]),
        st.sampled_from([date(2024, 1, 1), date(2024, 2, 29), None]),
        st.sampled_from(["flu", "cold"]),
    ),
    min_size=1,
    max_size=20,
)


def cells_of(frame: Any) -> Any:
    table = la.table(
        frame,
        quasi=["age", "sex", "dose", "day"],
        sensitive=["disease"],
        types={"age": "integer", "sex": "nominal", "dose": "decimal", "day": "date"},
    )
    return table.cells()


@pytest.mark.parametrize("maker", MAKERS)
@settings(max_examples=15, deadline=None)
@given(rows=ROWS)
def test_every_kind_of_frame_gives_the_same_cells(maker: str, rows: list[tuple[Any, ...]]) -> None:
    schema = {"age": pl.Int64, "sex": pl.String, "dose": pl.Float64, "day": pl.Date, "disease": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    wanted, got = cells_of(frame), cells_of(MAKERS[maker](frame))
    assert np.array_equal(wanted.codes, got.codes)
    assert np.array_equal(wanted.of_row, got.of_row)
    assert [a.domain.texts for a in wanted.attributes] == [a.domain.texts for a in got.attributes]
    assert [a.tree.labels for a in wanted.attributes] == [a.tree.labels for a in got.attributes]


@pytest.mark.parametrize(
    ("maker", "kind"),
    [
        ("polars", pl.DataFrame),
        ("polars lazy", pl.LazyFrame),
        ("pandas", pd.DataFrame),
        ("pyarrow", pa.Table),
        ("arrow stream", pl.DataFrame),
    ],
)
def test_frames_come_back_as_they_went_in(maker: str, kind: type) -> None:
    taken = take(MAKERS[maker](pl.DataFrame({"a": [1, 2], "b": ["x", None]})))
    assert isinstance(taken.give_back(taken.rows), kind)


def test_a_pandas_frame_comes_back_with_its_dtypes() -> None:
    frame = pd.DataFrame(
        {
            "int": np.array([1, 2], dtype=np.int32),
            "float": [1.5, np.nan],
            "bool": [True, False],
            "text": ["x", None],
            "string": pd.array(["x", None], dtype="string"),
            "Int": pd.array([1, None], dtype="Int64"),
            "boolean": pd.array([True, None], dtype="boolean"),
            "when": pd.to_datetime(["2024-01-01 12:00", None]),
            "zoned": pd.to_datetime(["2024-01-01 12:00", None]).tz_localize("Europe/Paris"),
            "day": [date(2024, 1, 1), None],
            "grade": pd.Categorical(["low", None], categories=["low", "high"], ordered=True),
            "money": [Decimal("1.50"), None],
            5: [1, 2],
        },
        index=["r1", "r2"],
    )
    taken = take(frame)
    back = taken.give_back(taken.rows)
    assert list(back.columns) == list(frame.columns)
    assert list(back.index) == [0, 1]
    pd.testing.assert_frame_equal(back, frame.reset_index(drop=True))


def test_a_column_that_changed_gets_the_dtype_of_what_it_holds() -> None:
    taken = take(pd.DataFrame({"age": [34, 35], "sex": pd.Categorical(["f", "m"]), "ok": [True, False]}))
    changed = taken.rows.with_columns(
        age=pl.Series(["[30, 40)", "*"]), sex=pl.Series(["*", "*"]), ok=pl.Series([None, True])
    )
    back = taken.give_back(changed)
    assert back["age"].tolist() == ["[30, 40)", "*"]
    assert back["sex"].tolist() == ["*", "*"]
    assert back["ok"].dtype == "boolean"
    suppressed = taken.give_back(taken.rows.with_columns(age=pl.Series([34, None])))
    assert suppressed["age"].dtype == "Int64"
    assert suppressed["age"].isna().tolist() == [False, True]
    assert taken.give_back(taken.rows.head(1).drop("sex")).columns.tolist() == ["age", "ok"]


def test_values_of_several_types_in_one_pandas_column_are_told_apart_by_what_they_print() -> None:
    frame = pd.DataFrame(
        {
            "mixed": [1, "a", None],
            "numbers": [1, 2.5, None],
            "flags": [True, 1, None],
            "na": [pd.NA, "x", float("nan")],
            "id": [uuid.UUID(int=1), uuid.UUID(int=2), None],
            "month": pd.PeriodIndex(["2024-01", "2024-02", "NaT"], freq="M"),
        },
        dtype=object,
    )
    rows = take(frame).rows
    assert rows["mixed"].to_list() == ["1", "a", None]
    assert rows["numbers"].to_list() == [1.0, 2.5, None]
    assert rows["flags"].to_list() == ["True", "1", None]
    assert rows["na"].to_list() == [None, "x", None]
    assert rows["id"].to_list() == [str(uuid.UUID(int=1)), str(uuid.UUID(int=2)), None]
    assert rows["month"].to_list() == ["2024-01", "2024-02", None]


def test_every_pandas_column_that_polars_does_not_know_comes_back_as_it_went_in() -> None:
    frame = pd.DataFrame(
        {
            "second": pd.Series(["0001-01-01", "9999-12-31", None], dtype="datetime64[s]"),
            "list": pd.Series([[1, 2], [3, 4], None], dtype=object),
            "record": pd.Series([{"a": 1}, {"a": 2}, None], dtype=object),
            "arrow list": pd.Series([[1, 2], [3], None], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
            "band": pd.cut(pd.Series([1, 9, None]), [0, 5, 7, 10]),
            "long": np.array([0.5, 1.5, np.nan], dtype=np.longdouble),
        }
    )
    taken = take(frame)
    back = taken.give_back(taken.rows)
    assert back.drop(columns="arrow list").equals(frame.drop(columns="arrow list"))
    assert back.dtypes.equals(frame.dtypes)
    assert back["arrow list"].dropna().map(list).tolist() == [[1, 2], [3]]
    fewer = taken.give_back(taken.rows.head(1))["band"]
    assert [str(band) for band in fewer.cat.categories] == ["(0, 5]"]
    people = la.table(frame, quasi=["second", "band"], others=[])
    assert people.column("second").domain.texts == ["0001-01-01", "9999-12-31"]
    assert people.column("band").domain.texts == ["(0, 5]", "(7, 10]"]


def test_whole_numbers_beside_floats_that_cannot_hold_them_stay_apart() -> None:
    frame = pd.DataFrame({"number": pd.Series([2**53, 2**53 + 1, 0.5], dtype=object)})
    assert take(frame).rows["number"].n_unique() == 3


def test_half_characters_are_refused_without_showing_them() -> None:
    with pytest.raises(la.ColumnError, match=r"column 'name'.*half a character") as refused:
        la.table(pd.DataFrame({"name": pd.Series(["Ann\ud800"], dtype=object)}))
    assert "Ann" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_ordered_categories_are_ordinal_and_unused_ones_are_no_values() -> None:
    levels = ["low", "mid", "high"]
    frames = [
        pd.DataFrame({"g": pd.Categorical(["high", "low", None], categories=levels, ordered=True)}),
        pl.DataFrame({"g": pl.Series(["high", "low", None], dtype=pl.Enum(levels))}),
        pa.table(
            {"g": pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), pa.array(levels), ordered=True)}
        ),
    ]
    for frame in frames:
        column = la.table(frame, quasi=["g"]).column("g")
        assert column.kind is la.Kind.ORDINAL
        assert column.domain.texts == ["low", "high"]
        assert column.codes.tolist() == [1, 0, 2]
    loose = pd.DataFrame({"g": pd.Categorical(["high", "low"], categories=levels)})
    assert la.table(loose, quasi=["g"]).column("g").kind is la.Kind.NOMINAL
    numbers = pd.DataFrame({"g": pd.Categorical([3, 1, None])})
    assert la.table(numbers, quasi=["g"]).column("g").domain.texts == ["1", "3"]


def test_doubled_names_and_things_that_are_no_tables_are_refused() -> None:
    doubled = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(la.ColumnError, match="'a' appears more than once"):
        la.table(doubled)
    with pytest.raises(la.ColumnError, match="'a' appears more than once"):
        la.table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))
    for thing in ("people.csv", [[1]], {"a": [1]}, None, 3):
        with pytest.raises(la.RequestError, match="is not a table"):
            la.table(thing)
    for empty in (pd.DataFrame(), pl.DataFrame({"a": []}), pd.DataFrame({"a": []}), pa.table({})):
        with pytest.raises(la.RequestError, match=r"no (columns|rows)"):
            la.table(empty)


def test_a_column_without_a_name_is_called_by_its_place(tmp_path: Path) -> None:
    rows = pl.DataFrame({"": [1, 2] * 6, "town": ["a", "a", "b"] * 4})  # as Polars reads the index of pandas
    for frame in (rows, rows.to_pandas(), rows.to_arrow(), Stream(rows)):
        with pytest.warns(la.LookalikeWarning, match="without a name; column 1 is called 'column_1'"):
            table = la.table(frame, quasi=["column_1", "town"])
        la.anonymize(table, la.KAnonymity(2)).save(tmp_path / "out", overwrite=True)
        assert la.verify(tmp_path / "out/release.csv", tmp_path / "out/certificate.json").ok
    with (
        pytest.warns(la.LookalikeWarning, match="without a name"),
        pytest.raises(la.ColumnError, match="'column_1' appears more than once"),
    ):
        la.table(rows.with_columns(column_1=1))


def test_arrow_types_that_cannot_be_read_are_refused() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", "b"]))
    for column in (runs, pa.array([Decimal(1), None], pa.decimal256(60, 0))):
        table = pa.table({"a": column})
        for frame in (table, table.to_reader()):
            with pytest.raises(la.ColumnError, match="a type that cannot be read"):
                la.table(frame)
    if hasattr(pa, "json_") and hasattr(pl, "BaseExtension"):
        notes = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["{}", "[]"]))
        taken = take(pa.table({"a": notes}))
        assert taken.give_back(taken.rows).column("a").to_pylist() == ["{}", "[]"]
        with pytest.raises(la.ColumnError, match=r"'a': a column of Extension.* cannot be read as values"):
            la.table(taken.rows, quasi=["a"]).column("a")


def test_record_batches_and_readers_are_tables_too() -> None:
    batch = pa.RecordBatch.from_pydict({"a": [1, 2]})
    assert la.table(batch, quasi=["a"]).column("a").domain.texts == ["1", "2"]
    reader = pa.RecordBatchReader.from_batches(batch.schema, [batch])
    assert la.table(reader, quasi=["a"]).column("a").domain.texts == ["1", "2"]
