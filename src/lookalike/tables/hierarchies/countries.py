"""Countries, by name or ISO 3166 code, in the regions of the United Nations: `Jamaica`, `Caribbean`, `Americas`.

The list is countries.toml, after the standard M49 (https://unstats.un.org/unsd/methodology/m49/).
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from lookalike.tables.hierarchies.hierarchy import Hierarchy
from lookalike.tables.hierarchies.tree import ROOT

SOURCE = "the regions of the United Nations (M49)"
ELSEWHERE = "other countries"  #: where a name is put that the list does not know
_FEWEST = 5  #: countries that make a column one of countries
_KNOWN = 0.8  #: share of its values that must be


def by_regions(texts: list[str]) -> Hierarchy | None:
    """The hierarchy of a column whose values are countries; None where too few of them are."""
    places = [_regions().get(_spelt_plainly(text)) for text in texts]
    known = sum(place is not None for place in places)
    if known < max(_FEWEST, _KNOWN * len(texts)):
        return None
    rows = [
        [text, *(place or (ELSEWHERE, ELSEWHERE)), ROOT] for text, place in zip(texts, places, strict=True)
    ]
    return Hierarchy.rows(rows, source=SOURCE)


@cache
def _regions() -> dict[str, tuple[str, str]]:
    """Name or code -> subregion and region."""
    text = files("lookalike.tables.hierarchies").joinpath("countries.toml").read_text(encoding="utf-8")
    return {
        _spelt_plainly(name): (part, region)
        for region, parts in tomllib.loads(text).items()
        for part, countries in parts.items()
        for country in countries
        for name in country.split(", ")
    }


def _spelt_plainly(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()
