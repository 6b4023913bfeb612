"""The editor of groups: values are dragged, merged, split and renamed, steps added and taken away."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nicegui import ui

from lookalike.web import grouping
from lookalike.web.drawing import box, button, icon_button, name, text
from lookalike.web.grouping import Paths

if TYPE_CHECKING:
    from lookalike.web.steps.hierarchy import HierarchyPane


class GroupEditor:
    """A dialogue over one step of a hierarchy at a time; nothing is decided until it is kept."""

    def __init__(self, pane: HierarchyPane, paths: Paths) -> None:
        self.pane, self.words = pane, pane.words
        self.paths = grouping.with_a_step(paths)
        self.step = 1
        self.chosen: set[str] = set()
        self._last: str | None = None

    def open(self) -> None:
        """Show the dialogue."""
        words = self.words
        with ui.dialog().props("maximized") as self.dialog, ui.card().classes("step editor"):
            with box("line ends"):
                text("h1", words("editor.title", column=self.pane.column))
                with box("line tight"):
                    button(words("common.cancel"), self.dialog.close)
                    button(words("editor.keep"), self._keep, main=True)
            text("p", words("editor.how"), "lead")
            self._trouble = text("p", "", "trouble")
            self._trouble.props["role"] = "alert"
            self._trouble.set_visibility(False)
            with box("line"):
                self._steps = ui.select({}, label=words("editor.step"), on_change=self._turn_to)
                self._steps.props("outlined dense").style("min-width: 240px")
                button(words("editor.add_step"), self._add_step)
                self._less = button(words("editor.remove_step"), self._remove_step)
            with box("line"):
                self._target = ui.select({}, label=words("editor.move_to")).props("outlined dense")
                self._target.style("min-width: 240px")
                button(words("editor.move"), self._move)
                button(words("editor.split"), self._split)
                self._count = text("span", "", "soft small")
            self._board = box("cols")
        self._draw()
        self.dialog.open()

    def _draw(self) -> None:
        words = self.words
        groups = grouping.groups_at(self.paths, self.step)
        steps = {
            i: words("editor.step_n", i=i, n=len(grouping.groups_at(self.paths, i)))
            for i in grouping.steps_of(self.paths)
        }
        self._steps.set_options(steps, value=self.step)
        self._less.set_enabled(len(steps) > 1)
        labels = list(groups)
        self._target.set_options(dict(enumerate(labels)), value=0)
        self._count.set_content(escape(words("editor.chosen", n=len(self.chosen))))
        self._board.clear()
        with self._board:
            for i, (label, items) in enumerate(groups.items()):
                self._group(i, label, items, before=labels[i - 1] if i else None)

    def _group(self, place: int, label: str, items: list[str], *, before: str | None) -> None:
        words = self.words
        with box("card group") as card:
            card.on("drop", lambda: self._drop(label), args=[])
            card.on("dragover.prevent", lambda: None, args=[])
            with box("line tight").style("flex-wrap: nowrap"):
                typed = ui.input(value=label).props("outlined dense").style("flex: 1")
                name(typed, words("editor.group_name"))
                typed.on("change", lambda: self._rename(label, typed.value))
                icon_button("select_all", words("editor.choose_all"), lambda: self._choose_all(items))
                if before is not None:
                    icon_button("merge", words("editor.merge"), lambda: self._rename(label, before))
            with box("line tight"):
                for item in items:
                    self._value(item)

    def _value(self, item: str) -> None:
        on = item in self.chosen
        made = ui.button(item, color=None).props("no-caps dense flat draggable=true")
        made.classes("quiet" if not on else "main-action")
        made.props["aria-pressed"] = "true" if on else "false"
        made.on("click", lambda e: self.choose(item, run=bool(e.args.get("shiftKey"))), args=["shiftKey"])
        made.on("dragstart", lambda: self.chosen.add(item), args=[])

    def choose(self, item: str, *, run: bool = False) -> None:
        """Choose an item, or with shift all from the last one to here."""
        order = [one for items in grouping.groups_at(self.paths, self.step).values() for one in items]
        if run and self._last in order:
            a, b = sorted((order.index(self._last), order.index(item)))
            self.chosen |= set(order[a : b + 1])
        else:
            self.chosen ^= {item}
        self._last = item
        self._draw()

    def _choose_all(self, items: list[str]) -> None:
        self.chosen = self.chosen - set(items) if set(items) <= self.chosen else self.chosen | set(items)
        self._draw()

    def _drop(self, label: str) -> None:
        self._change(grouping.move(self.paths, self.step, self.chosen, label))

    def _move(self) -> None:
        labels = list(grouping.groups_at(self.paths, self.step))
        self._change(grouping.move(self.paths, self.step, self.chosen, labels[self._target.value or 0]))

    def _split(self) -> None:
        if self.chosen:
            label = self.words("editor.new_group")
            self._change(grouping.split(self.paths, self.step, self.chosen, label))

    def _rename(self, label: str, to: str) -> None:
        self._change(grouping.rename(self.paths, self.step, label, to))

    def _add_step(self) -> None:
        self.step += 1
        self._change(grouping.add_step(self.paths, self.step - 1))

    def _remove_step(self) -> None:
        paths = grouping.remove_step(self.paths, self.step)
        self.step = min(self.step, len(grouping.steps_of(paths)))
        self._change(paths)

    def _turn_to(self) -> None:
        if self._steps.value not in (None, self.step):
            self.step = self._steps.value
            self._change(self.paths)

    def _change(self, paths: Paths) -> None:
        self.paths, self.chosen, self._last = paths, set(), None
        self._draw()

    async def _keep(self) -> None:
        found, problem = await self.pane.try_paths(self.paths)
        self._trouble.set_content(escape(problem or ""))
        self._trouble.set_visibility(bool(problem))
        if found is not None:
            self.dialog.close()
            await self.pane.keep(found)
