"""Each explanation belongs to a different person; even so, every way to tell whose is whose leaves k for each.

All boxes that an explainer could ever show are attacked together. Fewer boxes constrain the attacker's assignment less,
so what holds for all of them holds whoever asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.measures.attacks.explanation_linkage import attack_explanations
from lookalike.recodings.labels import Label


@dataclass(frozen=True)
class Shown:
    """A record and the box it would be shown as."""

    box: dict[str, Label]
    record: int
    values: dict[str, Any] = field(default_factory=dict)


def everything_shown(explainer: la.KAnonymousExplainer) -> list[Shown]:
    """The box of every record that an explanation may start from."""
    records = np.flatnonzero(explainer.trained.candidates)
    explainer.boxes.find(records, progress=False)
    found = [(int(record), explainer.boxes[int(record)]) for record in records]
    return [
        Shown(explainer.space.sides(one.mask, one.level), int(explainer.trained.record[record]))
        for record, one in found
    ]


def left_by_every_assignment(fits: Sequence[set[int]], rows: int) -> list[set[int]]:
    """The rows that each box gets in some assignment of all boxes to different rows, by trying all of them."""
    left: list[set[int]] = [set() for _ in fits]
    for taken in permutations(range(rows), len(fits)):
        if all(row in fit for row, fit in zip(taken, fits, strict=True)):
            for one, row in zip(left, taken, strict=True):
                one.add(row)
    return left


people_rows = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("AB"), st.integers(0, 3)), min_size=4, max_size=8
)


def decide(rows: Any) -> list[int]:
    return [int(pay >= 2) for pay in rows["pay"]]


@settings(max_examples=60, deadline=None)
@given(people_rows, st.sampled_from([2, 3]), st.sampled_from(["all", "desired"]))
def test_every_assignment_of_all_boxes_to_different_rows_leaves_k_candidates(
    rows: list[tuple[Any, ...]], k: int, counted: Any
) -> None:
    frame = pl.DataFrame(rows, schema=["age", "city", "pay"], orient="row")
    people = la.table(frame, quasi=["age", "city"], sensitive=["pay"], types={"city": "nominal"})
    try:
        explainer = la.KAnonymousExplainer(decide, people, k=k, count=counted, effort=0, values="exact")
    except (la.GuaranteeError, la.RequestError):
        return  # one outcome only, or too few people for k: refused
    # who counts only the accepted knows whom the model accepts
    known = [i for i, wanted in enumerate(decide(frame)) if wanted or counted == "all"]
    fits = []
    for shown in everything_shown(explainer):
        inside = np.ones(len(rows), dtype=bool)
        for name, side in shown.box.items():
            column = people.column(name)
            inside &= side.matches(column.domain)[column.codes]
        fits.append({at for at, row in enumerate(known) if inside[row]})
    assert all(len(left) >= k for left in left_by_every_assignment(fits, len(known)))


@pytest.mark.parametrize(("name", "k"), [("German", 2), ("German", 3), ("Adult", 3)])
def test_matching_everything_that_could_be_shown_leaves_k_people_on_public_data(
    name: str, k: int, shared_data: Path
) -> None:
    pytest.importorskip("sklearn")
    from lookalike.papers.cfk.studies import STUDIES, prepare

    experiment = prepare(STUDIES[name], shared_data, most=10, trees=5)
    explainer = la.KAnonymousExplainer(
        experiment.model, experiment.people, k=k, effort=0, iterations=1, values="exact"
    )
    shown = everything_shown(explainer)
    report = attack_explanations(shown, experiment.people)
    assert len(shown) > 300
    assert (report.matched.rate, report.k_min_matched >= k) == (0, True)


def test_where_everybody_who_counts_may_be_shown_k_is_refused() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "pay": [3, 2, 0, 0]})
    people = la.table(frame, quasi=["age"], sensitive=["pay"])
    with pytest.raises(la.GuaranteeError, match="everybody who counts is shown by some explanation"):
        la.KAnonymousExplainer(
            decide, people, k=2, count="desired", native=lambda rows: [0] * len(rows), values="exact"
        )
