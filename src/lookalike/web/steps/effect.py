"""What comes out of the decisions so far, a pane of the step Blur: at once on a sample, then on the whole."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import box, button, name, stat, table, text
from lookalike.web.state import key_of, rounded

_REST = 0.5  # seconds decisions rest before the whole table follows the sample
_LARGE = 100_000  # rows beyond which the whole is made only when asked

if TYPE_CHECKING:
    from lookalike.web.steps.blur import BlurStep


class EffectPane:
    """Numbers of the release, or of a try on a sample; the release being made, with progress and cancel."""

    def __init__(self, step: BlurStep) -> None:
        self.step, self.words, self.session, self.bench = step, step.words, step.session, step.bench
        self._trying: asyncio.Task[Any] | None = None
        self._drawn: dict[str, Any] | None = None

    def draw(self) -> None:
        """The numbers, and the button that makes the release."""
        words = self.words
        text("h2", words("blur.effect"))
        self._stage = text("p", words("blur.not_made"), "soft small").style("min-height: 40px")
        self._stage.props["aria-live"] = "polite"
        self._bar = ui.linear_progress(value=0, show_value=False)
        name(self._bar, words("blur.progress"))
        self._bar.style("visibility: hidden")
        self._numbers = ui.html("").classes("stats")
        with box("line"):
            self._go = button(words("blur.make"), self.make, main=True)
            self._stop = button(words("common.cancel"), self.session.stop)
            self._stop.set_enabled(False)
        self._detail = ui.html("").classes("outcomes")
        self._timer = ui.timer(0.2, self._watch, active=self.session.making)
        self.show_numbers()
        if self.session.numbers is None and not self.session.making:
            self.try_it()

    def try_it(self) -> None:
        """Try the decisions on a sample; what was being made is of no use any more."""
        self.show_numbers()
        self.session.stop()
        if self._trying is not None:
            self._trying.cancel()
        self._trying = self.step.desk.spawn(self._try())

    async def _try(self) -> None:
        wanted = key_of(self.bench.recipe)
        found = await self.step.ask("blur.sample")
        if found is not None and wanted == key_of(self.bench.recipe) and self.session.numbers is None:
            self._draw_numbers(found)
            self._stage.set_content(self.words("blur.on_sample", n=found["sample"]))
            self.session.tried = wanted, found
            self.step.desk.refresh()
            if found["rows"] <= _LARGE:
                await asyncio.sleep(_REST)
                if self.session.numbers is None and not self.session.making:
                    self.make()

    def make(self) -> None:
        """Make the release of the whole table."""
        self.step.trouble(None)
        self.session.make_release()
        self._watch()

    def _watch(self) -> None:
        """Follow the release being made; it may have been begun before this page was opened."""
        running = self.session.making
        self._go.set_enabled(not running)
        self._stop.set_enabled(running)
        self._bar.style("visibility: visible" if running else "visibility: hidden")
        self._bar.set_value(self.session.progress)
        self._timer.active = running
        if running:
            draft = self.session.tried_numbers
            if draft is None or "draft" not in draft:
                self._stage.set_content(self.words("blur.making"))
            elif draft is not self._drawn:
                self._draw_numbers(draft)
                self._stage.set_content(self.words("blur.improving"))
                self.step.desk.refresh()
            return
        self.show_numbers()
        if self.session.problem is not None:
            self.step.tell(self.session.problem)
        elif self.session.job is not None and self.session.job.cancelled():
            self._stage.set_content(self.words("blur.cancelled"))
        self.step.desk.refresh()

    def show_numbers(self) -> None:
        """The numbers of the release, if it is the one that is described."""
        numbers = self.session.numbers
        if numbers is None:
            self._stage.set_content(self.words("blur.not_made"))
            return
        self._draw_numbers(numbers)
        proven = "blur.made_best" if numbers["proven_optimal"] else "blur.made"
        self._stage.set_content(self.words(proven, seconds=round(numbers["seconds"], 1)))

    def _draw_numbers(self, numbers: dict[str, Any]) -> None:
        words, self._drawn = self.words, numbers
        parts = [
            stat(words.number(numbers["k"]), words("strip.smallest"), "k"),
            stat(words.percent(1 - numbers["loss"]), words("strip.detail"), words("blur.loss_term")),
            stat(words.percent(numbers["suppressed"] / max(numbers["records"], 1)), words("strip.left_out")),
            stat(words.number(numbers["classes"]), words("blur.classes"), words("blur.classes_term")),
        ]
        self._numbers.set_content("".join(parts))
        rows = [
            (one["column"], one["example"] or one["what"], words.percent(one["kept"], 0))
            for one in numbers["outcomes"]
            if one["kept"] is not None
        ]
        rows += [
            (column, words("columns.rounded", step=step), "")
            for column, step in rounded(self.bench.recipe).items()
        ]
        headings = [words("table.column"), words("blur.becomes"), words("strip.detail")]
        self._detail.set_content(table(headings, rows, right=(2,)))
