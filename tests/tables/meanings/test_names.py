"""What a column's name says beyond its meaning."""

from __future__ import annotations

import polars as pl
import pytest

import lookalike as la
from lookalike.tables.meanings.names import is_of_amounts, is_of_codes, read_name


def test_names_of_amounts_are_told_from_names_of_codes() -> None:
    assert all(
        map(is_of_amounts, ["YearsAtCompany", "distance_from_home", "JobLevel", "Dauer der Anstellung"])
    )
    assert not any(map(is_of_amounts, ["JobRole", "race", "marital_status", "occupation", "yearbook"]))
    years = la.table(pl.DataFrame({"YearsAtCompany": [0, 1, 2, 5, 9, 11, 30]}), others=[])
    assert years.column("YearsAtCompany").kind == "integer"
    jobs = la.table(pl.DataFrame({"occupation": [0, 1, 2, 5, 9, 11, 30]}), others=[])
    assert jobs.column("occupation").kind == "nominal"


def test_numbers_that_their_name_calls_codes_are_names() -> None:
    assert all(map(is_of_codes, ["px_cd", "CountryCode", "dept code 2", "prov_npi", "Schlüssel"]))
    assert not any(map(is_of_codes, ["code_length", "encoded", "cd4 count", "age"]))
    visits = la.table(pl.DataFrame({"px_cd": [99213, 99214, 36415, 80053]}), others=[])
    assert visits.column("px_cd").kind == "nominal"


@pytest.mark.parametrize(
    "header", ["Pupil name", 'Name "as known"', "pupil's name", "name of the patient", "legal name", "name_2"]
)
@pytest.mark.parametrize(
    "people",
    [
        "Hương Nguyễn|Đức Trần|Quỳnh Lê|Thảo Phạm|Tuấn Vũ|Bích Đặng",
        "Пётр Орлов|Анна Зайцева|Олег Попов|Иван Волков|Юлия Попова|Мария Козлова",
        "李 伟|王 芳|张 敏|刘 洋|陈 静|杨 强",
    ],
)
def test_names_of_people_are_told_by_their_header_in_whatever_script(header: str, people: str) -> None:
    """Also where so many share a name that it stands in large classes."""
    names = people.split("|")
    rows = pl.DataFrame(
        {
            header: [names[i % 6] for i in range(90)],
            "age": [20 + i % 5 for i in range(90)],
            "sex": ["f", "m"] * 45,
        }
    )
    assert la.inspect(rows).roles[header] == "identifier"


def test_names_of_things_are_no_names_of_people() -> None:
    for header in (
        "category name",
        "brand name",
        "team name",
        "file name",
        "class name",
        "drug name",
        "hospital name",
    ):
        assert not any(reading.concept == "person_name" for reading in read_name(header))
    (reading,) = read_name("doctor name")
    assert (reading.concept, reading.whose) == ("person_name", "staff")


@pytest.mark.parametrize("header", ["KSt", "StKl"])
def test_capitals_within_an_abbreviation_begin_no_word(header: str) -> None:
    assert not any(reading.words == "st" for reading in read_name(header))
    assert read_name("st")[0].concept == "place"
    assert read_name("home_st")[0].concept == "place"


def test_15_digits_with_a_check_digit_may_be_a_phone() -> None:
    def with_check(digits: str) -> str:
        odd = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[::-1][::2])
        return digits + str(-(odd + sum(int(digit) for digit in digits[::-1][1::2])) % 10)

    numbers = [with_check(f"35{i * 7919:012d}") for i in range(200)]
    told = la.inspect(pl.DataFrame({"xkv": numbers, "age": [30 + i % 40 for i in range(200)]}))
    assert "a payment card or a phone (IMEI)" in " ".join(told["xkv"].evidence)


@pytest.mark.parametrize(
    "header",
    [
        "Age at offence",
        "age_at_diagnosis",
        "AgeAtFirstBirth",
        "age when arrested",
        "Alter bei Diagnose",
        "âge au diagnostic",
        "edad al diagnóstico",
        "leeftijd bij diagnose",
    ],
)
def test_an_age_at_some_event_is_an_age_and_no_event(header: str) -> None:
    assert read_name(header)[0].concept == "age"
    rows = pl.DataFrame({header: [18 + i % 60 for i in range(240)], "sex": ["f", "m"] * 120})
    assert la.inspect(rows).roles[header] == "quasi"
