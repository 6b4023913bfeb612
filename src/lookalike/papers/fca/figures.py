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
from lookalike.papers.comparison import OURS, UNCHECKED, WRONG, Line, same

NAMES = dict(zip("MFabcde", ("S:M", "S:F", "35-55", "45-65", "55-75", "65-85", "75-95")))
FIGURE_4 = (
    "Mbc", "Mcd", "Fabc", "Mbc", "Fa", "Fcd", "Fcd", "Fe", "Mbc", "Mcd", "Mcd", "Fbc", "Mcd", "Mcd",
    "Fcd", "Fab", "Mcd", "Fbc", "Fbc", "Mde", "Fcd", "Mcd", "Mcd", "Fab", "Fde", "Ma", "Mcd",
)  # fmt: skip
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
    """The 27 x 7 cross table as reconstructed from the printed bases."""
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
    born_1955 = {context.decode(context.rows[context.number[i - 1]]) for i in (3, 12, 16)}
    return [
        Line(
            "Figure 4",
            "rows of records 3, 12, 16, all born in 1955",
            f"{len(born_1955)} different rows",
            "1 row under any boundary rule",
            WRONG,
            "no single rule gives the printed context; 1965 goes right, 1975 left",
        ),
        *lattice_figure(context),
        Line("Figure 5", "concepts, covers", "picture", f"{len(lattice)}, {lattice.edges}", OURS, PICTURE),
        Line(
            "Section 3.1",
            "maximal unique-record chain",
            "{25} < {25,28} < {25,28,20}",
            next(c for c in chains if c.startswith("{25} < {8")),
            WRONG,
            "there is no object 28: it is record 8",
        ),
        Line(
            "Section 3.1",
            "where that chain can be seen",
            "Figure 1",
            "Figure 5",
            WRONG,
            "Figure 1 lists records; chains are in the lattice",
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
            UNCHECKED,
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
        for gone, later, state in zip((25, 8), (8, 20), states[1:])
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
            "4 rules",
            "; ".join(str(rule) for rule in after.after),
            WRONG,
            f"the printed four {'say the same, two of them are redundant' if alike else 'say something else'}; "
            f"{after.knowledge_loss:.0%} of the knowledge is lost",
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
