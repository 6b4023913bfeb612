"""Charts of results, as altair charts over plain rows: `.save("x.svg")` writes them without a display.

Backgrounds are transparent and the ink is grey, so that a chart is right on light and on dark pages. What is drawn can
be read from the chart's own description, so charts are testable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.base.errors import MissingExtra

SEEN, WARNED, QUIET = "#0d9488", "#d97706", "#8a94a3"
INK = "#7c8794"  #: as far from white as from black
_LINE = "rgba(128,128,128,0.22)"
_WIDTH, _ROW = 420, 24
_LETTER = 6.2  # pixels of a letter that stands in a box


def altair() -> Any:
    """The library, or the error that says how to install it."""
    try:
        import altair
    except ImportError:
        raise MissingExtra("altair", "report", "Drawing a chart") from None
    return altair


def dress(chart: Any) -> Any:
    """The chart with ink and lines that can be seen on any page."""
    words = {"labelColor": INK, "titleColor": INK}
    return (
        chart.properties(background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            **words, gridColor=_LINE, domainColor=_LINE, tickColor=_LINE, titleFontWeight="normal"
        )
        .configure_legend(**words)
        .configure_title(color=INK, anchor="start", fontWeight="normal", fontSize=13)
    )


def horizontal(
    rows: Sequence[Mapping[str, Any]],
    *,
    title: str,
    name: str,
    share: str,
    kind: str,
    colours: Mapping[str, str],
    hints: Sequence[str] = (),
) -> Any:
    """One bar from 0 to 100 % per row, in the order they come, coloured by what they are."""
    alt = altair()
    used = [one for one in colours if any(row[kind] == one for row in rows)]
    scale = alt.Scale(domain=used, range=[colours[one] for one in used])
    base = alt.Chart(alt.Data(values=list(rows)), title=title).encode(
        y=alt.Y(f"{name}:N", sort=[row[name] for row in rows], title=None, axis=alt.Axis(labelLimit=200)),
        x=alt.X(f"{share}:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5)),
        tooltip=[
            f"{name}:N",
            alt.Tooltip(f"{share}:Q", format=".1%"),
            *(f"{hint}:N" for hint in (kind, *hints)),
        ],
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(
        color=alt.Color(f"{kind}:N", scale=scale, title=None, legend=alt.Legend(orient="bottom"))
    )
    numbers = base.mark_text(align="left", dx=4, color=INK).encode(text=alt.Text(f"{share}:Q", format=".0%"))
    return dress((bars + numbers).properties(width=_WIDTH, height=_ROW * len(rows)))


def upright(
    rows: Sequence[Mapping[str, Any]],
    *,
    title: str,
    name: str,
    count: str,
    kind: str,
    colours: Mapping[str, str],
    hints: Sequence[str] = (),
) -> Any:
    """One bar per row, as high as its count, in the order they come."""
    alt = altair()
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    base = alt.Chart(alt.Data(values=list(rows)), title=title).encode(
        x=alt.X(f"{name}:N", sort=[row[name] for row in rows], axis=alt.Axis(labelAngle=0)),
        y=alt.Y(f"{count}:Q", axis=alt.Axis(format=",d", tickMinStep=1)),
        tooltip=[
            f"{name}:N",
            alt.Tooltip(f"{count}:Q", format=","),
            *(f"{hint}:N" for hint in (kind, *hints)),
        ],
    )
    bars = base.mark_bar(cornerRadiusEnd=2).encode(
        color=alt.Color(f"{kind}:N", scale=scale, title=None, legend=alt.Legend(orient="bottom"))
    )
    numbers = base.mark_text(dy=-7, color=INK).encode(text=alt.Text(f"{count}:Q", format=","))
    return dress((bars + numbers).properties(width=_WIDTH, height=220))


def icicle(rows: Sequence[Mapping[str, Any]], *, title: str, levels: int, width: float) -> Any:
    """Boxes `from` to `to` on their `level`, the root on top; a label is written where its box has room for it."""
    alt = altair()
    scale = _WIDTH * 1.5 / max(width, 1)
    fits = [{**row, "fits": len(row["label"]) * _LETTER < (row["to"] - row["from"]) * scale} for row in rows]
    base = alt.Chart(alt.Data(values=fits), title=title).encode(
        y=alt.Y("level:O", sort="descending", title="level", axis=alt.Axis(grid=False)),
        tooltip=["label:N", "level:O", "values:Q"],
    )
    none = alt.Axis(labels=False, ticks=False, grid=False, domain=False)
    boxes = base.mark_rect(stroke=INK, strokeWidth=0.6, color=SEEN, height={"band": 0.92}).encode(
        x=alt.X("from:Q", scale=alt.Scale(domain=[0, width], nice=False), axis=none, title=None),
        x2="to:Q",
        fillOpacity=alt.Opacity(
            "level:Q", legend=None, scale=alt.Scale(domain=[0, levels], range=[0.05, 0.28])
        ),
    )
    words = (
        base.transform_filter("datum.fits")
        .transform_calculate(middle="(datum.from + datum.to) / 2")
        .mark_text(color=INK, fontSize=11)
        .encode(x=alt.X("middle:Q", axis=none, title=None), text="label:N")
    )
    return dress((boxes + words).properties(width=_WIDTH * 1.5, height=32 * (levels + 1)))
