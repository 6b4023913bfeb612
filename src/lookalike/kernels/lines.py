"""Lines of a csv file from codes: `spell` lays distinct values out in words, `lay_out` copies them where they occur.

A value is its length and then its bytes, eight to a word, the next delimiter included. Rows are looked up some at a
time before they are copied: values that are far apart in memory then come in together. O(bytes).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel

BLOCK = 1024  #: rows that are looked up at a time
_ONE, _THREE, _EIGHT, _LAST = np.uint64(1), np.uint64(3), np.uint64(8), np.uint64(63)


@kernel
def spell(text: Any, mark: int, delimiter: int, begins: Any, words: Any) -> Any:
    """Cut text where marks end a value; fill in where each begins, and its length and bytes. Returns words used."""
    at, value, length = 0, 0, 0
    word = np.uint64(0)
    for i in range(len(text)):
        ends = text[i] == mark
        byte = delimiter if ends else text[i]
        word |= np.uint64(byte) << np.uint64((length & 7) << 3)
        length += 1
        if ends or length & 7 == 0:
            words[at + ((length + 7) >> 3)] = word
            word = np.uint64(0)
        if ends:
            begins[value] = at
            words[at] = length
            at += 1 + ((length + 7) >> 3)
            value, length = value + 1, 0
    return at


@kernel
def lay_out(codes: Any, start: int, begins: Any, words: Any, places: Any, out: Any, state: Any) -> Any:
    """Write the rows of codes (columns x rows) from `start` on, as long as there is room in `out`.

    `places` has room for the values of a block; `state` is the last word, which is not full, and the bytes in it.
    Returns the row where it stopped and how many words are full.
    """
    columns, rows = codes.shape
    word, bytes_in = state[0], state[1]
    at = np.uint64(0)
    while start < rows:
        end = start + BLOCK
        if end > rows:
            end = rows
        size = np.uint64(0)
        for column in range(columns):
            i = column
            for row in range(start, end):
                place = begins[codes[column, row]]
                places[i] = place
                size += words[np.uint64(place)]
                i += columns
        if at + (size >> _THREE) + _EIGHT > np.uint64(len(out)):
            break
        for i in range(columns * (end - start)):
            place = np.uint64(places[i])
            left = words[place]
            shift = bytes_in << _THREE
            back = _LAST - shift
            while left > _EIGHT:
                place += _ONE
                out[at] = word | (words[place] << shift)
                word = (words[place] >> _ONE) >> back
                at += _ONE
                left -= _EIGHT
            place += _ONE
            word |= words[place] << shift
            out[at] = word
            bytes_in += left
            if bytes_in >= _EIGHT:
                at += _ONE
                word = (words[place] >> _ONE) >> back
                bytes_in -= _EIGHT
        start = end
    state[0], state[1] = word, bytes_in
    return start, np.int64(at)
