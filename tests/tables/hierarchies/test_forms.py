"""A hierarchy whose written recipe was damaged is refused in a sentence, or still is a hierarchy."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.hierarchies.builders import BUILDERS
from lookalike.tables.hierarchies.forms import FORMS

H = la.Hierarchy
RECIPES = [
    H.intervals(5, 10, start=0, bottom=0, top=80),
    H.cuts([10, 20, 30], [20]),
    H.quantiles(4, 2),
    H.dates("month", "year"),
    H.mask(character="x", direction="left", length=4),
    H.prefixes(3, 1),
    H.groups({"low": ["10", "12"], "high": ["25"]}, others="keep"),
    H.groups({"all": {"low": ["10", "12"], "high": ["25"]}}),
    H.rows([["10", "low", "*"], ["12", "low", "*"], ["25", "high", "*"]]),
    H.ordering(["10", "12", "25"], fanout=3),
    H.automatic(),
]
JUNK = [None, 5, -1, 0, 2.5, float("nan"), True, "", "x", "NaN", [], [[]], [None], {}, {"x": 5}, [["10"], 5]]


def _paths(written: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a recipe where something stands."""
    inner = (
        written.items()
        if isinstance(written, dict)
        else enumerate(written)
        if isinstance(written, list)
        else ()
    )
    return [above, *(path for key, value in inner for path in _paths(value, (*above, key)))]


def _damaged(written: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    out = deepcopy(written)
    place = out
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = junk
    return out


COLUMNS = [
    pl.Series("x", ["10", "12", "25", None]),
    pl.Series("x", [10, 12, 25]),
    pl.Series("x", [0.5, None]),
]


@given(st.sampled_from(RECIPES), st.sampled_from(JUNK), st.sampled_from(COLUMNS), st.data())
def test_a_damaged_recipe_is_refused_or_grows(
    recipe: la.Hierarchy, junk: Any, column: pl.Series, data: st.DataObject
) -> None:
    written = json.loads(json.dumps(recipe.to_dict()))
    path = data.draw(st.sampled_from(_paths(written)))
    try:
        grown = H.from_dict(_damaged(written, path, junk))
        height = la.table(pl.DataFrame({"x": column}), quasi=["x"], hierarchies={"x": grown}).tree("x").height
    except la.HierarchyError:
        height = 0
    assert height >= 0


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"how": "rows", "rows": 5}, "'rows' must be a list of texts for each value"),
        ({"how": "rows", "rows": [["a", "*"], []]}, "'rows' must be"),
        ({"how": "rows", "rows": [["a", 1]]}, "'rows' must be"),
        ({"how": "cuts", "points": [5, 6]}, "'points' must be a list of numbers or dates for each level"),
        ({"how": "mask", "colour": "red"}, "has no option 'colour'; it has: character, direction, length"),
        ({"how": ["rows"]}, "unknown kind"),
        (5, "written as a mapping"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said(written: Any, message: str) -> None:
    with pytest.raises(la.HierarchyError, match=message):
        H.from_dict(written)


def test_every_kind_of_hierarchy_has_its_form() -> None:
    assert FORMS.keys() == BUILDERS.keys()
    for recipe in RECIPES:
        assert H.from_dict(recipe.to_dict()) == recipe
