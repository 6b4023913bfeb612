"""The panel at the right that shows the recipe growing: what the last decision changed is marked."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING

from nicegui import ui

from lookalike.web.drawing import box, button, icon_button, name, text
from lookalike.web.worker import TaskError

if TYPE_CHECKING:
    from lookalike.web.page import Desk


class RecipePanel:
    """The recipe as TOML beside the step; closed until asked for."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.words, self.session = desk, desk.words, desk.session
        self._before: list[str] | None = None

    def draw(self) -> None:
        """Heading, text, and a way to take it along."""
        words = self.words
        with box("panel", "aside") as self._panel:
            name(self._panel, words("page.recipe"))
            with box("line ends"):
                text("h2", words("page.recipe"))
                icon_button("close", words("common.close"), self.turn)
            text("p", words("page.recipe_why"), "soft small")
            self._text = ui.html("", tag="pre")
            self._text.props["tabindex"] = "0"
            button(words("page.take_recipe"), self._take, icon="download")
        self._show_or_hide()

    def turn(self) -> None:
        """Open it, or close it."""
        self.session.panel = not self.session.panel
        self._show_or_hide()
        self.desk.refresh()

    def _show_or_hide(self) -> None:
        self._panel.set_visibility(self.session.panel)

    async def refresh(self) -> None:
        """Show the recipe as it is now."""
        if not self.session.panel:
            return
        recipe = self.session.bench.recipe
        lines: list[str] = []
        if recipe["source"] is not None and recipe["roles"]:
            try:
                lines = (await self.session.worker.call("recipes.write", recipe))["text"].splitlines()
            except TaskError:
                return
        self._text.set_content(draw_recipe(lines, self._before) or escape(self.words("page.no_recipe")))
        self._before = lines or None  # a first recipe is all new, and marks nothing

    async def _take(self) -> None:
        recipe = self.session.bench.recipe
        if recipe["source"] is None:
            return
        try:
            found = await self.session.worker.call("recipes.pack", recipe, place=str(self.session.folder))
        except TaskError:
            return
        ui.download.from_url(f"/files/{self.session.key}/{found['name']}")


def draw_recipe(lines: list[str], before: list[str] | None) -> str:
    """The recipe as HTML: comments pale, lines that were not there before marked."""
    known = None if before is None else Counter(before)
    out = []
    for line in lines:
        shown = escape(line)
        if line.startswith("#"):
            shown = f'<span class="soft">{shown}</span>'
        if known is not None and line:
            if known[line]:
                known[line] -= 1
            else:
                shown = f"<mark>{shown}</mark>"
        out.append(shown)
    return "\n".join(out)
