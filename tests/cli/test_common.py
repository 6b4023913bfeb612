"""What commands share: lists and pairs as one argument, JSON that every reader accepts."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

import lookalike as la
from lookalike.base.errors import amount
from lookalike.base.printing import to_json
from lookalike.cli._typed import split_marked, split_names, split_pairs


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("age", ["age"]),
        ("age,sex,zip", ["age", "sex", "zip"]),
        (" age , sex,", ["age", "sex"]),
        ('"income, gross",sex', ["income, gross", "sex"]),
        ("größe,年齢", ["größe", "年齢"]),
        ("", []),
        (None, []),
    ],
)
def test_names_are_split_at_commas_outside_quotes(text: str | None, names: list[str]) -> None:
    assert split_names(text) == names


def test_pairs_are_names_and_numbers() -> None:
    assert split_pairs("age=2, zip=0.5,a=b=1e3", option="--weights") == {"age": 2, "zip": 0.5, "a=b": 1000}
    assert split_pairs(None, option="--weights") == {}


@pytest.mark.parametrize(
    "text", ["age", "age=", "=2", "age=two", "age=nan", "age=inf", "age=2:mark", "age=2,zip"]
)
def test_a_wrong_pair_names_the_option(text: str) -> None:
    with pytest.raises(la.RequestError, match="--weights: expected name=number"):
        split_pairs(text, option="--weights")


def test_a_number_may_carry_one_of_the_known_marks() -> None:
    found = split_marked("a:b=0.2:near, c=1", option="-t", marks=("near", "far"))
    assert found == {"a:b": (0.2, "near"), "c": (1, None)}
    with pytest.raises(la.RequestError, match="with one of :near, :far where wanted; 'c=1:x'"):
        split_marked("c=1:x", option="-t", marks=("near", "far"))


def test_counted_things_are_singular_or_plural_with_thousands_apart() -> None:
    assert [amount(n, "record") for n in (0, 1, 2, 1234)] == [
        "0 records",
        "1 record",
        "2 records",
        "1,234 records",
    ]
    assert [amount(n, "person", "people") for n in (1, 3)] == ["1 person", "3 people"]


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(la.RequestError, match="'age' is given twice"):
        split_pairs("age=1,age=2", option="--weights")


def test_json_holds_results_numpy_numbers_and_no_nan() -> None:
    @dataclass(frozen=True)
    class Result:
        k: np.int64

        def to_dict(self) -> dict[str, object]:
            return {"k": self.k, "loss": float("nan"), "sizes": np.array([1.5, np.inf]), 3: (True, None, "ü")}

    assert json.loads(to_json({"risk": Result(np.int64(5))})) == {
        "risk": {"k": 5, "loss": None, "sizes": [1.5, None], "3": [True, None, "ü"]}
    }
