"""The second half of the de-identification study: use cases (Tables 2 and 3), the choice of k, pseudonyms, risks.

What is printed is checked by the same rules that judge our own releases; what needs the study's table, which is not
public, is computed on the synthetic population and stands beside the print.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from typing import Any

import polars as pl

import lookalike as la
from lookalike.measures.attacks.results import Attacks
from lookalike.measures.utility.questions.answers import Answer
from lookalike.measures.utility.questions.question import Verdict
from lookalike.measures.utility.questions.ranking import judge_ranking
from lookalike.measures.utility.questions.two_sample import judge_decisions
from lookalike.papers.comparison import AGREES, DIFFERS, OURS, UNCHECKED, WRONG, Line, same
from lookalike.tables.table import Table

#: Table 2: share of people on benefits with lower education, by region, in the study's original and release
PRINTED_SHARES = {
    "East Midlands": (0.809191, 0.955514),
    "West Midlands": (0.808411, 0.919218),
    "North East": (0.804627, 0.957627),
    "Yorkshire and the Humber": (0.80107, 0.885235),
    "Wales": (0.798287, 0.973846),
    "North West": (0.794777, 0.9087),
    "South West": (0.785903, 0.887486),
    "East of England": (0.767637, 0.936929),
    "South East": (0.743353, 0.795799),
    "London": (0.683931, 0.72681),
}
#: Table 3: p-values of income between men and women by occupation
PRINTED_P = {
    "1": (0.766, 0.172),
    "2": (0.698, 0.268),
    "3": (0.581, 0.784),
    "4 and 5": (0.029, 0.018),
    "6 and 7": (0.157, 0.067),
    "8 and 9": (0.982, 0.528),
    "10": (0.985, 0.359),
}
#: the occupations behind the numbers of Table 3, by the names of the synthetic population
OCCUPATIONS = {
    "1": "managers",
    "2": "professional",
    "3": "associate professional",
    "4 and 5": "administrative or skilled trades",
    "6 and 7": "caring and leisure or sales",
    "8 and 9": "machine operatives or elementary",
    "10": "none",
}
PRINTED_ENTROPY_RATIO = 0.683
NOT_PUBLIC = "the study's table is not public; computed is on a synthetic population"
PRINTED_K = 9
PRINTED_IMPACT = 10  #: the smallest k with a significant impact in Table 1, on the second use case
ATTACKS = ("homogeneity", "skewness", "gap inference")
FIRST, SECOND, THIRD = (
    "education of people on benefits by region",
    "gender and income by occupation",
    "entropy left",
)


@dataclass(frozen=True, eq=False)
class ChoiceStudy:
    """The choice of k on the synthetic population, the answers at the study's k, and what attackers still learn."""

    chosen: la.ChosenK
    at_nine: dict[str, Answer]
    attacks: Attacks

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "chosen": self.chosen.to_dict(),
            "remaining_risks": self.attacks.to_dict(),
        }


def questions(quasi: list[str]) -> list[la.Question]:
    """The study's use cases as questions, the third one by both readings of an entropy ratio."""
    return [
        la.Question(
            "ranking",
            name=FIRST,
            by="area",
            share={"qualifications": "lower"},
            among={"on_benefits": "yes"},
            top=3,
            keep=2,
        ),
        la.Question(
            "two-sample test", name=SECOND, of="income", between="gender", by="occupation", test="student"
        ),
        la.Question("entropy", name=THIRD, of=quasi, least=0),
        la.Question("entropy", name=f"{THIRD}, joint", of=quasi, joint=True, least=0),
    ]


def study(
    people: Table,
    release: Any,
    *,
    levels: dict[str, int],
    negative: dict[str, Any],
    drop: list[str],
    seed: int,
) -> ChoiceStudy:
    """Choose k as the study did, and attack the release at its k."""
    models = [la.DirectionalDiversity(name, value) for name, value in negative.items()]
    with warnings.catch_warnings():  # the choice is told with its notes
        warnings.simplefilter("ignore", la.LookalikeWarning)
        chosen = la.choose_k(
            people,
            *models,
            ks=range(2, 12),
            questions=questions(people.quasi),
            method="levels",
            levels=levels,
            suppression=1.0,
            drop=drop,
            seed=seed,
        )
    nine = next(one for one in chosen.table if one.k == PRINTED_K)
    attacks = la.attack(people, release, only=list(ATTACKS), seed=seed)
    return ChoiceStudy(chosen, {answer.question: answer for answer in nine.answers}, attacks)


