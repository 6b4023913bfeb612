"""Who may talk to the workbench: the outermost layer, before any page, file or websocket.

Plain ASGI, since Starlette's own middleware never sees websockets. A request needs a Host of ours (else a foreign name
that resolves to this machine could read answers: DNS rebinding), an Origin of ours where there is one (on a websocket
there must be one), and a cookie. The address printed at the start holds a token; the browser that brings it gets that
cookie in exchange.

Browsers send a cookie to every port of its host, so to servers of other accounts of this machine as well, but only to
paths below its own. The page lives below a path drawn at the start that nobody else knows, and the cookie with it.
Bodies larger than allowed are refused, whatever the browser was told.
"""

from __future__ import annotations

import secrets
import sys
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_ASK = (
    "Open the workbench with the address that `lookalike serve` printed: it holds the key for this browser."
)


def tell_place(problem: Exception) -> None:
    """Say where an error nobody expected happened, never its message or its traceback: these could show a cell."""
    place = traceback.extract_tb(problem.__traceback__)[-1]
    print(
        f"unexpected: {type(problem).__name__} at {Path(place.filename).name}:{place.lineno}", file=sys.stderr
    )


class TooLarge(Exception):
    """A body is larger than allowed."""


class Guard:
    """An ASGI application around another one that lets only its own pages and its own person in."""

    def __init__(self, app: App, *, hosts: list[str], port: int, token: str, most_bytes: int) -> None:
        self.app = app
        self.hosts = {f"{host}:{port}" for host in hosts} | (set(hosts) if port == 80 else set())
        self.origins = {f"http://{host}" for host in self.hosts}
        self.token = token
        self.most_bytes = most_bytes
        self.root = f"/{secrets.token_urlsafe(12)}"
        self.cookie = f"lookalike_{port}={secrets.token_urlsafe(24)}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = [
            (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]
        ]
        if not self._ours(headers, websocket=scope["type"] == "websocket"):
            await self._refuse(scope, receive, send, 403, "This address does not belong to the workbench.")
        elif scope["path"].startswith(f"{self.root}/") and self._known(headers):
            await self._measured({**scope, "root_path": self.root}, receive, send, headers)
        elif scope["type"] == "http" and scope["path"] == "/" and self._brings_token(scope):
            await self._let_in(send)
        else:
            await self._refuse(scope, receive, send, 403, _ASK)

    def _ours(self, headers: list[tuple[str, str]], *, websocket: bool) -> bool:
        hosts = [value for name, value in headers if name == "host"]
        origins = [value for name, value in headers if name == "origin"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return False
        return all(origin in self.origins for origin in origins) and (bool(origins) or not websocket)

    def _known(self, headers: list[tuple[str, str]]) -> bool:
        """Whether the cookie is there; beside it may be others of its name, since every port can set cookies."""
        cookies = ";".join(value for name, value in headers if name == "cookie").split(";")
        return any(secrets.compare_digest(kept.strip().encode(), self.cookie.encode()) for kept in cookies)

    def _brings_token(self, scope: Scope) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        return secrets.compare_digest(given.encode(), self.token.encode())

    async def _let_in(self, send: Send) -> None:
        """Give the cookie, and go on to the page: from a page of ours, since a strict cookie stays behind otherwise."""
        cookie = f"{self.cookie}; Path={self.root}/; HttpOnly; SameSite=Strict"
        icon = '<link rel="icon" href="data:,">'  # else the browser asks for one outside the path, and is refused
        body = f'<!doctype html>{icon}<meta http-equiv="refresh" content="0;url={self.root}/">'.encode()
        headers = [(b"content-type", b"text/html"), (b"set-cookie", cookie.encode())]
        headers += [(b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer")]
        headers += [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _measured(
        self, scope: Scope, receive: Receive, send: Send, headers: list[tuple[str, str]]
    ) -> None:
        """Pass the request on, and stop it where its body grows too large."""
        told = next((value for name, value in headers if name == "content-length"), "0")
        limit = (
            f"The file is larger than {self.most_bytes / 1e6:,.0f} MB. Give it on the command line instead."
        )
        if scope["type"] == "http" and (not told.isdigit() or int(told) > self.most_bytes):
            await self._refuse(scope, receive, send, 413, limit)
            return
        seen, started, gone = 0, False, False

        async def counted() -> Message:
            nonlocal seen, gone
            message = await receive()
            gone = gone or message["type"].endswith(".disconnect")
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > self.most_bytes:
                    raise TooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, counted, noted)
        except TooLarge:
            if not started:
                await self._refuse(scope, receive, send, 413, limit)
        except Exception as problem:
            if gone:  # nobody waits for an answer, and libraries stumble over that
                return
            tell_place(problem)
            if scope["type"] == "http" and not started:
                await self._refuse(scope, receive, send, 500, "Something went wrong here; see the terminal.")

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        body = text.encode()
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
