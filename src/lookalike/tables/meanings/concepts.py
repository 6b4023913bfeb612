"""What a column can be about, the role that follows, and how likely an outsider is to know it: concepts.toml.

The roles follow the usual criteria for quasi-identifiers: replicable, distinguishing, and knowable to somebody else
(El Emam and Dankar 2008, https://doi.org/10.1197/jamia.M2716), HIPAA's list of identifiers (45 CFR 164.514(b)(2)) and
the special categories of GDPR art. 9.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from lookalike.tables.columns.roles import Role


@dataclass(frozen=True)
class ColumnConcept:
    """Something a column can be about."""

    name: str
    role: Role
    words: str  #: what the column holds, in words
    known: float  #: chance that an acquaintance or a register knows it of a person, by judgement
    why: str
    personal: bool = False  #: one such column is enough to tell that a table is about people
    coded: bool = False  #: its numbers are names: 1 and 2 for women and men are not closer than 1 and 9
    given_to: Literal["one", "several", ""] = ""  #: how many people have the same value


def _listed() -> list[ColumnConcept]:
    written = tomllib.loads(files(__package__).joinpath("concepts.toml").read_text(encoding="utf-8"))
    return [
        ColumnConcept(name, Role(role), **facts)
        for role, concepts in written.items()
        for name, facts in concepts.items()
    ]


#: Every concept by name.
CONCEPTS = {concept.name: concept for concept in _listed()}
CODED = frozenset(name for name, concept in CONCEPTS.items() if concept.coded)
PERSONAL = frozenset(name for name, concept in CONCEPTS.items() if concept.personal)
OF_ONE_PERSON = frozenset(name for name, concept in CONCEPTS.items() if concept.given_to == "one")
MAY_BE_ONE_PERSONS = frozenset(name for name, concept in CONCEPTS.items() if concept.given_to == "several")
