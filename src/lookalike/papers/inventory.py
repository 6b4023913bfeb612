"""Every table and figure of the five papers, in our words, and one verdict on each from the lines of its comparison.

The list is written down here, not gathered from what happens to be computed: a table nobody looked at shows up as
"not checked here", and a test compares the list with what the papers print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.base.printing import print_json
from lookalike.papers.comparison import (
    AGREES,
    CONTRADICTS,
    DIFFERS,
    NOT_RUN,
    OURS,
    UNTOLD,
    VERDICTS,
    WITHIN,
    Line,
)

ITEMS = {
    "cfk": {
        "Table 1": "Lisa, who was refused, and what the model saw of her",
        "Table 2": "ten people the model was trained on, with its decisions",
        "Table 3": "what is asked of an explanation and what of a table, side by side",
        "Table 4": "the value combinations of the 3-anonymous explanation, and how many are accepted",
        "Table 5": "six data sets: rows, predictors, quasi-identifiers, group, target",
        "Table 6": "mean loss, pureness and time of explanations at k=10",
        "Figure 1": "the explanation that Lisa gets, and whom it names",
        "Figure 2": "the merged explanation of the ten people, and its k",
        "Figure 3": "the two phases of CF-K, described in Section 5.2",
        "Figure 4": "loss of every explanation, sorted, against Mondrian",
        "Figure 5": "mean pureness against Mondrian",
        "Figure 6": "loss and pureness over k, on CMC",
        "Figure 7": "mean loss of majority and minority",
        "Appendix": "loss and time over alpha and the number of iterations",
    },
    "iml": {
        "Figure 2": "F1 over k by weights and classifier, target marital status",
        "Figure 3": "the same, target education",
        "Figure 4": "the same, target income",
    },
    "qid": {
        "Tables 1 to 3": "the metrics and their formulas, the measures of a recognition, ten patients",
        "Table 4": "metrics of eight sets of the patients' columns",
        "Table 5": "the best sets the evolutionary search found on five data sets",
        "Table 6": "fitness, distinction, separation, class size and length penalty of these",
        "Table 7": "how well these sets recognise the quasi-identifiers",
        "Figure 1": "correlations between the metrics over all sets of four columns",
        "Figure 2": "histogram, distribution and quantiles of class sizes on Adult",
    },
    "fca": {
        "Table 1": "rules of the fish with confidence and support, by two thresholds",
        "Figure 1": "27 records with classical risk by year and by decade",
        "Figure 2": "the fish context and its lattice",
        "Figure 3": "the living beings' context, lattice and stem basis",
        "Figure 4": "the 27 records as a cross table of sex and overlapping decades",
        "Figure 5": "the lattice of the cross table",
        "Figure 6": "the lattice as records are deleted one after the other",
        "Figure 7": "the lattice with concepts of high risk marked",
        "Figure 8": "stem basis, before and after forgetting three attributes",
        "Figure 9": "Luxenburger basis at .75",
        "Figure 10": "not known to us",
    },
    "dei": {
        "Table 1": "records lost and impact by k",
        "Table 2": "share of lower education by region, before and after",
        "Table 3": "p-values of income by gender in seven occupations, before and after",
        "Figure 1": "class sizes after each step of generalisation",
    },
}
_WORST_FIRST = (CONTRADICTS, DIFFERS, NOT_RUN, UNTOLD, WITHIN, AGREES)


@dataclass(frozen=True)
class Entry:
    """One table or figure: what it shows, the verdict on it, why, and how many of its lines agree."""

    paper: str
    item: str
    shows: str
    verdict: str
    because: str
    lines: int  #: compared, those without a print left out
    agree: int


def judge(paper: str, lines: Sequence[Line]) -> list[Entry]:
    """One entry for every table and figure of a paper, then one for each section or statement that has lines.

    The verdict is the gravest of its lines: contradicts itself in print, differs, not checked here, cannot be told
    from print, agrees within the spread, agrees. Of an item that has only numbers of ours, nothing can be told from
    print; one without any line was not checked.
    """
    shown = {
        **ITEMS[paper],
        **{line.item: "" for line in lines if line.item and line.item not in ITEMS[paper]},
    }
    entries = []
    for item, shows in shown.items():
        about = [line for line in lines if line.item == item]
        compared = [line for line in about if line.verdict != OURS]
        verdict = next(
            (v for v in _WORST_FIRST if any(line.verdict == v for line in compared)),
            UNTOLD if about else NOT_RUN,
        )
        because = "; ".join(
            dict.fromkeys(line.remark for line in compared if line.verdict == verdict and line.remark)
        )
        if not compared:
            if item not in ITEMS[paper]:
                continue  # a section with results of ours only
            because = (
                "no printed number of it is known to us; see our own"
                if about
                else "nothing printed in it is known to us"
            )
        if verdict == AGREES:
            because = ""
        agree = sum(line.verdict in (AGREES, WITHIN) for line in compared)
        entries.append(Entry(paper, item, shows, verdict, because, len(compared), agree))
    return entries


def run(*, output: Path | None, full: bool, seed: int, json: bool, folder: Path | None) -> list[Entry]:
    """Run every paper and tell one verdict per table and figure; results of each go to a folder of its own."""
    entries: list[Entry] = []
    every: list[dict[str, Any]] = []
    for paper in ITEMS:
        place = None if output is None else output / paper
        if place is not None:
            place.mkdir(parents=True, exist_ok=True)
        lines = import_module(f"lookalike.papers.{paper}").lines(
            output=place, full=full, seed=seed, folder=folder, shown=not json
        )
        every += [{"paper": paper, **asdict(line)} for line in lines]
        entries += judge(paper, lines)
    if output is not None:
        pl.DataFrame([asdict(entry) for entry in entries]).write_csv(output / "all.csv")
    if json:
        print_json(
            {"items": [asdict(entry) for entry in entries], "verdicts": count(entries), "lines": every}
        )
    else:
        _show(entries)
    return entries


def count(entries: Sequence[Entry]) -> dict[str, int]:
    """How many tables and figures have each verdict."""
    return {verdict: sum(entry.verdict == verdict for entry in entries) for verdict in VERDICTS}


def _show(entries: Sequence[Entry]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table: Any = Table(title="The five papers, table by table", show_lines=True)
    for head in ("", "shows", "verdict"):
        table.add_column(head, overflow="fold")
    for entry in entries:
        because = f" because {escape(entry.because)}" if entry.because else ""
        told = f"{entry.verdict}{because}\n[dim]{entry.agree} of {entry.lines} lines agree[/]"
        table.add_row(f"[bold]{entry.paper}[/] {escape(entry.item)}", escape(entry.shows), told)
    Console().print(table)
