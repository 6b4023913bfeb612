"""Questions: each kind against scipy, numpy or a count by hand, on originals, levels, and local recodings."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.measures.utility.questions.answers import ask
from lookalike.measures.utility.questions.ranking import judge_ranking
from lookalike.measures.utility.questions.regression import interval_overlap, least_squares, logistic
from lookalike.measures.utility.questions.weighted import pearson, quantiles
from lookalike.measures.utility.released import link, open_release
from lookalike.measures.utility.views import Pair

stats = pytest.importorskip("scipy.stats")

TOWNS = ["Gent", "Leuven", "Liège", "Namur"]
REGIONS = {"Gent": "Flanders", "Leuven": "Flanders", "Liège": "Wallonia", "Namur": "Wallonia"}
GROUPS = la.Hierarchy.groups({"Flanders": TOWNS[:2], "Wallonia": TOWNS[2:]})


def frame(n: int = 300, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    sex = rng.choice(["f", "m"], n)
    income = np.round(1000 + 20 * age + 150 * (sex == "m") + rng.normal(0, 300, n))
    return pl.DataFrame(
        {
            "age": [None if i % 37 == 0 else int(a) for i, a in enumerate(age)],
            "town": [None if i % 41 == 1 else TOWNS[t] for i, t in enumerate(rng.integers(0, 4, n))],
            "sex": sex,
            "income": income,
            "poor": np.where(income + rng.normal(0, 200, n) < 1700, "yes", "no"),
        }
    )


def people(n: int = 300, seed: int = 0, **options: Any) -> la.Table:
    roles = {"quasi": ["age", "town"], "sensitive": ["income", "poor"], "others": ["sex"]}
    return la.table(frame(n, seed), **{**roles, "hierarchies": {"town": GROUPS}, **options})


def by_levels(table: la.Table, k: int = 4, town: int = 1, age: int = 2) -> la.Release:
    return la.anonymize(
        table, la.KAnonymity(k), method="levels", levels={"age": age, "town": town}, suppression=1.0
    )


def answer(table: la.Table, release: Any, kind: str, **options: Any) -> la.Answer:
    question = la.Question(kind, **options)
    return la.evaluate(table, release, questions=[question], resamples=0).questions[0]


def sides(found: la.Answer) -> tuple[dict[str, float], dict[str, float]]:
    return {c.name: c.before for c in found.changes}, {c.name: c.after for c in found.changes}


def same(found: dict[str, float], expected: dict[str, float]) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-9, nan_ok=True), name


# --- a release that changes nothing -----------------------------------------------------------------------------------

EVERY = [
    ("ranking", {"by": "town", "mean": "income", "top": 2}),
    ("ranking", {"by": "town", "share": {"poor": "yes"}, "among": {"sex": "f"}}),
    ("two-sample test", {"of": "income", "between": "sex", "by": "town", "test": "rank"}),
    ("share", {"of": {"poor": "yes"}, "by": "town"}),
    ("mean", {"of": "age", "by": "sex"}),
    ("correlation", {"of": ["age", "income"]}),
    ("linear regression", {"of": "income", "on": ["age", "sex", "town"]}),
    ("logistic regression", {"of": {"poor": "yes"}, "on": ["age", "sex"]}),
    ("entropy", {"of": ["age", "town"]}),
    ("range counts", {"of": ["age", "town", "income"]}),
    ("contingency table", {"of": ["town", "poor"]}),
    ("quantiles", {"of": "income", "by": "sex"}),
    ("function", {"compute": lambda rows: rows["income"].mean()}),
]


@pytest.mark.parametrize(("kind", "options"), EVERY)
@pytest.mark.parametrize("method", ["levels", "local"])
def test_a_release_that_changes_nothing_has_no_impact(
    kind: str, options: dict[str, Any], method: str
) -> None:
    table = people()
    how: dict[str, Any] = {"levels": {"age": 0, "town": 0}} if method == "levels" else {}
    release = la.anonymize(table, la.KAnonymity(1), method=method, **how)
    found = answer(table, release, kind, **options)
    assert not found.impact
    for change in found.changes:
        assert change.after == pytest.approx(change.before, nan_ok=True)


@pytest.mark.parametrize(("kind", "options"), EVERY)
def test_every_kind_answers_a_local_recoding_and_can_be_written_as_json(
    kind: str, options: dict[str, Any]
) -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(20), method="local")
    found = la.evaluate(table, release, questions=[la.Question(kind, **options)], resamples=5).questions[0]
    json.dumps(found.to_dict(), allow_nan=True)
    assert found.rule in str(found)
    assert "significant impact: " in str(found)
    if kind not in ("range counts",):
        assert any(change.low is not None for change in found.changes)


def test_every_kind_is_tested_here() -> None:
    assert {kind for kind, _ in EVERY} == set(la.Question.kinds())


# --- each kind against other code -------------------------------------------------------------------------------------


def test_shares_and_means_by_group_are_those_of_a_group_by() -> None:
    table = people()
    release = by_levels(table)
    found = answer(table, release, "share", of={"poor": "yes"}, among={"sex": "f"}, by="town", tolerance=0.5)
    for side, rows in zip(
        sides(found), (table.rows.with_columns(pl.col("town").replace(REGIONS)), release.rows), strict=True
    ):
        chosen = rows.filter((pl.col("sex") == "f") & pl.col("town").is_not_null())
        expected = chosen.group_by("town").agg((pl.col("poor") == "yes").mean().alias("share"))
        same(side, dict(zip(expected["town"].to_list(), expected["share"].to_list(), strict=True)))
    found = answer(table, release, "mean", of="income", by="sex")
    for side, rows in zip(sides(found), (table.rows, release.rows), strict=True):
        expected = rows.group_by("sex").agg(pl.col("income").mean())
        same(side, dict(zip(expected["sex"].to_list(), expected["income"].to_list(), strict=True)))


def test_a_label_of_the_hierarchy_is_a_condition_on_both_sides() -> None:
    table = people()
    found = answer(table, by_levels(table, k=1, age=0), "share", of={"town": "Flanders"})
    share = float(table.rows["town"].is_in(TOWNS[:2]).fill_null(False).mean())
    assert [(c.before, c.after) for c in found.changes] == [(pytest.approx(share), pytest.approx(share))]


def test_a_record_of_a_set_counts_by_the_share_of_its_values() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(25), method="local", output="sets")
    found = answer(table, release, "share", of={"town": "Gent"})
    total = 0.0
    for label in release.rows["town"].to_list():
        values = [None] if label is None else label.strip("{}").split(", ")
        total += values.count("Gent") / len(values)
    assert found.changes[0].after == pytest.approx(total / release.rows.height)


@pytest.mark.parametrize("read", ["middle", "expected"])
def test_a_range_counts_as_its_middle_or_as_the_mean_of_what_it_covers(read: str) -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(25), method="local")
    found = answer(table, release, "mean", of="age", read=read)
    ages = np.unique([age for age in table.rows["age"].to_list() if age is not None])
    expected = []
    for label in release.rows["age"].drop_nulls().to_list():
        if label.startswith("["):
            lo, hi = (int(end) for end in label.split("]")[0].strip("[").split(","))
            inside = ages[(ages >= lo) & (ages <= hi)]
            expected.append((lo + hi) / 2 if read == "middle" else inside.mean())
        else:
            expected.append(float(label.split(" ")[0]))
    assert found.changes[0].after == pytest.approx(np.mean(expected))
    assert any("middle" in text if read == "middle" else "mean" in text for text in found.read)


@pytest.mark.parametrize("test", ["student", "welch", "rank"])
@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "benjamini-hochberg"])
def test_two_sample_tests_are_those_of_scipy(test: str, correction: str) -> None:
    table = people()
    release = by_levels(table)
    found = answer(
        table,
        release,
        "two-sample test",
        of="income",
        between="sex",
        by="town",
        test=test,
        correction=correction,
    )
    originals = table.rows.with_columns(pl.col("town").replace(REGIONS))
    for side, rows in ((found.before, originals), (found.after, release.rows)):
        raw = []
        for one in side["tests"]:
            a, b = (
                rows.filter((pl.col("town") == one["group"]) & (pl.col("sex") == sex))["income"].to_numpy()
                for sex in ("f", "m")
            )
            if test == "rank":
                expected = stats.mannwhitneyu(a, b, method="asymptotic")
                effect = 2 * expected.statistic / (len(a) * len(b)) - 1
            else:
                expected = stats.ttest_ind(a, b, equal_var=test == "student")
                low, high = expected.confidence_interval()
                assert (one["difference_low"], one["difference_high"]) == pytest.approx((low, high))
                spread = (len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)
                effect = (a.mean() - b.mean()) / np.sqrt(spread / (len(a) + len(b) - 2))
            assert (one["statistic"], one["p"]) == pytest.approx((expected.statistic, expected.pvalue))
            assert one["effect"] == pytest.approx(effect)
            assert one["effect_low"] < effect < one["effect_high"]
            raw.append(one["p"])
        m = len(raw)
        order = np.argsort(raw)
        adjusted = {
            "none": raw,
            "bonferroni": [min(p * m, 1) for p in raw],
            "holm": [min(1, max(raw[j] * (m - i) for i, j in enumerate(order) if raw[j] <= p)) for p in raw],
            "benjamini-hochberg": stats.false_discovery_control(raw),
        }[correction]
        assert [one["adjusted_p"] for one in side["tests"]] == pytest.approx(list(adjusted))


def test_student_and_welch_as_in_the_case_study() -> None:
    rows = pl.DataFrame({"g": ["a"] * 4 + ["b"] * 4, "x": [10, 12, 14, 16, 11, 15, 19, 23], "q": ["1"] * 8})
    table = la.table(rows, quasi=["q"], sensitive=["x"], others=["g"])
    release = la.anonymize(table, la.KAnonymity(2))
    for test, p in (("student", 0.21516458437557695), ("welch", 0.23180067618602898)):
        one = answer(table, release, "two-sample test", of="x", between="g", test=test).before["tests"][0]
        assert (one["statistic"], one["p"]) == pytest.approx((-1.3856406460551016, p))


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_correlation_is_that_of_scipy(method: str) -> None:
    table = people()
    release = by_levels(table)
    found = answer(table, release, "correlation", of=["age", "income"], method=method)
    known = table.rows.drop_nulls("age")
    expected = getattr(stats, f"{method}r")(known["age"].to_numpy(), known["income"].to_numpy()).statistic
    assert found.changes[0].before == pytest.approx(expected)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("factor", [2.0**1018, 2.0**-1070])
def test_correlation_does_not_depend_on_how_large_numbers_are(factor: float) -> None:
    rng = np.random.default_rng(5)
    x, y, weights = rng.integers(-20, 21, 50) * 1.0, rng.integers(-20, 21, 50) * 1.0, rng.random(50)
    assert pearson(x * factor, y, weights) == pearson(x, y, weights)


def test_linear_regression_is_least_squares_and_its_errors_are_scipys() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=50), rng.normal(size=50)
    beta, error = least_squares(np.stack([np.ones(50), x], axis=1), y, np.ones(50))
    expected = stats.linregress(x, y)
    assert beta == pytest.approx([expected.intercept, expected.slope])
    assert error == pytest.approx([expected.intercept_stderr, expected.stderr])
    weights = rng.integers(0, 4, 50)
    twice = np.repeat(np.arange(50), weights)
    often = least_squares(np.stack([np.ones(50), x], axis=1), y, weights.astype(float))
    repeated = least_squares(np.stack([np.ones(len(twice)), x[twice]], axis=1), y[twice], np.ones(len(twice)))
    for ours, theirs in zip(often, repeated, strict=True):
        assert ours == pytest.approx(theirs)


def test_logistic_regression_is_that_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(4)
    x = rng.normal(size=(400, 2))
    y = (rng.random(400) < 1 / (1 + np.exp(-(0.3 + x @ [1.0, -0.5])))).astype(float)
    beta, error = logistic(np.hstack([np.ones((400, 1)), x]), y, np.ones(400))
    model = linear.LogisticRegression(C=1e10, tol=1e-10, max_iter=1000).fit(x, y)
    assert beta == pytest.approx([*model.intercept_, *model.coef_[0]], rel=1e-4)
    chance = model.predict_proba(x)[:, 1]
    wide = np.hstack([np.ones((400, 1)), x])
    information = (wide * (chance * (1 - chance))[:, None]).T @ wide
    assert error == pytest.approx(np.sqrt(np.diag(np.linalg.inv(information))), rel=1e-3)


def test_a_coefficient_that_the_release_cannot_tell_is_an_impact() -> None:
    table = people()
    release = by_levels(
        table, k=2, town=0, age=la.anonymize(table, la.KAnonymity(2)).people.tree("age").height
    )
    found = answer(table, release, "linear regression", of="income", on=["age", "sex"])
    assert found.impact
    assert found.summary["differ"] == ["age"]
    assert found.summary["overlap"]["age"] == 0


def test_overlap_of_intervals_by_hand() -> None:
    assert interval_overlap((0, 2), (1, 3)) == 0.5
    assert interval_overlap((0, 4), (1, 2)) == pytest.approx((0.25 + 1) / 2)
    assert interval_overlap((0, 1), (2, 3)) == 0
    assert interval_overlap((1, 1), (1, 1)) == 1


def test_entropy_of_the_toy_is_that_of_the_case_study() -> None:
    classes = {("North", "30-44"): 4, ("North", "60+"): 4, ("South", "16-29"): 3}
    classes |= {("South", "45-59"): 3, ("Wales", "60+"): 2, ("Wales", "16-29"): 1}
    rows = [key for key, n in classes.items() for _ in range(n)]
    young = la.Hierarchy.groups({"<45": ["16-29", "30-44"], "45+": ["45-59", "60+"]})
    toy = la.table(
        pl.DataFrame(rows, schema=["area", "age"], orient="row"),
        quasi=["area", "age"],
        types={"age": "nominal"},
        hierarchies={"age": young},
    )
    release = la.anonymize(toy, la.KAnonymity(1), method="levels", levels={"age": 1})
    for joint, ratio in ((False, 0.7217071390722337), (True, 1.0)):
        found = answer(toy, release, "entropy", of=["area", "age"], joint=joint)
        assert found.summary["ratio"] == pytest.approx(ratio)
        assert not found.impact
    assert answer(toy, release, "entropy", of=["area", "age"], least=0.8).impact


def test_quantiles_are_those_of_numpy_with_every_record_counted_as_often_as_it_should() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        values = rng.integers(0, 10, 12).astype(float)
        times = rng.integers(0, 4, 12)
        at = rng.random(3).tolist()
        if times.sum():
            expected = np.quantile(np.repeat(values, times), at)
            assert quantiles(values, times.astype(float), at) == pytest.approx(expected.tolist())
    assert np.isnan(quantiles(np.array([1.0]), np.zeros(1), [0.5])).all()


def test_a_contingency_table_is_that_of_scipy() -> None:
    table = people()
    release = by_levels(table)
    found = answer(table, release, "contingency table", of=["town", "poor"])
    originals = table.rows.with_columns(pl.col("town").replace(REGIONS))
    for rows, side, details in zip(
        (originals, release.rows), sides(found), (found.before, found.after), strict=True
    ):
        counts = np.array(
            [
                [
                    rows.filter((pl.col("town") == town) & (pl.col("poor") == poor)).height
                    for poor in ("no", "yes")
                ]
                for town in ("Flanders", "Wallonia")
            ]
        )
        expected = stats.chi2_contingency(counts, correction=False)
        assert (details["chi2"], details["p"]) == pytest.approx((expected.statistic, expected.pvalue))
        assert details["V"] == pytest.approx(stats.contingency.association(counts, correction=False))
        names = [f"{a}, {b}" for a, b in product(("Flanders", "Wallonia"), ("no", "yes"))]
        same(side, dict(zip(names, (counts / counts.sum()).ravel().tolist(), strict=True)))
    before, after = sides(found)
    assert found.summary["moved"] == pytest.approx(sum(abs(before[n] - after[n]) for n in before) / 2)


def test_range_counts_are_counts_and_expected_counts() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(10), method="local", output="sets")
    question = la.Question("range counts", of=["age", "town"], queries=20, seed=3)
    pair = Pair(table, open_release(table, release), None)
    (found,) = ask(pair, [question])
    ages, towns = table.column("age").domain, table.column("town").domain
    for query, change in zip(question.asked.workload(pair), found.changes, strict=True):  # type: ignore[attr-defined]
        young = {a for a, inside in zip(ages.texts, query["age"][: len(ages.texts)], strict=True) if inside}
        here = {t for t, inside in zip(towns.texts, query["town"][: len(towns.texts)], strict=True) if inside}
        counted = sum(str(a) in young and t in here for a, t in table.rows.select("age", "town").iter_rows())
        assert change.before == counted
        expected = 0.0
        for age, town in release.rows.select("age", "town").iter_rows():
            expected += share_of(age, ages.texts, young) * share_of(town, towns.texts, here)
        assert change.after == pytest.approx(expected)
    again = ask(pair, [question])
    assert again == (found,)


def share_of(label: str | None, values: list[str], allowed: set[str]) -> float:
    """Of what a label covers, the share that is allowed; read anew, by the letter."""
    if label is None:
        return 0.0
    body, _, missing = label.partition(" | ")
    if body.startswith("["):
        lo, hi = (int(end) for end in body.strip("[]").split(","))
        covered: list[str] = [v for v in values if lo <= int(v) <= hi]
    else:
        covered = body.strip("{}").split(", ")
    return sum(v in allowed for v in covered) / (len(covered) + bool(missing))


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_function_sees_the_callers_kind_of_frame(library: str) -> None:
    rows: Any = frame()
    if library == "pandas":
        rows = pytest.importorskip("pandas") and rows.to_pandas()
    table = la.table(rows, quasi=["age", "town"], sensitive=["income", "poor"], others=["sex"])
    release = la.anonymize(table, la.KAnonymity(20), method="local")
    seen = []

    def mean_age(given: Any) -> dict[str, float]:
        seen.append(type(given))
        return {"age": float(given["age"].mean()), "rows": len(given)}

    found = la.evaluate(table, release, questions=[la.Question("function", compute=mean_age)], resamples=3)
    assert set(seen) == {type(rows)}
    age, count = found.questions[0].changes
    assert age.before == pytest.approx(frame()["age"].mean())
    assert (count.before, count.after) == (300, release.rows.height)
    assert age.low is not None
    assert age.low <= age.high  # type: ignore[operator]


# --- rankings ---------------------------------------------------------------------------------------------------------


def test_the_published_ranking_shares_two_of_three() -> None:
    before = dict(
        zip(
            "abcdefghij",
            (
                0.809191,
                0.808411,
                0.804627,
                0.80107,
                0.798287,
                0.794777,
                0.785903,
                0.767637,
                0.743353,
                0.683931,
            ),
            strict=True,
        )
    )
    after = dict(
        zip(
            "ecahbfgdij",
            (0.973846, 0.957627, 0.955514, 0.936929, 0.919218, 0.9087, 0.887486, 0.885235, 0.795799, 0.72681),
            strict=True,
        )
    )
    found = judge_ranking(before, after, top=3, keep=2)
    assert not found.impact
    assert found.summary["overlap"] == 2
    assert found.summary["tau"] == pytest.approx(0.4666666666666666)
    assert found.summary["largest shift"] == pytest.approx(0.973846 - 0.798287)
    names = list(before)
    expected = stats.kendalltau([before[n] for n in names], [after[n] for n in names]).statistic
    assert found.summary["tau"] == pytest.approx(expected)
    assert judge_ranking(before, after, top=3, keep=3).impact


def test_a_group_that_is_gone_is_named_and_counts_as_moved() -> None:
    found = judge_ranking(
        {"a": 0.9, "b": 0.5, "c": 0.1}, {"a": float("nan"), "b": 0.5, "c": 0.1}, top=1, keep=1
    )
    assert found.impact
    assert found.summary["groups gone"] == ["a"]


def test_labels_that_do_not_overlap_are_groups_however_many_values_they_cover() -> None:
    towns = [f"t{i:02}" for i in range(49)]
    groups = la.Hierarchy.groups({"north": towns[:31], "south": towns[31:]})
    rows = pl.DataFrame({"town": towns * 2, "pay": list(range(98))})
    table = la.table(rows, quasi=["town"], sensitive=["pay"], hierarchies={"town": groups})
    release = la.anonymize(table, la.KAnonymity(2), method="levels", levels={"town": 1})
    found = answer(table, release, "mean", of="pay", by="town", tolerance=0)
    assert not found.impact
    assert "by what is published" in found.read[0]


def test_groups_may_be_compared_on_a_level_where_a_local_recoding_mixes_them() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(25), method="local")
    found = answer(table, release, "ranking", by="town", level=1, mean="income", top=1)
    assert {change.name for change in found.changes} == {"Flanders", "Wallonia"}
    rows = table.rows.with_columns(pl.col("town").replace(REGIONS)).drop_nulls("town")
    same(sides(found)[0], dict(rows.group_by("town").agg(pl.col("income").mean()).iter_rows()))


# --- intervals --------------------------------------------------------------------------------------------------------


def test_the_interval_of_a_mean_is_about_that_of_theory() -> None:
    """Half of the records dropped at random: the difference has the variance of sampling without replacement."""
    rng = np.random.default_rng(0)
    n = 2000
    rows = pl.DataFrame(
        {"q": [str(i % 2) if i < 1000 else f"u{i}" for i in range(n)], "x": rng.normal(0, 1, n)}
    )
    table = la.table(rows, quasi=["q"], sensitive=["x"])
    release = la.anonymize(table, la.KAnonymity(2), method="levels", levels={}, suppression=1.0)
    assert release.suppressed == 1000
    question = la.Question("mean", of="x", relative=False)
    paired = la.evaluate(table, release, questions=[question], resamples=400).questions[0].changes[0]
    expected = 2 * 1.96 / np.sqrt(n)
    assert paired.high - paired.low == pytest.approx(expected, rel=0.15)  # type: ignore[operator]
    assert paired.low < paired.difference < paired.high  # type: ignore[operator]


def test_people_with_several_rows_are_drawn_as_people() -> None:
    rows = pl.DataFrame(
        {"who": np.repeat(np.arange(40), 25), "q": ["a"] * 1000, "x": np.repeat(np.arange(40.0), 25)}
    )
    widths = {}
    for unit in (None, "who"):
        table = la.table(rows, quasi=["q"], sensitive=["x"], unit=unit, others=[] if unit else ["who"])
        release = la.anonymize(table, la.KAnonymity(2), drop=["who"], linked={"x": "accept"})
        pair = Pair(table, open_release(table, release), link(table, open_release(table, release)))
        question = la.Question("share", of={"x": {"from": 20}})
        draws = [
            question.asked.measure(pair.before, weights).values["everybody"] for weights, _ in _draw(pair)
        ]
        widths[unit] = np.std(draws)
    assert widths["who"] > 3 * widths[None]


def _draw(pair: Pair) -> Any:
    from lookalike.measures.utility.questions.answers import _drawings

    return _drawings(pair, 200, 0)


def test_the_same_seed_gives_the_same_intervals_and_the_order_of_rows_changes_no_number() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(10), method="local")
    questions = [la.Question("mean", of="age", by="sex")]
    first, second = (la.evaluate(table, release, questions=questions, resamples=20, seed=1) for _ in range(2))
    assert first.to_dict() == second.to_dict()
    turned = la.table(
        frame()[::-1],
        quasi=["age", "town"],
        sensitive=["income", "poor"],
        others=["sex"],
        hierarchies={"town": GROUPS},
    )
    question = la.Question("mean", of="income", by="town")
    ours, theirs = (
        la.evaluate(one, by_levels(one), questions=[question], resamples=20).questions[0]
        for one in (table, turned)
    )
    assert sides(ours)[1] == pytest.approx(sides(theirs)[1])
    spans = [[(change.low, change.high) for change in found.changes] for found in (ours, theirs)]
    assert np.array(spans[0]) == pytest.approx(np.array(spans[1]))


def test_memory_and_folder_give_the_same_numbers(tmp_path: Any) -> None:
    table = people()
    for method in ("local", "optimal"):
        release = la.anonymize(table, la.KAnonymity(10), method=method)
        folder = release.save(tmp_path / method)
        for kind, options in EVERY[:-1]:
            ours, theirs = (sides(answer(table, one, kind, **options))[1] for one in (release, folder))
            assert ours == pytest.approx(theirs, nan_ok=True)


def test_stars_are_nobody() -> None:
    table = people()
    dropped, starred = (
        la.anonymize(
            table,
            la.KAnonymity(4),
            method="levels",
            levels={"age": 2, "town": 1},
            suppression=1.0,
            suppressed=suppressed,
        )
        for suppressed in ("drop", "star")
    )
    assert dropped.suppressed > 0
    for kind, options in EVERY[:-1]:
        ours, theirs = (sides(answer(table, one, kind, **options))[1] for one in (dropped, starred))
        assert ours == pytest.approx(theirs, nan_ok=True), kind


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("rankings", {}, "choose from ranking"),
        ("mean", {}, "of: a question of kind mean needs"),
        ("mean", {"of": "income", "bye": "sex"}, "bye: a question of kind mean has no such option"),
        ("mean", {"of": "income", "tolerance": "much"}, "tolerance: give a number"),
        ("mean", {"of": "income", "read": "best"}, "read: choose from middle, expected"),
        ("ranking", {"by": "town"}, "either a `share` or a `mean`"),
        ("ranking", {"by": "town", "mean": "income", "top": 2, "keep": 3}, "keep: at most"),
        ("correlation", {"of": ["age"]}, "of: give a list of 2"),
        ("two-sample test", {"of": "income", "between": "sex", "test": "z"}, "test: choose from student"),
        ("linear regression", {"of": "age", "on": ["age"]}, "cannot explain itself"),
        ("range counts", {"of": ["age"], "columns_per_query": 2}, "columns_per_query: there are only 1"),
        ("quantiles", {"of": "age", "at": [2]}, "at: give a list of numbers from 0 to 1"),
        ("function", {"compute": 3}, "compute: give a Python function"),
    ],
)
def test_a_wrong_question_says_what_is_allowed(kind: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        la.Question(kind, **options)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("mean", {"of": "incom"}, "Did you mean 'income'"),
        ("mean", {"of": "poor"}, "of: column 'poor' has no order"),
        ("share", {"of": {"poor": "perhaps"}}, "column 'poor' has no such value"),
        ("share", {"of": {"age": {"above": 3}}}, "from = "),
        ("share", {"of": {"poor": "yes"}, "by": "sex", "level": 1}, "has no hierarchy"),
        ("two-sample test", {"of": "income", "between": "town"}, "values: column 'town' has 4 values"),
        ("function", {"compute": lambda rows: "many"}, "must return a number"),
    ],
)
def test_a_question_that_does_not_fit_names_itself(kind: str, options: dict[str, Any], message: str) -> None:
    table = people()
    with pytest.raises(la.RequestError, match=message) as problem:
        answer(table, by_levels(table), kind, name="mine", **options)
    assert str(problem.value).startswith("question 'mine': ")


@pytest.mark.parametrize("questions", ["mean", la.Question("mean", of="income"), ["mean"], 3])
def test_what_is_no_list_of_questions_is_refused(questions: Any) -> None:
    table = people()
    with pytest.raises(la.RequestError, match="questions"):
        la.evaluate(table, by_levels(table), questions=questions)


def test_no_message_shows_a_value_of_the_table() -> None:
    table = people()
    with pytest.raises(la.RequestError) as problem:
        answer(table, by_levels(table), "share", of={"town": "Atlantis"})
    assert not any(town in str(problem.value) for town in TOWNS)
