"""Columns by name and shape of values, written for what `inspect` once got wrong: each list has twenty of a kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.tables.meanings.check_digits import snomed
from lookalike.tables.meanings.names import is_of_codes

ROWS = 240
DRAW = np.random.default_rng(5)
Values = Sequence[object] | np.ndarray


def inspected(names: Sequence[str], draw: Callable[[], Values]) -> la.Inspection:
    """Columns of these names among those of people, each with values of one shape."""
    people = {"age": DRAW.integers(18, 90, ROWS), "sex": DRAW.choice(["f", "m"], ROWS)}
    return la.inspect(pl.DataFrame({**people, **{name: list(draw()) for name in names}}))


def spread(middle: float, width: float, digits: int) -> Callable[[], Values]:
    return lambda: np.round(DRAW.lognormal(np.log(middle), width, ROWS), digits)


def whole(low: int, high: int) -> Callable[[], Values]:
    return lambda: DRAW.integers(low, high + 1, ROWS)


def among(*values: object) -> Callable[[], Values]:
    return lambda: [values[i] for i in DRAW.integers(0, len(values), ROWS)]


WEIGHTS = [
    "weight",
    "svywt",
    "wt_final",
    "w_wgt",
    "hhwt",
    "asecwt",
    "dweight",
    "sample_wgt",
    "Gewicht",
    "poids",
    "peso_expansion",
    "gewichtung",
    "weight_trimmed",
    "rakedweight",
    "pweight2",
    "ponderador",
    "nat_wt",
    "weight2",
    "wgt_pop",
    "weights",
    "anweight",
    "perwt",
    "finalwgt",
]


@pytest.mark.parametrize("draw", [spread(1, 0.4, 4), spread(1200, 0.7, 1), whole(1, 900)])
def test_weights_of_a_survey_are_told_from_those_of_bodies(draw: Callable[[], Values]) -> None:
    found = inspected(WEIGHTS, draw)
    assert {name: found[name].concept for name in WEIGHTS} == dict.fromkeys(WEIGHTS, "sampling_weight")


@pytest.mark.parametrize(
    "draw",
    [
        spread(75, 0.2, 1),
        spread(170, 0.2, 0),
        spread(3300, 0.15, 0),
        lambda: np.append(DRAW.normal(70, 12, 140).round(1), DRAW.uniform(3, 40, 100).round(1)),
    ],
    ids=["kilograms", "pounds", "grams of newborns", "with children"],
)
def test_weights_of_bodies_stay_health(draw: Callable[[], Values]) -> None:
    names = [
        "weight",
        "wt",
        "bwt",
        "lwt",
        "mother_wt",
        "weightkg",
        "gewicht_kg",
        "poids",
        "peso_kg",
        "Body_Weight",
    ]
    found = inspected(names, draw)
    assert {name: found[name].concept for name in names} == dict.fromkeys(names, "health")


def test_pay_by_the_hour_day_or_month_is_money_and_no_date() -> None:
    names = [
        "MonthlyRate",
        "DailyRate",
        "hourly_rate",
        "weekly_pay",
        "annual_comp",
        "yearly_bonus",
        "CompTotal",
        "WeeklyWage",
        "monthly_spend",
        "daily_allowance",
        "DayRate",
        "HHINC",
        "p_inc",
        "take_home",
        "AnnualSalary",
        "ConvertedCompYearly",
        "netpay",
        "annual_rate",
        "monthly_income",
        "quarterly_commission",
        "total_comp",
        "hh_income",
        "yearly_earnings",
    ]
    found = inspected(names, whole(300, 27_000))
    assert {name: str(found[name].role) for name in names} == dict.fromkeys(names, "sensitive")
    times = inspected(["monthly_minutes", "weekly_calls", "daily_steps"], whole(0, 900))
    assert not any("dates" in " ".join(column.evidence) for column in times.columns)


def test_marks_of_a_survey_before_an_age_leave_it_an_age() -> None:
    names = [
        "ppage",
        "spage",
        "respage",
        "intage",
        "rpage",
        "hhage",
        "ppagecat",
        "PPAGE",
        "sp_age",
        "mage",
        "fage",
        "age_r",
        "AgeNow",
        "ageyrs",
    ]
    found = inspected(names, whole(18, 95))
    assert {name: found[name].concept for name in names} == dict.fromkeys(names, "age")
    others = [
        "stage",
        "usage",
        "mileage",
        "dosage",
        "storage",
        "wages",
        "package",
        "image",
        "lwage",
        "hrwage",
    ]
    assert not any(column.concept == "age" for column in inspected(others, whole(1, 90)).columns[2:])


CODES = [
    "ManagerID",
    "PositionID",
    "dept_id",
    "county_fp",
    "statefp",
    "GEOID",
    "ward_no",
    "occ_code",
    "school_nr",
    "regionkey",
    "codigo_municipio",
    "naics",
    "cause_cd",
    "bank_id",
    "plan_id",
    "supervisor_id",
    "teamID",
    "bezirk_id",
    "code_commune",
    "state_fips",
    "hospital_no",
    "branch_number",
    "HostID",
    "countyfips",
    "unitCode",
]


def test_what_the_name_calls_a_code_or_key_is_no_amount() -> None:
    assert [name for name in CODES if not is_of_codes(name)] == []
    table = la.table(pl.DataFrame({name: list(whole(1, 111)()) for name in CODES}), quasi=CODES)
    assert {table.column(name).kind for name in CODES} == {"nominal"}
    amounts = [
        "age",
        "children",
        "no_of_visits",
        "number_of_rooms",
        "code_length",
        "paid",
        "num_ids",
        "identity_score",
        "hours",
        "income",
    ]
    assert [name for name in amounts if is_of_codes(name)] == []


def test_numbers_of_areas_are_names_however_many() -> None:
    names = ["county", "district", "precinct", "lga", "county_number", "kreis"]
    table = la.table(pl.DataFrame({name: [*range(1, 181)] * 2 for name in names}), quasi=names)
    assert {table.column(name).kind for name in names} == {"nominal"}
    area = la.table(pl.DataFrame({"area": [420 + 17 * i for i in range(180)] * 2}), quasi=["area"])
    assert area.column("area").kind == "integer"


def test_names_of_illnesses_and_addictions_are_health() -> None:
    names = [
        "Alcoholism",
        "Hipertension",
        "nephropathy",
        "osteoporosis",
        "hypothyroidism",
        "leukaemia",
        "neuralgia",
        "gastrectomy",
        "hemiplegia",
        "appendicitis",
        "dyslexia",
        "opioid_use",
        "cannabis",
        "gambling",
        "schizophrenia",
        "psychosis",
        "tuberculosis",
        "insomnia",
        "ptsd",
        "ADHD",
        "suicide_attempt",
        "glaucoma",
        "melanoma",
        "dialysis",
        "Bluthochdruck",
        "alcoolisme",
        "cardiomyopathy",
        "pancreatitis",
    ]
    found = inspected(names, whole(0, 1))
    assert {name: str(found[name].role) for name in names} == dict.fromkeys(names, "sensitive")
    others = ["diploma", "aroma", "sympathy", "emphasis", "basis", "thesis", "empathy", "oasis"]
    assert not any(inspected(others, whole(0, 1))[name].concept == "diagnosis" for name in others)


SNOMED = (
    444814009,
    195662009,
    10509002,
    162864005,
    72892002,
    59621000,
    15777000,
    65363002,
    43878008,
    38341003,
)
ATC = ("A10BA02", "C09AA05", "N02BE01", "J01CA04", "R03AC02", "B01AC06", "A02BC01", "C10AA05", "N06AB04")
LOINC = ("8302-2", "29463-7", "39156-5", "8480-6", "8462-4", "2339-0", "4548-4", "2093-3", "718-7")
TERMS = (
    "Viral sinusitis (disorder)",
    "Stress (finding)",
    "Full-time employment (finding)",
    "Miscarriage",
    "Medication reconciliation (procedure)",
    "Laceration of hand",
    "Sprain of ankle",
)


@pytest.mark.parametrize("values", [SNOMED, tuple(map(str, SNOMED)), ATC, LOINC, TERMS])
@pytest.mark.parametrize("name", ["CODE", "xkv", "DESCRIPTION", "value", "item"])
def test_codes_and_terms_of_health_care_are_health_whatever_their_name(
    name: str, values: Sequence[object]
) -> None:
    assert inspected([name], among(*values))[name].role == "sensitive"


def test_other_numbers_are_no_snomed() -> None:
    assert all(snomed(str(code)) for code in SNOMED)
    assert not any(snomed(str(code + 1)) for code in SNOMED)
    assert sum(snomed(str(n)) for n in range(100_000, 200_000)) < 500


POINTS = [
    "latitude",
    "lng",
    "GPS__Latitude",
    "Breitengrad",
    "latitud",
    "lon",
    "y_lat",
    "longitude_dd",
    "home_lat",
    "lat2",
    "Longitude",
    "home_lon",
]


def test_exact_points_are_left_out_and_a_coarse_grid_is_not() -> None:
    found = inspected(POINTS, lambda: DRAW.normal(47, 0.1, ROWS).round(5))
    assert {name: str(found[name].role) for name in POINTS} == dict.fromkeys(POINTS, "identifier")
    assert "leads to a door" in " ".join(found["latitude"].evidence)
    coarse = inspected(POINTS, lambda: DRAW.normal(47, 0.3, ROWS).round(2))
    assert {name: str(coarse[name].role) for name in POINTS} == dict.fromkeys(POINTS, "quasi")


@pytest.mark.parametrize(
    "shape", ["{:.5f}, {:.5f}", "({:.4f},{:.4f})", "POINT ({:.6f} {:.6f})", "{:.5f} {:.5f}"]
)
@pytest.mark.parametrize("name", ["location", "geo_point", "wkt", "xkv", "place"])
def test_points_written_as_text_are_points(name: str, shape: str) -> None:
    points = [shape.format(*point) for point in DRAW.normal((47, 15), 0.1, (ROWS, 2))]
    assert inspected([name], lambda: points)[name].role == "identifier"


def test_who_names_coordinates_gets_squares_of_a_kilometre_at_least() -> None:
    frame = pl.DataFrame(
        {"lat": DRAW.normal(47, 0.02, 400).round(5), "lon": DRAW.normal(15, 0.02, 400).round(5)}
    )
    release = la.anonymize(la.table(frame, quasi=["lat", "lon"]), la.KAnonymity(5), method="local")
    for name in ("lat", "lon"):
        ends = release.rows[name].str.extract_all(r"\d+\.\d+").explode().unique()
        assert set(ends) <= {f"{n / 100:g}" for n in range(100_000)}
