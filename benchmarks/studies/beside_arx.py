"""Loss and CPU seconds over k on Adult: full-domain search, local recoding, Mondrian and local suppression beside ARX.

With `--arx JAR` ARX is run and its losses are counted here; without, its figures are printed as recorded with ARX 3.9.2
on a machine of two cores, and called so. Those of its local recoding are always the recorded ones. Local suppression
blanks single values, in the column with most values first, until every combination occurs k times; a blank counts as
a value of its own. Rewrites the first table of docs/optimal-beside-arx.md and draws docs/optimal-beside-arx.svg, with
what `studies/anytime_optimal.py` left in the second table. Needs the public tables (LOOKALIKE_DATA names their folder).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import lookalike as la
from benchmarks.bars.optimal import PRINTED
from benchmarks.data import adult_arx
from benchmarks.peers.arx import run_arx
from lookalike.anonymizers import mondrian, optimal
from lookalike.anonymizers.local.refining import recode
from lookalike.anonymizers.optimal.lattice import GeneralisationLattice
from lookalike.models import KAnonymity
from lookalike.tables.cells import Cells
from lookalike.tables.columns.grouping import group_codes

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "optimal-beside-arx.md"
KS = (2, 5, 10, 100)
LIMITS = (0.05, 1.0)
DRAWN = "10"  #: CPU seconds of the large lattices that are drawn
LOCAL = {
    2: (0.0306, 3.6),
    5: (0.0589, 6.7),
    10: (0.0820, 11.6),
    100: (0.1972, 39.7),
}  # ARX: loss, CPU seconds


def suppress_locally(cells: Cells, k: int) -> float:
    """The share of values that are blanked."""
    codes = [np.asarray(column) + 1 for column in cells.codes]
    sizes = [size + 1 for size in cells.sizes]
    for a in sorted(range(len(codes)), key=lambda a: -sizes[a]):
        of_cell, n = group_codes(codes, sizes, len(cells))
        few = np.bincount(of_cell, weights=cells.records, minlength=n)[of_cell] < k
        codes[a] = np.where(few, 0, codes[a])
    return float(np.mean([(column == 0) @ cells.records for column in codes]) / cells.records.sum())


def mondrian_loss(cells: Cells, k: int) -> float:
    """The loss of Mondrian's boxes, each published as the hierarchy node above its values."""
    of_row = mondrian.partition(cells, [KAnonymity(k)], seed=0)
    lost = 0.0
    for attribute in cells.attributes:
        tree, codes = attribute.tree, attribute.column.codes
        share = np.ones(int(of_row.max()) + 1)
        for level in reversed(range(tree.height + 1)):
            nodes = tree.up[level][codes]
            low, high = np.full(len(share), len(nodes)), np.full(len(share), -1)
            np.minimum.at(low, of_row, nodes)
            np.maximum.at(high, of_row, nodes)
            share = np.where(low == high, tree.loss(level)[low], share)
        lost += float(share[of_row].mean())
    return lost / len(cells.attributes)


def measure(job: Callable[[], float]) -> tuple[float, float]:
    """The loss, and the CPU seconds of the better of two runs."""
    spent = []
    for _ in range(2):
        start = time.process_time()
        loss = job()
        spent.append(time.process_time() - start)
    return loss, min(spent)


def recorded_arx() -> list[dict[str, Any]]:
    """ARX's full-domain search as it was measured before."""
    return [
        {"k": k, "what": f"ARX (recorded), one level per column, {limit:.0%}", "loss": loss, "s": seconds}
        for limit in LIMITS
        for k, share, seconds, loss, _ in PRINTED
        if k in KS and share == limit
    ]


def measured_arx(jar: Path, frame: pl.DataFrame, cells: Cells, hierarchies: Path) -> list[dict[str, Any]]:
    """ARX's full-domain search, run now; what its levels lose is counted here."""
    out = []
    for run in run_arx(jar, frame, hierarchies, KS, LIMITS):
        lattice = GeneralisationLattice(
            cells,
            [KAnonymity(run.k)],
            suppression=run.limit,
            loss="loss",
            weights=None,
            min_levels=None,
            max_levels=None,
        )
        loss = lattice.evaluate([run.levels[name] for name in cells.names]).loss
        what = f"ARX, one level per column, {run.limit:.0%}"
        out.append({"k": run.k, "what": what, "loss": loss, "s": run.seconds})
    return sorted(out, key=lambda point: (point["what"], point["k"]))


