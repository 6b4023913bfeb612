"""A column's hierarchy as a tree one can see and change: steps of intervals, groups of values, files in and out."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.events import UploadEventArguments

from lookalike.web.drawing import box, button, icon_button, name, text

if TYPE_CHECKING:
    from lookalike.web.steps.columns import Here


class HierarchyPane:
    """The hierarchy of one quasi-identifier."""

    def __init__(self, step: Here, column: str) -> None:
        self.step, self.column, self.words = step, column, step.words

    async def draw(self) -> None:
        """The tree, what made it, and ways to change it."""
        words = self.words
        found = await self.step.ask("hierarchies.look", column=self.column)
        if found is None:
            return
        with box("line ends").style("margin-top: 6px"):
            text("h2", words("hierarchy.title"))
            with box("line tight"):
                icon_button("download", words("hierarchy.export"), self._export)
                if self.column in self.step.bench.recipe["hierarchies"]:
                    icon_button("restart_alt", words("hierarchy.reset"), lambda: self._keep(None))
        text("p", words(f"hierarchy.how_{found['how']}"), "soft small")
        steps = " → ".join(words.number(n) for n in found["sizes"])
        text("p", words("hierarchy.steps", steps=steps), "small num")
        ui.html(draw_tree(found["tree"], words)).classes("tree")
        if found["numeric"]:
            self._widths(found)
        elif found["editable"]:
            button(words("hierarchy.edit"), lambda: self._edit(found["groups"]))
        with ui.expansion(words("hierarchy.import")).props("dense").classes("small"):
            ui.upload(label=words("hierarchy.import_how"), on_upload=self._import, auto_upload=True).props(
                'accept=".csv" flat'
            )

    def _widths(self, found: dict[str, Any]) -> None:
        words = self.words
        shown = ", ".join(f"{width:g}" for width in found["widths"])
        with box("line"):
            typed = ui.input(words("hierarchy.widths"), value=shown, placeholder="5, 10, 20").props(
                "outlined dense"
            )
            button(words("hierarchy.set"), lambda: self._set_widths(typed.value))

    async def _set_widths(self, typed: str) -> None:
        found = await self.step.ask("hierarchies.widths", column=self.column, typed=typed)
        if found is not None:
            await self._keep(found["hierarchy"])

    async def _keep(self, hierarchy: dict[str, Any] | None) -> None:
        """Decide for a hierarchy, and show it."""
        self.step.bench.change_in("hierarchies", **{self.column: hierarchy})
        self.step.desk.changed()
        await self.step.show_column(self.column)

    async def _import(self, event: UploadEventArguments) -> None:
        path = self.step.session.folder / "given-hierarchy.csv"
        await event.file.save(path)
        found = await self.step.ask("hierarchies.take", column=self.column, path=str(path))
        if found is not None:
            await self._keep(found["hierarchy"])

    async def _export(self) -> None:
        path = self.step.session.folder / "hierarchy.csv"
        if await self.step.ask("hierarchies.write", column=self.column, path=str(path)) is not None:
            ui.download.from_url(f"/files/{self.step.session.key}/hierarchy.csv")

    def _edit(self, groups: list[dict[str, Any]]) -> None:
        """The groups of the first level side by side: drag a value over, or choose values and move them."""
        GroupEditor(self, groups).open()


class GroupEditor:
    """A dialogue in which values move between groups; nothing is decided until it is kept."""

    def __init__(self, pane: HierarchyPane, groups: list[dict[str, Any]]) -> None:
        self.pane, self.words = pane, pane.words
        self.groups = [{"label": one["label"], "values": list(one["values"])} for one in groups]
        self.chosen: set[str] = set()
        self._last: str | None = None

    def open(self) -> None:
        """Show the dialogue."""
        words = self.words
        with ui.dialog().props("maximized") as self.dialog, ui.card().classes("step").style("padding: 24px"):
            text("h1", words("editor.title", column=self.pane.column))
            text("p", words("editor.how"), "lead")
            with box("line"):
                self._target = ui.select({}, label=words("editor.move_to")).props("outlined dense")
                self._target.style("min-width: 220px")
                button(words("editor.move"), self._move)
                button(words("editor.split"), self._split)
                box("grow")
                button(words("common.cancel"), self.dialog.close)
                button(words("editor.keep"), self._keep, main=True)
            self._count = text("p", "", "soft small")
            self._board = box("cols")
        self._draw()
        self.dialog.open()

    def _draw(self) -> None:
        self._board.clear()
        self._target.set_options({i: one["label"] for i, one in enumerate(self.groups)}, value=0)
        self._count.set_content(escape(self.words("editor.chosen", n=len(self.chosen))))
        with self._board:
            for i, one in enumerate(self.groups):
                with box("card"):
                    label = ui.input(value=one["label"], on_change=lambda e, i=i: self._rename(i, e.value))
                    name(label.props("outlined dense"), self.words("editor.group_name"))
                    with box("line tight").style("min-height: 44px") as values:
                        values.on("drop", lambda e, i=i: self._drop(i))
                        values.on("dragover.prevent", lambda: None, args=[])
                        for value in one["values"]:
                            self._value(value)

    def _value(self, value: str) -> None:
        on = value in self.chosen
        made = ui.button(value or self.words("common.missing"), color=None).props(
            "no-caps dense flat draggable=true"
        )
        made.classes("quiet" if not on else "main-action")
        made.props["aria-pressed"] = "true" if on else "false"
        made.on("click", lambda e: self._choose(value, bool(e.args.get("shiftKey"))), args=["shiftKey"])
        made.on("dragstart", lambda: self._lift(value), args=[])

    def _choose(self, value: str, run: bool) -> None:
        """Choose a value, or with shift all from the last one to here."""
        order = [one for group in self.groups for one in group["values"]]
        if run and self._last in order:
            a, b = sorted((order.index(self._last), order.index(value)))
            self.chosen |= set(order[a : b + 1])
        else:
            self.chosen ^= {value}
        self._last = value
        self._draw()

    def _lift(self, value: str) -> None:
        self.chosen |= {value}

    def _drop(self, place: int) -> None:
        self._target.value = place
        self._move()

    def _rename(self, place: int, label: str) -> None:
        self.groups[place]["label"] = label

    def _move(self) -> None:
        move(self.groups, self.chosen, self._target.value or 0)
        self.chosen = set()
        self._draw()

    def _split(self) -> None:
        if self.chosen:
            split(self.groups, self.chosen, self.words("editor.new_group"))
            self.chosen = set()
            self._draw()

    async def _keep(self) -> None:
        found = await self.pane.step.ask("hierarchies.regroup", column=self.pane.column, groups=self.groups)
        if found is not None:
            self.dialog.close()
            await self.pane._keep(found["hierarchy"])


def move(groups: list[dict[str, Any]], values: set[str], place: int) -> None:
    """Move values into a group; groups left empty go."""
    kept = groups[place]
    for one in groups:
        taken = [value for value in one["values"] if value in values]
        if one is not kept:
            one["values"] = [value for value in one["values"] if value not in values]
            kept["values"] += taken
    groups[:] = [one for one in groups if one["values"]]


def split(groups: list[dict[str, Any]], values: set[str], label: str) -> None:
    """Put values into a group of their own."""
    groups.append({"label": fresh_label(groups, label), "values": []})
    move(groups, values, len(groups) - 1)


def fresh_label(groups: list[dict[str, Any]], label: str) -> str:
    """A label that no group has yet."""
    taken = {one["label"] for one in groups}
    return next(
        one for one in (label, *(f"{label} {i}" for i in range(2, len(groups) + 3))) if one not in taken
    )


def draw_tree(node: dict[str, Any], words: Any) -> str:
    """A tree as nested lists; long ones were cut by the task."""

    def item(one: dict[str, Any]) -> str:
        if "more" in one:
            return f"<li><small>{escape(words('common.others', n=one['more']))}</small></li>"
        label = words("common.missing") if one["label"] is None else one["label"]
        count = f" <small>{words.number(one['records'])}</small>"
        below = "".join(item(child) for child in one.get("children", ()))
        return f"<li>{escape(label)}{count}{f'<ul>{below}</ul>' if below else ''}</li>"

    return f"<ul>{item(node)}</ul>"
