"""Figures 1-10 and Table 1 of the FCA paper, printed and computed side by side, errors shown to be errors.

Aranda-Corral, Borrego-Díaz and Galán-Páez, FCA-based reasoning for privacy (https://doi.org/10.1093/jigpal/jzae011).
Needs no data. Pictures of Figures 2, 3, 5, 6 and 7 go to the output folder as SVG.
"""

from __future__ import annotations

from pathlib import Path

from lookalike.papers.comparison import Line, keep, tell
from lookalike.papers.fca.examples import classical, fish, fish_context, live_beings, living_context
from lookalike.papers.fca.figures import figure_4, lattice_figures, pictures, rule_figures
from lookalike.papers.fca.statements import statements


def run(*, output: Path | None, full: bool, seed: int, json: bool, folder: Path | None = None) -> None:
    """Print the comparison; write it and the pictures where a folder is given."""
    found = lines(output=output, full=full, seed=seed, folder=folder, shown=not json)
    tell(found, paper="fca", title="Risk by formal concept analysis", output=output, json=json)


def lines(*, output: Path | None, full: bool, seed: int, folder: Path | None, shown: bool) -> list[Line]:
    """Every comparison. Nothing here is random or slow, and no data set is needed."""
    context = figure_4()
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures(context, fish=fish_context(), living=living_context()).items():
            (output / name).write_text(picture, encoding="utf-8")
    found = [
        *classical(),
        *fish(),
        *live_beings(),
        *lattice_figures(context),
        *rule_figures(context),
        *statements(context),
    ]
    return keep(found, paper="fca", output=output)
