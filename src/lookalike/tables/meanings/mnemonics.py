"""Official names of variables: what AGEP, PB140 or RIAGENDR hold, by the dictionaries of offices and standards.

A dictionary is a TOML file, such as those in dictionaries/: a title, and for each concept its mnemonics, with # for
any digit. A mnemonic proves little by itself (MAR is also a month): it counts where a table uses several of the same
dictionary, or where it is long, no word, and the values fit. O(columns x dictionaries).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from lookalike.base.errors import FileError, in_words
from lookalike.tables.meanings.concepts import CONCEPTS
from lookalike.tables.meanings.names import fold, lexicon

_DIGIT = re.compile(r"\d")
_TELLING, _TOGETHER = (
    2,
    3,
)  # so many mnemonics that are no words, and so many in all: then a table uses a dictionary
_LONG = 4  # characters from which a mnemonic is looked at by itself
_LONGEST_FILE = 2_000_000


@dataclass(frozen=True)
class Dictionary:
    """The mnemonics of an office or standard."""

    name: str
    title: str
    concepts: Mapping[str, str]  #: mnemonic in small letters, without blanks and signs -> concept

    def concept_of(self, name: str) -> str | None:
        """What a column of this name holds."""
        plain = _letters(name)
        return self.concepts.get(plain) or self.concepts.get(_DIGIT.sub("#", plain))


@dataclass(frozen=True)
class DictionaryEntry:
    """What a dictionary says about a column, and how many further columns of the table it knows; 0: it stands alone."""

    concept: str
    title: str
    company: int

    @property
    def words(self) -> str:
        """The evidence in words."""
        beside = f", as {self.company} other columns do" if self.company > 1 else ""
        return f"the name stands for {CONCEPTS[self.concept].words} in the {self.title}{beside}"


def read_dictionary(path: Path | Traversable) -> Dictionary:
    """A dictionary from its file; said in words where it is none."""
    shown = path.name
    try:
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text[:_LONGEST_FILE])
    except OSError as problem:
        raise FileError(f"{shown}: cannot be read ({in_words(problem)}).") from None
    except ValueError:
        raise FileError(f"{shown}: is no dictionary in TOML.") from None
    title, listed = raw.get("title"), raw.get("mnemonics")
    if not isinstance(title, str) or not isinstance(listed, dict):
        raise FileError(f'{shown}: a dictionary has a title = "..." and a section [mnemonics].')
    concepts: dict[str, str] = {}
    for concept, names in listed.items():
        if concept not in CONCEPTS:
            raise FileError(f"{shown}: there is no concept {concept!r}; there are {', '.join(CONCEPTS)}.")
        if not isinstance(names, str):
            raise FileError(f'{shown}: expected {concept} = "NAME, NAME, ...".')
        for name in names.split(","):
            concepts.setdefault(_letters(name), concept)
    concepts.pop("", None)
    return Dictionary(shown.removesuffix(".toml"), title, concepts)


@cache
def dictionaries() -> tuple[Dictionary, ...]:
    """The dictionaries that come with the package, by name."""
    folder = files(__package__).joinpath("dictionaries")
    found = [one for one in folder.iterdir() if one.name.endswith(".toml")]
    return tuple(read_dictionary(one) for one in sorted(found, key=lambda one: one.name))


def look_up(names: Sequence[str], known: Iterable[Dictionary] | None = None) -> dict[str, DictionaryEntry]:
    """What dictionaries say about the columns of a table; of several, the one that knows most of its names."""
    out: dict[str, DictionaryEntry] = {}
    found = []
    for dictionary in dictionaries() if known is None else known:
        matched = {name: concept for name in names if (concept := dictionary.concept_of(name))}
        if matched:
            found.append((len(matched), dictionary, matched))
    for _, dictionary, matched in sorted(found, key=lambda one: -one[0]):
        telling = [name for name in matched if not _is_word(name)]
        used = len(telling) >= _TELLING and len(matched) >= _TOGETHER
        alone = [name for name in telling if len(_letters(name)) >= _LONG]
        for name in matched if used else alone:
            company = len(matched) - 1 if used else 0
            if name not in out or not out[name].company:
                out[name] = DictionaryEntry(matched[name], dictionary.title, company)
    return out


@lru_cache(maxsize=1 << 16)
def _letters(name: str) -> str:
    return re.sub(r"[^\w#]|_", "", fold(name.strip()))


def _is_word(name: str) -> bool:
    """Whether people use it without a dictionary: sex, age, and what has hardly any letters."""
    plain = _letters(name)
    return len(plain) < 3 or plain in lexicon().terms or plain in lexicon().filler
