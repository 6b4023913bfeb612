"""Records that change places along chains: what is promised stays, the loss never rises."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers.local.shape import shape_cells
from lookalike.kernels.local.boxes import LocalProblem
from lookalike.kernels.local.exchange import exchange

PLACES = [f"{a}{b}" for a in "xy" for b in "123"]


def lay_out(rows: list[tuple], k: int, kinds: list[int] | None = None, variety: int = 1) -> LocalProblem:
    """Ages as ranges, places as nodes under their first letter, colours as sets."""
    frame = pl.DataFrame(
        rows, schema={"age": pl.Int64, "place": pl.String, "colour": pl.String}, orient="row"
    )
    people = la.table(
        frame,
        quasi=frame.columns,
        hierarchies={"place": la.Hierarchy.mask(), "age": la.Hierarchy.intervals(2)},
    )
    shaped = shape_cells(people.cells(), "meaning", None)
    bits = np.uint64(1) << np.array(kinds or [0] * len(rows), dtype=np.uint64)
    return LocalProblem(shaped.shape, shaped.rows, bits, k, variety)


def loss_of(problem: LocalProblem, members: list[int]) -> float:
    """What the members of a class lose together, by the definition of each way to publish."""
    shape, total = problem.shape, 0.0
    for a, style in enumerate(shape.style):
        values = np.unique(problem.rows[members, a])
        if style == 0:
            ranks = shape.rank[values]
            seen = ranks[ranks >= 0]
            missing = len(seen) < len(ranks)
            total += shape.scale[a] * (int(seen.max() - seen.min()) + missing if len(seen) else 0)
        elif style == 1:
            same = (shape.up[:, values] == shape.up[:, values[:1]]).all(axis=1)
            total += shape.cost[int(np.argmax(same)), values[0]]
        else:
            total += shape.scale[a] * (len(values) - 1)
    return total * len(members)


def total_loss(problem: LocalProblem, labels: np.ndarray) -> float:
    return sum(loss_of(problem, np.flatnonzero(labels == c).tolist()) for c in np.unique(labels))


def is_allowed(problem: LocalProblem, labels: np.ndarray) -> bool:
    return all(
        (labels == c).sum() >= problem.k and len(np.unique(problem.kinds[labels == c])) >= problem.variety
        for c in np.unique(labels)
    )


def simple_steps(problem: LocalProblem, labels: np.ndarray):
    """Every labelling that one record's move, or two records changing places, leads to."""
    for i, c in product(range(len(labels)), np.unique(labels)):
        moved = labels.copy()
        moved[i] = c
        if (moved == labels[i]).any() and is_allowed(problem, moved):
            yield moved
    for i, j in product(range(len(labels)), repeat=2):
        swapped = labels.copy()
        swapped[[i, j]] = labels[[j, i]]
        if is_allowed(problem, swapped):
            yield swapped


person = st.tuples(
    st.one_of(st.none(), st.integers(20, 29)),
    st.sampled_from(PLACES),
    st.sampled_from(["red", "blue", "green"]),
)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 2))
def test_the_promise_is_kept_and_the_loss_never_rises(data, k, variety):
    rows = data.draw(st.lists(person, min_size=2 * k, max_size=30))
    kinds = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    problem = lay_out(rows, k, kinds, variety)
    labels = np.array(data.draw(st.permutations(range(len(rows)))), dtype=np.int32) % (len(rows) // k)
    assume(is_allowed(problem, labels))
    before = total_loss(problem, labels)
    exchange(problem, labels, int(labels.max()) + 1)
    assert is_allowed(problem, labels)
    assert total_loss(problem, labels) <= before + 1e-9


def test_chains_lead_at_least_as_far_as_single_moves_and_swaps():
    draw = np.random.default_rng(0)
    ours = theirs = 0.0
    for k in [2, 3] * 12:
        rows = [
            (int(a), str(draw.choice(PLACES)), str(draw.choice(["red", "blue"])))
            for a in draw.integers(20, 30, 9)
        ]
        problem = lay_out(rows, k)
        labels = (draw.permutation(9) % (9 // k)).astype(np.int32)
        simple, loss = labels.copy(), total_loss(problem, labels)
        while True:  # steepest descent
            best = min(simple_steps(problem, simple), key=lambda other: total_loss(problem, other))
            if total_loss(problem, best) >= loss - 1e-9:
                break
            simple, loss = best, total_loss(problem, best)
        theirs += loss
        exchange(problem, labels, 9 // k)
        ours += total_loss(problem, labels)
    assert ours <= theirs + 1e-9


@pytest.mark.parametrize("turn", [1, 2])
def test_three_records_change_places_where_no_two_can(turn):
    # each class has one record that belongs into the next one; any two that swap gain nothing for one of them
    rows = [(20 + 3 * c, f"x{c + 1}", "red") for c in range(3) for _ in range(4)]
    labels = np.repeat(np.arange(3, dtype=np.int32), 4)
    for c in range(3):
        labels[4 * c] = (c + turn) % 3
    problem = lay_out(rows, 4)
    assert total_loss(problem, labels) > 0
    exchange(problem, labels, 3)
    assert total_loss(problem, labels) == 0


def test_a_class_at_k_lends_nobody():
    rows = [(20, "x1", "red")] * 3 + [(21, "x1", "red"), (21, "x1", "red"), (29, "y3", "blue")]
    labels = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    exchange(lay_out(rows, 3), labels, 2)
    assert np.bincount(labels).tolist() == [3, 3]
