"""Hierarchies that follow what a column is about, as a person would draw them.

Ages: bands of 5, 10 and 20 years, then young, middle and old; 90 and over are one group, as HIPAA asks (45 CFR
164.514(b)(2)(i)(C)). Years: 5, 10, 20. Counts: 0, 1, 2, 3 to 4, 5 and more. Money and other numbers: cut at round
numbers that hold about equally many records. Coordinates: squares of about 1, 10 and 100 km. Codes: by their parts and
by the prefixes of their published structure. Countries: by the regions of the United Nations. Education: by ISCED.
"""

from __future__ import annotations

import re
from collections import Counter
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.domains import FINEST, GREATEST, Domain, spread
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies.countries import by_regions
from lookalike.tables.hierarchies.education import by_isced
from lookalike.tables.hierarchies.forms import LETTERS
from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import ROOT
from lookalike.tables.meanings.concepts import CODED
from lookalike.tables.meanings.plausible import DEGREES, METRES

MOST_CODES = 40  #: distinct whole numbers up to which they can be the codes of a short list

_SEPARATORS = "-/._: "
_IN_MONTH = r"(?:0?[1-9]|[12][0-9]|3[01])"
_DAY_FIRST = re.compile(rf"{_IN_MONTH}([-./]){_IN_MONTH}\1(?:[0-9]{{2}}|[0-9]{{4}})")
_ICD = re.compile(r"[A-Z][0-9][0-9A-Z](\.?[0-9A-Z]{1,4})?")
_GROUPS = 32  #: finest number of groups a skewed column of numbers is cut into
_WIDTHS = 24  #: about as many intervals of equal width on the finest level
_SKEWED = 3  #: equal widths do not fit where the outer tenths make a column this many times as wide
_STEPS = {1: (1, 5, 10, 50), 2: (1, 5, 10, 50), 5: (1, 2, 10, 20)}  #: widths that nest and stay round


def by_meaning(concept: str, domain: Domain, counts: NDArray[np.int64]) -> Hierarchy | None:
    """The hierarchy a column about `concept` gets; None where its meaning says nothing about it."""
    if domain.kind is Kind.INTEGER and len(domain.values):
        low, high = int(domain.values[0]), int(domain.values[-1])
        if concept == "age" and low >= 0 and high <= 130:
            return _cuts_within([[*range(w, 91, w)] for w in (5, 10, 20)] + [[20, 60]], low, high)
        if concept in ("birth_year", "event_date") and low >= 1800 and high <= 2200:
            return Hierarchy.intervals(5, 10, 20)
        if concept in ("children", "household") and low >= 0 and high <= 60:
            return _cuts_within([[1, 2, 3, 5], [1, 3, 5], [1, 3], [1]], low, high)
    if domain.kind.numeric and (step := finest_grid(concept, domain.kind)):
        return Hierarchy.intervals(step, 10 * step, 100 * step)
    if domain.kind is Kind.NOMINAL and concept in ("nationality", "place"):
        return by_regions(domain.texts)
    if domain.kind is Kind.NOMINAL and concept == "education":
        return by_isced(domain.texts)
    if domain.kind is Kind.NOMINAL and concept == "postcode" and (lengths := _code_lengths(domain.texts)):
        if _begin_with_letters(domain.texts):
            return Hierarchy.parts(LETTERS)
        alike = len({len(text) for text in domain.texts}) == 1
        return Hierarchy.mask() if alike else Hierarchy.prefixes(*lengths)
    if domain.kind is Kind.NOMINAL and concept in ("diagnosis", "treatment") and _are_icd(domain.texts):
        return Hierarchy.prefixes(3, 1)
    return None


def finest_grid(concept: str, kind: Kind) -> float:
    """The finest grid that ranges of a column about `concept` end on; 0 where any number may end one."""
    if concept not in ("coordinates", "exact_point"):
        return 0.0
    return DEGREES if kind is Kind.DECIMAL else METRES


def names_in_numbers(concept: str, domain: Domain) -> bool:
    """Whether the whole numbers of a column about `concept` are names: postcodes, and the codes of a list.

    A list is short, or one of areas, occupations or industries: numbers of up to three digits, or of as many digits
    each, as FIPS, ISCO, SOC, NAICS and NACE have.
    """
    if concept == "postcode" or (concept in CODED and len(domain.values) <= MOST_CODES):
        return True
    if concept not in ("place", "occupation", "employment") or not len(domain.values):
        return False
    low, high = int(domain.values[0]), int(domain.values[-1])
    as_long = low >= 100 and len(str(low)) == len(str(high)) <= 6
    return as_long or (concept == "place" and 0 <= low <= high < 1000)


def by_days(texts: list[str]) -> Hierarchy | None:
    """Texts like dates that could not be read as such: from the left, which hides days and months before years.

    Where the year has two digits it may stand on either side, so that nothing is kept or all is.
    """
    if len(texts) < 2 or not all(_DAY_FIRST.fullmatch(text) for text in texts):
        return None
    if all(text[-4:].isdigit() for text in texts):
        return Hierarchy.mask(direction="left")
    return Hierarchy.rows([[text, ROOT] for text in texts])


def by_parts(texts: list[str]) -> Hierarchy | None:
    """Codes with separators by their parts, where the first parts repeat: `25-00503` becomes `25-*`."""
    if len(texts) < 10:
        return None
    marks = Counter(c for text in texts for c in set(text) if c in _SEPARATORS)
    for mark, times in marks.most_common():
        if times < len(texts) or any(len(text) > 40 for text in texts):
            continue
        firsts = {text.split(mark)[0] for text in texts}
        if 1 < len(firsts) <= len(texts) / 2 and all(any(c.isdigit() for c in text) for text in texts):
            return Hierarchy.parts(mark)
    return None


