"""Contexts: derivations, files in and out, and every degenerate shape."""

from __future__ import annotations

import numpy as np
import pytest

import lookalike as la
from fca.known import figure_4, fish, random_context
from lookalike import fca
from lookalike.fca import Context

SHAPES = {
    "no objects, no attributes": ([], ()),
    "no objects": ([], ("a", "b")),
    "no attributes": ([[], []], ()),
    "an object without attributes": ([["a"], []], ("a",)),
    "an attribute without objects": ([["a"]], ("a", "b")),
    "a full row": ([["a", "b"], ["a"]], ("a", "b")),
    "only full rows": ([["a"], ["a"]], ("a",)),
    "only empty rows": ([[], []], ("a",)),
    "one object": ([["a"]], ("a",)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_degenerate_context_has_defined_answers(shape):
    rows, attributes = SHAPES[shape]
    context = Context.of(dict(enumerate(rows)), attributes=attributes)
    lattice = fca.concept_lattice(context)
    assert len(lattice) >= 1
    assert lattice.concept(len(lattice) - 1).intent == attributes  # the bottom has every attribute
    assert lattice.concept(0).extent == tuple(range(len(rows)))  # the top has every object
    risk = fca.basic_risk(context)
    np.testing.assert_array_equal(risk.basic, fca.basic_risk_by_lattice(lattice))
    assert fca.semantic_chain_risk(context).shape == risk.basic.shape
    assert fca.safe_set(context, threshold=1.0).cost == 0
    basis = fca.stem_basis(context)
    assert basis.complete
    assert basis.close(()) == context.close(())
    assert fca.forget(context, attributes).disposable is False
    assert len(fca.luxenburger_basis(context, confidence=0)) == len(basis) + sum(
        lattice.supports[lattice.lower] > 0
    )
    fca.unique_chains(lattice)


def test_an_object_with_every_attribute_has_risk_one_over_its_extent():
    risk = fca.basic_risk(Context.of({1: "ab", 2: "ab", 3: "a"}))
    assert risk.of_objects(risk.gap).tolist() == [2, 2, 1]


def test_derivations_by_name():
    context = fish()
    assert context.extent(["Coast", "River"]) == ("eel", "f2")
    assert context.intent(["f2", "f4"]) == ("Coast",)
    assert context.intent([]) == ("Coast", "Sea", "River")
    assert context.close(["Sea"]) == ("Coast", "Sea")
    assert context.support(["Sea"]) == 3
    assert repr(context) == "Context(5 objects, 3 attributes, 4 distinct rows)"


def test_deleting_objects_and_attributes_keeps_labels():
    context = figure_4().without_objects([25]).without_attributes(["S:M", "S:F"])
    assert context.size == 26
    assert 25 not in context.objects
    assert context.attributes == tuple(
        f"Date:{x}" for x in ("1935-55", "1945-65", "1955-75", "1965-85", "1975-95")
    )
    assert context.extent(["Date:1975-95"]) == (8, 20)


@pytest.mark.parametrize("ending", ["cxt", "csv"])
def test_files_give_back_the_context(tmp_path, ending):
    cases = [figure_4(), fish(), *(random_context(seed) for seed in range(40))]
    cases.append(Context.of({'Ångström, "x"': ["größer ≥ 3"], "李": []}))
    for context in cases:
        path = tmp_path / f"context.{ending}"
        fca.write_context(context, path)
        again = fca.read_context(path)
        assert list(again.objects) == [str(label) for label in context.objects]
        assert again.attributes == context.attributes
        np.testing.assert_array_equal(again.to_matrix(), context.to_matrix())


def test_burmeister_files_without_the_empty_line_are_read(tmp_path):
    path = tmp_path / "tool.cxt"
    path.write_text("B\nname\n2\n1\na\nb\nm\nX\n.\n", encoding="utf-8")
    assert fca.read_context(path).extent(["m"]) == ("a",)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.cxt", "B\n\nmany\n2\n", "lines 3 and 4"),
        ("x.cxt", "B\n\n2\n1\n\na\nb\nm\nX\n", "ends before"),
        ("x.cxt", "B\n\n1\n2\n\na\nm\nn\nX?\n", "line 9 must be 2 characters"),
        ("x.csv", "", "is empty"),
        ("x.csv", "o,m\na,maybe\n", "row 2, column 2"),
        ("x.csv", "o,m\na\n", "row 2, 0 cells for 1 attributes"),
        ("x.csv", "o,m\na,1\na,0\n", "same name"),
        ("y.csv", None, "cannot be read"),
    ],
)
def test_broken_files_are_refused_with_the_place(tmp_path, name, text, message):
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(la.FileError, match=message):
        fca.read_context(path)


def test_wrong_requests_say_what_is_there():
    context = fish()
    with pytest.raises(la.ColumnError, match="Did you mean 'River'"):
        context.extent(["Rivr"])
    with pytest.raises(la.RequestError, match="no object 'cod'"):
        context.intent(["cod"])
    with pytest.raises(la.RequestError, match="same name"):
        Context.from_matrix([[1, 0]], attributes=["a", "a"])
    with pytest.raises(la.RequestError, match="between 0 and 1"):
        fca.concept_lattice(context, minimum_support=2)
    with pytest.raises(la.RequestError, match="alpha"):
        fca.three_way(np.zeros(1), alpha=0.4, beta=0.3)
    with pytest.raises(la.RequestError, match="threshold"):
        fca.safe_set(context, threshold=0)


def test_a_lattice_beyond_its_limit_stops_and_says_how_far_it_came():
    rng = np.random.default_rng(0)
    context = Context.from_matrix(rng.random((60, 30)) < 0.5)
    with pytest.raises(
        la.RequestError, match=r"more than 1,000 concepts: 1,\d{3} concepts and [\d,]+ covers"
    ):
        fca.concept_lattice(context, limit=1000)


def test_a_stem_basis_beyond_its_limit_holds_the_rules_found_so_far():
    rng = np.random.default_rng(0)
    context = Context.from_matrix(rng.random((60, 25)) < 0.3)
    whole, part = fca.stem_basis(context), fca.stem_basis(context, limit=500)
    assert whole.complete
    assert not part.complete
    assert part.visited == 500
    assert 0 < len(part) < len(whole)
    assert [str(rule) for rule in part] == [str(rule) for rule in whole][: len(part)]
