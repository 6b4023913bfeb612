"""How numbers are worded in messages and reports."""

from __future__ import annotations

import polars as pl
import pytest

import lookalike as la
from lookalike.base.errors import is_out_of_memory, percent, unknown_column


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0.0%"),
        (1e-9, "under 0.1%"),
        (0.00099, "under 0.1%"),
        (0.001, "0.1%"),
        (0.1234, "12.3%"),
        (0.999, "99.9%"),
        (0.9991, "over 99.9%"),
        (1, "100.0%"),
    ],
)
def test_a_little_is_not_nothing_and_almost_all_is_not_all(share: float, words: str) -> None:
    assert percent(share) == words


def test_a_few_unique_people_among_many_are_not_called_none() -> None:
    people = la.table(pl.DataFrame({"age": [30] * 9_000 + [40, 50, 60]}), quasi=["age"])
    assert "3 (under 0.1%) look like nobody else" in str(la.risk(people))


def _installed(monkeypatch: pytest.MonkeyPatch, origin: str | None, installer: str = "pip") -> str:
    class Copy:
        requires = ("numpy>=1.26", 'scikit-learn>=1.5; extra == "ml"', "scipy>=1.13 ; extra == 'ml'")

        @staticmethod
        def read_text(name: str) -> str | None:
            return {"direct_url.json": origin, "INSTALLER": installer}[name]

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Copy)
    return str(la.MissingExtra("scikit-learn", "ml", "Learning"))


def test_a_missing_part_is_installed_as_this_copy_was(monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = '{"url": "file:///home/me/lookalike", "dir_info": {"editable": true}}'
    assert _installed(monkeypatch, checkout).endswith("python -m pip install -e '/home/me/lookalike[ml]'")
    told = _installed(monkeypatch, None)
    assert told.endswith("python -m pip install 'scikit-learn>=1.5' 'scipy>=1.13'")
    assert "lookalike[" not in told  # that name on an index may be somebody else's
    assert "uv pip install 'scikit-learn>=1.5'" in _installed(monkeypatch, None, "uv")


def test_a_quotation_mark_in_one_name_does_not_hide_the_others() -> None:
    hint = str(unknown_column("agee", ['size "EU"', "age"], "quasi"))
    assert "Did you mean 'age'?" in hint
    quoted = ('"Anna Smith" "1980-02-03"', '"HIV"', 'x"y', 'a "b" "c" d')
    for damaged in ('a","b', '{"a": 1', "12.5", 'x" , "y', *quoted):
        assert "look like data" in str(unknown_column("agee", [damaged, "age"], "quasi"))


def test_a_warning_points_at_the_line_that_called_into_the_package() -> None:
    frame = pl.DataFrame({"age": [31, 32, 71, 72] * 5, "gender": ["f", "m", "f", "m"] * 5})
    with pytest.warns(la.LookalikeWarning) as direct:
        la.table(frame, quasi=["age"])
    with pytest.warns(la.LookalikeWarning) as through_others:
        la.risk(frame)
    assert {warning.filename for warning in (*direct, *through_others)} == {__file__}


@pytest.mark.parametrize(
    ("problem", "little"),
    [
        (MemoryError(), True),
        (pl.exceptions.PanicException("memory allocation of 8 bytes failed"), True),
        (
            pl.exceptions.PanicException(
                'called `Result::unwrap()` on an `Err` value: Os { code: 11, kind: WouldBlock, message: "Resource '
                'temporarily unavailable" }'
            ),
            True,
        ),
        (
            pl.exceptions.PanicException("OS can't spawn worker thread: Resource temporarily unavailable"),
            True,
        ),
        (pl.exceptions.PanicException("index out of bounds"), False),
        (ValueError("memory"), False),
    ],
)
def test_a_panic_for_want_of_memory_is_told_from_others(problem: BaseException, little: bool) -> None:
    assert is_out_of_memory(problem) == little
