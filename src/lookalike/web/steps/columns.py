"""Step 2, Columns: what each column is for, why that was proposed, and how its values are made coarser."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import ui

from lookalike.web.drawing import bars, box, button, choices, mark_choice, text
from lookalike.web.state import rounded
from lookalike.web.steps.hierarchy import HierarchyPane
from lookalike.web.steps.links import LinksPane
from lookalike.web.steps.step import Step

OUT = "out"  #: left out, whatever its role
ROLES = ("identifier", "quasi", "sensitive", "target", "other", OUT)
BY_HAND = "decided by hand"


class ColumnsStep(Step):
    """The step Columns."""

    key = "columns"

    async def draw(self) -> None:
        """What is undecided and linked first, then the columns at the left, the chosen one at the right."""
        self.heading()
        if self.bench.recipe["source"] is None:
            self.need("table", "table")
            return
        if not await self.open_table():
            return
        self.found: list[dict[str, Any]] = self.session.inspection or []
        self._buttons: dict[str, dict[str, ui.button]] = {}
        self._lines: dict[str, ui.element] = {}
        self._notes: dict[str, ui.html] = {}
        words = self.words
        keys = "".join(
            f"<span><kbd>{escape(words(f'role.{role}_key'))}</kbd> {escape(words(f'role.{role}_why'))}</span>"
            for role in ROLES
        )
        ui.html(keys).classes("hint small legend")
        with box("hint line ends") as self._open:
            self._undecided = text("span", "")
            button(words("columns.next"), self._next_undecided)
        self.links = LinksPane(self)
        self.links.draw()
        with box("split"):
            with box("card").style("gap: 2px; padding: 10px"):
                for one in self.found:
                    self._line(one)
            with box("card").style("position: sticky; top: 0") as self._side:
                pass
        names = [one["name"] for one in self.found]
        chosen = self.session.column
        self.desk.spawn(self._follow_links())
        await self.show_column(chosen if chosen in names and chosen else names[0])

    def _line(self, one: dict[str, Any]) -> None:
        words, column = self.words, one["name"]
        with box("about") as line:
            line.on("click", lambda: self.show_column(column))
            with box("name"):
                text("span", column)
                self._notes[column] = ui.html("").style("display: inline")
            self._buttons[column] = choices(
                {role: words(f"role.{role}") for role in ROLES},
                None,
                lambda role: self._set(column, role),
                label=words("columns.role_of", column=column),
            )
            text("div", first_reason(one), "why")
        self._lines[column] = line

    def _mark(self) -> None:
        """Show what is decided about each column, and what is not."""
        for one in self.found:
            column = one["name"]
            mark_choice(self._buttons[column], OUT if self._is_out(column) else self._role(column))
            notes = [self.words("columns.decide")] if self.is_open(one) else []
            told = "".join(f'<span class="chip bad">{escape(note)}</span>' for note in notes)
            for note in (self.links.note(column), self._rounded(column)):
                told += f'<span class="chip">{escape(note)}</span>' if note else ""
            self._notes[column].set_content(told)
        n = sum(map(self.is_open, self.found))
        self._open.set_visibility(n > 0)
        self._undecided.set_content(escape(self.words("columns.undecided", n=n)))

    def _role(self, column: str) -> str:
        return str(self.bench.recipe["roles"].get(column, "other"))

    def _is_out(self, column: str) -> bool:
        return column in self.bench.recipe["drop"]

    def _rounded(self, column: str) -> str:
        step = rounded(self.bench.recipe).get(column)
        return "" if step is None else self.words("columns.rounded", step=step)

    async def _publish_exactly(self, column: str) -> None:
        recipe = self.bench.recipe
        rounding = {name: step for name, step in recipe["rounding"].items() if name != column}
        if self.bench.change(rounding=rounding, reasons={**recipe["reasons"], column: BY_HAND}):
            await self.decided(column)

    def is_open(self, one: dict[str, Any]) -> bool:
        """Whether nothing says what a column is and nobody has decided."""
        return bool(one["decide"]) and self.bench.recipe["reasons"].get(one["name"]) != BY_HAND

    async def _next_undecided(self) -> None:
        names = [one["name"] for one in self.found if self.is_open(one)]
        if names:
            await self.show_column(names[0])
            ui.run_javascript("document.querySelector('.about.here')?.scrollIntoView({block: 'center'})")

    async def _set(self, column: str, role: str) -> None:
        """Give a column a role, or leave it out; what else was decided about it follows."""
        recipe = self.bench.recipe
        drop = [name for name in recipe["drop"] if name != column]
        roles = recipe["roles"] if role == OUT else {**recipe["roles"], column: role}
        reasons = {**recipe["reasons"], column: BY_HAND}
        if self.bench.change(roles=roles, drop=[*drop, column] if role == OUT else drop, reasons=reasons):
            await self.decided(column)
        else:
            await self.show_column(column)

    async def decided(self, *columns: str) -> None:
        """Something was decided about columns: show it, and what follows."""
        self._mark()
        self.desk.changed()
        await self.show_column(columns[0])
        await self._follow_links()

    async def _follow_links(self) -> None:
        await self.links.refresh()
        self._mark()

    async def show_column(self, column: str) -> None:
        """Show one column closely."""
        for other, line in self._lines.items():
            line.classes(add="here" if other == column else "", remove="" if other == column else "here")
        self.session.column = column
        one = next(one for one in self.found if one["name"] == column)
        look = await self.ask("columns.look", column=column)
        if look is None or self.session.column != column:
            return
        words = self.words
        self._side.clear()
        with self._side:
            with box("line ends"):
                text("h2", column)
                text("span", words(f"kind.{look['kind']}"), "chip")
            if one["decide"]:
                text("p", words("columns.nobody_knows"), "small")
            else:
                sure = words.percent(one["confidence"], 0)
                proposed = words("columns.proposed", role=words(f"role.{one['role']}"), sure=sure)
                text("p", proposed, "soft small")
            with ui.element("ul").style("margin: 0; padding-left: 18px"):
                for reason in one["evidence"]:
                    text("li", reason, "small")
            reason = self.bench.recipe["reasons"].get(column, "")
            changed = one["decide"] or self._is_out(column) or self._rounded(column)
            if changed and reason not in ("", BY_HAND):
                text("p", words("columns.drafted", reason=reason), "soft small")
            if self._rounded(column):
                with box("hint line ends"):
                    text("span", self._rounded(column), "small")
                    button(words("columns.exactly"), lambda: self._publish_exactly(column))
            self.offer_missing([one])
            if look["values"]:
                ui.html(bars(look["values"], words))
            else:
                text("p", words("columns.hidden"), "soft small")
            if self._role(column) == "quasi" and not self._is_out(column):
                await HierarchyPane(self, column).draw()

    async def press(self, pressed: str) -> None:
        """Arrows choose a column, a role's letter gives it that role."""
        if not getattr(self, "found", None):
            return
        names = [one["name"] for one in self.found]
        place = names.index(self.session.column) if self.session.column in names else 0
        if pressed in ("ArrowDown", "ArrowUp"):
            step = 1 if pressed == "ArrowDown" else -1
            await self.show_column(names[(place + step) % len(names)])
            return
        for role in ROLES:
            if pressed.lower() == self.words(f"role.{role}_key").lower():
                await self._set(names[place], role)

    async def follow(self) -> bool:
        """After an undo, mark the roles as they are now."""
        if not self.bench.recipe["roles"] or not getattr(self, "found", None):
            return False
        await self.decided(self.session.column or self.found[0]["name"])
        return True


def first_reason(one: dict[str, Any]) -> str:
    """The evidence in a line."""
    return "; ".join(one["evidence"][:3])
