"""Step 4, Blur: promises in words, a method, weights; the effect at once on a sample and then on the whole."""

from __future__ import annotations

from nicegui import ui

from lookalike.web.drawing import box
from lookalike.web.steps.effect import EffectPane
from lookalike.web.steps.explorer import ExplorerPane
from lookalike.web.steps.game import GamePane
from lookalike.web.steps.promises import PromisesPane
from lookalike.web.steps.step import Step
from lookalike.web.steps.weights import WeightsPane

TABS = ("promises", "sliders", "game", "explore")
_WIDE = ("game", "explore")  # these need the whole width


class BlurStep(Step):
    """The step Blur."""

    key = "blur"
    tabs: ui.tab_panels | None = None

    async def draw(self) -> None:
        """What is decided at the left, one tab each, and what comes out of it at the right."""
        self.heading()
        if not await self.ready():
            return
        with ui.tabs().props("no-caps align=left inline-label") as tabs:
            for key in TABS:
                ui.tab(key, self.words(f"blur.{key}"))
        self.weights, self.game, self.explorer = WeightsPane(self), GamePane(self), ExplorerPane(self)
        with box("split") as self._split:
            with ui.tab_panels(tabs, value=self.session.tab).props("keep-alive") as panels:
                with ui.tab_panel("promises"):
                    PromisesPane(self).draw()
                with ui.tab_panel("sliders"), box("card"):
                    self.weights.draw()
                with ui.tab_panel("game"), box("card"):
                    self.game.draw()
                with ui.tab_panel("explore"), box("card"):
                    self.explorer.draw()
            with box("card").style("position: sticky; top: 0; margin-top: 4px") as self._outcome:
                self.effect = EffectPane(self)
                self.effect.draw()
        self.tabs = panels
        panels.on_value_change(lambda event: self._turn_to(event.value))
        await self._turn_to(self.session.tab)

    async def _turn_to(self, tab: str) -> None:
        self.session.tab = tab
        wide = tab in _WIDE
        self._outcome.set_visibility(not wide)
        self._split.classes(add="wide" if wide else "", remove="" if wide else "wide")
        if tab == "game" and self.bench.recipe["answers"]:
            await self.game.refresh()

    def touched(self) -> None:
        """A decision changed what would come out: show it on a sample at once."""
        self.desk.changed()
        self.effect.try_it()

    @property
    def _playing(self) -> bool:
        return self.tabs is not None and self.tabs.value == "game"

    async def press(self, pressed: str) -> None:
        """Keys answer the game while it is open."""
        if self._playing:
            await self.game.press(pressed)

    async def follow(self) -> bool:
        """After an undo inside the game the next question appears in place."""
        if self._playing:
            await self.game.refresh()
            self.effect.show_numbers()
        return self._playing

    def recolour(self) -> None:
        """The theme changed."""
        if self.tabs is not None:
            self.explorer.recolour()
