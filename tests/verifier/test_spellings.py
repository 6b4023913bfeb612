"""A release spells values as their columns do, a promise as whoever made it: `verify` passes every honest release."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.models.registry import MODELS, parse_promise

pytestmark = pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")

LARGE = 2**53
VALUES: dict[str, list[Any]] = {
    "whole numbers": [1, 2, 3, 3],
    "whole numbers and gaps": [1, 2, 3, None],
    "whole floats": [1.0, 2.0, 3.0, 10.0],
    "floats": [1.5, 2.0, 1e-9, None],
    "no exact floats": [1 / 3, 0.1 + 0.2, 0.3, 0.3],
    "extreme floats": [5e-324, 1.7e308, -0.0, 0.0],
    "truths": [True, False, True, True],
    "truths and gaps": [True, False, None, True],
    "days": [date(2020, 1, 1), date(2021, 2, 3), date(1999, 12, 31), None],
    "times of day": [
        datetime(2020, 1, 1, 5),
        datetime(2021, 2, 3, 6, 7, 8),
        datetime(1999, 12, 31),
        datetime(2020, 1, 1, 6),
    ],
    "large numbers": [LARGE + 1, LARGE + 2, -LARGE - 1, LARGE + 3],
    "large numbers and gaps": [LARGE + 1, LARGE + 2, LARGE + 3, None],
    "largest numbers": [2**63 - 1, -(2**63), 7, 8],
    "numbers in words": ["3", "3.0", "1e1", "+2"],
    "codes": ["03", "3", "002", "1"],
    "amounts": ["1,000", "$2,000", "3,500", "10"],
    "shares": ["37 %", "4 %", "12 %", "5 %"],
    "days in words": ["31.12.2020", "1.2.2021", "01.02.2021", "5.6.1999"],
    "words": ["a", " a", "*", 'say "∅"'],
    "words and gaps": ["a", "b", "", None],
    "markers": ["?", "1", "2", "NA"],
}


def _decimals(values: Sequence[Any]) -> pl.Series:
    return pl.Series([None if value is None else Decimal(str(value)) for value in values])


FRAMES: dict[str, Callable[[list[Any]], Any]] = {
    "polars": lambda values: pl.Series(values, strict=False),
    "polars decimals": _decimals,
    "pandas": lambda values: pd.Series(values),
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas nullable": lambda values: pd.Series(values, dtype=object).convert_dtypes(),
    "pandas categories": lambda values: pd.Series(values).astype("category"),
    "pandas on arrow": lambda values: pd.Series(values).convert_dtypes(dtype_backend="pyarrow"),
    "narrow floats": lambda values: pl.Series(values, dtype=pl.Float32),
    "pyarrow": pa.array,
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "csv": lambda values: pl.Series(values, strict=False),
    "parquet": lambda values: pl.Series(values, strict=False),
}


def _fits(values: list[Any], frame: str) -> bool:
    numbers = all(type(value) in (int, float, type(None)) for value in values)
    if frame == "polars decimals":
        return numbers and all(value is None or 1e-6 < abs(value) < 1e15 for value in values)
    narrow = any(type(value) is float for value in values) and max(v for v in values if v is not None) < 1e30
    return frame != "narrow floats" or (numbers and narrow)


CASES = [(values, frame) for values in VALUES for frame in FRAMES if _fits(VALUES[values], frame)]


def _table(values: list[Any], frame: str, folder: Path) -> la.Table:
    column = FRAMES[frame](values * 6)
    ages = list(range(20, 20 + len(column)))
    roles: dict[str, Any] = {"quasi": ["age"], "sensitive": ["it"]}
    if isinstance(column, pd.Series):
        return la.table(pd.DataFrame({"age": ages, "it": column}), **roles)
    if isinstance(column, pl.Series):
        rows = pl.DataFrame({"age": ages, "it": column})
        if frame == "csv":
            rows.write_csv(folder / "people.csv")
        elif frame == "parquet":
            rows.write_parquet(folder / "people.parquet")
        else:
            return la.table(rows, **roles)
        return la.read(folder / f"people.{frame}", **roles)
    return la.table(pa.table({"age": ages, "it": column}), **roles)


def _promises(value: Any) -> list[la.Model]:
    """One of each model that speaks about a column."""
    return [
        la.AlphaK("it", 0.9, 2, value=value),
        la.DirectionalDiversity("it", value),
        la.LDiversity("it", 1),
        la.LDiversity("it", 1, kind="entropy"),
        la.TCloseness("it", 0.9),
        la.TCloseness("it", 0.9, distance="ordered"),
        la.TCloseness("it", 0.9, distance="hierarchical"),
        la.KLCloseness("it", 3),
        la.BetaLikeness("it", 8, enhanced=False),
        la.DeltaDisclosure("it", 9),
    ]


def test_every_model_about_a_column_is_among_them() -> None:
    about = {name for name, model in MODELS.items() if model.about_column()}
    assert {model.name for model in _promises(1)} == about


@pytest.mark.parametrize(("values", "frame"), CASES)
def test_an_honest_release_is_verified_however_values_are_spelt(
    values: str, frame: str, tmp_path: Path
) -> None:
    people = _table(VALUES[values], frame, tmp_path)
    texts = people.column("it").domain.texts
    for place, value in enumerate(texts):
        for promises in _promises(value) if place == 0 else _promises(value)[:2]:
            release = la.anonymize(people, la.KAnonymity(4), promises, method="mondrian", suppression=1.0)
            out = release.save(tmp_path / "out", overwrite=True)
            result = la.verify(out / "release.csv", out / "certificate.json")
            assert result.ok, (promises, str(result))


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ("whole numbers", [3, 3.0, "3", "3.0", np.int64(3), np.float32(3), "3e0"]),
        ("whole floats", [3, 3.0, "3", "3.0", np.float64(3)]),
        ("floats", [2, "2", "2.0", 1.5, "1.50", 1e-9, "1e-09", "0.000000001"]),
        ("truths", [True, "true", np.bool_(False), "false"]),
        ("days", [date(2020, 1, 1), "2020-01-01", datetime(2020, 1, 1), np.datetime64("2020-01-01")]),
        ("times of day", [date(2020, 1, 1), "2020-01-01", datetime(2020, 1, 1, 5)]),
        ("large numbers", [LARGE + 1, str(LARGE + 1), np.int64(LARGE + 1)]),
        ("codes", ["03", "3", "002"]),
    ],
)
@pytest.mark.parametrize("frame", ["polars", "pandas", "pandas categories", "csv"])
def test_a_value_may_be_named_as_users_write_it(
    values: str, named: list[Any], frame: str, tmp_path: Path
) -> None:
    people = _table(VALUES[values], frame, tmp_path)
    for value in named:
        promise = la.DirectionalDiversity("it", value)
        release = la.anonymize(people, promise, method="mondrian", suppression=1.0)
        assert 0 < release.achieved["directional diversity it"] < 1, value
        out = release.save(tmp_path / "out", overwrite=True)
        result = la.verify(out / "release.csv", out / "certificate.json")
        assert result.ok, (value, str(result))


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ("large numbers", [float(LARGE + 1), str(LARGE + 4)]),
        ("codes", [3.0, 2, "0003"]),
        ("days", [2020, "2020", "2020-01"]),
        ("truths", [1, "yes"]),
        ("whole numbers", [True, "three", "nan", 4]),
    ],
)
def test_a_value_that_is_none_of_the_column_is_refused(values: str, named: list[Any], tmp_path: Path) -> None:
    people = _table(VALUES[values], "polars", tmp_path)
    for value in named:
        with pytest.raises(la.RequestError, match="has no value"):
            la.anonymize(people, la.DirectionalDiversity("it", value))


def test_a_broken_promise_about_a_value_that_is_spelt_otherwise_is_found(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [1] * 4 + [2] * 4, "it": [3, 3, 1, 2, 3, 1, None, 2]})
    people = la.table(frame, quasi=["age"], sensitive=["it"])
    promise = la.DirectionalDiversity("it", "3")
    out = la.anonymize(people, promise, method="levels", levels={"age": 0}).save(tmp_path / "out")
    certificate = json.loads((out / "certificate.json").read_text())
    assert list(certificate["meanings"]["it"]["named"]) == ["3"]
    rows = pl.read_csv(out / "release.csv", infer_schema=False)
    first = pl.col("age") == rows["age"][0]
    rows.with_columns(it=pl.when(first).then(pl.lit("3.0")).otherwise("it")).write_csv(out / "release.csv")
    findings = la.verify(out / "release.csv", out / "certificate.json").findings
    assert [one.message for one in findings if one.check == "directional diversity of it"] == [
        "1 of 2 classes break it, one at row 1"
    ]


def test_a_value_that_is_typed_stays_the_text_it_is() -> None:
    assert parse_promise("without=007 of ward") == la.DirectionalDiversity("ward", "007")
    assert parse_promise("alpha-k=0.5,k=3,value=1.0 of ward") == la.AlphaK("ward", 0.5, 3, value="1.0")
