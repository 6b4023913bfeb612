"""Trees: joins against brute force, leaf counts, losses, printing, growing again, files both ways."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.base.errors import HierarchyError, UnseenValues
from lookalike.tables.columns.domains import Domain
from lookalike.tables.hierarchies import Hierarchy, Tree
from tables.hierarchies.trees import RECIPES, integers, labels_of, nominal, same_tree

CASES = pytest.mark.parametrize(("recipe", "domain"), RECIPES, ids=[r.how for r, _ in RECIPES])


@st.composite
def random_trees(draw: st.DrawFn) -> Tree:
    """Any tree: values, each level a random merging of the nodes below."""
    n = draw(st.integers(1, 25))
    paths = [[f"v{i}"] for i in range(n)]
    nodes = list(range(n))
    for level in range(draw(st.integers(0, 4))):
        place = draw(
            st.lists(
                st.integers(0, max(max(nodes) // 2, 0)), min_size=max(nodes) + 1, max_size=max(nodes) + 1
            )
        )
        nodes = [place[node] for node in nodes]
        for path, node in zip(paths, nodes, strict=True):
            path.append(f"L{level}n{node}")
    missing = draw(st.booleans())
    return Hierarchy.rows([[*path, "*"] for path in paths]).grow(
        nominal([p[0] for p in paths], missing=missing)
    )


@settings(deadline=None)
@given(random_trees(), st.data())
def test_joins_and_ancestors_agree_with_brute_force(tree: Tree, data: st.DataObject) -> None:
    size = tree.domain.size
    for a in range(size):
        for b in range(size):
            wanted = next(level for level, up in enumerate(tree.up) if up[a] == up[b])
            assert tree.join(a, b) == wanted
    codes = np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=5)))
    level, node = tree.ancestor(codes)
    assert level == next(k for k, up in enumerate(tree.up) if len(set(up[codes].tolist())) == 1)
    assert set(tree.up[level][codes].tolist()) == {node}


@settings(deadline=None)
@given(random_trees())
def test_every_node_is_a_run_of_neighbours_in_depth_first_order(tree: Tree) -> None:
    assert np.array_equal(tree.order[tree.position], np.arange(tree.domain.size))
    for up in tree.up:
        laid_out = up[tree.order]
        assert int((laid_out[1:] != laid_out[:-1]).sum()) + 1 == len(np.unique(up))


@settings(deadline=None)
@given(random_trees())
def test_leaf_counts_heights_and_losses_follow_from_the_leaves(tree: Tree) -> None:
    for level, (up, leaves) in enumerate(zip(tree.up, tree.leaves, strict=True)):
        assert leaves.tolist() == np.bincount(up, minlength=len(leaves)).tolist()
        loss = tree.loss(level)
        assert ((loss == 0) == (leaves == 1)).all() or tree.total == 1
        assert np.allclose(tree.share(level), leaves / tree.total)
        assert (tree.heights[level] <= level).all()
    assert tree.loss(tree.height).tolist() == [0.0 if tree.total == 1 else 1.0]
    assert tree.leaves[-1].tolist() == [tree.domain.size]


@CASES
def test_levels_nest_and_end_in_one_root(recipe: Hierarchy, domain: Domain) -> None:
    tree = recipe.grow(domain)
    assert len(tree.labels[-1]) == 1
    assert np.array_equal(labels_of(tree, 0)[: len(domain.values)], domain.texts)
    for level in range(tree.height):
        assert len(set(tree.labels[level])) == len(tree.labels[level])
        pairs = set(zip(tree.up[level].tolist(), tree.up[level + 1].tolist(), strict=True))
        assert len(pairs) == len(set(tree.up[level].tolist()))


@CASES
def test_a_label_means_one_set_of_values_wherever_it_stands(recipe: Hierarchy, domain: Domain) -> None:
    tree = recipe.grow(domain).whole()
    meaning: dict[str | None, set[frozenset[int]]] = {}
    for up, labels in zip(tree.up, tree.labels, strict=True):
        for node, label in enumerate(labels):
            meaning.setdefault(label, set()).add(frozenset(np.flatnonzero(up == node).tolist()))
    assert all(len(sets) == 1 for sets in meaning.values())


@CASES
def test_growing_the_remembered_recipe_gives_the_same_tree(recipe: Hierarchy, domain: Domain) -> None:
    tree = recipe.grow(domain)
    written = json.loads(json.dumps(tree.recipe.to_dict()))
    assert same_tree(Hierarchy.from_dict(written).grow(domain), tree)
    assert Hierarchy.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe
    assert "Hierarchy." in repr(recipe)


@CASES
def test_a_tree_written_as_arx_file_reads_back_as_the_same_tree(
    recipe: Hierarchy, domain: Domain, tmp_path: Path
) -> None:
    tree = recipe.grow(domain)
    if not len(domain.values):
        pytest.skip("a hierarchy file needs a value")
    tree.write(tmp_path / "tree.csv")
    again = Hierarchy.read(tmp_path / "tree.csv").grow(domain)
    assert [labels_of(again, level) for level in range(again.height + 1)] == [
        labels_of(tree, level) for level in range(tree.height + 1)
    ]
    for level in range(tree.height + 1):
        mine, theirs = tree.leaves[level][tree.up[level]], again.leaves[level][again.up[level]]
        assert np.array_equal(mine, theirs)


@CASES
def test_fewer_values_get_the_same_labels_from_the_remembered_recipe(
    recipe: Hierarchy, domain: Domain
) -> None:
    tree = recipe.grow(domain)
    if len(domain.values) < 2:
        pytest.skip("nothing to leave out")
    part = domain.part(np.arange(0, len(domain.values), 2))
    again = tree.recipe.grow(part)
    assert again.height == tree.height
    for level in range(tree.height + 1):
        assert labels_of(again, level) == labels_of(tree, level)[: len(domain.values) : 2]


def test_a_hierarchy_prints_as_a_tree() -> None:
    rows = [["a", "x", "*"], ["b", "x", "*"], ["c", "c", "*"], ["", "", "*"]]
    tree = Hierarchy.rows(rows).grow(nominal(["a", "b", "c"], missing=True))
    assert str(tree).splitlines() == ["*", "  x", "    a", "    b", "  c", "  (missing)"]
    assert repr(tree) == "Tree(4 → 3 → 1)"
    many = str(Hierarchy.cuts([500]).grow(integers(*range(1000))))
    assert "… 460 more" in many
    assert len(many.splitlines()) < 100


def test_labels_reused_for_other_values_on_a_coarser_level_are_told_apart() -> None:
    rows = [["A", "A", "*"], ["B", "A", "*"], ["C", "C", "*"]]
    tree = Hierarchy.rows(rows).grow(nominal(["A", "B", "C"]))
    assert labels_of(tree, 1) == ["A (level 1)", "A (level 1)", "C"]
    assert tree.leaves[1][tree.up[1]].tolist() == [2, 2, 1]
    star = Hierarchy.rows([["*", "*"], ["a", "*"]]).grow(nominal(["*", "a"]))
    assert star.labels[-1] == ("*",)


def test_values_the_table_does_not_use_still_count_as_leaves() -> None:
    rows = [[str(i), f"{i // 10}x", "*"] for i in range(100)]
    tree = Hierarchy.rows(rows).grow(integers(5, 17))
    assert tree.total == 100
    assert tree.leaves[1][tree.up[1]].tolist() == [10, 10]
    assert tree.whole().domain.size == 100


def test_unseen_values_are_counted_but_not_shown() -> None:
    tree = Hierarchy.rows([["a", "*"], ["b", "*"]]).grow(nominal(["a"]))
    with pytest.raises(UnseenValues, match="2 of 3 distinct values") as problem:
        tree.over(nominal(["a", "secret", "zebra"]))
    assert problem.value.codes == [1, 2]
    assert "secret" not in str(problem.value)


def test_a_tree_over_a_domain_with_missing_values_gets_a_place_for_them() -> None:
    tree = Hierarchy.intervals(10).grow(integers(1, 15)).over(integers(1, missing=True))
    assert labels_of(tree, 1) == ["[0, 10)", None]
    assert labels_of(tree, 2) == ["*", "*"]


def test_too_many_levels_are_refused() -> None:
    with pytest.raises(HierarchyError, match="from 1 to 126 characters"):
        Hierarchy.mask().grow(nominal(["x" * 200]))
