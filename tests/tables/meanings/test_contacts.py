"""What reaches or belongs to somebody is told by its look, mixed with other things too."""

from __future__ import annotations

import random

import polars as pl
import pytest

import lookalike as la

DRAW = random.Random(3)
PHONES = [f"0{DRAW.choice([171, 160])}/{DRAW.randrange(10**6, 10**7)}" for _ in range(60)]
MAILS = [f"мария{i}@web.de" for i in range(60)]
NOTES = [f"{DRAW.randrange(10**5, 10**6)} (Oma)" for _ in range(60)]
PLATES = [f"{DRAW.choice(['TS', 'M'])}-{DRAW.choice('AB')}L {DRAW.randrange(1, 9999)}" for _ in range(60)]
DAYS = [f"0{i % 9 + 1}.0{i % 8 + 1}.20{i % 24:02d}, dann Ruhe" for i in range(60)]


def concept_of(values: list[str], name: str = "qx") -> str:
    return la.inspect(pl.DataFrame({name: values * 2}))[name].concept


@pytest.mark.parametrize(
    "values",
    [PHONES[:30] + MAILS[:30], MAILS[:6] + NOTES[:54], PHONES[:25] + NOTES[:35], PLATES],
    ids=["phones and e-mails", "some e-mails", "some phones", "plates"],
)
def test_contacts_are_identifiers_whatever_else_stands_among_them(values: list[str]) -> None:
    assert la.inspect(pl.DataFrame({"qx": values * 2})).having("identifier") == ["qx"]


def test_a_name_that_speaks_of_contact_does_not_publish_phone_numbers() -> None:
    assert concept_of(PHONES, "contact") == "phone"


@pytest.mark.parametrize(
    "values",
    [
        DAYS,
        [f"0.{i:06d}" if i % 2 else f"<0.{i}" for i in range(60)],
        [f"0{i:02d} - 0{i + 9:02d}" for i in range(60)],
    ],
    ids=["days in words", "decimals", "ranges"],
)
def test_days_decimals_and_ranges_are_no_phone_numbers(values: list[str]) -> None:
    assert concept_of(values) not in ("phone", "email")
