"""How the file is read, a pane of the step Table: put right where the guess is wrong, or where reading failed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import box, button, text

if TYPE_CHECKING:
    from lookalike.web.steps.table import TableStep

TEXT = (".csv", ".tsv", ".txt")  #: files of letters, which can be read in several ways
_ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252 (cp1252)",
    "latin-1": "ISO 8859-1 (latin-1)",
    "utf-16": "UTF-16",
}
_DELIMITERS = {",": "table.comma", ";": "table.semicolon", "\t": "table.tab", "|": "table.bar"}


class ReadingPane:
    """Missing values, people and, of files of letters, how these are written and what stands between fields."""

    def __init__(self, step: TableStep) -> None:
        self.step, self.words, self.bench = step, step.words, step.bench

    def draw(self, names: list[str]) -> None:
        """How it was read, with all that can be said about it."""
        words, recipe = self.words, self.bench.recipe
        text("h2", words("table.how"))
        marks = ui.input(words("table.marks"), value=", ".join(recipe["reading"]["na"])).props(
            "outlined dense"
        )
        unit = ui.select(
            {None: words("table.one_row"), **dict(enumerate(names))},
            value=names.index(recipe["unit"]) if recipe["unit"] in names else None,
            label=words("table.unit"),
        ).props("outlined dense")
        letters = self._draw_letters() if self._of_letters else None

        async def again() -> None:
            spelt = [part.strip() for part in marks.value.split(",") if part.strip()]
            chosen = None if unit.value is None else names[unit.value]
            how = {} if letters is None else read_so(letters)
            if any(recipe["reading"].get(key) != value for key, value in how.items()):  # other columns, maybe
                await self.step.read_again({"na": spelt, **how}, unit=None, roles={})
            else:
                await self.step.read_again({"na": spelt}, unit=chosen)

        with box("line"):
            button(words("table.again"), again)
            button(words("table.other"), self.step.close)

    def draw_failed(self) -> None:
        """What else could be tried, where the file could not be read."""
        if not self._of_letters:
            return
        with box("card"):
            text("h2", self.words("table.failed"))
            text("p", self.words("table.failed_why"), "soft small")
            letters = self._draw_letters()
            button(self.words("table.again"), lambda: self.step.read_again(read_so(letters)), main=True)

    @property
    def _of_letters(self) -> bool:
        return Path(self.bench.recipe["source"]["name"]).suffix.lower() in TEXT

    def _draw_letters(self) -> dict[str, ui.select]:
        words, reading = self.words, self.bench.recipe["reading"]
        delimiters = {key: words(word) for key, word in _DELIMITERS.items()}
        made = {
            "encoding": ui.select(
                _ENCODINGS, value=reading.get("encoding", "utf-8"), label=words("table.encoding")
            ),
            "delimiter": ui.select(
                {None: words("table.guessed"), **delimiters},
                value=reading.get("delimiter"),
                label=words("table.delimiter"),
            ),
        }
        for one in made.values():
            one.props("outlined dense")
        return made


def read_so(letters: dict[str, ui.select]) -> dict[str, Any]:
    """What was chosen as `la.read` is told; nothing where that is how it reads anyway."""
    chosen = {key: one.value for key, one in letters.items()}
    return {**chosen, "encoding": None if chosen["encoding"] == "utf-8" else chosen["encoding"]}
