"""Figures 4 to 7 of the CF-K paper as CSV and, where altair is installed, as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl


def draw(results: dict[str, Any], output: Path) -> None:
    """Write the figures' numbers, and pictures of them."""
    for name, rows in figure_rows(results).items():
        if not rows:
            continue
        pl.DataFrame(rows).write_csv(output / f"{name}.csv")
        picture = _picture(name, rows)
        if picture is not None:
            (output / f"{name}.svg").write_text(picture, encoding="utf-8")


def figure_rows(results: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The points of each figure."""
    names = [name for name in results if name != "sweeps"]
    out: dict[str, list[dict[str, Any]]] = {"figure4": [], "figure5": [], "figure6": [], "figure7": []}
    for name in names:
        found = results[name]
        for method, key in (("CF-K", "ncp"), ("Mondrian", "mondrian_ncp")):
            for place, value in enumerate(sorted(found[key])):
                share = (place + 1) / len(found[key])
                out["figure4"].append({"panel": name, "series": method, "x": share, "y": value})
        for method, key in (("CF-K", "confirmed"), ("Mondrian", "mondrian_pureness")):
            out["figure5"].append(
                {"panel": name, "series": method, "x": method, "y": float(np.mean(found[key]))}
            )
        for group in ("majority", "minority"):
            out["figure7"].append(
                {"panel": name, "series": group, "x": group, "y": found["fairness"]["ncp"][group]}
            )
    for panel, forest in (("CMC, tuned forest", "k"), ("CMC, forest of 100 leaves", "sharp")):
        for point in results.get("sweeps", {}).get(forest, []):
            out["figure6"] += [
                {"panel": panel, "series": measure, "x": point["k"], "y": point[measure]}
                for measure in ("ncp", "pureness")
            ]
    return out


TITLES = {
    "figure4": ("explanations, sorted by NCP", "NCP"),
    "figure5": ("", "mean pureness"),
    "figure6": ("k", "share"),
    "figure7": ("", "mean NCP"),
}


def _picture(name: str, rows: list[dict[str, Any]]) -> str | None:
    try:
        import altair
        import vl_convert
    except ImportError:
        return None
    across, up = TITLES[name]
    chart = altair.Chart(altair.InlineData(values=rows), width=180, height=130)
    chart = chart.mark_bar() if name in ("figure5", "figure7") else chart.mark_line(point=name == "figure6")
    kind = "N" if name in ("figure5", "figure7") else "Q"
    chart = chart.encode(
        x=altair.X(f"x:{kind}", title=across or None),
        y=altair.Y("y:Q", title=up, axis=altair.Axis(format="%")),
        color=altair.Color("series:N", title=None),
    ).facet(altair.Facet("panel:N", title=None), columns=3)
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))
