"""Read texts as numbers or dates, all of them or none.

Patterns are tried on a sample first, so a column of a million names costs no more than a look at a few of them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.tables.columns.roles import Kind
from lookalike.tables.columns.texts import FEW, all_match, some_match, strip, to_numbers

_INTEGER = r"^[+-]?(?:0|[1-9][0-9]{0,17})$"
_CODE = r"^[+-]?(?:0[0-9]+|[0-9]{19,})$"  # 00123 is a code, not a number; so is what 64 bits cannot hold
_DECIMAL = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_THOUSANDS = r"^[+-]?[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]+)?$"
_COMMA = r"^[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)(?:,[0-9]+)?$"
_LONG = r"(?:[0-9]\.?){18}"  # more digits than floats tell apart: where they do not, it is a code
_POINT_OR_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"
_MANY = 10  # texts of one form that are no accident
_CURRENCY = r"([$€£¥]|EUR|USD|GBP|CHF)"
_MONEY = rf"^(?P<sign>[+-]?){_CURRENCY} ?| ?{_CURRENCY}$"  # before or behind an amount
_PERCENT = r"[ \u00a0\u202f]?(%|‰|percent|per cent|pct|Prozent|v\. ?H\.)$"
_MONTHS = r"^(?:0[1-9]|1[0-2])\.(?:1[89]|2[01])[0-9]{2}$"  # 02.2019
_WHOLE_LIMIT = 2.0**53
_LARGEST = 10**18 - 1  # eighteen digits, as above

_TIME = r"[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[AaPp][Mm])?(?: ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?$"
_NAMED = r"^(?:[0-9]{1,2}[ -][A-Za-z]{3,9}[ -][0-9]{4}|[A-Za-z]{3,9} [0-9]{1,2},? [0-9]{4})$"
# shape of the text, then the formats to try
_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$", ("%Y-%m-%d",)),
    (r"^[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}$", ("%Y/%m/%d",)),
    (r"^[0-9]{4}\.[0-9]{1,2}\.[0-9]{1,2}$", ("%Y.%m.%d",)),
    (r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}$", ("%d.%m.%Y",)),
    (r"^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"^[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}$", ("%d-%m-%Y", "%m-%d-%Y")),
    (_NAMED, ("%d %b %Y", "%b %d %Y", "%d %B %Y", "%B %d %Y")),
    (r"^[0-9]{1,2}[A-Za-z]{3,9}[0-9]{4}$", ("%d%b%Y", "%d%B%Y")),  # 05MAY2021, as SAS writes it
    (r"^(?:1[89]|2[01])[0-9]{6}$", ("%Y%m%d",)),
)
_DATED = "|".join(shape for shape, _ in _SHAPES)
# years of two digits: read where one order alone fits; with points and slashes the year is last
_SHORT_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2}$", ("%d.%m.%y", "%m.%d.%y")),
    (r"^[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}$", ("%d/%m/%y", "%m/%d/%y")),
    (r"^[0-9]{1,2}-[0-9]{1,2}-[0-9]{2}$", ("%d-%m-%y", "%m-%d-%y", "%y-%m-%d")),
    (r"^[0-9]{1,2}-[A-Za-z]{3,9}-[0-9]{2}$", ("%d-%b-%y", "%d-%B-%y")),
    (r"^[0-9]{1,2} [A-Za-z]{3,9} [0-9]{2}$", ("%d %b %y", "%d %B %y")),
    (r"^[0-9]{1,2}[A-Za-z]{3,9}[0-9]{2}$", ("%d%b%y", "%d%B%y")),
)
_DATED_SHORT = "|".join(shape for shape, _ in (*_SHAPES, *_SHORT_SHAPES))
PIVOT = 30  #: two-digit years from here on are of the 20th century, as in Excel


def read_numbers(texts: pl.Series, wanted: Kind | None) -> tuple[NDArray[Any], Kind] | None:
    """All texts as int64 or float64, or None. Understands 1e3, 1,234.5, $5.20, 37 % and, failing that, 1.234,5.

    Without a wanted kind, numbers that are all whole are integers, however they are written.
    """
    if _rules_out_digits(texts):
        return None
    texts = strip(texts)
    if all_match(texts.head(FEW), _MONEY) and texts.str.extract(_CURRENCY).n_unique() == 1:
        texts = texts.str.replace(_MONEY, "${sign}")  # amounts of one currency; $5 and €5 are no one number
    elif all_match(texts, _PERCENT) and texts.str.extract(_PERCENT).n_unique() == 1:
        texts = texts.str.replace(_PERCENT, "")
    if wanted is None and (
        some_match(texts, _CODE) or (some_match(texts, "^0") and all_match(texts, _MONTHS))
    ):
        return None
    if all_match(texts, _INTEGER if wanted is None else r"^[+-]?[0-9]{1,18}$"):
        whole = to_numbers(texts, int)
        return (whole, Kind.INTEGER) if wanted is not Kind.DECIMAL else (whole.astype(float), Kind.DECIMAL)
    for pattern, drop, point in ((_DECIMAL, "", "."), (_THOUSANDS, ",", "."), (_COMMA, ".", ",")):
        if all_match(texts, pattern):
            plain = texts.str.replace_all(drop, "", literal=True) if drop else texts
            plain = plain.str.replace(point, ".", literal=True) if point != "." else plain
            numbers = to_numbers(plain, float)
            if wanted is None and some_match(plain, _LONG) and len(np.unique(numbers)) < len(texts):
                return None
            return as_numbers(numbers, wanted)
    return None


def may_be_thousands(texts: pl.Series) -> bool:
    """Whether all of many texts have a point before their last three digits: 130.500, which some write for 130500."""
    return len(texts) >= _MANY and all_match(strip(texts), _POINT_OR_THOUSANDS)


def plain_integers(texts: pl.Series) -> pl.Series | None:
    """Many texts as int64 where all of them are whole numbers as a machine writes them; else None, very soon."""
    if len(texts) <= FEW or not all_match(texts.head(FEW), _INTEGER):
        return None
    numbers = texts.cast(pl.Int64, strict=False)
    if numbers.null_count() or not numbers.is_between(-_LARGEST, _LARGEST).all():
        return None
    return numbers if numbers.cast(pl.String).equals(texts) else None


def as_numbers(values: NDArray[np.float64], wanted: Kind | None) -> tuple[NDArray[Any], Kind] | None:
    """Floats as integers where all are whole (and nobody wants decimals); None where whole ones are wanted in vain."""
    values = values + 0.0  # no negative zero
    if wanted is not Kind.DECIMAL:
        with np.errstate(invalid="ignore"):  # what has no end is not whole
            # A sample spares the whole check for a column of amounts.
            whole = bool((values[:FEW] % 1 == 0).all())
            if whole and bool(((values % 1 == 0) & (np.abs(values) < _WHOLE_LIMIT)).all()):
                return values.astype(np.int64), Kind.INTEGER
        if wanted is Kind.INTEGER:
            return None
    return values, Kind.DECIMAL


def read_dates(texts: pl.Series, form: str | None = None) -> tuple[NDArray[Any], str | None] | None:
    """All texts as days, or None; beside them a second format that fits just as well but gives other days.

    A time of day is passed over. Where day and month cannot be told apart, the day is taken to come first.
    """
    if form is None and _rules_out_digits(texts):
        return None
    texts = strip(texts)
    if form is not None:
        days = _days(texts, form)
        return None if days is None else (days, None)
    if some_match(texts, _TIME):
        texts = texts.str.replace(_TIME, "")
    for shape, forms in _SHAPES:
        if all_match(texts, shape) and (fits := _fitting(texts, shape, forms)):
            (_, days), *others = fits.items()
            return days, next((other for other, its in others if not np.array_equal(its, days)), None)
    return None


def read_mixed_dates(texts: pl.Series) -> tuple[NDArray[Any], tuple[str, ...]] | None:
    """Texts that are dates of several notations as days, and the notations; None where one is none, or in doubt.

    Where the day and the month of one notation can be told apart in no way, all of them stay texts. Some of them must
    have full years; others may have years of two digits.
    """
    if _rules_out_digits(texts):
        return None
    texts = strip(texts)
    if some_match(texts, _TIME):
        texts = texts.str.replace(_TIME, "")
    if not all_match(texts, _DATED_SHORT) or not some_match(texts, _DATED):
        return None
    days, notations = np.empty(len(texts), dtype="datetime64[D]"), []
    for shape, forms in (*_SHAPES, *_SHORT_SHAPES):
        if not some_match(texts, shape):
            continue
        own = texts.str.contains(shape)
        fits = _fitting(texts.filter(own), shape, forms)
        if not fits or any(not np.array_equal(*two) for two in pairwise(fits.values())):
            return None
        notation, days[own.to_numpy()] = next(iter(fits.items()))
        notations.append(notation)
    return days, tuple(notations)


def dated(texts: pl.Series) -> float:
    """The share of texts that are written as dates with full years and are no numbers; 0 where one holds no digit."""
    if _rules_out_digits(texts) or some_match(texts, r"^[^0-9]*$"):
        return 0.0
    texts = strip(texts).str.replace(_TIME, "")
    return int((texts.str.contains(_DATED) & texts.str.contains("[^0-9]")).sum()) / len(texts)


def _fitting(texts: pl.Series, shape: str, forms: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """The formats that read all texts of a shape, and the days they give."""
    if shape == _NAMED:
        texts = texts.str.replace_all(r"[-,]", " ").str.replace_all(r" +", " ")
    return {form: days for form in forms if (days := _days(texts, form)) is not None}


def read_short_dates(texts: pl.Series) -> tuple[NDArray[Any], tuple[str, ...]] | None:
    """Texts with years of two digits as days, and the formats that fit, the likeliest first; None where none does.

    Of formats that give the same days the first counts.
    """
    if _rules_out_digits(texts):
        return None
    texts = strip(texts)
    if some_match(texts, _TIME):
        texts = texts.str.replace(_TIME, "")
    for shape, forms in _SHORT_SHAPES:
        if all_match(texts, shape):
            fits: dict[str, NDArray[Any]] = {}
            for form, days in _fitting(texts, shape, forms).items():
                if not any(np.array_equal(days, other) for other in fits.values()):
                    fits[form] = days
            return (next(iter(fits.values())), tuple(fits)) if fits else None
    return None


def _rules_out_digits(texts: pl.Series) -> bool:
    """Whether the first text has no digit, so that not all are numbers or dates: names need no further look."""
    first = texts.first()
    return isinstance(first, str) and not any("0" <= letter <= "9" for letter in first)


def _days(texts: pl.Series, form: str) -> NDArray[Any] | None:
    if texts.head(FEW).str.to_date(form, strict=False).null_count():
        return None
    days = texts.str.to_date(form, strict=False)
    if days.null_count():
        return None
    if "%y" in form:
        late = (
            days.dt.year() >= 2000 + PIVOT
        )  # a century is a whole number of leap years here: none passes 2000
        days = days.to_frame("day").select(
            pl.when(late).then(pl.col("day").dt.offset_by("-100y")).otherwise(pl.col("day"))
        )["day"]
    return days.to_numpy().astype("datetime64[D]")
