"""The guard: only our own pages, in a browser that was given the key, get through; bodies have a limit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lookalike.web.guard import Guard
from lookalike.web.policy import Policy

TOKEN = "the-key"
HOST = ("host", "127.0.0.1:8080")
COOKIE = ("cookie", f"lookalike_8080={TOKEN}")


def ask(
    *headers: tuple[str, str],
    kind: str = "http",
    path: str = "/",
    query: str = "",
    body: tuple[bytes, ...] = (b"",),
    inner: Any = None,
) -> list[dict[str, Any]]:
    """What comes back for a request."""
    sent: list[dict[str, Any]] = []
    chunks = [
        {"type": "http.request", "body": part, "more_body": i < len(body) - 1} for i, part in enumerate(body)
    ]
    heard = iter(chunks if kind == "http" else [{"type": "websocket.connect"}])

    async def receive() -> Any:
        return next(heard)

    async def send(message: Any) -> None:
        sent.append(message)

    async def page(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inside"})

    scope = {
        "type": kind,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    guard = Guard(inner or page, hosts=["127.0.0.1", "localhost"], port=8080, token=TOKEN, most_bytes=100)
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
        (HOST, ("cookie", "lookalike_9090=the-key")),
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
    sent = ask(HOST, query=f"token={TOKEN}")
    headers = dict(sent[0]["headers"])
    assert (status(sent), headers[b"location"]) == (303, b"/")
    assert b"SameSite=Strict" in headers[b"set-cookie"]
    assert b"HttpOnly" in headers[b"set-cookie"]
    assert status(ask(HOST, query="token=guess")) == 403
    assert status(ask(HOST, query=f"token={TOKEN}", path="/rows/x")) == 403


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


def test_scripts_of_pages_get_the_number_that_the_policy_names() -> None:
    async def page(scope: Any, receive: Any, send: Any) -> None:
        marked = [(b"x-nicegui-content", b"page"), (b"content-length", b"9")]
        await send({"type": "http.response.start", "status": 200, "headers": marked})
        await send({"type": "http.response.body", "body": b"<scr", "more_body": True})
        await send({"type": "http.response.body", "body": b"ipt>1</script>"})

    sent = ask(HOST, COOKIE, inner=Policy(page))
    headers = dict(sent[0]["headers"])
    nonce = headers[b"content-security-policy"].split(b"'nonce-")[1].split(b"'")[0]
    assert sent[1]["body"] == b'<script nonce="' + nonce + b'">1</script>'
    assert headers[b"content-length"] == str(len(sent[1]["body"])).encode()
    assert b"default-src 'none'" in headers[b"content-security-policy"]
    other = dict(ask(HOST, COOKIE, inner=Policy(page))[0]["headers"])[b"content-security-policy"]
    assert nonce not in other
