"""Splitting and numbering of delimited text, against Python's own csv module on small random texts."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.kernels import csv as kernel


def split(text: bytes, columns: int) -> tuple[int, tuple[int, int, int], np.ndarray]:
    starts = np.zeros((columns + 1, text.count(b"\n") + 1), dtype=np.int32)
    letters = np.frombuffer(bytearray(text), dtype=np.uint8)
    found, what = kernel.split(
        letters, 0, len(text), ord(","), ord('"'), starts.reshape(-1), 0, starts.shape[1], columns
    )
    return found, what, starts[:, :found]


FIELDS = st.text(alphabet='ab," \n', max_size=4)


@settings(deadline=None)  # the first example compiles
@given(st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=6))
def test_fields_and_codes_are_those_of_python(rows: list[tuple[str, str]]) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    text = out.getvalue().encode()
    records, (what, _, _), starts = split(text, 2)
    assert (records, what) == (len(rows), kernel.FINE)
    letters = np.frombuffer(bytearray(text), dtype=np.uint8)
    for column in range(2):
        begin, end = starts[column], starts[column + 1]
        codes = np.empty(records, dtype=np.int32)
        slots, keys = np.full(32, -1, dtype=np.int32), np.empty((records, 2), dtype=np.uint64)
        firsts = np.empty(records, dtype=np.int32)
        found = kernel.number(letters, begin, end, ord('"'), codes, slots, keys, firsts)
        distinct = list(dict.fromkeys(row[column] for row in rows if row[column]))
        assert found == len(distinct)
        assert codes.tolist() == [distinct.index(r[column]) if r[column] else -1 for r in rows]
        joined = kernel.gather(letters, begin[firsts[:found]], end[firsts[:found]], ord('"'), 0).tobytes()
        assert joined.decode().replace('""', '"') == "\0".join(distinct)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"a,b\nc\n", (kernel.RAGGED, 2, 1)),
        (b'a,b\n\n"c,d\n', (kernel.UNCLOSED, 3, 1)),
        (b'a,b\n"c"d,e\n', (kernel.TRAILING, 2, 1)),
    ],
)
def test_what_went_wrong_is_told_with_line_and_field(text: bytes, problem: tuple[int, int, int]) -> None:
    assert split(text, 2)[1] == problem


def test_empty_lines_are_no_records_and_a_last_delimiter_ends_in_an_empty_field() -> None:
    records, (what, _, _), starts = split(b"a,b\r\n\r\nc,", 2)
    assert (records, what) == (2, kernel.FINE)
    assert starts.T.tolist() == [[0, 2, 5], [7, 9, 10]]


WHOLE = st.integers(-(10**18) + 1, 10**18 - 1).map(str)
ODD = st.sampled_from(["", "0", "-0", "+1", "00", "-", "1.0", "1e3", " 1", "x", "9" * 19, "٣", "1-"])


@settings(deadline=None)
@given(st.lists(st.one_of(WHOLE, WHOLE, ODD), min_size=1, max_size=6), st.booleans())
def test_whole_numbers_are_those_that_python_would_spell_so(fields: list[str], quoted: bool) -> None:
    mark = '"' if quoted else ""
    text = "".join(f"{mark}{field}{mark},.\n" for field in fields).encode()
    starts = split(text, 2)[2]
    numbers = np.zeros(len(fields), dtype=np.int64)
    letters = np.frombuffer(bytearray(text), dtype=np.uint8)
    plain = all(not field or _is_whole(field) for field in fields)
    assert kernel.read_whole(letters, starts[0], starts[1], ord('"'), numbers) == plain
    if plain:
        assert numbers.tolist() == [int(field) if field else kernel.NOTHING for field in fields]


def _is_whole(field: str) -> bool:
    try:
        return str(int(field)) == field and abs(int(field)) < 10**18
    except ValueError:
        return False
