"""A privacy model says itself all that others must know to offer it: shell, recipe and workbench offer every model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.models import MODELS, Model, register
from lookalike.models.model import Flags, PerClass, Reference
from lookalike.models.parameters import parameter
from lookalike.models.registry import examples, offered, parse_promise
from lookalike.tables.cells import Classes

FILL = {"COLUMN": "income", "NEGATIVE": "low"}


@dataclass(frozen=True)
class AtMost(Model):
    """Every class has at most `people` people."""

    people: int = field(
        metadata=parameter("the most people in a class", first=400, least=1, whole=True, step=1)
    )
    name = "not too many"
    source = "this test"
    monotone = False

    def levels(self, classes: Classes, *, reference: Reference | None = None) -> PerClass:
        return np.where(classes.counts > 0, classes.counts, np.nan).astype(np.float64)

    def keeps(self, levels: PerClass) -> Flags:
        return np.asarray(levels <= self.people)


@pytest.fixture
def added() -> Iterator[type[Model]]:
    register(AtMost)
    yield AtMost
    del MODELS[AtMost.name]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    frame = la.datasets.population(300, seed=0).select("age", "gender", "income")
    path = tmp_path / "people.csv"
    frame.write_csv(path)
    return path


def typed(example: str) -> str:
    for word, value in FILL.items():
        example = example.replace(word, value)
    return example


def test_the_example_of_every_model_is_read_as_that_model() -> None:
    for model, example in zip(offered(), examples(), strict=True):
        made = parse_promise(typed(example))
        assert type(made) is model
        assert eval(model.call(), {"la": la}).name == model.name
        assert model.summary().endswith(".")
        assert all(one.about for one in model.parameters().values())


def test_names_that_are_typed_are_told_apart() -> None:
    names = [model.typed_as() for model in offered()]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() and name == name.lower() for name in names)


def test_bounds_that_a_form_shows_are_those_that_the_model_checks() -> None:
    for model in offered():
        column = {"column": "income"} if model.about_column() else {}
        first = {
            name: "low" if one.first is None else one.first
            for name, one in model.parameters().items()
            if one.required
        }
        for name, one in model.parameters().items():
            if not one.is_number:
                continue
            beyond = [
                one.least - 1,
                *([one.least] if one.above else []),
                *([one.most + 1] if one.most < 1e300 else []),
            ]
            for value in beyond:
                with pytest.raises(la.RequestError, match=f"`{name}`"):
                    model(**{**first, **column, name: value})


def test_a_model_that_is_added_is_offered_by_shell_recipe_and_levels(
    added: type[Model], people: Path, tmp_path: Path
) -> None:
    shell = CliRunner()
    for command in ("anonymize", "choose-k", "interact", "run"):
        shown = " ".join(shell.invoke(app, [command, "--help"]).output.replace("│", " ").split())
        assert "not-too-many=400" in shown
    out = tmp_path / "out"
    said = ["-q", "age,gender", "--others", "income", "-k", "3", "--promise", "not-too-many=290"]
    done = shell.invoke(
        app, ["anonymize", str(people), *said, "--method", "optimal", "-o", str(out), "--json"]
    )
    assert done.exit_code == 0, done.output
    assert (
        "not too many (people=290)" in (out / "certificate.json").read_text()
        or '"people": 290' in (out / "certificate.json").read_text()
    )
    recipe = la.Recipe.load(out / "private" / "recipe.toml", anywhere=True)
    assert AtMost(290) in recipe.promises
    table = la.read(people, quasi=["gender"], others=[])
    assert la.levels(table)["not too many"] >= 100


def test_a_model_that_is_added_is_described_to_the_workbench(added: type[Model], people: Path) -> None:
    pytest.importorskip("nicegui")
    from lookalike.web.state import EMPTY
    from lookalike.web.tasks.running import Cache
    from lookalike.web.tasks.tables import describe

    facts = describe(Cache(), {**EMPTY, "source": {"path": str(people)}}, lambda share: None)
    assert {one["model"] for one in facts["models"]} == set(MODELS)
    mine = next(one for one in facts["models"] if one["model"] == added.name)
    assert mine["summary"] == "Every class has at most `people` people."
    assert mine["parameters"]["people"]["first"] == 400
