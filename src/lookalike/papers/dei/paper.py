"""The de-identification case study (Hemmati, de Jong, Ang and Ng): steps, Figure 1, Tables 1 to 3, the k chosen, risks.

The study's table is not public, so the pipeline runs on invented people, twenty times with a seed each: beside every
printed number stands the range of ours. What can be checked without the data is checked: the arithmetic of Table 1, and
what Tables 2 and 3 say.
"""

from __future__ import annotations

from pathlib import Path

from lookalike.base.progress import track
from lookalike.papers.comparison import Line, keep, tell
from lookalike.papers.dei.choosing import study_lines
from lookalike.papers.dei.pipeline import figure_1, pipeline, pipeline_lines
from lookalike.papers.dei.pseudonyms import pseudonyms
from lookalike.papers.dei.study import SeededStudy, study

PEOPLE = 100_000
SEEDS = 20


def run(*, output: Path | None, full: bool, seed: int, json: bool, folder: Path | None = None) -> None:
    """Run the pipeline on invented people and print it beside the study's numbers."""
    found = lines(output=output, full=full, seed=seed, folder=folder, shown=not json)
    title = f"De-identification case study, on {PEOPLE:,} invented people {SEEDS} times"
    tell(found, paper="dei", title=title, output=output, json=json)


def lines(*, output: Path | None, full: bool, seed: int, folder: Path | None, shown: bool) -> list[Line]:
    """Every comparison, on invented people; no data set is needed."""
    runs: list[SeededStudy] = []
    with track(shown, "Inventing people, de-identifying them, choosing k") as advance:
        for one in range(seed, seed + SEEDS):
            runs.append(study(pipeline(PEOPLE, one), seed=one))
            advance(len(runs) / SEEDS)
    first = runs[0]
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        figure_1(first.found).save(str(output / "dei-figure-1.svg"))
        first.chosen.save(output / "dei-k.svg")
    told = [
        *pipeline_lines([one.found for one in runs]),
        *study_lines(runs),
        *pseudonyms(seed),
    ]
    return keep(told, paper="dei", output=output)
