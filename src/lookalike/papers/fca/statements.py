"""Definitions, propositions and remarks of the FCA paper, each with the smallest example that shows what holds.

Nothing is quoted as right or wrong that is not computed here.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from lookalike.fca import (
    Context,
    add_noise,
    basic_risk,
    concept_lattice,
    confidence_bound,
    finest_scales,
    luxenburger_basis,
    risk_along_scales,
    risk_chains,
    safe_set,
)
from lookalike.papers.comparison import AGREES, CONTRADICTS, DIFFERS, NOT_RUN, OURS, UNTOLD, Line, same
from lookalike.papers.fca.examples import SEX, YEARS
from lookalike.papers.fca.figures import THRESHOLD, named
from lookalike.tables.intake import table


def statements(context: Context) -> list[Line]:
    """What is said about chains, risk and confidence, in the order of the paper."""
    return [
        definition_3_2(context),
        bottom(),
        *monotonicity(),
        theorem_4_1(),
        proposition_5_1(),
        *corollary_5_2(),
        closed_unions(),
        product_rule(),
        theorem_5_3(context),
        principles(context),
        *scales(),
        noise(),
        Line("Figure 10", "", "picture", "", NOT_RUN, "we have neither the picture nor a description of it"),
    ]


def definition_3_2(context: Context) -> Line:
    """Chains with identification risk compare the threshold, a probability, with numbers of records."""
    lattice = concept_lattice(context)
    sizes = lattice.supports[lattice.supports > 0]
    literal, meant = int((sizes <= THRESHOLD).sum()), len(risk_chains(lattice, threshold=THRESHOLD))
    return Line(
        "Definition 3.2",
        "chains at .35",
        f"starts of at most .35 records: {literal}",
        f"{meant} maximal chains",
        CONTRADICTS,
        "the threshold is compared with counts, and no concept has less than one record; meant is one over the count, "
        "at least the threshold, which is what `risk_chains` takes",
        proof={"threshold": THRESHOLD, "fewest records of a concept that has any": int(sizes.min())},
    )


def bottom() -> Line:
    """Basic risk is a maximum over lower neighbours; a record with every attribute has none."""
    context = Context.of({1: ["a"], 2: []}, attributes=["a"])
    lattice = concept_lattice(context)
    lower = len(lattice.lower_of(int(lattice.object_concepts[context.number[0]])))
    risk = basic_risk(context).basic[context.number[0]]
    return Line(
        "Section 3",
        "basic risk of a record that has every attribute",
        f"a maximum over {lower} neighbours",
        f"{risk:g}",
        UNTOLD,
        "the maximum is over nothing; one over the size of the record's concept is what fits the rest",
    )


def monotonicity() -> list[Line]:
    """What deleting records does to the largest risks, and to the risk of a record."""
    before = Context.of({1: ["p"], 2: ["p"], 3: ["q"]})
    after = before.without_objects([3])
    largest = [float(basic_risk(c).classical.max()) for c in (before, after)]
    record, fell, rose = deletions()
    return [
        Line(
            "Section 4",
            "the classical maximum risk cannot fall when records are deleted",
            "cannot",
            f"rows p, p, q: {largest[0]:g}; without q: {largest[1]:g}",
            CONTRADICTS,
            "the risky record itself may be the one deleted",
            proof={"rows": ["p", "p", "q"], "largest risk": largest[0], "without the last": largest[1]},
        ),
        Line(
            "Section 4",
            "the risk, r_BS,M, may fall or rise when records are deleted",
            "either way",
            f"of 300 random contexts it fell in {fell} and rose in {rose}",
            AGREES if fell and rose else DIFFERS,
            "" if fell and rose else "it went one way only",
        ),
        Line(
            "Beyond",
            "r_BS of one record when others are deleted",
            "",
            f"fell in {record} of 300 random contexts",
            OURS,
            "it cannot (proved): the records it must be told apart from only become fewer",
        ),
    ]


def deletions() -> tuple[int, int, int]:
    """In how many of 300 random contexts deleting the first record lowered another's risk; lowered the largest; raised
    the largest."""
    rng, counts = np.random.default_rng(0), np.zeros(3, dtype=int)
    for _ in range(300):
        whole = Context.from_matrix(rng.random((6, 4)) < rng.uniform(0.2, 0.8))
        risk = basic_risk(whole)
        old = risk.of_objects(risk.basic)
        smaller = basic_risk(whole.keep(np.arange(6) > 0))
        new = smaller.of_objects(smaller.basic)
        counts += [
            (new < old[1:] - 1e-12).any(),
            new.max() < old.max() - 1e-12,
            new.max() > old.max() + 1e-12,
        ]
    return int(counts[0]), int(counts[1]), int(counts[2])


def theorem_4_1() -> Line:
    """What is left of the fixpoint is safe, where anything is left."""
    rng, safe, left = np.random.default_rng(0), 0, 0
    for _ in range(300):
        context = Context.from_matrix(rng.random((12, 4)) < rng.uniform(0.2, 0.8))
        kept = safe_set(context, threshold=THRESHOLD)
        if kept.kept:
            left += 1
            safe += float(basic_risk(context.keep(kept.keep)).basic.max()) <= THRESHOLD
    return same(
        "Theorem 4.1",
        "of 300 random contexts those of which something is left: with every risk at most .35",
        f"{left} of {left}",
        f"{safe} of {left}",
        "what is left is not safe",
    )


def proposition_5_1() -> Line:
    """The bound on cover rules, with |{e}'| for |{e}''|: one record without attributes is enough."""
    context = Context.of({1: []}, attributes=["a"])
    risk = float(basic_risk(context).basic[0])
    attributes, extent = len(context.intent([1])), len(context.extent(context.intent([1])))
    printed, meant = (risk * size - 1 for size in (attributes, extent))
    return Line(
        "Proposition 5.1",
        "{} -> a where one record has nothing: bound on its confidence 0",
        f"{printed / (risk * extent):g}, with |e'|",
        f"{meant / (risk * extent):g}, with |e''|",
        CONTRADICTS,
        "|e'| is printed for |e''|; a confidence of 0 is not at most -1",
        proof={"r_BS": risk, "|e'|": attributes, "|e''|": extent, "confidence": 0},
    )


