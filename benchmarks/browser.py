"""The workbench of a file in a real browser, for what is measured and pictured there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple


class Workbench(NamedTuple):
    """A page of the browser that shows nothing yet, and the server it can go to."""

    page: Any
    address: str
    process: int
    folder: str  #: where releases go


@contextmanager
def open_workbench(file: Path, size: tuple[int, int] = (1280, 860)) -> Iterator[Workbench]:
    """`lookalike serve` of a file, and Chromium beside it; both end with the block."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lookalike", "serve", str(file), "--no-browser", "-o", folder]
        environment = {**os.environ, "XDG_STATE_HOME": folder, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stderr is not None
            address = next(link[0] for line in server.stderr if (link := re.search(r"http://\S+", line)))
            with sync_playwright() as driver:
                flags = ["--no-sandbox", "--disable-dev-shm-usage"]
                browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
                page = browser.new_page(viewport={"width": size[0], "height": size[1]})
                page.set_default_timeout(300_000)
                yield Workbench(page, address, server.pid, folder)
                browser.close()
        finally:
            server.terminate()
            server.wait()
