"""What the papers' scripts share: a line of printed beside computed with its verdict, and how such lines are shown."""

from __future__ import annotations

import json as jsonlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lookalike.base.printing import print_json

AGREES = "agrees"
WITHIN = (
    "agrees within the spread"  #: of so many seeds or splits: chance alone moves ours as far as the print
)
DIFFERS = "differs"  #: ours is another number, for a reason that lies in data or set-up
CONTRADICTS = "contradicts itself in print"  #: two things printed cannot both hold; `proof` has the numbers
UNTOLD = "cannot be told from print"  #: what it would take is not printed
NOT_RUN = "not checked here"  #: a data set or a picture is not at hand
OURS = "-"  #: nothing is printed to compare with
VERDICTS = (AGREES, WITHIN, DIFFERS, CONTRADICTS, UNTOLD, NOT_RUN)
_COLOURS = dict(
    zip((*VERDICTS, OURS), ("green", "green", "yellow", "red", "magenta", "magenta", "dim"), strict=True)
)


@dataclass(frozen=True)
class Line:
    """One comparison: where in the paper, what, as printed, as computed, the verdict, and a remark.

    `where` is a table, figure or section, with its part after a comma ("Figure 8, top"). What does not agree says why;
    what contradicts itself has the proof as data, from which anybody can compute it again.
    """

    where: str
    what: str
    printed: str
    computed: str
    verdict: str
    remark: str = ""
    seeds: int = 0  #: how many seeds or splits a spread is of
    proof: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.verdict not in _COLOURS:
            raise ValueError(f"{self.verdict!r} is no verdict; choose from {', '.join(_COLOURS)}")
        if self.verdict in (DIFFERS, CONTRADICTS, UNTOLD, NOT_RUN) and not self.remark:
            raise ValueError(f"{self.where} {self.what}: {self.verdict} because of what?")
        if bool(self.proof) != (self.verdict == CONTRADICTS):
            raise ValueError(f"{self.where} {self.what}: a contradiction has a proof, and nothing else has")
        if self.verdict == WITHIN and self.seeds < 2:
            raise ValueError(f"{self.where} {self.what}: the spread of how many seeds?")

    @property
    def item(self) -> str:
        """The table, figure or section this line is about."""
        return self.where.partition(",")[0]

    @property
    def judged(self) -> str:
        """The verdict in words, with the number of seeds."""
        return f"{self.verdict} of {self.seeds} seeds" if self.verdict == WITHIN else self.verdict


def same(
    where: str,
    what: str,
    printed: object,
    computed: object,
    why: str,
    *,
    proof: Mapping[str, Any] | None = None,
) -> Line:
    """A line that agrees where both sides read the same; else it contradicts itself by the proof, or differs."""
    if str(printed) == str(computed):
        return Line(where, what, str(printed), str(computed), AGREES)
    verdict = CONTRADICTS if proof else DIFFERS
    return Line(where, what, str(printed), str(computed), verdict, why, proof=proof or {})


def over_seeds(
    where: str,
    what: str,
    printed: Sequence[float],
    values: Sequence[Sequence[float]],
    why: str,
    *,
    template: str,
    show: str = "{:,.0f}",
) -> Line:
    """Printed numbers beside the range of ours over seeds (one row of `values` per seed).

    Where every printed number lies in the range, as it is printed, it agrees within the spread. Else nothing can be
    told: who is invented is not who was studied. template: a text with a place for each number, such as "{} classes".
    """
    ranges = [(show.format(min(column)), show.format(max(column))) for column in zip(*values, strict=True)]
    inside = all(
        number(low) <= number(show.format(one)) <= number(high)
        for one, (low, high) in zip(printed, ranges, strict=True)
    )
    computed = template.format(*(low if low == high else f"{low} to {high}" for low, high in ranges))
    shown = template.format(*map(show.format, printed))
    return Line(where, what, shown, computed, WITHIN if inside else UNTOLD, why, seeds=len(values))


def outcomes(where: str, what: str, printed: str, found: Sequence[str], why: str) -> Line:
    """A printed outcome beside how often seeds give it and others."""
    told = "; ".join(f"{name} in {times}" for name, times in Counter(found).most_common())
    computed = f"{told} of {len(found)} seeds"
    return Line(where, what, printed, computed, WITHIN if printed in found else UNTOLD, why, seeds=len(found))


def number(text: str) -> float:
    """A number as it is shown."""
    return float(text.replace(",", ""))


def keep(lines: list[Line], *, paper: str, output: Path | None) -> list[Line]:
    """The lines, written as CSV and as Markdown where a folder is given."""
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        (output / f"{paper}.md").write_text(markdown(lines), encoding="utf-8")
        pl.DataFrame([_flat(line) for line in lines]).write_csv(output / f"{paper}.csv")
    return lines


def _flat(line: Line) -> dict[str, Any]:
    return asdict(line) | {"proof": jsonlib.dumps(line.proof) if line.proof else ""}


def tell(lines: Sequence[Line], *, paper: str, title: str, output: Path | None, json: bool) -> None:
    """Print the lines as JSON or as a table, and say where they were written."""
    if json:
        print_json({"paper": paper, "lines": [asdict(line) for line in lines]})
        return
    show(lines, title)
    if output is not None:
        print(f"\nThe results are in {output}.")


def markdown(lines: Sequence[Line]) -> str:
    """The lines as a table of a documentation page."""

    def cell(text: str) -> str:
        return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").strip()

    rows = [
        f"| **{cell(line.where) or 'Beyond'}** {cell(line.what)} | {cell(line.printed)} | {cell(line.computed)}"
        f"{f' ({cell(line.remark)})' if line.remark else ''} | {line.judged} |"
        for line in lines
    ]
    return "\n".join(["| | printed | computed | verdict |", "| --- | --- | --- | --- |", *rows]) + "\n"


def show(lines: Sequence[Line], title: str) -> None:
    """Print the lines as a table."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=f"{title}: printed and computed", show_lines=True)
    for head in ("", "printed", "computed", "verdict"):
        table.add_column(head, overflow="fold")
    for line in lines:
        remark = f"\n[dim]{escape(line.remark)}[/]" if line.remark else ""
        table.add_row(
            f"[bold]{escape(line.where)}[/] {escape(line.what)}",
            escape(line.printed),
            escape(line.computed) + remark,
            f"[{_COLOURS[line.verdict]}]{line.judged}[/]",
        )
    Console().print(table)
