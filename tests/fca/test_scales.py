"""From a table to a context: every scale, its edges, and what happens to missing and uncovered values."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

import lookalike as la
from fca.known import DATES, SEX, YEARS
from lookalike import fca
from lookalike.fca import Scale
from lookalike.fca.scales import fitting_scale
from lookalike.tables.columns.coding import encode

BOUNDS = [(1935, 1955), (1945, 1965), (1955, 1975), (1965, 1985), (1975, 1995)]


def people(**columns):
    return la.table(pl.DataFrame(columns), quasi=list(columns))


def attributes(scale, values, **options):
    """Attribute -> positions of the rows that have it, for a one-column table."""
    context = fca.scale_table(people(x=values), scales={"x": scale}, **options).context
    matrix = context.to_matrix()
    return {name: np.flatnonzero(matrix[:, m]).tolist() for m, name in enumerate(context.attributes)}


@pytest.mark.parametrize(
    ("closed", "concepts", "edges", "at_risk", "mean", "chain_mean", "rules", "chains"),
    [
        ("left", 27, 55, (5, 6, 8, 20, 24, 25, 26), 10 / 27, 19 / 54, 9, 3),
        ("right", 27, 55, (5, 8, 18, 19, 20, 25, 26), 10 / 27, 37 / 108, 6, 4),
        ("both", 30, 58, (5, 6, 8, 18, 19, 20, 24, 25, 26, 27), 13 / 27, 11 / 27, 13, 5),
    ],
)
def test_each_boundary_rule_gives_its_known_lattice_and_risks(
    closed, concepts, edges, at_risk, mean, chain_mean, rules, chains
):
    table = people(sex=list(SEX), year=YEARS)
    scales = {"sex": Scale.nominal(), "year": Scale.intervals(BOUNDS, closed=closed)}
    context = fca.scale_table(table, scales=scales).context
    lattice = fca.concept_lattice(context)
    risk = fca.basic_risk(context)
    safe = fca.safe_set(context, threshold=0.35)
    assert (len(lattice), lattice.edges) == (concepts, edges)
    assert tuple(np.flatnonzero(~safe.keep) + 1) == at_risk
    assert len(safe.rounds) == 1
    assert risk.mean(risk.basic) == pytest.approx(mean)
    assert risk.of_objects(fca.semantic_chain_risk(context)).mean() == pytest.approx(chain_mean)
    assert len(fca.stem_basis(context)) == 10
    assert len(fca.luxenburger_basis(context, confidence=0.75).inexact) == rules
    assert len(fca.unique_chains(lattice)) == chains


def test_no_boundary_rule_gives_the_printed_context():
    for closed in ("left", "right", "both", "neither"):
        found = attributes(Scale.intervals(BOUNDS, closed=closed), YEARS, uncovered="empty")
        assert len(found) == len(DATES)
        # Records 3, 12 and 16 were born in one year but are printed with three different rows.
        assert len({tuple(i in rows for rows in found.values()) for i in (2, 11, 15)}) == 1


def test_nominal_gives_one_attribute_per_value_and_missing_its_own():
    assert attributes(Scale.nominal(), ["b", "a", None, "b"]) == {"x=a": [1], "x=b": [0, 3], "x missing": [2]}


def test_intervals_may_overlap_and_are_half_open():
    found = attributes(Scale.intervals([(0, 10), (5, 20)]), [0, 5, 10, 19])
    assert found == {"x [0, 10)": [0, 1], "x [5, 20)": [1, 2, 3]}


def test_windows_cover_every_value():
    found = attributes(Scale.windows(20, step=10), [1, 10, 19, 35, -5])
    assert found == {
        "x [-20, 0)": [4],
        "x [-10, 10)": [0, 4],
        "x [0, 20)": [0, 1, 2],
        "x [10, 30)": [1, 2],
        "x [20, 40)": [3],
        "x [30, 50)": [3],
    }


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("factor", [1.7976931348623157e308 / 20, 5e-324])
def test_the_scale_that_suits_covers_numbers_that_floats_hardly_hold(factor: float):
    values = [number * factor for number in range(-20, 21)]
    domain = encode(pl.Series("x", values), kind=None, na=()).domain
    found = attributes(fitting_scale(domain), values)
    assert {row for rows in found.values() for row in rows} == set(range(41))


def test_ordinal_nests_and_a_value_below_the_first_cut_has_no_attribute():
    assert attributes(Scale.ordinal([18, 65]), [10, 18, 70]) == {"x >= 18": [1, 2], "x >= 65": [2]}
    assert attributes(Scale.ordinal(down=True), [3, 1]) == {"x <= 1": [1], "x <= 3": [0, 1]}


def test_interordinal_nests_both_ways():
    assert attributes(Scale.interordinal([5]), [1, 5, 9]) == {"x <= 5": [0, 1], "x >= 5": [1, 2]}


def test_ordinal_follows_a_given_order():
    frame = pl.DataFrame({"x": ["low", "high", "mid"]})
    table = la.table(frame, quasi=["x"], types={"x": ["low", "mid", "high"]})
    context = fca.scale_table(table, scales={"x": "ordinal"}).context
    assert context.attributes == ("x >= low", "x >= mid", "x >= high")
    assert context.to_matrix().tolist() == [[1, 0, 0], [1, 1, 1], [1, 1, 0]]
    cut = fca.scale_table(table, scales={"x": "ordinal:mid"}).context
    assert cut.to_matrix().ravel().tolist() == [False, True, True]


def test_dates_take_bounds_as_text():
    values = [date(1950, 1, 1), date(1960, 6, 1)]
    found = attributes(Scale.intervals([("1950-01-01", "1960-01-01"), ("1960-01-01", "1970-01-01")]), values)
    assert found == {"x [1950-01-01, 1960-01-01)": [0], "x [1960-01-01, 1970-01-01)": [1]}


def test_dichotomic_scaling_makes_basic_risk_classical():
    rng = np.random.default_rng(0)
    for _ in range(50):
        table = people(x=rng.integers(0, 5, 30), y=rng.integers(0, 4, 30))
        scales = {
            "x": Scale.dichotomic(Scale.ordinal()),
            "y": Scale.dichotomic(Scale.intervals([(0, 3), (1, 4)])),
        }
        context = fca.scale_table(table, scales=scales).context
        risk = fca.basic_risk(context)
        np.testing.assert_array_equal(risk.basic, risk.classical)


def test_nominal_scaling_makes_basic_risk_classical():
    rng = np.random.default_rng(1)
    table = people(x=rng.integers(0, 5, 300), y=rng.integers(0, 40, 300))
    risk = fca.basic_risk(fca.scale_table(table, scales={"x": "nominal", "y": "nominal"}).context)
    np.testing.assert_array_equal(risk.basic, risk.classical)


def test_an_uncovered_value_is_reported_by_row_and_column_but_not_shown():
    with pytest.raises(la.RequestError, match=r"column 'x', row 2 and 1 more") as caught:
        attributes(Scale.intervals([(0, 10)]), [3, 4711, 815])
    assert "4711" not in str(caught.value)
    assert attributes(Scale.intervals([(0, 10)]), [3, 4711], uncovered="empty") == {"x [0, 10)": [0]}


def test_missing_is_never_uncovered():
    assert attributes(Scale.intervals([(0, 10)]), [3, None]) == {"x [0, 10)": [0], "x missing": [1]}
    assert attributes(Scale.ordinal([2]), [3, None]) == {"x >= 2": [0], "x missing": [1]}


def test_automatic_scales_suit_the_column():
    assert list(attributes(Scale.automatic(), ["b", "a"])) == ["x=a", "x=b"]
    assert list(attributes(Scale.automatic(), [3, 1, 2])) == ["x=1", "x=2", "x=3"]
    found = attributes(Scale.automatic(), list(range(0, 100, 5)))
    assert "x [10, 20)" in found
    assert "x [15, 25)" in found
    assert sorted({row for rows in found.values() for row in rows}) == list(range(20))


def test_automatic_scales_dates_by_years():
    days = pl.date_range(pl.date(1940, 1, 1), pl.date(1990, 1, 1), "1y", eager=True)
    found = attributes(Scale.automatic(), days)
    assert "x [1940-01-01, 1950-01-01)" in found
    assert all(any(i in rows for rows in found.values()) for i in range(len(days)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nominal", "nominal"),
        ("intervals:0..18,18..65", "intervals [0, 18), [18, 65)"),
        ("windows:20/10", "windows of 20 every 10"),
        ("windows:20", "windows of 20 every 10"),
        ("ordinal", "ordinal >="),
        ("ordinal:18,65", "ordinal >= 18, 65"),
        ("interordinal:-5", "interordinal -5"),
        ("dichotomic", "dichotomic nominal"),
        ("dichotomic:ordinal:3", "dichotomic ordinal >= 3"),
        ("automatic", "automatic"),
    ],
)
def test_scales_are_read_from_text(text, shown):
    assert str(Scale.parse(text)) == shown


@pytest.mark.parametrize(
    "text", ["nominol", "intervals:", "intervals:1-2", "windows:a", "windows:0", "nominal:3"]
)
def test_a_wrong_text_names_the_scales_there_are(text):
    with pytest.raises(la.RequestError):
        Scale.parse(text)


@pytest.mark.parametrize(
    ("scales", "message"),
    [
        ({"y": "nominal"}, "there is no column 'y'"),
        ({"x": "ordinal"}, "has no order"),
        ({"x": "intervals:0..1"}, "has no order"),
        ({"x": "windows:5"}, "holds no numbers"),
    ],
)
def test_a_scale_that_does_not_fit_says_why(scales, message):
    with pytest.raises(la.ColumnError, match=message):
        fca.scale_table(people(x=["a", "b"]), scales=scales)


def test_empty_and_backward_intervals_are_refused():
    with pytest.raises(la.RequestError, match="is empty"):
        attributes(Scale.intervals([(5, 5)]), [5])
    with pytest.raises(la.RequestError, match="at least one"):
        Scale.intervals([])


def test_a_table_with_several_rows_per_person_is_refused():
    table = la.table(pl.DataFrame({"who": [1, 1], "x": [1, 2]}), quasi=["x"], unit="who")
    with pytest.raises(la.RequestError, match="one row per person"):
        fca.scale_table(table)


def test_columns_that_spell_the_same_attribute_stay_apart():
    table = people(**{"a": ["b=c", "d"], "a=b": ["c", "e"]})
    context = fca.scale_table(table).context
    assert len(set(context.attributes)) == 4


def test_windows_without_number_are_refused():
    with pytest.raises(
        la.RequestError, match="'x': windows every 1e-09 would be more than 10,000 attributes"
    ):
        attributes(Scale.windows(1e-9, step=1e-9), [18, 90])
