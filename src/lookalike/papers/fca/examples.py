"""The FCA paper's small examples: Figures 1 to 3 and Table 1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from lookalike.fca import Context, Rule, concept_lattice, luxenburger_basis, stem_basis
from lookalike.papers.comparison import AGREES, UNTOLD, Line, same

SEX = "MMFMFFFFMMMFMMFFMFFMFMMFFMM"
YEARS = (
    1959, 1969, 1955, 1959, 1942, 1975, 1966, 1987, 1959, 1967, 1968, 1955, 1967, 1967,
    1966, 1955, 1967, 1956, 1956, 1978, 1966, 1967, 1971, 1954, 1977, 1944, 1965,
)  # fmt: skip
#: Figure 1, right: four risks by decade as printed; our notes have the column as exactly that of a female record 23
PRINTED_DECADE = {6: 0.33, 20: 1.0, 23: 0.33, 25: 0.33}
FISH = {"C": "Coast", "S": "Sea", "R": "River"}
#: Table 1 as printed: premise, conclusion, confidence, support
TABLE_1 = (
    ("S", "C", "1", "1"),
    ("", "C", "4/5", "1"),
    ("C", "S", "3/4", "4/5"),
    ("R", "C", "2/3", "1/3"),
    ("", "R", "3/5", "3/5"),
    ("CR", "S", "1/2", "2/5"),
)


def classical() -> list[Line]:
    """Figure 1: classical risk of records, before and after deleting uniques, and by decade."""
    years = class_sizes(keys(SEX, 1))
    mean = float((1 / years).mean())
    rest = float((1 / years[years > 1]).mean())
    counted = "counted in the printed records"
    return [
        same("Figure 1, left", "risk of record 14", "1/5", Fraction(1, int(years[13])), counted),
        same("Figure 1, left", "risk of record 27", "1", Fraction(1, int(years[26])), counted),
        same("Figure 1, left", "maximum risk", "1", Fraction(1, int(years.min())), counted),
        same("Figure 1, left", "average risk", "0.59", f"{mean:.2f}", counted),
        same(
            "Section 2.1",
            "average risk after deleting the 11 unique records",
            "0.33",
            f"{rest:.4f}",
            "5 classes of 16 records; .33 = 9/27 is the average risk by decade instead",
            proof={
                "records left": int((years > 1).sum()),
                "classes left": len({*keys(SEX, 1)} - lonely(SEX, 1)),
            },
        ),
        *by_decade(),
    ]


def by_decade() -> list[Line]:
    """Figure 1, right: the four records we have the print of, and what one slip would explain."""
    decades = keys(SEX, 10)
    risks, moved = (1 / class_sizes(keys(sex, 10)) for sex in (SEX, SEX[:22] + "F" + SEX[23:]))
    alike = {i: [j for j, key in enumerate(decades, 1) if key == decades[i - 1]] for i in PRINTED_DECADE}
    found, explained = (", ".join(f"{i}: {r[i - 1]:.2f}" for i in PRINTED_DECADE) for r in (risks, moved))
    printed = ", ".join(f"{i}: {r:.2f}" for i, r in PRINTED_DECADE.items())
    slip = "all 27 agree if record 23 were female" if explained == printed else "no single slip explains it"
    return [
        same(
            "Figure 1, right",
            "risk by decade of records 6, 20, 23, 25",
            printed,
            found,
            slip,
            proof={"records of the same sex and decade": {str(i): same_as for i, same_as in alike.items()}},
        ),
        same(
            "Figure 1, right",
            "risk by decade of the other 23 records, as if record 23 were female and as it is",
            _risks(moved),
            _risks(risks),
            "the slip reaches further than the four records",
        ),
        same(
            "Figure 1, right",
            "men born in the sixties",
            "2, 10, 11, 13, 14, 17, 22, 27",
            ", ".join(str(i + 1) for i in range(27) if SEX[i] == "M" and YEARS[i] // 10 == 196),
            "counted in the printed records",
        ),
        same(
            "Figure 1, right",
            "their years of birth",
            "1960-1959",
            "1960-1969",
            "a slip in the label",
            proof={
                "years of the eight records": [
                    y for s, y in zip(SEX, YEARS, strict=True) if s == "M" and y // 10 == 196
                ]
            },
        ),
    ]


def _risks(found: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """How many of the records whose printed risks agree have each risk."""
    others = [f"{risk:.2f}" for i, risk in enumerate(found, 1) if i not in PRINTED_DECADE]
    return ", ".join(f"{risk} of {others.count(risk)}" for risk in sorted(set(others)))


def keys(sex: str, years: int) -> list[str]:
    """Sex and the span of so many years of each record."""
    return [f"{s}{y // years}" for s, y in zip(sex, YEARS, strict=True)]


def lonely(sex: str, years: int) -> set[str]:
    """The keys that one record has."""
    found = keys(sex, years)
    return {key for key in found if found.count(key) == 1}


def class_sizes(keys: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each record, how many share its key."""
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[inverse]


def fish_context(rows: Sequence[str] = ("CSR", "CR", "R", "CS", "CS")) -> Context:
    """The five fish of Figure 2; only the eel, who lives everywhere, has a name."""
    named = zip(("eel", "f2", "f3", "f4", "f5"), rows, strict=True)
    return Context.of({k: [FISH[x] for x in row] for k, row in named}, attributes=list(FISH.values()))


