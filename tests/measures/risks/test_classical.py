"""Classical risk: known answers, definitions by brute force, people instead of rows, populations, readings."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.measures.risks.regimes import REGIMES
from models import oracles as o

SEX_AND_YEAR = """M 1959, M 1969, F 1955, M 1959, F 1942, F 1975, F 1966, F 1987, M 1959, M 1967, M 1968, F 1955,
M 1967, M 1967, F 1966, F 1955, M 1967,
F 1956, F 1956, M 1978, F 1966, M 1967, M 1971, F 1954, F 1977, M 1944, M 1965"""
UNIQUE = [2, 5, 6, 8, 11, 20, 23, 24, 25, 26, 27]


def records() -> pl.DataFrame:
    """The 27 records of the FCA paper; record i is row i - 1."""
    pairs = [pair.split() for pair in SEX_AND_YEAR.replace("\n", " ").split(",")]
    return pl.DataFrame({"sex": [s for s, _ in pairs], "year": [int(y) for _, y in pairs]})


def test_the_27_records_by_sex_and_year() -> None:
    risk = la.risk(records(), quasi=["sex", "year"])
    assert risk.records[14 - 1] == 1 / 5
    assert risk.records[27 - 1] == 1
    assert (risk.max, risk.classes, risk.average) == (1, 16, pytest.approx(16 / 27))
    assert (np.flatnonzero(risk.records == 1) + 1).tolist() == UNIQUE
    assert risk.uniques == 11


def test_the_27_records_without_the_unique_ones() -> None:
    rows = records()
    left = rows.filter(pl.Series([i + 1 not in UNIQUE for i in range(27)]))
    risk = la.risk(left, quasi=["sex", "year"])
    assert (len(risk.records), risk.classes, risk.max) == (16, 5, 0.5)
    assert risk.average == pytest.approx(5 / 16)


def test_the_27_records_by_decade() -> None:
    risk = la.risk(records().with_columns(pl.col("year") // 10), quasi=["sex", "year"])
    assert (risk.classes, risk.max, risk.average) == (9, 1, pytest.approx(9 / 27))
    assert risk.records[[i - 1 for i in (6, 20, 23, 25)]].tolist() == [0.5] * 4
    assert risk.records[[i - 1 for i in (2, 10, 11, 13, 14, 17, 22, 27)]].tolist() == [1 / 8] * 8


@settings(max_examples=80, deadline=None)
@given(o.tables(), st.sampled_from([0.2, 0.34, 0.5, 1.0]))
def test_every_number_follows_from_the_class_sizes(people: la.Table, threshold: float) -> None:
    risk = la.risk(people, threshold=threshold)
    rows_of = o.groups(people)
    per_row = [1 / len(rows_of[row["a"], row["b"]]) for row in people.rows.iter_rows(named=True)]
    np.testing.assert_allclose(risk.records, per_row)
    sizes = sorted(len(rows) for rows in rows_of.values())
    n = sum(sizes)
    assert (risk.k, risk.max, risk.people) == (sizes[0], max(per_row), n)
    assert risk.k_mean == pytest.approx(n / len(sizes))
    assert risk.average == pytest.approx(len(sizes) / n)
    assert risk.uniques == sum(size == 1 for size in sizes)
    assert risk.above == pytest.approx(sum(r > threshold + 1e-9 for r in per_row) / n)
    assert sum(size * times for size, times in risk.histogram.items()) == n
    assert risk.marketer == risk.average
    by_name = {one.column: one for one in risk.attributes}
    assert by_name["s"].l_min == min(len({row["s"] for row in rows}) for rows in rows_of.values())
    alike = sum(len(rows) for rows in rows_of.values() if len({row["v"] for row in rows}) == 1)
    assert by_name["v"].homogeneous == pytest.approx(alike / n)


@settings(max_examples=80, deadline=None)
@given(o.tables(units=True))
def test_people_are_counted_not_their_rows(people: la.Table) -> None:
    risk = la.risk(people)
    rows_of = o.groups(people)
    worst: dict[str, float] = {}
    for rows in rows_of.values():
        for row in rows:
            worst[row["who"]] = max(worst.get(row["who"], 0), 1 / o.people_in(rows))
    assert risk.k == min(o.people_in(rows) for rows in rows_of.values())
    assert risk.people == len(worst)
    assert risk.average == pytest.approx(sum(worst.values()) / len(worst))
    assert risk.uniques == sum(r == 1 for r in worst.values())
    assert len(risk.records) == len(people)


@settings(max_examples=80, deadline=None)
@given(o.tables(units=False), o.tables(units=True))
def test_a_wildcard_matches_everything(people: la.Table, with_units: la.Table) -> None:
    for table in (people, with_units):
        rows = list(table.rows.iter_rows(named=True))
        rows = [{**row, "b": "*" if i % 3 == 0 else row["b"]} for i, row in enumerate(rows)]
        wild = la.table(
            pl.DataFrame(rows, schema=table.rows.schema),
            quasi=["a", "b"],
            others=[],
            unit=table.unit,
            types={"a": "integer", "b": "nominal"},
        )

        def fits(x: dict[str, Any], y: dict[str, Any]) -> bool:
            return all(x[q] == y[q] or None in (x[q], y[q]) or "*" in (x[q], y[q]) for q in ("a", "b"))

        alike = [len({y.get("who", i) for i, y in enumerate(rows) if fits(x, y)}) for x in rows]
        risk = la.risk(wild, missing="wildcard")
        np.testing.assert_allclose(risk.records, 1 / np.array(alike))
        assert risk.k == min(alike)


def test_missing_is_a_value_unless_said_otherwise_and_the_number_says_which() -> None:
    frame = pl.DataFrame({"zip": ["1", "1", None, "***"]})
    value, wild = la.risk(frame, quasi=["zip"]), la.risk(frame, quasi=["zip"], missing="wildcard")
    assert (value.k, value.uniques) == (1, 2)
    assert (wild.k, wild.uniques) == (4, 0)
    assert "only themselves" in repr(value)
    assert "match every value" in repr(wild)
    assert "value of its own" in value.text
    assert wild.to_dict()["missing"] == "wildcard"


def test_the_answer_does_not_depend_on_rows_index_or_frame() -> None:
    frame = records()
    shuffled = frame[list(np.random.default_rng(0).permutation(27))]
    pandas = frame.to_pandas().set_index(np.arange(27)[::-1])
    wanted = la.risk(frame, quasi=["sex", "year"]).to_dict()
    for other in (shuffled, pandas, frame.to_arrow(), frame.lazy()):
        assert la.risk(other, quasi=["sex", "year"]).to_dict() == wanted


def test_a_population_table_gives_the_journalist_risk() -> None:
    people = pl.DataFrame({"sex": ["F", "F", "M"], "age": [30, 30, 41]})
    everyone = pl.DataFrame({"sex": ["F"] * 4 + ["M", "M", "F"], "age": [30] * 4 + [41, 41, 99]})
    risk = la.risk(people, quasi=["sex", "age"], population=everyone)
    assert risk.journalist is not None
    assert (risk.journalist.max, risk.journalist.average) == (
        1 / 2,
        pytest.approx((1 / 4 + 1 / 4 + 1 / 2) / 3),
    )
    assert risk.journalist.above == 1
    assert risk.marketer == risk.journalist.average
    assert (risk.k, risk.max) == (1, 1)
    assert risk.population is not None
    assert risk.population.sampling_fraction == pytest.approx(3 / 7)


def test_a_population_that_lacks_somebody_is_pointed_out() -> None:
    people, everyone = pl.DataFrame({"a": [1, 1, 2]}), pl.DataFrame({"a": [1, 2, 3]})
    with pytest.warns(la.LookalikeWarning, match="more people in the table than in the population"):
        risk = la.risk(people, quasi=["a"], population=everyone)
    assert risk.journalist is not None
    assert risk.journalist.max == 1


def test_population_models_use_the_attached_population() -> None:
    people = la.table(pl.DataFrame({"a": [1, 1, 2]}), quasi=["a"])
    cells = la.with_population(people, pl.DataFrame({"a": [1] * 5 + [2] * 2 + [3] * 3}))
    classes = cells.classes()
    assert la.KMap(3).achieved(classes) == 2
    assert la.KMap(3).breaks(classes).tolist() == [False, True, False]
    presence = la.DeltaPresence(0.1, 0.45)
    assert presence.levels(classes).tolist() == [2 / 5, 1 / 2, 0]
    assert presence.breaks(classes).tolist() == [False, True, True]
    assert presence.achieved_range(classes) == (0, 0.5)
    everybody = cells.merge(np.zeros(3, dtype=np.int32), 1)
    assert not presence.breaks(everybody).any()
    with pytest.raises(la.GuaranteeError):
        la.DeltaPresence(0.5, 0.9).check(classes)


@settings(max_examples=80, deadline=None)
@given(o.tables(), o.tables(units=True))
def test_population_counts_are_those_of_the_rows(people: la.Table, others: la.Table) -> None:
    names = ["a", "b"]
    everyone = pl.concat([people.rows.select(names), others.rows.select(names)])
    cells = la.with_population(people, everyone)
    rows = list(everyone.iter_rows())
    keys = o.key_of(cells.classes())
    assert cells.population is not None
    assert cells.population.tolist() == [rows.count(key) for key in keys]
    assert set(keys) == set(rows)
    assert cells.roll_up([1, 1]).counts.sum() == len(people)


def test_a_sampling_fraction_or_weights_give_estimates() -> None:
    frame = records().with_columns(w=pl.lit(10.0))
    by_fraction = la.risk(frame, quasi=["sex", "year"], sampling_fraction=0.1)
    by_weight = la.risk(la.table(frame, quasi=["sex", "year"], weight="w"))
    for risk in (by_fraction, by_weight):
        assert risk.journalist is not None
        assert risk.population is not None
        assert "estimate" in risk.journalist.basis
        assert risk.journalist.max == pytest.approx(np.log(10) / 9)  # unique in a sample of a tenth
        assert risk.journalist.average < risk.average
    assert by_weight.population is not None
    assert by_weight.population.sampling_fraction == pytest.approx(0.1)


def test_json_has_the_promised_keys_and_no_private_value() -> None:
    risk = la.risk(records(), quasi=["sex", "year"], sampling_fraction=0.2, regime="ema")
    told = json.loads(json.dumps(risk.to_dict()))
    assert {"records", "classes", "k_min", "k_mean", "uniques", "max", "average"} <= told.keys()
    assert (told["records"], told["classes"], told["k_min"]) == (27, 16, 1)
    assert "1959" not in json.dumps(told)


@pytest.mark.parametrize("regime", REGIMES)
def test_every_regime_gives_a_reading_with_its_source_and_no_verdict(regime: str) -> None:
    risk = la.risk(records(), quasi=["sex", "year"], regime=regime)
    (reading,) = risk.readings
    assert reading.source in risk.text
    assert "for a person to decide" in risk.text
    for word in ("anonymous", "compliant", "legal", "GDPR"):
        assert word not in risk.text


def test_readings_compare_group_sizes_not_rounded_risks() -> None:
    frame = pl.DataFrame({"a": [1] * 11})
    assert la.risk(frame, quasi=["a"], regime="ema").readings[0].met is True
    assert la.risk(frame, quasi=["a"], regime="ontario-high").readings[0].met is False
    assert la.risk(frame, quasi=["a"], regime="hipaa-expert").readings[0].met is None
    assert "reaches 11" in la.risk(frame, quasi=["a"]).readings[0].text
    assert len(la.risk(frame, quasi=["a"], regime=["ema", "cms"]).readings) == 2


@pytest.mark.parametrize(
    "request_",
    [
        {"quasi": ["nobody"]},
        {"quasi": []},
        {"quasi": ["sex"], "missing": "drop"},
        {"quasi": ["sex"], "threshold": 0},
        {"quasi": ["sex"], "regime": "astrology"},
        {"quasi": ["sex"], "sampling_fraction": 1.5},
        {"quasi": ["sex"], "population": pl.DataFrame({"age": [1]})},
    ],
    ids=str,
)
def test_wrong_requests_are_refused(request_: dict[str, Any]) -> None:
    with pytest.raises(la.RequestError):
        la.risk(records(), **request_)
    with pytest.raises(la.RequestError, match="quasi"):
        la.risk(la.table(records()))


def test_weights_and_wildcards_count_the_same_people() -> None:
    """A missing zip may be 8010: both records have two lookalikes in the sample and 1000 people in the population."""
    rows = pl.DataFrame({"zip": ["8010", None], "w": [990.0, 10.0]})
    people = la.table(rows, quasi=["zip"], weight="w", others=[])
    found = la.risk(people, missing="wildcard").journalist
    assert found is not None
    assert found.max == pytest.approx(0.00198, abs=5e-6)
    assert found.average == pytest.approx(found.max)


def test_individual_risks_are_those_printed_for_the_example_of_the_literature() -> None:
    """Capobianchi, Polettini and Lucarelli's eight records, and the risks that sdcMicro's manual prints for them."""
    keys = {"a": [1, 1, 1, 3, 4, 4, 6, 1], "b": [2, 2, 2, 3, 3, 3, 2, 2]}
    keys |= {"c": [5, 1, 1, 1, 1, 1, 1, 5], "d": [1, 1, 1, 5, 4, 1, 5, 1]}
    rows = pl.DataFrame({**keys, "w": [18.0, 45.5, 39.0, 17.0, 541.0, 8.0, 5.0, 92.0]})
    printed = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    people = la.table(rows, quasi=list(keys), weight="w", others=[])
    for missing in ("value", "wildcard"):  # nothing is missing, so it is the same
        found = la.risk(people, missing=missing).journalist  # type: ignore[arg-type]
        assert found is not None
        assert found.average == pytest.approx(np.mean(printed), abs=5e-9)
        assert found.max == pytest.approx(max(printed), abs=5e-9)


def _expected(f: int, whole: float) -> float:
    """The mean of 1/F by Simpson's rule: the integral of x^(f-1) / (1 + a x) over 0 <= x <= 1, a = (1 - p) / p."""
    p = min(f / max(whole, f), 1.0)
    a, steps = (1 - p) / p, 4_000
    # x = t^4 spreads the steep part near nought
    points = [(i / steps) ** 4 for i in range(steps + 1)]
    heights = [x ** (f - 1) / (1 + a * x) * 4 * (i / steps) ** 3 for i, x in enumerate(points)]
    inner = 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
    return (heights[0] + inner + heights[-1]) / (3 * steps)


