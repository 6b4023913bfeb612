"""Linked columns, a pane of the step Columns: which column gives which away, how far k would fall, what to do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lookalike.web.drawing import box, choices, text
from lookalike.web.words import Words

if TYPE_CHECKING:
    from lookalike.web.steps.columns import ColumnsStep

CHOICES = ("follow", "quasi", "drop", "accept")
_HOW = {
    "one to one": "links.one_to_one",
    "determines": "links.determines",
    "follows from": "links.follows",
    "in step with": "links.in_step",
    "holds": "links.holds",
    "adds up": "links.adds_up",
}


class LinksPane:
    """The links among the columns as their roles are now; it follows every change of a role."""

    def __init__(self, step: ColumnsStep) -> None:
        self.step, self.words, self.bench = step, step.words, step.bench
        self.found: list[dict[str, Any]] = []

    def draw(self) -> None:
        """A card that is there only where something is linked."""
        with box("card") as self._card:
            text("h2", self.words("links.title"))
            text("p", self.words("links.why"), "soft small")
            self._list = box("")
        self._card.set_visibility(False)

    async def refresh(self) -> None:
        """Look for links again, and forget choices about columns that are linked no more."""
        found = await self.step.ask("columns.links")
        if found is None:
            return
        self.found = found["links"]
        linked = {name for one in self.found for name in one["columns"]}
        stale = {name for name, choice in self.bench.recipe["linked"].items() if choice == "follow"} - linked
        if stale:
            kept = {name: one for name, one in self.bench.recipe["linked"].items() if name not in stale}
            self.bench.amend(linked=kept)
        self._card.set_visibility(bool(self.found))
        self._list.clear()
        with self._list:
            for one in self.found:
                self._draw_link(one)

    def _draw_link(self, one: dict[str, Any]) -> None:
        words = self.words
        with box("linkline"):
            with box(""):
                text("b", in_words(one, words))
                text("div", fall_in_words(one, words), "soft small")
            offered = {key: words(f"links.{key}") for key in CHOICES if key in one["choices"]}
            label = words("links.choice_of", columns=" + ".join(one["columns"]))
            choices(offered, self.choice_of(one), partial(self.choose, one), label=label)

    def choice_of(self, one: dict[str, Any]) -> str | None:
        """What is decided about a link; None where nobody decided."""
        recipe = self.bench.recipe
        if any(name in recipe["drop"] for name in one["columns"]):
            return "drop"
        return next((recipe["linked"][name] for name in one["columns"] if name in recipe["linked"]), None)

    async def choose(self, one: dict[str, Any], choice: str) -> None:
        """Decide: as known to outsiders, left out, published as blurred, or published all the same."""
        recipe, names = self.bench.recipe, one["columns"]
        drop = [name for name in recipe["drop"] if name not in names]
        linked = {name: given for name, given in recipe["linked"].items() if name not in names}
        roles = dict(recipe["roles"])
        if choice == "drop":
            drop += names
        elif choice == "quasi":
            roles |= dict.fromkeys(names, "quasi")
        else:
            linked |= dict.fromkeys(names, choice)
        if self.bench.change(drop=drop, linked=linked, roles=roles):
            await self.step.decided(*names)

    def note(self, column: str) -> str | None:
        """What a column gives away, for its line."""
        given = [quasi for one in self.found if column in one["columns"] for quasi in one["quasi"]]
        return self.words("links.gives", quasi=", ".join(dict.fromkeys(given))) if given else None


def in_words(one: dict[str, Any], words: Words) -> str:
    """How the columns are linked."""
    join = f" {words('links.and')} "
    key = "links.together" if len(one["columns"]) > 1 else _HOW[one["how"]]
    said = words(key, columns=join.join(one["columns"]), quasi=join.join(one["quasi"]))
    return said if abs(one["strength"]) == 1 else words("links.nearly", said=said)


def fall_in_words(one: dict[str, Any], words: Words) -> str:
    """How far k would fall were the one blurred and the other not."""
    quasi = f" {words('links.and')} ".join(one["quasi"])
    if one["known"] < one["k"] or one["alone_known"] == one["alone"]:
        return words("links.fall", quasi=quasi, k=one["k"], known=one["known"])
    return words("links.alone", quasi=quasi, alone=one["alone"], known=one["alone_known"])
