"""Tables 2 and 3, the choice of k and the remaining risks: what the print says by itself, and the spread of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookalike.measures.utility.questions.question import Verdict
from lookalike.measures.utility.questions.ranking import judge_ranking
from lookalike.measures.utility.questions.two_sample import judge_decisions
from lookalike.papers.comparison import OURS, UNTOLD, Line, outcomes, over_seeds, same
from lookalike.papers.dei.printed import (
    CHOSEN_K,
    DROPPED_K,
    ENTROPY_RATIO,
    IMPACT_FROM,
    NOT_PUBLIC,
    P_VALUES,
    SHARES,
)
from lookalike.papers.dei.study import FIRST, JOINT, SECOND, THIRD, SeededStudy

#: the occupations behind the numbers of Table 3, by the names of the invented people
OCCUPATIONS = {
    "1": "managers",
    "2": "professional",
    "3": "associate professional",
    "4 and 5": "administrative or skilled trades",
    "6 and 7": "caring and leisure or sales",
    "8 and 9": "machine operatives or elementary",
    "10": "none",
}
NAMES = {FIRST: "1", SECOND: "2"}


def study_lines(runs: Sequence[SeededStudy]) -> list[Line]:
    """Printed beside computed."""
    return [*table_2(runs), *table_3(runs), *choice(runs), *risks(runs)]


def printed_ranking() -> Verdict:
    """What Table 2 alone says, by the study's rule: at least two of the first three regions stay."""
    sides = [{name: both[i] for name, both in SHARES.items()} for i in (0, 1)]
    return judge_ranking(sides[0], sides[1], top=3, keep=2)


def printed_decisions(alpha: float = 0.05, *, tests: int = 1) -> Verdict:
    """What Table 3 alone says: whether decisions at a level agree; `tests` divides the level (Bonferroni)."""
    sides = [{name: both[i] < alpha / tests for name, both in P_VALUES.items()} for i in (0, 1)]
    return judge_decisions(sides[0], sides[1], alpha)


def table_2(runs: Sequence[SeededStudy]) -> list[Line]:
    """The shares of lower education by region, before and after."""
    told = printed_ranking().summary
    answers = [one.at_nine[FIRST] for one in runs if FIRST in one.at_nine]
    both = [{change.name: (change.before, change.after) for change in one.changes} for one in answers]
    shifts = ", ".join(
        _range([one.summary[what] for one in answers], "{:.3f}")
        for what in ("tau", "largest shift", "mean shift")
    )
    return [
        same(
            "Table 2",
            "first three regions that stay, from the print",
            2,
            told["overlap"],
            "counted in the printed table",
        ),
        Line(
            "Table 2",
            "Kendall's tau, largest and mean shift, from the print",
            "(not printed)",
            f"{told['tau']:.3f}, {told['largest shift']:.3f}, {told['mean shift']:.3f}",
            OURS,
            "the rule holds, and yet shares move by up to .18: dropping classes is selective",
        ),
        *(
            _pair(
                "Table 2", f"lower education, {name}", SHARES[name], [one.get(name) for one in both], "{:.4f}"
            )
            for name in SHARES
        ),
        outcomes(
            "Table 2",
            "first three regions that stay, ours",
            "2",
            [str(one.summary["overlap"]) for one in answers],
            f"tau, largest and mean shift: {shifts}",
        ),
    ]


