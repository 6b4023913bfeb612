"""Every label reads back as what it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.recodings.labels import Range, ValueSet, read_label, write_range, write_set

texts = st.text(min_size=1, max_size=6, alphabet=st.sampled_from('ab ,|{}[]"∅*é'))


@given(st.sets(st.none() | texts, min_size=1, max_size=5))
def test_a_set_reads_back_whatever_its_values_contain(values: set[str | None]) -> None:
    assert read_label(write_set(sorted(values, key=str))) == ValueSet(frozenset(values))


@given(texts, texts, st.booleans())
def test_a_range_reads_back(lo: str, hi: str, missing: bool) -> None:
    label = read_label(write_range(lo, hi, missing=missing))
    expected = ValueSet(frozenset([lo])) if lo == hi and not missing else Range(lo, hi, missing)
    assert label == expected


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (["Antwerp", "Brussels"], "{Antwerp, Brussels}"),
        (["a, b", "c"], '{"a, b", c}'),
        ([None, "x"], "{∅, x}"),
    ],
)
def test_sets_are_written_as_documented(values: list[str | None], text: str) -> None:
    assert write_set(values) == text


def test_ranges_are_written_as_documented() -> None:
    assert write_range("24", "27") == "[24, 27]"
    assert write_range("24", "24") == "24"
    assert write_range("24", "27", missing=True) == "[24, 27] | ∅"
    assert write_set([None]) is None
    assert read_label("*") is None
