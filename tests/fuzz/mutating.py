"""Damage to a valid file, as disks, editors, spreadsheets, mail and malice do it. `draw` is any `random.Random`."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_NUMBERS = [
    b"1e999",
    b"-1",
    b"NaN",
    b"9" * 400,
    b"1e-400",
    b"0x10",
    b"007",
    b"",
    b"1_000",
    b"\xd9\xa3",
    b"true",
]
_ODD = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\r",
    b"\r\n",
    b"\x1a",
    b'"',
    b"'",
    b",",
    b";",
    b"\t",
    b"{",
    b"]",
]
_ODD += [b"\xe2\x80\xae", b"\xed\xa0\x80", b"\xc2\x85", b"\xe2\x80\xa8", b"\\", b"\\u0000", b"\x0b", b"="]

Mutation = Callable[[random.Random, bytes], bytes]


def mutate(draw: random.Random, data: bytes) -> bytes:
    """A file with one to four kinds of damage."""
    for _ in range(draw.randint(1, 4)):
        data = draw.choice(MUTATIONS)(draw, data)
    return data


def _place(draw: random.Random, data: bytes) -> int:
    return draw.randint(0, len(data))


def _flip(draw: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(draw.randint(1, 8)):
        if out:
            out[draw.randrange(len(out))] ^= 1 << draw.randrange(8)
    return bytes(out)


def _truncate(draw: random.Random, data: bytes) -> bytes:
    return data[: _place(draw, data)]


def _cut(draw: random.Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + data[at + draw.randint(1, 40) :]


def _double(draw: random.Random, data: bytes) -> bytes:
    """A part twice: a key, a row, a bracket."""
    at = _place(draw, data)
    end = at + draw.choice([1, 5, 30, 200])
    return data[:end] + data[at:end] + data[end:]


def _double_line(draw: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    return b"\n".join([*lines[: at + 1], *lines[at:]])


def _swap_lines(draw: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _insert(draw: random.Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + draw.choice(_ODD) * draw.choice([1, 1, 3]) + data[at:]


def _number(draw: random.Random, data: bytes) -> bytes:
    found = list(re.finditer(rb"\d+", data))
    if not found:
        return data
    one = draw.choice(found)
    return data[: one.start()] + draw.choice(_NUMBERS) + data[one.end() :]


def _nest(draw: random.Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return (
        data[:at] + draw.choice([b"[", b'{"a":', b"(", b'"']) * draw.choice([70, 3_000, 100_000]) + data[at:]
    )


def _long_line(draw: random.Random, data: bytes) -> bytes:
    at = _place(draw, data)
    return data[:at] + draw.choice([b"a", b",", b"9", b" "]) * draw.choice([5_000, 200_000]) + data[at:]


def _line_ends(draw: random.Random, data: bytes) -> bytes:
    return b"".join(draw.choice([b"\n", b"\r\n", b"\r", b"\n\n"]) if c == 10 else bytes([c]) for c in data)


def _encode(draw: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(
        draw.choice(["utf-16", "utf-16-le", "utf-32", "latin-1", "cp1254", "utf-8-sig"]), "replace"
    )


def _word(draw: random.Random, data: bytes) -> bytes:
    """A value of another kind where a quoted word stands."""
    found = list(re.finditer(rb'"[^"\n]*"', data))
    if not found:
        return data
    one = draw.choice(found)
    other = draw.choice([b"null", b"[]", b"{}", b"5", b'""', b'"x"', b"-1.5", draw.choice(found)[0]])
    return data[: one.start()] + other + data[one.end() :]


MUTATIONS: list[Mutation] = [
    _flip,
    _truncate,
    _cut,
    _double,
    _double_line,
    _swap_lines,
    _insert,
    _number,
    _nest,
    _long_line,
    _line_ends,
    _encode,
    _word,
]
