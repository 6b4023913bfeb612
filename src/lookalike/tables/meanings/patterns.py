"""What a column's values say: shapes (dates, postcodes, phone numbers, ...), check digits, and known words.

Looks at up to 1,000 distinct values, evenly spaced over the sorted domain, so the cost does not grow with the table
and the answer does not depend on the order of rows. No value is ever shown: findings speak of kinds and shares.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np

from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.domains import texts_of
from lookalike.tables.columns.roles import Kind
from lookalike.tables.meanings.check_digits import CHECKED, ends_by_luhn
from lookalike.tables.meanings.concepts import CONCEPTS
from lookalike.tables.meanings.contacts import read_contacts
from lookalike.tables.meanings.names import fold, is_of_codes, split_words
from lookalike.tables.meanings.spreads import Resemblance, read_spread

SAMPLE = 1000
_MOST = 0.9  # the share of values that must have a shape
_LONGEST = 120
_MOST_WORDS = 8  # longer values are sentences, and any word may stand in a sentence
_FEW = 5  # below this many distinct values a shape proves little
_HANDLES = 30  # distinct values from which names people give themselves are believed


_STREETS_EN = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|court|ct|way|blvd|boulevard|place|square|terrace|close"
)
_STREETS_DE = r"straße|strasse|str\.|weg|platz|gasse|allee|ring|straat|laan|plein|gatan|vägen|ulica"
_STREETS_LATIN = (
    r"rue|avenue|boulevard|place|chemin|impasse|calle|avenida|plaza|paseo|via|viale|piazza|corso|rua|ul\."
)
_MONTH, _YEAR = r"(0?[1-9]|1[0-2])", r"(19|20)\d{2}"
_PART = r"(Q|KW|W) ?\d{1,2}"
# shape, concept, strength, words; tried on text as it stands
_SHAPES: tuple[tuple[re.Pattern[str], str, float, str], ...] = tuple(
    (re.compile(shape, flags), concept, strength, words)
    for shape, flags, concept, strength, words in (
        (r"[^@\s]+@[^@\s]+\.[^@\s.]+", 0, "email", 0.99, "e-mail addresses"),
        (r"(https?://|www\.)\S+", re.I, "online_id", 0.95, "web addresses"),
        (r"\d{1,3}(\.\d{1,3}){3}", 0, "online_id", 0.97, "IPv4 addresses"),
        (r"(?=.*:.*:)[0-9a-f:]{6,39}", re.I, "online_id", 0.9, "IPv6 or hardware addresses"),
        (r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.I, "person_id", 0.97, "random keys (UUID)"),
        (r"(?=.*[a-f])(?=.*\d)[0-9a-f]{16,64}", re.I, "person_id", 0.9, "hexadecimal keys"),
        (r"(?!000|666|9)\d{3}-\d{2}-\d{4}", 0, "national_id", 0.95, "US social security numbers"),
        (r"[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]", 0, "national_id", 0.95, "UK insurance numbers"),
        (r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", 0, "national_id", 0.98, "Mexican CURP"),
        (r"\d{6}-\d{4}", 0, "national_id", 0.8, "Nordic personal numbers"),
        (r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}", re.I, "postcode", 0.95, "UK postcodes"),
        (r"[A-Z]\d[A-Z] ?\d[A-Z]\d", re.I, "postcode", 0.95, "Canadian postcodes"),
        (r"\d{4} ?[A-Z]{2}", 0, "postcode", 0.9, "Dutch postcodes"),
        (r"\d{5}-\d{4}", 0, "postcode", 0.9, "US ZIP+4 codes"),
        (r"(\d{2}-\d{3}|\d{4}-\d{3}|\d{5}-\d{3}|\d{3}-\d{4}|\d{3} \d{2})", 0, "postcode", 0.7, "postcodes"),
        (r"\d{2,4}[*xX#]{1,3}", 0, "postcode", 0.75, "masked postcodes"),
        (r"[12]?\d?\d[*xX#]", 0, "age", 0.5, "masked numbers"),
        (
            r"(\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})|\d{4}[-/.]\d{1,2}[-/.]\d{1,2})",
            0,
            "event_date",
            0.9,
            "dates",
        ),
        (r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*", 0, "event_date", 0.9, "moments"),
        (r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?( ?[ap]m)?", re.I, "event_date", 0.8, "times of day"),
        (rf"{_MONTH}[-/.]{_YEAR}|{_YEAR}[-/]{_MONTH}", 0, "event_date", 0.8, "months of years"),
        (rf"{_YEAR}[-/ ]?{_PART}|{_PART}[-/ ]{_YEAR}", re.I, "event_date", 0.8, "quarters or weeks of years"),
        (
            r"\(?[-+]?\d{1,3}\.\d{3,}\s*[,;/ ]\s*[-+]?\d{1,3}\.\d{3,}\)?",
            0,
            "exact_point",
            0.98,
            "coordinates",
        ),
        (r"(SRID=\d+;)?POINT ?\(.*\)", re.I, "exact_point", 0.98, "points on a map"),
        (r"[A-DGHJLMNPRSV]\d{2}[A-Z]{2}\d{2}", 0, "treatment", 0.97, "ATC codes of medicines"),
        (r"\d{4,5}-\d{3,4}-\d{1,2}", 0, "treatment", 0.96, "NDC codes of medicines"),
        (r"[£$€¥]\s?[\d.,]+|[\d.,]+\s?(€|eur|usd|gbp)", re.I, "wealth", 0.8, "amounts of money"),
        (rf"\d+[a-z]?,? .*\b({_STREETS_EN})\b\.?.*", re.I, "street_address", 0.97, "street addresses"),
        (rf".*({_STREETS_DE})\b.*\d+.*", re.I, "street_address", 0.95, "street addresses"),
        (rf"(\d+,? ?(bis|ter)?,? )?({_STREETS_LATIN})\b.*", re.I, "street_address", 0.9, "street addresses"),
    )
)
_BAND = re.compile(
    r"[\[(]?(\d{1,3})\s*(?:-|–|to|bis|à|a|until|,)\s*(\d{1,3})[\])]?(?:\s*[a-zñ]+)?"
    r"|(?:[<>≤≥]=?|under|over|less than|greater than|more than|unter|über|moins de|plus de|menos de|más de)"
    r"\s*(\d{1,3})(?:\s*\w+)?"
    r"|(\d{1,3})\s*(?:\+|or (?:older|more|over)|and (?:older|over)|und älter|et plus|y más|e mais|en ouder|o più)"
    r"(?:\s*\w+)?",
    re.I,
)
_HANDLE = re.compile(r"[^\W_][\w.\-]{2,29}")
_INSIDE = re.compile(r"[\d_.\-]|[a-z][A-Z]")
_ICD10 = re.compile(r"[A-TV-Z]\d[0-9AB](\.[0-9A-Z]{1,4}|[0-9A-Z]{1,4})?")
_TAGGED = re.compile(
    r"\((disorder|finding|procedure|situation|regime/therapy|observable entity|morphologic abnormality|event|substance|"
    r"product|clinical drug|body structure|assessment scale|context-dependent category)\)$"
)
_SOME_TAGGED = 0.25  # who exports them often drops the ending
_LOINC = re.compile(r"\d{2,5}-\d")
_FEW_CODES = 8
_ICD9 = re.compile(r"\d{3}\.\d{1,2}|V\d{2}(\.\d{1,2})?|E\d{3}(\.\d)?")


def sample_texts(column: Column) -> list[str]:
    """Up to SAMPLE distinct values as text, evenly spaced over the domain."""
    values = column.domain.values
    if len(values) > SAMPLE:
        values = values[np.linspace(0, len(values) - 1, SAMPLE).astype(int)]
    return [text.strip() for text in texts_of(values, column.kind)]


def read_values(column: Column) -> list[Resemblance]:
    """Everything the values say, strongest first."""
    texts = sample_texts(column)
    if not texts:
        return []
    found = read_spread(column, texts)
    if column.kind in (Kind.NOMINAL, Kind.ORDINAL):
        found += [
            *_shapes(column.name, texts),
            *_bands(texts),
            *_codes(texts),
            *_words(texts),
            *_prose(column, texts),
        ]
        found += [*_handles(column, texts), *read_contacts(texts)]
    found += _check_digits(texts)
    return sorted(found, key=lambda f: -f.strength)


def _handles(column: Column, texts: list[str]) -> list[Resemblance]:
    """Names people give themselves online: one word of letters with digits, underscores or capitals inside."""
    varied = len(column.domain.values) / max(len(column.codes), 1)
    if (
        len(texts) < _HANDLES
        or varied < 0.2
        or _share(texts, lambda t: _HANDLE.fullmatch(t) is not None) < 0.95
    ):
        return []
    odd = _share(texts, lambda t: _INSIDE.search(t) is not None)
    if odd < 0.3 or np.mean([sum(map(str.isalpha, t)) for t in texts]) < 4:
        return []
    return [
        Resemblance(
            "online_id", 0.5, "one word each, with digits or signs inside, seldom the same: as user names are"
        )
    ]


def _shapes(name: str, texts: list[str]) -> list[Resemblance]:
    texts = [
        t if len(t) <= _LONGEST else "" for t in texts
    ]  # no shape is that long, and patterns are slow on prose
    out = []
    for shape, concept, strength, words in _SHAPES:
        share = _share(texts, lambda t, shape=shape: shape.fullmatch(t) is not None)  # type: ignore[misc]
        if share >= _MOST:
            out.append(
                Resemblance(concept, strength * _proof(texts), f"{share:.0%} of the values look like {words}")
            )
    if len(texts) >= 20 and all(t.isdigit() and len(t) == 5 for t in texts) and not is_of_codes(name):
        zero = ", some with a leading zero" if any(t.startswith("0") for t in texts) else ""
        out.append(Resemblance("postcode", 0.75, f"all values are five digits{zero}"))
    return out


def _bands(texts: list[str]) -> list[Resemblance]:
    """Ranges of small numbers, as ages are banded."""
    if len(texts) < 3:
        return []
    ends = [match for t in texts if (match := _BAND.fullmatch(t))]
    share = len(ends) / len(texts)
    highest = max((int(g) for match in ends for g in match.groups() if g), default=999)
    if share < 0.8 or not 30 <= highest <= 120:
        return []
    return [
        Resemblance(
            "age", 0.7, f"{share:.0%} of the values are ranges of numbers up to {highest}, as ages are banded"
        )
    ]


def _codes(texts: list[str]) -> list[Resemblance]:
    """Terms and codes of health care: many different letters and numbers, or they prove nothing."""
    tagged = _share(texts, lambda t: _TAGGED.search(t) is not None)
    if tagged >= _SOME_TAGGED:
        return [Resemblance("diagnosis", 0.9, f"{tagged:.0%} of the values end as terms of SNOMED CT do")]
    if len(texts) < _FEW_CODES:
        return []
    if _share(texts, lambda t: _LOINC.fullmatch(t) is not None and ends_by_luhn(t.replace("-", ""))) >= _MOST:
        return [
            Resemblance(
                "health", 0.95, "the values look like LOINC codes of tests and pass their check digit"
            )
        ]
    share = _share(texts, lambda t: _ICD10.fullmatch(t) is not None)
    if share >= _MOST and len({t[0] for t in texts}) > 2:
        return [Resemblance("diagnosis", 0.9, f"{share:.0%} of the values look like ICD-10 codes")]
    share = _share(texts, lambda t: _ICD9.fullmatch(t) is not None or (t.isdigit() and len(t) == 3))
    if share >= _MOST and _share(texts, lambda t: _ICD9.fullmatch(t) is not None) > 0.3:
        return [Resemblance("diagnosis", 0.85, f"{share:.0%} of the values look like ICD-9 codes")]
    return []


def _check_digits(texts: list[str]) -> list[Resemblance]:
    plain = [re.sub(r"[\s.\-/]", "", t) for t in texts]
    if len(plain) < _FEW:
        return []
    for kind in CHECKED:
        if _share(plain, lambda t, kind=kind: len(t) >= kind.shortest) < _MOST:  # type: ignore[misc]
            continue
        raw = texts if kind.words.startswith("Finnish") else plain
        share = _share(raw, kind.valid)
        # so many passes by luck must be all but impossible
        if share >= _MOST and kind.chance ** (share * len(plain)) < 1e-4:
            words = f"{share:.0%} of the values pass the check digit of a {kind.words}"
            return [Resemblance(kind.concept, 0.99, words)]
    return []


def _words(texts: list[str]) -> list[Resemblance]:
    """Known values, such as male and female, and known words in values, such as nurse."""
    known = vocabularies()
    folded = [" ".join(split_words(t)) or fold(t) for t in texts]
    telling = [t for t in folded if t not in known["neutral"][0]]
    if not telling or np.mean([len(t.split()) for t in telling]) > _MOST_WORDS:
        return []
    out = []
    for concept, (whole, words) in known.items():
        if concept == "neutral":
            continue
        if words:
            share = _share(telling, lambda t, words=words: any(w in words for w in _runs(t)))  # type: ignore[misc]
        else:
            share = _share(telling, lambda t, whole=whole: t in whole)  # type: ignore[misc]
        least = 0.3 if concept in ("first_name", "last_name") and len(telling) >= 20 else 0.6
        if share >= least and not (concept == "sex" and len(telling) < 2):
            # letters such as M and F can stand for anything
            sure = 0.6 if max(map(len, telling)) <= 2 else 0.55 + 0.4 * share
            strength = sure * _proof(telling, 2)
            out.append(
                Resemblance(
                    concept,
                    strength,
                    f"{share:.0%} of the values are known words for {CONCEPTS[concept].words}",
                )
            )
    return out + _full_names(folded)


def _full_names(folded: list[str]) -> list[Resemblance]:
    """First and last names together: two to four words, some of them known names."""
    if len(folded) < _FEW:
        return []
    known = vocabularies()
    names = known["first_name"][0] | known["last_name"][0]
    shaped = _share(folded, lambda t: 2 <= len(t.split()) <= 4 and t.replace(" ", "").isalpha())
    share = _share(folded, lambda t: len(t.split()) > 1 and any(w in names for w in t.split()))
    if shaped < 0.8 or share < 0.4:
        return []
    return [
        Resemblance(
            "person_name", 0.6 + 0.35 * share, f"{share:.0%} of the values hold a known first or last name"
        )
    ]


def _prose(column: Column, texts: list[str]) -> list[Resemblance]:
    """Free text: many words, seldom the same twice."""
    lengths = [len(t.split()) for t in texts]
    varied = len(column.domain.values) / max(len(column.codes), 1)
    if np.mean(lengths) >= 6 and varied > 0.3 and len(texts) >= _FEW:
        return [
            Resemblance("free_text", 0.9, f"about {np.mean(lengths):.0f} words each, seldom the same twice")
        ]
    return []


def _share(texts: list[str], fits: Callable[[str], bool]) -> float:
    return sum(map(fits, texts)) / len(texts)


def _proof(texts: list[str], few: int = _FEW) -> float:
    """Few values prove less."""
    return 1.0 if len(texts) >= few else 0.7


def _runs(text: str) -> list[str]:
    """Single words and neighbours of two."""
    words = text.split()
    return [*words, *(" ".join(pair) for pair in pairwise(words))]


@cache
def vocabularies() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Known values and known words by concept."""
    raw = tomllib.loads(files(__package__).joinpath("vocabularies.toml").read_text(encoding="utf-8"))
    return {
        concept: tuple(  # type: ignore[misc]
            frozenset(
                " ".join(split_words(v)) or fold(v.strip())
                for v in lists.get(kind, "").split(",")
                if v.strip()
            )
            for kind in ("whole", "words")
        )
        for concept, lists in raw.items()
    }
