"""Explain: why did a model decide so, told without handing out anybody's record."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import ui

from lookalike.web.drawing import box, button, name, stat, stats, text
from lookalike.web.steps.step import Step
from lookalike.web.words import Words


class Here(Step):
    """The step Explain."""

    key = "explain"

    async def draw(self) -> None:
        """What the model decides, which outcome is wished for, for whom."""
        self.heading()
        if not await self.ready():
            return
        words = self.words
        found = await self.ask("explain.targets")
        if found is None:
            return
        targets: dict[str, list[str]] = found["targets"]
        if not targets:
            with box("card"):
                text("p", words("explain.none"), "soft")
            return
        names = list(targets)
        with box("card"):
            text("p", words("explain.why"), "soft small")
            with box("line"):
                target = ui.select(dict(enumerate(names)), value=0, label=words("explain.target"))
                wished = ui.select(
                    dict(enumerate(targets[names[0]])),
                    value=len(targets[names[0]]) - 1,
                    label=words("explain.wished"),
                )
                people = ui.number(words("explain.k"), value=10, min=2, max=500, step=1, format="%d")
                self._row = ui.number(words("explain.row"), value=1, min=1, step=1, format="%d")
                for made in (target, wished, people, self._row):
                    made.props("outlined dense").style("min-width: 150px")
                target.on_value_change(
                    lambda: wished.set_options(
                        dict(enumerate(targets[names[target.value]])),
                        value=len(targets[names[target.value]]) - 1,
                    )
                )
                self._go = button(
                    words("explain.tell"),
                    lambda: self._tell(names[target.value], int(wished.value), int(people.value or 10)),
                    main=True,
                )
            self._bar = ui.linear_progress(value=0, show_value=False).style("visibility: hidden")
            name(self._bar, words("blur.progress"))
        self._told = box("step")

    async def _tell(self, target: str, outcome: int, k: int) -> None:
        words = self.words
        self._go.disable()
        self._bar.style("visibility: visible")
        found = await self.ask(
            "explain.explain",
            target=target,
            outcome=outcome,
            k=k,
            row=int(self._row.value or 1),
            long=True,
            on_progress=self._bar.set_value,
        )
        self._go.enable()
        self._bar.style("visibility: hidden")
        if found is None:
            return
        self._row.set_value(found["row"])
        self._told.clear()
        with self._told:
            with box("card"):
                text("h2", words("explain.for_row", row=found["row"], n=found["refused"]))
                text("p", found["text"]).style("font-size: 18px; line-height: 1.5; max-width: 74ch")
                stats(
                    [
                        stat(words.number(found["k"]), words("explain.people"), "k"),
                        stat(
                            words.percent(found["pureness"]),
                            words("explain.pure"),
                            words("explain.pure_term"),
                        ),
                        stat(words.percent(1 - found["ncp"]), words("strip.detail"), "1 − NCP"),
                    ]
                )
            with box("card"):
                text("h2", words("explain.box"))
                text("p", words("explain.box_why"), "soft small")
                ui.html("".join(draw_box(one, words) for one in found["boxes"]))

    async def press(self, pressed: str) -> None:
        """N goes to the next person."""
        if pressed.lower() == "n" and getattr(self, "_row", None) is not None:
            self._row.set_value(int(self._row.value or 0) + 1)


def draw_box(one: dict[str, Any], words: Words) -> str:
    """A column as a line of pieces: those inside the box are full, the person's own is marked."""
    pieces = "".join(
        f'<i class="{"in" if inside else ""} {"me" if i == one["mine"] else ""}"></i>'
        for i, inside in enumerate(one["pieces"])
    )
    change = f"{escape(one['now'])} → <b>{escape(one['then'])}</b>" if one["changes"] else escape(one["then"])
    label = words("explain.picture", column=one["column"])
    return (
        f'<div class="boxline"><div>{escape(one["column"])}</div>'
        f'<div class="pieces" role="img" aria-label="{escape(label)}">{pieces}</div><div>{change}</div></div>'
    )
