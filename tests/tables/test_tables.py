"""Tables: roles, types, units, weights, and the known answers of the 27 records through hierarchies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la

PEOPLE = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Cyd", "Dee"],
        "age": [34, 35, 34, None],
        "sex": ["f", "m", "f", "f"],
        "disease": ["flu", "cold", "flu", "flu"],
        "note": ["", "x", "y", "z"],
    }
)
ROLES = {"identifiers": ["name"], "quasi": ["age", "sex"], "sensitive": ["disease"]}

# id, sex, year of birth (SPEC 4.1)
RECORDS = """1 M 1959; 2 M 1969; 3 F 1955; 4 M 1959; 5 F 1942; 6 F 1975; 7 F 1966; 8 F 1987; 9 M 1959; 10 M 1967;
11 M 1968; 12 F 1955; 13 M 1967; 14 M 1967; 15 F 1966; 16 F 1955; 17 M 1967; 18 F 1956; 19 F 1956; 20 M 1978;
21 F 1966; 22 M 1967; 23 M 1971; 24 F 1954; 25 F 1977; 26 M 1944; 27 M 1965"""


def records() -> pl.DataFrame:
    rows = [line.split() for line in RECORDS.replace("\n", " ").split(";")]
    return pl.DataFrame(rows, schema=["id", "sex", "year"], orient="row")


def test_columns_have_the_role_they_were_given() -> None:
    people = la.table(PEOPLE, **ROLES, others=["note"])
    assert people.identifiers == ["name"]
    assert people.quasi == ["age", "sex"]
    assert people.sensitive == ["disease"]
    assert people.targets == []
    assert people.names == PEOPLE.columns
    assert len(people) == 4
    assert "quasi: age, sex" in repr(people)


def test_a_column_nobody_named_is_other_and_says_so() -> None:
    with pytest.warns(la.LookalikeWarning, match="to 1 column, taken as 'other' and published as is: note"):
        people = la.table(PEOPLE, **ROLES)
    assert people.roles["note"] is la.Role.OTHER
    assert la.table(PEOPLE, **ROLES, others=[]).roles["note"] is la.Role.OTHER
    assert set(la.table(PEOPLE).roles.values()) == {la.Role.OTHER}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quasi": ["agee"]}, "quasi: there is no column 'agee'. Did you mean 'age'"),
        ({"quasi": ["age"], "sensitive": ["age"]}, "'age' is named twice \\(quasi and sensitive\\)"),
        ({"quasi": ["age", "age"]}, "'age' is named twice"),
        ({"quasi": "age"}, "quasi: give a list"),
        ({"quasi": 5}, "quasi: give a list of column names, found int"),
        ({"unit": "who"}, "unit: there is no column 'who'"),
        ({"weight": "w"}, "weight: there is no column 'w'"),
        ({"types": {"agee": "integer"}}, "types: there is no column 'agee'"),
        ({"types": {"age": "number"}}, "cannot be 'number'; use integer, decimal"),
        ({"hierarchies": {"agee": la.Hierarchy.mask()}}, "hierarchies: there is no column 'agee'"),
        ({"na": "?"}, "`na` must be a list of texts"),
    ],
)
def test_wrong_requests_name_the_place(options: dict[str, object], message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        la.table(PEOPLE, **options)  # type: ignore[arg-type]


def test_cells_need_quasi_identifiers_unless_none_are_asked_for() -> None:
    with pytest.raises(la.RequestError, match="no quasi-identifiers"):
        la.table(PEOPLE).cells()
    assert la.table(PEOPLE).cells(quasi=[]).counts.tolist() == [4]
    with pytest.raises(la.ColumnError, match="no column 'zip'"):
        la.table(PEOPLE).cells(quasi=["zip"])


def test_types_are_found_and_can_be_overruled() -> None:
    frame = pl.DataFrame(
        {"points": ["8010", "8020"], "grade": ["low", "high"], "when": ["01/02/2024", "02/01/2024"]}
    )
    plain = la.table(frame, types={"when": "date"})
    assert [plain.column(c).kind for c in frame.columns] == [la.Kind.INTEGER, la.Kind.NOMINAL, la.Kind.DATE]
    told = la.table(frame, types={"points": "nominal", "grade": ["low", "high"], "when": "%m/%d/%Y"})
    assert told.column("points").kind is la.Kind.NOMINAL
    assert told.column("grade").domain.texts == ["low", "high"]
    assert told.column("when").domain.texts == ["2024-01-02", "2024-02-01"]


def test_numbers_that_are_names_are_nominal() -> None:
    frame = pl.DataFrame({"sex": [1, 2], "zip": [8010, 90210], "race": [1, 9], "weight_kg": [70, 80]})
    kinds = {name: la.table(frame, others=[]).column(name).kind for name in frame.columns}
    assert [name for name, kind in kinds.items() if kind is la.Kind.NOMINAL] == ["sex", "zip", "race"]
    told = la.table(frame, others=[], types={"race": "integer"})
    assert told.column("race").kind is la.Kind.INTEGER


def test_missing_is_a_value_of_its_own() -> None:
    frame = pd.DataFrame({"sex": ["f", None, "", "?", "f"], "age": [1.0, np.nan, np.nan, np.nan, 1.0]})
    cells = la.table(frame, quasi=["sex", "age"]).cells()
    assert cells.counts.tolist() == [2, 3]


def test_unseen_values_are_refused_with_the_first_row_that_has_one() -> None:
    people = la.table(PEOPLE, **ROLES, others=[], hierarchies={"sex": {"all": ["f"]}})
    with pytest.raises(la.UnseenValues, match="column 'sex', first in row 2: the groups: 1 of 2"):
        people.tree("sex")
    with pytest.raises(la.HierarchyError, match="column 'sex': intervals need numbers"):
        people.with_hierarchies({"sex": la.Hierarchy.intervals(5)}).tree("sex")


def test_a_unit_counts_people_and_must_be_known_for_every_row() -> None:
    frame = pl.DataFrame({"patient": ["1", "1.0", "1", "2"], "sex": ["f", "f", "f", "m"]})
    people = la.table(frame, quasi=["sex"], unit="patient")
    assert people.roles["patient"] is la.Role.IDENTIFIER
    assert people.cells().counts.tolist() == [2, 1]
    assert people.cells().records.tolist() == [3, 1]
    assert people.cells().people == 3
    lost = frame.with_columns(patient=pl.Series(["1", None, "2", ""]))
    with pytest.raises(la.ColumnError, match="has no value in 2 rows, the first being row 2"):
        la.table(lost, quasi=["sex"], unit="patient").cells()


def test_weights_are_positive_numbers() -> None:
    frame = pl.DataFrame(
        {"sex": ["f", "m"], "w": [1.5, 2.0], "bad": [1, 0], "none": [1, None], "text": ["a", "b"]}
    )
    table = la.table(frame, quasi=["sex"], weight="w", others=[])
    assert table.weights is not None
    assert table.weights.tolist() == [1.5, 2.0]
    assert la.table(frame).weights is None
    for name, message in (
        ("bad", "first being row 2"),
        ("none", "first being row 2"),
        ("text", "must be numbers"),
    ):
        with pytest.raises(la.ColumnError, match=message):
            _ = la.table(frame, weight=name).weights


def test_a_table_with_other_rows_roles_or_hierarchies_is_another_table() -> None:
    people = la.table(PEOPLE, **ROLES, others=[])
    women = people.filter((PEOPLE["sex"] == "f").to_numpy())
    assert len(women) == 3
    assert women.column("sex").domain.texts == ["f"]
    assert women.rows["name"].to_list() == ["Ann", "Cyd", "Dee"]
    assert people.with_roles(note="quasi").quasi == ["age", "sex", "note"]
    assert people.quasi == ["age", "sex"]
    odd = la.table(pl.DataFrame({"self": [1], "age": [2]}), quasi=["age"], others=[])
    assert odd.with_roles(self="quasi").quasi == ["self", "age"]
    with pytest.raises(la.ColumnError, match="roles: there is no column 'zip'"):
        people.with_roles(zip="quasi")
    with pytest.raises(ValueError, match="secret"):
        people.with_roles(note="secret")


def test_filtering_keeps_the_kinds_that_were_found(tmp_path: object) -> None:
    frame = pl.DataFrame({"x": ["1.5", "2", "3"]})
    table = la.table(frame, quasi=["x"])
    assert table.column("x").kind is la.Kind.DECIMAL
    assert table.filter(np.array([False, True, True])).column("x").kind is la.Kind.DECIMAL


def test_a_file_is_written_out_as_a_frame_only_when_asked_for(tmp_path: object) -> None:
    path = f"{tmp_path}/people.csv"
    PEOPLE.write_csv(path)
    table = la.read(path, **ROLES, others=[])
    assert np.array_equal(table.cells().codes, la.table(PEOPLE, **ROLES, others=[]).cells().codes)
    part = table.filter(np.array([True, False, False, True]))
    assert part.rows.to_dict(as_series=False) == {
        "name": ["Ann", "Dee"],
        "age": ["34", None],
        "sex": ["f", "f"],
        "disease": ["flu", "flu"],
        "note": [None, "z"],
    }
    assert isinstance(table.give_back(table.rows), pl.DataFrame)


def test_classes_can_be_given_per_row() -> None:
    people = la.table(PEOPLE, **ROLES, others=[])
    classes = people.classes(np.array([0, 0, -1, 1], dtype=np.int32))
    assert classes.counts.tolist() == [2, 1]
    assert classes.histogram("disease").dense().tolist() == [[1, 1], [0, 1]]


def test_27_records_have_16_classes_and_9_by_decade() -> None:
    table = la.table(
        records(), quasi=["sex", "year"], identifiers=["id"], hierarchies={"year": la.Hierarchy.intervals(10)}
    )
    cells = table.cells()
    risk = 1 / cells.counts[cells.of_row]
    assert len(cells) == 16
    assert int((cells.counts == 1).sum()) == 11
    assert risk[13] == 1 / 5
    assert risk[26] == 1
    assert risk.mean() == pytest.approx(16 / 27)
    decades = cells.roll_up({"year": 1})
    of_row = decades.of_cell[cells.of_row]
    assert len(decades) == 9
    assert (1 / decades.counts[of_row]).mean() == pytest.approx(9 / 27)
    men_of_the_sixties = np.flatnonzero(of_row == of_row[1]) + 1
    assert men_of_the_sixties.tolist() == [2, 10, 11, 13, 14, 17, 22, 27]
    assert [1 / decades.counts[of_row[i - 1]] for i in (6, 20, 23, 25)] == [0.5] * 4
    uniques = cells.counts[cells.of_row] == 1
    rest = table.filter(~uniques).cells()
    assert len(rest) / int(rest.records.sum()) == 5 / 16


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(27)))
def test_the_order_of_the_records_changes_no_answer(order: list[int]) -> None:
    frame = records()
    first = la.table(frame, quasi=["sex", "year"], others=[]).cells()
    second = la.table(frame[order].to_pandas(), quasi=["sex", "year"], others=[]).cells()
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.counts, second.counts)
    assert np.array_equal(first.of_row[order], second.of_row)
