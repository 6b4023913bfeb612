"""Pictures of every step of the workbench, in both themes, to look at and to keep in the documentation.

    python benchmarks/workbench_pictures.py FILE FOLDER [--tablet] [--step blur ...] [--language de]

Needs Chromium, Playwright and Pillow. FILE is a table such as the one `make demo` writes.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

STEPS = ("table", "columns", "risk", "blur", "game", "explore", "use", "attack", "release", "explain")
SIZES = {"desk": (1280, 860), "tablet": (820, 1100)}


#: a temporary folder is nobody's business
_NO_PATHS = """folder => {
    const texts = document.createTreeWalker(document.querySelector('.main'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(folder, '~/releases');
}"""


def main() -> int:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tablet", action="store_true")
    parser.add_argument("--step", nargs="*", choices=STEPS, default=STEPS)
    parser.add_argument("--theme", nargs="*", choices=("light", "dark"), default=("light", "dark"))
    parser.add_argument("--whole", action="store_true", help="as tall as the step is")
    told = parser.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lookalike", "serve", str(told.file), "--no-browser", "-o", folder]
        environment = {**os.environ, "XDG_STATE_HOME": folder, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stderr is not None
            address = next(found[0] for line in server.stderr if (found := re.search(r"http://\S+", line)))
            with sync_playwright() as driver:
                flags = ["--no-sandbox", "--disable-dev-shm-usage"]
                browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
                width, height = SIZES["tablet" if told.tablet else "desk"]
                page = browser.new_page(viewport={"width": width, "height": height})
                page.set_default_timeout(240_000)
                page.goto(address)
                page.locator(".ag-cell").first.wait_for()
                make_release(page)
                for step in told.step:
                    turn_to(page, step)
                    page.evaluate(_NO_PATHS, folder)
                    for theme in told.theme:
                        set_theme(page, theme)
                        page.mouse.move(5, 5)
                        page.wait_for_timeout(700)
                        if told.whole:
                            tall = page.evaluate("document.querySelector('.main').scrollHeight") + 160
                            page.set_viewport_size({"width": width, "height": max(height, tall)})
                            page.wait_for_timeout(400)
                        keep(page, told.folder / f"workbench-{step}{'-dark' if theme == 'dark' else ''}.png")
                        page.set_viewport_size({"width": width, "height": height})
                browser.close()
        finally:
            server.terminate()
            server.wait()
    return 0


def make_release(page: Any) -> None:
    go(page, "Blur")
    page.get_by_role("button", name="Make the release", exact=True).click()
    page.get_by_text("On the whole table, made").wait_for()


def go(page: Any, label: str) -> None:
    page.locator(".rail").get_by_role("button", name=label, exact=True).click()


def press(page: Any, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def turn_to(page: Any, step: str) -> None:
    """Open a step and do what there is to be seen."""
    tab = {"game": "Question game", "explore": "Other solutions"}.get(step)
    go(page, "Blur" if tab else step.capitalize())
    page.wait_for_timeout(1500)  # what is clicked must be on the new step
    if tab:
        page.get_by_role("tab", name=tab).click()
    if step == "game":
        press(page, "Start or go on")
        for number, key in enumerate("abbaab", 2):
            page.get_by_text(f"Question {number - 1}:").wait_for()
            page.keyboard.press(key)
        page.get_by_text("Question 7:").wait_for()
        page.get_by_text(re.compile("More answers could|Enough:")).first.wait_for()
    elif step == "explore":
        press(page, "Look for other solutions")
        page.locator("canvas, .chart svg").first.wait_for()
    elif step == "attack":
        press(page, "Try the attacks")
        page.locator(".attack").first.wait_for()
    elif step == "release":
        press(page, "Check and save")
        page.get_by_text("Verified: every promise holds").wait_for()
    elif step == "explain":
        page.locator(".main").get_by_role("button", name="Explain", exact=True).click()
        page.locator(".boxline").first.wait_for()
    elif step == "risk":
        page.get_by_text("Share of each column").first.wait_for()
    page.wait_for_timeout(1500)


def set_theme(page: Any, theme: str) -> None:
    dark = page.evaluate("document.body.classList.contains('body--dark')")
    if dark != (theme == "dark"):
        press(page, "Light or dark")


def keep(page: Any, path: Path) -> None:
    """The picture with few colours, so that it is small."""
    from PIL import Image

    page.screenshot(path=str(path))
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
