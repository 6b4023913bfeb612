"""Could these values be that? A name says "age", the values go up to 5,000: then it is not an age.

Each concept may have a test of the column's domain, which supports the reading (above 1), leaves it (1),
contradicts it (below 1), or turns it into a neighbouring concept. O(distinct values).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind
from lookalike.tables.meanings.names import lexicon, split_words, weighs

_CLASSES = frozenset({"class", "classes", "klasse", "klassen", "classe", "clase", "klas"})
_LABELS = 5  # values of a label to be predicted, at most
_MANY_TEXTS = 20  # texts from which nobody chose from a list
_YES_NO = 2  # words that only tell whether there is something
_PUPILS = re.compile(r"(\d{1,2})[ ./-]?([A-Za-z]{1,2})")
_DRAWN = re.compile(
    r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|(?=.*[a-f])(?=.*\d)[0-9a-f]{16,128}", re.IGNORECASE
)
_ROWS_OF_EVENT = 20  # rows of an event on average, at most
_AROUND_ONE = (0.5, 2.0)  # means of weights of a survey that add up to its people
_SPREAD = 0.45  # bodies differ by less than this share of their mean, unless some are infants
_HEAVIEST, _LIGHTEST = 450, 4  # in pounds, more than people weigh, and less
DEGREES, METRES = 0.01, 1000.0  #: a grid of about a kilometre, in which coordinates name no door
_GRIDDED = 0.9  # share of coordinates that lie on it
SUPPORT, LEAVE, DOUBT, CONTRADICT = 1.15, 1.0, 0.6, 0.2


@dataclass(frozen=True)
class Facts:
    """What a column's counts say, without looking at meaning."""

    records: int
    distinct: int  #: values, missing not counted
    missing: int  #: records without a value
    unique: float  #: share of the records that have a value nobody else has

    @property
    def constant(self) -> bool:
        """One value, or none."""
        return self.distinct == 0 or (self.distinct == 1 and self.missing == 0)

    @property
    def varied(self) -> float:
        """Distinct values per record that has one."""
        return self.distinct / max(self.records - self.missing, 1)


def facts_of(column: Column) -> Facts:
    """Count a column."""
    counts = column.counts[: len(column.domain.values)]
    records = len(column.codes)
    present = int((counts > 0).sum())
    return Facts(records, present, records - int(counts.sum()), float((counts == 1).sum()) / max(records, 1))


def judge(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """The concept these values allow (usually the one asked for), and how they bear on it."""
    test = _TESTS.get(concept)
    return (concept, LEAVE) if test is None else test(concept, column, facts)


def has_test(concept: str) -> bool:
    """Whether values can speak for or against the concept."""
    return concept in _TESTS


def is_calendar(column: Column) -> bool:
    """The name speaks of years or months, and the numbers are such."""
    numbers = _numbers(column)
    if numbers is None or (numbers != np.round(numbers)).any():
        return False
    words = split_words(column.name)
    years = any(word in lexicon().year for word in words) and numbers.min() >= 1850 and numbers.max() <= 2100
    months = any(word in lexicon().month for word in words) and numbers.min() >= 1 and numbers.max() <= 12
    return bool(years or months)


def _numbers(column: Column) -> NDArray[np.float64] | None:
    """The numbers of a numeric column, without the negative codes that surveys use for "no answer"."""
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL):
        return None
    numbers = column.domain.values.astype(np.float64)
    codes = (numbers >= -9) & (numbers < 0) & (numbers == np.round(numbers))
    return numbers[~codes] if (~codes).any() else numbers


