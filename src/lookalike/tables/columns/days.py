"""Texts read as days, and what is said where they can be read in more than one way."""

from __future__ import annotations

from typing import Any

import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import percent, warn
from lookalike.tables.columns.parsing import PIVOT, dated, read_dates, read_mixed_dates, read_short_dates
from lookalike.tables.columns.roles import SAY_TYPE, Kind
from lookalike.tables.columns.texts import FEW

_SEVERAL = 3  # different texts that are dates with years of two digits, and no accident
_CENTURIES = f"{PIVOT} to 99 are 19{PIVOT} to 1999, 00 to {PIVOT - 1} are 2000 to 20{PIVOT - 1}"
_MOSTLY = 0.5  # share of different texts that are written as dates from which the others are worth a word


def may_be_days(numbers: NDArray[Any]) -> bool:
    """Eight digits that begin like a year: 19840312."""
    return bool(len(numbers)) and numbers.min() >= 18_000_101 and numbers.max() <= 21_991_231


def read_days(
    name: str, values: pl.Series, form: str | None, wanted: Kind | None
) -> tuple[NDArray[Any], Kind] | None:
    """The days that texts stand for, in a given format or any that fits all of them; None where none does."""
    if wanted not in (None, Kind.DATE) or not len(values):
        return None
    read = read_dates(values, form)
    if read is None:
        if form is not None:
            return None
        return _read_mixed_days(name, values, wanted) or _read_short_days(name, values, wanted)
    if read[1] is not None and wanted is None:
        warn(
            f"column {name!r}: its dates can be read with the day or the month first; the day was taken to come first. "
            f"Give it the type {read[1]!r} if the month does, or 'date' to accept this{SAY_TYPE}.",
        )
    return read[0], Kind.DATE


def _read_mixed_days(name: str, values: pl.Series, wanted: Kind | None) -> tuple[NDArray[Any], Kind] | None:
    """Days that are written in several ways, each of which leaves no doubt."""
    read = read_mixed_dates(values)
    if read is not None:
        if wanted is None:
            short = f" Of years of two digits {_CENTURIES}; write them out if that is wrong."
            told = short if any("%y" in form for form in read[1]) else ""
            warn(
                f"column {name!r}: its dates are written in several ways ({', '.join(read[1])}), and each was read as "
                f"it is written.{told} Give it the type 'date' to accept this{SAY_TYPE}."
            )
        return read[0], Kind.DATE
    if wanted is None and len(values) >= _SEVERAL and dated(values.head(FEW)) >= _MOSTLY:
        warn(
            f"column {name!r}: {percent(dated(values))} of its different values are written as dates, but not all "
            "can be read without doubt, so they were read as words. Write all of them as 2024-01-31, or name in `na` "
            f"what is no date; give it the type 'nominal' to accept this{SAY_TYPE}."
        )
    return None


def _read_short_days(name: str, values: pl.Series, wanted: Kind | None) -> tuple[NDArray[Any], Kind] | None:
    """Days with years of two digits: several at least, in one order alone, unless somebody says that they are dates."""
    read = read_short_dates(values)
    if read is None or (wanted is None and len(values) < _SEVERAL):
        return None
    days, forms = read
    if wanted is not None:
        return days, Kind.DATE
    if len(forms) > 1:
        warn(
            f"column {name!r}: its values may be dates, in one of several orders ({', '.join(forms)}); they were read "
            f"as words. Give it one of these as its type if they are dates, or 'nominal' if not{SAY_TYPE}."
        )
        return None
    warn(
        f"column {name!r}: dates with years of two digits, read as {forms[0]}: {_CENTURIES}. Write the years out if "
        f"that is wrong; give it the type {forms[0]!r} to accept this{SAY_TYPE}."
    )
    return days, Kind.DATE
