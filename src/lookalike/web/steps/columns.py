"""Step 2, Columns: what each column is for, why that was proposed, and how its values are made coarser."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from lookalike.web.drawing import bars, box, name, text
from lookalike.web.steps.hierarchy import HierarchyPane
from lookalike.web.steps.step import Step

ROLES = ("identifier", "quasi", "sensitive", "target", "other")


class Here(Step):
    """The step Columns."""

    key = "columns"

    async def draw(self) -> None:
        """The columns at the left, the chosen one at the right."""
        self.heading()
        if self.bench.recipe["source"] is None:
            self.need("table", "table")
            return
        if not await self.open_table():
            return
        self.found: list[dict[str, Any]] = self.session.inspection or []
        self._buttons: dict[str, dict[str, ui.button]] = {}
        self._lines: dict[str, ui.element] = {}
        words = self.words
        with box("hint small line"):
            for role in ROLES:
                key = words(f"role.{role}_key")
                ui.html(f"<kbd>{key}</kbd>").style("display:inline")
                text("span", words(f"role.{role}_why"), "soft")
        with box("split"):
            with box("card").style("gap: 2px; padding: 10px"):
                for one in self.found:
                    self._line(one)
            with box("card").style("position: sticky; top: 0") as self._side:
                pass
        names = [one["name"] for one in self.found]
        chosen = self.session.column
        await self.show_column(chosen if chosen in names and chosen else names[0])

    def _line(self, one: dict[str, Any]) -> None:
        words, column = self.words, one["name"]
        with box("about") as line:
            line.on("click", lambda: self.show_column(column))
            text("div", column, "name")
            with box("roles") as group:
                name(group, words("columns.role_of", column=column)).props["role"] = "group"
                self._buttons[column] = {}
                for role in ROLES:
                    made = ui.button(
                        words(f"role.{role}"), on_click=lambda role=role: self._set(column, role), color=None
                    ).props("flat no-caps dense")
                    self._buttons[column][role] = made
            text("div", first_reason(one), "why")
        self._lines[column] = line
        self._mark(column)

    def _mark(self, column: str) -> None:
        given = self.bench.recipe["roles"].get(column, "other")
        for role, made in self._buttons[column].items():
            made.classes(add="on" if role == given else "", remove="" if role == given else "on")
            made.props["aria-pressed"] = "true" if role == given else "false"
            made.update()

    async def _set(self, column: str, role: str) -> None:
        if self.bench.change_in("roles", **{column: role}):
            self._mark(column)
            self.desk.changed()
        await self.show_column(column)

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
            proposed = words(f"role.{one['role']}")
            text(
                "p",
                words("columns.proposed", role=proposed, sure=words.percent(one["confidence"])),
                "soft small",
            )
            with ui.element("ul").style("margin: 0; padding-left: 18px"):
                for reason in one["evidence"]:
                    text("li", reason, "small")
            if look["values"]:
                ui.html(bars(look["values"], words))
            else:
                text("p", words("columns.hidden"), "soft small")
            if self.bench.recipe["roles"].get(column) == "quasi":
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
        for column in self._buttons:
            self._mark(column)
        await self.show_column(self.session.column or self.found[0]["name"])
        return True


def first_reason(one: dict[str, Any]) -> str:
    """The evidence in a line."""
    return "; ".join(one["evidence"][:3])
