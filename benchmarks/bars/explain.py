"""Explanations beside the CF-K paper, Mondrian and NICEx, in one run.

    python -m benchmarks.bars.explain

Needs the public tables (LOOKALIKE_DATA names their folder) and scikit-learn; NICEx is
used where it is installed. Prints ratios and exits 1 when a bar is missed.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import lookalike as la
from benchmarks.data import adult, data_folder
from explanations import brute, toy
from lookalike.explanations.fairness import compare_groups
from lookalike.papers.cfk.comparisons import PRINTED
from lookalike.papers.cfk.runs import explain, mondrian
from lookalike.papers.cfk.studies import STUDIES, TARGET, Experiment, prepare

BARS: list[tuple[str, bool]] = []


def bar(what: str, held: bool) -> None:
    BARS.append((what, held))
    print(f"    {'ok  ' if held else 'MISS'} {what}")


def worked_example() -> None:
    print("\nThe worked example: distance from the best box over all boxes (brute force), k = 1 to 10")
    rows = list(toy.TRAIN.select("age", "gender", "city").iter_rows())
    domains = [sorted(set(column)) for column in zip(*rows, strict=True)]
    ordered, fiona = (True, False, False), (24, "F", "Antwerp")
    goals: dict[str, Any] = {
        "weighted": lambda loss, pure: loss + 1 - pure,
        "lex_ncp": lambda loss, pure: (loss, -pure),
        "lex_pureness": lambda loss, pure: (-pure, loss),
    }

    def accepted(values: tuple[Any, ...]) -> bool:
        return values[0] <= 25

    print(f"    {'objective':13}{'moves':>7}{'effort':>7}  optimal  mean gap in what it minimises first")
    for objective, quality in goals.items():
        for moves, effort in (("paper", 0.0), ("paper", 100.0), ("free", 100.0)):
            gaps = []
            for k in range(1, 11):
                best, _ = brute.best(fiona, rows, ordered, accepted, k, quality)
                told = toy.explainer(k=k, objective=objective, moves=moves, effort=effort).explain(toy.LISA)
                sides = [
                    tuple(
                        v
                        for v in domain
                        if (
                            float(side.lo) <= v <= float(side.hi) if hasattr(side, "lo") else v in side.values
                        )
                    )
                    for domain, side in zip(domains, told.box.values(), strict=True)
                ]
                found = quality(brute.ncp(sides, domains, ordered), brute.pureness(sides, accepted))
                first = (found, best) if isinstance(found, Fraction) else (found[0], best[0])
                gaps.append((found == best, float(first[0] - first[1])))
            share = sum(same for same, _ in gaps)
            print(
                f"    {objective:13}{moves:>7}{effort:7.0f}  {share:2d}/10    {np.mean([gap for _, gap in gaps]):.4f}"
            )
    ends = {k: toy.box(toy.explainer(k=k).explain(toy.LISA)) for k in (2, 3)}
    bar("k=2 ends at (24-26, F, Antwerp), k=3 at (24-27, F, Antwerp)",
        ends == {2: ("[24, 26]", "F", "Antwerp"), 3: ("[24, 27]", "F", "Antwerp")})  # fmt: skip


def table_6() -> dict[str, Experiment]:
    print(
        "\nTable 6: k=10, alpha=20, 3 iterations, forest of 100 trees, leaves tuned; pureness on fresh combinations"
    )
    print(
        f"    {'data set':9}{'n':>5}  NCP: paper   ours  Mondrian   pureness: paper    ours  Mondrian   ms each (paper)"
    )
    ready = {}
    for name, study in STUDIES.items():
        if not (data_folder() / study.file).is_file():
            continue
        ready[name] = experiment = prepare(study, data_folder(), most=1000)
        explainer, told, seconds = explain(experiment)
        _, plain, plain_seconds = explain(experiment, effort=0)
        loss, pure = float(np.mean([one.ncp for one in told])), float(np.mean(explainer.confirm(told)))
        box_loss, box_pure = (float(np.mean(part)) for part in mondrian(explainer, told, 10))
        ours = f"{name:9}{len(told):5}{PRINTED[name][0]:12.2%}{loss:7.2%}{box_loss:10.2%}{PRINTED[name][1]:18.2%}"
        print(f"    {ours}{pure:8.2%}{box_pure:10.2%}{seconds * 1e3:10.1f} ({PRINTED[name][2] * 1e3:,.0f})")
        alone = float(np.mean([one.ncp for one in plain])), float(np.mean(explainer.confirm(plain)))
        print(f"      as printed (effort=0){alone[0]:12.2%}{alone[1]:36.2%}{plain_seconds * 1e3:20.1f}")
        if name in ("Adult", "CMC", "German", "Heart"):
            bar(f"{name}: NCP at most {PRINTED[name][0]:.2%}", loss <= PRINTED[name][0])
            bar(f"{name}: pureness at least {PRINTED[name][1]:.2%}", pure >= PRINTED[name][1])
        bar(f"{name}: NCP at most Mondrian's", loss <= box_loss)
        bar(f"{name}: pureness at least Mondrian's", pure >= box_pure)
        if name in ("Adult", "Heart"):
            groups_of(experiment)
        if name == "Adult":
            overgrown()
            bar("Adult: under 50 ms each in a batch", seconds < 0.05)
            bar("Adult: under 200 ms singly", singly(experiment) < 0.2)
    return ready


def overgrown() -> None:
    """Adult with a forest of any number of leaves, which knows its training rows by heart."""
    experiment = prepare(STUDIES["Adult"], data_folder(), most=300, leaves=None)
    for what, options in {"as printed": {"effort": 0}, "by default": {}, "choices=3": {"choices": 3}}.items():
        explainer, told, seconds = explain(experiment, **options)
        loss, pure = np.mean([one.ncp for one in told]), np.mean(explainer.confirm(told))
        print(
            f"      leaves not limited, {what:11} NCP {loss:.2%}, pureness {pure:.2%}, {seconds * 1e3:.1f} ms each"
        )


def groups_of(experiment: Experiment) -> None:
    """The gap in NCP between the majority and all others, and what narrows it."""
    groups = experiment.rejected[experiment.study.group].cast(pl.String).to_list()
    most = str(experiment.people.rows[experiment.study.group].mode().sort()[0])
    gaps = {}
    for what, options in {"as printed": {"effort": 0}, "by default": {}, "choices=3": {"choices": 3}}.items():
        told = explain(experiment, **options)[1]
        gap = compare_groups(told, groups, majority=most).ncp
        gaps[what] = gap.gap
        far = np.mean([one.distance for one in told])
        print(f"      {experiment.study.group}, {what:11} {gap}; mean distance {far:.3f}")
    bar(f"{experiment.study.name}: a choice of 3 records narrows the gap between groups",
        abs(gaps["choices=3"]) < abs(gaps["as printed"]))  # fmt: skip


def singly(experiment: Experiment) -> float:
    """Seconds for one explanation, nothing remembered from others."""
    explainer = la.KAnonymousExplainer(experiment.model, experiment.people, unknown="differs", values="exact")
    rows = experiment.rejected.drop(TARGET)[:40]
    explainer.explain(rows[0])
    spent = []
    for i in range(1, len(rows)):
        explainer.boxes.known.clear()
        started = time.perf_counter()
        explainer.explain(rows[i])
        spent.append(time.perf_counter() - started)
    asked = explainer.outcomes
    calls = asked.calls / (len(spent) + 1)
    print(
        f"    singly, {len(spent)} times: mean {np.mean(spent) * 1e3:.0f} ms, {calls:.1f} calls of the model each"
    )
    return float(np.mean(spent))


def nearest_neighbours() -> None:
    try:
        from nice import NICE
    except ImportError:
        print("\nNICEx is not installed: pip install --no-deps NICEx")
        return
    from sklearn.ensemble import RandomForestClassifier

    print(
        "\nNearest unlike neighbour beside NICEx: Adult, all 48,842 rows split 2:1, forest of 50, names as codes"
    )
    frame = adult().drop("fnlwgt", "education", "native-country")
    label = (frame["income"] == ">50K").cast(pl.Int64).to_numpy()
    frame = frame.drop("income")
    names = [name for name, kind in frame.schema.items() if kind == pl.String]
    coded = frame.with_columns(pl.col(names).cast(pl.Categorical).to_physical().cast(pl.Int64))
    train, test = slice(0, 32_561), slice(32_561, None)
    values = coded.to_numpy().astype(float)
    model = RandomForestClassifier(50, max_leaf_nodes=500, random_state=0).fit(values[train], label[train])
    nominal = [coded.columns.index(name) for name in names]
    peer = NICE(model.predict_proba, values[train].copy(), nominal, y_train=label[train], optimization="none")
    people = la.table(
        coded[train].with_columns(label=label[train]), quasi=["age"], targets=["label"], others=[],
        types=dict.fromkeys(names, "nominal"),
    )  # fmt: skip
    ours = la.KAnonymousExplainer(
        lambda rows: model.predict(rows.to_numpy().astype(float)), people, k=1, values="exact"
    )
    asked = np.flatnonzero(model.predict(values[test]) == 0)[:200]
    rows = coded[test][asked]
    ours.nearest(rows[0])
    spent = {}
    started = time.perf_counter()
    theirs = np.concatenate([peer.explain(row[None].copy()) for row in values[test][asked]])
    spent["NICEx, one by one"] = time.perf_counter() - started
    started = time.perf_counter()
    for i in range(len(asked)):
        taken = ours.features.take(rows[i])
        ours.outcomes.desired_of(taken)
        ours.nearest(taken)
    spent["ours, one by one"] = time.perf_counter() - started
    started = time.perf_counter()
    for i in range(len(asked)):
        ours.nearest(rows[i])
    spent["ours, one by one, the search alone"] = time.perf_counter() - started
    started = time.perf_counter()
    taken = ours.features.take(rows)
    ours.outcomes.desired_of(taken)
    found, far = ours.index.search(ours.features.measure(ours.features.code(taken)))
    spent["ours, together"] = time.perf_counter() - started
    started = time.perf_counter()
    for row in values[test][asked]:
        model.predict_proba(row[None])
    spent["the model alone, one by one"] = time.perf_counter() - started
    for what, seconds in spent.items():
        ratio = spent["NICEx, one by one"] / seconds
        print(f"    {what:36}{seconds / len(asked) * 1e3:9.2f} ms each, {ratio:7.1f} x")
    width = np.where(np.isin(np.arange(values.shape[1]), nominal), np.inf, np.ptp(values[train], axis=0))
    mine = values[train][ours.trained.record[found[:, 0]]]

    def measure(rows: np.ndarray) -> np.ndarray:
        gap = np.abs(rows - values[test][asked])
        total: np.ndarray = (np.where(np.isinf(width), gap > 0, gap / width)).sum(axis=1)
        return total

    same = (mine == theirs).all(axis=1)
    bar(f"same distance as NICEx everywhere (the same row in {same.mean():.0%}, else a tie)",
        bool(np.allclose(measure(theirs), far[:, 0]) and np.allclose(measure(mine), far[:, 0])))  # fmt: skip
    bar("at least 10 times faster than NICEx together, the model's calls included",
        spent["NICEx, one by one"] / spent["ours, together"] >= 10)  # fmt: skip


if __name__ == "__main__":
    worked_example()
    table_6()
    nearest_neighbours()
    missed = [what for what, held in BARS if not held]
    print(
        f"\n{len(BARS) - len(missed)} of {len(BARS)} bars held"
        + "".join(f"\nmissed: {what}" for what in missed)
    )
    sys.exit(bool(missed))
