"""The study's pseudonym is ambiguous and can be recomputed; the repair is neither. These findings are ours."""

from __future__ import annotations

import hashlib

import polars as pl

import lookalike as la
from lookalike.papers.comparison import OURS, Line

THEIRS = "SHA3-256 of name, postcode and one salt, which the report prints"


def study_pseudonym(name: str, postcode: str, salt: str) -> str:
    """The study's pseudonym: SHA3-256 of name, postcode and one constant salt, put together as they are."""
    return hashlib.sha3_256(f"{name}{postcode}{salt}".encode()).hexdigest()


def pseudonyms(seed: int) -> list[Line]:
    """How many share one, how many are found by whoever knows the salt, and the same of the repair."""
    two = pl.DataFrame({"name": ["Ann Lee", "Ann LeeA"], "postcode": ["AB1 2CD", "B1 2CD"]})
    known = la.datasets.population(1_000, seed).select("name", "postcode")
    sides = {}
    for name, rows in (("two", two), ("known", known)):
        table = la.table(rows, identifiers=["name", "postcode"])
        sides[name] = la.pseudonymise(table, ["name", "postcode"], key=la.Key(bytes(range(32)))).values
    found, guessed = (
        sum(one in set(made) for one in _hashes(known)) for made in (_hashes(known), sides["known"])
    )
    return [
        Line(
            "Pseudonym",
            "pseudonyms of two people whose name and postcode read the same when joined",
            THEIRS,
            str(len(set(_hashes(two)))),
            OURS,
            "joined without lengths, Ann Lee + AB1 2CD is Ann LeeA + B1 2CD",
        ),
        Line(
            "Pseudonym",
            f"found by whoever knows name, postcode and the salt, of {known.height:,}",
            THEIRS,
            f"{found:,}",
            OURS,
            "with the salt known, two facts find a row, whatever k is",
        ),
        Line(
            "Pseudonym",
            "repair: HMAC-SHA3-256 with a secret key over fields with their lengths",
            "",
            f"{len(set(sides['two']))} for the two people; {guessed} of {known.height:,} found without the key",
            OURS,
            "and by default no pseudonym at all",
        ),
    ]


def _hashes(rows: pl.DataFrame) -> list[str]:
    """What the study publishes for these people, and what anybody who knows its salt computes."""
    return [
        study_pseudonym(name, postcode, "s") for name, postcode in rows.select("name", "postcode").iter_rows()
    ]