def round_intervals(domain: Domain, counts: NDArray[np.int64]) -> Hierarchy:
    """Intervals between round numbers: of equal width where the records allow it, else about equally full."""
    numbers = np.asarray(domain.values, dtype=np.float64)
    if len(numbers) < 2 or numbers[0] == numbers[-1]:  # whole numbers that floats do not tell apart
        return Hierarchy.cuts([])
    held = counts[: len(numbers)].astype(np.float64)
    reach = np.cumsum(held) / held.sum() if held.sum() else np.linspace(0, 1, len(numbers))
    low, first, last, high = (float(numbers[np.searchsorted(reach, q)]) for q in (0.01, 0.1, 0.9, 0.99))
    if last <= first or not high - low <= min(_SKEWED * (last - first), GREATEST):
        return _round_cuts(numbers, np.sqrt(held))
    step = _nice((high - low) / _WIDTHS)
    if domain.kind is Kind.INTEGER and step < 2:
        step, times = 2.0, (1, 2, 4, 8)
    else:
        times = _STEPS[round(step / 10.0 ** floor(log10(step) + 1e-9))]
    ends = max(low, float(numbers[0]) + step / 1e6), min(high + step, float(numbers[-1]))
    finest = range(-floor(-ends[0] / step), floor(ends[1] / step) + 1)
    levels = [
        [_whole_if_exact(round(n * step, _places(step))) for n in finest if n % many == 0]
        for many in times
        if many == 1 or step * many <= high - low
    ]
    return Hierarchy.cuts(*[level for level in levels if level] or [[]])


def _round_cuts(numbers: NDArray[np.float64], held: NDArray[np.float64]) -> Hierarchy:
    """Cuts at round points, each level with about half as many groups as the finer one."""
    groups = min(_GROUPS, len(numbers))
    reach = np.cumsum(held) / held.sum()
    wanted = numbers[np.searchsorted(reach, np.arange(1, groups) / groups)]
    points = _rounded(wanted, numbers)
    levels = []
    while points:
        levels.append([_whole_if_exact(p) for p in points])
        points = _rounder(points)
    return Hierarchy.cuts(*levels) if levels else Hierarchy.cuts([])


def _whole_if_exact(number: float) -> float | int:
    """Whole numbers as such, unless that would show digits that floats do not hold."""
    return int(number) if number == int(number) and abs(number) < 2**53 else number


def _places(step: float) -> int:
    """Decimal places of the multiples of a step."""
    return max(0, -floor(log10(step) + 1e-9))


def _cuts_within(levels: list[list[int]], low: int, high: int) -> Hierarchy:
    """The levels as far as they cut between the smallest and the largest value; none twice."""
    inside = [[edge for edge in level if low < edge <= high] for level in levels]
    return Hierarchy.cuts(
        *[level for i, level in enumerate(inside) if level and level not in inside[:i]] or [[]]
    )


def _code_lengths(texts: list[str]) -> list[int]:
    """Lengths of the beginnings of postcodes, where nearly all hold digits; none where they are something else."""
    codes = [text for text in texts if any(c.isdigit() for c in text)]
    usual = max((len(text) for text in codes), default=0)
    if len(texts) < 5 or len(codes) < 0.9 * len(texts) or not 3 <= usual <= 12:
        return []
    return list(range(usual - 1, 0, -1))


def _begin_with_letters(texts: list[str]) -> bool:
    """Postcodes as in Britain, Ireland and Canada, whose first letters name an area: `TR1 4FB`, `K1A 0B1`."""
    return sum(bool(re.match(r"[A-Za-z]{1,2}\d", text)) for text in texts) >= 0.9 * len(texts)


def _are_icd(texts: list[str]) -> bool:
    return len(texts) >= 5 and sum(bool(_ICD.fullmatch(text)) for text in texts) >= 0.9 * len(texts)


def _rounded(points: NDArray[np.float64], numbers: NDArray[np.float64]) -> list[float]:
    """Points on a grid of round steps about as wide as they lie apart, inside the numbers."""
    with np.errstate(over="ignore"):  # some lie further apart than floats go
        gaps, least = np.diff(np.unique(points)), float(np.diff(numbers).min())
    wide = float(np.median(gaps)) if len(gaps) else spread(numbers) / 2
    step = _nice(min(max(wide, least), GREATEST))
    found = sorted({round(round(p / step) * step, _places(step)) for p in points.tolist()})
    return [p for p in found if numbers[0] < p <= numbers[-1]]


def _rounder(points: list[float]) -> list[float]:
    """About half of the points: of each two neighbours the rounder one."""
    if len(points) == 1:
        return []
    pairs = [points[i : i + 2] for i in range(0, len(points) - 1, 2)]
    return [max(pair, key=_roundness) for pair in pairs]


def _roundness(point: float) -> float:
    """How round a number is: the largest of 1, 2, 5 times a power of ten that divides it."""
    if point == 0:
        return np.inf
    for power in range(12, -12, -1):
        for lead in (5, 2, 1):
            step = lead * 10.0**power
            if abs(point / step - round(point / step)) < 1e-9 and abs(point) >= step:
                return step
    return 0.0


def _nice(width: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not wider."""
    width = max(width, FINEST)
    power = 10.0 ** floor(log10(width))
    return max(lead * power for lead in (1, 2, 5) if lead * power <= min(width * (1 + 1e-9), GREATEST))
