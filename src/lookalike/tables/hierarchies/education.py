"""Education by the International Standard Classification (ISCED 2011): nine levels; low, medium, high as in Eurostat.

Labels are read by the words in them, English, German, French and Spanish (http://uis.unesco.org/en/topic/isced).
"""

from __future__ import annotations

import re

from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import ROOT

SOURCE = "ISCED 2011"
NAMES = {
    0: "less than primary",
    1: "primary",
    2: "lower secondary",
    3: "upper secondary",
    4: "post-secondary",
    5: "short tertiary",
    6: "bachelor",
    7: "master",
    8: "doctorate",
}
GROUPS = {"low (ISCED 0 to 2)": (0, 1, 2), "medium (ISCED 3, 4)": (3, 4), "high (ISCED 5 to 8)": (5, 6, 7, 8)}
ELSEWHERE = "other education"  #: where a label is put whose words say no level
_FEWEST = 4  #: labels, of three levels at least, that make a column one of education
_KNOWN = 0.9  #: share of its labels that must be read

# What the words of a label say; the first line that matches counts.
_WORDS: tuple[tuple[str, int], ...] = (
    (r"(some|less than|incomplete|no) (high|secondary) ?school|no (hs )?diploma", 2),
    (r"^(none|no |kein|ohne|illiterate|analfab|nil)|pre ?school|nursery|kindergarten|never attended", 0),
    (r"ph ?d\b|d ?phil|doctor|doktor|promotion|doctorado|doctorat", 8),
    (r"some college|college no degree|post ?secondary", 4),
    (r"assoc|short cycle|foundation degree|\bhnd\b|\bbts\b|meister|techniker|\blevel [45]\b", 5),
    (r"master|\bm ?sc\b|\bmba\b|magister|diplom\b|prof(essional)? school|post ?grad|maestr|staatsexamen", 7),
    (
        r"bachelor|\bb ?sc\b|\bba\b|college grad|universi|degree|licen[cs]e|licenciatur|fachhochschul",
        6,
    ),
    (
        r"lower secondary|(7|8|9|10|11|12)th|grade (7|8|9|10|11|12)\b|gcse|\blevel [12]\b|realschul|hauptschul",
        2,
    ),
    (r"mittlere reife|brevet|middle school|secundaria", 2),
    (r"hs grad|high ?school|\bged\b|upper secondary|a levels?|abitur|baccal|bachillerat|lehre|ausbildung", 3),
    (r"apprentic|\blevel 3\b|vocational|secondary", 3),
    (r"primary|elementary|primaria|primaire|grundschul|(1st|2nd|3rd|4th|5th|6th)|grade [1-6]\b", 1),
)


def by_isced(texts: list[str]) -> Hierarchy | None:
    """The hierarchy of a column whose values are levels of education; None where too few of them can be read."""
    levels = [_level(text) for text in texts]
    known = [level for level in levels if level is not None]
    if len(known) < max(_FEWEST, _KNOWN * len(texts)) or len(set(known)) < 3:
        return None
    above = {level: group for group, inside in GROUPS.items() for level in inside}
    rows = [
        [text, ELSEWHERE, ELSEWHERE, ROOT]
        if level is None
        else [text, f"ISCED {level}: {NAMES[level]}", above[level], ROOT]
        for text, level in zip(texts, levels, strict=True)
    ]
    return Hierarchy.rows(rows, source=SOURCE)


def _level(text: str) -> int | None:
    plain = re.sub(r"[\W_]+", " ", text.casefold()).strip()
    return next((level for words, level in _WORDS if re.search(words, plain)), None)
