"""The guard: only our own pages, in a browser that was given the key, get through; bodies have a limit."""

from __future__ import annotations

import asyncio
import re
import sys
import time
import urllib.request
from collections.abc import Callable
from socket import create_connection
from typing import Any
from urllib.parse import urlsplit

import pytest

from lookalike.web.guard import App, Guard
from lookalike.web.policy import Policy

TOKEN = "the-key"
HOST = ("host", "127.0.0.1:8080")


async def page(scope: Any, receive: Any, send: Any) -> None:
    """A page that anybody can see once inside."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


def guarding(app: App) -> Guard:
    return Guard(app, hosts=["127.0.0.1", "localhost"], port=8080, token=TOKEN, most_bytes=100)


GUARD = guarding(page)
COOKIE = ("cookie", GUARD.cookie)


def ask(
    *headers: tuple[str, str],
    kind: str = "http",
    path: str = f"{GUARD.root}/",
    query: str = "",
    body: tuple[bytes, ...] = (b"",),
    guard: Guard = GUARD,
) -> list[dict[str, Any]]:
    """What comes back for a request."""
    sent: list[dict[str, Any]] = []
    chunks = [
        {"type": "http.request", "body": part, "more_body": i < len(body) - 1} for i, part in enumerate(body)
    ]
    heard = iter(
        [*(chunks if kind == "http" else [{"type": "websocket.connect"}]), {"type": f"{kind}.disconnect"}]
    )

    async def receive() -> Any:
        return next(heard)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    asyncio.run(guard(scope, receive, send))
    return sent


def status(sent: list[dict[str, Any]]) -> int:
    return int(sent[0]["status"])


def test_a_browser_with_the_cookie_gets_in() -> None:
    assert status(ask(HOST, COOKIE)) == 200
    assert status(ask(("host", "localhost:8080"), COOKIE)) == 200


@pytest.mark.parametrize(
    "headers",
    [
        (HOST,),
        (HOST, ("cookie", "lookalike_8080=guess")),
        (HOST, ("cookie", COOKIE[1].replace("8080", "9090"))),
        (HOST, ("cookie", f"lookalike_8080={TOKEN}")),
        (("host", "evil.example:8080"), COOKIE),
        (("host", "127.0.0.1"), COOKIE),
        (HOST, ("host", "evil.example"), COOKIE),
        (COOKIE,),
        (HOST, COOKIE, ("origin", "http://evil.example")),
        (HOST, COOKIE, ("origin", "null")),
    ],
)
def test_anybody_else_stays_outside(headers: tuple[tuple[str, str], ...]) -> None:
    sent = ask(*headers)
    assert status(sent) == 403
    assert b"inside" not in sent[1]["body"]


def test_the_printed_address_gives_the_cookie_and_leaves_the_address_bar() -> None:
    sent = ask(HOST, query=f"token={TOKEN}", path="/")
    headers = dict(sent[0]["headers"])
    assert f'content="0;url={GUARD.root}/"'.encode() in sent[1]["body"]
    assert headers[b"set-cookie"].decode() == f"{GUARD.cookie}; Path={GUARD.root}/; HttpOnly; SameSite=Strict"
    assert (
        b'<link rel="icon" href="data:,">' in sent[1]["body"]
    )  # no browser asks for /favicon.ico, and is refused
    assert TOKEN not in GUARD.cookie + GUARD.root
    assert status(ask(HOST, query="token=guess", path="/")) == 403
    assert status(ask(HOST, query=f"token={TOKEN}", path="/rows/x")) == 403


@pytest.mark.parametrize("path", ["/", "/rows/x", "/guess/", "{root}", "{root}x/"])
def test_the_cookie_opens_nothing_outside_its_path(path: str) -> None:
    path = path.format(root=GUARD.root)  # every process has a path of its own
    assert status(ask(HOST, COOKIE, path=path)) == 403
    assert ask(HOST, COOKIE, ("origin", f"http://{HOST[1]}"), path=path, kind="websocket")[0]["code"] == 1008


def test_a_cookie_of_the_same_name_from_another_port_locks_nobody_out() -> None:
    for order in (f"lookalike_8080=guess; {GUARD.cookie}", f"{GUARD.cookie}; lookalike_8080=guess; ä=[1"):
        assert status(ask(HOST, ("cookie", order))) == 200


def test_a_websocket_needs_an_origin_of_ours() -> None:
    ours = ("origin", "http://127.0.0.1:8080")
    assert ask(HOST, COOKIE, ours, kind="websocket")[0]["type"] == "websocket.accept"
    for headers in ((HOST, COOKIE), (HOST, ours), (HOST, COOKIE, ("origin", "http://evil.example"))):
        assert ask(*headers, kind="websocket")[0]["type"] == "websocket.close"


def test_a_body_larger_than_allowed_is_refused_whether_its_length_is_told_or_not() -> None:
    assert status(ask(HOST, COOKIE, ("content-length", "101"))) == 413
    assert status(ask(HOST, COOKIE, ("content-length", "many"))) == 413
    sent = ask(HOST, COOKIE, body=(b"x" * 60, b"x" * 60))
    assert status(sent) == 413
    assert b"larger than" in sent[1]["body"]
    assert status(ask(HOST, COOKIE, body=(b"x" * 60, b"x" * 40))) == 200


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("gone", [True, False])
def test_an_error_shows_its_place_alone_and_nothing_once_the_browser_is_gone(
    kind: str, gone: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    async def stumble(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        if gone:
            await receive()
        raise RuntimeError("a cell")

    guard = guarding(stumble)
    headers = (HOST, ("cookie", guard.cookie), ("origin", f"http://{HOST[1]}"))
    sent = ask(*headers, kind=kind, path=f"{guard.root}/", guard=guard)
    said = capsys.readouterr().err
    if gone:
        assert (sent, said) == ([], "")
        return
    assert re.fullmatch(r"unexpected: RuntimeError at test_guard\.py:\d+\n", said)
    assert "a cell" not in str(sent)
    assert kind == "websocket" or status(sent) == 500


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGPIPE")
def test_requests_that_are_aborted_end_nothing_and_leave_no_traceback(serve: Callable[..., Any]) -> None:
    server = serve()
    answer = urllib.request.urlopen(server.address)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    root = re.search('url=(.*)"', answer.read().decode())[1]  # type: ignore[index]
    at = urlsplit(server.address)
    about = f"HTTP/1.1\r\nHost: {at.netloc}\r\nOrigin: http://{at.netloc}\r\nCookie: {cookie}\r\n"
    socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n\r\n"
    for wait in (0.0, 0.002, 0.02):
        for request in (
            f"GET {root} {about}\r\n",
            f"GET / {about}\r\n",
            f"POST {root} {about}Content-Length: 500\r\n\r\nabc",
            f"GET {root}_nicegui_ws/socket.io/?EIO=4&transport=websocket {about}{socket}",
            f"GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket {about}{socket}",
        ):
            for _ in range(8):
                with create_connection((at.hostname, at.port)) as asking:
                    asking.sendall(request.encode())
                    time.sleep(wait)
    assert urllib.request.urlopen(server.address).status == 200
    assert server.process.poll() is None
    assert "Traceback" not in server.told


def test_scripts_of_pages_get_the_number_that_the_policy_names() -> None:
    async def marked_page(scope: Any, receive: Any, send: Any) -> None:
        marked = [(b"x-nicegui-content", b"page"), (b"content-length", b"9")]
        await send({"type": "http.response.start", "status": 200, "headers": marked})
        await send({"type": "http.response.body", "body": b"<scr", "more_body": True})
        await send({"type": "http.response.body", "body": b"ipt>1</script>"})

    guard = guarding(Policy(marked_page))
    cookie = ("cookie", guard.cookie)
    sent = ask(HOST, cookie, path=f"{guard.root}/", guard=guard)
    headers = dict(sent[0]["headers"])
    nonce = headers[b"content-security-policy"].split(b"'nonce-")[1].split(b"'")[0]
    assert sent[1]["body"] == b'<script nonce="' + nonce + b'">1</script>'
    assert headers[b"content-length"] == str(len(sent[1]["body"])).encode()
    assert b"default-src 'none'" in headers[b"content-security-policy"]
    again = ask(HOST, cookie, path=f"{guard.root}/", guard=guard)
    other = dict(again[0]["headers"])[b"content-security-policy"]
    assert nonce not in other
