"""What the papers' scripts share: a line of printed beside computed with its verdict, and how such lines are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

AGREES = "agrees"
DIFFERS = "differs"  #: ours is another number, for a reason that lies in data, set-up or chance
WRONG = "wrong in print"  #: the print contradicts itself, its own definition or its own data
UNCHECKED = "cannot be checked"
UNSEEN = "the picture is not known to us, nor described in our notes on the paper"
OURS = "-"  #: nothing is printed to compare with
_COLOURS = {AGREES: "green", DIFFERS: "yellow", WRONG: "red", UNCHECKED: "magenta", OURS: "dim"}


@dataclass(frozen=True)
class Line:
    """One comparison: where in the paper, what, as printed, as computed, the verdict, and a remark.

    `where` is a table, figure or section, with its part after a comma ("Figure 8, top"). What does not agree says why.
    """

    where: str
    what: str
    printed: str
    computed: str
    verdict: str
    remark: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in _COLOURS:
            raise ValueError(f"{self.verdict!r} is no verdict; choose from {', '.join(_COLOURS)}")
        if self.verdict in (DIFFERS, WRONG, UNCHECKED) and not self.remark:
            raise ValueError(f"{self.where} {self.what}: {self.verdict} because of what?")

    @property
    def item(self) -> str:
        """The table, figure or section this line is about."""
        return self.where.partition(",")[0]


def same(where: str, what: str, printed: object, computed: object, why: str, *, other: str = WRONG) -> Line:
    """A line that agrees where both sides read the same, and else has the `other` verdict, and says why."""
    agrees = str(printed) == str(computed)
    return Line(where, what, str(printed), str(computed), AGREES if agrees else other, "" if agrees else why)


def keep(lines: list[Line], *, paper: str, output: Path | None, opening: str = "") -> list[Line]:
    """The lines, written as CSV and, after what opens the page, as Markdown where a folder is given."""
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        (output / f"{paper}.md").write_text(opening + markdown(lines), encoding="utf-8")
        pl.DataFrame([asdict(line) for line in lines]).write_csv(output / f"{paper}.csv")
    return lines


def tell(lines: Sequence[Line], *, paper: str, title: str, output: Path | None, json: bool) -> None:
    """Print the lines as JSON or as a table, and say where they were written."""
    if json:
        from lookalike.cli._json import print_json

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
        f"{f' ({cell(line.remark)})' if line.remark else ''} | {line.verdict} |"
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
            f"[{_COLOURS[line.verdict]}]{line.verdict}[/]",
        )
    Console().print(table)
