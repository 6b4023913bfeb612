"""The semantic part of `lookalike risk`: its options, and its report."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from lookalike.errors import RequestError
from lookalike.progress import track
from lookalike.writing import write_file

if TYPE_CHECKING:
    from lookalike.risks.semantic import SemanticRisk
    from lookalike.tables.table import Table

SEMANTIC = "Semantic risk"

Semantic = Annotated[
    bool,
    typer.Option("--semantic", help="Add the risk by formal concept analysis.", rich_help_panel=SEMANTIC),
]
Scales = Annotated[
    list[str] | None,
    typer.Option(
        "--scale",
        metavar="COLUMN=SCALE",
        help="How a column becomes attributes: age=windows:10/5, year=intervals:1935..1955,1945..1965, "
        "grade=ordinal, sex=nominal, age=dichotomic:ordinal:18,65. Give it once per column; the others are scaled "
        "automatically.",
        show_default=False,
        rich_help_panel=SEMANTIC,
    ),
]
Uncovered = Annotated[
    str | None,
    typer.Option(
        "--uncovered",
        help="A value that its scale does not cover: error (as long as nothing is said), or empty: no attribute.",
        rich_help_panel=SEMANTIC,
    ),
]
SemanticThreshold = Annotated[
    float,
    typer.Option(
        "--semantic-threshold", help="The largest semantic risk to accept.", rich_help_panel=SEMANTIC
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        help="Write the concept lattice as SVG; of a large one the most frequent concepts.",
        show_default=False,
        rich_help_panel=SEMANTIC,
    ),
]


def assess(
    people: Table,
    *,
    scales: list[str] | None,
    uncovered: str | None,
    threshold: float,
    picture: Path | None,
    quiet: bool,
) -> SemanticRisk:
    """The semantic risk as the options describe it; draws the lattice where a file is named."""
    from lookalike.risks.semantic import semantic_risk

    chosen = parse_scales(scales)
    with track(not quiet, "Semantic risk") as advance:
        result = semantic_risk(
            people,
            scales=chosen,
            threshold=threshold,
            uncovered=cast(Any, uncovered or "error"),
            progress=lambda share: advance(share / 5),
        )
        result.compare_columns(progress=lambda share: advance(0.2 + 0.8 * share))
    if picture is not None:
        write_file(picture, result.draw(), what="the picture")
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


def parse_scales(given: list[str] | None) -> dict[str, str]:
    """`["age=windows:10/5", "sex=nominal"]` as scales by column."""
    scales: dict[str, str] = {}
    for part in given or []:
        name, equals, scale = part.partition("=")
        if not equals or not name.strip() or not scale:
            raise RequestError(f"--scale: expected column=scale, such as age=windows:10/5; found {part!r}.")
        if name.strip() in scales:
            raise RequestError(f"--scale: {name.strip()!r} is given twice.")
        scales[name.strip()] = scale.strip()
    return scales
