"""Words of one column that seem to be one word, written in several ways: `LS1 4AB` and `ls1 4ab`, `M` and ` M`.

They count as different, since nobody but the owner of a table can tell; but so fewer people look alike. O(words).
"""

from __future__ import annotations

import polars as pl

from lookalike.base.errors import amount, warn
from lookalike.tables.columns.roles import SAY_TYPE
from lookalike.tables.columns.texts import some_match, strip, without_case

_MOST = 100_000  # words that are looked at; of more nobody chose from a list


def tell_of_likeness(name: str, words: pl.Series) -> None:
    """Say where some words differ only by case and blanks."""
    if len(words) > _MOST or not some_match(words, r"[^a-z]"):
        return
    doubles = len(words) - without_case(words).n_unique()
    if not doubles:
        return
    around = len(words) - strip(words).n_unique() == doubles
    how, what = (
        ("blanks around", "Take the blanks out of") if around else ("case or blanks", "Write them alike in")
    )
    warn(
        f"column {name!r}: {amount(doubles, 'value')} differ{'s' if doubles == 1 else ''} from another one only by "
        f"{how}, so fewer people look alike than could. {what} the file, or give the column the type 'nominal' "
        f"to accept this{SAY_TYPE}."
    )
