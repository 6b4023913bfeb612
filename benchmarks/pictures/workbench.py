"""Pictures of every step of the workbench, in both themes, to look at and to keep in the documentation.

    python -m benchmarks.pictures.workbench [FILE FOLDER] [--tablet] [--step blur ...] [--theme dark] [--whole]

Needs Chromium, Playwright and Pillow. FILE is Adult where none is named (LOOKALIKE_DATA names the
folder of the public tables), FOLDER is docs/.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from benchmarks.browser import open_workbench
from benchmarks.data import data_folder

DOCS = Path(__file__).resolve().parents[2] / "docs"
STEPS = ("table", "columns", "risk", "blur", "game", "explore", "use", "attack", "release", "explain")
SIZES = {"desk": (1280, 860), "tablet": (820, 1100)}


#: a temporary folder is nobody's business
_NO_PATHS = """folder => {
    const texts = document.createTreeWalker(document.querySelector('.main'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(folder, '~/releases');
}"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("folder", nargs="?", type=Path, default=DOCS)
    parser.add_argument("--tablet", action="store_true")
    parser.add_argument("--step", nargs="*", choices=STEPS, default=STEPS)
    parser.add_argument("--theme", nargs="*", choices=("light", "dark"), default=("light", "dark"))
    parser.add_argument("--whole", action="store_true", help="as tall as the step is")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    width, height = SIZES["tablet" if options.tablet else "desk"]
    with open_workbench(options.file or data_folder() / "adult" / "adult.csv", (width, height)) as shown:
        page = shown.page
        page.goto(shown.address)
        page.locator(".ag-cell").first.wait_for()
        make_release(page)
        for step in options.step:
            turn_to(page, step)
            page.evaluate(_NO_PATHS, shown.folder)
            for theme in options.theme:
                set_theme(page, theme)
                page.mouse.move(5, 5)
                page.wait_for_timeout(700)
                if options.whole:
                    tall = page.evaluate("document.querySelector('.main').scrollHeight") + 160
                    page.set_viewport_size({"width": width, "height": max(height, tall)})
                    page.wait_for_timeout(400)
                keep(page, options.folder / f"workbench-{step}{'-dark' if theme == 'dark' else ''}.png")
                page.set_viewport_size({"width": width, "height": height})
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