def corollary_5_2() -> list[Line]:
    """The statement on random contexts; its proof takes a record whose own concept is any given concept."""
    context = Context.of({1: ["a"], 2: ["b"]})
    top = context.extent([])
    owners = [i for i in top if context.extent(context.intent([i])) == top]
    rng, rules, kept = np.random.default_rng(0), 0, 0
    for _ in range(100):
        drawn = Context.from_matrix(rng.random((8, 4)) < rng.uniform(0.2, 0.8))
        risk = basic_risk(drawn)
        largest = float(risk.basic.max())
        for rule in luxenburger_basis(drawn, confidence=0.0).inexact:
            size = rule.premise_support or 1
            rules += 1
            kept += (rule.support or 0) / size <= (largest * size - 1) / (largest * size) + 1e-12
    return [
        same(
            "Corollary 5.2",
            "cover rules of 100 random contexts: confidence within the bound",
            f"{rules} of {rules}",
            f"{kept} of {rules}",
            "a rule is more confident",
        ),
        Line(
            "Corollary 5.2, proof",
            "rows a and b: records whose own concept is the top one",
            "at least 1",
            f"{len(owners)}",
            CONTRADICTS,
            "the proof has a gap; the statement holds nevertheless, by the corrected theorem 5.3",
            proof={"rows": ["a", "b"], "top concept": list(top), "records whose own concept it is": owners},
        ),
    ]


def closed_unions() -> Line:
    """The proof of theorem 5.3 says that a union of closed sets is closed."""
    context = Context.of({1: ["b"], 2: ["c"]}, attributes=["a", "b", "c"])
    return Line(
        "Theorem 5.3, proof",
        "rows b and c over a, b, c: closure of the union of the closed sets {b} and {c}",
        "b, c",
        ", ".join(context.close(["b", "c"])),
        CONTRADICTS,
        "a union of closed sets need not be closed; an intersection is",
        proof={
            "rows": ["b", "c"],
            "closed": [list(context.close([x])) for x in "bc"],
            "closure of their union": list(context.close(["b", "c"])),
        },
    )


