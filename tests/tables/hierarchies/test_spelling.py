"""Masks and prefixes of codes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.base.errors import HierarchyError, UnseenValues
from lookalike.tables.hierarchies import Hierarchy
from tables.hierarchies.trees import integers, labels_of, nominal


def test_a_mask_hides_one_more_character_per_level() -> None:
    tree = Hierarchy.mask().grow(integers(8010, 8020))
    assert [labels_of(tree, level)[0] for level in range(5)] == ["8010", "801*", "80**", "8***", "****"]
    assert tree.labels[-1] == ("****",)
    left = Hierarchy.mask(direction="left", character="#").grow(nominal(["8010"]))
    assert [labels_of(left, level)[0] for level in range(5)] == ["8010", "#010", "##10", "###0", "####"]


def test_missing_stays_by_itself_until_everything_is_masked() -> None:
    tree = Hierarchy.mask().grow(nominal(["80", "90"], missing=True))
    assert labels_of(tree, 1) == ["8*", "9*", None]
    assert labels_of(tree, 2) == ["**", "**", "**"]


def test_the_recipe_of_a_mask_remembers_its_length() -> None:
    tree = Hierarchy.mask().grow(nominal(["8010", "9010"]))
    shorter = tree.recipe.grow(nominal(["80"]))
    assert [labels_of(shorter, level)[0] for level in range(5)] == ["80", "8*", "**", "**", "****"]
    with pytest.raises(
        UnseenValues, match="1 of 2 distinct values are longer than the mask, which has 4"
    ) as problem:
        tree.recipe.grow(nominal(["8010", "80101"]))
    assert problem.value.codes == [1]


def test_prefixes_keep_the_first_characters() -> None:
    tree = Hierarchy.prefixes(3, 1).grow(nominal(["E11.9", "E11.1", "E1", "I10"], missing=True))
    assert labels_of(tree, 1) == ["E1", "E11*", "E11*", "I10*", None]
    assert labels_of(tree, 2) == ["E*", "E*", "E*", "I*", None]
    assert labels_of(tree, 3) == ["*"] * 5


@settings(deadline=None)
@given(st.sets(st.text("ab1", min_size=1, max_size=5), min_size=1, max_size=12))
def test_masks_and_prefixes_of_codes_of_any_length_nest(codes: set[str]) -> None:
    longest = max(map(len, codes))
    for recipe in (Hierarchy.mask(), Hierarchy.mask(direction="left"), Hierarchy.prefixes(3, 2, 1)):
        tree = recipe.grow(nominal(list(codes)))
        for level in range(1, tree.height):
            for code, label in zip(tree.domain.texts, labels_of(tree, level), strict=True):
                assert label is not None
                if recipe.how == "prefixes":
                    assert code == label or code.startswith(label[:-1])
                elif "direction" not in recipe.options:
                    assert code.startswith(label.split("*")[0])
    assert Hierarchy.mask().grow(nominal(list(codes))).height == longest


@pytest.mark.parametrize(
    "recipe",
    [
        Hierarchy.mask(character="xx"),
        Hierarchy.mask(direction="up"),
        Hierarchy.prefixes(),
        Hierarchy.prefixes(1, 3),
        Hierarchy.prefixes(0),
        Hierarchy.prefixes(2, 2),
    ],
)
def test_masks_and_prefixes_that_make_no_sense_are_refused(recipe: Hierarchy) -> None:
    with pytest.raises(HierarchyError, match=r"mask needs|prefix lengths must"):
        recipe.grow(nominal(["abc"]))
