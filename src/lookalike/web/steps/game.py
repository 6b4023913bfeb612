"""The question game, a pane of the step Blur: which of two groups should take a person? Weights move as one answers."""

from __future__ import annotations

import asyncio
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import bars, box, button, text
from lookalike.web.words import Words

if TYPE_CHECKING:
    from lookalike.web.steps.blur import BlurStep

_FIRST = 5  # answers before it is said what more of them could gain
_THINKS = 1.0  # seconds without an answer after which it is computed
_ENOUGH = 0.05  # a share of the loss not worth more answers
_REST = 3.0  # seconds without an answer after which the effect is shown
KEYS = {"a": "A", "b": "B", "?": "can't say", " ": "can't say", "ArrowLeft": "A", "ArrowRight": "B"}


class GamePane:
    """The game on a page. Answers are part of the recipe, so undo takes them back and tomorrow they are still there."""

    def __init__(self, step: BlurStep) -> None:
        self.step, self.words, self.bench = step, step.words, step.bench
        self._asked: dict[str, Any] | None = None
        self._busy = False
        self._later: asyncio.Task[Any] | None = None
        self._judging: asyncio.Task[Any] | None = None

    def draw(self) -> None:
        """What it is about, and the button that starts it."""
        words = self.words
        text("p", words("game.why"), "soft small")
        self._start = button(words("game.start"), self.refresh, main=True)
        with box("split") as self._board:
            with box("step").style("gap: 12px"):
                self._number = text("h2", "")
                with box("answers"):
                    self._a = self._answer("A", words("game.a"), "A")
                    self._b = self._answer("B", words("game.b"), "B")
                    self._none = self._answer("can't say", words("game.cant"), "?")
                    self._back = button(words("game.undo"), self.back)
                self._question = ui.html("").classes("game-holder")
                self._question.props["aria-live"] = "polite"
                keys = "".join(f"<kbd>{key}</kbd> " for key in "AB?U")
                ui.html(f"<span class='soft small'>{keys}{escape(words('game.keys'))}</span>")
            with box(""):
                text("h2", words("game.weights"))
                text("p", words("game.weights_why"), "soft small")
                self._weights = ui.html("")
                self._enough = ui.html("").style("margin-top: 14px")  # here nothing moves when it appears
        self._board.set_visibility(False)

    def _answer(self, answer: str, label: str, key: str) -> ui.button:
        return button(f"{label}", lambda: self.answer(answer), main=answer != "can't say")

    async def refresh(self) -> None:
        """Ask for the question after the answers so far, and show it in place."""
        found = await self.step.ask("blur.ask", k=min(self.bench.k, 50))
        if found is None:
            return
        self._start.set_visibility(False)
        self._board.set_visibility(True)
        self._asked = found["question"]
        words = self.words
        self._back.set_enabled(found["answers"] > 0)
        for made in (self._a, self._b, self._none):
            made.set_enabled(self._asked is not None)
        if found["answers"] >= _FIRST and self._asked is not None:
            self._judging = self._judging or self.step.desk.spawn(self._judge())
        else:
            self._enough.set_content("")
        if self._asked is None:
            self._number.set_content(escape(words("game.over")))
            self._question.set_content("")
        else:
            self._number.set_content(escape(words("game.number", n=self._asked["number"])))
            self._question.set_content(draw_question(self._asked, words))
        self._weights.set_content(draw_weights(found, words))
        if found["answers"]:
            self.step.weights.show_learnt(found["weights"])
        self._learnt = found["weights"]

    async def _judge(self) -> None:
        """While the person thinks: what further answers could gain, until no answer came meanwhile."""
        judged, words = None, self.words
        while judged != self.bench.recipe["answers"]:
            judged = self.bench.recipe["answers"]
            await asyncio.sleep(_THINKS)
            if judged != self.bench.recipe["answers"]:
                continue
            gain = await self.step.ask("blur.gain", long=True, k=min(self.bench.k, 50))
            if gain is None:
                self._enough.set_content("")
            else:
                enough = gain < _ENOUGH
                told = words("game.enough") if enough else words("game.gain", share=words.percent(gain, 0))
                self._enough.set_content(
                    f'<span class="chip {"good" if enough else ""}">{escape(told)}</span>'
                )
        self._judging = None

    async def answer(self, answer: str) -> None:
        """Answer; keys pressed meanwhile are dropped."""
        if self._busy or self._asked is None:
            return
        self._busy = True
        try:
            self.bench.change(answers=[*self.bench.recipe["answers"], answer])
            await self.refresh()
            self._use_weights()
        finally:
            self._busy = False

    async def back(self) -> None:
        """Take the last answer back."""
        if self._busy or not self.bench.recipe["answers"]:
            return
        self._busy = True
        try:
            self.bench.change(answers=self.bench.recipe["answers"][:-1])
            await self.refresh()
            self._use_weights()
        finally:
            self._busy = False

    def _use_weights(self) -> None:
        """The release is made with what was learnt: 1 is the average column."""
        n = len(self._learnt)
        self.bench.amend(weights={column: round(weight * n, 3) for column, weight in self._learnt.items()})
        self.step.desk.changed()
        if self._later is not None:
            self._later.cancel()
        self._later = self.step.desk.spawn(self._show_effect())

    async def _show_effect(self) -> None:
        """Once answers rest, what the release would be by these weights; sooner it would slow the next question."""
        await asyncio.sleep(_REST)
        self.step.effect.try_it()

    async def press(self, pressed: str) -> None:
        """A, B, ? and U, or arrows."""
        lower = pressed if len(pressed) > 1 else pressed.lower()
        if lower == "u":
            await self.back()
        elif lower in KEYS and self._asked is not None:
            await self.answer(KEYS[lower])


def draw_question(question: dict[str, Any], words: Words) -> str:
    """The person and the two groups side by side; what a group would lose is marked."""

    def shown(label: str | None) -> str:
        return escape(words("common.missing") if label is None else label)

    def side(one: dict[str, Any], column: str) -> str:
        now, then = one["now"][column], one["then"][column]
        if now == then:
            return f'<div title="{shown(now)}"><span>{short(now)}</span></div>'
        title = f"{shown(now)} → {shown(then)}"
        return f'<div class="loses" title="{title}"><span><s>{short(now)} →</s> {short(then)}</span></div>'

    def short(label: str | None) -> str:
        values = (label or "").count(", ") + 1
        return (
            escape(words("game.values", n=values))
            if (label or "").startswith("{") and values > 2
            else shown(label)
        )

    head = "".join(
        f'<div class="h">{escape(label)}</div>'
        for label in (
            "",
            words("game.person"),
            words("game.group", letter="A", n=question["A"]["records"]),
            words("game.group", letter="B", n=question["B"]["records"]),
        )
    )
    rows = "".join(
        f'<div class="n">{escape(column)}</div><div><span>{shown(value)}</span></div>'
        f"{side(question['A'], column)}{side(question['B'], column)}"
        for column, value in question["record"].items()
    )
    return f'<div class="game">{head}{rows}</div>'


def draw_weights(answer: dict[str, Any], words: Words) -> str:
    """Weights as bars, with a line from one standard deviation below to one above."""
    rows = []
    for column, weight in sorted(answer["weights"].items(), key=lambda pair: -pair[1]):
        spread = answer["uncertainty"].get(column, 0.0)
        row = {"label": column, "share": weight, "low": weight - spread, "high": weight + spread}
        rows.append({**row, "value": words.number(weight, 2)})
    return bars(rows, words, most=max(0.4, *(row["high"] for row in rows)))
