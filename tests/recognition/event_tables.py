"""Invented tables of people x events, with whose row each row truly is, which nobody is shown."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

Rows = NDArray[np.int64]
_TOWNS = np.array(["Ashford", "Burley", "Corby", "Dover", "Ely"])


class EventTable(NamedTuple):
    """A table, whose row each row is, and the columns by which it may be counted (none: rows are people)."""

    name: str
    frame: pl.DataFrame
    whose: Rows
    units: frozenset[str | None]


class _Draw:
    """Random columns of one table."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def people(self, people: int, rows: int) -> Rows:
        """Whose row each row is: everybody has one at least, some many."""
        more = self.random.choice(people, rows - people, p=self.random.dirichlet(np.full(people, 0.8)))
        return self.random.permutation(np.concatenate([np.arange(people), more]))

    def within(self, whose: Rows, each: int) -> Rows:
        """Events of people: about so many rows each, none of two people."""
        return whose * 1000 + self.random.integers(0, np.maximum(np.bincount(whose) // each, 1)[whose])

    def uuids(self, of: Rows) -> list[str]:
        keys = {int(i): str(uuid.UUID(bytes=self.random.bytes(16), version=4)) for i in np.unique(of)}
        return [keys[int(i)] for i in of]

    def hashes(self, of: Rows) -> list[str]:
        salt = str(self.random.integers(1 << 40))
        return [hashlib.sha256(f"{salt}{int(i)}".encode()).hexdigest() for i in of]

    def numbers(self, of: Rows, first: int = 100_000) -> Rows:
        """Another number for each, in no order."""
        keys, place = np.unique(of, return_inverse=True)
        return (first + self.random.permutation(3 * len(keys))[: len(keys)])[place]

    def codes(self, of: Rows, letter: str) -> list[str]:
        return [f"{letter}{number}" for number in self.numbers(of, 10_000)]

    def of_each(self, whose: Rows, values: Any) -> NDArray[Any]:
        """One value for each person."""
        return np.asarray(self.random.choice(values, int(whose.max()) + 1))[whose]

    def dates(self, n: int, first: str = "2019-01-01", days: int = 900) -> NDArray[Any]:
        return np.datetime64(first) + self.random.integers(0, days, n)

    def some(self, n: int, *values: Any) -> NDArray[Any]:
        return self.random.choice(np.asarray(values), n)

    def amounts(self, n: int, middle: float = 300) -> NDArray[np.float64]:
        return np.round(self.random.gamma(2, middle / 2, n), 2)


def _clinic(d: _Draw) -> Iterator[tuple[str, dict[str, Any], Rows, set[str | None]]]:
    illness = ("Hypertension", "Alcoholism", "Acute bronchitis (disorder)", "Stress (finding)", "Prediabetes")
    whose = d.people(60, 900)
    encounter = d.within(whose, 4)
    yield (
        "conditions",
        {
            "START": d.dates(900),
            "PATIENT": d.uuids(whose),
            "ENCOUNTER": d.uuids(encounter),
            "CODE": d.some(900, 38341003, 7200002, 10509002, 73595000, 15777000),
            "DESCRIPTION": d.some(900, *illness),
        },
        whose,
        {"PATIENT"},
    )
    whose = d.people(27, 604)
    yield (
        "encounters",
        {
            "Id": d.uuids(np.arange(604)),
            "START": d.dates(604),
            "PATIENT": d.uuids(whose),
            "ORGANIZATION": d.uuids(d.some(604, *range(20))),
            "PROVIDER": d.uuids(d.some(604, *range(22))),
            "PAYER": d.uuids(d.some(604, *range(10))),
            "ENCOUNTERCLASS": d.some(604, "wellness", "ambulatory", "outpatient"),
            "TOTAL_CLAIM_COST": d.amounts(604),
        },
        whose,
        {"PATIENT"},
    )
    whose = d.people(12, 300)
    yield (
        "observations of few patients",
        {"PATIENT": d.uuids(whose), "ENCOUNTER": d.uuids(d.within(whose, 3)), "VALUE": d.amounts(300)}
        | {"gender": d.of_each(whose, ["F", "M"])},
        whose,
        {"PATIENT"},
    )
    whose = d.people(200, 700)
    stay = d.within(whose, 2)
    yield (
        "admissions",
        {
            "subject_id": d.numbers(whose, 10_000_000),
            "hadm_id": d.numbers(stay, 20_000_000),
            "admittime": d.dates(700),
            "insurance": d.some(700, "Medicare", "Other", "Medicaid"),
            "ethnicity": d.of_each(whose, ["WHITE", "BLACK", "ASIAN"]),
        },
        whose,
        {"subject_id"},
    )
    yield (
        "visits with a hashed key",
        {
            "visit_id": d.hashes(np.arange(700)),
            "patient_hash": d.hashes(whose),
            "visit_date": d.dates(700),
            "ward": d.some(700, "A", "B", "C"),
            "sex": d.of_each(whose, ["f", "m"]),
        },
        whose,
        {"patient_hash"},
    )
    yield (
        "Fälle und Patienten",
        {
            "Fallnummer": d.codes(stay, "F"),
            "Patientennummer": d.codes(whose, "P"),
            "Aufnahmedatum": d.dates(700),
            "Geschlecht": d.of_each(whose, ["w", "m"]),
            "Diagnose": d.some(
                700, "I10", "E11.9", "J20.9", "F10.2", "K29.7", "M54.5", "N39.0", "R51", "Z00"
            ),
        },
        whose,
        {"Patientennummer"},
    )
    yield (
        "visites",
        {"num_visite": d.numbers(stay), "num_patient": d.numbers(whose), "date_visite": d.dates(700)}
        | {"sexe": d.of_each(whose, ["F", "H"]), "ville": d.of_each(whose, _TOWNS)},
        whose,
        {"num_patient"},
    )
    yield (
        "visits of a number only",
        {"encounter_no": d.numbers(stay), "date": d.dates(700), "town": d.some(700, *_TOWNS)},
        stay,  # nobody can know more than that
        {"encounter_no"},
    )


def _money(d: _Draw) -> Iterator[tuple[str, dict[str, Any], Rows, set[str | None]]]:
    whose = d.people(150, 800)
    claim = d.within(whose, 2)
    yield (
        "claims",
        {
            "claim_id": d.codes(claim, "C"),
            "member_id": d.codes(whose, "M"),
            "provider_id": d.codes(d.some(800, *range(25)), "D"),
            "paid": d.amounts(800),
            "age": d.of_each(whose, range(18, 90)),
        },
        whose,
        {"member_id"},
    )
    yield (
        "claims of policies",
        {"ClaimNr": d.numbers(np.arange(800)), "PolicyNr": d.numbers(whose), "ClaimAmount": d.amounts(800)}
        | {"Region": d.of_each(whose, _TOWNS)},
        whose,
        {"PolicyNr"},
    )
    yield (
        "loans",
        {
            "loan_id": d.numbers(np.arange(800), 1_000_000),
            "borrower_id": d.numbers(whose, 5_000_000),
            "loan_amount": d.amounts(800, 9000),
            "purpose": d.some(800, "car", "home", "debt"),
            "home_ownership": d.of_each(whose, ["rent", "own", "mortgage"]),
        },
        whose,
        {"borrower_id"},
    )
    yield (
        "transactions of accounts",
        {"trans_id": d.numbers(np.arange(800)), "account_id": d.numbers(whose, 1), "date": d.dates(800)}
        | {"amount": d.amounts(800), "type": d.some(800, "credit", "withdrawal")},
        whose,
        {"account_id"},
    )
    yield (
        "orders",
        {
            "InvoiceNo": d.numbers(claim, 536_000),
            "InvoiceDate": d.dates(800),
            "CustomerID": d.numbers(whose, 12_000),
            "Quantity": d.some(800, *range(1, 30)),
            "Country": d.of_each(whose, ["United Kingdom", "France", "Germany"]),
        },
        whose,
        {"CustomerID"},
    )
    yield (
        "pedidos",
        {"id_pedido": d.uuids(claim), "id_cliente": d.uuids(whose), "fecha": d.dates(800)}
        | {"importe": d.amounts(800), "ciudad": d.of_each(whose, _TOWNS)},
        whose,
        {"id_cliente"},
    )


def _net(d: _Draw) -> Iterator[tuple[str, dict[str, Any], Rows, set[str | None]]]:
    whose = d.people(120, 900)
    yield (
        "posts",
        {"post_id": d.numbers(np.arange(900)), "user_id": d.numbers(whose), "created": d.dates(900)}
        | {"likes": d.some(900, *range(60)), "city": d.of_each(whose, _TOWNS)},
        whose,
        {"user_id"},
    )
    yield (
        "reviews by author",
        {"author": [f"reader_{i}x" for i in d.numbers(whose)], "date": d.dates(900)}
        | {"rating": d.some(900, 1, 2, 3, 4, 5), "city": d.of_each(whose, _TOWNS)},
        whose,
        {"author"},
    )
    yield (
        "listings of hosts",
        {
            "id": d.numbers(np.arange(900), 2_000_000),
            "host_id": d.numbers(whose, 40_000),
            "host_since": d.of_each(whose, d.dates(120)),
            "latitude": np.round(d.random.normal(47.1, 0.1, 900), 5),
            "longitude": np.round(d.random.normal(15.4, 0.1, 900), 5),
            "room_type": d.some(900, "Entire home", "Private room"),
            "price": d.some(900, *range(20, 300)),
        },
        whose,
        {"host_id"},
    )
    trip = np.arange(900)
    yield (
        "rides",
        {"ride_id": d.hashes(trip), "rider_id": d.hashes(whose), "started_at": d.dates(900)}
        | {"start_station": d.some(900, *_TOWNS), "birth year": d.of_each(whose, range(1950, 2005))},
        whose,
        {"rider_id"},
    )
    yield (
        "sessions",
        {"session_id": d.uuids(d.within(whose, 3)), "visitor_id": d.uuids(whose), "time": d.dates(900)}
        | {"country": d.of_each(whose, ["AT", "DE", "FR"])},
        whose,
        {"visitor_id"},
    )
    yield (
        "two hashes without a name",
        {"h1": d.hashes(d.within(whose, 3)), "h2": d.hashes(whose), "day": d.dates(900)}
        | {"town": d.of_each(whose, _TOWNS)},
        whose,
        {"h2"},
    )


def _panels(d: _Draw) -> Iterator[tuple[str, dict[str, Any], Rows, set[str | None]]]:
    whose, wave = np.repeat(np.arange(150), 5), np.tile(np.arange(1, 6), 150)
    born = d.of_each(whose, range(1940, 2000))
    sex = d.of_each(whose, ["male", "female"])
    yield (
        "waves",
        {"pid": d.numbers(whose, 1000), "wave": wave, "age": 2010 + wave - born, "sex": sex}
        | {"satisfaction": d.some(750, *range(1, 8))},
        whose,
        {"pid"},
    )
    yield (
        "a panel with a bare id",
        {"id": whose + 1, "year": 2000 + wave, "lwage": d.amounts(750, 6), "union": d.some(750, 0, 1)}
        | {"educ": d.of_each(whose, range(8, 18)), "black": d.of_each(whose, [0, 1])},
        whose,
        {"id"},
    )
    yield (
        "a trial",
        {"subject": whose + 1, "visit": wave, "treat": d.of_each(whose, ["placebo", "drug"])}
        | {"age": d.of_each(whose, range(20, 70)), "score": d.some(750, *range(40))},
        whose,
        {"subject"},
    )
    yield (
        "Befragte in Wellen",
        {"Befragten_ID": d.codes(whose, "B"), "Welle": wave, "Geburtsjahr": born}
        | {"Einkommen": d.amounts(750, 2000)},
        whose,
        {"Befragten_ID"},
    )
    yield (
        "firms",
        {"firm_id": whose + 1, "year": 2000 + wave, "invest": d.amounts(750), "capital": d.amounts(750)},
        whose,
        {"firm_id"},
    )
    plots = d.people(140, 600)
    yield (
        "plots of farms",
        {
            "plot_id": d.numbers(np.arange(600)),
            "farm_id": d.numbers(plots, 500),
            "crop": d.some(600, "rye", "oat"),
        }
        | {"hectares": d.amounts(600, 4), "village": d.of_each(plots, _TOWNS)},
        plots,
        {"farm_id"},
    )
    yield (
        "schools by year",
        {"school_id": whose + 1, "year": 2000 + wave, "enrolment": d.some(750, *range(90, 900))}
        | {"district": d.of_each(whose, _TOWNS)},
        whose,
        {"school_id"},
    )


def _homes(d: _Draw) -> Iterator[tuple[str, dict[str, Any], Rows, set[str | None]]]:
    size = d.random.integers(1, 6, 220)
    house = np.repeat(np.arange(220), size)
    n = len(house)
    member = np.concatenate([np.arange(1, s + 1) for s in size])
    yield (
        "a roster of households",
        {"hhid": d.numbers(house, 1000), "member_no": member, "age": d.some(n, *range(90))}
        | {"sex": d.some(n, "f", "m"), "relation": d.some(n, "head", "spouse", "child")},
        np.arange(n),
        {None, "hhid"},
    )
    waves = np.repeat(np.arange(n), 3)
    yield (
        "households and members in waves",
        {"hhid": d.numbers(house[waves], 1000), "pnr": member[waves], "wave": np.tile([1, 2, 3], n)}
        | {"sex": d.of_each(waves, ["f", "m"]), "birth_year": d.of_each(waves, range(1930, 2015))},
        waves,
        {"hhid"},
    )
    many = np.repeat(np.arange(200), 4)
    yield (
        "crops of households with their place",
        {"household_id": d.codes(many, "H"), "crop": d.some(800, "maize", "beans", "rice")}
        | {"gps_lat": np.round(d.random.normal(-1.2, 0.2, 200), 6)[many]}
        | {"gps_lon": np.round(d.random.normal(36.8, 0.2, 200), 6)[many]}
        | {"rooms": d.of_each(many, range(1, 8)), "roof": d.of_each(many, ["iron", "grass"])},
        many,
        {"household_id"},
    )


def _schools(d: _Draw) -> Iterator[tuple[str, dict[str, Any], Rows, set[str | None]]]:
    whose = d.people(250, 900)
    school = d.of_each(whose, range(20))
    yield (
        "exams",
        {"exam_id": d.numbers(np.arange(900)), "student_id": d.numbers(whose), "school_id": school + 1}
        | {"subject": d.some(900, "maths", "English", "art"), "mark": d.some(900, *range(20, 100))},
        whose,
        {"student_id"},
    )
    yield (
        "assessments",
        {
            "id_assessment": d.some(900, *range(1750, 1780)),
            "id_student": d.numbers(whose),
            "score": d.some(900, *range(100)),
        }
        | {"date_submitted": d.some(900, *range(240))},
        whose,
        {"id_student"},
    )
    yield (
        "pupils of schools",
        {
            "school_id": d.some(600, *range(1, 25)),
            "sex": d.some(600, "f", "m"),
            "age": d.some(600, *range(10, 19)),
        }
        | {"mark": d.some(600, *range(20, 100))},
        np.arange(600),
        {None},
    )
    yield (
        "employees and their managers",
        {"EmpID": d.numbers(np.arange(600), 10_000), "ManagerID": d.some(600, *range(1, 30))}
        | {
            "Sex": d.some(600, "F", "M"),
            "Salary": d.amounts(600, 60_000),
            "Department": d.some(600, "IT", "HR"),
        },
        np.arange(600),
        {None},
    )
    yield (
        "patients of doctors",
        {"patient_id": d.uuids(np.arange(600)), "doctor_id": d.uuids(d.some(600, *range(30)))}
        | {"sex": d.some(600, "f", "m"), "age": d.some(600, *range(10, 90))},
        np.arange(600),
        {None},
    )
    yield (
        "arrests",
        {
            "case_number": d.codes(np.arange(900), "HX"),
            "offender_id": d.codes(whose, "O"),
            "date": d.dates(900),
        }
        | {"race": d.of_each(whose, ["White", "Black"]), "charge": d.some(900, "theft", "battery", "fraud")},
        whose,
        {"offender_id"},
    )


_FAMILIES: tuple[Callable[[_Draw], Iterator[tuple[str, dict[str, Any], Rows, set[str | None]]]], ...] = (
    _clinic,
    _money,
    _net,
    _panels,
    _homes,
    _schools,
)


def event_tables(seed: int = 0) -> list[EventTable]:
    """All shapes, each with rows in an order that says nothing."""
    out = []
    for number, family in enumerate(_FAMILIES):
        for name, columns, whose, units in family(_Draw(100 * seed + number)):
            order = np.random.default_rng(seed).permutation(len(whose))
            frame = pl.DataFrame(columns)[order]
            out.append(EventTable(name, frame, np.asarray(whose)[order], frozenset(units)))
    return out
