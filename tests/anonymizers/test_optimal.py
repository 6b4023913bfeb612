"""The optimal search against brute force over every node, and against the optima that ARX publishes for Adult."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from pathlib import Path
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers import optimal
from lookalike.anonymizers.optimal import searching
from lookalike.anonymizers.optimal.branching import Branching
from lookalike.anonymizers.optimal.lattice import MEASURES, GeneralisationLattice
from lookalike.anonymizers.optimal.neighbourhoods import Neighbourhoods
from lookalike.anonymizers.optimal.parts import Whole
from lookalike.base.errors import GuaranteeError, RequestError, percent
from lookalike.models import (
    AlphaK,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DirectionalDiversity,
    KAnonymity,
    KLCloseness,
    KMap,
    LDiversity,
    Model,
    SampleUniqueness,
    TCloseness,
)
from lookalike.tables.cells import Cells
from lookalike.tables.hierarchies import Hierarchy
from lookalike.tables.table import Table

TREES = {
    "x": [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]],
    "y": [["0", "low", "all"], ["1", "low", "all"], ["2", "high", "all"]],
    "z": [["m", "*"], ["w", "*"]],
    "s": [["flu", "lung", "any"], ["cold", "lung", "any"], ["ulcer", "gut", "any"], ["colic", "gut", "any"]],
}
VALUES = {name: [row[0] for row in rows] for name, rows in TREES.items()}
MODELS: list[list[Model]] = [
    [KAnonymity(2)],
    [KAnonymity(3)],
    [KAnonymity(2), LDiversity("s", 2)],
    [LDiversity("s", 2, "entropy")],
    [LDiversity("s", 2.5, "entropy")],
    [LDiversity("s", 3, "recursive", 1.0)],
    [LDiversity("s", 1, "recursive", 0.6)],
    [KAnonymity(2), LDiversity("s", 2, "recursive", 2.0)],
    [TCloseness("s", 0.4, "equal")],
    [KAnonymity(2), TCloseness("s", 0.3, "hierarchical")],
    [TCloseness("s", 0.25, "ordered"), KAnonymity(2)],
    [AlphaK("s", 0.6, 2)],
    [AlphaK("s", 0.4, 1, "flu")],
    [BetaLikeness("s", 1.0)],
    [BetaLikeness("s", 0.5, enhanced=False), KAnonymity(2)],
    [DeltaDisclosure("s", 1.5)],
    [KLCloseness("s", 0.4)],
    [DirectionalDiversity("s", "flu")],
    [KMap(3, sampling_fraction=0.5, significance=0.3)],
    [AverageRisk(0.4)],
    [AverageRisk(0.15)],
    [SampleUniqueness(0.1)],
    [SampleUniqueness(0.0), AverageRisk(0.3)],
    [TCloseness("s", 0.4, "equal"), SampleUniqueness(0.2)],
    [KAnonymity(2), AverageRisk(0.34), LDiversity("s", 2)],
    [LDiversity("s", 2, strict=True), LDiversity("u", 2), KAnonymity(2)],
    [TCloseness("s", 0.5, "equal", strict=True), TCloseness("u", 0.3)],
]


def cells_of(rows: list[tuple[str, str, str, str, str]], *, unit: list[int] | None = None) -> Cells:
    return people_of(rows, unit=unit).cells()


def people_of(rows: list[tuple[str, str, str, str, str]], *, unit: list[int] | None = None) -> Table:
    frame = pl.DataFrame(rows, schema=["x", "y", "z", "s", "u"], orient="row")
    if unit is not None:
        frame = frame.with_columns(pl.Series("person", unit[: len(rows)]))
    return la.table(
        frame,
        quasi=["x", "y", "z"],
        sensitive=["s", "u"],
        hierarchies={name: Hierarchy.rows(tree) for name, tree in TREES.items()},
        unit=None if unit is None else "person",
        types={"y": "nominal"},
        others=[],
    )


rows_of = st.lists(
    st.tuples(*(st.sampled_from(VALUES[name]) for name in ("x", "y", "z", "s")), st.sampled_from("pq")),
    min_size=1,
    max_size=24,
)


def all_nodes(lattice: GeneralisationLattice) -> list[tuple[int, ...]]:
    spans = [range(low, high + 1) for low, high in zip(lattice.low, lattice.high, strict=True)]
    return list(itertools.product(*spans))


def lattice_of(cells: Cells, models: list[Model], **asked: object) -> GeneralisationLattice:
    options = {"suppression": 0.0, "loss": "loss", "weights": None, "min_levels": None, "max_levels": None}
    return GeneralisationLattice(cells, models, **{**options, **asked})  # type: ignore[arg-type]


def compare_with_brute_force(cells: Cells, models: list[Model], **asked: object) -> None:
    lattice = lattice_of(cells, models, **asked)
    best = min(lattice.evaluate(node).loss for node in all_nodes(lattice))
    if math.isinf(best):
        with pytest.raises(GuaranteeError):
            optimal.search(cells, models, **asked)  # type: ignore[arg-type]
        return
    for large in (searching.LARGE, 0):  # in one walk, and from neighbourhoods and parts
        with mock.patch.object(searching, "LARGE", large):
            found = optimal.search(cells, models, **asked)  # type: ignore[arg-type]
        compare_with_known(found, lattice, best)


def compare_with_known(found: optimal.OptimalSearch, lattice: GeneralisationLattice, best: float) -> None:
    judged = lattice.evaluate(found.levels)
    assert found.loss == pytest.approx(best, abs=1e-9)
    assert judged.loss == pytest.approx(best, abs=1e-9)
    assert (judged.suppressed == found.suppressed).all()
    assert found.proven_optimal
    assert found.bound == pytest.approx(found.loss)
    for other in found.alternatives:
        again = lattice.evaluate(other.levels)
        assert (again.loss, again.records) == (pytest.approx(other.loss, abs=1e-9), other.suppressed)
    losses = [other.loss for other in found.alternatives]
    assert losses == sorted(losses)
    assert len({other.levels for other in found.alternatives}) == len(found.alternatives)


@pytest.mark.parametrize("models", MODELS, ids=lambda models: " + ".join(map(str, models)))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=rows_of, suppression=st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]))
def test_no_node_loses_less(models: list[Model], rows: list, suppression: float) -> None:
    compare_with_brute_force(cells_of(rows), models, suppression=suppression)


@pytest.mark.parametrize("loss", MEASURES)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    suppression=st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    models=st.sampled_from([MODELS[0], MODELS[2], MODELS[5], MODELS[8]]),
    weights=st.none() | st.fixed_dictionaries({"x": st.sampled_from([0.0, 0.5, 4.0]), "z": st.just(2.0)}),
    low=st.integers(0, 2),
    high=st.integers(1, 2),
)
@example(
    rows=[("a", "0", "m", "flu", "p")] * 3, suppression=0.0, models=MODELS[0], weights=None, low=0, high=2
)
def test_no_node_loses_less_by_any_measure_weights_and_levels(
    loss: str, rows: list, suppression: float, models: list[Model], weights: dict | None, low: int, high: int
) -> None:
    compare_with_brute_force(
        cells_of(rows),
        models,
        suppression=suppression,
        loss=loss,
        weights=weights,
        min_levels={"x": low},
        max_levels={"y": high},
    )


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    unit=st.lists(st.integers(0, 6), min_size=24, max_size=24),
    models=st.sampled_from(MODELS),
    suppression=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_no_node_loses_less_when_people_have_several_rows(
    rows: list, unit: list[int], models: list[Model], suppression: float
) -> None:
    compare_with_brute_force(cells_of(rows, unit=unit), models, suppression=suppression)


@settings(max_examples=150, deadline=None)
@given(
    rows=rows_of,
    k=st.integers(1, 4),
    distinct=st.integers(1, 3),
    t=st.sampled_from([0.2, 0.4, 1.0]),
    suppression=st.sampled_from([0.0, 0.25, 1.0]),
)
def test_an_independent_checker_finds_the_same_loss_and_every_promise_kept(
    rows: list, k: int, distinct: int, t: float, suppression: float
) -> None:
    """Written from the definitions, on strings, without a line of the library."""
    models = [KAnonymity(k), LDiversity("s", distinct), TCloseness("s", t, "equal")]
    n, overall = len(rows), Counter(row[3] for row in rows)
    parents = {name: {row[0]: row for row in tree} for name, tree in TREES.items()}
    leaves = {name: len(tree) for name, tree in TREES.items()}

    def judge(levels: tuple[int, ...]) -> float:
        classes = defaultdict(list)
        for row in rows:
            classes[tuple(parents[a][v][i] for a, v, i in zip("xyz", row[:3], levels, strict=True))].append(
                row
            )
        lost, gone = 0.0, 0
        for label, members in classes.items():
            seen = Counter(row[3] for row in members)
            away = sum(abs(seen[v] / len(members) - overall[v] / n) for v in overall) / 2
            if len(members) < k or len(seen) < distinct or away > t + 1e-9:
                gone += len(members)
                continue
            for name, level, text in zip("xyz", levels, label, strict=True):
                under = sum(row[level] == text for row in TREES[name])
                lost += len(members) * (under - 1) / (leaves[name] - 1) / 3
        return math.inf if gone == n or gone > suppression * n + 1e-9 else (lost + gone) / n

    best = min(judge(levels) for levels in itertools.product(range(3), range(3), range(2)))
    if math.isinf(best):
        with pytest.raises(GuaranteeError):
            optimal.search(cells_of(rows), models, suppression=suppression)
    else:
        found = optimal.search(cells_of(rows), models, suppression=suppression)
        assert found.loss == pytest.approx(best)
        assert judge(found.levels) == pytest.approx(best)


def test_the_best_nodes_seen_are_listed_with_their_losses() -> None:
    rows = [(x, y, z, "flu", "p") for x in "aabbcd" for y in "012" for z in "mw"]
    found = optimal.search(cells_of(rows), [KAnonymity(3)], suppression=0.2, alternatives=4)
    assert 2 <= len(found.alternatives) <= 4
    assert found.alternatives[0].levels == found.levels
    assert found.to_dict()["alternatives"][0]["loss"] == pytest.approx(found.loss)


def test_a_suppressed_class_goes_as_a_whole_and_counts_as_lost() -> None:
    rows = [("a", "0", "m", "flu", "p")] * 5 + [("c", "0", "m", "flu", "p")]
    cells = cells_of(rows)
    found = optimal.search(cells, [KAnonymity(5)], suppression=0.2)
    assert found.levels == (0, 0, 0)
    assert int(cells.records[found.suppressed].sum()) == 1
    assert found.loss == pytest.approx(1 / 6)


def test_min_and_max_levels_are_kept() -> None:
    rows = [(x, y, "m", "flu", "p") for x in "abcd" for y in "012"] * 3
    free = optimal.search(cells_of(rows), [KAnonymity(3)])
    assert free.levels == (0, 0, 0)
    held = optimal.search(cells_of(rows), [KAnonymity(3)], min_levels={"x": 1}, max_levels={"y": 1})
    assert held.levels == (1, 0, 0)


def test_a_weight_moves_the_loss_to_other_columns() -> None:
    rows = [(x, y, "m", "flu", "p") for x in "abcd" for y in "012"]
    for dear, levels in (("x", (0, 2, 0)), ("y", (2, 0, 0))):
        found = optimal.search(cells_of(rows), [KAnonymity(3)], weights={dear: 50, "z": 0})
        assert found.levels[:2] == levels[:2]


@pytest.mark.parametrize(
    ("models", "asked", "said"),
    [
        ([KAnonymity(9)], {"max_levels": {"x": 1, "y": 1, "z": 0}}, "k=2"),
        ([KAnonymity(50)], {}, "largest reachable k is 12"),
        ([LDiversity("s", 3)], {}, "largest reachable l is 1"),
        ([TCloseness("s", 0.0, "equal")], {"max_levels": {"x": 0}}, None),
    ],
)
def test_what_cannot_be_met_is_refused_with_what_can(
    models: list[Model], asked: dict, said: str | None
) -> None:
    rows = [(x, y, z, "flu", "p") for x in "abcd" for y in "012" for z in "m"]
    if said is None:
        rows = [("a", "0", "m", "flu", "p"), ("b", "0", "m", "cold", "p")]
    with pytest.raises(GuaranteeError, match=said):
        optimal.search(cells_of(rows), models, **asked)


def test_suppressing_everybody_is_no_release() -> None:
    rows = [("a", "0", "m", "flu", "p"), ("c", "2", "w", "cold", "p")]
    with pytest.raises(GuaranteeError):
        optimal.search(cells_of(rows), [KAnonymity(2)], suppression=1.0, max_levels={"x": 0})


@pytest.mark.parametrize(
    "asked",
    [
        {"loss": "happiness"},
        {"suppression": 1.5},
        {"weights": {"x": -1.0}},
        {"weights": {"x": 0.0, "y": 0.0, "z": 0.0}},
        {"weights": {"nobody": 1.0}},
        {"max_levels": {"x": 7}},
        {"min_levels": {"x": 2}, "max_levels": {"x": 1}},
        {"min_levels": {"nobody": 1}},
        {"seconds": 0},
    ],
)
def test_wrong_requests_are_refused(asked: dict) -> None:
    with pytest.raises(RequestError):
        optimal.search(cells_of([("a", "0", "m", "flu", "p")] * 3), [KAnonymity(2)], **asked)


def test_missing_values_and_unicode_are_values_like_others() -> None:
    frame = pl.DataFrame(
        {"x": ["ä", None, "ß", None, "ä", "ß", None, "ä"], "n": [1, 1, None, None, 2, 2, 2, 1]}
    )
    people = la.table(frame, quasi=["x", "n"])
    found = optimal.search(people.cells(), [KAnonymity(2)], suppression=0.25)
    kept = ~found.suppressed
    classes = people.cells().roll_up(found.levels)
    assert classes.records[np.unique(classes.of_cell[kept])].min() >= 2


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    rows = [(*(rng.choice(VALUES[name]) for name in ("x", "y", "z", "s")), "p") for _ in range(60)]
    models = [KAnonymity(3), TCloseness("s", 0.4, "equal")]
    one = optimal.search(cells_of(rows), models, suppression=0.3)
    two = optimal.search(cells_of(rows[::-1]), models, suppression=0.3)
    assert (one.levels, one.loss) == (two.levels, pytest.approx(two.loss))


def many_columns(rows: int, columns: int) -> Cells:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i:02}": rng.binomial(8, 0.3, rows) for i in range(columns)})
    trees = {name: Hierarchy.intervals(2, 4) for name in frame.columns}
    return la.table(frame, quasi=frame.columns, hierarchies=trees).cells()


def test_a_search_out_of_time_says_how_far_it_may_be_from_the_optimum() -> None:
    cells = many_columns(400, 20)
    told: list[optimal.Standing] = []
    found = optimal.search(cells, [KAnonymity(5)], suppression=0.1, seconds=1.0, progress=told.append)
    assert not found.proven_optimal
    assert 0 <= found.bound < found.loss < 1
    assert found.nodes == 4**20
    assert told
    assert told[-1].loss >= found.loss - 1e-9
    assert all(0 <= share <= 1 for share in told)
    lattice = lattice_of(cells, [KAnonymity(5)], suppression=0.1)
    assert lattice.evaluate(found.levels).loss == pytest.approx(found.loss)


@pytest.mark.parametrize("suppression", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("hurry", [True, False])
def test_parts_of_the_columns_bound_the_loss_and_come_to_the_optimum(suppression: float, hurry: bool) -> None:
    lattice = lattice_of(many_columns(150, 6), [KAnonymity(4)], suppression=suppression)
    best = optimal.search(lattice.cells, lattice.models, suppression=suppression).loss
    whole = Whole(Branching(lattice, alternatives=1), hurry=hurry)
    bounds = [whole.least]
    while not whole.done():
        whole.step()
        bounds.append(whole.least)
        assert sum(half.least for half in whole.halves) <= whole.least
    assert bounds == sorted(bounds)
    assert max(bounds) == pytest.approx(best, abs=1e-9)
    assert whole.whole.losses[0] == pytest.approx(best, abs=1e-9)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    models=st.sampled_from(MODELS),
    suppression=st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    loss=st.sampled_from(["loss", "ncp", "precision", "entropy"]),
)
def test_some_columns_by_themselves_lose_no_more_than_among_all(
    rows: list, models: list[Model], suppression: float, loss: str
) -> None:
    lattice = lattice_of(cells_of(rows), models, suppression=suppression, loss=loss)
    best = min(lattice.evaluate(node).loss for node in all_nodes(lattice))
    for parts in ([[0], [1, 2]], [[0, 2], [1]], [[0], [1], [2]]):
        lost = 0.0
        for order in parts:
            part = Branching(lattice, alternatives=1, order=order)
            assert part.explore(lambda: True)
            lost += part.losses[0]
        assert lost <= best + 1e-9


def test_many_wide_columns_do_not_fit_into_64_bits_and_still_work() -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({f"c{i}": rng.integers(0, 3000, 800) for i in range(7)})
    trees = {name: Hierarchy.intervals(1000) for name in frame.columns}
    cells = la.table(frame, quasi=frame.columns, hierarchies=trees).cells()
    assert math.prod(cells.sizes) > 2**64
    compare_with_brute_force(cells, [KAnonymity(3)], suppression=0.5)


#: k, share suppressed, loss, records suppressed: the optima ARX 3.9.2 finds on Adult with its hierarchies.
ARX = [
    (2, 0.0, 0.6037, 0),
    (2, 0.02, 0.2194, 573),
    (2, 0.05, 0.1753, 1350),
    (2, 1.0, 0.1665, 2998),
    (5, 0.0, 0.6355, 0),
    (5, 0.02, 0.3575, 506),
    (5, 0.05, 0.2696, 1346),
    (5, 1.0, 0.2277, 2553),
    (10, 0.0, 0.6355, 0),
    (10, 0.02, 0.3857, 592),
    (10, 0.05, 0.3178, 1437),
    (10, 1.0, 0.2677, 3983),
    (100, 0.0, 0.6985, 0),
    (100, 0.02, 0.5634, 506),
    (100, 0.05, 0.5286, 1339),
    (100, 1.0, 0.4189, 5669),
]
ARX_SENSITIVE = [
    (LDiversity("occupation", 3), 0.05, 0.1799, 1400),
    (TCloseness("occupation", 0.2, "equal"), 1.0, 0.6435, 8156),
    (TCloseness("occupation", 0.2, "hierarchical"), 1.0, 0.5439, 7271),
]


def adult(folder: Path, sensitive: list[str]) -> Cells:
    frame = pl.read_csv(folder / "adult_arx" / "adult_arx.csv")
    quasi = [name for name in frame.columns if name not in sensitive]
    trees = folder / "adult_arx" / "hierarchies"
    return la.table(frame, quasi=quasi, sensitive=sensitive, hierarchies=trees).cells()


@pytest.fixture(scope="module")
def all_quasi(shared_data: Path) -> Cells:
    return adult(shared_data, [])


@pytest.fixture(scope="module")
def occupation_sensitive(shared_data: Path) -> Cells:
    return adult(shared_data, ["occupation"])


@pytest.mark.parametrize(("k", "share", "loss", "records"), ARX)
def test_adult_has_the_optima_of_arx(
    all_quasi: Cells, k: int, share: float, loss: float, records: int
) -> None:
    found = optimal.search(all_quasi, [KAnonymity(k)], suppression=share)
    assert found.proven_optimal
    assert found.nodes == 12960
    assert (round(found.loss, 4), int(all_quasi.records[found.suppressed].sum())) == (loss, records)


@pytest.mark.parametrize(("model", "share", "loss", "records"), ARX_SENSITIVE, ids=str)
def test_adult_has_the_optima_of_arx_with_a_sensitive_column(
    occupation_sensitive: Cells, model: Model, share: float, loss: float, records: int
) -> None:
    found = optimal.search(occupation_sensitive, [KAnonymity(5), model], suppression=share)
    gone = int(occupation_sensitive.records[found.suppressed].sum())
    assert (round(found.loss, 4), gone) == (loss, records)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    others=rows_of,
    models=st.sampled_from(
        [
            [KMap(4)],
            [KMap(3), LDiversity("s", 2)],
            [KMap(3), TCloseness("s", 0.4, "equal"), AverageRisk(0.5)],
            [DeltaPresence(0.0, 0.7)],
            [DeltaPresence(0.0, 0.6), LDiversity("s", 2), KMap(3)],
            [DeltaPresence(0.2, 0.9), KAnonymity(2)],
            [DeltaPresence(0.3, 0.8)],
        ]
    ),
    suppression=st.sampled_from([0.0, 0.3, 1.0]),
    loss=st.sampled_from(["loss", "loss", "entropy", "discernibility", "average class size"]),
    unit=st.none() | st.lists(st.integers(0, 6), min_size=24, max_size=24),
)
def test_no_node_loses_less_when_a_population_is_known(
    rows: list, others: list, models: list[Model], suppression: float, loss: str, unit: list[int] | None
) -> None:
    """The population holds everybody of the table, and people whose tuples the table does not have."""
    people = people_of(rows, unit=unit)
    population = pl.DataFrame(rows + others, schema=["x", "y", "z", "s", "u"], orient="row").select(
        "x", "y", "z"
    )
    cells = la.with_population(people, population)
    compare_with_brute_force(cells, models, suppression=suppression, loss=loss)


EACH: list[Model] = [
    KAnonymity(2),
    KMap(4),
    DeltaPresence(0.0, 0.4),
    DeltaPresence(0.0, 0.7),
    DeltaPresence(0.2, 0.9),
    AverageRisk(0.4),
    SampleUniqueness(0.2),
    LDiversity("s", 2),
    LDiversity("s", 2, "entropy"),
    LDiversity("s", 3, "recursive", 1.0),
    TCloseness("s", 0.4, "equal"),
    TCloseness("s", 0.3, "hierarchical"),
    TCloseness("s", 0.25, "ordered"),
    AlphaK("s", 0.6, 2),
    BetaLikeness("s", 1.0),
    DeltaDisclosure("s", 1.5),
    KLCloseness("s", 0.4),
    DirectionalDiversity("s", "flu"),
    LDiversity("u", 2),
    TCloseness("u", 0.3, "equal"),
]


@pytest.mark.parametrize("one", EACH, ids=str)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of,
    others=rows_of,
    other=st.sampled_from(EACH),
    suppression=st.sampled_from([0.0, 0.3, 1.0]),
    loss=st.sampled_from(["loss", "loss", "loss", "entropy", "discernibility"]),
    compared=st.sampled_from(["original", "original", "release"]),
)
def test_no_node_loses_less_in_any_pair_of_models(
    one: Model, other: Model, rows: list, others: list, suppression: float, loss: str, compared: str
) -> None:
    """Where a population is known it also has rows of nobody in the table."""
    rows = [*rows, ("a", "0", "m", "flu", "p")]  # so that the value which harms is there
    people = people_of(rows)
    population = pl.DataFrame(rows + others, schema=["x", "y", "z", "s", "u"], orient="row")
    known = one.needs_population or other.needs_population
    cells = la.with_population(people, population.select("x", "y", "z")) if known else people.cells()
    compare_with_brute_force(cells, [one, other], suppression=suppression, loss=loss, compared=compared)


@pytest.mark.parametrize("suppression", [0.05, 1.0])
def test_neighbourhoods_never_get_worse_and_come_to_the_optimum(suppression: float) -> None:
    """Twelve columns of three levels are half a million nodes; what is found around good ones is proven elsewhere."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"c{i:02}": rng.binomial(3, 0.1 + 0.05 * i, 300) for i in range(12)})
    tree = Hierarchy.rows([["0", "low", "*"], ["1", "low", "*"], ["2", "high", "*"], ["3", "high", "*"]])
    table = la.table(
        frame.cast(pl.String), quasi=frame.columns, hierarchies=dict.fromkeys(frame.columns, tree)
    )
    models: list[Model] = [KAnonymity(10)]
    branching = Branching(lattice_of(table.cells(), models, suppression=suppression), alternatives=1)
    around = Neighbourhoods(branching)
    losses = [float(branching.losses[0])]
    for _ in range(150):
        around.step(lambda: True)
        losses.append(float(branching.losses[0]))
    assert losses == sorted(losses, reverse=True)
    found = optimal.search(table.cells(), models, suppression=suppression)
    assert found.nodes == 3**12
    assert found.proven_optimal
    assert losses[-1] == pytest.approx(found.loss, abs=1e-9)


