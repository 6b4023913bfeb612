"""What a column's name says beyond its meaning."""

from __future__ import annotations

import polars as pl

import lookalike as la
from lookalike.meanings.names import is_of_amounts, is_of_codes


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
