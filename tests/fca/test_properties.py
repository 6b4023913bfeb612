"""What must hold in every context, checked on thousands of small random ones against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fca.known import brute_basic_risk, brute_concepts, brute_covers, random_context
from lookalike import fca
from lookalike.fca import Context
from lookalike.fca.contexts import pack, unpack

SEEDS = range(4000)

contexts = st.tuples(st.integers(0, 12), st.integers(0, 9)).flatmap(
    lambda shape: arrays(bool, shape).map(Context.from_matrix)
)


def subsets(items):
    return (chosen for size in range(len(items) + 1) for chosen in combinations(items, size))


def nonempty(seeds=SEEDS, **size):
    for seed in seeds:
        context = random_context(seed, **size)
        if context.size:
            yield seed, context


@given(contexts)
@settings(max_examples=300, deadline=None)
def test_lattice_and_covers_agree_with_brute_force(context):
    lattice = fca.concept_lattice(context)
    concepts = brute_concepts(context)
    extents = [frozenset(c.extent) for c in lattice]
    place = {name: m for m, name in enumerate(context.attributes)}
    assert {
        e: frozenset(place[m] for m in c.intent) for e, c in zip(extents, lattice, strict=True)
    } == concepts
    edges = {(extents[a], extents[b]) for a, b in zip(lattice.upper, lattice.lower, strict=True)}
    assert edges == brute_covers(set(concepts))
    assert lattice.edges == len(edges)
    assert [len(e) for e in extents] == lattice.supports.tolist() == sorted(lattice.supports, reverse=True)


@given(contexts)
@settings(max_examples=200, deadline=None)
def test_neighbours_on_demand_are_the_covers_of_the_lattice(context):
    lattice = fca.concept_lattice(context)
    for number, concept in enumerate(lattice):
        near = fca.neighbours(context, concept.intent)
        assert near.concept == concept
        assert set(near.lower) == {lattice.concept(d) for d in lattice.lower_of(number)}
        assert set(near.upper) == {lattice.concept(u) for u in lattice.upper_of(number)}


@given(contexts, st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_an_iceberg_is_the_frequent_part_of_the_lattice(context, share):
    lattice = fca.concept_lattice(context)
    ice = fca.concept_lattice(context, minimum_support=share)
    frequent = {c for c in lattice if len(c.extent) >= share * context.size}
    assert set(ice) == frequent
    assert ice.edges == sum(
        lattice.concept(a) in frequent and lattice.concept(b) in frequent
        for a, b in zip(lattice.upper, lattice.lower, strict=True)
    )


def test_objects_and_attributes_sit_at_their_concepts():
    for _, context in nonempty(range(300)):
        lattice = fca.concept_lattice(context)
        for i, label in enumerate(context.objects):
            number = lattice.object_concepts[context.number[i]]
            assert lattice.concept(number) == fca.object_concept(context, label)
        for m, name in enumerate(context.attributes):
            assert lattice.concept(lattice.attribute_concepts[m]) == fca.attribute_concept(context, name)


def test_the_closed_form_the_lattice_and_the_definition_give_one_basic_risk():
    for seed, context in nonempty():
        risk = fca.basic_risk(context)
        assert risk.of_objects(1 / risk.gap).tolist() == [float(r) for r in brute_basic_risk(context)], seed
        np.testing.assert_array_equal(risk.basic, fca.basic_risk_by_lattice(fca.concept_lattice(context)))


def test_the_closed_form_agrees_with_the_lattice_when_blocks_are_split():
    # More distinct rows than the kernel compares directly, and more attributes than one word holds.
    for seed in range(40):
        rng = np.random.default_rng(seed)
        matrix = rng.random((int(rng.integers(50, 300)), int(rng.integers(3, 90)))) < rng.uniform(0.02, 0.3)
        context = Context.from_matrix(matrix)
        risk = fca.basic_risk(context)
        inside = (matrix[:, None, :] <= matrix[None, :, :]).all(axis=2)
        np.testing.assert_array_equal(risk.of_objects(risk.extent), inside.sum(axis=1))
        lacking = np.where(matrix, len(matrix) + 1, inside.sum(axis=1)[:, None] - inside.astype(int) @ matrix)
        np.testing.assert_array_equal(risk.of_objects(risk.gap), lacking.min(axis=1))


def test_the_witness_is_an_attribute_whose_holders_leave_the_gap():
    for _, context in nonempty(range(500)):
        risk = fca.basic_risk(context)
        for row, witness in enumerate(risk.witness):
            having = fca.object_concept(context, context.labels(np.arange(len(context.rows)) == row)[0])
            if witness < 0:
                assert risk.gap[row] == risk.extent[row]
            else:
                name = context.attributes[witness]
                assert name not in having.intent
                assert risk.gap[row] == len(having.extent) - context.support([*having.intent, name])


def test_basic_risk_lies_between_extent_and_classical_risk():
    for seed, context in nonempty():
        risk = fca.basic_risk(context)
        assert (1 / risk.extent <= risk.basic).all(), seed
        assert (risk.basic <= risk.classical).all(), seed


def test_knowing_opposites_makes_basic_risk_classical():
    for seed, context in nonempty(range(1000)):
        risk = fca.basic_risk(context.with_opposites())
        np.testing.assert_array_equal(risk.basic, risk.classical, err_msg=str(seed))
        np.testing.assert_array_equal(risk.classical, fca.basic_risk(context).classical)


def test_deleting_other_records_never_lowers_basic_risk_and_deleting_attributes_never_raises_it():
    for seed, context in nonempty():
        risk = fca.basic_risk(context)
        before = dict(zip(context.objects, risk.of_objects(risk.basic), strict=True))
        rng = np.random.default_rng(seed)
        fewer = context.keep(rng.random(context.size) < 0.6)
        less = fca.basic_risk(fewer)
        after = dict(zip(fewer.objects, less.of_objects(less.basic), strict=True))
        assert all(after[label] >= before[label] for label in after), seed
        narrow = context.without_attributes([m for m in context.attributes if rng.random() < 0.4])
        less = fca.basic_risk(narrow)
        after = dict(zip(narrow.objects, less.of_objects(less.basic), strict=True))
        assert all(after[label] <= before[label] for label in after), seed


def test_chain_risk_never_exceeds_basic_risk_and_is_one_exactly_on_unique_record_chains():
    for seed, context in nonempty():
        lattice = fca.concept_lattice(context)
        of_concepts = fca.chain_risk_of_concepts(lattice)
        rows = fca.semantic_chain_risk(context)
        np.testing.assert_array_equal(rows, of_concepts[lattice.object_concepts])
        assert (rows <= fca.basic_risk(context).basic).all(), seed
        chained = {c for chain in fca.unique_chains(lattice) for c in chain.concepts}
        assert {lattice.concept(c) for c in np.flatnonzero(of_concepts == 1)} == chained, seed


def test_the_safe_set_is_the_greatest_one():
    for seed, context in nonempty(range(250), objects=6, attributes=4):
        for threshold in (0.2, 0.35, 0.5, 1.0):
            safe = set(context.labels(fca.safe_set(context, threshold=threshold).rows))
            for chosen in subsets(range(context.size)):
                keep = np.isin(np.arange(context.size), chosen)
                if chosen and fca.basic_risk(context.keep(keep)).basic.max() <= threshold:
                    assert set(chosen) <= safe, seed
            if safe:
                kept = context.keep(np.array([label in safe for label in context.objects]))
                assert fca.basic_risk(kept).basic.max() <= threshold
            assert bool(safe) == bool((1 / context.weights <= threshold).any()), seed


def test_the_safe_set_drops_round_by_round_what_a_recount_would_drop():
    many = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        steps = rng.integers(0, [8, 5, 4], (int(rng.integers(20, 400)), 3))
        matrix = np.concatenate([steps[:, [j]] > np.arange(size) for j, size in enumerate((8, 5, 4))], axis=1)
        context = Context.from_matrix(matrix)
        threshold = float(rng.choice([0.1, 0.2, 0.35, 0.5]))
        left, rounds = np.arange(context.size), []
        while len(left):
            risk = fca.basic_risk(context.keep(np.isin(np.arange(context.size), left)))
            risky = risk.of_objects(risk.basic) > threshold
            if not risky.any():
                break
            rounds.append(set(left[risky].tolist()))
            left = left[~risky]
        for start in (None, fca.basic_risk(context)):
            safe = fca.safe_set(context, threshold=threshold, start=start)
            dropped = [set(np.flatnonzero(np.isin(context.number, rows)).tolist()) for rows in safe.rounds]
            assert dropped == rounds, seed
            assert np.flatnonzero(safe.keep).tolist() == left.tolist(), seed
        many += len(rounds) > 2
    assert many > 20


def test_confidence_is_one_or_within_the_corrected_bound():
    tight = 0
    for seed, context in nonempty(range(300), attributes=4):
        risk = fca.basic_risk(context)
        for premise in subsets(context.attributes):
            for conclusion in subsets(context.attributes):
                bound = fca.confidence_bound(risk, premise, conclusion)
                if context.support(premise):
                    share = context.support([*premise, *conclusion]) / context.support(premise)
                    assert bound.confidence == pytest.approx(share)
                assert bound.controlled == (bound.confidence < 1)
                if bound.controlled:
                    assert bound.confidence <= bound.bound + 1e-12, seed
                    tight += bound.confidence > bound.bound - 1e-12
    assert tight > 0


def test_proposition_5_1_and_corollary_5_2_hold_with_the_extent_in_both_places():
    for seed, context in nonempty():
        lattice, risk = fca.concept_lattice(context), fca.basic_risk(context)
        upper, lower = lattice.supports[lattice.upper], lattice.supports[lattice.lower]
        largest = risk.basic.max()
        assert (lower / upper <= (largest * upper - 1) / (largest * upper) + 1e-12).all(), seed
        for row, concept in enumerate(lattice.object_concepts):
            extent = lattice.supports[concept]
            confidence = lattice.supports[lattice.lower_of(concept)] / extent
            assert (
                confidence <= (risk.basic[row] * extent - 1) / (risk.basic[row] * extent) + 1e-12
            ).all(), seed


def test_the_stem_basis_is_sound_complete_and_as_small_as_possible():
    for seed, context in nonempty(range(600)):
        basis = fca.stem_basis(context)
        for chosen in subsets(context.attributes):
            assert basis.close(chosen) == context.close(chosen), seed
        # Pseudo-intents by definition: not closed, and containing the closure of every smaller pseudo-intent.
        pseudo: list[set[str]] = []
        for chosen in subsets(context.attributes):
            closed = set(context.close(chosen))
            if closed != set(chosen) and all(
                set(context.close(p)) <= set(chosen) for p in pseudo if p < set(chosen)
            ):
                pseudo.append(set(chosen))
        assert sorted(map(sorted, pseudo)) == sorted(sorted(r.premise) for r in basis), seed


def test_forgetting_by_context_and_by_rules_gives_the_same_basis():
    for seed, context in nonempty(range(600), attributes=6):
        rng = np.random.default_rng(seed)
        gone = [m for m in context.attributes if rng.random() < 0.4]
        by_context = fca.forget(context, gone)
        by_rules = fca.forget_in_rules(fca.stem_basis(context), gone)
        assert {(r.premise, r.conclusion) for r in by_rules} == {
            (r.premise, r.conclusion) for r in by_context.after
        }, seed
        assert 0 <= by_context.knowledge_loss <= 1
        if len(by_context.before):
            assert (by_context.knowledge_loss == 1) == (not by_context.disposable), seed
        assert by_context.rules_lost <= len(by_context.before)
        assert fca.is_disposable(context.without_attributes(gone)) == by_context.disposable, seed


def test_minimising_any_complete_rules_gives_the_stem_basis():
    for seed, context in nonempty(range(300)):
        basis = fca.stem_basis(context)
        wordy = fca.Implications.of(
            [(p, context.close(p)) for p in subsets(context.attributes)], attributes=context.attributes
        )
        short = wordy.minimised()
        assert short.equivalent(basis)
        assert {(r.premise, r.conclusion) for r in short} == {(r.premise, r.conclusion) for r in basis}, seed


@given(contexts, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_records_does_not_matter(context, random):
    order = list(range(context.size))
    random.shuffle(order)
    shuffled = Context.from_matrix(context.to_matrix()[order], objects=order, attributes=context.attributes)
    one, two = fca.basic_risk(context), fca.basic_risk(shuffled)
    np.testing.assert_array_equal(one.of_objects(one.gap)[order], two.of_objects(two.gap))
    assert [c.intent for c in fca.concept_lattice(context)] == [
        c.intent for c in fca.concept_lattice(shuffled)
    ]


@given(arrays(bool, st.tuples(st.integers(0, 5), st.integers(0, 140))))
def test_packing_and_unpacking_are_inverse(matrix):
    np.testing.assert_array_equal(unpack(pack(matrix), matrix.shape[1]), matrix)


def test_counterexamples_to_tempting_claims():
    below = Context.of({1: ["a"], 2: ["a"], 3: [], 4: [], 5: []})
    risk = fca.semantic_chain_risk(below)
    assert risk[below.number[2]] == pytest.approx(1 / 6)  # r_S below the classical 1/5
    before = Context.of({1: ["b"], 2: [], 3: [], 4: ["b"], 5: ["a"], 6: []}, attributes=["a", "b"])
    after = before.without_objects([5])
    assert fca.semantic_chain_risk(before)[before.number[1]] == pytest.approx(1 / 5)
    assert fca.semantic_chain_risk(after)[after.number[1]] == pytest.approx(1 / 6)  # r_S fell
    apart = Context.of({1: ["b"], 2: ["c"]}, attributes=["a", "b", "c"])
    assert apart.close(["b"]) == ("b",)
    assert apart.close(["c"]) == ("c",)
    assert apart.close(["b", "c"]) == ("a", "b", "c")  # a union of closed sets need not be closed
    middle = fca.basic_risk(Context.of({1: ["a"], 2: [], 3: ["b"]}))
    assert (middle.basic[1], middle.classical[1]) == (0.5, 1.0)  # unique, yet r_BS is one half