def test_with_too_many_columns_one_is_told_what_to_do_instead() -> None:
    cells = many_columns(300, 22)
    found = optimal.search(cells, [KAnonymity(5)], suppression=0.1, seconds=0.5)
    told = optimal.instead(cells, found)
    assert told is not None
    assert "Local recoding" in told
    gone = [a.name for a, level in zip(cells.attributes, found.levels, strict=True) if level == a.tree.height]
    assert all(name in told for name in gone[:3])
    few = many_columns(300, 6)
    assert optimal.instead(few, optimal.search(few, [KAnonymity(5)])) is None


def test_what_the_other_columns_would_lose_is_counted_on_the_same_levels() -> None:
    cells = many_columns(300, 22)
    found = optimal.search(cells, [KAnonymity(5)], suppression=0.1, seconds=0.5)
    kept = cells.records * ~found.suppressed
    lost = [
        a.tree.loss(level)[a.tree.up[level]][cells.codes[i]] @ kept + cells.records[found.suppressed].sum()
        for i, (a, level) in enumerate(zip(cells.attributes, found.levels, strict=True))
        if level < a.tree.height
    ]
    told = optimal.instead(cells, found)
    assert told is not None
    assert f"would lose {percent(sum(lost) / len(lost) / cells.records.sum())} of" in told
