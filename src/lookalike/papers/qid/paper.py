"""The QID paper: medical example, Tables 4-7 and the counterparts of Figures 1 and 2, printed and computed side by
side.

Simões, Vilela, Santos and Abreu, metrics and optimisers for the recognition of quasi-identifiers (2025). Where the
print cannot be right, the remark proves it. Tables 5 to 7 need public data sets; each that is missing has its line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lookalike.papers.comparison import (
    AGREES,
    CONTRADICTS,
    OURS,
    UNTOLD,
    WITHIN,
    Line,
    keep,
    over_seeds,
    tell,
)
from lookalike.papers.data import DATA_SETS
from lookalike.papers.qid.definitions import choices, definitions
from lookalike.papers.qid.experiment import recognition, searches, table_5, table_6, table_7, weighting
from lookalike.papers.qid.printed import CAUSAL_MOST, FIGURE_1, MEDICAL, TABLE_4
from lookalike.recognition.fitness import fitness_5_1, fitness_paper_5_1
from lookalike.recognition.metrics import measure
from lookalike.recognition.metrics.metric import Metric
from lookalike.recognition.search import search_quasi
from lookalike.recognition.selection import Selection, select_metrics
from lookalike.tables.datasets.people import population
from lookalike.tables.intake import read, table
from lookalike.tables.table import Table

SEEDS = 20  #: tables drawn for the spread of Figure 1
PICTURE = "a picture without numbers, of columns the paper does not name; ours is drawn with -o"
GENERATOR = "the paper's synthetic table is not described, so only signs can be compared"


def run(*, output: Path | None, full: bool, seed: int, json: bool, folder: Path | None = None) -> None:
    """Print the comparison; write it and the figures where a folder is given. `full` uses the paper's 10,000 rows."""
    found = lines(output=output, full=full, seed=seed, folder=folder, shown=not json)
    tell(found, paper="qid", title="Recognition of quasi-identifiers", output=output, json=json)


def lines(*, output: Path | None, full: bool, seed: int, folder: Path | None, shown: bool) -> list[Line]:
    """Every comparison, and a line for each data set that is not there."""
    selection, best = figure_1(10_000 if full else 1_000, seed), searches(folder, seed=seed)
    drawn = [figure_1(1_000, one, (*OTHERS, CAUSAL[-1])) for one in range(seed, seed + SEEDS)]
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        selection.plot().save(str(output / "figure-1.svg"))
        figure_2(folder).plot().save(str(output / "figure-2.svg"))
    found = [
        *definitions(),
        *table_4(),
        *optimum(),
        *table_5(folder, best),
        *table_6(folder),
        *table_7(),
        *recognition(folder, best),
        *weighting(folder, seed=seed),
        *correlations(selection, drawn),
        *causal_rows(selection, drawn),
        Line("Figure 2", "class sizes on Adult", "picture", "drawn with -o", UNTOLD, PICTURE),
        *choices(),
    ]
    return keep(found, paper="qid", output=output)


def medical() -> Table:
    """The paper's ten patients."""
    return table(pl.DataFrame(MEDICAL), others=[])


def true_values(people: Table, quasi: tuple[str, ...]) -> tuple[float, float, float, float, float]:
    """Mean class size, separation, distinction, pooled accuracy and covariate shift, by their formulas."""

    def value(metric: str) -> Metric:
        return measure(
            people, metric, quasi=list(quasi), target="Outcome", treatment="Treatment", treated="A"
        )

    return (
        value("k_anonymity").mean,
        value("separation").value,
        value("distinction").value,
        value("accuracy").record_mean,
        value("covariate_shift").value,
    )


