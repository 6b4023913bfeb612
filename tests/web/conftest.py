"""A running workbench and a real browser, or a visible skip where there is none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage"]


class Server:
    """`lookalike serve` as a process of its own."""

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True)
        self.out = folder / "out"
        self.out.mkdir()
        environment = {
            **os.environ,
            "XDG_STATE_HOME": str(folder / "state"),
            "TMPDIR": str(self.temporary),
            "PYTHONUNBUFFERED": "1",
        }
        given = [] if file is None else [str(file)]
        command = [sys.executable, "-m", "lookalike", "serve", *given, "--no-browser", "-o", str(self.out)]
        self.log = (folder / "log").open("w+")
        self.process = subprocess.Popen(command, stderr=self.log, env=environment)
        self.address = self._address()

    def _address(self) -> str:
        for _ in range(600):
            found = re.search(r"http://\S+", self.told)
            if found:
                return found[0]
            if self.process.poll() is not None:
                break
            with_patience(0.1)
        raise AssertionError(f"the workbench did not start: {self.told}")

    @property
    def told(self) -> str:
        """All that the server printed."""
        return Path(self.log.name).read_text()

    def stop(self) -> None:
        """Ask it to end, and wait."""
        self.process.terminate()
        self.process.wait(20)
        self.log.close()


def with_patience(seconds: float) -> None:
    import time

    time.sleep(seconds)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts a workbench, with a file or without."""
    started: list[Server] = []

    def start(file: Path | None = None) -> Server:
        started.append(Server(tmp_path / f"server{len(started)}", file))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.stop()


@pytest.fixture(scope="session")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], dict[str, Any]]:
    """Where so many invented people lie, as the workbench names a table."""
    import lookalike as la

    def make(n: int) -> dict[str, Any]:
        path = tmp_path_factory.getbasetemp() / f"people-{n}.csv"
        if not path.is_file():
            la.datasets.population(n, seed=0).write_csv(path)
        return {"path": str(path), "name": path.name}

    return make


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A real browser, closed before other modules' tests: its driver holds the thread's event loop while it lives."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="browser tests need Playwright: pip install playwright"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine: browser tests need one (apt install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, installed from the npm registry once, or a visible skip."""
    folder = Path(tempfile.gettempdir()) / "lookalike-axe"
    source = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not source.is_file():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("the accessibility scan needs npm to install axe-core")
        folder.mkdir(exist_ok=True)
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "axe-core@4"]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
        except (subprocess.SubprocessError, OSError):
            pytest.skip("axe-core could not be installed from the npm registry")
    return source.read_text(encoding="utf-8")
