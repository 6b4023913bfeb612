"""Roles by header: two hundred realistic ones, and the rules by which words in one header outweigh others."""

from __future__ import annotations

import polars as pl
import pytest

import lookalike as la
from tables.meanings.headers import HELD_OUT, PUBLIC, SEEN, draw_values

Headers = dict[str, list[tuple[str, str]]]


def role_of(header: str, values: str) -> str:
    return str(la.inspect(pl.DataFrame({header: draw_values(header, values)})).columns[0].role)


@pytest.mark.parametrize(
    ("listed", "least"), [(SEEN, 1.0), (HELD_OUT, 0.95), (PUBLIC, 0.95)], ids=["seen", "held out", "public"]
)
def test_headers_get_the_role_a_person_would_give_them(listed: Headers, least: float) -> None:
    wrong = [
        f"{header}: {got}, not {role}"
        for role, columns in listed.items()
        for header, values in columns
        if (got := role_of(header, values)) != role
    ]
    assert len(wrong) <= (1 - least) * sum(map(len, listed.values())), wrong


@pytest.mark.parametrize(
    ("header", "values", "role"),
    [
        # where, whatever the topic
        ("Health Service Area", "A|B|C|D", "quasi"),
        ("Cancer Registry County", "A|B|C|D", "quasi"),
        ("income_tax_municipality", "A|B|C|D", "quasi"),
        ("Gesundheitsregion", "A|B|C|D", "quasi"),
        ("distrito de salud", "A|B|C|D", "quasi"),
        ("région de santé", "A|B|C|D", "quasi"),
        # but the topic, where the place only says whose, or where in the body
        ("County Health Score", "int 1 90", "sensitive"),
        ("Tumour Location", "left|right|upper|lower", "sensitive"),
        ("State of health", "good|fair|poor", "sensitive"),
        # institutions are where somebody is known to go; what they charge is private, how long nobody says
        ("Admitting Hospital", "A|B|C|D", "quasi"),
        ("Hospital of birth", "A|B|C|D", "quasi"),
        ("Krankenhausname", "A|B|C|D", "quasi"),
        ("Hospital Charges", "real 10 900", "sensitive"),
        ("Hospital Beds", "int 20 900", "other"),
        # a professional's name is a person's, their age is not that of the person in the row
        ("Physician Name", "Anna Berg #|Jon Lund #|Mia Dahl #", "identifier"),
        ("Doctor Age", "int 30 64", "other"),
        # a year or month of something private is a date
        ("Diagnosis Year", "int 1998 2020", "quasi"),
        ("Surgery Month", "int 1 12", "quasi"),
        ("Years since diagnosis", "int 0 40", "sensitive"),
        # what is no person's stays so
        ("Merchant City", "A|B|C|D", "other"),
        ("Vehicle Country", "A|B|C|D", "other"),
    ],
)
def test_the_word_a_header_is_about_decides(header: str, values: str, role: str) -> None:
    assert role_of(header, values) == role


def test_an_institution_is_told_from_the_key_of_a_table_of_institutions() -> None:
    assert role_of("Facility Id", "1|37|116|214|583") == "quasi"
    assert role_of("Facility Id", "F#") == "identifier"
