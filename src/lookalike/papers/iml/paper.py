"""The IML paper (Malle, Kieseberg and Holzinger 2017, Interactive anonymization for privacy aware machine learning).

Equal, hand-set and learnt weights, k from 5 to 200, four classifiers, three targets; its seven findings checked one by
one. Its people are simulated here. People saw 500 rows, which is what the fast version runs; the classification ran on
3,000 rows by one sentence of the paper and 5,000 by another. --full runs all vectors at 500 rows, a few at 3,000, and
one of each kind on the whole of Adult.

The loss that the anonymiser keeps low is the generalised information loss. GIL of a class is its number of rows times
the sum over columns of its range / the table's (numbers) or the height of the lowest common ancestor / the tree's
(names). NGIL is the sum over classes / (rows x columns), between 0 and 1. With weights the sum is weighted.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lookalike.errors import MissingExtra
from lookalike.papers.comparison import AGREES, DIFFERS, WRONG, Line, same, show
from lookalike.papers.data import missing
from lookalike.papers.iml.runs import KINDS, KS, MIDDLE_K, ORIGINAL, STARS, TARGETS, Study, key, load
from lookalike.progress import track
from lookalike.utility.classifiers import CLASSIFIERS, require_sklearn

VECTORS = 129  #: weight vectors of the paper; how many of each kind it does not print, here as many of each
PAPER_ROWS = 500  #: that people saw
BASE_ROWS = 3_000  #: that were classified, or 5,000
MORE_ROWS = 5_000  #: where values that became `*` are counted again, for the last finding

OPEN = "its people are simulated here; their weights, its folds, averages and encodings are not printed"

Scores = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Finding:
    """One claim of the paper, whether it held here, and the numbers that say so."""

    number: int
    claim: str
    held: bool
    evidence: str


def run(
    *,
    output: Path | None = None,
    full: bool = False,
    seed: int = 0,
    json: bool = False,
    folder: Path | None = None,
) -> dict[str, Any]:
    """Measure every curve and check the findings. With an output folder, an interrupted run is taken up again."""
    require_sklearn()
    if lacking := _lacking(folder):
        told: dict[str, Any] = {"lines": [vars(line) for line in lacking]}
        if json:
            _print_json(told)
        else:
            show(lacking, "Interactive anonymisation")
        return told
    assert folder is not None
    frame, scores, sizes = _measured(folder, output, full=full, seed=seed, shown=not json)
    found = {rows: findings(scores, rows) for rows in sizes}
    slips = in_print(frame)
    result = {
        "in_print": [vars(line) for line in slips],
        "vectors_per_kind": sizes,
        "findings": {rows: [vars(one) for one in checked] for rows, checked in found.items()},
        "curves": {rows: curves(scores, rows).to_dicts() for rows in sizes},
    }
    if json:
        _print_json(result)
    else:
        print("\n\n".join(page(scores, rows, found[rows], sizes[rows]) for rows in sizes) + "\n")
        show(slips, "Statements in print")
    return result


def lines(*, output: Path | None, full: bool, seed: int, folder: Path | None, shown: bool) -> list[Line]:
    """The findings at every size as comparisons, and the statements that need no training."""
    require_sklearn()
    if lacking := _lacking(folder):
        return lacking
    assert folder is not None
    frame, scores, sizes = _measured(folder, output, full=full, seed=seed, shown=shown)
    return [*(finding_line(one, rows) for rows in sizes for one in findings(scores, rows)), *in_print(frame)]


def finding_line(one: Finding, rows: int) -> Line:
    """A finding as a comparison; three of the seven are about one figure each."""
    where = {3: "Figure 2", 4: "Figure 3", 5: "Figure 4"}.get(one.number, f"Finding {one.number}")
    verdict = AGREES if one.held else DIFFERS
    return Line(where, f"{one.claim} ({rows:,} rows)", "yes", one.evidence, verdict, "" if one.held else OPEN)


def _lacking(folder: Path | None) -> list[Line]:
    return [
        line
        for figure in ("Figure 2", "Figure 3", "Figure 4")
        for line in missing(figure, "", ["adult"], folder)
    ]


def _measured(
    folder: Path, output: Path | None, *, full: bool, seed: int, shown: bool
) -> tuple[pl.DataFrame, Scores, dict[int, int]]:
    """Adult, the scores, and how many vectors of a kind at each size; pages and pictures go to the output folder."""
    frame = load(folder)
    sizes = {PAPER_ROWS: VECTORS // len(KINDS), BASE_ROWS: 3, frame.height: 1} if full else {PAPER_ROWS: 2}
    scores = measure(frame, sizes, output, seed=seed, shown=shown)
    for rows in sizes if output is not None else ():
        assert output is not None
        text = page(scores, rows, findings(scores, rows), sizes[rows])
        (output / f"iml-{rows}.txt").write_text(text, encoding="utf-8")
        draw(curves(scores, rows), rows, output)
    return frame, scores, sizes


def _print_json(result: dict[str, Any]) -> None:
    from lookalike.cli._common import print_json

    print_json(result)


def in_print(frame: pl.DataFrame) -> list[Line]:
    """Statements of the paper that can be checked without training anything."""
    levels = [rows["education-num"].n_unique() for rows in (frame.head(PAPER_ROWS), frame)]
    counted = f"{VECTORS} weight vectors at {len(KS)} values of k; the original makes it 775"
    some = f"in the first {PAPER_ROWS} complete rows, and in all {frame.height:,}"
    return [
        same("Text", "new anonymised sets", 775, VECTORS * len(KS), counted),
        Line(
            "Text",
            "levels of education",
            "14",
            f"{levels[0]} and {levels[1]}",
            AGREES if 14 in levels else WRONG,
            some,
        ),
        Line(
            "Text", "rows of the base set", "3,000 and 5,000", "", WRONG, "two places contradict each other"
        ),
        same("Text", "the GDPR applies from", "1 June 2018", "25 May 2018", "Article 99"),
    ]


def measure(
    frame: pl.DataFrame, sizes: dict[int, int], output: Path | None, *, seed: int, shown: bool
) -> Scores:
    """Every score by the key of its setting; each is written down as soon as it is there.

    Settings are measured side by side, in processes of their own: at 500 rows the classifiers spend their time in
    Python, where threads wait for one another.
    """
    from joblib import Parallel, delayed

    file = None if output is None else output / f"iml-scores-{seed}.jsonl"
    scores = _remembered(file)
    todo = []
    for rows, vectors in sizes.items():
        for target in TARGETS:
            study = Study(frame.head(rows), target, seed)
            todo.append((study, ORIGINAL, 0, 0))
            todo += [(study, kind, i, k) for kind in KINDS for i in range(vectors) for k in KS]
    todo += [(Study(frame.head(MORE_ROWS), target, seed), STARS, 0, MIDDLE_K) for target in TARGETS]
    todo = [one for one in todo if key(one[0].frame.height, one[0].target, *one[1:]) not in scores]
    with track(shown, "Regenerating the paper") as advance:
        work = Parallel(n_jobs=-1, batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered")(
            delayed(Study.measure)(*one) for one in todo
        )
        for done, (name, found) in enumerate(work, start=1):
            scores[name] = found
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("a", encoding="utf-8") as log:
                    # the line break comes first: what an interruption left of a line stays on that line
                    log.write("\n" + jsonlib.dumps({"key": name, **found}))
            advance(done / len(todo))
    return scores


def _remembered(file: Path | None) -> Scores:
    if file is None or not file.is_file():
        return {}
    out: Scores = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            one = jsonlib.loads(line)
        except ValueError:
            continue  # an empty line, or what an interruption left of one
        out[one.pop("key")] = one
    return out


def curves(scores: Scores, rows: int) -> pl.DataFrame:
    """Mean F1 over the vectors of a kind: target, kind, classifier, k (0 is the original), f1 (weighted), f1_macro."""
    out = []
    for target in TARGETS:
        for kind in KINDS:
            for classifier in CLASSIFIERS:
                for k in (0, *KS):
                    f1 = [
                        _mean(scores, rows, target, kind if k else ORIGINAL, k, name)
                        for name in (classifier, f"{classifier}, macro")
                    ]
                    out.append((target, kind, classifier, k, *f1))
    return pl.DataFrame(out, schema=["target", "kind", "classifier", "k", "f1", "f1_macro"], orient="row")


def _mean(scores: Scores, rows: int, target: str, kind: str, k: int, what: str) -> float:
    start, end = f"{rows}/{target}/{kind}/", f"/{k}"
    return float(
        np.mean([one[what] for name, one in scores.items() if name.startswith(start) and name.endswith(end)])
    )


def findings(scores: Scores, rows: int) -> list[Finding]:
    """The seven findings of the paper, each as a statement that can fail."""
    table = curves(scores, rows)

    def f1(target: str, kind: str | None = None, classifier: str | None = None) -> list[float]:
        """Mean F1 per k, over everything not named."""
        part = table.filter((pl.col("target") == target) & (pl.col("k") > 0))
        if kind is not None:
            part = part.filter(pl.col("kind") == kind)
        if classifier is not None:
            part = part.filter(pl.col("classifier") == classifier)
        return part.group_by("k").agg(pl.col("f1").mean()).sort("k")["f1"].to_list()

    def above(target: str, one: str, other: str) -> int:
        return sum(a > b for a, b in zip(f1(target, one), f1(target, other)))

    def wins(target: str) -> dict[str, int]:
        """How often each kind is strictly best over k."""
        best: dict[str, int] = dict.fromkeys(KINDS, 0)
        for scores_at_k in zip(*(f1(target, kind) for kind in KINDS)):
            first, second = sorted(scores_at_k, reverse=True)[:2]
            if first > second:
                best[KINDS[scores_at_k.index(first)]] += 1
        return best

    before = {t: table.filter((pl.col("target") == t) & (pl.col("k") == 0))["f1"].mean() for t in TARGETS}
    kept = {t: f1(t)[-1] / float(str(before[t])) for t in TARGETS}
    bend = {t: np.mean([np.abs(np.diff(f1(t, kind), 2)).mean() for kind in KINDS]) for t in TARGETS}
    jumps = {c: np.abs(np.diff(f1("income", None, c))[-3:]).mean() for c in CLASSIFIERS}
    rising = [
        (t, kind, c)
        for t in TARGETS
        for kind in KINDS
        for c in CLASSIFIERS
        if f1(t, kind, c)[-1] > min(f1(t, kind, c)[:-1])
    ]
    naive = {t: scores[key(rows, t, ORIGINAL)]["baseline"] for t in TARGETS}
    stars = {
        rows: np.mean([_mean(scores, rows, t, "equal", MIDDLE_K, "stars") for t in TARGETS]),
        MORE_ROWS: np.mean([scores[key(MORE_ROWS, t, STARS, 0, MIDDLE_K)]["stars"] for t in TARGETS]),
    }
    lower = [t for t in TARGETS if f1(t)[0] > f1(t)[-1]]
    marital, education, income = TARGETS
    n = len(KS)
    return [
        Finding(
            1,
            "F1 falls with k, but only weakly",
            len(lower) == 3 and min(kept.values()) > 0.75,
            "kept at k=200 of the original's F1: " + _list(kept),
        ),
        Finding(
            2,
            "education and income: no kind of weights wins clearly",
            max(*wins(education).values(), *wins(income).values()) < n - 1,
            f"strictly best, of {n} values of k: education {_counts(wins(education))}; "
            f"income {_counts(wins(income))}",
        ),
        Finding(
            3,
            "marital status: smoothest curves, bias above equal and iML throughout",
            min(bend, key=lambda t: float(bend[t])) == marital
            and above(marital, "bias", "equal") == n
            and above(marital, "bias", "iml") == n,
            f"bias above equal at {above(marital, 'bias', 'equal')} of {n}, above iML at "
            f"{above(marital, 'bias', 'iml')}; roughness " + _list(bend),
        ),
        Finding(
            4,
            "education: bias mostly above iML, equal best at k=200, all worse than other targets",
            above(education, "bias", "iml") > n / 2
            and f1(education, "equal")[-1] == max(f1(education, kind)[-1] for kind in KINDS)
            and np.mean(f1(education)) == min(np.mean(f1(t)) for t in TARGETS),
            f"bias above iML at {above(education, 'bias', 'iml')} of {n}; at k=200 "
            + _list({kind: f1(education, kind)[-1] for kind in KINDS})
            + "; mean F1 "
            + _list({t: np.mean(f1(t)) for t in TARGETS}),
        ),
        Finding(
            5,
            "income: bias and iML mostly below equal; linear SVC odd at high k",
            above(income, "equal", "bias") > n / 2
            and above(income, "equal", "iml") > n / 2
            and max(jumps, key=lambda c: float(jumps[c])) == "linear SVC",
            f"equal above bias at {above(income, 'equal', 'bias')} of {n}, above iML at "
            f"{above(income, 'equal', 'iml')}; mean step beyond k=20 " + _list(jumps),
        ),
        Finding(
            6,
            "k=200 still works, sometimes better than smaller k",
            bool(rising) and all(f1(t)[-1] > naive[t] for t in TARGETS),
            f"better than some smaller k in {len(rising)} of 36 curves; F1 at k=200 "
            + _list({t: f1(t)[-1] for t in TARGETS})
            + ", naive "
            + _list(naive),
        ),
        Finding(
            7,
            "the reason offered: few rows make values reach * too early",
            bool(stars[min(stars)] > 1.5 * stars[max(stars)]),
            f"share of values that are * at k={MIDDLE_K}, by rows: " + _list(stars),
        ),
    ]


def page(scores: Scores, rows: int, found: Iterable[Finding], vectors: int) -> str:
    """One size of the experiment as text."""
    lines = [f"Adult, {rows:,} rows, {vectors} weight vector(s) of each kind; F1 weighted, five folds", ""]
    table = curves(scores, rows)
    for target in TARGETS:
        lines += [target, "  " + " ".join(f"{word:>9}" for word in ("", "original", *(f"k={k}" for k in KS)))]
        for kind in KINDS:
            part = table.filter((pl.col("target") == target) & (pl.col("kind") == kind))
            means = part.group_by("k").agg(pl.col("f1").mean()).sort("k")["f1"].to_list()
            lines.append("  " + " ".join([f"{kind:>9}", *(f"{mean:>9.3f}" for mean in means)]))
    lines.append("")
    for one in found:
        lines += [f"{one.number}. {'held' if one.held else 'not held'}: {one.claim}", f"   {one.evidence}"]
    return "\n".join(lines)


def draw(table: pl.DataFrame, rows: int, folder: Path) -> None:
    """One SVG per target: x the original and then k, a line per kind, a panel per classifier."""
    try:
        import altair as alt
    except ImportError:
        raise MissingExtra("altair", "report", "drawing the curves") from None
    order = ["original", *map(str, KS)]
    for target in TARGETS:
        part = table.filter(pl.col("target") == target).with_columns(
            pl.when(pl.col("k") == 0)
            .then(pl.lit("original"))
            .otherwise(pl.col("k").cast(pl.String))
            .alias("k")
        )
        chart = (
            alt.Chart({"values": part.to_dicts()})
            .mark_line(point=True)
            .encode(
                x=alt.X("k:N", sort=order, title="k"),
                y=alt.Y("f1:Q", scale=alt.Scale(zero=False), title="F1 (weighted)"),
                color=alt.Color("kind:N", sort=list(KINDS), title="weights"),
                facet=alt.Facet("classifier:N", columns=2, sort=list(CLASSIFIERS), title=target),
            )
            .properties(width=260, height=160)
        )
        chart.save(folder / f"iml-{rows}-{target}.svg", format="svg")


def _list(values: dict[Any, Any]) -> str:
    return ", ".join(f"{name} {float(value):.3f}" for name, value in values.items())


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
