"""The worked examples of Aranda-Corral, Borrego-Díaz and Galán-Páez, recomputed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fca.known import DATES, figure_4, fish, live_beings, names
from lookalike import fca

AT_RISK = (3, 5, 8, 16, 20, 24, 25, 26)

# (extent, intent, lower covers, basic risk of the concept, r_L) of all 28 concepts
CONCEPTS = [
    ([], "MFabcde", [], None, None),
    ([3], "Fabc", [[]], "1", "1"),
    ([20], "Mde", [[]], "1", "1"),
    ([25], "Fde", [[]], "1", "1"),
    ([26], "Ma", [[]], "1", "1"),
    ([8, 25], "Fe", [[25]], "1", "1"),
    ([20, 25], "de", [[20], [25]], "1", "1"),
    ([1, 4, 9], "Mbc", [[]], "1/3", "1/3"),
    ([3, 16, 24], "Fab", [[3]], "1/2", "1/2"),
    ([8, 20, 25], "e", [[8, 25], [20, 25]], "1", "1"),
    ([3, 12, 18, 19], "Fbc", [[3]], "1/3", "1/3"),
    ([6, 7, 15, 21], "Fcd", [[]], "1/4", "1/4"),
    ([3, 5, 16, 24], "Fa", [[3, 16, 24]], "1", "1/2"),
    ([6, 7, 15, 21, 25], "Fd", [[25], [6, 7, 15, 21]], "1", "1/4"),
    ([3, 5, 16, 24, 26], "a", [[26], [3, 5, 16, 24]], "1", "1/2"),
    ([3, 12, 16, 18, 19, 24], "Fb", [[3, 16, 24], [3, 12, 18, 19]], "1/2", "1/6"),
    ([1, 3, 4, 9, 12, 18, 19], "bc", [[1, 4, 9], [3, 12, 18, 19]], "1/3", "1/9"),
    ([3, 6, 7, 12, 15, 18, 19, 21], "Fc", [[3, 12, 18, 19], [6, 7, 15, 21]], "1/4", "1/12"),
    (
        [1, 3, 4, 9, 12, 16, 18, 19, 24],
        "b",
        [[3, 12, 16, 18, 19, 24], [1, 3, 4, 9, 12, 18, 19]],
        "1/2",
        "1/18",
    ),
    ([2, 10, 11, 13, 14, 17, 22, 23, 27], "Mcd", [[]], "1/9", "1/9"),
]
R_L_OF_LARGE = {
    "Md": "1/9",
    "Mc": "1/27",
    "F": "1/11",
    "cd": "1/36",
    "M": "1/13",
    "d": "1/13",
    "c": "1/117",
    "": "1/24",
}


@pytest.fixture(scope="module")
def context():
    return figure_4()


@pytest.fixture(scope="module")
def lattice(context):
    return fca.concept_lattice(context)


def rules(implications):
    return {(r.premise, r.conclusion, r.premise_support) for r in implications}


def test_the_lattice_has_28_concepts_and_56_covers(lattice):
    assert (len(lattice), lattice.edges) == (28, 56)


def test_concepts_covers_and_concept_risks_are_the_known_ones(lattice):
    found = {frozenset(c.extent): i for i, c in enumerate(lattice)}
    chain = fca.chain_risk_of_concepts(lattice)
    for extent, intent, below, basic, r_l in CONCEPTS:
        number = found[frozenset(extent)]
        assert lattice.concept(number).intent == names(intent)
        lower = lattice.lower_of(number)
        assert {frozenset(lattice.concept(d).extent) for d in lower} == {frozenset(b) for b in below}
        if basic is not None:
            gaps = lattice.supports[number] - lattice.supports[lower]
            assert Fraction(1, int(gaps.min())) == Fraction(basic)
            assert chain[number] == pytest.approx(float(Fraction(r_l)))
    for intent, r_l in R_L_OF_LARGE.items():
        number = lattice.find(lattice.context.encode(names(intent)))
        assert chain[number] == pytest.approx(float(Fraction(r_l)))


def test_the_stem_basis_is_the_printed_one(context):
    everything = set(names("MFabcde"))
    nobody = ["ae", "be", "ce", "MF", "ad", "bd"]
    expected = {
        (names("Mb"), names("c"), 3),
        (names("ab"), names("F"), 3),
        (names("ac"), names("Fb"), 1),
        (names("Me"), names("d"), 1),
        *(
            (names(p), tuple(m for m in names("MFabcde") if m in everything - set(names(p))), 0)
            for p in nobody
        ),
    }
    basis = fca.stem_basis(context)
    assert basis.complete
    assert rules(basis) == expected


def test_the_luxenburger_basis_at_three_quarters_is_the_printed_one(context):
    basis = fca.luxenburger_basis(context, confidence=0.75)
    found = {(r.premise, r.premise_support, r.conclusion, r.support) for r in basis.inexact}
    assert found == {
        (names("d"), 15, names("c"), 13),
        (names("M"), 14, names("c"), 12),
        (names("Md"), 10, names("c"), 9),
        (names("Mc"), 12, names("d"), 9),
        (names("b"), 9, names("c"), 7),
        (names("Fd"), 5, names("c"), 4),
        (names("a"), 5, names("F"), 4),
        (names("Fa"), 4, names("b"), 3),
    }
    assert len(basis) == 18


def test_record_risks_are_the_known_ones(context):
    risk = fca.basic_risk(context)
    chain = risk.of_objects(fca.semantic_chain_risk(context))
    extent, basic = risk.of_objects(risk.extent), risk.of_objects(risk.gap)
    known = {}
    for records, size, r_bs, r_s in [
        ((2, 10, 11, 13, 14, 17, 22, 23, 27), 9, 9, 9),
        ((6, 7, 15, 21), 4, 4, 4),
        ((1, 4, 9), 3, 3, 3),
        ((12, 18, 19), 4, 3, 3),
        ((16, 24), 3, 2, 2),
        ((5,), 4, 1, 2),
        ((8,), 2, 1, 1),
        ((3, 20, 25, 26), 1, 1, 1),
    ]:
        known |= dict.fromkeys(records, (size, r_bs, 1 / r_s))
    assert known == {i: (extent[i - 1], basic[i - 1], chain[i - 1]) for i in context.objects}
    assert risk.mean(risk.basic) == pytest.approx(11 / 27)
    assert chain.mean() == pytest.approx(7 / 18)
    assert risk.basic.max() == 1
    np.testing.assert_array_equal(risk.basic, risk.classical)


def test_the_safe_set_at_035_keeps_nineteen_records_after_one_round(context):
    safe = fca.safe_set(context, threshold=0.35)
    assert [context.labels(np.isin(np.arange(len(context.rows)), rows)) for rows in safe.rounds] == [AT_RISK]
    assert context.labels(safe.rows) == tuple(i for i in context.objects if i not in AT_RISK)
    assert (safe.kept, safe.cost) == (19, 8)


def test_unique_record_chains_are_the_known_ones(lattice):
    chains = {tuple(c.extent for c in chain.concepts) for chain in fca.unique_chains(lattice)}
    assert chains == {
        ((25,), (8, 25), (8, 20, 25)),
        ((25,), (20, 25), (8, 20, 25)),
        ((20,), (20, 25), (8, 20, 25)),
        ((3,),),
        ((26,),),
    }


def test_chains_with_identification_risk_at_035_are_the_known_ones(lattice):
    chains = fca.risk_chains(lattice, threshold=0.35)
    assert {tuple(c.extent for c in chain.concepts) for chain in chains} == {
        ((3,), (3, 16, 24), (3, 5, 16, 24), (3, 5, 16, 24, 26)),
        ((20,), (20, 25), (8, 20, 25)),
        ((25,), (8, 25), (8, 20, 25)),
        ((25,), (20, 25), (8, 20, 25)),
        ((26,),),
    }
    longest = max(chains, key=lambda chain: len(chain.concepts))
    assert longest.risks == {3: 1.0, 16: 0.5, 24: 0.5, 5: 1.0, 26: 1.0}


def test_deleting_record_25_makes_record_8_unique(context):
    states = fca.delete_in_turn(context, [25, 8, 20])
    assert [(s.removed, s.concepts, s.edges, s.unique, s.certain) for s in states] == [
        (None, 28, 56, (3, 20, 25, 26), (3, 5, 8, 20, 25, 26)),
        (25, 25, 48, (3, 8, 20, 26), (3, 5, 8, 20, 26)),
        (8, 23, 43, (3, 20, 26), (3, 5, 20, 26)),
        (20, 20, 36, (3, 26), (3, 5, 26)),
    ]


def test_the_three_regions_are_the_known_ones(context):
    risk = fca.basic_risk(context)
    regions = fca.three_way(risk.of_objects(risk.basic), alpha=0.2, beta=0.35)
    assert tuple(regions.discard + 1) == AT_RISK
    assert tuple(regions.keep + 1) == (2, 10, 11, 13, 14, 17, 22, 23, 27)
    assert tuple(regions.look + 1) == (1, 4, 6, 7, 9, 12, 15, 18, 19, 21)


def test_forgetting_three_attributes_leaves_two_rules_and_the_printed_four_say_the_same(context):
    gone = [DATES[4], DATES[3], "S:F"]
    result = fca.forget(context, gone)
    assert rules(result.after) == {(names("ac"), names("b"), 1), (names("Mb"), names("c"), 3)}
    printed = fca.Implications.of(
        [
            (names("acM"), names("b")),
            (names("abM"), names("c")),
            (names("ac"), names("b")),
            (names("Mb"), names("c")),
        ],
        attributes=result.after.attributes,
    )
    assert printed.equivalent(result.after)
    assert len(printed.minimised()) == 2
    assert result.disposable
    assert 0 < result.knowledge_loss < 1
    by_rules = fca.forget_in_rules(fca.stem_basis(context), gone)
    assert {r[:2] for r in rules(by_rules)} == {r[:2] for r in rules(result.after)}


def test_theorem_5_3_as_printed_fails_on_an_exact_rule_which_the_corrected_one_leaves_alone(context):
    risk = fca.basic_risk(context)
    bound = fca.confidence_bound(risk, ["S:M", "Date:1945-65"], ["Date:1955-75"])
    assert (bound.confidence, bound.controlled) == (1.0, False)
    printed = 1 - 1 / (risk.basic.max() * context.support(["S:M", "Date:1945-65"]))
    assert printed == pytest.approx(2 / 3)
    inexact = fca.confidence_bound(risk, ["S:M"], ["Date:1955-75"])
    assert inexact.confidence == pytest.approx(12 / 14)
    assert inexact.confidence <= inexact.bound


def test_live_beings():
    context = live_beings()
    lattice = fca.concept_lattice(context)
    assert (len(lattice), lattice.edges) == (5, 5)
    assert rules(fca.stem_basis(context)) == {
        ((), ("Need Water",), 5),
        (("Need Water", "Aquatic"), ("Mobility",), 3),
        (("Need Water", "Legs"), ("Mobility",), 2),
    }
    risk = fca.basic_risk(context)
    found = zip(
        *(risk.of_objects(x) for x in (risk.extent, risk.gap, fca.semantic_chain_risk(context))), strict=True
    )
    assert dict(zip(context.objects, found, strict=True)) == {
        "Cat": (2, 1, 1), "Leech": (3, 2, 0.5), "Frog": (1, 1, 1), "Corn": (5, 1, 0.5), "Fish": (3, 2, 0.5),
    }  # fmt: skip


def test_fish():
    context = fish()
    lattice = fca.concept_lattice(context)
    assert (len(lattice), lattice.edges) == (6, 7)
    assert rules(fca.stem_basis(context)) == {(("Sea",), ("Coast",), 3)}
    every = fca.luxenburger_basis(context, confidence=0.0)
    found = {(r.premise, r.conclusion, r.support, r.premise_support) for r in every.inexact}
    assert found == {
        ((), ("Coast",), 4, 5),
        ((), ("River",), 3, 5),
        (("Coast",), ("Sea",), 3, 4),
        (("River",), ("Coast",), 2, 3),
        (("Coast",), ("River",), 2, 4),
        (("Coast", "River"), ("Sea",), 1, 2),
        (("Coast", "Sea"), ("River",), 1, 3),
    }
    half = fca.luxenburger_basis(context, confidence=0.5, support=0.4)
    assert {(r.premise, r.conclusion) for r in half.inexact} == {
        (("River",), ("Coast",)), (("Coast",), ("River",)), (("Coast",), ("Sea",)), ((), ("River",)), ((), ("Coast",)),
    }  # fmt: skip
    risk = fca.basic_risk(context)
    found = zip(
        *(risk.of_objects(x) for x in (risk.extent, risk.gap, fca.semantic_chain_risk(context))), strict=True
    )
    assert dict(zip(context.objects, found, strict=True)) == {
        "eel": (1, 1, 1), "f2": (2, 1, 1), "f3": (3, 1, 1), "f4": (3, 2, 0.5), "f5": (3, 2, 0.5),
    }  # fmt: skip


def test_a_basis_prints_its_rules_with_supports():
    basis = fca.luxenburger_basis(fish(), confidence=0.6)
    assert str(basis).splitlines() == [
        "RuleBasis(4 inexact rules of confidence >= 0.6, 1 exact)",
        "  anyone (5) -> Coast (4, 80%)",
        "  Coast (4) -> Sea (3, 75%)",
        "  River (3) -> Coast (2, 67%)",
        "  anyone (5) -> River (3, 60%)",
        "  Sea (3) -> Coast",
    ]
    assert str(basis.exact).splitlines() == ["Implications(1 rules over 3 attributes)", "  Sea (3) -> Coast"]


def test_a_long_basis_says_how_many_rules_it_did_not_print():
    rules = fca.stem_basis(fca.Context.from_matrix(np.eye(12, dtype=bool)))
    assert len(rules) == 66, "no two of twelve attributes meet"
    assert len(str(rules).splitlines()) == 52
    assert str(rules).endswith("… and 16 more")
