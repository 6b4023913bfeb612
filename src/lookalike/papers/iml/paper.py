"""The IML paper (Malle, Kieseberg and Holzinger 2017, Interactive anonymization for privacy aware machine learning).

Equal, hand-set and learnt weights, k from 5 to 200, four classifiers, three targets; its seven findings checked one by
one. Its people are simulated here. The classification ran on 3,000 rows by one sentence of the paper and 5,000 by
another; 500 are what its people saw. The fast version runs one vector of each kind at 3,000 rows; --full runs three at
3,000 and at 5,000, all of them at 500, and one on the whole of Adult.

The loss that the anonymiser keeps low is the generalised information loss. GIL of a class is its number of rows times
the sum over columns of its range / the table's (numbers) or the height of the lowest common ancestor / the tree's
(names). NGIL is the sum over classes / (rows x columns), between 0 and 1. With weights the sum is weighted.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from lookalike.base.progress import track
from lookalike.measures.utility.classifiers import require_sklearn
from lookalike.papers.comparison import AGREES, UNTOLD, Line, keep, tell
from lookalike.papers.data import missing
from lookalike.papers.iml.curves import curves, draw
from lookalike.papers.iml.findings import BASE_ROWS, PEOPLE_ROWS, PaperFinding, findings
from lookalike.papers.iml.runs import (
    CARELESS,
    KINDS,
    KS,
    MIDDLE_K,
    ORIGINAL,
    STARS,
    TARGETS,
    Scores,
    TargetStudy,
    key,
    load,
)
from lookalike.papers.iml.statements import VECTORS, statements

AT_BASE = 3  #: weight vectors of each kind at each size of the base set

OPEN = "its people are simulated here; their weights, its folds, averages and encodings are not printed"


def run(*, output: Path | None, full: bool, seed: int, json: bool, folder: Path | None = None) -> None:
    """Measure every curve and check the findings. With an output folder, an interrupted run is taken up again."""
    found = lines(output=output, full=full, seed=seed, folder=folder, shown=not json)
    tell(found, paper="iml", title="Interactive anonymisation", output=output, json=json)


def lines(*, output: Path | None, full: bool, seed: int, folder: Path | None, shown: bool) -> list[Line]:
    """The findings at every size as comparisons, and the statements that need no training."""
    require_sklearn()
    if lacking := _lacking(folder):
        return keep(lacking, paper="iml", output=output)
    assert folder is not None
    frame, scores, sizes = _measured(folder, output, full=full, seed=seed, shown=shown)
    found = {rows: findings(scores, rows) for rows in sizes}
    return keep([*finding_lines(found), *statements(frame, scores, seed=seed)], paper="iml", output=output)


def finding_lines(found: dict[int, list[PaperFinding]]) -> list[Line]:
    """The findings at every size as comparisons."""
    return [finding_line(one, rows) for rows, checked in found.items() for one in checked]


def finding_line(one: PaperFinding, rows: int) -> Line:
    """A finding as a comparison; three of the seven are about one figure each."""
    where = {3: "Figure 2", 4: "Figure 3", 5: "Figure 4"}.get(one.number, f"Finding {one.number}")
    verdict = AGREES if one.held else UNTOLD
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
    sizes = {BASE_ROWS[0]: 1}
    if full:
        sizes = {PEOPLE_ROWS: VECTORS // len(KINDS), **dict.fromkeys(BASE_ROWS, AT_BASE), frame.height: 1}
    scores = measure(frame, sizes, output, seed=seed, shown=shown)
    for rows in sizes if output is not None else ():
        assert output is not None
        text = page(scores, rows, findings(scores, rows), sizes[rows])
        (output / f"iml-{rows}.txt").write_text(text, encoding="utf-8")
        draw(curves(scores, rows), rows, output)
    return frame, scores, sizes


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
    studies = {
        (rows, target): TargetStudy(frame.head(rows), target, seed)
        for rows in sorted({*sizes, PEOPLE_ROWS, *BASE_ROWS})
        for target in TARGETS
    }
    wanted: list[tuple[int, str, str, int, tuple[int, ...]]] = [
        (rows, target, ORIGINAL, 0, (0,)) for rows in sizes for target in TARGETS
    ]
    wanted += [
        (rows, target, kind, vector, KS)
        for rows, vectors in sizes.items()
        for vector in range(vectors)
        for target in TARGETS
        for kind in KINDS
    ]
    if set(BASE_ROWS) <= set(sizes):  # the full run
        wanted += [(BASE_ROWS[0], t, CARELESS, vector, KS) for vector in range(AT_BASE) for t in TARGETS]
    wanted += [(rows, t, STARS, 0, (MIDDLE_K,)) for rows in (PEOPLE_ROWS, *BASE_ROWS) for t in TARGETS]
    todo = [(*one[:4], [k for k in one[4] if key(*one[:4], k) not in scores]) for one in wanted]
    todo = [one for one in todo if one[-1]]
    with track(shown, "Regenerating the paper") as advance:
        work = Parallel(n_jobs=-1, batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered")(
            delayed(TargetStudy.measure)(studies[rows, target], kind, vector, ks)
            for rows, target, kind, vector, ks in todo
        )
        for done, found in enumerate(work, start=1):
            scores |= found
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("a", encoding="utf-8") as log:
                    # the line break comes first: what an interruption left of a line stays on that line
                    log.writelines("\n" + jsonlib.dumps({"key": name, **one}) for name, one in found.items())
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


def page(scores: Scores, rows: int, found: Iterable[PaperFinding], vectors: int) -> str:
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
