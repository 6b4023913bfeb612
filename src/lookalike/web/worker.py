"""A worker process, seen from the server: ask it, hear how far it is, stop it.

One process per session, so that stopping one person's work never touches another's. Messages are lines of JSON over
pipes. Its standard input is its lifeline as well: when the server is gone, however it went, the worker ends. Nothing
that it holds is lost with it, since every request brings the whole recipe.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LINE = 2**27  # the longest answer, in bytes
_PATIENCE = 0.5  # seconds for work to stop by itself before the process is ended
Report = Callable[[float], None]


class TaskError(Exception):
    """What was asked cannot be done, in words for the person. `kind`: request, guarantee, lost, bug or cancelled."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class Worker:
    """The worker of one session; started on first use, and again after it was ended or died."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._reading: asyncio.Task[None] | None = None
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[asyncio.Future[Any], Report | None]] = {}
        self._closed = False  # the session is over: no process is started any more
        self._restarting = False  # the process is ended on purpose; others who wait ask again

    async def call(
        self,
        task: str,
        recipe: dict[str, Any],
        *,
        long: bool = False,
        on_progress: Report | None = None,
        **told: Any,
    ) -> Any:
        """Ask for a task and wait for its answer. Long work and quick answers go side by side.

        Cancelling the waiting stops the work.
        """
        while True:
            try:
                return await self._call(task, recipe, long, on_progress, told)
            except TaskError as problem:
                if problem.kind != "restarted":  # ended to stop other work: asked again of the next process
                    raise

    async def _call(
        self,
        task: str,
        recipe: dict[str, Any],
        long: bool,
        on_progress: Report | None,
        arguments: dict[str, Any],
    ) -> Any:
        await self._start()
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer, on_progress
        try:
            await self._send({"id": number, "task": task, "recipe": recipe, "long": long, "told": arguments})
            return await answer
        except asyncio.CancelledError:
            self._waiting.pop(number, None)
            await self._stop(number, long)
            raise
        finally:
            self._waiting.pop(number, None)

    async def _start(self) -> None:
        async with self._starting:
            if self._closed:
                raise TaskError("the session has ended.", "cancelled")
            if self._process is not None and self._process.returncode is None:
                return
            source = str(Path(__file__).parents[2])
            path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "lookalike.web.working",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,  # a traceback could show cells
                limit=_LINE,
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=os.name != "nt",  # Ctrl-C is the server's business
            )
            self._reading = asyncio.create_task(self._read(self._process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hand answers to those who wait for them; whatever happens, nobody waits for ever."""
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                self._hear(json.loads(line))
        except (ValueError, OSError):  # a line too long, or cut off
            process.kill()
        await process.wait()
        if process is self._process:
            waiting, self._waiting = self._waiting, {}
            for answer, _ in waiting.values():
                if not answer.done():
                    answer.set_exception(TaskError("", "restarted" if self._restarting else "lost"))

    def _hear(self, message: dict[str, Any]) -> None:
        answer, report = self._waiting.get(message["id"], (None, None))
        if answer is None or answer.done():
            return
        if "share" in message:
            if report is not None:
                with contextlib.suppress(Exception):  # a page that is gone must not end the reading
                    report(message["share"])
        elif "error" in message:
            answer.set_exception(TaskError(message["error"], message["kind"]))
        else:
            answer.set_result(message["result"])

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        with contextlib.suppress(ConnectionError):  # the reader tells that the process is gone
            await self._process.stdin.drain()

    async def _stop(self, number: int, long: bool) -> None:
        """Stop one piece of work: kindly, and long work that does not listen by ending the process."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        stopped: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = stopped, None
        try:
            await self._send({"id": number, "cancel": True})
            if long:
                await asyncio.wait_for(stopped, _PATIENCE)
        except TaskError:
            pass
        except TimeoutError:
            self._waiting.pop(number, None)
            self._restarting = True
            await self.end()
            self._restarting = False
        finally:
            self._waiting.pop(number, None)

    async def end(self) -> None:
        """End the process now. The next call starts another."""
        process, reading = self._process, self._reading
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        if reading is not None:
            await asyncio.wait([reading])
        if process is not None and process.stdin is not None:
            process.stdin.close()

    async def close(self) -> None:
        """End the process for good."""
        self._closed = True
        await self.end()

    @property
    def pid(self) -> int | None:
        """The process, where one is running."""
        alive = self._process is not None and self._process.returncode is None
        return self._process.pid if alive and self._process is not None else None