def _age(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    numbers = _numbers(column)
    if column.kind is Kind.DATE:
        return "birth_date", LEAVE
    if numbers is None:
        return concept, LEAVE if facts.distinct <= 130 else CONTRADICT
    if numbers.min() >= 0 and 7_000 < numbers.max() < 45_000 and len(numbers) > 30:
        return concept, DOUBT  # days
    if numbers.min() < 0 or numbers.max() > 130:
        return concept, CONTRADICT
    return concept, SUPPORT if numbers.max() >= 15 and len(numbers) > 5 else LEAVE


def _birth(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    numbers = _numbers(column)
    if column.kind is Kind.DATE:
        return "birth_date", SUPPORT
    if numbers is None:
        return concept, LEAVE if facts.distinct > 1 else DOUBT
    if numbers.min() >= 1850 and numbers.max() <= 2100:
        return "birth_year", SUPPORT
    if numbers.min() >= 0 and numbers.max() <= 31:
        return "birth_part", LEAVE
    return concept, LEAVE if numbers.min() >= 1e5 else DOUBT


def _at_most(most: int) -> Callable[[str, Column, Facts], tuple[str, float]]:
    """Concepts with few values, however they are spelt; decimals are something else."""

    def test(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
        numbers = _numbers(column)
        if facts.distinct > most or column.kind is Kind.DATE:
            return concept, CONTRADICT
        if numbers is not None and (numbers != np.round(numbers)).any():
            return concept, CONTRADICT
        return concept, LEAVE

    return test


def _few(least: int, most: int, limit: int) -> Callable[[str, Column, Facts], tuple[str, float]]:
    """As `_at_most`, and supported where there are as many values as such codes usually have."""
    bound = _at_most(limit)

    def test(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
        concept, factor = bound(concept, column, facts)
        return concept, SUPPORT if factor == LEAVE and least <= facts.distinct <= most else factor

    return test


def _weight(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """Survey weights are positive numbers; strata and clusters are whole."""
    numbers = _numbers(column)
    return concept, CONTRADICT if numbers is None or numbers.min() < 0 else LEAVE


def _health(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """A weight may be of a body or of a survey."""
    if weighs(column.name) and _are_survey_weights(column):
        return "sampling_weight", SUPPORT
    return _private(concept, column, facts)


def _are_survey_weights(column: Column) -> bool:
    """Whether positive numbers are about 1 with decimals, or spread further than bodies do and up to the hundreds."""
    numbers = _numbers(column)
    if numbers is None or len(numbers) < _MANY_TEXTS or numbers.min() < 0:
        return False
    rows = np.repeat(column.domain.values, column.counts[: len(column.domain.values)]).astype(np.float64)
    mean = float(rows.mean())
    if not _whole(column) and _AROUND_ONE[0] <= mean <= _AROUND_ONE[1]:
        return True
    spread = float(rows.std()) / max(mean, 1e-9)
    heaviest = rows.max()
    return spread >= _SPREAD and (
        heaviest >= _HEAVIEST or (heaviest >= _HEAVIEST / 2 and rows.min() < _LIGHTEST)
    )


def _count(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """A number of people: small and whole, or a few words."""
    numbers = _numbers(column)
    if numbers is None:
        return concept, LEAVE if facts.distinct <= 60 else CONTRADICT
    if numbers.max() > 40 or numbers.min() < 0:
        return concept, CONTRADICT
    return concept, LEAVE


def _postcode(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    numbers = _numbers(column)
    if numbers is None:
        return concept, LEAVE if facts.distinct > 1 else DOUBT
    if numbers.max() < 100 or (numbers != np.round(numbers)).any():
        return concept, CONTRADICT
    return concept, SUPPORT if numbers.max() >= 1000 else LEAVE


def _place(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    numbers = _numbers(column)
    if numbers is not None and (numbers != np.round(numbers)).any():
        return concept, CONTRADICT
    return concept, LEAVE if facts.varied < 0.9 or facts.records < 50 else DOUBT


def _coordinates(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """Degrees or metres; points, unless they lie on a grid of a kilometre at least."""
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL):
        return concept, DOUBT
    numbers = column.domain.values.astype(np.float64)
    degrees = column.kind is Kind.DECIMAL and np.abs(numbers).max() <= 180
    if not degrees and np.abs(numbers).max() <= 1000:
        return concept, CONTRADICT
    step = DEGREES if degrees else METRES
    on_grid = np.abs(numbers / step - np.round(numbers / step)) < 1e-6
    return "coordinates" if on_grid.mean() >= _GRIDDED else "exact_point", SUPPORT if degrees else LEAVE


def _coordinates_in_text(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    return concept, LEAVE if column.kind is Kind.NOMINAL else CONTRADICT


def _text_name(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    if column.kind is not Kind.NOMINAL:
        return concept, CONTRADICT
    if facts.records >= 20 and facts.distinct <= 5:
        return concept, CONTRADICT if concept == "person_name" else DOUBT  # a name may be that of a thing
    return concept, SUPPORT if facts.varied > 0.5 else LEAVE


def _key(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """A key tells rows apart; a code that repeats is a code of something else."""
    if column.kind is Kind.DECIMAL and not _whole(column):
        return "measurement", LEAVE
    return (concept, SUPPORT) if facts.varied >= 0.9 else ("thing", LEAVE)


def _person_key(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """A person may have several rows, but a handful of numbers are not persons, nor are words that come again.

    Unless they come about equally often, as patients of a small study do and the members of households do not.
    """
    alike = facts.distinct >= 5 and column.counts.min() >= column.counts.max() / 4
    few = facts.distinct < min(20, facts.records / 2) and not alike and not _are_drawn(column)
    words = facts.varied < 0.5 and not any(c.isdigit() for text in column.domain.texts[:100] for c in text)
    return (concept, LEAVE) if not (few or words) else ("category", DOUBT)


def _event_key(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """An event has few rows; numbers from one on that grow rarer are the first visit, the second and so on."""
    if column.kind is Kind.DECIMAL and not _whole(column):
        return "measurement", LEAVE
    if _are_drawn(column) or facts.varied >= 0.9:
        return concept, SUPPORT
    if column.kind is Kind.INTEGER:
        values, counts = column.domain.values, column.counts
        if (
            values[0] in (0, 1)
            and len(values) == values[-1] - values[0] + 1
            and counts[0] >= 3 * counts[-2:].min()
        ):
            return "measurement", LEAVE
    return (
        (concept, LEAVE) if facts.distinct >= max(20, facts.records / _ROWS_OF_EVENT) else ("category", DOUBT)
    )


def _are_drawn(column: Column) -> bool:
    """Whether values are random keys, such as UUIDs and digests: so few of them may be, they are no codes."""
    texts = column.domain.texts[:100] if column.kind is Kind.NOMINAL else []
    return bool(texts) and all(_DRAWN.fullmatch(text) for text in texts)


def _long_number(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """Phone, account and official numbers are long and varied; a yes or no about one is not one."""
    if facts.records >= 20 and facts.distinct <= 5:
        return "activity", LEAVE
    numbers = _numbers(column)
    if numbers is not None and np.median(numbers) < 1e5:
        return concept, CONTRADICT
    return concept, LEAVE


def _address(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """Few addresses are areas, such as urban and rural."""
    return ("place", LEAVE) if facts.records >= 20 and facts.distinct <= 20 else (concept, LEAVE)


def _event(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    numbers = _numbers(column)
    if column.kind is Kind.DATE:
        return concept, SUPPORT
    if numbers is None:
        return concept, LEAVE
    calendar = numbers.max() <= 31 or (numbers.min() >= 1850 and numbers.max() <= 2100)
    compact = numbers.min() >= 18_500_101 and numbers.max() <= 21_001_231
    if (numbers == np.round(numbers)).all() and (calendar or compact):
        return concept, LEAVE
    if facts.distinct <= _LABELS:
        return concept, CONTRADICT  # shares or degrees of something: extra time of 25% and 50%
    return "measurement", LEAVE  # days since something, durations


def _free_text(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """Words that somebody wrote, however few of them differ; yes and no are none.

    Where the name may also say something else, as that of a note may be a mark, most must be of several words.
    """
    if column.kind not in (Kind.NOMINAL, Kind.ORDINAL):
        return concept, CONTRADICT
    texts = column.domain.texts[:100]
    several = 2 * sum(len(text.split()) > 1 for text in texts) >= len(texts)
    other = any(len(lexicon().terms.get(word, ())) > 1 for word in split_words(column.name))
    if facts.distinct > _MANY_TEXTS or several:
        return concept, LEAVE
    return concept, CONTRADICT if other or facts.distinct <= _YES_NO else LEAVE


def _prose(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    many = column.kind is Kind.NOMINAL and facts.distinct > _MANY_TEXTS
    return concept, LEAVE if many else CONTRADICT


def is_bare_class(name: str) -> bool:
    """Whether a name says no more than class: one of pupils, or a label to be predicted."""
    words = {word for word in split_words(name) if not word.isdigit()}
    return bool(words) and words <= _CLASSES


def _membership(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """A group has members. A class of few values may be a label; one that reads 7b is of pupils for sure."""
    numbers = _numbers(column)
    whole = numbers is None or bool((numbers == np.round(numbers)).all())
    if not whole or column.kind is Kind.DATE or (facts.records >= 20 and facts.varied > 0.5):
        return concept, CONTRADICT
    if not is_bare_class(column.name):
        return concept, LEAVE
    return concept, SUPPORT if _is_of_pupils(column) else DOUBT if facts.distinct > _LABELS else CONTRADICT


def _bookkeeping(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    if not is_bare_class(column.name):
        return concept, CONTRADICT if _are_drawn(column) else LEAVE
    return concept, CONTRADICT if _is_of_pupils(column) else DOUBT if facts.distinct > _LABELS else LEAVE


def _is_of_pupils(column: Column) -> bool:
    """Values such as 7b and 10-A: a year and a letter, several of each."""
    found = [match for text in column.domain.texts[:200] if (match := _PUPILS.fullmatch(text.strip()))]
    several = all(len({match[part] for match in found}) > 1 for part in (1, 2))
    return several and len(found) >= 0.8 * min(len(column.domain.texts), 200)


def _private(concept: str, column: Column, facts: Facts) -> tuple[str, float]:
    """A date beside a matter is the date of an event."""
    return ("event_date", LEAVE) if column.kind is Kind.DATE else (concept, LEAVE)


def _whole(column: Column) -> bool:
    values = column.domain.values
    return bool((values == np.round(values)).all())


_TESTS: dict[str, Callable[[str, Column, Facts], tuple[str, float]]] = {
    "age": _age,
    "birth_date": _birth,
    "birth_year": _birth,
    "birth_part": _birth,
    "sex": _few(2, 3, 12),
    "race": _at_most(80),
    "marital": _few(3, 9, 25),
    "household": _count,
    "children": _count,
    "education": _at_most(400),
    "occupation": _private,
    "employment": _private,
    "service": _at_most(40),
    "language": _at_most(300),
    "belief": _at_most(200),
    "housing": _at_most(120),
    "postcode": _postcode,
    "place": _place,
    "nationality": _at_most(1000),
    "coordinates": _coordinates,
    "exact_point": _coordinates_in_text,
    "person_name": _text_name,
    "first_name": _text_name,
    "last_name": _text_name,
    "record_id": _key,
    "person_id": _person_key,
    "event_id": _event_key,
    "national_id": _long_number,
    "phone": _long_number,
    "account": _long_number,
    "email": _prose,
    "street_address": _address,
    "event_date": _event,
    "free_text": _free_text,
    "diagnosis": _private,
    "treatment": _private,
    "health": _health,
    "wealth": _private,
    "income": _private,
    "crime": _private,
    "sampling_weight": _weight,
    "membership": _membership,
    "bookkeeping": _bookkeeping,
}
