"""The few shapes every step is drawn with. Text is always escaped; bars are plain HTML that follows the theme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

from nicegui import ui

from lookalike.web.words import Words


def text(tag: str, content: str, classes: str = "") -> ui.html:
    """A piece of text as the named element."""
    return ui.html(escape(content), tag=tag).classes(classes)


def box(classes: str, tag: str = "div") -> ui.element:
    """A plain container."""
    return ui.element(tag).classes(classes)


def name(element: Any, label: str) -> Any:
    """Say what a control is for, to those who do not see it."""
    element.props["aria-label"] = label
    return element


def button(label: str, on_click: Any = None, *, icon: str | None = None, main: bool = False) -> ui.button:
    """A button: one of the main ones, or a quiet one."""
    made = ui.button(label, on_click=on_click, icon=icon, color=None).props("no-caps unelevated")
    return made.classes("main-action" if main else "quiet")


def icon_button(icon: str, label: str, on_click: Any) -> ui.button:
    """A button that is only a picture, with its name for everybody."""
    made = ui.button(icon=icon, on_click=on_click, color=None).props("flat round dense")
    name(made, label).tooltip(label)
    return made


def choices(
    offered: Mapping[str, str], chosen: str | None, on_choose: Callable[[str], Any], *, label: str
) -> dict[str, ui.button]:
    """A row of buttons of which one is chosen; by key."""
    with box("roles") as group:
        name(group, label).props["role"] = "group"
        made = {
            key: ui.button(shown, on_click=lambda key=key: on_choose(key), color=None).props(
                "flat no-caps dense"
            )
            for key, shown in offered.items()
        }
    mark_choice(made, chosen)
    return made


def mark_choice(made: Mapping[str, ui.button], chosen: str | None) -> None:
    """Show which one of a row of buttons is chosen."""
    for key, one in made.items():
        one.classes(add="on" if key == chosen else "", remove="" if key == chosen else "on")
        one.props["aria-pressed"] = "true" if key == chosen else "false"
        one.update()


def stat(value: str, label: str, term: str = "") -> str:
    """A number with what it means, as HTML."""
    beside = f'<span class="term">{escape(term)}</span>' if term else ""
    return f'<div class="stat"><b>{escape(value)}</b><span>{escape(label)}</span>{beside}</div>'


def stats(parts: Iterable[str]) -> ui.html:
    """Numbers side by side."""
    return ui.html("".join(parts)).classes("stats")


def bars(rows: Iterable[Mapping[str, Any]], words: Words, *, most: float | None = None) -> str:
    """Bars with a label and a number each, as HTML. A row: label, share, and perhaps value, pale, low and high, cut."""
    rows = list(rows)
    top = most or max((row.get("high") or row.get("share", 0) for row in rows), default=0) or 1
    out = []
    for row in rows:
        if "cut" in row:
            pale = " pale" if row.get("pale") else ""
            out.append(f'<div class="cut{pale}"><span>{escape(row["cut"])}</span></div>')
            continue
        label = row.get("label")
        if "rest" in row:
            label = words("common.others", n=row["rest"])
        shown = words("common.missing") if label is None else label
        width = 100 * row["share"] / top
        whisker = ""
        if row.get("high") is not None:
            left, right = 100 * max(row["low"], 0) / top, 100 * row["high"] / top
            whisker = f'<u style="left:{left:.2f}%;width:{max(right - left, 0.3):.2f}%"></u>'
        pale = ' class="pale"' if row.get("pale") else ""
        value = row.get("value") or words.percent(row["share"])
        out.append(
            f'<div class="l" title="{escape(shown)}">{escape(shown)}</div>'
            f'<div class="t"><i{pale} style="width:{width:.2f}%"></i>{whisker}</div>'
            f'<div class="v">{escape(value)}</div>'
        )
    return f'<div class="bars">{"".join(out)}</div>'


def table(headings: Iterable[str], rows: Iterable[Iterable[Any]], *, right: Iterable[int] = ()) -> str:
    """A small table as HTML; `right` names the columns of numbers."""
    right = set(right)

    def line(tag: str, cells: Iterable[Any]) -> str:
        return "".join(
            f"<{tag}{' class=r' if i in right else ''}>{escape(str(cell))}</{tag}>"
            for i, cell in enumerate(cells)
        )

    head = f"<thead><tr>{line('th', headings)}</tr></thead>"
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return f'<table class="plain">{head}<tbody>{body}</tbody></table>'
