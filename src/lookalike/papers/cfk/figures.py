"""Figures 4 to 7 of the CF-K paper as CSV and, where altair is installed, as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lookalike.papers.cfk.comparisons import COLUMNS


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
    """The points of each figure: Figure 4 of the first split, Figures 5 and 7 as means over the splits."""
    names = [name for name in results if name != "sweeps"]
    out: dict[str, list[dict[str, Any]]] = {"figure4": [], "figure5": [], "figure6": [], "figure7": []}
    for name in names:
        found = results[name]
        for method, key in zip(COLUMNS, ("plain_ncp", "ncp", "mondrian_ncp"), strict=True):
            for place, value in enumerate(sorted(found[key])):
                share = (place + 1) / len(found[key])
                out["figure4"].append({"panel": name, "series": method, "x": share, "y": value})
        for figure, bars, keys in (
            ("figure5", COLUMNS, ("plain_pureness", "confirmed", "mondrian_pureness")),
            ("figure7", ("majority", "minority"), ("majority_ncp", "minority_ncp")),
        ):
            out[figure] += [
                {"panel": name, "series": bar, "x": bar, "y": float(np.mean(found["splits"][key]))}
                for bar, key in zip(bars, keys, strict=True)
                if found["splits"].get(key)
            ]
    for forest, key in (("tuned forest", "k"), ("forest of 100 leaves", "sharp")):
        for point in results.get("sweeps", {}).get(key, []):
            out["figure6"] += [
                {"panel": f"CMC, {forest}: {what}", "series": forest, "x": point["k"], "y": point[measure]}
                for what, measure in (("NCP", "ncp"), ("pureness", "pureness"))
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
    chart: Any = altair.Chart(altair.InlineData(values=rows), width=180, height=130)
    chart = chart.mark_bar() if name in ("figure5", "figure7") else chart.mark_line(point=name == "figure6")
    kind = "N" if name in ("figure5", "figure7") else "Q"
    order = list(dict.fromkeys(row["series"] for row in rows))
    swept = name == "figure6"
    chart = (
        chart.encode(
            x=altair.X(f"x:{kind}", title=across or None, sort=order),
            y=altair.Y(
                "y:Q",
                title=up,
                axis=altair.Axis(format=".1%" if swept else "%"),
                scale=altair.Scale(zero=not swept),
            ),
            color=altair.Color("series:N", title=None, sort=order),
        )
        .facet(altair.Facet("panel:N", title=None), columns=2 if swept else 3)
        .resolve_scale(y="independent" if swept else "shared")
    )
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))