def table_3(runs: Sequence[SeededStudy]) -> list[Line]:
    """The p-values by occupation, before and after."""
    at_5, at_10 = printed_decisions(), printed_decisions(0.10)
    corrected = printed_decisions(tests=len(P_VALUES))
    significant = sum(p < 0.05 / len(P_VALUES) for both in P_VALUES.values() for p in both)
    answers = [one.at_nine[SECOND] for one in runs if SECOND in one.at_nine]
    sides = [
        [{test["group"]: test for test in side["tests"]} for side in (one.before, one.after)]
        for one in answers
    ]
    effects = "; ".join(f"{number} {_effect(sides[0], group)}" for number, group in OCCUPATIONS.items())
    return [
        same(
            "Table 3",
            "decisions that agree at .05, from the print",
            "7 of 7",
            f"{at_5.summary['agree']} of 7",
            "counted in the printed table",
        ),
        Line(
            "Table 3",
            "the same at .10, and after Bonferroni",
            "(not printed)",
            f"{at_10.summary['agree']} of 7; {corrected.summary['agree']} of 7",
            OURS,
            f"after Bonferroni {significant} of 14 tests are significant",
        ),
        *(
            _pair(
                "Table 3",
                f"occupation {number}, {OCCUPATIONS[number]}: p",
                printed,
                [_p_values(one, OCCUPATIONS[number]) for one in sides],
                "{:.3f}",
            )
            for number, printed in P_VALUES.items()
        ),
        Line("Table 3", "effect sizes by occupation, of the first seed", "(not printed)", effects, OURS),
        outcomes(
            "Table 3",
            "decisions that agree, ours",
            "7 of 7",
            [f"{one.summary['agree']} of {one.summary['of']}" for one in answers],
            NOT_PUBLIC,
        ),
    ]


def _p_values(sides: Sequence[dict[str, Any]], group: str) -> tuple[float, float] | None:
    before, after = (side.get(group) for side in sides)
    return None if before is None or after is None else (before["p"], after["p"])


def _effect(sides: Sequence[dict[str, Any]], group: str) -> str:
    return " → ".join(
        f"{one['effect']:.3f} [{one['effect_low']:.3f}, {one['effect_high']:.3f}]" if one else "too few"
        for one in (side.get(group) for side in sides)
    )


def _pair(
    where: str,
    what: str,
    printed: tuple[float, float],
    found: Sequence[tuple[float, float] | None],
    show: str,
) -> Line:
    """Before and after, over the seeds in which both are there."""
    values = [one for one in found if one is not None and all(value == value for value in one)]
    if len(values) < 2:
        told = " → ".join(map(show.format, printed))
        return Line(where, what, told, "too few people", UNTOLD, NOT_PUBLIC)
    return over_seeds(where, what, printed, values, NOT_PUBLIC, template="{} → {}", show=show)


def choice(runs: Sequence[SeededStudy]) -> list[Line]:
    """Impact by k, the k chosen, and the ratio of entropies."""
    out = []
    for i, k in enumerate(DROPPED_K):
        impacts = [
            sorted(NAMES[name] for name in one.chosen.table[i].impacted if name in NAMES) for one in runs
        ]
        said = "N" if k < IMPACT_FROM else "Y (2)"
        found = [f"Y ({', '.join(names)})" if names else "N" for names in impacts]
        what = f"significant impact at k = {k}, on which use cases"
        out.append(outcomes("Table 1", what, said, found, NOT_PUBLIC))
    calm = [k for k in DROPPED_K if k < IMPACT_FROM]
    ratios = [
        _range([one.at_nine[name].summary["ratio"] for one in runs if name in one.at_nine], "{:.3f}")
        for name in (THIRD, JOINT)
    ]
    return [
        *out,
        same(
            "Section 5",
            "k chosen: the last before the first impact in Table 1, from the print",
            CHOSEN_K,
            calm[-1],
            "the rule gives another k",
        ),
        outcomes(
            "Section 5",
            "k chosen",
            str(CHOSEN_K),
            ["none" if one.chosen.k is None else str(one.chosen.k) for one in runs],
            NOT_PUBLIC,
        ),
        Line(
            "Section 5",
            "entropy ratio at k = 9",
            str(ENTROPY_RATIO),
            f"sum {ratios[0]}, joint {ratios[1]}",
            UNTOLD,
            "neither formula nor columns are printed; here the seven quasi-identifiers",
        ),
    ]


def risks(runs: Sequence[SeededStudy]) -> list[Line]:
    """What attackers still learn of the release at k = 9."""
    out = []
    for each in zip(*(one.attacks.results for one in runs), strict=True):
        rates, naive = (
            _range(values, "{:.1%}")
            for values in zip(*((one.rate, one.baseline) for one in each), strict=True)
        )
        computed = f"{rates}, {naive} without it"
        out.append(Line("Section 7", f"remaining risk: {each[0].title}", "(described)", computed, OURS))
    return out


def _range(values: Sequence[float], show: str) -> str:
    low, high = show.format(min(values)), show.format(max(values))
    return low if low == high else f"{low} to {high}"
