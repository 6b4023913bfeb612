"""A model trained here: it learns a rule, takes values it never saw, and can be explained."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.explanations.trained import train_model


def people(n: int = 400) -> la.Table:
    rng = np.random.default_rng(0)
    age, town = rng.integers(18, 80, n), rng.choice(["Graz", "Linz"], n)
    granted = np.where((age > 40) & (town == "Graz"), "yes", "no")
    frame = pl.DataFrame({"name": [f"p{i}" for i in range(n)], "age": age, "town": town, "granted": granted})
    return la.table(frame, identifiers=["name"], quasi=["age", "town"], targets=["granted"])


def test_it_learns_a_rule_and_never_looks_at_identifiers() -> None:
    table = people()
    model = train_model(table, "granted")
    assert model.feature_names_in_ == ["age", "town"]
    assert (model.predict(table.rows) == table.rows["granted"].to_numpy()).mean() > 0.98


def test_a_value_that_training_never_saw_is_missing_to_it() -> None:
    model = train_model(people(), "granted")
    assert set(model.predict(pl.DataFrame({"age": [50], "town": ["Wien"]}))) <= {"yes", "no"}


def test_its_decisions_can_be_explained() -> None:
    table = people()
    explainer = la.KAnonymousExplainer(train_model(table, "granted"), table, desired="yes", k=5)
    assert explainer.explain({"age": 30, "town": "Graz"}).k >= 5


def test_a_column_with_too_many_outcomes_is_refused() -> None:
    with pytest.raises(la.RequestError, match="2 to 20"):
        train_model(people(), "age")
