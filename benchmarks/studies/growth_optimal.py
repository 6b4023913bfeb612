"""How the optimal search grows with rows and with quasi-identifiers: a table and a plot for the documentation.

Rewrites the tables of docs/optimal-search.md and draws docs/optimal-search.svg. Each case runs in a process of its own,
so that its memory is its own.
    python -m benchmarks.studies.growth_optimal [LARGEST_NUMBER_OF_ROWS]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
COLUMNS = (3, 5, 8, 10, 12, 15, 20)
PATIENCE = {"rows": 600, "quasi-identifiers": 20}  #: seconds a search may take
BEGIN, END = "<!-- growth: begin -->", "<!-- growth: end -->"

BY_ROWS = """
import resource, sys, time
import lookalike as la
from lookalike.anonymizers import optimal
from lookalike.models import KAnonymity
quasi = ["area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation", "home_ownership"]
people = la.table(
    la.datasets.population(int(sys.argv[1]), seed=0).select(quasi),
    quasi=quasi,
    hierarchies={n: la.Hierarchy.groups(g) for n, g in la.datasets.population_groupings().items() if n in quasi},
)
small = la.table(la.datasets.population(500, seed=1).select(quasi), quasi=quasi)
optimal.search(small.cells(), [KAnonymity(2)], suppression=0.05)
start = time.perf_counter()
cells = people.cells()
for name in quasi:
    people.tree(name)
counted = time.perf_counter()
found = optimal.search(cells, [KAnonymity(10)], suppression=0.05, seconds=float(sys.argv[2]))
end = time.perf_counter()
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(len(cells), counted - start, end - counted, memory, found.loss, found.bound, found.proven_optimal, found.nodes)
"""

BY_COLUMNS = """
import resource, sys, time
import numpy as np, polars as pl
import lookalike as la
from lookalike.anonymizers import optimal
from lookalike.models import KAnonymity
rng = np.random.default_rng(0)
q = int(sys.argv[1])
kind = rng.integers(0, 6, 20_000)
wide, narrow = lambda: rng.binomial(15, 0.15 + 0.1 * kind), lambda: rng.integers(0, 4, 20_000)
frame = pl.DataFrame({f"c{i:02}": wide() if i % 2 else narrow() for i in range(q)})
trees = {n: la.Hierarchy.intervals(4, 8) if i % 2 else la.Hierarchy.intervals(2) for i, n in enumerate(frame.columns)}
people = la.table(frame, quasi=frame.columns, hierarchies=trees)
optimal.search(la.table(frame[:200], quasi=frame.columns[:2], hierarchies={n: trees[n] for n in frame.columns[:2]},
                        others=[]).cells(), [KAnonymity(2)], suppression=0.05)
start = time.perf_counter()
cells = people.cells()
counted = time.perf_counter()
found = optimal.search(cells, [KAnonymity(10)], suppression=0.05, seconds=float(sys.argv[2]))
end = time.perf_counter()
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(len(cells), counted - start, end - counted, memory, found.loss, found.bound, found.proven_optimal, found.nodes)
"""


def run(script: str, size: int, seconds: int) -> list[str]:
    """Measure one case: cells, seconds to count, seconds to search, GB, loss, bound, proven, nodes."""
    done = subprocess.run(
        [sys.executable, "-c", script, str(size), str(seconds)], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def main(largest: int = ROWS[-1]) -> int:
    """Measure, write the table and the plot."""
    lines = []
    points = []
    for what, script, sizes in (
        ("rows", BY_ROWS, [rows for rows in ROWS if rows <= largest]),
        ("quasi-identifiers", BY_COLUMNS, list(COLUMNS)),
    ):
        lines += [
            f"| {what} | distinct tuples | nodes | count (s) | search (s) | memory (GB) | loss | at best | proven |",
            "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
        ]
        for size in sizes:
            cells, count, search, memory, loss, bound, proven, nodes = run(script, size, PATIENCE[what])
            sure = "yes" if proven == "True" else "no"
            lines.append(
                f"| {size:,} | {int(cells):,} | {int(nodes):,} | {float(count):.2f} | {float(search):.2f} | "
                f"{float(memory):.2f} | {float(loss):.4f} | {float(bound):.4f} | {sure} |"
            )
            print(lines[-1], flush=True)
            points.append({"by": what, "size": size, "seconds": float(search), "proven": proven == "True"})
        lines.append("")
    page = DOCS / "optimal-search.md"
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text("\n".join([before + BEGIN, "", *lines, END + after]), "utf-8")
    draw(points)
    return 0


def draw(points: list[dict[str, object]]) -> None:
    """Seconds against size, one panel each, both axes in powers of ten for rows."""
    import altair as alt

    panels = []
    sizes = {"rows": ROWS, "quasi-identifiers": COLUMNS}
    for what in sizes:
        values = [point for point in points if point["by"] == what]
        scale = alt.Scale(type="log") if what == "rows" else alt.Scale(zero=False)
        base = alt.Chart(alt.Data(values=values)).encode(
            x=alt.X("size:Q", title=what, scale=scale, axis=alt.Axis(values=list(sizes[what]), format="~s")),
            y=alt.Y("seconds:Q", title="seconds to search", scale=alt.Scale(type="log")),
        )
        points_ = base.mark_point(filled=True, size=60).encode(
            color=alt.Color("proven:N", title="proven"), tooltip=["size:Q", "seconds:Q"]
        )
        panels.append((base.mark_line(color="grey") + points_).properties(width=280, height=200))
    alt.hconcat(*panels).save(DOCS / "optimal-search.svg")


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
