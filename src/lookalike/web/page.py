"""The page: a rail of steps, the step in the middle, a strip of numbers below. It draws and listens, thinks nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from nicegui import Client, background_tasks, ui
from nicegui.events import KeyEventArguments

from lookalike.web.drawing import box, icon_button, name, text
from lookalike.web.panel import RecipePanel
from lookalike.web.sessions import Session, Sessions
from lookalike.web.state import MAKES_TABLE, key_of
from lookalike.web.steps.step import Step
from lookalike.web.words import LANGUAGES, Words
from lookalike.web.worker import TaskError

STEPS = ("table", "columns", "risk", "blur", "use", "attack", "release", "explain")
DOWNLOADS = ("release.zip", "private.zip", "hierarchy.csv", "recipe.toml", "recipe.zip")
REPORTS = ("report.html", "report-internal.html")
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" '
    'stroke="#1f7ab8" stroke-width="2.2"><circle cx="9" cy="12" r="6.6"/><circle cx="15" cy="12" r="6.6"/></svg>'
)
_STYLE = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")


def register(sessions: Sessions, *, folder: Path, most_bytes: int) -> None:
    """Offer the page at the root of the server."""

    @ui.page("/")
    async def index(client: Client) -> None:
        await open_page(client, sessions, folder=folder, most_bytes=most_bytes)


async def open_page(client: Client, sessions: Sessions, *, folder: Path, most_bytes: int) -> None:
    """Draw the page for the tab that asks, from what its session holds."""
    ui.add_css(_STYLE)
    ui.colors(primary="#1f5f8b")
    await client.connected(timeout=30)
    tab = str(client.tab_id)
    session = sessions.of_tab(tab)
    session.pages += 1
    client.on_delete(lambda: sessions.leave(tab, session))
    desk = Desk(session, folder=folder, most_bytes=most_bytes)
    sessions.desks[client.id] = desk
    client.on_delete(lambda: sessions.desks.pop(client.id, None))
    await desk.draw()


class Desk:
    """One open page of a session."""

    def __init__(self, session: Session, *, folder: Path, most_bytes: int) -> None:
        self.session, self.folder, self.most_bytes = session, folder, most_bytes
        self.words = Words(session.language)
        self.step: Step | None = None
        self.panel = RecipePanel(self)
        self._rail: dict[str, ui.button] = {}
        self._busy: set[asyncio.Task[Any]] = set()
        self._signed = False  # when the page was last brought up to date

    @property
    def recipe(self) -> dict[str, Any]:
        """The decisions so far."""
        return self.session.bench.recipe

    async def draw(self) -> None:
        """Draw everything once; steps and strip are then changed in place."""
        self.dark = ui.dark_mode(self.session.dark)
        with box("desk"):
            with box("top", "header"):
                self._draw_top()
            with box("rail", "nav") as rail:
                name(rail, self.words("page.steps"))
                self._draw_rail()
            with box("main") as self._main:
                pass
            self.panel.draw()
            with box("strip", "footer") as strip:
                name(strip, self.words("strip.name"))
                self._strip = ui.html("").style("display:contents")
        self._keyboard = ui.keyboard(on_key=self._on_key, ignore=["input", "select", "textarea"])
        await self.show(self.session.step)

    def _draw_top(self) -> None:
        words = self.words
        ui.html(f'<span class="brand">{ICON} Lookalike</span>')
        self._file = text("div", "", "filename")
        box("grow")
        self._undo = icon_button("undo", words("page.undo"), self.undo)
        self._redo = icon_button("redo", words("page.redo"), self.redo)
        icon_button("receipt_long", words("page.recipe"), self.panel.turn)
        with ui.button(icon="translate", color=None).props("flat round dense") as languages:
            name(languages, words("page.language")).tooltip(words("page.language"))
            with ui.menu():
                for code, label in LANGUAGES.items():
                    ui.menu_item(label, on_click=lambda code=code: self._speak(code))
        icon_button("contrast", words("page.theme"), self._turn)

    def _draw_rail(self) -> None:
        for number, key in enumerate(STEPS, 1):
            if key == "explain":
                box("gap")
            shown = "?" if key == "explain" else str(number)
            label = self.words(f"{key}.name")
            made = ui.button(on_click=lambda key=key: self.show(key), color=None).props("flat no-caps")
            with name(made, label):
                text("span", shown, "number")
                text("span", label, "label")
            self._rail[key] = made

    async def show(self, key: str) -> None:
        """Go to a step."""
        self.session.step = key
        for other, made in self._rail.items():
            made.classes(add="here" if other == key else "", remove="" if other == key else "here")
            made.props["aria-current"] = "step" if other == key else "false"
        await self.redraw()

    async def redraw(self) -> None:
        """Draw the step again, after an undo or a change of language."""
        if self.step is not None:
            self.step.leave()
        self._main.clear()
        key = self.session.step
        self.step = getattr(import_module(f"lookalike.web.steps.{key}"), f"{key.title()}Step")(self)
        with self._main, box("step"):
            self.refresh()
            await self.step.draw()

    def changed(self) -> None:
        """A decision was made: keep it, and show what follows at the edges of the page."""
        self.session.autosave()
        lapsed = self.session.bench.lapsed
        if self._signed and lapsed is not None:
            ui.notify(self.words("release.lapsed", name=lapsed["name"]), type="warning")
        self.refresh()

    def refresh(self) -> None:
        """Bring the edges of the page up to date."""
        source = self.recipe["source"]
        self._signed = self.recipe["signature"] is not None
        self._file.set_content("" if source is None else escape(self.title(source)))
        self._undo.set_enabled(self.session.bench.can_undo)
        self._redo.set_enabled(self.session.bench.can_redo)
        self.spawn(self._update_strip())
        self.spawn(self.panel.refresh())

    def title(self, source: dict[str, Any]) -> str:
        """What the table is called."""
        return (
            self.words("table.invented", n=source["invented"])
            if "invented" in source
            else str(source["name"])
        )

    async def _update_strip(self) -> None:
        """Before -> now, as far as either is known."""
        words, before = self.words, None
        if self.recipe["source"] is not None and self.session.bench.having("quasi"):
            before = await self._before()
        now, tried = self.session.numbers, self.session.tried_numbers
        self._strip.set_content(draw_strip(words, before, now or tried))

    async def _before(self) -> dict[str, Any] | None:
        """The table as it came, measured once for what it depends on; None where that cannot be."""
        key = key_of(self.recipe, (*MAKES_TABLE, "promises"))
        if self.session.before is None or self.session.before[0] != key:
            try:
                self.session.before = key, await self.session.worker.call("risks.before", self.recipe)
            except TaskError:
                return None
        return self.session.before[1]

    def spawn(self, work: Awaitable[Any]) -> asyncio.Task[Any]:
        """Do something beside; it belongs to this page."""
        task: asyncio.Task[Any] = background_tasks.create(self._within(work))
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)
        return task

    async def _within(self, work: Awaitable[Any]) -> Any:
        with self._main:
            return await work

    async def undo(self) -> None:
        """Take the last decision back."""
        await self._jump(self.session.bench.undo)

    async def redo(self) -> None:
        """Take the last undoing back."""
        await self._jump(self.session.bench.redo)

    async def _jump(self, move: Callable[[], bool]) -> None:
        """Follow an undo or redo, in place where the step can; another table is drawn anew."""
        read = self.session.read_key
        if not move():
            return
        self.changed()
        same = read == self.session.read_key
        if not (same and self.step is not None and await self.step.follow()):
            await self.redraw()

    async def _on_key(self, event: KeyEventArguments) -> None:
        if not event.action.keydown or event.action.repeat:
            return
        pressed, held = str(event.key), event.modifiers
        if held.ctrl or held.meta:
            if pressed.lower() == "z":
                await (self.redo() if held.shift else self.undo())
        elif held.alt:
            if pressed.isdigit() and 0 < int(pressed) <= len(STEPS):
                await self.show(STEPS[int(pressed) - 1])
        elif self.step is not None:
            await self.step.press(pressed)

    def _turn(self) -> None:
        self.dark.value = not self.dark.value if self.dark.value is not None else True
        self.session.dark = self.dark.value
        if self.step is not None:
            self.step.recolour()

    async def _speak(self, language: str) -> None:
        self.session.language = language
        ui.run_javascript("location.reload()")


def draw_strip(words: Words, before: dict[str, Any] | None, now: dict[str, Any] | None) -> str:
    """The strip as HTML: what the table was, what the release is, or would be by a sample or a draft."""

    def pair(label: str, was: str, is_now: str) -> str:
        return f'<div class="pair"><span>{escape(label)}</span><b><i>{escape(was)} →</i> {escape(is_now)}</b></div>'

    def shown(numbers: dict[str, Any] | None, key: str) -> str:
        return "–" if numbers is None else words.number(numbers[key])

    kept = "–" if now is None else words.percent(1 - now["loss"])
    gone = "–"
    if now is not None and before is not None:  # a sample's share, told of the whole
        gone = words.number(round(now["suppressed"] * before["records"] / max(now["records"], 1)))
    parts = [
        pair(words("strip.smallest"), shown(before, "k"), shown(now, "k")),
        pair(words("strip.alone"), shown(before, "uniques"), shown(now, "uniques")),
        pair(words("strip.detail"), "–" if before is None else words.percent(1.0), kept),
        pair(words("strip.left_out"), "–" if before is None else "0", gone),
    ]
    if now is not None and "sample" in now:
        verdict, kind = words("strip.on_sample"), ""
    elif now is not None:
        verdict, kind = words("strip.draft" if "draft" in now else "strip.kept"), "good"
    elif before is not None:
        verdict, kind = (
            (words("strip.kept_already"), "good") if before["kept"] else (words("strip.broken"), "bad")
        )
    else:
        verdict, kind = words("strip.nothing"), ""
    mark = {"good": "✓ ", "bad": "✗ "}.get(kind, "")
    parts.append(f'<div class="verdict"><span class="chip {kind}">{mark}{escape(verdict)}</span></div>')
    return "".join(parts)
