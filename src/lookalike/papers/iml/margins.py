"""Linear SVC is odd on income at high k: its suspected cause, switched on and off on made-up people and on Adult.

The cause: liblinear's dual solver, which scikit-learn took by default when the paper was written, stops after 1,000
rounds; on columns as they are (ages beside shares) it is then far from the best margin, and where it stands depends on
the order it took people in. Off means columns of one scale, or the primal solver, which arrives. Everything else stays:
the same people, classes and halves, drawn at random. What is left to vary from one order to the next is the cause's
doing alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lookalike as la
from lookalike.papers.comparison import OURS, Line
from lookalike.papers.iml.runs import TargetStudy

ROWS, TABLES, ORDERS = 2_000, 20, 4
DRAWS = 20  #: pairs of halves of Adult
COLUMNS, NOISE = 8, 0.5  #: numbers like ages, and how much else decides about the income
KS = (5, 200)
ON, SCALED, PRIMAL = "on", "off by columns of one scale", "off by the primal solver"
CUTS = {"two values, one rare": (0.75,), "four values": (0.25, 0.5, 0.75)}  #: where the score is cut
Floats = NDArray[np.float64]


def made_up(rows: int, cuts: tuple[float, ...], seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Eight numbers between 0 and 90, and a target they decide with some noise, cut at these shares."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 90, (rows, COLUMNS))
    score = (x - 45).sum(axis=1) / (26 * COLUMNS**0.5) + rng.logistic(0, NOISE, rows)
    return x, np.searchsorted(np.quantile(score, cuts), score)


def blurred(x: Floats, k: int) -> Floats:
    """Middle and width of each number in classes of at least k people, halved where they are widest."""
    out = np.empty((len(x), 2 * x.shape[1]))
    todo = [np.arange(len(x))]
    while todo:
        group = todo.pop()
        low, high = x[group].min(axis=0), x[group].max(axis=0)
        if len(group) < 2 * k:
            out[group] = np.concatenate([(low + high) / 2, high - low])
            continue
        ordered = group[np.argsort(x[group, int(np.argmax(high - low))], kind="stable")]
        todo += [ordered[: len(group) // 2], ordered[len(group) // 2 :]]
    return out


def spread(tables: Iterable[tuple[Any, Any]]) -> dict[str, tuple[float, float]]:
    """By setting of the cause, F1 and its range over the orders the solver takes people in; means over tables."""
    from sklearn.metrics import f1_score
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    found: dict[str, list[list[float]]] = {setting: [] for setting in (ON, SCALED, PRIMAL)}
    for x, y in tables:
        half = len(y) // 2
        drawn = np.random.default_rng(0).permutation(len(y))
        x, y = x[drawn], y[drawn]
        for setting, per_table in found.items():
            seen = StandardScaler().fit_transform(x) if setting == SCALED else x
            per_table.append([])
            for order in range(ORDERS):
                model = LinearSVC(dual=setting != PRIMAL, max_iter=1_000, random_state=order)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # it says each time that it did not arrive
                    model.fit(seen[:half], y[:half])
                per_table[-1].append(f1_score(y[half:], model.predict(seen[half:]), average="weighted"))
    return {setting: (float(np.mean(f1)), float(np.ptp(f1, axis=1).mean())) for setting, f1 in found.items()}


def on_made_up(
    cuts: tuple[float, ...], k: int, *, tables: int = TABLES, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """The experiment on blurred people who are made up."""
    made = (made_up(ROWS, cuts, seed + table) for table in range(tables))
    return spread((blurred(x, k), y) for x, y in made)


def on_adult(study: TargetStudy, k: int) -> dict[str, tuple[float, float]]:
    """The experiment on Adult, blurred with equal weights, whose columns are as uneven as people's are."""
    weights = study.weights("equal", 0)
    release = la.anonymize(  # in the order of Adult, so that no other order decides about the halves
        study.people, la.KAnonymity(k), method="sangreea", weights=weights, seed=study.seed, shuffle=False
    )
    x, y = study.features(release)
    orders = (np.random.default_rng(draw).permutation(len(y)) for draw in range(DRAWS))
    return spread((x[order], y[order]) for order in orders)


def cells(study: TargetStudy, *, seed: int) -> Mapping[str, Callable[[], dict[str, tuple[float, float]]]]:
    """The experiment for two and for four values, and on Adult, at a low and a high k, by what each is on."""
    return {
        f"made-up people ({TABLES} tables), {target}, k={k}": partial(on_made_up, cuts, k, seed=seed)
        for target, cuts in CUTS.items()
        for k in KS
    } | {
        f"Adult ({DRAWS} pairs of halves), {study.target}, {study.frame.height:,} rows, k={k}": partial(
            on_adult, study, k
        )
        for k in KS
    }


def explanation(study: TargetStudy, *, seed: int) -> list[Line]:
    """All of them side by side."""
    from joblib import Parallel, delayed

    wanted = cells(study, seed=seed)
    found = Parallel(n_jobs=-1)(delayed(one)() for one in wanted.values())
    return [line(what, one) for what, one in zip(wanted, found, strict=True)]


def line(what: str, found: dict[str, tuple[float, float]]) -> Line:
    """F1 and its range by setting of the cause."""
    return Line(
        "Figure 4",
        f"{what}: F1 of linear SVC, and its range over {ORDERS} orders of people, by the suspected cause",
        "",
        "; ".join(f"{setting} {f1:.3f}, {wide:.3f}" for setting, (f1, wide) in found.items()),
        OURS,
    )
