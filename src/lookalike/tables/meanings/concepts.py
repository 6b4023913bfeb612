"""What a column can be about, the role that follows, and how likely an outsider is to know it of a person.

The roles follow the usual criteria for quasi-identifiers: replicable, distinguishing, and knowable to somebody else
(El Emam and Dankar 2008, https://doi.org/10.1197/jamia.M2716), HIPAA's list of identifiers (45 CFR 164.514(b)(2)) and
the special categories of GDPR art. 9.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.tables.columns.roles import Role


@dataclass(frozen=True)
class ColumnConcept:
    """Something a column can be about."""

    name: str
    role: Role
    words: str  #: what the column holds, in words
    known: float  #: chance that an acquaintance or a register knows it of a person, by judgement
    why: str


#: Concepts whose values are given to one person each.
OF_ONE_PERSON = ("person_id", "national_id", "email")
#: Concepts whose values are one person's or several people's, such as a household's phone and a doctor's name.
MAY_BE_ONE_PERSONS = ("phone", "account", "online_id", "person_name")

#: Concepts whose numbers are names: 1 and 2 for women and men are not closer than 1 and 9.
CODED = frozenset(
    {"sex", "race", "nationality", "language", "marital", "occupation", "employment", "place", "institution"}
    | {"housing", "service", "belief"}
)

#: Concepts of which one is enough to tell that a table is about people.
PERSONAL = frozenset(
    {
        "person_name",
        "first_name",
        "last_name",
        "national_id",
        "phone",
        "email",
        "age",
        "birth_date",
        "birth_year",
    }
    | {
        "birth_part",
        "sex",
        "race",
        "nationality",
        "language",
        "marital",
        "children",
        "education",
        "occupation",
    }
    | {"service", "appearance", "diagnosis", "treatment", "health", "belief", "crime", "person_id"}
)

_LISTED = (
    ColumnConcept(
        "person_name", Role.IDENTIFIER, "names of people", 1.0, "a name points at a person outright"
    ),
    ColumnConcept("first_name", Role.IDENTIFIER, "first names", 1.0, "a name points at a person outright"),
    ColumnConcept("last_name", Role.IDENTIFIER, "last names", 1.0, "a name points at a person outright"),
    ColumnConcept(
        "person_id",
        Role.IDENTIFIER,
        "numbers or keys given to people",
        0.8,
        "whoever keeps the register can look it up",
    ),
    ColumnConcept(
        "event_id",
        Role.IDENTIFIER,
        "numbers or keys of what people did or had",
        0.5,
        "whoever keeps the register can look it up",
    ),
    ColumnConcept(
        "record_id", Role.IDENTIFIER, "a key of the rows", 0.5, "a key ties the row to where it came from"
    ),
    ColumnConcept(
        "national_id",
        Role.IDENTIFIER,
        "official numbers of people",
        1.0,
        "an official number is one person's",
    ),
    ColumnConcept("phone", Role.IDENTIFIER, "phone numbers", 1.0, "a phone number reaches one person"),
    ColumnConcept("email", Role.IDENTIFIER, "e-mail addresses", 1.0, "an e-mail address reaches one person"),
    ColumnConcept("street_address", Role.IDENTIFIER, "street addresses", 1.0, "an address leads to the door"),
    ColumnConcept(
        "online_id", Role.IDENTIFIER, "network or account names", 0.9, "it follows one person or device"
    ),
    ColumnConcept(
        "account", Role.IDENTIFIER, "account or card numbers", 0.9, "an account belongs to one person"
    ),
    ColumnConcept(
        "vehicle_id", Role.IDENTIFIER, "vehicle numbers", 0.9, "a vehicle is registered to a person"
    ),
    ColumnConcept("biometric", Role.IDENTIFIER, "pictures or body prints", 1.0, "a body is one person's"),
    ColumnConcept(
        "free_text", Role.IDENTIFIER, "free text", 0.6, "free text may name anybody and cannot be blurred"
    ),
    ColumnConcept(
        "exact_point",
        Role.IDENTIFIER,
        "exact coordinates",
        0.95,
        "a point on the map leads to a door, as does a box of a few metres around it: a region, or coordinates of two "
        "decimals, says where somebody lives",
    ),
    ColumnConcept("age", Role.QUASI, "ages", 0.95, "neighbours know it, registers hold it"),
    ColumnConcept(
        "birth_date", Role.QUASI, "dates of birth", 0.95, "registers hold it, friends congratulate on it"
    ),
    ColumnConcept(
        "birth_year", Role.QUASI, "years of birth", 0.95, "neighbours can tell it, registers hold it"
    ),
    ColumnConcept("birth_part", Role.QUASI, "parts of birthdays", 0.9, "friends know it, registers hold it"),
    ColumnConcept("sex", Role.QUASI, "sex or gender", 1.0, "anybody can see it, registers hold it"),
    ColumnConcept("race", Role.QUASI, "race or ethnic group", 0.9, "others see it, registers hold it"),
    ColumnConcept(
        "nationality", Role.QUASI, "nationality or origin", 0.85, "others know it, registers hold it"
    ),
    ColumnConcept("language", Role.QUASI, "languages", 0.8, "anybody can hear it"),
    ColumnConcept("marital", Role.QUASI, "marital status", 0.9, "neighbours know it, registers hold it"),
    ColumnConcept("household", Role.QUASI, "family or household", 0.8, "neighbours see who lives together"),
    ColumnConcept("children", Role.QUASI, "number of children", 0.85, "neighbours and colleagues know it"),
    ColumnConcept(
        "education", Role.QUASI, "education", 0.8, "colleagues know it, people publish it themselves"
    ),
    ColumnConcept(
        "occupation", Role.QUASI, "occupations", 0.85, "others know it, people publish it themselves"
    ),
    ColumnConcept("employment", Role.QUASI, "employment", 0.75, "others know where and how somebody works"),
    ColumnConcept("postcode", Role.QUASI, "postcodes", 0.95, "addresses are in registers"),
    ColumnConcept("place", Role.QUASI, "places", 0.9, "others know where somebody lives"),
    ColumnConcept(
        "institution",
        Role.QUASI,
        "institutions",
        0.6,
        "others know where somebody is treated, taught or served",
    ),
    ColumnConcept(
        "membership",
        Role.QUASI,
        "groups people are in",
        0.8,
        "others know which class, team or course somebody is in",
    ),
    ColumnConcept("coordinates", Role.QUASI, "coordinates", 0.95, "a point on the map leads to a door"),
    ColumnConcept("housing", Role.QUASI, "housing", 0.7, "neighbours see it, land registers hold it"),
    ColumnConcept("event_date", Role.QUASI, "dates of events", 0.65, "others remember when it happened"),
    ColumnConcept("service", Role.QUASI, "military service", 0.7, "others know it, registers hold it"),
    ColumnConcept("appearance", Role.QUASI, "appearance", 0.8, "anybody can see it"),
    ColumnConcept(
        "diagnosis", Role.SENSITIVE, "illness", 0.2, "health is nobody else's business (GDPR art. 9)"
    ),
    ColumnConcept(
        "treatment", Role.SENSITIVE, "treatment or its outcome", 0.2, "health is private (GDPR art. 9)"
    ),
    ColumnConcept("health", Role.SENSITIVE, "health or body", 0.25, "health is private (GDPR art. 9)"),
    ColumnConcept("income", Role.SENSITIVE, "income", 0.25, "people keep what they earn to themselves"),
    ColumnConcept("wealth", Role.SENSITIVE, "money", 0.15, "people keep their finances to themselves"),
    ColumnConcept("belief", Role.SENSITIVE, "belief or opinion", 0.35, "belief is private (GDPR art. 9)"),
    ColumnConcept("crime", Role.SENSITIVE, "crime", 0.35, "offences are private (GDPR art. 10)"),
    ColumnConcept(
        "performance", Role.SENSITIVE, "grades or performance", 0.25, "how well somebody does is private"
    ),
    ColumnConcept(
        "answers",
        Role.SENSITIVE,
        "answers to a questionnaire",
        0.1,
        "what somebody answered is private, and many answers together are like a fingerprint",
    ),
    ColumnConcept(
        "sampling_weight", Role.OTHER, "weights of a survey", 0.02, "it describes the survey, not the person"
    ),
    ColumnConcept("bookkeeping", Role.OTHER, "bookkeeping", 0.05, "it describes the table, not the person"),
    ColumnConcept("activity", Role.OTHER, "habits or circumstances", 0.2, "outsiders seldom know it exactly"),
    ColumnConcept(
        "thing", Role.OTHER, "a place or thing, not a person", 0.3, "it describes somewhere or something"
    ),
    ColumnConcept("measurement", Role.OTHER, "numbers", 0.1, "nothing says that outsiders would know it"),
    ColumnConcept("category", Role.OTHER, "categories", 0.2, "nothing says that outsiders would know it"),
    ColumnConcept(
        "nothing", Role.OTHER, "nothing that varies", 0.0, "a column that never varies tells nobody apart"
    ),
)

#: Every concept by name.
CONCEPTS = {concept.name: concept for concept in _LISTED}
