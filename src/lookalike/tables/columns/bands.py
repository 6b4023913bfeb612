"""Texts that have an order of their own: bands of numbers (`0 to 17`, `70 or Older`, `< 5k`), in one unit (`<3 ng/L`),
times of day and months (`times`), and words of degree.

All values of a column must be read, or none is: one stray word leaves the column without an order. O(d) for d values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lookalike.tables.columns.times import by_time, places

_NUMBER = r"[$€£]?\s*(-?\d+(?:[ ,]\d{3})*(?:\.\d+)?|\.\d+)\s*([kKmM%])?"
_UNIT = (
    r"(?:\s*(?:years?|yrs?|yo|days?|weeks?|months?|hours?|people|persons|kg|cm|eur|usd|gbp|euro|[$€£]"
    r"|jahren?|ans|años|anos|anni|jaar)(?:\s*(?:old|alt|oud))?)?"
)
_BETWEEN = re.compile(
    rf"[\[(]?\s*{_NUMBER}(?:\s*[$€£])?\s*(?:-|–|—|to|,|\.\.|and|bis|à|a|tot)\s*{_NUMBER}{_UNIT}\s*[\])]?",
    re.I,
)
_FROM = re.compile(
    r"(?:(?:>=?|≥|over|above|more than|at least|from|über|ab|mehr als|mindestens|plus de|más de|meer dan|vanaf)"
    rf"\s*{_NUMBER}{_UNIT}"
    rf"|{_NUMBER}{_UNIT}\s*(?:\+|(?:and|or|&|und|oder|et|ou|y|o|en|of)\s*"
    r"(?:older|over|more|above|up|älter|mehr|darüber|plus|más|mayores|ouder|meer)|plus))\s*\+?",
    re.I,
)
_UPTO = re.compile(
    r"(?:(?:<=?|≤|under|below|less than|up to|at most|unter|bis|weniger als|höchstens|moins de|menos de|onder|tot)"
    rf"\s*{_NUMBER}{_UNIT}"
    rf"|{_NUMBER}{_UNIT}\s*(?:and|or|&|und|oder|et|ou|y|o|en|of)\s*"
    r"(?:younger|under|less|below|fewer|jünger|weniger|moins|menos|jonger|minder))",
    re.I,
)
_ALONE = re.compile(rf"{_NUMBER}{_UNIT}", re.I)
_CODE = re.compile(r"(?<![\d.,])0\d")  # 25-00503 is a code, not a band
_MEASURED = re.compile(r"(.*?\d[\d.,]*\+?)\s*([^\W\d_].*|[%‰°].*)")  # <3 ng/L: an amount, and its unit
_POINT = re.compile(r"(\d*)\.(\d*)")  # 15.000 may be fifteen thousand
_LEADING = re.compile(r"[^\w-]*(-?\d+(?:\.\d+)?)")
_FACTOR = {"k": 1e3, "m": 1e6}

MOST = 200  #: different texts that may be words of degree
_LONGEST = (
    80  #: characters of a text that may name a band or a degree; endless ones take patterns endless time
)
_BRIEF = 8  #: characters of a unit by which amounts are in order though none is a band
_FIRST = 20  #: texts that tell a column of bands from one of names
#: words of degree, least first; a column is ordered so where all of its values, three at least, are of one line
DEGREES = (
    ("very low", "low", "medium low", "medium", "moderate", "medium high", "high", "very high"),
    ("vlow", "low", "med", "high", "vhigh"),
    ("tiny", "very small", "small", "medium", "med", "large", "big", "very large", "huge"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("never", "almost never", "rarely", "seldom", "sometimes", "often", "usually", "almost always", "always"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("minor", "moderate", "major", "severe", "extreme", "critical"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
    (
        "january", "february", "march", "april", "may", "june",
        "july", "august", "september", "october", "november", "december",
    ),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ("night", "early morning", "morning", "noon", "midday", "afternoon", "evening"),
    (
        "illiterate", "none", "no schooling", "preschool", "nursery school", "kindergarten", "1st 4th", "basic 4y",
        "primary", "primary school", "elementary", "elementary school", "5th 6th", "basic 6y", "7th 8th",
        "middle school", "lower secondary", "basic 9y", "9th", "10th", "11th", "12th", "some high school",
        "secondary", "secondary school", "upper secondary", "high school", "hs grad", "high school graduate",
        "post secondary", "professional course", "some college", "assoc voc", "assoc acdm", "associate",
        "associates", "associate degree", "associate's degree", "tertiary", "college", "university",
        "university degree", "undergraduate", "graduation", "bachelor", "bachelors", "bachelor's",
        "bachelor degree", "bachelor's degree", "graduate", "graduate school", "postgraduate", "post graduate",
        "master", "masters", "master's", "master degree", "master's degree", "prof school",
        "professional degree", "professional school degree", "doctorate", "doctorate degree", "doctoral", "phd",
    ),
)  # fmt: skip


def natural_order(texts: Sequence[str]) -> list[int] | None:
    """The place of each of these different texts in the order they have by themselves, or None."""
    if len(texts) < 3 or max(map(len, texts)) > _LONGEST:
        return None
    amounts, unit = _without_unit(texts)
    measured = len(unit) <= _BRIEF and " " not in unit  # 12 High Street is no amount of streets
    order = by_time(texts) or _bands(texts) or _bands(amounts, measured=measured)
    return order if order or len(texts) > MOST else _degrees(texts)


def is_band(text: str) -> bool:
    """Whether a text by itself is a number or a band of numbers."""
    return _band(text) is not None


def by_leading_numbers(texts: Sequence[str]) -> list[int] | None:
    """The places of texts that all begin with a number, by these numbers: <2, 2, 9, 10, 90+, 100; else None."""
    found = [_LEADING.match(text) for text in texts]
    if not found or not all(found):
        return None
    keys = [
        (float(one[1]), _side(text), text) for one, text in zip(found, texts, strict=True) if one is not None
    ]
    return places(sorted(range(len(keys)), key=keys.__getitem__))


def _side(text: str) -> int:
    """On which side of its number a text lies: below it, there, or above it."""
    lo, hi = _band(text) or (0.0, 0.0)
    return (hi == float("inf")) - (lo == float("-inf"))


def _bands(texts: Sequence[str], *, measured: bool = False) -> list[int] | None:
    """Bands apart from each other, two at least; one among single numbers where it has no end: 65+, under 5.

    measured: all are amounts of one unit, so that none need be a band.
    """
    if not texts or not all(map(is_band, _without_points(texts[:_FIRST]))):
        return None
    read = [_band(text) for text in _without_points(texts)]
    if any(band is None for band in read):
        return None
    bands = sorted((band, i) for i, band in enumerate(read) if band is not None)
    wide = sum(lo < hi for (lo, hi), _ in bands)
    open_ended = any(hi - lo == float("inf") for (lo, hi), _ in bands)
    apart = all(a[1] <= b[0] and a != b for (a, _), (b, _) in pairwise(bands))
    if not apart or (wide < (1 if open_ended else 2) and not measured):
        return None
    return places([i for _, i in bands])


def _without_unit(texts: Sequence[str]) -> tuple[Sequence[str], str]:
    """The texts without the unit behind their amounts, and it, where all have the same one; else none of them."""
    amounts: list[str] = []
    unit = ""
    for text in texts:
        found = _MEASURED.fullmatch(text.strip())
        if found is None or found[2] != (unit or found[2]):
            return (), ""
        unit = found[2]
        amounts.append(found[1])
    return amounts, unit


def _without_points(texts: Sequence[str]) -> Sequence[str]:
    """The texts without points between thousands, where all points in them are such: 900 and 1.500."""
    found = [point.groups() for text in texts for point in _POINT.finditer(text)]
    thousands = all(0 < len(a) <= 3 and a[0] != "0" and len(b) == 3 for a, b in found)
    return [_POINT.sub(r"\1\2", text) for text in texts] if found and thousands else texts


def _band(text: str) -> tuple[float, float] | None:
    """The interval a text names; its ends may be infinite."""
    text = text.strip()
    if len(text) > _LONGEST or _CODE.search(text):
        return None
    if found := _BETWEEN.fullmatch(text):
        second = found[4] or found[2]
        lo, hi = _value(found[1], found[2] or found[4]), _value(found[3], second)
        return (lo, hi) if lo < hi else None
    if found := _FROM.fullmatch(text):
        number, unit = (found[1], found[2]) if found[1] else (found[3], found[4])
        return _value(number, unit), float("inf")
    if found := _UPTO.fullmatch(text):
        number, unit = (found[1], found[2]) if found[1] else (found[3], found[4])
        return float("-inf"), _value(number, unit)
    if found := _ALONE.fullmatch(text):
        return _value(found[1], found[2]), _value(found[1], found[2])
    return None


def _value(number: str, unit: str | None) -> float:
    return float(re.sub(r"[ ,]", "", number)) * _FACTOR.get((unit or "").lower(), 1.0)


def _degrees(texts: Sequence[str]) -> list[int] | None:
    words = [re.sub(r"[-_. ]+", " ", text.strip().lower()) for text in texts]
    for line in DEGREES:
        if set(words) <= set(line) and len(set(words)) == len(words):
            return places(sorted(range(len(words)), key=lambda i: line.index(words[i])))
    return None
