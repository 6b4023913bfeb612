"""What a column is about: its name and its values weighed together, with the evidence."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.meanings.concepts import CONCEPTS, ColumnConcept
from lookalike.tables.meanings.keys import may_be_key
from lookalike.tables.meanings.mnemonics import DictionaryEntry
from lookalike.tables.meanings.names import Reading, lexicon, read_name, split_words
from lookalike.tables.meanings.patterns import read_values
from lookalike.tables.meanings.plausible import (
    CONTRADICT,
    LEAVE,
    Facts,
    facts_of,
    has_test,
    is_calendar,
    judge,
)
from lookalike.tables.meanings.reasons import Reason, Why
from lookalike.tables.meanings.spreads import Resemblance, shape_of

_NAME_WEIGHT = 0.85  # a clear name alone makes a reading this sure
_ENOUGH = 0.45  # below this, a reading is not believed
_OFFICIAL, _LONE = 0.92, 0.65  # a mnemonic among others of its dictionary, and one by itself whose values fit
_SETTLED = 0.6  # below this, nothing really says that a column is of no concern
_CERTAIN = 0.98  # check digits and the like overrule the name's own concept
_WHERE_AND_WHEN = frozenset({"place", "postcode", "coordinates", "event_date"})
_WHOSE = {"staff": ", of a professional", "site": ", of an institution", "thing": ", of a place or thing"}


@dataclass(frozen=True)
class Meaning:
    """What a column is about, how sure that is, and why."""

    concept: ColumnConcept
    confidence: float
    reasons: tuple[Reason, ...]
    facts: Facts

    @property
    def evidence(self) -> tuple[str, ...]:
        """The reasons in words."""
        return tuple(reason.text for reason in self.reasons)

    @property
    def decide(self) -> bool:
        """Whether nothing says what the column is, so that a person has to."""
        return self.concept.role is Role.OTHER and self.confidence < _SETTLED


@dataclass(frozen=True)
class _Claim:
    concept: str
    strength: float
    words: str


def understand(column: Column, entry: DictionaryEntry | None = None) -> Meaning:
    """Read a column's name and values; what contradicts itself is dropped, what agrees adds up.

    entry: what a dictionary of official names says about the column, beside the other columns of its table.
    """
    facts = facts_of(column)
    if facts.constant and not (facts.distinct and _says_who(column)):
        what = "every value is missing" if not facts.distinct else "one single value"
        reason = Reason(Why.READING, {"words": f"{what}: it cannot tell anybody apart"})
        return Meaning(CONCEPTS["nothing"], 0.95, (reason,), facts)
    findings = read_values(column)
    official = _claims_of_dictionary(entry, column, facts)
    named = [] if official and entry and entry.company else _claims_of_name(column, facts)
    claims = [*official, *named, *_claims_of_values(findings, column, facts)]
    best = _weigh_claims(claims)
    if best is None or best.strength < _ENOUGH:
        best = _fall_back(column, facts)
    concept = CONCEPTS[best.concept]
    agreeing = [c.words for c in claims if CONCEPTS[c.concept].role is concept.role and c.words != best.words]
    said = dict.fromkeys([best.words, *agreeing[:2]])
    reasons = tuple(Reason(Why.READING, {"words": words}) for words in said)
    return Meaning(concept, min(best.strength, 0.99), reasons, facts)


def _says_who(column: Column) -> bool:
    """Whether the column's name says that it names somebody, which it does even where everybody has the same value."""
    readings = read_name(column.name)
    return bool(readings) and CONCEPTS[readings[0].concept].role is Role.IDENTIFIER


def _claims_of_dictionary(entry: DictionaryEntry | None, column: Column, facts: Facts) -> list[_Claim]:
    """An official name among others of its kind holds unless the values contradict it; alone, if they support it."""
    if entry is None:
        return []
    concept, factor = judge(entry.concept, column, facts)
    if entry.company:
        return [] if factor <= CONTRADICT else [_Claim(entry.concept, _OFFICIAL, entry.words)]
    if concept != entry.concept or factor < LEAVE or not has_test(concept):
        return []
    return [_Claim(concept, _LONE, f"{entry.words}, and the values fit")]


