"""Figures 1-9 and Table 1 of the FCA paper, printed and computed side by side, errors remarked.

Aranda-Corral, Borrego-Díaz and Galán-Páez, re-identification risk by formal concept analysis (2023). Where the print is
wrong or silent the remark says why. Pictures of Figures 5, 6 and 7 go to the output folder as SVG.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from lookalike.fca import (
    Context,
    Implications,
    basic_risk,
    concept_lattice,
    confidence_bound,
    delete_in_turn,
    draw_lattice,
    forget,
    luxenburger_basis,
    safe_set,
    semantic_chain_risk,
    stem_basis,
    three_way,
    unique_chains,
)
from lookalike.papers.comparison import Line, tell

SEX = "MMFMFFFFMMMFMMFFMFFMFMMFFMM"
YEARS = (
    1959, 1969, 1955, 1959, 1942, 1975, 1966, 1987, 1959, 1967, 1968, 1955, 1967, 1967,
    1966, 1955, 1967, 1956, 1956, 1978, 1966, 1967, 1971, 1954, 1977, 1944, 1965,
)  # fmt: skip
PRINTED_DECADE = {6: 0.33, 20: 1.0, 23: 0.33, 25: 0.33}  # the four that disagree
NAMES = dict(zip("MFabcde", ("S:M", "S:F", "35-55", "45-65", "55-75", "65-85", "75-95")))
FIGURE_4 = (
    "Mbc", "Mcd", "Fabc", "Mbc", "Fa", "Fcd", "Fcd", "Fe", "Mbc", "Mcd", "Mcd", "Fbc", "Mcd", "Mcd",
    "Fcd", "Fab", "Mcd", "Fbc", "Fbc", "Mde", "Fcd", "Mcd", "Mcd", "Fab", "Fde", "Ma", "Mcd",
)  # fmt: skip
THRESHOLD = 0.35


def run(*, output: Path | None, full: bool, seed: int, json: bool) -> None:
    """Print the comparison; write it and the pictures where a folder is given. Nothing here is random or slow."""
    context = figure_4()
    lines = [*classical(), *fish(), *live_beings(), *lattice_figures(context), *rule_figures(context)]
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures(context).items():
            (output / name).write_text(picture, encoding="utf-8")
    tell(lines, paper="fca", title="Risk by formal concept analysis", output=output, json=json)


def figure_4() -> Context:
    """The 27 x 7 cross table as reconstructed from the printed bases."""
    rows = {i + 1: [NAMES[x] for x in row] for i, row in enumerate(FIGURE_4)}
    return Context.of(rows, attributes=list(NAMES.values()))


def classical() -> list[Line]:
    """Figure 1: classical risk of records, before and after deleting uniques, and by decade."""
    years = class_sizes([f"{s}{y}" for s, y in zip(SEX, YEARS)])
    decades = class_sizes([f"{s}{y // 10}" for s, y in zip(SEX, YEARS)])
    mean = float((1 / years).mean())
    left = years > 1
    rest = float((1 / years[left]).mean())
    wrong = {
        i: 1 / decades[i - 1]
        for i, printed in PRINTED_DECADE.items()
        if abs(1 / decades[i - 1] - printed) > 0.01
    }
    return [
        compare("Fig. 1", "risk of record 14", "1/5", Fraction(1, int(years[13]))),
        compare("Fig. 1", "risk of record 27", "1", Fraction(1, int(years[26]))),
        compare("Fig. 1", "maximum risk", "1", Fraction(1, int(years.min()))),
        compare(
            "Fig. 1", "average risk", "0.59", f"{mean:.2f}", f"16 classes of 27 records: {Fraction(16, 27)}"
        ),
        compare(
            "Sec. 2.1",
            "average risk after deleting the 11 unique records",
            "0.33",
            f"{rest:.4f}",
            "5 classes of 16 records; .33 = 9/27 is the average risk by decade instead",
        ),
        Line(
            "Fig. 1 right",
            "risk by decade, 27 values",
            "27 values",
            f"{27 - len(wrong)} agree; {', '.join(f'{i}: {r:.2f}' for i, r in wrong.items())} differ",
            "partly",
            "all 27 agree if record 23 were female: a slip between the two halves of the figure",
        ),
    ]


def class_sizes(keys: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each record, how many share its key."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[inverse]


def fish() -> list[Line]:
    """Figure 2 and Table 1: rules with confidence and support."""
    full = {"C": "Coast", "S": "Sea", "R": "River"}
    rows = {"eel": "CSR", "f2": "CR", "f3": "R", "f4": "CS", "f5": "CS"}
    context = Context.of({k: [full[x] for x in r] for k, r in rows.items()}, attributes=list(full.values()))
    every = luxenburger_basis(context, confidence=0.0)
    rules = {(r.premise, r.conclusion): r for r in [*every.exact, *every.inexact]}
    printed = [
        (("Sea",), ("Coast",), "1", "1"),
        ((), ("Coast",), "4/5", "1"),
        (("Coast",), ("Sea",), "3/4", "4/5"),
        (("River",), ("Coast",), "2/3", "1/3"),
        ((), ("River",), "3/5", "3/5"),
        (("Coast", "River"), ("Sea",), "1/2", "2/5"),
    ]
    lines = []
    for premise, conclusion, confidence, support in printed:
        rule = rules[premise, conclusion]
        have, share = rule.support or 0, rule.premise_support or 1
        found = f"{Fraction(have, share)}, {Fraction(have, context.size)}"
        what = f"{', '.join(premise) or '{}'} -> {', '.join(conclusion)}: confidence, support"
        remark = "" if found == f"{confidence}, {support}" else "the confidence is right, the support is not"
        agrees = "yes" if not remark else "partly"
        lines.append(Line("Table 1", what, f"{confidence}, {support}", found, agrees, remark))
    half = luxenburger_basis(context, confidence=0.5, support=0.4)
    names = "; ".join(f"{', '.join(r.premise) or '{}'} -> {', '.join(r.conclusion)}" for r in half.inexact)
    remark = "Coast -> River is missing in print; Coast, River -> Sea has support 1/5 and does not belong"
    lines.append(Line("Table 1", "L(1/2, 2/5), inexact rules", "5 rules", names, "partly", remark))
    return lines


def live_beings() -> list[Line]:
    """Figure 3: the stem basis of five living things."""
    full = {"W": "Need Water", "A": "Aquatic", "M": "Mobility", "L": "Legs"}
    rows = {"Cat": "WML", "Leech": "WAM", "Frog": "WAML", "Corn": "W", "Fish": "WAM"}
    context = Context.of({k: [full[x] for x in r] for k, r in rows.items()}, attributes=list(full.values()))
    rules = sorted(str(rule) for rule in stem_basis(context))
    printed = (
        "Need Water, Aquatic (3) -> Mobility; Need Water, Legs (2) -> Mobility; anyone (5) -> Need Water"
    )
    return [compare("Fig. 3", "stem basis", printed, "; ".join(rules))]


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
            "Fig. 4",
            "rows of records 3, 12, 16, all born in 1955",
            f"{len(born_1955)} different rows",
            "1 row under any boundary rule",
            "no",
            "no single rule gives the printed context; 1965 goes right, 1975 left",
        ),
        Line("Fig. 5", "concepts, covers", "picture", f"{len(lattice)}, {lattice.edges}", "-"),
        Line(
            "Sec. 3.1",
            "maximal unique-record chain",
            "{25} < {25,28} < {25,28,20}",
            next(c for c in chains if c.startswith("{25} < {8")),
            "partly",
            "there is no object 28: it is record 8",
        ),
        Line("Sec. 3.1", "all maximal unique-record chains", "", "; ".join(chains), "-"),
        Line(
            "Fig. 6",
            "deleting 25, 8, 20: concepts",
            "picture",
            ", ".join(str(s.concepts) for s in states),
            "-",
            "deleting 25 makes record 8 unique",
        ),
        Line(
            "Fig. 7",
            "mean r_BS, mean r_S",
            "picture",
            f"{mean}, {chain_mean}",
            "-",
            "r_BS equals classical risk here",
        ),
        Line("Fig. 7", "records above 0.35", "picture", listed(np.flatnonzero(records > THRESHOLD)), "-"),
        Line("Sec. 4", "three regions at .2, .35: keep", "", listed(regions.keep), "-"),
        Line(
            "Sec. 4", "greatest safe set at 0.35", "", f"{safe.kept} records, {len(safe.rounds)} round", "-"
        ),
    ]


def rule_figures(context: Context) -> list[Line]:
    """Figures 8 and 9 and section 5: bases, forgetting, confidence and risk."""
    basis = stem_basis(context)
    rules = luxenburger_basis(context, confidence=0.75)
    held = sorted(str(rule) for rule in basis if rule.premise_support)
    nobody = sorted(",".join(rule.premise) for rule in basis if not rule.premise_support)
    gone = [NAMES["e"], NAMES["d"], NAMES["F"]]
    after = forget(context, gone)
    printed = [("acM", "b"), ("abM", "c"), ("ac", "b"), ("Mb", "c")]
    four = Implications.of(
        [([NAMES[x] for x in p], [NAMES[x] for x in c]) for p, c in printed],
        attributes=after.after.attributes,
    )
    bound = confidence_bound(basic_risk(context), [NAMES["M"], NAMES["b"]], [NAMES["c"]])
    supports = sorted(f"{r.premise_support}->{r.support}" for r in rules.inexact)
    shown = "10->9, 12->9, 14->12, 15->13, 4->3, 5->4, 5->4, 9->7"
    return [
        compare(
            "Fig. 8 top",
            "stem basis, rules that somebody meets",
            "35-55, 45-65 (3) -> S:F; 35-55, 55-75 (1) -> S:F, 45-65; S:M, 45-65 (3) -> 55-75; S:M, 75-95 (1) -> 65-85",
            "; ".join(held),
        ),
        compare(
            "Fig. 8 top",
            "stem basis, premises that nobody meets",
            "35-55,65-85; 35-55,75-95; 45-65,65-85; 45-65,75-95; 55-75,75-95; S:M,S:F",
            "; ".join(nobody),
        ),
        compare("Fig. 9", "Luxenburger basis at .75, supports", shown, ", ".join(supports)),
        compare("Fig. 9", "rules in all", "18", str(len(rules))),
        Line(
            "Fig. 8 bottom",
            "rules left after forgetting 75-95, 65-85, S:F",
            "4",
            "; ".join(str(rule) for rule in after.after),
            "partly" if four.equivalent(after.after) else "no",
            f"the printed four say the same, two are redundant; {after.knowledge_loss:.0%} of the knowledge is lost",
        ),
        Line(
            "Thm 5.3",
            "S:M, 45-65 -> 55-75: confidence, bound",
            "confidence <= 2/3",
            f"confidence {bound.confidence:g}, no bound",
            "no",
            "exact rules are not limited by risk; the theorem holds for all others",
        ),
    ]


def pictures(context: Context) -> dict[str, str]:
    """Figures 5, 6 and 7 as SVG, by file name."""
    found = {
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


def compare(where: str, what: str, printed: str, computed: str | Fraction, remark: str = "") -> Line:
    """A line that agrees where both sides read the same."""
    return Line(where, what, printed, str(computed), "yes" if printed == str(computed) else "no", remark)


def listed(positions: np.ndarray[tuple[int], np.dtype[np.int64]]) -> str:
    """Record numbers from positions."""
    return ", ".join(str(i + 1) for i in positions)
