"""The QID paper's experiment (Tables 5 to 7): best sets, their measures and fitness, and how well they recognise.

Where the print contradicts itself that is shown from the print alone; the rest needs the five public data sets.
"""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import numpy as np

from lookalike.papers.comparison import AGREES, CONTRADICTS, DIFFERS, OURS, UNTOLD, Line, same
from lookalike.papers.data import DATA_SETS, missing
from lookalike.papers.qid.printed import (
    MEANT,
    TABLE_5,
    TABLE_6,
    TABLE_6_F,
    TABLE_7,
    TABLE_7_ACCURACY,
    best_set,
    columns_as_read,
)
from lookalike.recognition.fitness import Fitness
from lookalike.recognition.inspecting import inspect
from lookalike.recognition.metrics.performance import Scores, score_recognition
from lookalike.recognition.search import QuasiSearch, search_quasi
from lookalike.recognition.subsets import Universe
from lookalike.recognition.truths import truths
from lookalike.recognition.weighting import Labelled, leave_one_out
from lookalike.tables.intake import read
from lookalike.tables.table import Table

RATES = ("specificity", "fpr", "precision", "recall", "f1", "f2", "jaccard", "dice")
MOST = 12  #: columns of one kind that counts behind Table 7 may have
F_UNTOLD = (
    "f depends on its weights, of which the listing has similar ones, and on the set visited before; neither is "
    "printed"
)
ASSUMED = (
    "if gains over the set visited before count for nothing, and one alpha and weights from 0 up hold for all"
)


def tables(folder: Path | None) -> dict[str, Table]:
    """The data sets that are there."""
    if folder is None:
        return {}
    there = [name for name in TABLE_5 if not DATA_SETS[name].problem(folder)]
    return {name: read(DATA_SETS[name].file(folder), others=[]) for name in there}


Found = dict[str, dict[str, QuasiSearch]]  #: by data set and method


def searches(folder: Path | None, *, seed: int) -> Found:
    """The best sets by the evolutionary search and by the exhaustive one, of the data sets that are there."""
    return {
        name: {
            method: search_quasi(
                people, method=method, seed=seed, columns=columns_as_read(name, people.names)
            )
            for method in ("evolutionary", "exhaustive")
        }
        for name, people in tables(folder).items()
    }


def table_5(folder: Path | None, found: Found) -> list[Line]:
    """The printed best sets beside those the evolutionary search and the exhaustive one find, and their fitness."""
    lines = missing("Table 5", "", TABLE_5, folder)
    for name, people in tables(folder).items():
        universe = Universe(people, columns_as_read(name, people.names))
        printed = float(Fitness().evaluate(universe, [universe.subset(best_set(name))])[0])
        best = found[name]["exhaustive"]
        shown = "; ".join(
            f"{method} {', '.join(one.columns)}: {one.fitness:.4f}" for method, one in found[name].items()
        )
        optimal = printed >= best.fitness - 1e-9
        lines.append(
            Line(
                "Table 5",
                f"{name}, of {len(universe)} columns: set and its fitness by the listing's weights",
                f"{', '.join(best_set(name))}: {printed:.4f}",
                shown,
                AGREES if optimal else UNTOLD,
                ""
                if optimal
                else "by these weights the printed set is not the best; by which the paper chose it is not printed, "
                "see f in Table 6",
            )
        )
        if name in MEANT:
            lines.append(_names(name, people))
    return lines


def _names(name: str, people: Table) -> Line:
    """The printed names of a set whose header lacks a name, against its printed measures."""
    sides = {
        "as named": _measured(Universe(people, None), TABLE_5[name]),
        "each name over the next column": _measured(
            Universe(people, columns_as_read(name, people.names)), best_set(name)
        ),
    }
    return Line(
        "Table 5",
        f"{name}: names of the best set",
        ", ".join(TABLE_5[name]),
        ", ".join(best_set(name)),
        CONTRADICTS,
        "the header of the source names 8 of 9 columns, so every name stands one column early; so Table 6 is right",
        proof={"Table 6": dict(zip("DSKA", TABLE_6[name], strict=True))}
        | {side: dict(zip("DSKA", values, strict=True)) for side, values in sides.items()},
    )


def _measured(universe: Universe, columns: list[str]) -> list[float]:
    """Distinction, separation, mean class size and length penalty of a set."""
    one = universe.measure([universe.subset(columns)])
    return [float(x[0]) for x in (one.distinction, one.separation, one.k_mean, one.length_penalty)]


