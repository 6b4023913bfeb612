"""`serve`: the workbench on this machine, behind its guard, until it is stopped."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import secrets
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from lookalike.base.errors import MissingExtra, RequestError, in_words
from lookalike.web.folders import PrivateFolder
from lookalike.web.guard import App, Guard, tell_place
from lookalike.web.policy import REPORT, Policy

MOST_BYTES = 500_000_000


def serve(
    file: str | Path | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    folder: str | Path = ".",
    most_bytes: int = MOST_BYTES,
    tell: Callable[[str, str], None] = print,
) -> None:
    """Open the workbench and stay until interrupted.

    tell: gets the address, with the key that lets a browser in, and that of a private file that leads there. A program
    is started with the file: what stands in its command line is shown to every account of the machine.
    host: an address of this machine; others than loopback let other machines in, with the key.
    port: 0 takes a free one.
    folder: releases are saved below it and nowhere else.
    """
    try:
        import uvicorn
    except ImportError:
        raise MissingExtra("nicegui", "web", "The workbench") from None
    if file is not None and not Path(file).is_file():
        raise RequestError(f"{file}: no such file.")
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    os.umask(0o077)
    private = PrivateFolder()
    before, tempfile.tempdir = tempfile.tempdir, str(private.path)  # uploads that spill to disk stay inside
    os.environ["NICEGUI_STORAGE_PATH"] = str(private.path / "storage")
    first = None if file is None else {"path": str(Path(file).absolute()), "name": Path(file).name}
    try:
        app = build(private, first, folder=Path(folder).absolute(), most_bytes=most_bytes)
        guard = Guard(app, hosts=names_of(host), port=port, token=token, most_bytes=most_bytes)
        config = uvicorn.Config(
            guard,
            log_level="error",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,
            ws_max_size=16 * 2**20,
        )
        shown = f"[{host}]" if ":" in host else host
        if hasattr(signal, "SIGPIPE"):  # not on Windows; else whoever hangs up early ends the server
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, _leave)  # uvicorn passes it on when it has closed; then the folder goes
        address = f"http://{shown}:{port}/?token={token}"
        tell(address, private.leading_to(address).as_uri())
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        tempfile.tempdir = before
        private.remove()
        listening.close()


def _leave(number: int, frame: object) -> NoReturn:
    raise SystemExit(0)


def build(
    private: PrivateFolder, first: dict[str, Any] | None, *, folder: Path, most_bytes: int = MOST_BYTES
) -> App:
    """The application behind the guard: pages, rows and downloads."""
    from fastapi import FastAPI, HTTPException
    from fastapi.responses import FileResponse
    from nicegui import app as pages
    from nicegui import ui

    from lookalike.web import page
    from lookalike.web.sessions import Sessions
    from lookalike.web.worker import TaskError

    sessions = Sessions(private, first)
    api = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @api.get("/rows/{key}")
    async def rows(key: str, start: int, end: int, of: str = "original") -> Any:
        session = sessions.by_key(key)
        if session is None or of not in ("original", "release"):
            raise HTTPException(404)
        try:
            return await session.worker.call("tables.rows", session.bench.recipe, start=start, end=end, of=of)
        except TaskError:
            raise HTTPException(409) from None

    @api.get("/files/{key}/{name}")
    async def files(key: str, name: str) -> Any:
        session = sessions.by_key(key)
        if session is None or name not in page.DOWNLOADS or not (session.folder / name).is_file():
            raise HTTPException(404)
        return FileResponse(session.folder / name, filename=name, headers={"Cache-Control": "no-store"})

    @api.get("/reports/{key}/{name}")
    async def reports(key: str, name: str) -> Any:
        session = sessions.by_key(key)
        if session is None or name not in page.REPORTS or not (session.folder / name).is_file():
            raise HTTPException(404)
        return FileResponse(session.folder / name, headers=REPORT)

    logging.getLogger("nicegui").setLevel(logging.CRITICAL)  # its tracebacks could show cells
    pages.on_exception(tell_place)
    pages.add_middleware(Policy)
    page.register(sessions, folder=folder, most_bytes=most_bytes)
    pages.on_shutdown(sessions.end)
    ui.run_with(
        api,
        title="Lookalike",
        favicon=page.ICON,
        reconnect_timeout=30,
        tailwind=False,
        dark=None,
        language="en-US",
        show_welcome_message=False,
    )
    return api


def names_of(host: str) -> list[str]:
    """The names under which a browser may call: loopback has three."""
    if host in ("localhost", "") or _is_loopback(host):
        return ["127.0.0.1", "localhost", "[::1]"]
    if host in ("0.0.0.0", "::"):
        raise RequestError(
            "name one address of this machine instead of all: the workbench answers only to its own name."
        )
    return [f"[{host}]" if ":" in host else host]


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    names_of(host)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as problem:
        listening.close()
        raise RequestError(
            f"cannot listen on {host}:{port} ({in_words(problem)}). Choose another port."
        ) from None
    listening.listen(128)
    return listening
