"""A model registered in a user's own code is kept by every method, certified, and checked by `verify`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.anonymizers.methods import METHODS
from lookalike.models import MODELS, Model, SensitiveModel, model_from_dict, register
from lookalike.recodings import Recoding


@dataclass(frozen=True)
class SpreadApart(SensitiveModel):
    """The second half of (k, e)-anonymity (Zhang, Koudas, Srivastava and Yu, ICDE 2007): values lie apart."""

    e: float
    name: ClassVar[str] = "values apart"
    source: ClassVar[str] = "Zhang, Koudas, Srivastava and Yu, ICDE 2007"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    holds_for_units: ClassVar[bool] = True
    larger_is_safer: ClassVar[bool] = True

    def measure(self, histogram: Any, people: Any, overall: Any) -> Any:
        numbers = histogram.domain.numbers[histogram.value]
        low, high = np.full(histogram.classes, np.inf), np.full(histogram.classes, -np.inf)
        np.minimum.at(low, histogram.owner, numbers)
        np.maximum.at(high, histogram.owner, numbers)
        return np.where(histogram.totals > 0, high - low, np.nan)

    def keeps(self, levels: Any) -> Any:
        return levels >= self.e


@dataclass(frozen=True)
class CheckedSpread(SpreadApart):
    """The same with a definition of its own for whoever checks a release."""

    name: ClassVar[str] = "values apart, checked"

    @staticmethod
    def definition(parameters: Any, sizes: Any, values: Any) -> tuple[list[int], float]:
        apart = [max(map(float, found)) - min(map(float, found)) for found in values]
        return [i for i, one in enumerate(apart) if one < parameters["e"]], min(apart)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register(SpreadApart)
    register(CheckedSpread)
    yield
    del MODELS[SpreadApart.name], MODELS[CheckedSpread.name]


def people(*, unit: bool = False) -> la.Table:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 240),
            "town": rng.choice(["A", "B", "C", "D"], 240),
            "income": rng.integers(1, 30, 240),
        }
    )
    if unit:
        frame = frame.with_columns(pl.Series("who", np.arange(240) // 2))
    return la.table(frame, quasi=["age", "town"], sensitive=["income"], unit="who" if unit else None)


OPTIONS: dict[str, dict[str, Any]] = {
    "levels": {"levels": {"age": 3, "town": 1}},
    "semantic": {"scales": {"age": "windows:20", "town": "nominal"}, "threshold": 0.5},
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", [SpreadApart("income", 15), CheckedSpread("income", 15)], ids=str)
def test_every_method_keeps_it_and_verify_says_so(method: str, model: Model, tmp_path: Path) -> None:
    release = la.anonymize(
        people(), la.KAnonymity(3), model, method=method, suppression=0.6, **OPTIONS.get(method, {})
    )
    spans = release.rows.group_by("age", "town").agg(span=pl.col("income").max() - pl.col("income").min())
    assert spans["span"].min() >= 15
    assert release.certificate["promise"][1] == model.to_dict()
    assert Recoding.from_dict(release.recoding.to_dict()).models == release.models
    folder = release.save(tmp_path / "out")
    checked = la.verify(folder / "release.csv", folder / "certificate.json")
    found = next(finding for finding in checked.findings if finding.check.startswith(f"{model.name} of"))
    if isinstance(model, CheckedSpread):
        assert found.ok
        assert f"level {spans['span'].min():g}" in found.message
    else:
        assert found.ok is None
        assert "stated, not checked" in found.message


def test_its_definition_finds_a_release_that_breaks_it(tmp_path: Path) -> None:
    folder = la.anonymize(people(), la.KAnonymity(3), CheckedSpread("income", 15)).save(tmp_path / "out")
    rows = pl.read_csv(folder / "release.csv")
    first = rows.row(0, named=True)
    same = (pl.col("age") == first["age"]) & (pl.col("town") == first["town"])
    rows.with_columns(pl.when(same).then(7).otherwise("income").alias("income")).write_csv(
        folder / "release.csv"
    )
    checked = la.verify(folder / "release.csv", folder / "certificate.json")
    assert any(f.check == "values apart, checked of income" and f.ok is False for f in checked.findings)


def test_it_is_kept_for_people_with_several_rows() -> None:
    release = la.anonymize(people(unit=True), la.KAnonymity(3), SpreadApart("income", 15), suppression=0.3)
    spans = release.rows.group_by("age", "town").agg(span=pl.col("income").max() - pl.col("income").min())
    assert spans["span"].min() >= 15


def test_verify_refuses_a_model_it_does_not_know_by_name(tmp_path: Path) -> None:
    folder = la.anonymize(people(), la.KAnonymity(3)).save(tmp_path / "out")
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["promise"].append({"model": "nobody's promise", "e": 3})
    (folder / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(la.FileError, match="nobody's promise"):
        la.verify(folder / "release.csv", folder / "certificate.json")


def test_a_model_read_back_is_the_model_written_down() -> None:
    model = SpreadApart("income", 4.5, strict=True)
    assert model_from_dict(json.loads(json.dumps(model.to_dict()))) == model


def test_what_is_no_model_cannot_be_registered() -> None:
    with pytest.raises(la.RequestError, match="derived from"):
        register(int)  # type: ignore[type-var]

    class Plain(Model):
        name, source, monotone = "plain", "nowhere", True

    with pytest.raises(la.RequestError, match="dataclass"):
        register(Plain)

    @dataclass(frozen=True)
    class Nameless(Model):
        e: float

    with pytest.raises(la.RequestError, match="'name'"):
        register(Nameless)

    @dataclass(frozen=True)
    class Taken(Model):
        k: int
        name: ClassVar[str] = "k-anonymity"
        source: ClassVar[str] = "nowhere"
        monotone: ClassVar[bool] = True

    with pytest.raises(la.RequestError, match="already"):
        register(Taken)
    assert MODELS["k-anonymity"] is la.KAnonymity


def test_nobody_outside_the_room_asks_which_model_it_is() -> None:
    """Constructing a model is fine, telling models apart by their class is not."""
    root = Path(la.__file__).parent
    names = {model.__name__ for model in MODELS.values()} | {"SensitiveModel"}
    strays = [
        f"{path.relative_to(root)}:{number}"
        for path in root.rglob("*.py")
        if path.relative_to(root).parts[0] != "models"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if "isinstance(" in line and any(name in line.split("isinstance(", 1)[1] for name in names)
    ]
    assert strays == []
