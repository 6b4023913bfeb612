"""Values of a quasi-identifier inside longer texts and numbers: ids with the age in their digits, JSON, base64.

A text holds a value where the value stands in it, as it is or as a date is written otherwise, also once base64,
hexadecimal digits or per cents of web addresses are decoded. What stands there by luck is known from other people's
values: 7 is in every other long number. A code of the value at a fixed place, such as 1 and 2 for women and men, is
found as dependence of that place (`dependence.py`). O(columns x rows looked at).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.dependence import RankedCodes, evidence, measure
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind
from lookalike.tables.meanings.names import fold

Texts = list[str | None]

ROWS = 2_000  #: rows that are looked at
_HOLDS, _LUCK = (
    0.95,
    0.6,
)  #: share of rows whose text holds their value, and of strangers' values up to which that tells
_AGREE = 0.9  #: share beyond luck
_BY_CHANCE = 30  #: rows that luck would leave without, from which it tells something
_VARIED = (
    0.3  #: share of distinct values from which a text may hold others; where they repeat, dependence tells
)
_LONGEST, _SHORTEST = 4_000, 3  #: characters of a text that is looked at, and of numbers that hold others
_SLICES = (1, 2, 3, 4, 5, 6)  #: characters of a code at a fixed place
_WIDEST = 64  #: characters of texts whose places are looked at
_FIXED = 0.85  #: mu of a place from which it is a code: of four rows each at least
_DAYS = ("%Y-%m-%d", "%Y%m%d", "%d%m%Y", "%m%d%Y", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%y%m%d", "%d%m%y")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{4,}={0,2}")
_HEX = re.compile(r"([0-9a-fA-F]{2}){3,}")


def find_embedded(
    known: Mapping[str, Column], others: Mapping[str, Column], rows: NDArray[np.int64]
) -> Iterator[tuple[str, str, float]]:
    """A column, the quasi-identifier whose values it holds, and how far beyond luck it does.

    rows: some rows, in an order that says nothing.
    """
    rows = rows[:ROWS]
    spelt = {name: _spellings(column, rows) for name, column in known.items()}
    for other, column in others.items():
        texts = _long_texts(column, rows)
        if texts is None:
            continue
        forms = [texts, *_decoded(texts)]
        folded = [[None if text is None else fold(text) for text in form] for form in forms]
        for name, values in spelt.items():
            held = max((_held(form, values) for form in folded), default=0.0)
            if held >= _AGREE:
                yield other, name, held
            elif (
                place := max((_at_a_place(form, known[name], rows) for form in forms), default=0.0)
            ) >= _FIXED:
                yield other, name, place


def _long_texts(column: Column, rows: NDArray[np.int64]) -> Texts | None:
    """What a column of many different texts or long whole numbers holds; None of others."""
    if column.kind not in (Kind.NOMINAL, Kind.INTEGER):
        return None
    codes = column.codes[rows]
    if len(np.unique(codes)) < _VARIED * len(rows):
        return None
    listed: Texts = [*column.domain.texts, None]
    texts = [listed[min(code, len(listed) - 1)] for code in codes.tolist()]
    longest = max((len(text) for text in texts if text is not None), default=0)
    return texts if _SHORTEST < longest <= _LONGEST else None


def _spellings(column: Column, rows: NDArray[np.int64]) -> list[tuple[str, ...]]:
    """How the value of each row may be written inside a text; nothing where it is missing."""
    if column.kind is Kind.DATE:
        days = column.domain.values.astype("datetime64[D]").tolist()
        listed = [tuple(day.strftime(form) for form in _DAYS) for day in days]
    else:
        listed = [(fold(text.strip()),) if text.strip() else () for text in column.domain.texts]
    listed.append(())
    return [listed[min(code, len(listed) - 1)] for code in column.codes[rows].tolist()]


def _held(texts: Texts, values: Sequence[tuple[str, ...]]) -> float:
    """How far texts hold their row's value, beyond how far they hold a stranger's; 0 where that says little."""
    pairs = [(text, forms) for text, forms in zip(texts, values, strict=True) if text is not None and forms]
    if len(pairs) < _BY_CHANCE or len({forms for _, forms in pairs}) < 2:
        return 0.0
    half = len(pairs) // 2
    own = sum(any(form in text for form in forms) for text, forms in pairs) / len(pairs)
    if own < _HOLDS:
        return 0.0
    strange = [
        any(form in text for form in pairs[(i + half) % len(pairs)][1]) for i, (text, _) in enumerate(pairs)
    ]
    luck = sum(strange) / len(pairs)
    if luck > _LUCK or (1 - luck) * len(pairs) < _BY_CHANCE:
        return 0.0
    return (own - luck) / (1 - luck)


def _at_a_place(texts: Texts, column: Column, rows: NDArray[np.int64]) -> float:
    """How far a few characters at one place of texts of one length determine a column, if any do."""
    lengths = {len(text) for text in texts if text is not None}
    if len(lengths) != 1 or not max(lengths) <= _WIDEST or None in texts:
        return 0.0
    _, codes = np.unique(column.codes[rows], return_inverse=True)
    target = RankedCodes(codes.astype(np.int32), int(codes.max()) + 1, 0)
    letters = np.array(texts, dtype=np.str_).view("U1").reshape(len(texts), -1)
    best = 0.0
    for width in _SLICES:
        for start in range(letters.shape[1] - width + 1):
            there = np.ascontiguousarray(letters[:, start : start + width]).view(f"U{width}").ravel()
            values, labels = np.unique(there, return_inverse=True)
            if not target.distinct <= len(values) <= len(rows) / 4:
                continue
            place = RankedCodes(labels.astype(np.int32), len(values), 0)
            if evidence(place, target) >= _BY_CHANCE:
                best = max(best, float(measure(place, [target]).onto[0]))
    return best


def _decoded(texts: Texts) -> Iterator[Texts]:
    """The texts as they were before they were encoded, in every way that fits all of them."""
    for decode in (_of_base64, _of_hex, _of_address):
        found = [None if text is None else decode(text) for text in texts]
        if all(text is None or plain for text, plain in zip(texts, found, strict=True)):
            yield found


def _of_base64(text: str) -> str | None:
    if not _BASE64.fullmatch(text):
        return None
    padded = text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
    return _printable(lambda: base64.b64decode(padded, altchars=b"-_" if set(text) & set("-_") else None))


def _of_hex(text: str) -> str | None:
    return _printable(lambda: bytes.fromhex(text)) if _HEX.fullmatch(text) else None


def _of_address(text: str) -> str | None:
    return unquote(text) if "%" in text else None


def _printable(decode: Callable[[], bytes]) -> str | None:
    try:
        text = decode().decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    return text if text.isprintable() else None
