"""The numbers of a risk in plain words, for people who never heard of k-anonymity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.base.errors import amount, percent
from lookalike.measures.risks.population import COUNTED

if TYPE_CHECKING:
    from lookalike.measures.risks.classical import Risk

DISCLAIMER = "These are measurements. Whether the table may be shared is for a person to decide."


def put_into_words(risk: Risk) -> str:
    """A few sentences: who stands out, what an attacker achieves, how that compares with thresholds in use."""
    return "\n".join(
        [
            *sentences(risk),
            *(f"{link}." for link in risk.linked),
            "",
            *(f"{r.regime}: {r.text} [{r.source}]" for r in risk.readings),
            "",
            DISCLAIMER,
        ]
    )


def sentences(risk: Risk) -> list[str]:
    """The findings, one sentence each."""
    rows = risk.source.records
    who = amount(risk.people, "person", "people")
    if risk.people != rows:
        who += f" in {amount(rows, 'record')}"
    lines = [
        f"{who} {'is' if risk.people == 1 else 'are'} told apart by {_list(risk.quasi)}.",
        f"The smallest group of people who look alike has {risk.k} (k = {risk.k}); "
        f"groups have {risk.k_mean:.3g} on average.",
        f"{risk.uniques:,} ({percent(risk.uniques / max(risk.people, 1))}) look like nobody else.",
        f"Somebody who knows these columns about a person in the table picks the right record with chance "
        f"{risk.max:.3g} at worst and {risk.average:.3g} on average; "
        f"{percent(risk.above)} of the people are above {risk.threshold:g}.",
    ]
    if risk.journalist is not None:
        lines.append(
            f"Somebody who does not know whether the person is in the table: {risk.journalist.max:.3g} at worst, "
            f"{risk.journalist.average:.3g} on average, by {risk.journalist.basis}."
        )
    if risk.population is not None:
        counted = risk.population.chosen == COUNTED
        how = COUNTED if counted else f"Dankar's rule, here: {risk.population.chosen}"
        lines.append(
            f"Of the whole population {'' if counted else 'an estimated '}{percent(risk.population.dankar)} are unique "
            f"by these columns ({how}); a unique match is right with chance {risk.population.correct_match:.3g}."
        )
    lines += [
        f"{one.column}: classes have at least {one.l_min} different value{'s' if one.l_min != 1 else ''}; "
        f"{percent(one.homogeneous)} of the people are in classes where everybody has the same one; "
        f"the class least like the table is {one.t_max:.3g} away from it ({one.distance} distance)."
        for one in risk.attributes
    ]
    meaning = (
        "A missing value or a star counts as a value of its own: two records look alike only where both have it."
        if risk.missing == "value"
        else "A missing value or a star matches every value: k is the number of records a record may be confused with."
    )
    return [*lines, meaning]


def _list(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
