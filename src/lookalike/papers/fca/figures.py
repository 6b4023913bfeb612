"""Figures 4 to 9 of the FCA paper: the 27 x 7 context, its lattice, chains, suppression, risk and rules."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from lookalike.fca import (
    Context,
    Implications,
    basic_risk,
    concept_lattice,
    delete_in_turn,
    draw_lattice,
    forget,
    luxenburger_basis,
    neighbours,
    safe_set,
    semantic_chain_risk,
    stem_basis,
    three_way,
    unique_chains,
)
from lookalike.fca.semantics import Deletion
from lookalike.papers.comparison import AGREES, CONTRADICTS, DIFFERS, OURS, UNTOLD, Line, same

NAMES = dict(zip("MFabcde", ("S:M", "S:F", "35-55", "45-65", "55-75", "65-85", "75-95"), strict=True))
FIGURE_4 = (
    "Mbc", "Mcd", "Fabc", "Mbc", "Fa", "Fcd", "Fcd", "Fe", "Mbc", "Mcd", "Mcd", "Fbc", "Mcd", "Mcd",
    "Fcd", "Fab", "Mcd", "Fbc", "Fbc", "Mde", "Fcd", "Mcd", "Mcd", "Fab", "Fde", "Ma", "Mcd",
)  # fmt: skip
#: rows of Figure 4 that are printed otherwise than in this context; row 16 is printed as row 3
OTHERWISE = (2, 5, 15, 16, 17, 24)
THRESHOLD = 0.35
PICTURE = "we know the printed picture only by its description; ours is drawn with -o"
#: Figure 8, top: premise, conclusion, how many have the premise; the six that nobody has conclude everything else
STEM = (
    ("Mb", "c", 3), ("ab", "F", 3), ("ac", "Fb", 1), ("Me", "d", 1),
    ("ae", "", 0), ("be", "", 0), ("ce", "", 0), ("MF", "", 0), ("ad", "", 0), ("bd", "", 0),
)  # fmt: skip
#: Figure 9 besides: premise, conclusion, how many have the premise, how many both
LUXENBURGER = (
    ("d", "c", 15, 13), ("M", "c", 14, 12), ("Md", "c", 10, 9), ("Mc", "d", 12, 9),
    ("b", "c", 9, 7), ("Fd", "c", 5, 4), ("a", "F", 5, 4), ("Fa", "b", 4, 3),
)  # fmt: skip


def figure_4() -> Context:
    """The 27 x 7 cross table whose bases are the printed ones (Figures 8 and 9); six rows of Figure 4 are others."""
    rows = {i + 1: named(row) for i, row in enumerate(FIGURE_4)}
    return Context.of(rows, attributes=list(NAMES.values()))


def named(letters: str) -> list[str]:
    """Attributes from their letters."""
    return [NAMES[x] for x in letters]


def lattice_figures(context: Context) -> list[Line]:
    """Figures 4-7: lattice, chains, suppression, risk."""
    lattice, risk = concept_lattice(context), basic_risk(context)
    records = risk.of_objects(risk.basic)
    chain = risk.of_objects(semantic_chain_risk(context))
    states = delete_in_turn(context, [25, 8, 20])
    regions = three_way(records, alpha=0.2, beta=THRESHOLD)
    safe = safe_set(context, threshold=THRESHOLD)
    chains = [
        " < ".join("{" + ",".join(map(str, c.extent)) + "}" for c in x.concepts)
        for x in unique_chains(lattice)
    ]
    mean, chain_mean = (Fraction(float(x.mean())).limit_denominator(1000) for x in (records, chain))
    return [
        *cross_table(context),
        *lattice_figure(context),
        Line("Figure 5", "concepts, covers", "picture", f"{len(lattice)}, {lattice.edges}", OURS, PICTURE),
        Line(
            "Section 3.1",
            "maximal unique-record chain",
            "{25} < {25,28} < {25,28,20}",
            next(c for c in chains if c.startswith("{25} < {8")),
            CONTRADICTS,
            "there is no object 28: it is record 8",
            proof={"records": len(context.objects), "record named": 28},
        ),
        Line(
            "Section 3.1",
            "where that chain can be seen",
            "Figure 1",
            "Figure 5",
            CONTRADICTS,
            "Figure 1 lists records; chains are in the lattice",
            proof={"Figure 1 shows": "27 records with their risks", "Figure 5 shows": "the lattice"},
        ),
        Line("Section 3.1", "all maximal unique-record chains", "", "; ".join(chains), OURS),
        suppression(states),
        Line(
            "Figure 6",
            "deleting 25, 8, 20: concepts",
            "picture",
            ", ".join(str(s.concepts) for s in states),
            OURS,
            PICTURE,
        ),
        Line(
            "Figure 7",
            "records above 0.35",
            "picture",
            listed(np.flatnonzero(records > THRESHOLD)),
            UNTOLD,
            "which concepts the picture marks is said nowhere in the text; ours is drawn with -o",
        ),
        Line(
            "Figure 7",
            "mean r_BS, mean r_S",
            "",
            f"{mean}, {chain_mean}",
            OURS,
            "r_BS equals the classical risk of every record here, so the example does not part the two",
        ),
        Line("Section 4", "three regions at .2, .35: keep", "", listed(regions.keep), OURS),
        Line(
            "Section 4",
            "greatest safe set at 0.35",
            "",
            f"{safe.kept} records, {len(safe.rounds)} round",
            OURS,
        ),
    ]


def cross_table(context: Context) -> list[Line]:
    """Figure 4, as far as we know its print, beside the context whose bases are those of Figures 8 and 9."""
    span = named("ac")
    printed = sorted({int(str(record)) for record in context.extent(span)} | {3, 16})
    counted = next(n for premise, _, n in STEM if premise == "ac")
    return [
        Line(
            "Figure 4",
            "rows that are those of the context with the printed bases, of 27",
            "27",
            f"{len(FIGURE_4) - len(OTHERWISE)}",
            DIFFERS,
            f"rows {listed(np.array(OTHERWISE) - 1)} are printed otherwise. All else here (Figures 5 to 9) is of the "
            "context that gives every rule and every count of Figures 8 and 9, since the paper computes with that one",
        ),
        Line(
            "Figure 4",
            "records with 35-55 and 55-75",
            f"at least {len(printed)}: {listed(np.array(printed) - 1)}, printed alike; {counted} in Figure 8",
            str(len(context.extent(span))),
            CONTRADICTS,
            "the rule 35-55, 55-75 -> S:F, 45-65 of Figure 8 has one record, the cross table at least two",
            proof={
                "rows of Figure 4 with 35-55 and 55-75, at least": printed,
                "records of the rule": counted,
            },
        ),
        Line(
            "Figure 4",
            "rows of records 3, 12, 16, all women born in 1955",
            "3 and 16 alike, 12 another",
            "1 row under any one rule of boundaries",
            UNTOLD,
            "how a year on a boundary is sorted is not printed; by one rule for all, the three rows were alike",
        ),
    ]


def lattice_figure(context: Context) -> list[Line]:
    """Figure 5, as far as the rest of the paper tells what is in it: its edges by Figure 9, a chain by Section 3.1."""
    edges = sum(
        len(around.concept.extent) == n
        and any(one.intent == context.close(named(p + c)) and len(one.extent) == m for one in around.lower)
        for p, c, n, m in LUXENBURGER
        for around in [neighbours(context, named(p))]
    )
    chain = [context.intent([25]), context.intent([8, 25]), context.intent([8, 20, 25])]
    covers = sum(
        any(one.intent == below for one in neighbours(context, above).lower)
        for below, above in pairwise(chain)
    )
    return [
        same(
            "Figure 5",
            "inexact rules of Figure 9 that are its edges, with the printed numbers of records",
            len(LUXENBURGER),
            edges,
            "a printed rule is no edge of the lattice",
        ),
        same(
            "Figure 5",
            "covers of the chain of Section 3.1, record 8 for 28",
            2,
            covers,
            "the printed chain is none of the lattice",
        ),
    ]


def suppression(states: Sequence[Deletion]) -> Line:
    """Figure 6, by what Section 3.1 says of chains: deleting the first record makes the next one unique."""
    unique = [
        f"{later} after {gone}"
        for gone, later, state in zip((25, 8), (8, 20), states[1:3], strict=True)
        if later in state.unique
    ]
    return same(
        "Figure 6",
        "along the chain, who is unique once the one before is deleted",
        "8 after 25, 20 after 8",
        ", ".join(unique),
        "deleting the first of a chain does not make the next one unique",
    )


def rule_figures(context: Context) -> list[Line]:
    """Figures 8 and 9, rule by rule, and forgetting."""
    gone = named("edF")
    after = forget(context, gone)
    printed = [("acM", "b"), ("abM", "c"), ("ac", "b"), ("Mb", "c")]
    four = Implications.of([(named(p), named(c)) for p, c in printed], attributes=after.after.attributes)
    alike = four.equivalent(after.after)
    return [
        *_compare_rules("Figure 8, top", "stem basis", _printed_stem(), _found_stem(context)),
        *_compare_rules(
            "Figure 9",
            "Luxenburger basis at .75",
            _printed_stem()
            | {(frozenset(named(p)), frozenset(named(c))): f"({n}) -> ({m})" for p, c, n, m in LUXENBURGER},
            _found_stem(context)
            | {
                (frozenset(r.premise), frozenset(r.conclusion)): f"({r.premise_support}) -> ({r.support})"
                for r in luxenburger_basis(context, confidence=0.75).inexact
            },
        ),
        Line(
            "Figure 8, bottom",
            "rules left after forgetting 75-95, 65-85, S:F",
            f"{len(printed)} rules",
            "; ".join(str(rule) for rule in after.after),
            AGREES if alike else DIFFERS,
            f"the printed four {'say the same; two of them follow from the others' if alike else 'say something else'}"
            f"; {after.knowledge_loss:.0%} of the knowledge is lost",
        ),
    ]


Rules = dict[tuple[frozenset[str], frozenset[str]], str]


def _printed_stem() -> Rules:
    rules = {}
    for premise, conclusion, count in STEM:
        ends = conclusion if count else [x for x in NAMES if x not in premise]
        rules[frozenset(named(premise)), frozenset(NAMES[x] for x in ends)] = f"({count})"
    return rules


def _found_stem(context: Context) -> Rules:
    return {
        (frozenset(r.premise), frozenset(r.conclusion)): f"({r.premise_support})" for r in stem_basis(context)
    }


def _compare_rules(where: str, what: str, printed: Rules, found: Rules) -> list[Line]:
    """One line per rule that either side has, then the number of rules."""
    order = {name: i for i, name in enumerate(NAMES.values())}
    lines = []
    for rule in sorted(
        printed.keys() | found.keys(), key=lambda r: [sorted(order[x] for x in side) for side in r]
    ):
        left, right = (", ".join(sorted(side, key=order.__getitem__)) for side in rule)
        lines.append(
            same(
                where,
                f"{left} -> {right if found.get(rule) != '(0)' else 'everything else'}",
                printed.get(rule, "no such rule"),
                found.get(rule, "no such rule"),
                "the rule or its count is not that of the cross table",
            )
        )
    return [*lines, same(where, f"{what}: rules in all", len(printed), len(found), "see the rules above")]


def pictures(context: Context, *, fish: Context, living: Context) -> dict[str, str]:
    """Figures 2, 3, 5, 6 and 7 as SVG, by file name."""
    found = {
        "figure2_fish.svg": draw_lattice(concept_lattice(fish), title="Figure 2: fish"),
        "figure3_living.svg": draw_lattice(concept_lattice(living), title="Figure 3: living beings"),
        "figure5_lattice.svg": draw_lattice(concept_lattice(context), title="Figure 5: the concept lattice"),
        "figure7_risk.svg": draw_lattice(
            concept_lattice(context), threshold=THRESHOLD, title="Figure 7: concepts above 0.35 ringed"
        ),
    }
    removed: list[int] = []
    for step, record in enumerate((25, 8, 20), 1):
        removed.append(record)
        smaller = concept_lattice(context.without_objects(removed))
        title = f"Figure 6: without {', '.join(map(str, removed))}"
        found[f"figure6_step{step}.svg"] = draw_lattice(smaller, threshold=THRESHOLD, title=title)
    return found


def listed(positions: np.ndarray[tuple[int], np.dtype[np.int64]]) -> str:
    """Record numbers from positions."""
    return ", ".join(str(i + 1) for i in positions)