def table_6(folder: Path | None) -> list[Line]:
    """Distinction, separation, mean class size and length penalty of the printed best sets; and their fitness."""
    lines = missing("Table 6", "", TABLE_6, folder)
    for name, people in tables(folder).items():
        universe = Universe(people, columns_as_read(name, people.names))
        columns = best_set(name)
        values = _measured(universe, columns)
        how = [fits(value, printed) for value, printed in zip(values, TABLE_6[name], strict=True)]
        agrees = all(how)
        cut = [letter for letter, fit in zip("DSKA", how, strict=True) if fit == "cut"]
        lines.append(
            Line(
                "Table 6",
                f"{name}: {', '.join(columns) if len(columns) < 9 else 'all 14 inputs'}",
                "D {:.2f} S {:.2f} K {:.2f} A {:.2f}".format(*TABLE_6[name]),
                "D {:.4f} S {:.4f} K {:.3f} A {:.4f}".format(*values),
                AGREES if agrees else DIFFERS,
                f"{' and '.join(cut)} cut, the others rounded"
                if agrees and cut
                else ""
                if agrees
                else "another version of the data set",
            )
        )
        fitness = float(Fitness().evaluate(universe, [universe.subset(columns)])[0])
        what = f"{name}: f; ours by the listing's weights, without gains"
        lines.append(Line("Table 6", what, f"{TABLE_6_F[name]}", f"{fitness:.4f}", UNTOLD, F_UNTOLD))
    above, below = disorder()
    proof = "D {:.2f} S {:.2f} K {:.2f}"
    return [
        *lines,
        Line(
            "Table 6",
            f"f A of {above} beside that of {below}, whose D and S are no smaller and K is no larger",
            f"{_numerator(above):.1f} and {_numerator(below):.1f}",
            f"{proof.format(*TABLE_6[above])} and {proof.format(*TABLE_6[below])}",
            OURS,
            f"{ASSUMED}, the order of these two is the other one",
        ),
        Line(
            "Table 6",
            "f of any set by the weights of the listing, gains included",
            f"{min(TABLE_6_F.values())} to {max(TABLE_6_F.values())}",
            f"at most {most_fitness():.2f}",
            OURS,
            "D, S and their gains are at most 1, K is at least 1 and A at least .5: so the weights were others",
        ),
    ]


def most_fitness() -> float:
    """The fitness of Section 5.2 with the listing's weights if D, S and both gains were 1, K 1 and A one half."""
    one = Fitness(distinction_gain=0.2, separation_gain=0.2)
    most = one.distinction + one.separation - one.k_mean + one.distinction_gain + one.separation_gain
    return most / (one.alpha * 0.5)


def fits(value: float, printed: float) -> str:
    """Whether a print with two decimals is this value rounded, or cut; empty where it is neither."""
    if abs(value - printed) <= 0.005 + 1e-9:
        return "rounded"
    return "cut" if int(value * 100) == round(printed * 100) else ""


def disorder() -> tuple[str, str]:
    """Two rows of Table 6 whose fitness stands in the wrong order if gains are 0, for all weights not negative.

    f A is then b1 D + b2 S - b3 K over a; a row with no larger D and S and no smaller K cannot have more of it. Of all
    such pairs the one with the largest gap.
    """
    pairs = [
        (one, two)
        for one, two in permutations(TABLE_6, 2)
        if TABLE_6[one][0] <= TABLE_6[two][0]
        and TABLE_6[one][1] <= TABLE_6[two][1]
        and TABLE_6[one][2] >= TABLE_6[two][2]
        and _numerator(one) > _numerator(two)
    ]
    return max(pairs, key=lambda pair: _numerator(pair[0]) - _numerator(pair[1]))


def _numerator(name: str) -> float:
    return TABLE_6_F[name] * TABLE_6[name][3]


def table_7() -> list[Line]:
    """Table 7 from the only counts that give it with the sizes of Table 5, and what these counts imply."""
    lines = []
    for name, printed in TABLE_7.items():
        predicted, columns = len(TABLE_5[name]), len(columns_as_read(name, DATA_SETS[name].columns))
        listed = counts_behind(printed, predicted)
        counts = listed or counts_behind(printed, predicted + 1)
        shown = ", ".join(f"{rate} {value:.2f}" for rate, value in zip(RATES, printed, strict=True))
        if not listed:
            lines.append(
                Line(
                    "Table 7",
                    f"{name}: columns recognised",
                    f"{predicted} in Table 5",
                    f"{predicted + 1} are needed",
                    CONTRADICTS,
                    f"no counts with {predicted} columns recognised give the row of {name}",
                    proof={
                        "rates": dict(zip(RATES, printed, strict=True)),
                        "columns in Table 5": predicted,
                        "counts": counts,
                    },
                )
            )
        scores = Scores(*counts[0])
        lines += [
            Line(
                "Table 7",
                f"{name}: rates",
                shown,
                f"follow from TP, FP, FN, TN {counts[0]}",
                AGREES if len(counts) == 1 else UNTOLD,
                "" if len(counts) == 1 else f"{len(counts)} choices of counts do",
            ),
            same(
                "Table 7",
                f"{name}: columns in all",
                sum(counts[0]),
                columns,
                "the counts behind the printed rates need more or fewer columns than the set has; TN equals FN in all "
                "five rows, so specificity seems to have been computed with FN in its place",
                proof=dict(zip(("TP", "FP", "FN", "TN"), counts[0], strict=True)) | {"columns": columns},
            ),
            same(
                "Table 7",
                f"{name}: accuracy as the paper defines it, |P ∩ Q| / |Q|",
                f"{TABLE_7_ACCURACY[name]:.2f}",
                f"{scores.recall:.2f}",
                "not even by its own definition",
            ),
        ]
    return lines


