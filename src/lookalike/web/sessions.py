"""Sessions: one per browser tab, so that two people, or two tabs, never see each other's table.

A session outlives a reload and a lost connection; a while after its last page is gone its worker ends and its files go.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lookalike.web.folders import PrivateFolder, keep_recipe
from lookalike.web.state import READS, Bench, key_of
from lookalike.web.worker import TaskError, Worker

GRACE = 60.0  # seconds a session waits for its tab to come back


@dataclass(eq=False)
class Session:
    """What belongs to one tab: decisions, a worker, a folder, and the last numbers of a release."""

    key: str
    folder: Path
    bench: Bench = field(default_factory=Bench)
    worker: Worker = field(default_factory=Worker)
    language: str = "en"
    dark: bool | None = None
    step: str = "table"
    tab: str = "promises"  #: of the step Blur
    panel: bool = False  #: whether the recipe is shown
    described: tuple[str, dict[str, Any]] | None = None  #: what `tables.describe` said, by what it depends on
    proposed: tuple[str, list[dict[str, Any]]] | None = None  #: the same of what `columns.propose` found
    offers: dict[str, dict[str, Any]] = field(default_factory=dict)  #: yesterday's recipes by their source
    names: dict[str, str] = field(default_factory=dict)  #: what files that came in are called, by their paths
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    column: str | None = None  #: the column that is looked at
    before: tuple[str, dict[str, Any]] | None = None  #: what `risks.before` said, by what it depends on
    released: tuple[str, dict[str, Any]] | None = None  #: the recipe's key and the numbers of its release
    tried: tuple[str, dict[str, Any]] | None = None  #: the same on a sample, or of a draft
    attacked: tuple[str, dict[str, Any]] | None = None  #: the same for the attacks on it
    works: dict[str, asyncio.Task[Any]] = field(default_factory=dict)  #: other long work, by its kind
    job: asyncio.Task[None] | None = None  #: the release that is being made
    progress: float = 0.0
    problem: TaskError | None = None  #: why the last one was not made
    pages: int = 0

    @property
    def source_key(self) -> str:
        """The key of the file that the recipe is about."""
        return key_of(self.bench.recipe, ("source",))

    @property
    def read_key(self) -> str:
        """The key of the file as the recipe has it read."""
        return key_of(self.bench.recipe, READS)

    @property
    def facts(self) -> dict[str, Any] | None:
        """What was understood of the file, if it is the one the recipe is about."""
        return self.described[1] if self.described and self.described[0] == self.read_key else None

    @property
    def inspection(self) -> list[dict[str, Any]] | None:
        """What was found in its columns, likewise."""
        return self.proposed[1] if self.proposed and self.proposed[0] == self.read_key else None

    @property
    def offer(self) -> dict[str, Any] | None:
        """Yesterday's recipe for this file, until it is taken or refused."""
        return self.offers.get(self.source_key)

    def new_path(self, given: str, suffix: str) -> Path:
        """Where a file is kept that comes in: never over another, to which an undo may lead back."""
        path = self.folder / f"given-{secrets.token_hex(4)}{suffix}"
        self.names[str(path)] = given
        return path

    def by_name(self, message: str) -> str:
        """A message that calls files as the person does who gave them."""
        for path, given in self.names.items():
            message = message.replace(path, given).replace(Path(path).name, given)
        return message

    @property
    def released_key(self) -> str:
        """The key of the release that the recipe describes."""
        return key_of(self.bench.recipe)

    @property
    def numbers(self) -> dict[str, Any] | None:
        """The numbers of the release, if it is the one the recipe describes."""
        return self.released[1] if self.released and self.released[0] == self.released_key else None

    @property
    def tried_numbers(self) -> dict[str, Any] | None:
        """The numbers on a sample or of a draft, if they are of what the recipe describes."""
        return self.tried[1] if self.tried and self.tried[0] == self.released_key else None

    @property
    def making(self) -> bool:
        """Whether a release of the whole table is being made."""
        return self.job is not None and not self.job.done()

    def make_release(self) -> None:
        """Begin to make the release. The work is the session's: a reload does not stop it."""
        self.stop()
        self.progress, self.problem = 0.0, None
        self.job = asyncio.create_task(self._make(self.released_key))

    async def _make(self, wanted: str) -> None:
        try:
            recipe = self.bench.recipe
            draft = await self.worker.call("blur.draft", recipe, long=True)
            if draft is not None:
                self.tried = wanted, draft
            found = await self.worker.call("blur.whole", recipe, long=True, on_progress=self._note_progress)
            self.released = wanted, found
        except TaskError as problem:
            self.problem = problem

    def _note_progress(self, share: float) -> None:
        self.progress = share

    def stop(self) -> None:
        """Stop making the release."""
        if self.job is not None:
            self.job.cancel()

    def begin_work(self, kind: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Begin other long work; of a kind only one is under way."""
        self.stop_work(kind)
        task = self.works[kind] = asyncio.create_task(work)
        task.add_done_callback(lambda done: self._forget_work(kind, done))
        return task

    def _forget_work(self, kind: str, done: asyncio.Task[Any]) -> None:
        if self.works.get(kind) is done:
            del self.works[kind]

    def stop_work(self, kind: str) -> None:
        """Stop it. The worker hears that nobody waits any more."""
        if kind in self.works:
            self.works[kind].cancel()

    def autosave(self) -> None:
        """Keep the recipe for tomorrow: decisions and answers, no rows."""
        if self.facts is not None and self.offer is None:
            keep_recipe(self.facts["digest"], {**self.bench.recipe, "source": None})


class Sessions:
    """All sessions of a server."""

    def __init__(self, private: PrivateFolder, first: dict[str, Any] | None = None) -> None:
        self.private, self.first = private, first
        self.desks: dict[str, Any] = {}  #: open pages by client
        self._by_tab: dict[str, Session] = {}
        self._waiting: set[asyncio.Task[None]] = set()

    def of_tab(self, tab: str) -> Session:
        """The session of a tab; a new one starts with the file given on the command line."""
        if tab not in self._by_tab:
            key = secrets.token_urlsafe(16)
            made = Session(key, self.private.of(key))
            if self.first is not None:
                made.bench = Bench({"source": self.first})
            self._by_tab[tab] = made
        return self._by_tab[tab]

    def by_key(self, key: str) -> Session | None:
        """The session with this key, for requests that fetch rows or files."""
        return next((one for one in self._by_tab.values() if secrets.compare_digest(one.key, key)), None)

    def leave(self, tab: str, session: Session) -> None:
        """A page of the tab is gone: free everything unless it comes back."""
        session.pages -= 1

        async def free() -> None:
            await asyncio.sleep(GRACE)
            if session.pages <= 0 and self._by_tab.get(tab) is session:
                del self._by_tab[tab]
                await self._free(session)

        task = asyncio.create_task(free())
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def end(self) -> None:
        """End every worker and remove every file."""
        for task in self._waiting:
            task.cancel()
        for session in self._by_tab.values():
            await self._free(session)
        self._by_tab.clear()

    async def _free(self, session: Session) -> None:
        session.stop()
        for kind in list(session.works):
            session.stop_work(kind)
        await session.worker.close()
        shutil.rmtree(session.folder, ignore_errors=True)
