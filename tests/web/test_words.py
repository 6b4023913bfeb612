"""The words: every language has every word with the same places, and the code asks for words that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import lookalike.web
from lookalike.models.registry import offered
from lookalike.web.words import LANGUAGES, Words, load

ROOM = Path(lookalike.web.__file__).parent
KEY = re.compile(r"[a-z]+\.[a-z_0-9-]+")


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_a_language_has_the_same_words_with_the_same_places(language: str) -> None:
    english, other = load("en"), load(language)
    translated = {key.partition(".")[2] for key in other if key.startswith("model.")}
    # in English they say it themselves; other tests may have added models
    ours = [model for model in offered() if model.__module__.startswith("lookalike.")]
    assert translated == {model.typed_as() for model in ours}
    other = {key: text for key, text in other.items() if not key.startswith("model.")}
    assert english.keys() == other.keys()
    assert {key: places(text) for key, text in english.items()} == {
        key: places(text) for key, text in other.items()
    }


def calls() -> tuple[set[str], set[str], list[re.Pattern[str]]]:
    """Texts in the code that look like keys, those asked for, and patterns of those put together."""
    texts, asked, patterns = set(), set(), []
    for path in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.fullmatch(node.value):
                texts.add(node.value)
            elif (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", getattr(node.func, "id", "")) == "words"
            ):
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant):
                    asked.add(str(first.value))
                elif isinstance(first, ast.JoinedStr):
                    parts = [
                        re.escape(p.value) if isinstance(p, ast.Constant) else "[^.]+" for p in first.values
                    ]
                    patterns.append(re.compile("".join(parts)))
    return texts, asked, patterns


def test_every_word_is_used_and_every_word_used_is_there() -> None:
    texts, asked, patterns = calls()
    words = set(load("en"))
    assert asked - words == set()
    assert [p.pattern for p in patterns if not any(p.fullmatch(key) for key in words)] == []
    of_one = {f"{key}_one" for key in texts}  # what is said of one stands for what is said of many
    assert {key for key in words - texts - of_one if not any(p.fullmatch(key) for p in patterns)} == set()


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert Words("en").number(48842) == "48,842"
    assert Words("de").number(48842) == "48.842"
    assert Words("de").number(0.25, 2) == "0,25"
    assert Words("fr").number(48842.5, 1) == "48\u202f842,5"
    assert Words("fr").percent(0.5) == "50,0\u202f%"
    assert Words("en").percent(0.0001) == "< 0.1%"
    assert Words("en").percent(0.99999) == "> 99.9%"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_role_has_a_key_of_its_own(language: str) -> None:
    keys = [text for key, text in load(language).items() if key.startswith("role.") and key.endswith("_key")]
    assert len(set(keys)) == len(keys) == 6