def product_rule() -> Line:
    """The proof of theorem 5.3 multiplies confidences along rules that are no chain."""
    context = Context.of({1: ["a", "b"], 2: ["b", "c"]})
    rules = (("a", "b"), ("b", "c"), ("a", "c"))
    first, second, both = (context.support(pair) / context.support(pair[:1]) for pair in rules)
    return Line(
        "Theorem 5.3, proof",
        "rows ab and bc: confidence of a -> c as the product of those of a -> b and b -> c",
        f"{first * second:g}",
        f"{both:g}",
        CONTRADICTS,
        "confidences multiply along chains of concepts only",
        proof={"rows": ["ab", "bc"], "a -> b": first, "b -> c": second, "a -> c": both},
    )


def theorem_5_3(context: Context) -> Line:
    """Confidence is bounded by risk: for inexact rules only."""
    bound = confidence_bound(basic_risk(context), named("Mb"), named("c"))
    return Line(
        "Theorem 5.3",
        "S:M, 45-65 -> 55-75: confidence, bound",
        "confidence <= 2/3",
        f"confidence {bound.confidence:g}, no bound",
        CONTRADICTS,
        "exact rules are not limited by risk, and Figure 8 prints this one; the theorem holds for all others",
        proof={
            "records with the premise": len(context.extent(named("Mb"))),
            "with both": len(context.extent(named("Mbc"))),
            "largest r_BS": float(basic_risk(context).basic.max()),
            "bound": "1 - 1/(1 * 3) = 2/3",
        },
    )


def principles(context: Context) -> Line:
    """PDC and PLC, the two principles drawn from the theorem: where they apply, every rule keeps its bound."""
    risk = basic_risk(context)
    rules = luxenburger_basis(context, confidence=0.0)
    bounds = [confidence_bound(risk, r.premise, r.conclusion) for r in (*rules.inexact, *rules.exact)]
    inexact = [b for b in bounds if b.bound is not None]
    kept = sum(b.confidence <= (b.bound or 0) + 1e-12 for b in inexact)
    return Line(
        "Section 5, PDC and PLC",
        "low risk forces low confidence, high risk allows confidence near 1: rules within their bound",
        "all",
        f"{kept} of {len(inexact)} inexact; {len(bounds) - len(inexact)} exact ones have no bound",
        AGREES if kept == len(inexact) else DIFFERS,
        "both principles (PDC, PLC) hold for inexact rules, by the corrected theorem",
    )


LADDERS = {"sex": ["nominal"], "year": ["windows:40/40", "windows:20/20", "windows:10/10", "nominal"]}


def scales() -> list[Line]:
    """Beyond the paper, which leaves the effect of scales to future work: refinements for the 27 records."""
    people = table(pl.DataFrame({"sex": list(SEX), "year": YEARS}), quasi=["sex", "year"])
    path = risk_along_scales(people, ladders=LADDERS, threshold=THRESHOLD)
    finest = finest_scales(people, ladders=LADDERS, threshold=THRESHOLD)
    climbed = "; ".join(
        f"{one.scales['year']}: {one.maximum:.2f}, {one.mean:.2f}, {one.knowledge:.1f}" for one in path[1:]
    )
    safe = "; ".join(f"sex {one.scales['sex']}, year {one.scales['year']}" for one in finest)
    return [
        Line(
            "Beyond",
            "largest and mean r_BS, and bits of knowledge in exact rules, as the scale of years is refined",
            "",
            climbed,
            OURS,
        ),
        Line("Beyond", "finest scales with r_BS at most .35 for everybody", "", safe, OURS),
    ]


def noise() -> Line:
    """Section 6 has the step "add noise, assess again" without saying which: the 27 records in windows of 20 years."""
    people = table(pl.DataFrame({"sex": list(SEX), "year": YEARS}), quasi=["sex", "year"])
    runs = [
        add_noise(people, scales={"year": "windows:20/10"}, threshold=THRESHOLD, seed=seed)
        for seed in range(20)
    ]
    before, after = (float(np.mean([one.found[i] for one in runs])) for i in (0, 1))
    changed, kept = (
        float(np.mean(values))
        for values in zip(*((one.changed, one.keep.sum()) for one in runs), strict=True)
    )
    return Line(
        "Section 6",
        "add noise, assess again: at risk, values changed, records that can stay, people found rightly",
        "",
        f"{runs[0].rounds[0]} before; {changed:.1f} of {2 * len(people)} changed; {kept:.1f} stay; "
        f"{before:.1%} found before, {after:.1%} after",
        OURS,
        "which noise is left open in print; means of 20 seeds",
    )
