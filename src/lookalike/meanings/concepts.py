"""What a column can be about, the role that follows, and how likely an outsider is to know it of a person.

The roles follow the usual criteria for quasi-identifiers: replicable, distinguishing, and knowable to somebody else
(El Emam and Dankar 2008, https://doi.org/10.1197/jamia.M2716), HIPAA's list of identifiers (45 CFR 164.514(b)(2)) and
the special categories of GDPR art. 9.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.columns.roles import Role


@dataclass(frozen=True)
class Concept:
    """Something a column can be about."""

    name: str
    role: Role
    words: str  #: what the column holds, in words
    known: float  #: chance that an acquaintance or a register knows it of a person, by judgement
    why: str


_LISTED = (
    Concept("person_name", Role.IDENTIFIER, "names of people", 1.0, "a name points at a person outright"),
    Concept("first_name", Role.IDENTIFIER, "first names", 1.0, "a name points at a person outright"),
    Concept("last_name", Role.IDENTIFIER, "last names", 1.0, "a name points at a person outright"),
    Concept(
        "person_id",
        Role.IDENTIFIER,
        "numbers or keys given to people",
        0.8,
        "whoever keeps the register can look it up",
    ),
    Concept(
        "record_id", Role.IDENTIFIER, "a key of the rows", 0.5, "a key ties the row to where it came from"
    ),
    Concept(
        "national_id",
        Role.IDENTIFIER,
        "official numbers of people",
        1.0,
        "an official number is one person's",
    ),
    Concept("phone", Role.IDENTIFIER, "phone numbers", 1.0, "a phone number reaches one person"),
    Concept("email", Role.IDENTIFIER, "e-mail addresses", 1.0, "an e-mail address reaches one person"),
    Concept("street_address", Role.IDENTIFIER, "street addresses", 1.0, "an address leads to the door"),
    Concept("online_id", Role.IDENTIFIER, "network or account names", 0.9, "it follows one person or device"),
    Concept("account", Role.IDENTIFIER, "account or card numbers", 0.9, "an account belongs to one person"),
    Concept("vehicle_id", Role.IDENTIFIER, "vehicle numbers", 0.9, "a vehicle is registered to a person"),
    Concept("biometric", Role.IDENTIFIER, "pictures or body prints", 1.0, "a body is one person's"),
    Concept(
        "free_text", Role.IDENTIFIER, "free text", 0.6, "free text may name anybody and cannot be blurred"
    ),
    Concept("age", Role.QUASI, "ages", 0.95, "neighbours know it, registers hold it"),
    Concept(
        "birth_date", Role.QUASI, "dates of birth", 0.95, "registers hold it, friends congratulate on it"
    ),
    Concept("birth_year", Role.QUASI, "years of birth", 0.95, "neighbours can tell it, registers hold it"),
    Concept("birth_part", Role.QUASI, "parts of birthdays", 0.9, "friends know it, registers hold it"),
    Concept("sex", Role.QUASI, "sex or gender", 1.0, "anybody can see it, registers hold it"),
    Concept("race", Role.QUASI, "race or ethnic group", 0.9, "others see it, registers hold it"),
    Concept("nationality", Role.QUASI, "nationality or origin", 0.85, "others know it, registers hold it"),
    Concept("language", Role.QUASI, "languages", 0.8, "anybody can hear it"),
    Concept("marital", Role.QUASI, "marital status", 0.9, "neighbours know it, registers hold it"),
    Concept("household", Role.QUASI, "family or household", 0.8, "neighbours see who lives together"),
    Concept("children", Role.QUASI, "number of children", 0.85, "neighbours and colleagues know it"),
    Concept("education", Role.QUASI, "education", 0.8, "colleagues know it, people publish it themselves"),
    Concept("occupation", Role.QUASI, "occupations", 0.85, "others know it, people publish it themselves"),
    Concept("employment", Role.QUASI, "employment", 0.75, "others know where and how somebody works"),
    Concept("postcode", Role.QUASI, "postcodes", 0.95, "addresses are in registers"),
    Concept("place", Role.QUASI, "places", 0.9, "others know where somebody lives"),
    Concept(
        "institution",
        Role.QUASI,
        "institutions",
        0.6,
        "others know where somebody is treated, taught or served",
    ),
    Concept("coordinates", Role.QUASI, "coordinates", 0.95, "a point on the map leads to a door"),
    Concept("housing", Role.QUASI, "housing", 0.7, "neighbours see it, land registers hold it"),
    Concept("event_date", Role.QUASI, "dates of events", 0.65, "others remember when it happened"),
    Concept("service", Role.QUASI, "military service", 0.7, "others know it, registers hold it"),
    Concept("appearance", Role.QUASI, "appearance", 0.8, "anybody can see it"),
    Concept("diagnosis", Role.SENSITIVE, "illness", 0.2, "health is nobody else's business (GDPR art. 9)"),
    Concept("treatment", Role.SENSITIVE, "treatment or its outcome", 0.2, "health is private (GDPR art. 9)"),
    Concept("health", Role.SENSITIVE, "health or body", 0.25, "health is private (GDPR art. 9)"),
    Concept("income", Role.SENSITIVE, "income", 0.25, "people keep what they earn to themselves"),
    Concept("wealth", Role.SENSITIVE, "money", 0.15, "people keep their finances to themselves"),
    Concept("belief", Role.SENSITIVE, "belief or opinion", 0.35, "belief is private (GDPR art. 9)"),
    Concept("crime", Role.SENSITIVE, "crime", 0.35, "offences are private (GDPR art. 10)"),
    Concept(
        "performance", Role.SENSITIVE, "grades or performance", 0.25, "how well somebody does is private"
    ),
    Concept(
        "answers",
        Role.SENSITIVE,
        "answers to a questionnaire",
        0.1,
        "what somebody answered is private, and many answers together are like a fingerprint",
    ),
    Concept(
        "sampling_weight", Role.OTHER, "weights of a survey", 0.02, "it describes the survey, not the person"
    ),
    Concept("bookkeeping", Role.OTHER, "bookkeeping", 0.05, "it describes the table, not the person"),
    Concept("activity", Role.OTHER, "habits or circumstances", 0.2, "outsiders seldom know it exactly"),
    Concept(
        "thing", Role.OTHER, "a place or thing, not a person", 0.3, "it describes somewhere or something"
    ),
    Concept("measurement", Role.OTHER, "numbers", 0.1, "nothing says that outsiders would know it"),
    Concept("category", Role.OTHER, "categories", 0.2, "nothing says that outsiders would know it"),
    Concept(
        "nothing", Role.OTHER, "nothing that varies", 0.0, "a column that never varies tells nobody apart"
    ),
)

#: Every concept by name.
CONCEPTS = {concept.name: concept for concept in _LISTED}