def fish() -> list[Line]:
    """Figure 2 and Table 1: the context that the printed confidences force, and rules with confidence and support."""
    context = fish_context()
    lattice = concept_lattice(context)
    size, forced = f"{len(lattice)} concepts, {lattice.edges} covers", forced_contexts()
    lines = [
        Line(
            "Figure 2",
            "contexts of five fish, one living everywhere, with the confidences of Table 1",
            "1 context",
            f"{len(forced)} of 330: {'; '.join(', '.join(row or '{}' for row in rows) for rows in forced)}",
            AGREES if len(forced) == 1 else UNTOLD,
            f"so the table fixes the figure: {size}",
        )
    ]
    rules = all_rules(context)
    lines += [_table_1(context, rules, row) for row in TABLE_1]
    half = luxenburger_basis(context, confidence=0.5, support=0.4)
    lines += [
        same(
            "Table 1",
            "L(1/2, 2/5), inexact rules",
            "; ".join(_arrow(rules[p, c]) for p, c, _, _ in TABLE_1[1:]),
            "; ".join(_arrow(rule) for rule in half.inexact),
            "Coast -> River is missing in print; Coast, River -> Sea has support 1/5 and does not belong",
            proof={
                "Coast -> River": numbers(rules["C", "R"], context),
                "Coast, River -> Sea": numbers(rules["CR", "S"], context),
            },
        ),
        same(
            "Table 1",
            "L(.8, 1), inexact rules: those printed with confidence from .8 and support 1",
            "; ".join(
                _arrow(rules[p, c]) for p, c, conf, supp in TABLE_1 if Fraction(conf) < 1 and supp == "1"
            ),
            "; ".join(
                _arrow(rule) for rule in luxenburger_basis(context, confidence=0.8, support=1.0).inexact
            )
            or "none",
            "{} -> Coast has support 4/5; printed is that of its premise. What is left is the stem basis, "
            "Sea -> Coast, which belongs by convention whatever its support (3/5)",
            proof={"{} -> Coast": numbers(rules["", "C"], context)},
        ),
    ]
    return lines


def forced_contexts() -> list[tuple[str, ...]]:
    """All choices of four more fish under which the printed rules have the printed confidences."""
    kinds = ("", "C", "S", "R", "CS", "CR", "SR", "CSR")
    found: list[tuple[str, ...]] = []
    for others in combinations_with_replacement(kinds, 4):
        rows = [set(row) for row in ("CSR", *others)]
        if all(_confidence(rows, p, c) == Fraction(conf) for p, c, conf, _ in TABLE_1):
            found.append(("CSR", *others))
    return found


def _confidence(rows: list[set[str]], premise: str, conclusion: str) -> Fraction | None:
    having = [row for row in rows if row >= set(premise)]
    return Fraction(sum(row >= set(conclusion) for row in having), len(having)) if having else None


def all_rules(context: Context) -> dict[tuple[str, str], Rule]:
    """The rules of both bases by the letters of premise and conclusion."""
    every = luxenburger_basis(context, confidence=0.0)
    letter = {name: x for x, name in FISH.items()}
    return {
        ("".join(sorted(letter[x] for x in r.premise)), "".join(letter[x] for x in r.conclusion)): r
        for r in (*every.exact, *every.inexact)
    }


def _table_1(context: Context, rules: dict[tuple[str, str], Rule], row: tuple[str, str, str, str]) -> Line:
    premise, conclusion, confidence, support = row
    rule = rules[premise, conclusion]
    both, alone = rule.support or 0, rule.premise_support or 1
    found = f"{Fraction(both, alone)}, {Fraction(both, context.size)}"
    remark = "the confidence is right, the support is not"
    if Fraction(support) == Fraction(alone, context.size):
        remark += ": printed is the support of the premise alone, which does not fit the other rows either"
    printed = f"{confidence}, {support}"
    what = f"{_arrow(rule)}: confidence, support"
    return same("Table 1", what, printed, found, remark, proof=numbers(rule, context))


def numbers(rule: Rule, context: Context) -> dict[str, int]:
    """How many of the fish that the printed confidences leave have a premise, and how many the whole rule."""
    return {
        "fish": context.size,
        "have the premise": rule.premise_support or 0,
        "have both": rule.support or 0,
    }


def _arrow(rule: Rule) -> str:
    return f"{', '.join(rule.premise) or '{}'} -> {', '.join(rule.conclusion)}"


def living_context() -> Context:
    """The five living beings of Figure 3."""
    full = {"W": "Need Water", "A": "Aquatic", "M": "Mobility", "L": "Legs"}
    rows = {"Cat": "WML", "Leech": "WAM", "Frog": "WAML", "Corn": "W", "Fish": "WAM"}
    return Context.of({k: [full[x] for x in r] for k, r in rows.items()}, attributes=list(full.values()))


def live_beings() -> list[Line]:
    """Figure 3: the stem basis of five living things."""
    rules = sorted(str(rule) for rule in stem_basis(living_context()))
    printed = (
        "Need Water, Aquatic (3) -> Mobility; Need Water, Legs (2) -> Mobility; anyone (5) -> Need Water"
    )
    return [
        same("Figure 3", "stem basis", printed, "; ".join(rules), "computed from the printed cross table")
    ]