def _claims_of_name(column: Column, facts: Facts) -> list[_Claim]:
    claims = []
    dated = is_calendar(column)
    for reading in read_name(column.name):
        concept, factor = judge(reading.concept, column, facts)
        if dated and CONCEPTS[concept].role is Role.SENSITIVE:
            concept = "event_date"
        said = f"the name says {CONCEPTS[reading.concept].words} ({reading.words!r})"
        if concept == "event_date" and CONCEPTS[reading.concept].role is Role.SENSITIVE:
            said += ", and the values when that was"
        if concept == "measurement" != reading.concept:
            said += ", but the values are other numbers"
        if concept == "sampling_weight" != reading.concept:
            said += ", but the values are those of a survey's weights"
        whose = _WHOSE.get(reading.whose, "")
        owned = _of_whom(concept, reading)
        if factor > CONTRADICT or owned == "thing":
            strength = (
                0.7 * reading.strength if owned == "thing" else _NAME_WEIGHT * reading.strength * factor
            )
            claims.append(_Claim(owned, min(strength, 0.95), said if owned == concept else f"{said}{whose}"))
    if not claims and dated:
        claims.append(_Claim("event_date", 0.6, "the name and the numbers speak of years or months"))
    if not claims and any(w in lexicon().thing or w in lexicon().site for w in split_words(column.name)):
        claims.append(_Claim("thing", 0.55, "the name speaks of a place or thing"))
    return claims


def _of_whom(concept: str, reading: Reading) -> str:
    """What a concept becomes where the name says that it is not the attribute of the person in the row.

    A key of an institution that repeats stands for it, as its name does; where and when it is stays known to others.
    """
    role = CONCEPTS[concept].role
    keyed = reading.concept == "record_id" and concept == "thing"
    if reading.whose in ("site", "staff") and keyed:
        return "institution"
    if role not in (Role.IDENTIFIER, Role.QUASI) or concept in ("record_id", "institution"):
        return concept
    if reading.whose == "site":
        if role is Role.IDENTIFIER:
            return "institution"
        return concept if concept in _WHERE_AND_WHEN else "thing"
    if reading.whose == "staff":
        return concept if role is Role.IDENTIFIER or concept in _WHERE_AND_WHEN else "thing"
    return "thing" if reading.whose == "thing" else concept


def _claims_of_values(findings: list[Resemblance], column: Column, facts: Facts) -> list[_Claim]:
    claims = []
    for finding in findings:
        concept, factor = judge(finding.concept, column, facts)
        if factor > CONTRADICT:
            claims.append(_Claim(concept, min(finding.strength * min(factor, 1.0), 0.99), finding.words))
    return claims


def _weigh_claims(claims: list[_Claim]) -> _Claim | None:
    """The strongest concept, where claims for the same one (and, by a third, for the same role) add up.

    Between concepts of the same role the name's comes first: it is the more specific.
    """
    if not claims:
        return None
    scored = [(1 - _doubt(claims, place), -place, claim) for place, claim in enumerate(claims)]
    strength, _, best = max(scored, key=lambda s: s[:2])
    role = CONCEPTS[best.concept].role
    first = next(c for c in claims if CONCEPTS[c.concept].role is role)
    if best.strength < _CERTAIN:
        best = first
    against = max((c.strength for c in claims if CONCEPTS[c.concept].role is not role), default=0.0)
    return _Claim(best.concept, strength * (1 - 0.3 * against), best.words)


def _doubt(claims: list[_Claim], place: int) -> float:
    claim = claims[place]
    doubt = 1 - claim.strength
    for i, other in enumerate(claims):
        if i != place and other.concept == claim.concept:
            doubt *= 1 - 0.9 * other.strength
        elif i != place and CONCEPTS[other.concept].role is CONCEPTS[claim.concept].role:
            doubt *= 1 - 0.3 * other.strength
    return doubt


def _fall_back(column: Column, facts: Facts) -> _Claim:
    """Neither name nor values are known: what the counts alone suggest."""
    values = column.domain.values
    if facts.records >= 20 and facts.varied >= 0.98:
        if column.kind is Kind.INTEGER and len(str(values[0])) == len(str(values[-1])) >= 6:
            return _Claim("record_id", 0.6, "whole numbers of equal length, one per row: a key")
        if column.kind is Kind.NOMINAL:
            return _Claim("record_id", 0.6, "a different text in every row: a key, or something as telling")
    if may_be_key(column):
        words = "so few rows share a value that it may be a key of people or households"
        kind = "measurement" if column.kind.numeric else "category"
        return _Claim(kind, 0.5, f"{words}, and neither name nor values say what it is")
    if column.kind.numeric:
        shape = shape_of(column)
        return _Claim("measurement", 0.5, f"numbers, and neither name nor values say what of{shape}")
    return _Claim("category", 0.5, "categories, and neither name nor values say what of")
