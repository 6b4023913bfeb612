"""Weights by sliders, a pane of the step Blur: how much losing detail in each column hurts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import box, name, text

if TYPE_CHECKING:
    from lookalike.web.steps.blur import BlurStep

_PAUSE = 0.1  # seconds a slider rests before its effect is computed
_TOP = 5.0


class WeightsPane:
    """One slider per quasi-identifier; 1 is ordinary."""

    def __init__(self, step: BlurStep) -> None:
        self.step, self.words, self.bench = step, step.words, step.bench
        self._later: asyncio.Task[Any] | None = None
        self._sliders: dict[str, tuple[ui.slider, ui.html]] = {}

    def draw(self) -> None:
        """The sliders."""
        words = self.words
        text("p", words("blur.weights_why"), "soft small")
        with box("weights"):
            for column in self.bench.having("quasi"):
                weight = float(self.bench.recipe["weights"].get(column, 1.0))
                text("span", column)
                slider = ui.slider(min=0, max=_TOP, step=0.25, value=weight)
                name(slider, words("blur.weight_of", column=column))
                shown = text("span", words.number(weight), "soft num")
                slider.on_value_change(
                    lambda e, shown=shown: shown.set_content(words.number(float(e.value or 0)))
                )
                slider.on("update:model-value", self._slide, throttle=_PAUSE, args=[])
                self._sliders[column] = slider, shown

    def _slide(self) -> None:
        """Sliders moved: decide for their weights once they rest."""
        if self._later is not None:
            self._later.cancel()

        async def rest() -> None:
            await asyncio.sleep(_PAUSE)
            told = {column: float(slider.value) for column, (slider, _) in self._sliders.items()}
            if self.bench.change(weights={column: one for column, one in told.items() if one != 1.0}):
                self.step.touched()

        self._later = self.step.desk.spawn(rest())

    def show_learnt(self, weights: dict[str, float]) -> None:
        """Show learnt weights, which sum to 1, on the sliders, where 1 is the average."""
        for column, (slider, shown) in self._sliders.items():
            value = round(min(weights.get(column, 0.0) * len(weights), _TOP), 2)
            slider.set_value(value)
            shown.set_content(self.words.number(value))
