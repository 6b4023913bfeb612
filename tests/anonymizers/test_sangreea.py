"""SaNGreeA: the worked example to the digit, and the same classes as the quadratic algorithm on random tables."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers.sangreea import cluster
from lookalike.base.errors import ColumnError, GuaranteeError, RequestError

WORK = {"NonGov": ["Private", "Self"], "Gov": ["State", "Federal"]}


def five():
    rows = pl.DataFrame(
        {"age": [20, 30, 21, 60, 50], "work": ["Private", "Private", "Self", "State", "Federal"]}
    )
    return la.table(rows, quasi=["age", "work"], hierarchies={"work": WORK}).cells()


def members(found):
    return [np.flatnonzero(found.of_row == c).tolist() for c in range(found.classes)]


# ---------------------------------------------------------------- the quadratic algorithm, as the paper has it


class Plain:
    """SaNGreeA on values, row by row, without rounding; `trace` holds what every pick saw."""

    def __init__(self, cells, weights, ranges):
        self.rows = [tuple(int(c) for c in cells.codes[:, cell]) for cell in cells.of_row.tolist()]
        self.attributes, self.weights, self.ranges = cells.attributes, weights, ranges
        self.trace = []

    def loss(self, a, group):
        attribute = self.attributes[a]
        codes = {self.rows[i][a] for i in group}
        if attribute.name in self.ranges:
            numbers = [attribute.domain.numbers[c] for c in codes]
            missing = [x for x in numbers if math.isnan(x)]
            known = [x for x in numbers if not math.isnan(x)]
            if missing and known:
                return Fraction(1)
            full = attribute.domain.values
            width = Fraction(float(full[-1] - full[0])) if len(full) else Fraction(0)
            return Fraction(max(known) - min(known)) / width if known and width > 0 else Fraction(0)
        tree = attribute.tree
        some = next(iter(codes))
        level = next(z for z in range(tree.height + 1) if len({int(tree.up[z][c]) for c in codes}) == 1)
        return Fraction(int(tree.heights[level][tree.up[level][some]]), max(int(tree.heights[-1].max()), 1))

    def weighted(self, group):
        return sum(Fraction(w) * self.loss(a, group) for a, w in enumerate(self.weights))

    def run(self, k, order, pick=None):
        left = set(range(len(self.rows)))
        classes = []
        seeds = iter(order)
        while len(left) >= k:
            seed = next(i for i in seeds if i in left)
            group = [seed]
            left.discard(seed)
            if pick:
                pick.remove(seed)
            while len(group) < k:
                looked = sorted(left) if pick is None else sorted(pick.sample())
                losses = {i: self.weighted([*group, i]) for i in looked}
                best = min(looked, key=lambda i: (losses[i], i))
                self.trace.append((tuple(group), {i: (len(group) + 1) * x for i, x in losses.items()}, best))
                group.append(best)
                left.discard(best)
                if pick:
                    pick.remove(best)
            classes.append(group)
        for x in sorted(left):
            rises = [self.weighted([*g, x]) * (len(g) + 1) - self.weighted(g) * len(g) for g in classes]
            self.trace.append((x, rises, rises.index(min(rises))))
            classes[rises.index(min(rises))].append(x)
        return [sorted(g) for g in classes]


class Sampler:
    """The candidate samples of the kernel, in plain Python."""

    def __init__(self, n, candidates, seed):
        self.pool, self.candidates, self.state = list(range(n)), candidates, 2 * seed + 1

    def draw(self, n):
        x, mask = self.state, 2**64 - 1
        x ^= x >> 12
        x ^= (x << 25) & mask
        x ^= x >> 27
        self.state = x
        return ((x * 2685821657736338717 & mask) >> 33) % n

    def remove(self, row):
        at = self.pool.index(row)
        self.pool[at] = self.pool[-1]
        self.pool.pop()

    def sample(self):
        size = min(self.candidates, len(self.pool))
        for j in range(size):
            other = j + self.draw(len(self.pool) - j)
            self.pool[j], self.pool[other] = self.pool[other], self.pool[j]
        return self.pool[:size]


# ---------------------------------------------------------------- known answers


@pytest.mark.parametrize(
    ("k", "weights", "classes", "gil", "ngil", "weighted"),
    [
        (2, (0.5, 0.5), [[0, 1], [2, 3, 4]], 6.425, 0.6425, 3.2125),
        (2, (0.9, 0.1), [[0, 2], [1, 3, 4]], 6.3, 0.63, 2.47),
        (3, (0.5, 0.5), [[0, 1, 2, 3, 4]], 10.0, 1.0, 5.0),
        (5, (0.5, 0.5), [[0, 1, 2, 3, 4]], 10.0, 1.0, 5.0),
    ],
)
def test_the_worked_example_comes_out_to_the_digit(k, weights, classes, gil, ngil, weighted):
    found = cluster(five(), k=k, weights=dict(zip(("age", "work"), weights, strict=True)), order=range(5))
    assert members(found) == classes
    assert (found.gil, found.ngil, found.gil_weighted) == pytest.approx((gil, ngil, weighted), abs=1e-12)


def exactly(printed):
    return {row: Fraction(text) for row, text in printed.items()}


def test_every_pick_of_the_worked_example_saw_the_printed_losses():
    plain = Plain(five(), (0.5, 0.5), {"age"})
    plain.run(2, range(5))
    first, second, leftover = plain.trace
    assert first[1] == exactly({1: "0.25", 2: "0.525", 3: "2", 4: "1.75"})
    assert second[1] == exactly({3: "1.975", 4: "1.725"})
    assert leftover[1] == [Fraction("2.75"), Fraction("1.2375")]
    plain = Plain(five(), ("0.9", "0.1"), {"age"})
    plain.run(2, range(5))
    assert plain.trace[0][1] == exactly({1: "0.45", 2: "0.145", 3: "2", 4: "1.55"})
    assert plain.trace[2][1] == [Fraction("2.855"), Fraction("1.225")]


# ---------------------------------------------------------------- random tables

ages = st.one_of(st.none(), st.integers(20, 26))
jobs = st.sampled_from(["Private", "Self", "State", "Federal", None])
towns = st.sampled_from(["Ω", "b", "c"])
tables = st.lists(st.tuples(ages, jobs, towns), min_size=2, max_size=24)


def cells_of(rows, *, interval_hierarchy=False):
    frame = pl.DataFrame(rows, schema={"age": pl.Int64, "work": pl.String, "town": pl.String}, orient="row")
    hierarchies = {"work": WORK}
    if interval_hierarchy:
        hierarchies["age"] = la.Hierarchy.intervals(2, 4)
    return la.table(frame, quasi=["age", "work", "town"], hierarchies=hierarchies).cells()


@settings(max_examples=150, deadline=None)
@given(
    rows=tables,
    k=st.integers(1, 6),
    weights=st.tuples(*[st.sampled_from([0, 1, 2.5, 7])] * 2, st.sampled_from([0.5, 1, 3])),
    by_interval=st.booleans(),
    seed=st.integers(0, 5),
)
def test_the_classes_are_those_of_the_quadratic_algorithm(rows, k, weights, by_interval, seed):
    cells = cells_of(rows, interval_hierarchy=by_interval)
    k = min(k, len(rows))
    ranges = set() if by_interval or all(r[0] is None for r in rows) else {"age"}
    order = np.random.default_rng(seed).permutation(len(rows))
    found = cluster(
        cells, k=k, weights=dict(zip(cells.names, weights, strict=True)), ranges=ranges, seed=seed
    )
    share = [Fraction(w) / Fraction(sum(weights)) for w in weights]
    plain = Plain(cells, share, ranges)
    expected = plain.run(k, order.tolist())
    assert members(found) == expected
    assert np.bincount(found.of_row).min() >= k
    gil = sum(len(g) * sum(plain.loss(a, g) for a in range(3)) for g in expected)
    assert found.gil == pytest.approx(float(gil))
    assert found.gil_weighted == pytest.approx(float(sum(len(g) * plain.weighted(g) for g in expected)))


@settings(max_examples=60, deadline=None)
@given(rows=tables, k=st.integers(1, 5), candidates=st.integers(1, 9), seed=st.integers(0, 9))
def test_candidate_samples_change_nothing_but_who_is_looked_at(rows, k, candidates, seed):
    cells = cells_of(rows)
    k = min(k, len(rows))
    ranges = set() if all(r[0] is None for r in rows) else {"age"}
    found = cluster(cells, k=k, ranges=ranges, candidates=candidates, seed=seed)
    plain = Plain(cells, [Fraction(1, 3)] * 3, ranges)
    order = np.random.default_rng(seed).permutation(len(rows)).tolist()
    assert members(found) == plain.run(k, order, Sampler(len(rows), candidates, seed))


def test_equal_rows_are_taken_by_position():
    rows = pl.DataFrame({"x": [1, 5, 1, 5, 1, 5]})
    cells = la.table(rows, quasi=["x"]).cells()
    found = cluster(cells, k=2, order=[4])
    assert members(found) == [[0, 4], [1, 3], [2, 5]]


@pytest.mark.parametrize(
    ("columns", "weights", "classes"),
    [
        ({"a": [6, 1, 0, 0, 4], "b": [2, 4, 5, 4, 5]}, (2, 3), [[0, 1], [2, 3, 4]]),  # a tie of growing
        (
            {"a": [2, 1, 2, 1, 3], "b": [1, 0, 5, 4, 1]},
            (1, 1),
            [[0, 2, 4], [1, 3]],
        ),  # a tie of what is left over
    ],
)
def test_rounding_does_not_decide_ties(columns, weights, classes):
    cells = la.table(pl.DataFrame(columns), quasi=["a", "b"]).cells()
    weights = dict(zip("ab", weights, strict=True))
    assert members(cluster(cells, k=2, weights=weights, order=range(5))) == classes
    assert members(cluster(cells, k=2, weights=weights, order=range(5), candidates=5)) == classes


def test_the_same_seed_gives_the_same_classes():
    rows = pl.DataFrame({"x": np.random.default_rng(1).integers(0, 50, 300)})
    cells = la.table(rows, quasi=["x"]).cells()
    assert (cluster(cells, k=7, seed=3).of_row == cluster(cells, k=7, seed=3).of_row).all()


# ---------------------------------------------------------------- beyond k, and refusals


@settings(max_examples=40, deadline=None)
@given(rows=tables, sick=st.data())
def test_further_models_are_kept_by_merging(rows, sick):
    values = sick.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    frame = pl.DataFrame(
        rows, schema={"age": pl.Int64, "work": pl.String, "town": pl.String}, orient="row"
    ).with_columns(ill=pl.Series(values))
    cells = la.table(
        frame, quasi=["age", "work", "town"], sensitive=["ill"], hierarchies={"work": WORK}
    ).cells()
    variety = len(set(values))
    found = cluster(cells, k=2, models=[la.LDiversity("ill", variety)])
    for group in members(found):
        assert len(group) >= 2
        assert len({values[i] for i in group}) == variety


def test_where_people_have_several_rows_k_counts_people():
    frame = pl.DataFrame({"who": list("aaabbbcd"), "x": [1, 1, 1, 1, 2, 2, 9, 9]})
    people = la.table(frame, quasi=["x"], unit="who")
    found = cluster(people.cells(), k=2, unit=people.column("who").codes, order=range(8))
    for group in members(found):
        assert len({frame["who"][i] for i in group}) >= 2


def test_fewer_rows_than_k_are_refused():
    with pytest.raises(GuaranteeError, match="5"):
        cluster(five(), k=6)


def test_as_many_rows_as_k_make_one_class():
    assert cluster(five(), k=5).classes == 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"weights": {"aeg": 1}}, ColumnError),
        ({"weights": {"age": -1}}, RequestError),
        ({"weights": {"age": 0, "work": 0}}, RequestError),
        ({"weights": {"age": float("nan")}}, RequestError),
        ({"order": [0, 0]}, RequestError),
        ({"order": [5]}, RequestError),
        ({"order": ["a"]}, RequestError),
        ({"order": "abc"}, RequestError),
        ({"order": [[0, 1]]}, RequestError),
        ({"order": [[0], [1, 2]]}, RequestError),
        ({"order": [0.5]}, RequestError),
        ({"order": [True]}, RequestError),
        ({"order": 3}, RequestError),
        ({"candidates": 0}, RequestError),
        ({"candidates": 1.5}, RequestError),
        ({"candidates": "x"}, RequestError),
        ({"candidates": float("nan")}, RequestError),
        ({"ranges": ["work"]}, RequestError),
        ({"ranges": ["wrok"]}, ColumnError),
    ],
)
def test_wrong_requests_are_refused(options, error):
    with pytest.raises(error):
        cluster(five(), k=2, **options)


def test_no_seed_row_need_be_named():
    assert members(cluster(five(), k=5, order=[])) == [[0, 1, 2, 3, 4]]


def test_a_refusal_names_each_broken_promise_once():
    rows = pl.DataFrame({"x": [1, 2, 3, 4], "ill": ["flu", "flu", "flu", "cold"]})
    people = la.table(rows, quasi=["x"], sensitive=["ill"])
    broken = la.AlphaK("ill", 0.5, 2)
    with pytest.raises(GuaranteeError) as refused:
        la.anonymize(people, la.KAnonymity(2), broken, broken, method="sangreea")
    assert str(refused.value).startswith(f"{broken} cannot be met")


def test_a_constant_numeric_column_loses_nothing():
    rows = pl.DataFrame({"x": [3, 3, 3, 3], "y": [1, 2, 3, 4]})
    found = cluster(la.table(rows, quasi=["x", "y"]).cells(), k=4)
    assert found.losses.tolist() == [[0.0, 1.0]]
