"""The CF-K paper (Goethals, Sörensen and Martens 2022): toy example, Table 6, Figures 4-7, sweeps; printed beside ours.

https://doi.org/10.48550/arXiv.2210.12051. What the paper leaves open is chosen in `studies` and listed with the
results, and so is every data set that is not there. Table 6 is measured on five splits. The fast version explains up
to 150 people of each by forests of 100 trees, the full one 1,000, and by every forest of the paper's grid; interrupted,
it goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.base.progress import track
from lookalike.papers.cfk.comparisons import table_6
from lookalike.papers.cfk.figures import draw
from lookalike.papers.cfk.findings import figures
from lookalike.papers.cfk.runs import (
    LEFT_OPEN,
    SWEEP_ALPHA,
    SWEEP_ITERATIONS,
    SWEEP_K,
    cell,
    explain,
    gaps,
    means,
    measure,
    remember,
    sharp_columns,
    split_means,
    sweep,
)
from lookalike.papers.cfk.statements import choices, in_print, table_5, toy
from lookalike.papers.cfk.studies import STUDIES, Experiment, Study, prepare
from lookalike.papers.cfk.tuning import LEAVES, TREES, tune
from lookalike.papers.comparison import Line, keep, tell
from lookalike.papers.data import DATA_SETS, missing

SPLITS = 5  #: into training and test people
NEED_ALL, NEED_CMC = ("Table 5", "Table 6", "Figure 4", "Figure 5", "Figure 7"), ("Figure 6", "Appendix")
SHARP = 100  #: leaves at which the fall of pureness can be seen; at 10 almost every value is accepted


def run(*, output: Path | None, full: bool, seed: int, json: bool, folder: Path | None = None) -> None:
    """Print the comparison; write it, the numbers and the figures where a folder is given."""
    found = lines(output=output, full=full, seed=seed, folder=folder, shown=not json)
    tell(found, paper="cfk", title="k-anonymous counterfactual explanations", output=output, json=json)


def lines(*, output: Path | None, full: bool, seed: int, folder: Path | None, shown: bool) -> list[Line]:
    """Every comparison: the worked example, the data sets, and a line for each set that is not there."""
    results = {} if folder is None else experiments(folder, output, full=full, seed=seed, shown=shown)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        draw(results, output)
    found = [
        *toy(),
        *table_5(folder),
        *table_6(results),
        *figures(results),
        *absent(folder),
        *in_print(),
        *choices(),
    ]
    return keep(found, paper="cfk", output=output)


def absent(folder: Path | None) -> list[Line]:
    """A line in each table and figure for every data set that cannot be used."""
    wanted = [(item, study.name, study.set) for item in NEED_ALL for study in STUDIES.values()]
    wanted += [(item, "CMC", "cmc") for item in NEED_CMC]
    return [line for where, what, name in wanted for line in missing(where, what, [name], folder)]


def experiments(folder: Path, output: Path | None, *, full: bool, seed: int, shown: bool) -> dict[str, Any]:
    """Every measurement, each remembered in the output folder as soon as it is there."""
    results: dict[str, Any] = {}
    kept = None if output is None else output / f"{'full' if full else 'fast'}-{seed}"
    present = [study for study in STUDIES.values() if not DATA_SETS[study.set].problem(folder)]
    with track(shown, "Regenerating the paper") as advance:
        for done, study in enumerate(present):
            results[study.name] = _one(study, folder, kept, full, seed)
            advance((done + 1) / (len(present) + 1))
        if "CMC" in results:
            file = None if kept is None else kept / "sweeps.json"
            results["sweeps"] = remember(file, partial(_sweeps, folder, full, seed))
    return results


def _one(study: Study, folder: Path, kept: Path | None, full: bool, seed: int) -> dict[str, Any]:
    """One data set: everything on its first split, the means of Table 6 on the others too.

    The forest is tuned on the first split in full, and was so once with 100 trees for the fast version, which tries the
    grid's numbers of leaves with these; the full one tries every forest of the grid.
    """

    def step(name: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        return remember(None if kept is None else kept / f"{study.name}{name}.json", compute)

    most = 1000 if full else 150
    forest: dict[str, Any] = {"trees": 100, "leaves": study.leaves}
    if full:
        forest = step("-forest", partial(tune, study, folder, seed=seed, step=step))

    def fit(at: int, leaves: int | None, trees: int = forest["trees"]) -> Experiment:
        return prepare(study, folder, seed=at, most=most, trees=trees, leaves=leaves)

    def split(at: int) -> tuple[Experiment, Experiment]:
        return fit(at, forest["leaves"]), fit(at, SHARP)

    def first() -> dict[str, Any]:
        experiment, sharp = split(seed)
        return measure(experiment, seed=seed) | sharp_columns(sharp, seed=seed)

    found = step("", first)
    others = [
        step(f"-{at}", lambda at=at: split_means(*split(at), seed=at))  # type: ignore[misc]
        for at in range(seed + 1, seed + SPLITS)
    ]
    span = step("-span", partial(_span, study, folder, seed))["cells"]
    grid = span[:: len(LEFT_OPEN)]  # our choices, 100 trees
    if full:
        grid = [
            step(f"-grid-{leaves}-{trees}", lambda leaves=leaves, trees=trees: cell(fit(seed, leaves, trees)))  # type: ignore[misc]
            for leaves in LEAVES
            for trees in TREES
        ]
    splits = [means(found), *others]
    growth = step(
        "-gaps",
        lambda: {
            "gaps": [
                gaps(prepare(study, folder, seed=at, most=most), seed=at) for at in range(seed, seed + SPLITS)
            ]
        },
    )
    return {
        **found,
        "span": span,
        "forest": forest,
        "grid": grid,
        "gaps": [one for one in growth["gaps"] if one],
        "splits": {key: [one[key] for one in splits if key in one] for key in splits[-1]},
    }


def _span(study: Study, folder: Path, seed: int) -> dict[str, Any]:
    """The paper's algorithm by what it leaves open and forests of every number of leaves, 100 trees each."""
    experiments = [prepare(study, folder, seed=seed, most=150, leaves=leaves) for leaves in LEAVES]
    return {"cells": [cell(one, **choice) for one in experiments for choice in LEFT_OPEN]}


def _sweeps(folder: Path, full: bool, seed: int) -> dict[str, Any]:
    """Figure 6 and the appendix, on CMC; and whether distance on all columns would have done as well."""
    experiment = prepare(STUDIES["CMC"], folder, seed=seed, most=1000 if full else 150)
    sharp = prepare(STUDIES["CMC"], folder, seed=seed, most=1000 if full else 150, leaves=SHARP)
    everything = explain(experiment, seed=seed, distance_on="all", effort=0)[1]
    return {
        "k": sweep(experiment, "k", SWEEP_K, seed=seed, alpha=40, iterations=5, effort=0),
        "sharp": sweep(sharp, "k", SWEEP_K, seed=seed, alpha=40, iterations=5, effort=0),
        **{
            name: [sweep(experiment, name, values, seed=at, effort=0) for at in range(seed, seed + SPLITS)]
            for name, values in (("alpha", SWEEP_ALPHA), ("iterations", SWEEP_ITERATIONS))
        },
        "distance_on_all": [
            float(np.mean([one.ncp for one in everything])),
            float(np.mean([one.pureness for one in everything])),
        ],
    }
