"""The words the synthetic population is made of, from gazetteer.toml: districts and postcode areas by region, names,
categories.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files

_WORDS = tomllib.loads(files(__package__).joinpath("gazetteer.toml").read_text(encoding="utf-8"))


def _by_region(what: str) -> dict[str, tuple[str, ...]]:
    return {region: tuple(words[what]) for region, words in _WORDS["regions"].items()}


def _lists(*names: str) -> Iterable[tuple[str, ...]]:
    return (tuple(_WORDS[name]) for name in names)


DISTRICTS, POSTCODE_AREAS = _by_region("districts"), _by_region("postcode_areas")
WOMEN, MEN, SURNAMES = _lists("women", "men", "surnames")
GENDER, MARITAL, QUALIFICATIONS, OCCUPATION = _lists("gender", "marital", "qualifications", "occupation")