def printed_ranking() -> Verdict:
    """What Table 2 alone says, by the study's rule: at least two of the first three regions stay."""
    sides = [{name: both[i] for name, both in PRINTED_SHARES.items()} for i in (0, 1)]
    return judge_ranking(sides[0], sides[1], top=3, keep=2)


def printed_decisions(alpha: float = 0.05, *, tests: int = 1) -> Verdict:
    """What Table 3 alone says: whether decisions at a level agree; `tests` divides the level (Bonferroni)."""
    sides = [{name: both[i] < alpha / tests for name, both in PRINTED_P.items()} for i in (0, 1)]
    return judge_decisions(sides[0], sides[1], alpha)


def study_pseudonym(name: str, postcode: str, salt: str) -> str:
    """The study's pseudonym: SHA3-256 of name, postcode and one constant salt, put together as they are."""
    return hashlib.sha3_256(f"{name}{postcode}{salt}".encode()).hexdigest()


def lines(found: ChoiceStudy, people: Table) -> list[Line]:
    """Printed beside computed."""
    return [*_table_2(found), *_table_3(found), *_choice(found), *pseudonyms(people), *_risks(found)]


def _table_2(found: ChoiceStudy) -> list[Line]:
    told = printed_ranking().summary
    ours = found.at_nine.get(FIRST)
    out = [
        Line(
            "Table 2",
            "first three regions that stay, from the print",
            "2",
            str(told["overlap"]),
            AGREES if told["overlap"] == 2 else WRONG,
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
    ]
    if ours is None:
        return out
    for change in ours.changes:
        old, new = PRINTED_SHARES.get(change.name, (float("nan"), float("nan")))
        computed = f"{change.before:.4f} → {change.after:.4f}"
        out.append(
            Line(
                "Table 2",
                f"lower education, {change.name}",
                f"{old:.4f} → {new:.4f}",
                computed,
                DIFFERS,
                NOT_PUBLIC,
            )
        )
    summary = ours.summary
    remark = f"tau {summary['tau']:.3f}, largest shift {summary['largest shift']:.3f}, mean {summary['mean shift']:.3f}"
    out.append(
        Line("Table 2", "first three regions that stay, ours", "2", str(summary["overlap"]), OURS, remark)
    )
    return out


def _table_3(found: ChoiceStudy) -> list[Line]:
    at_5, at_10, corrected = (
        printed_decisions(),
        printed_decisions(0.10),
        printed_decisions(tests=len(PRINTED_P)),
    )
    significant = sum(p < 0.05 / len(PRINTED_P) for both in PRINTED_P.values() for p in both)
    agree = at_5.summary["agree"]
    out = [
        Line(
            "Table 3",
            "decisions that agree at .05, from the print",
            "7 of 7",
            f"{agree} of 7",
            AGREES if agree == 7 else WRONG,
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
    ]
    ours = found.at_nine.get(SECOND)
    if ours is None:
        return out
    sides = [{test["group"]: test for test in side["tests"]} for side in (ours.before, ours.after)]
    for name, both in PRINTED_P.items():
        group = OCCUPATIONS[name]
        tests = [side.get(group) for side in sides]
        p = " → ".join("too few" if one is None else f"{one['p']:.3f}" for one in tests)
        effect = " → ".join(
            f"{one['effect']:.3f} [{one['effect_low']:.3f}, {one['effect_high']:.3f}]" for one in tests if one
        )
        out.append(
            Line(
                "Table 3",
                f"occupation {name}, {group}",
                f"p {both[0]:.3f} → {both[1]:.3f}",
                f"p {p}; d {effect}",
                DIFFERS,
                NOT_PUBLIC,
            )
        )
    agree, of = ours.summary["agree"], ours.summary["of"]
    out.append(Line("Table 3", "decisions that agree, ours", "7 of 7", f"{agree} of {of}", OURS))
    return out


def _choice(found: ChoiceStudy) -> list[Line]:
    out = []
    for one in found.chosen.table:
        said = "N" if one.k < PRINTED_IMPACT else "Y (use case 2)"
        alike = SECOND in one.impacted if one.k >= PRINTED_IMPACT else not one.impacted
        what, impact = f"significant impact at k = {one.k}", ", ".join(one.impacted) or "N"
        verdict = AGREES if alike else DIFFERS
        out.append(Line("Table 1", what, said, impact, verdict, NOT_PUBLIC))
    calm = [one.k for one in found.chosen.table if one.k < PRINTED_IMPACT]
    computed = "none" if found.chosen.k is None else str(found.chosen.k)
    out += [
        same(
            "Section 5",
            "k chosen: the last before the first impact in Table 1, from the print",
            PRINTED_K,
            calm[-1],
            "the rule gives another k",
        ),
        Line(
            "Section 5",
            "k chosen on the synthetic population",
            str(PRINTED_K),
            computed,
            AGREES if found.chosen.k == PRINTED_K else DIFFERS,
            "; ".join([NOT_PUBLIC, *found.chosen.warnings]),
        ),
    ]
    ratios = {
        name: answer.summary["ratio"] for name, answer in found.at_nine.items() if name.startswith(THIRD)
    }
    if ratios:
        shown = f"sum {ratios[THIRD]:.3f}, joint {ratios[f'{THIRD}, joint']:.3f}"
        remark = "the study gives no formula and no columns; here the seven quasi-identifiers"
        out.append(
            Line("Section 5", "entropy ratio at k = 9", str(PRINTED_ENTROPY_RATIO), shown, UNCHECKED, remark)
        )
    return out


def pseudonyms(people: Table) -> list[Line]:
    """The study's pseudonym is ambiguous and can be recomputed; the repair is neither."""
    two = pl.DataFrame({"name": ["Ann Lee", "Ann LeeA"], "postcode": ["AB1 2CD", "B1 2CD"]})
    theirs = _hashes(two)
    known = people.rows.select("name", "postcode").head(1000)
    sides = {}
    for name, rows in (("two", two), ("known", known)):
        table = la.table(rows, identifiers=["name", "postcode"])
        sides[name] = la.pseudonymise(table, ["name", "postcode"], key=la.Key(bytes(range(32)))).values
    found, guessed = (
        sum(one in set(made) for one in _hashes(known)) for made in (_hashes(known), sides["known"])
    )
    return [
        Line(
            "Pseudonym",
            "pseudonyms of two people whose name and postcode read the same when joined",
            "2 (unique)",
            str(len(set(theirs))),
            AGREES if len(set(theirs)) == 2 else WRONG,
            "joined without lengths, Ann Lee + AB1 2CD is Ann LeeA + B1 2CD",
        ),
        Line(
            "Pseudonym",
            f"found by whoever knows name, postcode and the printed salt, of {known.height:,}",
            "0",
            f"{found:,}",
            AGREES if found == 0 else WRONG,
            "the salt is printed in the report, so two facts find a row, whatever k is",
        ),
        Line(
            "Pseudonym",
            "repair: HMAC-SHA3-256 with a secret key over fields with their lengths",
            OURS,
            f"{len(set(sides['two']))} for the two people; {guessed} of {known.height:,} found without the key",
            OURS,
            "and by default no pseudonym at all",
        ),
    ]


def _hashes(rows: pl.DataFrame) -> list[str]:
    """What the study publishes for these people, and what anybody who knows its salt computes."""
    return [
        study_pseudonym(name, postcode, "s") for name, postcode in rows.select("name", "postcode").iter_rows()
    ]


def _risks(found: ChoiceStudy) -> list[Line]:
    out = []
    for one in found.attacks.results:
        computed = f"{one.rate:.1%} [{one.low:.1%}, {one.high:.1%}], {one.baseline:.1%} without it"
        out.append(Line("Section 6", f"remaining risk: {one.title}", "(described)", computed, OURS))
    return out