def main() -> int:
    """Measure, write the table and draw."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--arx", type=Path, help="the jar of ARX; its figures are printed as recorded without")
    jar = asked.parse_args().arx
    frame, hierarchies = adult_arx()
    cells = la.table(frame, quasi=frame.columns, hierarchies=hierarchies).cells()
    points = recorded_arx() if jar is None else measured_arx(jar, frame, cells, hierarchies)
    points += [
        {"k": k, "what": "ARX (recorded), local recoding", "loss": loss, "s": seconds}
        for k, (loss, seconds) in LOCAL.items()
    ]
    for k in KS:
        jobs: dict[str, Callable[[], float]] = {
            "optimal, 5%": lambda k=k: optimal.search(cells, [KAnonymity(k)], suppression=0.05).loss,
            "optimal, 100%": lambda k=k: optimal.search(cells, [KAnonymity(k)], suppression=1.0).loss,
            "local, hierarchy nodes": lambda k=k: recode(cells, [KAnonymity(k)], output="hierarchy").loss,
            "mondrian": lambda k=k: mondrian_loss(cells, k),
            "local suppression": lambda k=k: suppress_locally(cells, k),
        }
        for what, job in jobs.items():
            loss, seconds = measure(job)
            points.append({"k": k, "what": what, "loss": loss, "s": seconds})
            print(points[-1], flush=True)
    write(points)
    draw(points)
    return 0


def write(points: list[dict[str, Any]]) -> None:
    """The table of the page: loss / CPU seconds."""
    lines = ["| | " + " | ".join(f"k={k}" for k in KS) + " |", "| --- |" + " ---: |" * len(KS)]
    for what in dict.fromkeys(point["what"] for point in points):
        cells = [f"{p['loss']:.4f} / {p['s']:.2f}" for p in points if p["what"] == what]
        lines.append(f"| {what} | {' | '.join(cells)} |")
    before, _, rest = PAGE.read_text("utf-8").partition("<!-- peers: begin -->")
    after = rest.partition("<!-- peers: end -->")[2]
    PAGE.write_text(
        "\n".join([before + "<!-- peers: begin -->", "", *lines, "", "<!-- peers: end -->" + after]), "utf-8"
    )


def anytime() -> list[dict[str, Any]]:
    """The table of `studies/anytime_optimal.py`, as points: after the longest time that all heuristics had."""
    rows = [
        line.split("|")[1:-1]
        for line in PAGE.read_text("utf-8").splitlines()
        if "**" in line and "e+" in line
    ]
    names = ("bottom-up", "top-down", "genetic", "lookalike", "bound")
    out = []
    for row in rows:
        case = f"{row[0].strip()} {row[2].strip()}, {row[3].strip()}"
        for name, text in zip(names, row[5:], strict=True):
            said = text.strip(" *")
            if said == "proven":
                said = row[8].strip(" *")
            if row[4].strip() == DRAWN and said not in ("-", "not run"):
                out.append({"case": case, "what": name, "loss": float(said)})
    return out


def draw(points: list[dict[str, Any]]) -> None:
    """Loss and seconds over k, and the loss on large lattices."""
    import altair as alt

    panels = []
    for y, title, scale in (("loss", "loss", "linear"), ("s", "CPU seconds", "log")):
        panels.append(
            alt.Chart(alt.Data(values=points))
            .mark_line(point=True)
            .encode(
                x=alt.X("k:O"),
                y=alt.Y(f"{y}:Q", title=title, scale=alt.Scale(type=scale)),
                color=alt.Color("what:N", title=None, legend=alt.Legend(labelLimit=300)),
            )
            .properties(width=260, height=240)
        )
    values = anytime()
    large = (
        alt.Chart(alt.Data(values=values))
        .mark_point(filled=True, size=60)
        .encode(
            y=alt.Y("case:N", title=None, sort=None, axis=alt.Axis(labelLimit=300)),
            x=alt.X("loss:Q", title=f"loss after {DRAWN} CPU seconds"),
            color=alt.Color("what:N", title=None),
            shape=alt.Shape("what:N", title=None),
        )
        .properties(width=560, height=240)
    )
    chart = alt.vconcat(alt.hconcat(*panels), large).resolve_scale(color="independent", shape="independent")
    chart = chart.properties(
        padding={"left": 25, "right": 60, "top": 5, "bottom": 5}
    )  # fonts differ in width
    chart.save(DOCS / "optimal-beside-arx.svg")


if __name__ == "__main__":
    sys.exit(main())
