"""Looks at distinct texts: few of them in plain Python, many in Polars; the same answers either way.

A call into Polars costs as much as a look at a hundred texts, and a table of ten thousand columns needs a hundred
thousand of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

FEW = 200  #: texts that are looked at one by one
_TENS = 10 ** np.arange(18)
#: what Unicode calls white space; Python's own list has four separators more
_BLANKS = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

_NO_BLANKS = dict.fromkeys(map(ord, _BLANKS))
_LETTER = "[^\\W\\d_]"


def strip(texts: pl.Series) -> pl.Series:
    """The texts without blanks around them."""
    if len(texts) > FEW:
        return texts.str.strip_chars()
    return pl.Series(texts.name, [text.strip(_BLANKS) for text in texts.to_list()], dtype=pl.String)


def without_case(texts: pl.Series) -> pl.Series:
    """The texts in small letters without blanks; in those without a letter, blanks inside stay."""
    if len(texts) > FEW:
        small = texts.str.strip_chars().str.to_lowercase()
        worded = small.str.contains(_LETTER)
        return small.zip_with(~worded, small.str.replace_all(r"\s", ""))
    return pl.Series(texts.name, [_without_case(text) for text in texts.to_list()], dtype=pl.String)


def _without_case(text: str) -> str:
    small = text.strip(_BLANKS).lower()
    return small.translate(_NO_BLANKS) if _compiled(_LETTER).search(small) else small


def are_among(texts: pl.Series, words: Collection[str]) -> NDArray[np.bool_]:
    """Which texts are one of the words, blanks around them aside."""
    if len(texts) > FEW:
        return texts.str.strip_chars().is_in(list(words)).to_numpy()
    return np.array([text.strip(_BLANKS) in words for text in texts.to_list()], dtype=bool)


def some_match(texts: pl.Series, pattern: str, *, unless: str | None = None) -> bool:
    """Whether the pattern is found in any text, the other one being found in it aside; missing is no text."""
    if len(texts) > FEW:
        found = texts.str.contains(pattern)
        return bool((found if unless is None else found & ~texts.str.contains(unless)).any())
    search, spare = _compiled(pattern).search, None if unless is None else _compiled(unless).search
    return any(text is not None and search(text) and not (spare and spare(text)) for text in texts.to_list())


def all_match(texts: pl.Series, pattern: str) -> bool:
    """Whether the pattern is found in every text; the first ones are looked at first."""
    search = _compiled(pattern).search
    if not all(search(text) for text in texts.head(FEW).to_list()):
        return False
    return len(texts) <= FEW or bool(texts.str.contains(pattern).all())


def to_numbers(texts: pl.Series, kind: type[int] | type[float]) -> NDArray[Any]:
    """Texts that are known to read as numbers of this kind."""
    if len(texts) > FEW:
        return texts.str.strip_prefix("+").cast(pl.Int64 if kind is int else pl.Float64).to_numpy()
    return np.array([kind(text) for text in texts.to_list()], dtype=np.int64 if kind is int else np.float64)


def order_as_texts(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order of the texts of ascending whole numbers of at most 18 digits: -1, -2, 1, 10, 2.

    Filled up with zeros to the same length they are a few ascending runs, which are soon merged; the shorter of two
    that then are the same comes first.
    """
    below = int(np.searchsorted(numbers, 0))
    places = np.arange(len(numbers))
    sides = (places[:below][::-1], -numbers[:below][::-1]), (places[below:], numbers[below:])
    order = []
    for side, sizes in sides:
        longer = np.searchsorted(sizes, _TENS[1:])  # where numbers of two digits begin, of three, …
        fill = np.repeat(_TENS[::-1], np.diff(longer, prepend=0, append=len(sizes)))
        order.append(side[np.argsort(sizes * fill, kind="stable")])
    return np.concatenate(order)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern for Polars as one for Python, where $ would also fit before a line break at the end."""
    return re.compile(re.sub(r"\$$", r"\\Z", pattern))
