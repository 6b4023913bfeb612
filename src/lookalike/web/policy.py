"""Content security policy: nothing is loaded from elsewhere, and no script runs that the page did not bring along.

Pages of NiceGUI hold scripts of their own, so they are held back here, every script gets a number used once, and the
policy names it. `unsafe-eval` is what NiceGUI's templates need; what is typed into a cell is never evaluated.
"""

from __future__ import annotations

import secrets

from lookalike.web.guard import App, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
#: for reports, which hold no script and which the page shows inside itself
REPORT = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Policy:
    """ASGI middleware, inside compression: it must see pages as text."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; mark pages and their scripts on the way back."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        held: list[bytes] | None = None
        start: Message = {}

        async def answer(message: Message) -> None:
            nonlocal held, start
            if message["type"] == "http.response.start":
                headers = [*message["headers"], *_ALWAYS]
                headers.append((b"content-security-policy", _POLICY.format(nonce=nonce).encode()))
                start = {**message, "headers": headers}
                if any(name.lower() == b"x-nicegui-content" for name, _ in message["headers"]):
                    held = []
                else:
                    await send(start)
                return
            if held is None or message["type"] != "http.response.body":
                await send(message)
                return
            held.append(message.get("body", b""))
            if message.get("more_body"):
                return
            body = b"".join(held).replace(b"<script", f'<script nonce="{nonce}"'.encode())
            kept = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
            await send({**start, "headers": [*kept, (b"content-length", str(len(body)).encode())]})
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, answer)
