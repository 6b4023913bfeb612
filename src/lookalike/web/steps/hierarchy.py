"""A column's hierarchy as a tree one can see and change: steps of intervals, groups of values, files in and out."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.events import UploadEventArguments

from lookalike.web.drawing import box, button, icon_button, text
from lookalike.web.grouping import Paths
from lookalike.web.steps.editor import GroupEditor
from lookalike.web.words import Words
from lookalike.web.worker import TaskError

if TYPE_CHECKING:
    from lookalike.web.steps.columns import ColumnsStep


class HierarchyPane:
    """The hierarchy of one quasi-identifier."""

    def __init__(self, step: ColumnsStep, column: str) -> None:
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
                    icon_button("restart_alt", words("hierarchy.reset"), lambda: self.keep(None))
        text("p", words(f"hierarchy.how_{found['how']}"), "soft small")
        steps = " → ".join(words.number(n) for n in found["sizes"])
        text("p", words("hierarchy.steps", steps=steps), "small num")
        ui.html(draw_tree(found["tree"], words)).classes("tree")
        if found["numeric"]:
            self._widths(found)
        elif found["editable"]:
            button(words("hierarchy.edit"), lambda: GroupEditor(self, found["paths"]).open())
        with ui.expansion(words("hierarchy.import")).props("dense").classes("small"):
            ui.upload(label=words("hierarchy.import_how"), on_upload=self._import, auto_upload=True).props(
                'accept=".csv" flat'
            )

    def _widths(self, answer: dict[str, Any]) -> None:
        words = self.words
        shown = ", ".join(f"{width:g}" for width in answer["widths"])
        with box("line"):
            typed = ui.input(words("hierarchy.widths"), value=shown, placeholder="5, 10, 20").props(
                "outlined dense"
            )
            button(words("hierarchy.set"), lambda: self._set_widths(typed.value))

    async def _set_widths(self, typed: str) -> None:
        found = await self.step.ask("hierarchies.widths", column=self.column, typed=typed)
        if found is not None:
            await self.keep(found["hierarchy"])

    async def keep(self, hierarchy: dict[str, Any] | None) -> None:
        """Decide for a hierarchy, and show it."""
        self.step.bench.change_in("hierarchies", **{self.column: hierarchy})
        self.step.desk.changed()
        await self.step.show_column(self.column)

    async def _import(self, event: UploadEventArguments) -> None:
        path = self.step.session.new_path(event.file.name, ".csv")
        await event.file.save(path)
        found = await self.step.ask("hierarchies.take", column=self.column, path=str(path))
        if found is not None:
            await self.keep(found["hierarchy"])

    async def _export(self) -> None:
        path = self.step.session.folder / "hierarchy.csv"
        if await self.step.ask("hierarchies.write", column=self.column, path=str(path)) is not None:
            ui.download.from_url(f"/files/{self.step.session.key}/hierarchy.csv")

    async def try_paths(self, paths: Paths) -> tuple[dict[str, Any] | None, str | None]:
        """The hierarchy of these paths, or why there is none."""
        try:
            found = await self.step.session.worker.call(
                "hierarchies.regroup", self.step.bench.recipe, column=self.column, paths=paths
            )
        except TaskError as problem:
            return None, str(problem)
        return found["hierarchy"], None


def draw_tree(node: dict[str, Any], words: Words) -> str:
    """A tree as nested lists; long ones were cut by the task."""

    def item(one: dict[str, Any]) -> str:
        if "more" in one:
            return f"<li><small>{escape(words('common.others', n=one['more']))}</small></li>"
        label = words("common.missing") if one["label"] is None else one["label"]
        count = f" <small>{words.number(one['records'])}</small>"
        below = "".join(item(child) for child in one.get("children", ()))
        return f"<li>{escape(label)}{count}{f'<ul>{below}</ul>' if below else ''}</li>"

    return f"<ul>{item(node)}</ul>"
