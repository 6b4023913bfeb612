"""Long work of a step: a bar that shows how far it is, and the button that stops it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import button, name, text

if TYPE_CHECKING:
    from lookalike.web.steps.step import Step


class WorkLine:
    """Where one kind of work is asked for and waited for. The session owns it: a step drawn anew finds it again."""

    def __init__(self, step: Step, kind: str, *, on_over: Callable[[], Any] = lambda: None) -> None:
        self.step, self.session, self._kind = step, step.session, kind
        words = step.words
        self._bar = ui.linear_progress(value=0, show_value=False).style("max-width: 260px")
        name(self._bar, words("blur.progress"))
        self._stop = button(words("common.cancel"), lambda: self.session.stop_work(kind))
        self._over = text("span", "", "soft small")
        self._over.props["aria-live"] = "polite"
        running = self.session.works.get(kind)
        self._show(running)
        if running is not None:
            step.desk.spawn(self._follow(running, on_over))

    def _show(self, work: asyncio.Task[Any] | None) -> None:
        running = work is not None and not work.done()
        self._bar.set_visibility(running)
        self._stop.set_visibility(running)
        stopped = work is not None and work.done() and work.cancelled()
        self._over.set_content(self.step.words("blur.cancelled") if stopped else "")

    async def _follow(self, work: asyncio.Task[Any], on_over: Callable[[], Any]) -> None:
        await asyncio.wait([work])
        if not self._bar.is_deleted:
            self._show(self.session.works.get(self._kind, work))  # it may have been begun again
            on_over()

    async def ask(self, task: str, *pressed: ui.button, **told: Any) -> Any:
        """Ask the worker; None where there is no answer. Buttons that were pressed rest meanwhile."""
        for one in pressed:
            one.disable()
        self._bar.set_value(0)
        asked = self.step.ask(task, long=True, on_progress=self._bar.set_value, **told)
        work = self.session.begin_work(self._kind, asked)
        self._show(work)
        await asyncio.wait([work])
        self._show(self.session.works.get(self._kind, work))
        for one in pressed:
            one.enable()
        return None if work.cancelled() else work.result()
