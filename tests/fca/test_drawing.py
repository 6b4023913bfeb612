"""The Hasse diagram is valid SVG, shows every label once, and rings what is above the threshold."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import lookalike as la
from fca.known import figure_4, random_context
from lookalike import fca
from lookalike.fca import Context

SVG = "{http://www.w3.org/2000/svg}"


def parse(text):
    root = ElementTree.fromstring(text)
    labels = [t.text for t in root.iter(f"{SVG}text") if t.get("aria-hidden") is None]
    return root, labels


def test_every_attribute_is_written_once_and_every_concept_drawn():
    lattice = fca.concept_lattice(figure_4())
    root, labels = parse(fca.draw_lattice(lattice, threshold=0.35, title="27 records"))
    assert all(labels.count(name) == 1 for name in lattice.context.attributes)
    assert len(list(root.iter(f"{SVG}circle"))) == 28
    assert len(list(root.iter(f"{SVG}polyline"))) == 56
    ringed = [c for c in root.iter(f"{SVG}circle") if c.get("stroke-width") == "3"]
    assert len(ringed) == (fca.concept_risk(lattice) > 0.35).sum()
    assert "1, 4, 9" in labels
    assert "27 records" in labels


def test_concept_risk_is_the_gap_to_the_nearest_lower_neighbour():
    for seed in range(300):
        lattice = fca.concept_lattice(random_context(seed))
        risks = fca.concept_risk(lattice)
        for c in range(len(lattice)):
            gaps = lattice.supports[c] - lattice.supports[lattice.lower_of(c)]
            expected = 1 / (gaps.min() if len(gaps) else lattice.supports[c]) if lattice.supports[c] else 0
            assert risks[c] == expected, seed


def test_nodes_of_a_layer_keep_their_distance():
    root, _ = parse(fca.draw_lattice(fca.concept_lattice(figure_4())))
    places = [(float(c.get("cy")), float(c.get("cx"))) for c in root.iter(f"{SVG}circle")]
    for y in {y for y, _ in places}:
        row = np.sort([x for at, x in places if at == y])
        assert (np.diff(row) > 24).all()


def test_names_are_escaped():
    context = Context.of({"<script>": ["a & b"], "größer": ['"q"']})
    text = fca.draw_lattice(fca.concept_lattice(context))
    assert "<script>" not in text
    assert {"<script>", "a & b", "größer", '"q"'} <= set(parse(text)[1])


def test_the_smallest_lattice_can_be_drawn():
    root, _ = parse(fca.draw_lattice(fca.concept_lattice(Context.of({}, attributes=["a"]))))
    assert len(list(root.iter(f"{SVG}circle"))) == 1


def test_the_same_lattice_gives_the_same_picture():
    assert fca.draw_lattice(fca.concept_lattice(figure_4())) == fca.draw_lattice(
        fca.concept_lattice(figure_4())
    )


def test_a_large_lattice_is_refused_and_its_surroundings_can_be_drawn():
    rng = np.random.default_rng(0)
    context = Context.from_matrix(rng.random((80, 20)) < 0.3)
    lattice = fca.concept_lattice(context)
    with pytest.raises(la.RequestError, match="surroundings"):
        fca.draw_lattice(lattice)
    near = fca.surroundings(context, ["a3"])
    number = lattice.find(context.encode(context.close(["a3"])))
    assert len(near) == 1 + len(lattice.lower_of(number)) + len(lattice.upper_of(number))
    assert set(near) <= set(lattice)
    parse(fca.draw_lattice(near, threshold=0.5))


def test_of_a_large_lattice_the_most_frequent_concepts_are_drawn():
    rng = np.random.default_rng(0)
    context = Context.from_matrix(rng.random((300, 20)) < 0.3)
    root, labels = parse(fca.draw_most_frequent(context, threshold=0.2, most=40))
    drawn = [int(c.find(f"{SVG}title").text.split()[0]) for c in root.iter(f"{SVG}circle")]
    assert 1 < len(drawn) <= 40
    every = fca.concept_lattice(context).supports
    assert sorted(drawn) == sorted(every[every >= min(drawn)].tolist())
    assert any(label.startswith(f"The {len(drawn)} concepts of at least") for label in labels)
    small = figure_4()
    assert fca.draw_most_frequent(small) == fca.draw_lattice(fca.concept_lattice(small))


def test_surroundings_grow_to_the_whole_lattice():
    context = figure_4()
    whole, near = fca.concept_lattice(context), fca.surroundings(context, ["S:M"], steps=6)
    assert near.to_dict() == whole.to_dict()
