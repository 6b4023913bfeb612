"""Delimited text straight to codes: `split` finds the fields, `number` gives each distinct field of a column a code.

No string is made for a field that was seen before, so 5 million rows with 80 ages make 80 strings. Splitting also
finds ragged lines and broken quotes. O(bytes); 4 bytes of memory per field, 4 more once its column is numbered.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.kernels.compiling import kernel, part

NEWLINE, RETURN, BLANK = 10, 13, 32
NOTHING = -(2**63)  # no number
FINE, RAGGED, UNCLOSED, TRAILING = 0, 1, 2, 3  # what splitting reports

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: spreads neighbouring keys over the table
_PRIME = np.uint64(0x100000001B3)
_ZERO, _ONE, _BYTE = np.uint64(0), np.uint64(1), np.uint64(8)
_NOUGHT, _MINUS, _DIGITS = 48, 45, np.uint64(18)
_SHORT = np.uint64(15)  # bytes that fit two words beside their number
_ESCAPED = np.uint64(0x4000000000000000)  # marks a field with doubled quotation marks
_LONG = np.uint64(0x8000000000000000)  # marks a field that is too long to be its own key


@kernel
def count_byte(text: Any, begin: int, end: int, byte: int) -> Any:
    """How often a byte occurs in a stretch of text."""
    found = 0
    for i in range(begin, end):
        if text[i] == byte:
            found += 1
    return found


@kernel
def split(
    text: Any,
    begin: int,
    end: int,
    delimiter: int,
    quote: int,
    starts: Any,
    at: int,
    stride: int,
    columns: int,
) -> Any:
    """Fill in where fields begin, as starts[at + column * stride + record]; the last row is one behind each record.

    Lines with nothing on them are no records. Returns the number of records and (what, line, fields): what went wrong,
    on which line of this stretch of text.
    """
    record = 0
    column = 0
    line = 1
    began = 1  # line on which the record began
    i = begin
    while i < end:
        if column == 0:
            began = line
            if text[i] == NEWLINE:
                line += 1
                i += 1
                continue
            if text[i] == RETURN and (i + 1 == end or text[i + 1] == NEWLINE):
                i += 1
                continue
        if column < columns:
            starts[at + column * stride + record] = i
        if text[i] == quote:
            opened = line
            i += 1
            while i < end:
                if text[i] == quote:
                    if i + 1 == end or text[i + 1] != quote:
                        break
                    i += 1
                elif text[i] == NEWLINE:
                    line += 1
                i += 1
            if i == end:
                return record, (UNCLOSED, opened, column + 1)
            i += 1
            while i < end and (text[i] == BLANK or text[i] == RETURN) and text[i] != delimiter:
                i += 1
            if i < end and text[i] != delimiter and text[i] != NEWLINE:
                return record, (TRAILING, line, column + 1)
        else:
            while i < end and text[i] != delimiter and text[i] != NEWLINE:
                i += 1
        column += 1
        if i < end and text[i] == delimiter:
            i += 1
            if i < end:
                continue
            # The text ends on a delimiter: an empty last field.
            if column < columns:
                starts[at + column * stride + record] = i
            column += 1
        if column != columns:
            return record, (RAGGED, began, column)
        starts[at + columns * stride + record] = i + 1
        record += 1
        column = 0
        line += 1
        i += 1
    return record, (FINE, line, columns)


@part
def trim(text: Any, first: Any, last: Any, quote: int) -> Any:
    """A field without its quotation marks and without the carriage return at the end of a line; places are unsigned."""
    if first < last and text[first] == quote:
        first += _ONE
        last -= _ONE
        while text[last] != quote:
            last -= _ONE
    elif first < last and text[last - _ONE] == RETURN and (last == len(text) or text[last] == NEWLINE):
        last -= _ONE
    return first, last


@kernel
def number(
    text: Any, starts: Any, ends: Any, quote: int, codes: Any, slots: Any, keys: Any, firsts: Any
) -> Any:
    """Fill in the code of each field of a column, -1 for an empty one, and the first record of each distinct field.

    `ends` are one behind; `slots` (all -1, a power of two long) and `keys` (two words each) are the hash table. Returns
    the number of distinct fields, or when they outgrow the table, minus the number of records that did.
    """
    mask = np.uint64(len(slots) - 1)
    bits = 0
    while 1 << bits < len(slots):
        bits += 1
    shift = np.uint64(64 - bits)
    found = 0
    for r in range(len(starts)):
        begin = np.uint64(
            starts[r]
        )  # unsigned places need not be looked at for whether they count from the end
        first, last = trim(text, begin, np.uint64(ends[r]) - _ONE, quote)
        length = last - first
        if length == _ZERO:
            codes[r] = -1
            continue
        # Up to 15 bytes and their number fill two words, which then are the field; of longer ones they are a hash.
        one, two = _ZERO, length
        j = first
        if length <= _SHORT:
            while j < last and j < first + _BYTE:
                one = (one << _BYTE) | np.uint64(text[j])
                j += _ONE
            while j < last:
                two = (two << _BYTE) | np.uint64(text[j])
                j += _ONE
        else:
            while j < last:
                one = (one ^ np.uint64(text[j])) * _PRIME
                j += _ONE
            two |= _LONG
        if first > begin:
            # Doubled marks inside quotation marks are another text than the same bytes without quotation marks.
            j = first
            while j < last:
                if text[j] == quote:
                    one = (one + _ONE) * _PRIME
                    two |= _ESCAPED
                    break
                j += _ONE
        mixed = (one ^ (one >> np.uint64(32))) * _GOLDEN + two * _PRIME
        slot = (mixed ^ (mixed >> np.uint64(29))) * _GOLDEN >> shift
        while True:
            at = slots[slot]
            if at < 0:
                break
            if keys[at, 0] == one and keys[at, 1] == two:
                if two < _ESCAPED:
                    break
                place = firsts[at]
                there, end = trim(text, np.uint64(starts[place]), np.uint64(ends[place]) - _ONE, quote)
                same = end - there == length
                j = _ZERO
                while same and j < length:
                    same = text[there + j] == text[first + j]
                    j += _ONE
                if same:
                    break
            slot = (slot + _ONE) & mask
        if at < 0:
            if found == len(keys):
                return -r
            at = found
            slots[slot] = at
            keys[at, 0] = one
            keys[at, 1] = two
            firsts[at] = r
            found += 1
        codes[r] = at
    return found


@kernel
def read_whole(text: Any, starts: Any, ends: Any, quote: int, numbers: Any) -> Any:
    """Fill in the whole numbers of a column, the least of all for an empty field; false where one field is none.

    A number is written as a machine writes it, in at most 18 digits: no plus, no zero before others, no -0.
    """
    for r in range(len(starts)):
        first, last = trim(text, np.uint64(starts[r]), np.uint64(ends[r]) - _ONE, quote)
        if first == last:
            numbers[r] = NOTHING
            continue
        below = text[first] == _MINUS
        if below:
            first += _ONE
        digits = last - first
        if digits == _ZERO or digits > _DIGITS or (text[first] == _NOUGHT and (below or digits > _ONE)):
            return False
        number = np.int64(0)
        while first < last:
            digit = np.int64(text[first]) - _NOUGHT
            if digit < 0 or digit > 9:
                return False
            number = number * 10 + digit
            first += _ONE
        numbers[r] = -number if below else number
    return True


@kernel
def _copy(text: Any, starts: Any, ends: Any, quote: int, separator: int, out: Any) -> int:
    at = 0
    for r in range(len(starts)):
        if r:
            out[at] = separator
            at += 1
        first, last = trim(text, np.uint64(starts[r]), np.uint64(ends[r]) - _ONE, quote)
        while first < last:
            out[at] = text[first]
            at += 1
            first += _ONE
    return at


def gather(
    text: NDArray[np.uint8], starts: NDArray[Any], ends: NDArray[Any], quote: int, separator: int
) -> NDArray[np.uint8]:
    """The bytes of some fields one after the other, a separator after each but the last."""
    out = np.empty(int(np.sum(ends - starts, dtype=np.int64)), dtype=np.uint8)
    return out[: _copy(text, starts, ends, quote, separator, out)]
