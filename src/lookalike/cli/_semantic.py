"""The semantic part of `lookalike risk`: its options, and its report."""

from __future__ import annotations

import shutil
import textwrap
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from lookalike.base.progress import track
from lookalike.base.writing import write_file
from lookalike.cli._options import option
from lookalike.cli._typed import split_each

if TYPE_CHECKING:
    from lookalike.measures.risks.semantic import SemanticRisk
    from lookalike.tables.table import Table

semantic_option = partial(option, panel="Semantic risk")


@dataclass(frozen=True, kw_only=True)
class ScaleOptions:
    """How columns become attributes."""

    scale: dict[str, str] = semantic_option(
        "How a column becomes attributes: age=windows:10/5, year=intervals:1935..1955,1945..1965, grade=ordinal, "
        "sex=nominal, age=dichotomic:ordinal:18,65. Give it once per column; the others are scaled automatically.",
        metavar="COLUMN=SCALE",
        parse=partial(split_each, option="--scale", form="column=scale, such as age=windows:10/5"),
        several=True,
        show_default=False,
    )
    uncovered: str | None = semantic_option(
        "A value that its scale does not cover: error (as long as nothing is said), or empty: no attribute."
    )


@dataclass(frozen=True, kw_only=True)
class SemanticOptions(ScaleOptions):
    """Whether and how the semantic risk is assessed."""

    semantic: bool = semantic_option("Add the risk by formal concept analysis.", default=False)
    semantic_threshold: float = semantic_option("The largest semantic risk to accept.", default=0.35)
    picture: Path | None = semantic_option(
        "Write the concept lattice as SVG; of a large one the most frequent concepts.", show_default=False
    )

    def assess(self, people: Table, *, quiet: bool) -> SemanticRisk | None:
        """The semantic risk, where any of the options asks for it; draws the lattice where a file is named."""
        from lookalike.measures.risks.semantic import semantic_risk

        if not (self.semantic or self.scale or self.picture):
            return None
        with track(not quiet, "Semantic risk") as advance:
            result = semantic_risk(
                people,
                scales=self.scale,
                threshold=self.semantic_threshold,
                uncovered=cast(Any, self.uncovered or "error"),
                progress=lambda share: advance(share / 5),
            )
            result.compare_columns(progress=lambda share: advance(0.2 + 0.8 * share))
        if self.picture is not None:
            write_file(self.picture, result.draw(), what="the picture", mode=0o600)
        return result


def show(result: SemanticRisk) -> None:
    """The report, long lines folded under themselves."""
    width = max(shutil.get_terminal_size().columns, 60)
    typer.secho("Risk by what people have in common (formal concept analysis)\n", bold=True)
    for line in result.text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        folded = textwrap.wrap(
            line, width - 2, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True
        )
        typer.echo(
            "\n".join(f"  {part}" for part in folded) if len(line) > width - 2 else f"  {line}".rstrip()
        )
    typer.echo()
