"""Small pictures as inline SVG: bars, intervals, curves, a tree. No library, no script, no colour of their own.

Colours come from the page (classes `before`, `after`, `line`, ...), so a picture follows light, dark and print. Every
picture has a title that says in words what it shows, and every mark a title with its numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10
from typing import Any

WIDTH = 640
_LEFT, _RIGHT = 170, 70  # room for names, and for numbers behind the last mark
_ROW = 26


def bars(title: str, names: Sequence[str], series: Mapping[str, Sequence[float]], *, unit: str = "%") -> str:
    """Horizontal bars, one row per name and one bar per series, shares of 1 written as per cent."""
    most = max((value for values in series.values() for value in values), default=0.0) or 1.0
    height, marks = 8, []
    for i, name in enumerate(names):
        marks.append(_text(_LEFT - 8, height + 11 * len(series), _cut(name), anchor="end", hint=name))
        for kind, values in series.items():
            share = values[i] / most
            long = share * (WIDTH - _LEFT - _RIGHT)
            shown = f"{values[i]:.1%}" if unit == "%" else f"{values[i]:,.4g}"
            shown = shown if values[i] else "none"
            marks.append(
                f'<rect class="{escape(kind)}" x="{_LEFT}" y="{height}" width="{long:.1f}" height="16" rx="2">'
                f"<title>{escape(name)}, {escape(kind)}: {shown}</title></rect>"
            )
            marks.append(_text(_LEFT + long + 6, height + 12, shown))
            height += 19
        height += 9
    return _picture(title, height, marks) + _legend(list(series))


def intervals(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """One line per row from `low` to `high` with a dot at `rate`, ticks at `baseline` and `bound`; all from 0 to 1."""

    left = _LEFT + 60

    def x(share: float) -> float:
        return left + min(max(share, 0.0), 1.0) * (WIDTH - left - _RIGHT)

    marks = [
        f'<line class="grid" x1="{x(s):.1f}" x2="{x(s):.1f}" y1="4" y2="{len(rows) * _ROW + 8}"/>'
        for s in (0, 0.25, 0.5, 0.75, 1)
    ]
    for i, row in enumerate(rows):
        y = 8 + i * _ROW + _ROW / 2
        hint = f"{row['name']}: {row['rate']:.1%} ({row['low']:.1%} to {row['high']:.1%})"
        if row.get("baseline") is not None:
            hint += f", baseline {row['baseline']:.1%}"
        marks += [
            _text(left - 8, y + 4, _cut(str(row["name"]), 34), anchor="end", hint=str(row["name"])),
            f'<line class="line" x1="{x(row["low"]):.1f}" x2="{x(row["high"]):.1f}" y1="{y}" y2="{y}"/>',
            f'<circle class="after" cx="{x(row["rate"]):.1f}" cy="{y}" r="5"><title>{escape(hint)}</title></circle>',
            _text(x(max(row["rate"], row["high"])) + 8, y + 4, f"{row['rate']:.1%}"),
        ]
        for kind in ("baseline", "bound"):
            if row.get(kind) is not None:
                at = x(row[kind])
                marks.append(f'<line class="{kind}" x1="{at:.1f}" x2="{at:.1f}" y1="{y - 9}" y2="{y + 9}"/>')
    height = len(rows) * _ROW + 26
    marks += [_text(x(s), height - 4, f"{s:.0%}", anchor="middle") for s in (0, 0.5, 1)]
    return _picture(title, height, marks) + _legend(
        ["after", "baseline", "bound"], names=("found", "baseline", "bound")
    )


def curves(
    title: str,
    points: Sequence[float],
    series: Mapping[str, Sequence[float]],
    *,
    mark: float | None = None,
    axis: str = "k",
) -> str:
    """Lines of values from 0 to 1 over `points`, with an upright line at `mark`."""
    low, high = min(points), max(points)
    top, bottom, left, right = 10, 210, 50, WIDTH - 20

    def x(point: float) -> float:
        return left + (point - low) / ((high - low) or 1) * (right - left)

    most = _round_up(max((value for values in series.values() for value in values), default=1.0) or 1.0)

    def y(value: float) -> float:
        return bottom - value / most * (bottom - top)

    marks = [
        f'<line class="grid" x1="{left}" x2="{right}" y1="{y(s * most):.1f}" y2="{y(s * most):.1f}"/>'
        for s in (0, 0.5, 1)
    ]
    marks += [_text(left - 6, y(s * most) + 4, f"{s * most:.0%}", anchor="end") for s in (0, 0.5, 1)]
    marks += [_text(x(p), bottom + 16, f"{p:g}", anchor="middle") for p in _few(points)]
    marks.append(_text((left + right) / 2, bottom + 32, axis, anchor="middle"))
    if mark is not None:
        marks.append(
            f'<line class="bound" x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{top}" y2="{bottom}">'
            f"<title>chosen: {mark:g}</title></line>"
        )
    for number, values in enumerate(series.values()):
        path = " ".join(f"{x(p):.1f},{y(v):.1f}" for p, v in zip(points, values, strict=True))
        marks.append(f'<polyline class="curve c{number}" points="{path}"/>')
        marks += [
            f'<circle class="dot c{number}" cx="{x(p):.1f}" cy="{y(v):.1f}" r="3.5">'
            f"<title>{axis} {p:g}: {v:.1%}</title></circle>"
            for p, v in zip(points, values, strict=True)
        ]
    return _picture(title, bottom + 40, marks) + _legend(
        [f"c{i}" for i in range(len(series))], names=tuple(series)
    )


def tree(title: str, groups: Sequence[tuple[str, int]], *, root: str) -> str:
    """The values published for a column, as a fan; the thickness of a branch is how many people it holds."""
    total = sum(count for _, count in groups) or 1
    shown = list(groups[:14])
    if len(groups) > 14:
        shown.append((f"{len(groups) - 14} more", sum(count for _, count in groups[14:])))
    height = max(60, len(shown) * 24 + 16)
    marks = [_text(8, height / 2 + 4, _cut(root))]
    for i, (label, count) in enumerate(shown):
        y = 16 + i * 24
        thick = 1 + 11 * count / total
        marks.append(
            f'<path class="branch" stroke-width="{thick:.1f}" '
            f'd="M130,{height / 2:.0f} C230,{height / 2:.0f} 200,{y} 300,{y}">'
            f"<title>{escape(label)}: {count:,}</title></path>"
        )
        marks.append(_text(310, y + 4, f"{_cut(label, 36)}  ({count:,})", hint=label))
    return _picture(title, height, marks)


def _picture(title: str, height: float, marks: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(marks)}</svg>"
    )


def _text(x: float, y: float, words: str, *, anchor: str = "start", hint: str = "") -> str:
    title = f"<title>{escape(hint)}</title>" if hint and hint != words else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}{title}</text>'


def _legend(kinds: Sequence[str], names: Sequence[str] = ()) -> str:
    items = "".join(
        f'<span><i class="{escape(kind)}"></i>{escape(name)}</span>'
        for kind, name in zip(kinds, names or kinds, strict=True)
    )
    return f'<p class="legend">{items}</p>'


def _cut(words: str, most: int = 24) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def _few(points: Sequence[float]) -> list[float]:
    step = max(1, len(points) // 10)
    return list(points[::step])


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10 times a power of ten, so that an axis ends on a round number; at most 1."""
    power = 10.0 ** floor(log10(value))
    return min(1.0, next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9)))
