"""Stories on the workbench, told by a simulated user without a browser."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="the workbench needs NiceGUI: pip install 'lookalike[web]'")
from nicegui import ElementFilter, ui
from nicegui.testing import User, user_simulation

from lookalike.web import page
from lookalike.web.folders import PrivateFolder
from lookalike.web.sessions import Session, Sessions


class Story:
    """A simulated user with the session of their tab."""

    def __init__(self, user: User, sessions: Sessions) -> None:
        self.user, self.sessions = user, sessions

    @property
    def session(self) -> Session:
        return self.sessions.of_tab(self.user.tab_id)

    def shown(self) -> str:
        """All text on the page."""
        with self.user:
            return "\n".join(
                str(getattr(one, "content", "") or getattr(one, "text", ""))
                for one in ElementFilter(kind=ui.element)
                if one.visible
            )

    async def see(self, words: str, seconds: float = 60) -> None:
        for _ in range(int(seconds * 20)):
            if words in self.shown():
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"{words!r} does not appear in:\n{self.shown()}")

    async def until(self, holds: Callable[[], bool], seconds: float = 60) -> None:
        for _ in range(int(seconds * 20)):
            if holds():
                return
            await asyncio.sleep(0.05)
        raise AssertionError("it does not come about")

    async def press(self, label: str, *, last: bool = False) -> None:
        """Press the first button with this label or name, or the last, once it is there."""
        for _ in range(600):
            with self.user:
                found = [
                    one
                    for one in ElementFilter(kind=ui.button)
                    if label in (one.text, one.props.get("aria-label")) and one.visible and one.enabled
                ]
            if found:
                break
            await asyncio.sleep(0.05)
        assert found, f"no button {label!r} in:\n{self.shown()}"
        interaction = self.user.find(kind=ui.button)
        interaction.elements = {found[-1 if last else 0]}
        interaction.click()

    def write(self, label: str, value: Any) -> None:
        """Write or choose a value in the field with this label."""
        with self.user:
            made = [
                one
                for kind in (ui.select, ui.number)
                for one in ElementFilter(kind=kind)
                if one.props.get("label") == label
            ]
        assert len(made) == 1
        with self.user:
            made[0].set_value(value)

    async def give(self, file: Path) -> None:
        """Drop a file on the page, once there is a place for it."""
        for _ in range(600):
            with self.user:
                found = [one for one in ElementFilter(kind=ui.upload) if one.visible]
            if found:
                break
            await asyncio.sleep(0.05)
        assert found, f"no place for a file in:\n{self.shown()}"
        with self.user:
            await found[0].handle_uploads([ui.upload.SmallFileUpload(file.name, "", file.read_bytes())])

    @property
    def desk(self) -> Any:
        """The open page."""
        return next(iter(self.sessions.desks.values()))


def play(tmp_path: Path, story: Callable[[Story], Awaitable[None]], first: dict[str, Any] | None) -> None:
    modules = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "lookalike"}

    async def whole() -> None:
        private = PrivateFolder()
        sessions = Sessions(private, first)

        try:
            async with user_simulation(lambda: None) as user:
                page.register(sessions, folder=tmp_path, most_bytes=1_000_000)
                await user.open("/")
                try:
                    await story(Story(user, sessions))
                finally:
                    await sessions.end()
        finally:
            private.remove()

    try:
        asyncio.run(asyncio.wait_for(whole(), 300))
    finally:
        sys.modules.update(modules)  # the simulation takes those away that draw pages