def table_4() -> list[Line]:
    """Every row of Table 4, with the reasons why it cannot be; and which set its fitness should have preferred."""
    people = medical()
    lines = []
    literal: dict[tuple[str, ...], float] = {}
    corrected: dict[tuple[str, ...], float] = {}
    for quasi, printed in TABLE_4.items():
        found = true_values(people, quasi)
        literal[quasi], corrected[quasi] = fitness_paper_5_1(*found), fitness_5_1(*found)
        lines.append(
            Line(
                "Table 4",
                ", ".join(quasi),
                "k {} S {:.2f} D {:.2f} Acc {:.2f} CS {:.2f} F {:.2f}".format(*printed),
                "k {:.2f} S {:.3f} D {:.1f} Acc {:.1f} CS {:.3f} F {:.3f}".format(*found, corrected[quasi]),
                CONTRADICTS,
                "; ".join(impossible(quasi, printed)),
                proof=impossible(quasi, printed),
            )
        )
    by_print = max(TABLE_4, key=lambda quasi: fitness_paper_5_1(*TABLE_4[quasi][:5]))
    by_literal, by_corrected = (
        max(literal, key=literal.__getitem__),
        max(corrected, key=corrected.__getitem__),
    )
    lines.append(
        Line(
            "Table 4",
            "best set",
            "Age, Gender",
            ", ".join(by_corrected),
            CONTRADICTS,
            f"the printed inputs in the printed formula prefer {', '.join(by_print)}; true values in it prefer "
            f"{', '.join(by_literal)}, since it adds k; computed is with 1/k",
            proof={
                "F of the printed inputs": {
                    ", ".join(quasi): round(fitness_paper_5_1(*row[:5]), 4) for quasi, row in TABLE_4.items()
                }
            },
        )
    )
    return lines


def impossible(quasi: tuple[str, ...], printed: tuple[float, ...]) -> dict[str, Any]:
    """Why a printed row cannot be right, whatever the ten patients were: each reason with its numbers."""
    k, separation, distinction, accuracy, _, fitness = printed
    reasons: dict[str, Any] = {}
    if abs(distinction * 10 - round(distinction * 10)) > 1e-9:
        reasons["D is a multiple of 1/10"] = {"printed": distinction, "patients": 10}
    if abs(round(separation * 45) / 45 - separation) > 0.005:
        reasons["S is a multiple of 1/45"] = {"printed": separation, "pairs": 45}
    if accuracy < 0.6:
        least = max(Counter(MEDICAL["Outcome"]).values()) / 10
        reasons["pooled accuracy is at least the commonest outcome's share, .6"] = {
            "printed": accuracy,
            "least": least,
        }
    if k == 1 and distinction < 1:
        reasons["classes of one force D = S = 1"] = {"k": k, "D": distinction, "S": separation}
    for other, values in TABLE_4.items():
        if set(other) < set(quasi) and (values[1] > separation or values[2] > distinction):
            reasons[f"S and D cannot fall when a column is added to {', '.join(other)}"] = {
                "S and D there": values[1:3],
                "here": (separation, distinction),
            }
            break
    by_formula = fitness_paper_5_1(*printed[:5])
    if abs(by_formula - fitness) > 0.01:
        reasons[f"F of these inputs is {by_formula:.4f}"] = {"printed": fitness, "by the formula": by_formula}
    return reasons


def optimum() -> list[Line]:
    """The best set of the medical table under the fitness of section 5.2, among all 31."""
    best = search_quasi(medical(), method="exhaustive")
    ties = sum(c.fitness == best.fitness for c in best.ranking)
    found = f"{', '.join(best.columns)}: {best.fitness:.6f}, reached by {ties} sets"
    return [
        Line(
            "Section 5.2",
            "optimum over the 31 sets",
            "",
            found,
            OURS,
            "ties go to fewer columns, then the alphabet",
        )
    ]


CAUSAL = ("covariate_shift", "balance_test", "propensity_gap", "causal_importance")
OTHERS = ("k_anonymity.mean", "distinction", "separation", "range_utility", "gini", "information_gain")