def counts_behind(printed: tuple[float, ...], predicted: int) -> list[tuple[int, int, int, int]]:
    """All small counts (TP, FP, FN, TN) with so many columns recognised that give the printed rates."""
    found = []
    for tp, fn, tn in product(range(predicted + 1), range(MOST), range(MOST)):
        scores = Scores(tp, predicted - tp, fn, tn)
        if all(
            abs(getattr(scores, rate) - value) <= 0.0051 for rate, value in zip(RATES, printed, strict=True)
        ):
            found.append((tp, predicted - tp, fn, tn))
    return found


def recognition(folder: Path | None, found: Found) -> list[Line]:
    """F1 of the printed sets, of the best by search and of `inspect` on the same sets, truth and average.

    The truth is ours (`truths.toml`); the authors' is not printed, so their own mean stands apart. Car is not about
    people and has nothing to recognise: its F1 is 1 where nothing is flagged, else 0, and the mean is told with and
    without it.
    """
    f1: dict[str, list[float]] = {"printed set": [], "best set": [], "inspect": []}
    silent: dict[str, list[float]] = {way: [] for way in f1}
    lines = missing("Recognition", "", TABLE_5, folder)
    for name, people in tables(folder).items():
        truth = truths()[name].quasi
        best = found[name]["exhaustive"].columns
        ways = {"printed set": best_set(name), "best set": best, "inspect": inspect(people).quasi}
        if not truth:
            for way, columns in ways.items():
                silent[way].append(float(not columns))
            flagged = ", ".join(f"{way} {len(columns)}" for way, columns in ways.items())
            lines.append(
                Line(
                    "Recognition",
                    f"{name}: columns flagged",
                    "",
                    flagged,
                    OURS,
                    "not about people: none is right",
                )
            )
            continue
        scores = {way: score_recognition(columns, truth, people.names) for way, columns in ways.items()}
        for way, one in scores.items():
            f1[way].append(one.f1 if one.tp else 0.0)
        shown = "; ".join(
            f"{way} P {s.precision:.2f} R {s.recall:.2f} F1 {f1[way][-1]:.2f}" for way, s in scores.items()
        )
        lines.append(Line("Recognition", name, "", shown, OURS, f"truth: {', '.join(truth)}"))
    if any(f1.values()):
        means = "; ".join(f"{way} {np.mean(values):.2f}" for way, values in f1.items())
        every = "; ".join(f"{way} {np.mean(values + silent[way]):.2f}" for way, values in f1.items())
        count, others = len(f1["inspect"]), len(silent["inspect"])
        lines += [
            Line("Recognition", f"mean F1 over the {count} sets about people, our truth", "", means, OURS),
            Line("Recognition", f"mean F1 over all {count + others} sets, our truth", "", every, OURS),
        ]
    mean = float(np.mean([row[4] for row in TABLE_7.values()]))
    note = "on the authors' truth, which is not printed: not to be set beside the lines above"
    return [*lines, Line("Recognition", "mean F1 of Table 7, apart", f"{mean:.2f}", "", OURS, note)]


FAMILIES = {  # the tables of one population are left out together
    "Adult": ("adult", "adult_arx"),
    "CMC": ("cmc",),
    "diabetes": ("diabetes_aim94",),
    "heart": ("heart_cleveland", "heart_disease_qidlib"),
    "nursery": ("nursery",),
    "linkage": ("smartnoise_linkage/demographic", "smartnoise_linkage/medical"),
}


def weighting(folder: Path | None, *, seed: int) -> list[Line]:
    """The authors' wish, weights that adapt: learnt from labelled tables, tested on a family of tables left out."""
    families: dict[str, list[Labelled]] = {}
    for family, names in FAMILIES.items():
        files = {name: folder / truths()[name].path for name in names} if folder is not None else {}
        there = [
            Labelled(read(file, others=[]), truths()[n].quasi) for n, file in files.items() if file.is_file()
        ]
        if there:
            families[family] = there
    if len(families) < 2:
        return []
    found = leave_one_out(families, seed=seed)
    means = np.mean(list(found.values()), axis=0)
    shown = "; ".join(f"{family} {before:.2f} -> {after:.2f}" for family, (before, after) in found.items())
    naive = np.mean([np.mean([table.f1[-1] for table in tables]) for tables in families.values()])
    return [
        Line(
            "Weighting",
            f"F1 of the best set, the paper's weights -> learnt from the other families ({len(families)})",
            "",
            f"mean {means[0]:.2f} -> {means[1]:.2f}, of all columns {naive:.2f}; {shown}",
            OURS,
            "class sizes alone, whatever their weights, say little about what others know of people; `inspect` reads "
            "names and values",
        )
    ]
