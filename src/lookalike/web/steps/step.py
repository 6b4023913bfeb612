"""What all steps share: a heading with the question it answers, a place for troubles, and asking the worker."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import box, button, text
from lookalike.web.folders import kept_recipe
from lookalike.web.worker import TaskError

if TYPE_CHECKING:
    from lookalike.web.page import Desk

#: what arguments that messages of the library speak of are called on the page
_CONTROLS = {"encoding": "table.encoding", "delimiter": "table.delimiter"}


class Step:
    """One step on an open page."""

    key: str

    def __init__(self, desk: Desk) -> None:
        self.desk, self.words, self.session = desk, desk.words, desk.session
        self.bench = desk.session.bench

    async def draw(self) -> None:
        """Draw the step."""
        raise TypeError(f"{type(self).__name__} must say how it is drawn.")

    async def press(self, pressed: str) -> None:
        """A key was pressed while the step is open."""

    async def follow(self) -> bool:
        """Follow an undo or redo in place; False asks for the step to be drawn again."""
        return False

    def recolour(self) -> None:
        """The theme changed. Only pictures with colours of their own need to know."""

    def leave(self) -> None:
        """The person goes elsewhere."""

    def heading(self) -> None:
        """The plain question of the step, and the place where its troubles are told."""
        with box("head", "header"):
            text("h1", self.words(f"{self.key}.question"))
            text("p", self.words(f"{self.key}.lead"), "lead")
        self._trouble = ui.html("").classes("trouble")
        self._trouble.props["role"] = "alert"
        self._trouble.set_visibility(False)

    def trouble(self, told: str | None) -> None:
        """Tell a trouble where it belongs, or that it is over."""
        self._trouble.set_content(escape(told or ""))
        self._trouble.set_visibility(bool(told))

    def tell(self, problem: TaskError) -> None:
        """Tell why there is no answer; work that was cancelled is no trouble."""
        if problem.kind != "cancelled":
            known = {"lost": "common.lost", "bug": "common.bug"}.get(problem.kind)
            self.trouble(self.words(known, what=str(problem)) if known else self._in_page_words(str(problem)))

    def _in_page_words(self, message: str) -> str:
        """A message of the library as it is to be read here: files and controls are called as the person knows them."""
        for argument, word in _CONTROLS.items():
            message = message.replace(f"`{argument}`", f"“{self.words(word)}”")
        return self.session.by_name(message)

    async def ask(self, task: str, **told: Any) -> Any:
        """Ask the worker; None, with the trouble told, where there is no answer."""
        try:
            answer = await self.session.worker.call(task, self.bench.recipe, **told)
        except TaskError as problem:
            self.tell(problem)
            return None
        self.trouble(None)
        return answer

    async def open_table(self) -> bool:
        """Read the table and propose roles, once, whichever step is seen first; False with the trouble told."""
        session = self.session
        async with session.opening:
            if session.facts is None and not await self._describe():
                return False
            if session.inspection is None and not await self._propose():
                return False
        return session.facts is not None

    async def _describe(self) -> bool:
        """Hear what the file holds; where nothing is decided yet, yesterday's recipe is offered."""
        session = self.session
        read, source = session.read_key, session.source_key
        facts = await self.ask("tables.describe")
        if facts is None:
            return False
        session.described = read, facts
        kept = None if self.bench.recipe["roles"] else kept_recipe(facts["digest"])
        if kept is not None:
            session.offers[source] = kept
        return session.facts is not None  # else it was turned to another table meanwhile

    async def _propose(self) -> bool:
        """Hear what the columns may be, and begin with the decisions drafted from it, each to be changed by a click."""
        session = self.session
        read = session.read_key
        found = await self.ask("columns.propose")
        if found is None or read != session.read_key:
            return False
        drafted = not self.bench.recipe["roles"]
        if drafted:
            self.bench.amend(**found["draft"])
            if session.offer is not None and set(session.offer.get("roles", {})) != set(
                found["draft"]["roles"]
            ):
                session.offers.pop(session.source_key)
        session.proposed = session.read_key, found["columns"]
        if session.facts is None and not await self._describe():  # other missing values; people, not rows
            return False
        if drafted:
            self.desk.refresh()
        return True

    def offer_missing(self, columns: list[dict[str, Any]]) -> None:
        """Values that may stand for missing, each column's to be read so by a click."""
        for one in columns:
            marks = [mark for mark in one["stand_ins"] if mark not in self.bench.recipe["reading"]["na"]]
            if marks:
                shown = ", ".join(f"“{mark}”" for mark in marks)
                with box("hint line ends"):
                    text("span", self.words("columns.stand_ins", column=one["name"], values=shown), "small")
                    button(self.words("columns.are_missing"), lambda marks=marks: self.read_as_missing(marks))

    async def read_as_missing(self, marks: list[str]) -> None:
        """Read the file again with further spellings of a missing value."""
        await self.read_again({"na": [*self.bench.recipe["reading"]["na"], *marks]})

    async def read_again(self, how: dict[str, Any], **others: Any) -> None:
        """Read the file as it was decided now, None as it is read anyway; what was decided about columns stays."""
        told = {**self.bench.recipe["reading"], **how}
        reading = {name: value for name, value in told.items() if value is not None}
        if self.bench.change(reading=reading, **others):
            self.desk.changed()
            await self.desk.redraw()

    def need(self, what: str, step: str) -> None:
        """An empty state: say what is missing and lead there."""
        with box("card"), box("empty"):
            text("p", self.words(f"empty.{what}"))
            button(self.words(f"empty.go_{step}"), lambda: self.desk.show(step), main=True)

    async def ready(self, *, release: bool = False) -> bool:
        """Whether there is enough to work with; else an empty state was drawn."""
        if self.bench.recipe["source"] is None:
            self.need("table", "table")
        elif not await self.open_table():
            return False
        elif not self.bench.having("quasi"):
            self.need("columns", "columns")
        elif release and self.session.numbers is None:
            self.need("release", "blur")
        else:
            return True
        return False
