"""Delimited text straight to codes: `split` finds the fields, `number` gives each distinct field of a column a code.

No string is made for a field that was seen before, so 5 million rows with 80 ages make 80 strings. Splitting also
finds ragged lines and broken quotes. O(bytes), 8 bytes of memory per field plus the distinct fields.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

NEWLINE, RETURN, BLANK = 10, 13, 32
FINE, RAGGED, UNCLOSED, TRAILING = 0, 1, 2, 3  # what splitting reports

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: spreads neighbouring keys over the table
_PRIME = np.uint64(0x100000001B3)
_LONG = np.uint64(0xFF00000000000000)  # marks the key of a field that is too long to be its own key
_SHORT = 7  # bytes that fit a key beside their number


@njit(cache=True, nogil=True)
def count_byte(text: Any, begin: int, end: int, byte: int) -> Any:
    """How often a byte occurs in a stretch of text."""
    found = 0
    for i in range(begin, end):
        found += text[i] == byte
    return found


@njit(cache=True, nogil=True)
def split(text: Any, begin: int, end: int, delimiter: int, quote: int, starts: Any) -> Any:
    """Fill in where fields begin, as starts[column, record]; the last row is one behind the end of each record.

    Lines with nothing on them are no records. Returns the number of records and (what, line, fields): what went wrong,
    on which line of this stretch of text.
    """
    columns = len(starts) - 1
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
            starts[column, record] = i
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
                starts[column, record] = i
            column += 1
        if column != columns:
            return record, (RAGGED, began, column)
        starts[columns, record] = i + 1
        record += 1
        column = 0
        line += 1
        i += 1
    return record, (FINE, line, columns)


@njit(cache=True, nogil=True)
def number(text: Any, starts: Any, ends: Any, quote: int, codes: Any) -> Any:
    """Fill in the code of each field of a column, -1 for an empty one; return the distinct fields in code order.

    `ends` are one behind. Distinct fields come as (start, length, escaped) rows; an escaped one holds doubled quotes.
    A short field is its own key in the table of distinct fields; long ones are compared byte by byte.
    """
    bits = 12
    slots = np.full(1 << bits, -1, dtype=np.int32)
    keys = np.empty(1 << (bits - 1), dtype=np.uint64)
    fields = np.empty((1 << (bits - 1), 3), dtype=np.int64)
    found = 0
    for r in range(len(starts)):
        first, last = starts[r], ends[r] - 1
        escaped = 0
        if first < last and text[first] == quote:
            first += 1
            last -= 1
            while text[last] != quote:
                last -= 1
            for j in range(first, last):
                if text[j] == quote:
                    escaped = 1
        elif first < last and text[last - 1] == RETURN and (last == len(text) or text[last] == NEWLINE):
            last -= 1
        length = last - first
        if length == 0:
            codes[r] = -1
            continue
        key = np.uint64(0)
        if length <= _SHORT and not escaped:
            for j in range(length):
                key = (key << np.uint64(8)) | np.uint64(text[first + j])
            key |= np.uint64(length) << np.uint64(56)
        else:
            key = _GOLDEN + np.uint64(escaped)
            for j in range(first, last):
                key = (key ^ np.uint64(text[j])) * _PRIME
            key |= _LONG
        slot = np.int64((key ^ (key >> np.uint64(32))) * _GOLDEN >> np.uint64(64 - bits))
        while True:
            at = slots[slot]
            if at < 0:
                break
            if keys[at] == key:
                if key < _LONG:
                    break
                same = fields[at, 1] == length and fields[at, 2] == escaped
                there = fields[at, 0]
                for j in range(length):
                    if not same:
                        break
                    same = text[there + j] == text[first + j]
                if same:
                    break
            slot = (slot + 1) & ((1 << bits) - 1)
        if at >= 0:
            codes[r] = at
            continue
        slots[slot] = found
        keys[found] = key
        fields[found, 0] = first
        fields[found, 1] = length
        fields[found, 2] = escaped
        codes[r] = found
        found += 1
        if found == len(keys):
            bits += 1
            slots = np.full(1 << bits, -1, dtype=np.int32)
            keys = np.concatenate((keys, np.empty(found, dtype=np.uint64)))
            fields = np.concatenate((fields, np.empty((found, 3), dtype=np.int64)))
            for j in range(found):
                again = np.int64((keys[j] ^ (keys[j] >> np.uint64(32))) * _GOLDEN >> np.uint64(64 - bits))
                while slots[again] >= 0:
                    again = (again + 1) & ((1 << bits) - 1)
                slots[again] = j
    return fields[:found].copy()


@njit(cache=True, nogil=True)
def gather(text: Any, fields: Any, separator: int) -> Any:
    """The bytes of some fields one after the other, a separator after each but the last."""
    size = len(fields)
    for j in range(len(fields)):
        size += fields[j, 1]
    out = np.empty(max(size - 1, 0), dtype=np.uint8)
    at = 0
    for j in range(len(fields)):
        if j:
            out[at] = separator
            at += 1
        for b in range(fields[j, 1]):
            out[at] = text[fields[j, 0] + b]
            at += 1
    return out