def synthetic(rows: int, seed: int) -> tuple[Table, Any]:
    """Eleven columns, a target, a treatment given by some of them, and a random graph; the paper's is not described."""
    rng = np.random.default_rng(seed)
    sizes = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30)
    columns: dict[str, Any] = {
        f"x{i + 1}": (rng.random(rows) ** 1.5 * size).astype(np.int64) for i, size in enumerate(sizes)
    }
    signal = sum(weight * columns[f"x{i + 1}"] / sizes[i] for i, weight in enumerate(np.linspace(1, 3, 11)))
    columns["y"] = np.round(signal + rng.normal(0, 0.3, rows)).astype(np.int64)
    arrows = np.triu((rng.random((11, 11)) < 0.3).astype(float), 1)
    drawn = sum(columns[f"x{i + 1}"] / sizes[i] for i in range(0, 11, 3)) + rng.normal(0, 0.5, rows)
    columns["t"] = (drawn > np.median(drawn)).astype(np.int64)
    return table(pl.DataFrame(columns), others=[]), arrows


def figure_1(rows: int, seed: int, metrics: Sequence[str] | None = None) -> Selection:
    """All metrics, or some, over all sets of four of eleven columns of the synthetic table."""
    people, arrows = synthetic(rows, seed)
    columns = [name for name in people.names if name.startswith("x")]
    return select_metrics(
        people,
        size=4,
        columns=columns,
        metrics=metrics,
        target="y",
        treatment="t",
        treated="1",
        adjacency=arrows,
    )


def causal_rows(selection: Selection, seeds: Sequence[Selection]) -> list[Line]:
    """The causal rows of Figure 1, which need a treatment and a graph: how each goes with metrics of other kinds."""
    made_up = "the paper's table, treatment and causal graph are not described; ours are made up"
    lines = []
    for metric in CAUSAL[:-1]:
        what = f"{metric}: correlation with {', '.join(OTHERS)}"
        told = ", ".join(f"{selection.correlation(metric, other):+.2f}" for other in OTHERS)
        lines.append(Line("Figure 1", what, "not known to us", told, OURS, made_up))
    most = [[max(abs(one.correlation(CAUSAL[-1], other)) for other in OTHERS)] for one in seeds]
    what = f"{CAUSAL[-1]}: largest correlation with any of {', '.join(OTHERS)}"
    return [
        *lines,
        over_seeds("Figure 1", what, [CAUSAL_MOST], most, made_up, template="{}", show="{:.2f}"),
    ]


def correlations(selection: Selection, seeds: Sequence[Selection]) -> list[Line]:
    """The printed correlations beside the range of ours; of a table that is not described, signs can be compared."""
    lines = []
    for (one, two), printed in FIGURE_1.items():
        found = [drawn.correlation(one, two) for drawn in seeds]
        low, high = f"{min(found):+.2f}", f"{max(found):+.2f}"
        agrees = all(value * printed > 0 for value in found)
        remark = GENERATOR
        if printed == -1:
            remark = "k_mean is 1/D; the record-weighted class size is an affine function of S, hence -1"
        lines.append(
            Line(
                "Figure 1",
                f"{one} and {two}: sign",
                f"{printed:+.2f}",
                low if low == high else f"{low} to {high}",
                AGREES if agrees else WITHIN if any(value * printed > 0 for value in found) else UNTOLD,
                remark,
                seeds=len(found),
            )
        )
    return [
        *lines,
        Line(
            "Section 4",
            "metrics chosen",
            "causal importance, k, range utility, distinction, separation",
            ", ".join(selection.chosen),
            UNTOLD,
            f"{GENERATOR}; ours are chosen greedily, the least redundant of each domain",
        ),
    ]


def figure_2(folder: Path | None) -> Metric:
    """Class sizes of Adult by its demographic columns; of the synthetic population where Adult is not at hand."""
    if folder is None or DATA_SETS["adult"].problem(folder):
        people = table(population(10_000, 0), others=[])
        return measure(people, "k_anonymity", quasi=["age", "gender", "marital_status"])
    people = read(folder / "adult" / "adult.csv", others=[])
    return measure(people, "k_anonymity", quasi=["age", "sex", "race", "marital-status"])
