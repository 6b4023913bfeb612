"""Who is left out: people go with all their rows, limits count people, and allowing more never gives less.

Checked against brute force on tiny tables, written from the definitions without a line of the library: every choice of
levels, and where a proof is claimed every choice of who goes besides.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la

X = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]
Y = [("0", "*"), ("1", "*"), ("2", "*")]
Row = tuple[str, str, str, int]  # x, y, the sensitive value, the person
ALL = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))

rows_of = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("012"), st.sampled_from("pqr"), st.integers(0, 5)),
    min_size=1,
    max_size=10,
)


def table_of(rows: list[Row], *, unit: bool) -> la.Table:
    return la.table(
        pl.DataFrame(rows, schema=["x", "y", "s", "who"], orient="row"),
        quasi=["x", "y"],
        sensitive=["s"],
        hierarchies={"x": la.Hierarchy.rows(X), "y": la.Hierarchy.rows(Y)},
        types={"y": "nominal"},
        unit="who" if unit else None,
        others=[] if unit else ["who"],
    )


def people_in(rows: list[Row], *, unit: bool) -> list[Row]:
    """Without a unit every row is a person of its own."""
    return rows if unit else [(x, y, s, i) for i, (x, y, s, _) in enumerate(rows)]


def classes_of(rows: list[Row], levels: tuple[int, int]) -> dict[tuple[str, str], list[Row]]:
    up = {row[0]: row for row in X}, {row[0]: row for row in Y}
    out = defaultdict(list)
    for row in rows:
        out[up[0][row[0]][levels[0]], up[1][row[1]][levels[1]]].append(row)
    return out


def spread(rows: list[Row]) -> dict[str, float]:
    """Shares of the values; a person with two values counts for both."""
    counts = Counter(value for value, _ in {(row[2], row[3]) for row in rows})
    return {value: count / sum(counts.values()) for value, count in counts.items()}


def keeps(model: la.Model, members: list[Row], everybody: list[Row]) -> bool:
    here, there = spread(members), spread(everybody)
    match model:
        case la.KAnonymity(k):
            return len({row[3] for row in members}) >= k
        case la.LDiversity(_, least, kind):
            if kind == "distinct":
                return len(here) >= least
            return math.exp(-sum(p * math.log(p) for p in here.values())) >= least - 1e-9
        case la.TCloseness(_, t):
            return sum(abs(here.get(v, 0) - q) for v, q in there.items()) / 2 <= t + 1e-9
        case la.BetaLikeness(_, beta):  # basic
            return all(p / there[v] - 1 <= beta + 1e-9 for v, p in here.items())
    raise AssertionError(model)


def loss_of(rows: list[Row], left: list[Row], levels: tuple[int, int]) -> float:
    lost = [(0, 1 / 3, 1)[levels[0]], (0, 1)[levels[1]]]
    return (len(left) * sum(lost) / 2 + len(rows) - len(left)) / len(rows)


def settled(rows: list[Row], models: list[la.Model], levels: tuple[int, int]) -> list[Row]:
    """What is left when classes that break go, with all rows of their people, until none breaks."""
    left = list(rows)
    while True:
        broken = {
            row[3]
            for members in classes_of(left, levels).values()
            if not all(keeps(model, members, left) for model in models)
            for row in members
        }
        if not broken:
            return left
        left = [row for row in left if row[3] not in broken]


def all_levels() -> Iterator[tuple[int, int]]:
    yield from itertools.product(range(3), range(2))


def best_by_the_rule(rows: list[Row], models: list[la.Model], suppression: float) -> float:
    people, best = len({row[3] for row in rows}), math.inf
    for levels in all_levels():
        left = settled(rows, models, levels)
        gone = people - len({row[3] for row in left})
        if left and gone <= suppression * people + 1e-9:
            best = min(best, loss_of(rows, left, levels))
    return best


def best_of_all(rows: list[Row], models: list[la.Model], suppression: float, *, unit: bool) -> float:
    """Over every choice of levels, and of who stays: of people with all their rows, of classes where nobody has two."""
    people, best = {row[3] for row in rows}, math.inf
    for levels in all_levels():
        groups = [{row[3] for row in members} for members in classes_of(rows, levels).values()]
        groups = [{one} for one in people] if unit else groups
        for stay in range(1, len(groups) + 1):
            for chosen in itertools.combinations(groups, stay):
                left = [row for row in rows if row[3] in set().union(*chosen)]
                gone = len(people) - len({row[3] for row in left})
                loss = loss_of(rows, left, levels)
                if (
                    loss < best
                    and gone <= suppression * len(people) + 1e-9
                    and all(
                        keeps(model, members, left)
                        for members in classes_of(left, levels).values()
                        for model in models
                    )
                ):
                    best = loss
    return best


MODELS: list[list[la.Model]] = [
    [la.KAnonymity(2)],
    [la.KAnonymity(3)],
    [la.LDiversity("s", 2)],
    [la.KAnonymity(2), la.LDiversity("s", 2)],
    [la.LDiversity("s", 1.8, kind="entropy")],
    [la.TCloseness("s", 0.15, "equal")],
    [la.TCloseness("s", 0.34, "equal"), la.KAnonymity(2)],
    [la.BetaLikeness("s", 0.5, enhanced=False)],
]
SHARES = [0.0, 0.25, 0.4, 0.6, 0.9, 1.0]


def released(rows: list[Row], models: list[la.Model], **asked: Any) -> la.Release | None:
    try:
        return la.anonymize(table_of(rows, unit=asked.pop("unit")), *models, **{"method": "optimal", **asked})
    except la.GuaranteeError:
        return None


@pytest.mark.parametrize("models", MODELS, ids=lambda models: " + ".join(map(str, models)))
@pytest.mark.parametrize("unit", [False, True])
@ALL
@given(rows=rows_of, suppression=st.sampled_from(SHARES))
def test_the_optimum_is_that_of_brute_force_and_is_found_whenever_there_is_one(
    models: list[la.Model], unit: bool, rows: list[Row], suppression: float
) -> None:
    best = best_by_the_rule(people_in(rows, unit=unit), models, suppression)
    release = released(rows, models, suppression=suppression, unit=unit)
    assert (math.inf if release is None else release.loss) == pytest.approx(best)


@pytest.mark.parametrize("models", MODELS, ids=lambda models: " + ".join(map(str, models)))
@pytest.mark.parametrize("unit", [False, True])
@settings(ALL, max_examples=40)
@given(rows=rows_of, suppression=st.sampled_from(SHARES))
def test_a_proof_covers_every_choice_of_levels_and_of_who_goes(
    models: list[la.Model], unit: bool, rows: list[Row], suppression: float
) -> None:
    release = released(rows, models, suppression=suppression, unit=unit)
    if release is not None and release.proven_optimal:
        best = best_of_all(people_in(rows, unit=unit), models, suppression, unit=unit)
        assert release.loss == pytest.approx(best)


def test_optima_are_proven_where_leaving_somebody_out_mends_nobody_else() -> None:
    rows: list[Row] = [("a", "0", "p", 1), ("a", "0", "q", 2), ("b", "0", "p", 3), ("c", "1", "q", 4)]
    for models in ([la.KAnonymity(2)], [la.LDiversity("s", 2)]):
        for unit in (False, True):
            release = released(rows, models, suppression=0.5, unit=unit)
            assert release is not None
            assert release.proven_optimal
    close = [la.TCloseness("s", 0.15, "equal")]
    for suppression, proven in ((0.0, True), (0.5, False)):
        release = released(rows, close, suppression=suppression, unit=False)
        assert release is not None
        assert release.proven_optimal is proven


@pytest.mark.parametrize("models", MODELS, ids=lambda models: " + ".join(map(str, models)))
@pytest.mark.parametrize("method", ["optimal", "levels"])
@settings(ALL, max_examples=20)
@given(rows=rows_of, unit=st.booleans())
def test_allowing_more_never_gives_less(
    models: list[la.Model], method: str, rows: list[Row], unit: bool
) -> None:
    options: dict[str, Any] = {} if method == "optimal" else {"levels": {"x": 1, "y": 1}}
    losses = []
    for share in SHARES:
        release = released(rows, models, suppression=share, unit=unit, method=method, **options)
        losses.append(math.inf if release is None else release.loss)
    assert all(later <= before + 1e-12 for before, later in itertools.pairwise(losses))


@pytest.mark.parametrize(
    ("pid", "q", "suppression", "loss"),
    [
        ([1, 1, 2], "aba", 0.0, 1 / 3),
        ([1, 1, 2], "aba", 0.5, 1 / 3),
        ([4, 5, 5, 5, 6, 6], "bbbabb", 0.6, 1 / 3),
    ],
)
def test_optimal_knows_that_people_go_with_all_their_rows(
    pid: list[int], q: str, suppression: float, loss: float
) -> None:
    """One group over a and b; leaving out the row that is alone takes its person out of the other class as well."""
    table = la.table(
        pl.DataFrame({"pid": pid, "q": list(q)}),
        quasi=["q"],
        unit="pid",
        hierarchies={"q": la.Hierarchy.rows(X)},
    )
    release = la.anonymize(table, la.KAnonymity(2), method="optimal", suppression=suppression)
    assert release.loss == pytest.approx(loss)
    assert release.levels == {"q": 1}
    assert release.suppressed == 0


def test_the_limit_counts_people_where_there_is_a_unit() -> None:
    """One person of three has half of the rows: leaving them out is a third of the people."""
    rows: list[Row] = [("a", "0", "p", 1), ("a", "0", "p", 2), ("d", "1", "p", 3), ("d", "1", "p", 3)]
    options = {"method": "levels", "levels": {"x": 0, "y": 0}, "unit": True}
    kept = released(rows, [la.KAnonymity(2)], suppression=0.34, **options)
    assert kept is not None
    assert kept.suppressed == 2
    assert released(rows, [la.KAnonymity(2)], suppression=0.33, **options) is None


@pytest.mark.parametrize("suppression", [0.0, 0.25, 0.4, 0.6, 0.9])
def test_a_promise_about_the_whole_that_holds_with_everybody_holds_when_some_may_go(
    suppression: float,
) -> None:
    table = la.table(
        pl.DataFrame(
            {
                "a": [0, 0, 0, 1, 1, 1, 2, 2],
                "s": ["no", "no", "no", "no", "yes", "no", "no", "yes"],
            }
        ),
        quasi=["a"],
        sensitive=["s"],
    )
    release = la.anonymize(
        table, la.BetaLikeness("s", 0.5, enhanced=False), method="optimal", suppression=suppression
    )
    shares = Counter(release.rows["s"].to_list())
    for members in release.rows.partition_by("a"):
        for value, count in Counter(members["s"].to_list()).items():
            assert count / len(members) <= 1.5 * shares[value] / len(release.rows) + 1e-9


def test_no_optimum_is_proven_where_leaving_one_out_mends_their_own_class() -> None:
    """Two of three in one class hold p; without one of them the class would do, and no level were needed."""
    values = [("a", "p"), ("a", "p"), ("a", "q"), ("c", "p"), ("c", "q")]
    rows: list[Row] = [(x, "0", s, i) for i, (x, s) in enumerate(values)]
    for model in (la.AlphaK("s", 0.6, 2), la.LDiversity("s", 1.95, kind="entropy")):
        release = released(rows, [model], suppression=0.2, unit=False)
        assert release is not None
        assert release.suppressed == 0
        assert release.loss > 1 / 5
        assert not release.proven_optimal


def test_on_adult_allowing_more_never_gives_less(shared_data: Path) -> None:
    folder = shared_data / "adult_arx"
    frame = pl.read_csv(folder / "adult_arx.csv")
    quasi = [name for name in frame.columns if name != "occupation"]
    table = la.table(frame, quasi=quasi, sensitive=["occupation"], hierarchies=folder / "hierarchies")
    losses = []
    for share in (0.0, 0.05, 0.2, 0.5, 0.9):
        likeness = la.BetaLikeness("occupation", 1.0, enhanced=False)
        losses.append(la.anonymize(table, likeness, method="optimal", suppression=share).loss)
    assert all(later <= before + 1e-12 for before, later in itertools.pairwise(losses))
    assert losses[-1] < losses[0] < 1
