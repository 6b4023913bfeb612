"""Above the list of attacks stands the one that gains most where nothing is promised."""

from __future__ import annotations

from typing import Any

from lookalike.web.steps.attack import furthest


def attack(title: str, rate: float, **other: Any) -> dict[str, Any]:
    return {"title": title, "rate": rate, "baseline": 0.1, "succeeds": True, "bound": None, **other}


def test_the_attack_that_gains_most_beyond_luck_is_named() -> None:
    common = attack("what most have", 0.99, baseline=0.95)
    found = furthest([common, attack("income", 0.9), attack("town", 0.6)])
    assert found is not None
    assert found["title"] == "income"


def test_what_is_bounded_rare_or_no_better_than_luck_is_not() -> None:
    held = [
        attack("linkage", 0.7, bound=0.8),
        attack("rare", 0.4),
        attack("luck", 0.9, baseline=0.9, succeeds=False),
    ]
    assert furthest(held) is None
