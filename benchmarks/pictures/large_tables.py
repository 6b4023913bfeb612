"""Draws docs/large-tables.svg, CPU seconds over rows for every engine, from the figures in docs/large-tables.md.

python -m benchmarks.pictures.large_tables
"""

from __future__ import annotations

from pathlib import Path

from lookalike.base.charts import QUIET, SEEN, WARNED, altair, dress

PAGE = Path(__file__).parents[2] / "docs" / "large-tables.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


def main() -> None:
    """Read the table, draw it."""
    alt = altair()
    lines = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0].strip().splitlines()[2:]
    points = []
    for line in lines:
        engine, rows, floor, release = (cell.strip() for cell in line.strip("|").split("|"))
        for what, seconds in (("bare group-by and copy", floor), ("release", release)):
            if seconds:
                points.append(
                    {
                        "rows": float(rows.replace(",", "")),
                        "CPU seconds": float(seconds),
                        "engine": engine,
                        "what": what,
                    }
                )
    scale = alt.Scale(type="log")
    colours = {"in memory": QUIET, "streaming": SEEN, "spark": WARNED}
    base = alt.Chart(alt.Data(values=points), title="CPU seconds over rows").encode(
        x=alt.X("rows:Q", scale=scale, axis=alt.Axis(format="~s")),
        y=alt.Y("CPU seconds:Q", scale=scale),
        color=alt.Color("engine:N", scale=alt.Scale(domain=list(colours), range=list(colours.values()))),
        strokeDash=alt.StrokeDash("what:N", scale=alt.Scale(domain=["release", "bare group-by and copy"])),
        shape=alt.Shape("what:N", scale=alt.Scale(domain=["release", "bare group-by and copy"])),
    )
    chart = (base.mark_line() + base.mark_point(filled=True, size=60)).properties(width=420, height=260)
    chart = chart.properties(padding={"left": 5, "right": 40, "top": 5, "bottom": 5})  # fonts differ in width
    dress(chart).save(PAGE.with_suffix(".svg"))


if __name__ == "__main__":
    main()
