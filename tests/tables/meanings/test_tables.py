"""Public tables the recogniser was improved on, and others: what is proposed is right, or a person decides."""

from __future__ import annotations

from collections import Counter

import pytest

import lookalike as la
from tables.meanings.tables import read_tables


@pytest.mark.filterwarnings("ignore:.*only by case")  # as people typed them
@pytest.mark.parametrize(("kind", "right", "proposed"), [("developed", 0.95, 0.85), ("held out", 0.92, 0.65)])
def test_proposals_are_right_and_what_a_person_would_protect_is_not_called_other(
    kind: str, right: float, proposed: float
) -> None:
    answers: Counter[str] = Counter()
    for table in (table for table in read_tables() if table.kind == kind):
        for column in la.inspect(table.frame()).columns:
            role = table.roles[column.name]
            answers["columns"] += 1
            answers["proposed"] += not column.decide
            answers["right"] += not column.decide and column.role == role
            answers["published"] += not column.decide and column.role == "other" != role
    assert answers["right"] >= right * answers["proposed"]
    assert answers["proposed"] >= proposed * answers["columns"]
    assert answers["published"] <= 0.01 * answers["columns"]