@pytest.mark.parametrize("seed", range(25))
def test_weighted_risks_with_gaps_are_those_of_all_who_are_compatible(seed: int) -> None:
    """fk, Fk and the risk of every record by looking at every pair of records."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 14))
    rows = [
        {
            "a": None if draw.random() < 0.25 else str(draw.integers(0, 3)),
            "b": None if draw.random() < 0.25 else str(draw.integers(0, 2)),
            "w": float(draw.choice([1.0, 1.5, 20.0, 350.0])),
        }
        for _ in range(n)
    ]

    def fits(x: dict[str, Any], y: dict[str, Any]) -> bool:
        return all(x[q] == y[q] or None in (x[q], y[q]) for q in ("a", "b"))

    alike = [[y for y in rows if fits(x, y)] for x in rows]
    risks = [_expected(len(some), sum(y["w"] for y in some)) for some in alike]
    schema = {"a": pl.String, "b": pl.String, "w": pl.Float64}
    people = la.table(pl.DataFrame(rows, schema=schema), quasi=["a", "b"], weight="w", others=[])
    found = la.risk(people, missing="wildcard")
    np.testing.assert_allclose(1 / found.records, [len(some) for some in alike])
    assert found.journalist is not None
    assert found.journalist.average == pytest.approx(np.mean(risks), rel=1e-5)
    assert found.journalist.max == pytest.approx(max(risks), rel=1e-5)
    assert found.journalist.above == pytest.approx(np.mean([r > 0.2 * (1 + 1e-6) for r in risks]))


def test_people_whom_floats_do_not_tell_apart_are_different_people() -> None:
    long = pl.Series([Decimal(10**29 + n) for n in range(20)])
    rows = pl.DataFrame({"id": long, "town": ["a", "b"] * 10})
    assert la.risk(rows, quasi=["id"], others=[]).uniques == 20
    assert la.risk(rows, quasi=["town"], unit="id").k == 10


def test_a_column_named_twice_is_one_column() -> None:
    people = la.table(pl.DataFrame({"age": [1, 1, 2], "town": ["a", "a", "b"]}), quasi=["age", "town"])
    assert la.risk(people, quasi=["age", "age"]).quasi == ("age",)
