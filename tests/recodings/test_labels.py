"""Every label reads back as what it was, and every published value as exactly the values it covers."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.recodings.labels import Range, ValueSet, named_in, read_label
from lookalike.recodings.reading import contents
from lookalike.tables.columns.notation import write_range, write_set, write_value

texts = st.text(min_size=1, max_size=6, alphabet=st.sampled_from('ab ,|{}[]"∅*é…'))
NASTY = ["*", "{a, b}", "a", "b", "a, b", "[a, b]", '"', '"*"', "∅", "a | ∅", "{", "…", "a (level 1)", "< 1"]


@given(st.sets(st.none() | texts, min_size=1, max_size=5), st.booleans())
def test_a_set_reads_back_whatever_its_values_contain(values: set[str | None], others: bool) -> None:
    label = read_label(write_set(sorted(values, key=str), others=others))
    assert isinstance(label, ValueSet)
    assert (set(label.values), label.others) == (values, others)


@given(texts, texts, st.booleans())
def test_a_range_reads_back(lo: str, hi: str, missing: bool) -> None:
    label = read_label(write_range(lo, hi, missing=missing))
    expected = ValueSet((lo,)) if lo == hi and not missing else Range(lo, hi, missing)
    assert label == expected


@given(texts)
def test_a_value_reads_back(value: str) -> None:
    assert read_label(write_value(value)) == ValueSet((value,))


def test_blanks_around_a_value_alone_need_no_quotation_marks() -> None:
    frame = pl.DataFrame({"sex": [" Male", "Female "] * 10, "dx": ["flu", "cold"] * 10})
    release = la.anonymize(la.table(frame, quasi=["sex"], sensitive=["dx"]), la.KAnonymity(5))
    assert set(release.rows["sex"]) == {" Male", "Female "}


@pytest.mark.parametrize(
    "text", ["{a", "{a}", "[a, b", "[a]", '"a', '"a" b', "{a, b} c", "[20, 25)", "{a,, b}"]
)
def test_what_nobody_wrote_is_refused(text: str) -> None:
    with pytest.raises(la.RequestError):
        read_label(text)


@pytest.mark.parametrize("method", ["optimal", "datafly", "local", "mondrian", "sangreea"])
@pytest.mark.parametrize("kind", ["nominal", "ordinal", "groups"])
@settings(max_examples=15, deadline=None)
@given(values=st.lists(st.sampled_from(NASTY), min_size=4, max_size=14), star=st.booleans())
def test_published_values_read_back_as_exactly_the_values_they_cover(
    method: str, kind: str, values: list[str], star: bool
) -> None:
    """By the notation alone where a label is in it, by the hierarchy where it names one of its groups."""
    frame = pl.DataFrame({"q": values, "other": values})
    people = la.table(
        frame,
        quasi=["q"],
        others=["other"],
        types={"q": NASTY} if kind == "ordinal" else {},
        hierarchies={"q": la.Hierarchy.groups({"*": NASTY[:3], "{x}": NASTY[3:]})}
        if kind == "groups"
        else {},
    )
    release = la.anonymize(
        people, la.KAnonymity(2), method=method, suppression=0.5, suppressed="star" if star else "drop"
    )
    domain = people.column("q").domain
    treatment = release.recoding.columns["q"]
    covers: dict[str, set[str]] = {}
    for label, value in release.rows.filter(pl.col("other").is_not_null()).select("q", "other").rows():
        covers.setdefault(label, set()).add(value)
    named = named_in(read_label(label) for label in covers) if kind != "groups" else set()
    meanings = contents(list(covers), domain, treatment)  # type: ignore[arg-type]
    for (label, found), inside in zip(covers.items(), meanings, strict=True):
        behind = {text for text, held in zip(domain.texts, inside, strict=True) if held}
        assert found <= behind
        read = None if kind == "groups" else read_label(label)
        if isinstance(read, Range):
            assert {
                text for text, held in zip(domain.texts, read.matches(domain), strict=True) if held
            } == behind
        elif isinstance(read, ValueSet):
            own = set(read.values) & set(domain.texts)
            others = set(domain.texts) - named if read.others else set()
            assert own <= behind <= own | others
    assert not any(" values}" in label for label in covers)


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
