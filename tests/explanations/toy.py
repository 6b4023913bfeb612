"""The paper's ten people, its factual instance, and a rule that gives every printed prediction."""

from __future__ import annotations

from typing import Any

import polars as pl

import lookalike as la

FEATURES = ["age", "gender", "city", "salary_k", "relationship"]
NAMES = ["Alfred", "Boris", "Casper", "Derek", "Edward", "Fiona", "Gina", "Hilda", "Ingrid", "Jade"]
TRAIN = pl.DataFrame(
    {
        "name": NAMES,
        "age": [25, 23, 34, 47, 70, 24, 27, 38, 26, 50],
        "gender": list("MMMMMFFFFF"),
        "city": [{"B": "Brussels", "A": "Antwerp"}[c] for c in "BABABAABAB"],
        "salary_k": [50, 40, 30, 100, 90, 60, 80, 60, 60, 100],
        "relationship": [
            "Single", "Separated", "Cohabiting", "Married", "Single",
            "Single", "Married", "Widowed", "Single", "Married",
        ],
        "prediction": [{"R": "Reject", "A": "Accept"}[c] for c in "RRRAAAARRA"],
    }
)  # fmt: skip
LISA = {"age": 21, "gender": "F", "city": "Brussels", "salary_k": 50, "relationship": "Single"}


def decide(frame: Any) -> list[str]:
    """Accept iff salary >= 80, or salary >= 60 and age <= 25."""
    return [
        "Accept" if salary >= 80 or (salary >= 60 and age <= 25) else "Reject"
        for age, salary in zip(frame["age"], frame["salary_k"], strict=True)
    ]


def people(frame: Any = TRAIN, **options: Any) -> la.Table:
    roles: dict[str, Any] = {
        "identifiers": ["name"],
        "quasi": ["age", "gender", "city"],
        "sensitive": ["salary_k", "relationship"],
        "others": ["prediction"],
    }
    return la.table(frame, **{**roles, **options})


def explainer(frame: Any = TRAIN, **options: Any) -> la.KAnonymousExplainer:
    """The paper's form, unless other `values` are asked for."""
    return la.KAnonymousExplainer(
        decide,
        people(frame),
        **{"desired": "Accept", "features": FEATURES, "effort": 0, "values": "exact", **options},
    )


def box(explanation: la.Explanation) -> tuple[str, ...]:
    return tuple(str(side) for side in explanation.box.values())
