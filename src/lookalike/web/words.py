"""The words of the workbench, in one file per language under `languages/`.

A language that lacks a word falls back on English; a test keeps the files complete.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "languages"
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français"}
#: what stands between thousands, and before decimals
_MARKS = {"en": (",", "."), "de": (".", ","), "fr": ("\u202f", ",")}


@cache
def load(language: str) -> dict[str, str]:
    """All words of a language, by `section.name`."""
    with (_FOLDER / f"{language}.toml").open("rb") as file:
        sections = tomllib.load(file)
    return {f"{section}.{name}": text for section, words in sections.items() for name, text in words.items()}


class Words:
    """Words of one language: `words("risk.title", n=3)`."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else "en"
        self._here, self._english = load(self.language), load("en")

    def __call__(self, key: str, **parts: Any) -> str:
        """The text of a key, with numbers written as the language writes them; of one, the text of `key_one` if any."""
        if parts.get("n") == 1 and f"{key}_one" in self._english:
            key = f"{key}_one"
        text = self._here.get(key) or self._english[key]
        shown = {
            name: self.number(part) if isinstance(part, int | float) else part for name, part in parts.items()
        }
        return text.format(**shown)

    def of_model(self, offer: Mapping[str, Any]) -> str:
        """What a privacy model promises: translated where it is, else as the model says it."""
        return self._here.get(f"model.{offer['typed_as']}") or str(offer["summary"])

    def number(self, value: float, digits: int | None = None) -> str:
        """A number with thousands told apart; short, where it is no whole one."""
        if isinstance(value, int) and digits is None:
            text = f"{value:,}"
        else:
            text = f"{value:,.{digits}f}" if digits is not None else f"{value:,.3g}"
        thousands, point = _MARKS[self.language]
        return text.translate({ord(","): thousands, ord("."): point})

    def percent(self, share: float, digits: int = 1) -> str:
        """A share in per cent; a little is never shown as nothing, nor almost all as everything."""
        space = "" if self.language == "en" else "\u202f"
        if 0 < share < 0.001:
            return "< " + self.number(0.1, 1) + space + "%"
        if 0.999 < share < 1:
            return "> " + self.number(99.9, 1) + space + "%"
        return self.number(100 * share, digits) + space + "%"
