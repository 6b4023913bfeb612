"""Texts that name times: times of day (`7:05`, `9:00 am`), and months, quarters and weeks of a year (`2016-03`,
`02/2016`, `Mai 2016`, `2016 Q1`).

All values of a column must be read, as times of one sort, or none is. O(d) for d values; a name ends the look at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

_CLOCK = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:\s*([ap])\.?m\.?)?", re.I)
_PERIOD = re.compile(r"(\d{4})[-/ ]?(?:(Q|T|H|S|W|KW)\s?)?(\d{1,2})", re.I)
_YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{4})|(Q|T|H|S|W|KW)\s?(\d{1,2})[-/ ](\d{4})", re.I)
_NAMED = re.compile(r"([^\W\d_]{3,10})\.?[-/ ]?\s?(\d{4})|(\d{4})[-/ ]([^\W\d_]{3,10})\.?", re.I)
_LAST = {
    "": 12,
    "Q": 4,
    "T": 4,
    "H": 2,
    "S": 2,
    "W": 53,
    "KW": 53,
}  # months, quarters, halves, weeks of a year

#: January to December in seven languages, each with how it is cut short; in small letters, without accents
_MONTHS = """
january jan januar janvier janv enero ene gennaio gen januari janeiro jaenner janner
february feb februar fevrier fev fevr febrero febbraio februari fevereiro
march mar marz maerz mrz mars marzo maart mrt marco
april apr avril avr abril abr aprile
may mai mayo maggio mag mei maio
june jun juni juin junio giugno giu junho
july jul juli juillet juil julio luglio lug julho
august aug aout agosto ago augustus
september sep sept septembre septiembre settembre set setembro
october oct oktober okt octobre octubre ottobre ott outubro out
november nov novembre noviembre novembro
december dec dezember dez decembre diciembre dic dicembre dezembro
"""
_MONTH_OF = {
    name: month for month, names in enumerate(_MONTHS.strip().splitlines(), start=1) for name in names.split()
}


def by_time(texts: Sequence[str]) -> list[int] | None:
    """The places of texts that are times of one sort, no two of them the same one; else None."""
    for read in (_clock, _period):
        moments: list[tuple[Any, ...]] = []
        for text in texts:
            moment = read(text.strip())
            if moment is None or (moments and moment[0] != moments[0][0]):
                break
            moments.append(moment)
        else:
            if len(set(moments)) == len(moments):
                return places(sorted(range(len(moments)), key=moments.__getitem__))
    return None


def places(order: Sequence[int]) -> list[int]:
    """The place of each of the values that stand in this order."""
    out = [0] * len(order)
    for place, i in enumerate(order):
        out[i] = place
    return out


def _clock(text: str) -> tuple[bool, float] | None:
    """Whether it is told in halves of a day, and the seconds since midnight."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    hour, half = int(found[1]), found[4]
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half.lower() == "p")
    seconds = text.split(":")[2].split()[0] if found[3] and half is None else found[3] or "0"
    return half is not None, 3600 * hour + 60 * int(found[2]) + float(seconds)


def _period(text: str) -> tuple[str, int, int] | None:
    """The sort of period, the year, and which of its year it is."""
    if found := _PERIOD.fullmatch(text):
        sort, year, which = (found[2] or "").upper(), int(found[1]), int(found[3])
        if not sort and text[4] not in "-/ ":  # 201603 is a number
            return None
    elif found := _YEAR_LAST.fullmatch(text):
        sort, year, which = (found[3] or "").upper(), int(found[2] or found[5]), int(found[1] or found[4])
    elif found := _NAMED.fullmatch(text):
        sort, year, which = (
            "",
            int(found[2] or found[3]),
            _MONTH_OF.get(_without_accents(found[1] or found[4]), 0),
        )
    else:
        return None
    return (sort, year, which) if 1800 <= year <= 2200 and 1 <= which <= _LAST[sort] else None


def _without_accents(word: str) -> str:
    """A word in small letters, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(c))
