"""The de-identification case study (Hemmati, de Jong, Ang and Ng): steps, Figure 1, Tables 1 to 3, the k chosen, risks.

The study's table is not public, so the pipeline runs on the synthetic population; its printed numbers stand beside
ours. What can be checked without the data is checked: the arithmetic of Table 1, and what Tables 2 and 3 say.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import lookalike as la
from lookalike.anonymizers.deidentification import Deidentification
from lookalike.base.errors import MissingExtra
from lookalike.papers.comparison import AGREES, DIFFERS, OURS, WRONG, Line, keep, same, show
from lookalike.papers.dei_study import NOT_PUBLIC, PRINTED_P, PRINTED_SHARES, ChoiceStudy, study
from lookalike.papers.dei_study import lines as study_lines
from lookalike.tables.table import Table

QUASI = ["area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation"]
#: the study's order of generalisation, with the classes and unique records it prints after each step
PRINTED_STEPS = {
    "": (97_358, 95_426),
    "area": (81_432, 71_623),
    "age": (39_622, 21_572),
    "marital_status": (36_850, 18_455),
    "num_children": (22_472, 7_485),
    "qualifications": (12_827, 3_489),
    "occupation": (9_911, 2_561),
}
PRINTED_K = dict(zip(range(2, 12), (2561, 4925, 6911, 8751, 10761, 12723, 14767, 17039, 19658, 22428)))
PRINTED_L = dict(zip(range(2, 12), (6852, 6294, 5949, 5681, 5351, 5074, 4683, 4185, 3844, 3434)))
PRINTED_CLASSES = 9_911
PRINTED_PLAIN_AT_9 = 49_353
NEGATIVE = {"on_benefits": "yes", "home_ownership": "no"}
DROPPED = ["dob", "postcode"]


def run(
    *,
    output: Path | None = None,
    full: bool = False,
    seed: int = 0,
    json: bool = False,
    folder: Path | None = None,
) -> dict[str, Any]:
    """Run the pipeline on the synthetic population and print it beside the study's numbers."""
    found, used = _measured(seed)
    told = _told(found, used, output)
    result = {
        "computed": {**found.to_dict(), **used.to_dict()},
        "printed": {
            "steps": PRINTED_STEPS,
            "dropped_k": PRINTED_K,
            "dropped_l": PRINTED_L,
            "class_sizes": printed_class_sizes(),
            "table2": PRINTED_SHARES,
            "table3": PRINTED_P,
        },
        "lines": [asdict(line) for line in told],
    }
    if json:
        from lookalike.cli._json import print_json

        print_json(result)
    else:
        show(told, f"De-identification case study, on {len(_people(found)):,} synthetic people")
    if output is not None and not json:
        print(f"\nThe results are in {output}.")
    return result


def lines(*, output: Path | None, full: bool, seed: int, folder: Path | None, shown: bool) -> list[Line]:
    """Every comparison, on the synthetic population; no data set is needed."""
    return _told(*_measured(seed), output)


def _measured(seed: int) -> tuple[Deidentification, ChoiceStudy]:
    found = pipeline(100_000, seed)
    levels = {name: 1 for name in PRINTED_STEPS if name}
    return found, study(
        _people(found), found.release, levels=levels, negative=NEGATIVE, drop=DROPPED, seed=seed
    )


def _people(found: Deidentification) -> Table:
    assert found.release is not None
    return found.release.people


def _told(found: Deidentification, used: ChoiceStudy, output: Path | None) -> list[Line]:
    """Every comparison, written with the tables and figures where a folder is given."""
    told = keep(
        [*pipeline_lines(found), *study_lines(used, _people(found))],
        paper="dei",
        output=output,
        opening="" if output is None else page(found, used, _people(found)) + "\n\n",
    )
    if output is not None:
        figure_1(found).save(str(output / "dei-figure-1.svg"))
        used.chosen.save(output / "dei-k.svg")
    return told


def pipeline(n: int, seed: int) -> Deidentification:
    """The study's pipeline at k = 9 on a synthetic population."""
    people = la.table(
        la.datasets.population(n, seed),
        identifiers=["name"],
        quasi=QUASI,
        sensitive=["income", "on_benefits", "home_ownership", "credit_score"],
        others=["postcode", "dob"],
        hierarchies={name: la.Hierarchy.groups(g) for name, g in la.datasets.population_groupings().items()},
    )
    levels = {name: 1 for name in PRINTED_STEPS if name}
    return la.deidentify(
        people, levels=levels, k=9, negative=NEGATIVE, drop=DROPPED, ks=list(PRINTED_K), seed=seed
    )


def printed_class_sizes() -> dict[int, int]:
    """Classes of each size 1 to 10 that follow from the printed Table 1.

    Raising k by one drops the classes of size k-1, so every increment of "dropped for k" must be divisible by k-1.
    """
    sizes = {1: PRINTED_K[2]}
    for (_, before), (k, after) in pairwise(PRINTED_K.items()):
        classes, rest = divmod(after - before, k - 1)
        if rest:
            raise ArithmeticError(f"the printed increment at k={k} is not a multiple of {k - 1}")
        sizes[k - 1] = classes
    return sizes


def pipeline_lines(found: Deidentification) -> list[Line]:
    """Printed beside computed. The people differ, so their numbers do; what the print says about itself can agree."""
    out = []
    for step in found.steps:
        classes, uniques = PRINTED_STEPS[step.name]
        printed, computed = (
            f"{a:,} classes, {b:,} unique" for a, b in ((classes, uniques), (step.classes, step.uniques))
        )
        name = f"after {step.name}" if step.name else "columns left out only"
        out.append(Line("Steps", name, printed, computed, DIFFERS, NOT_PUBLIC))
    counted = printed_class_sizes()
    for step in found.steps:
        sizes = "; ".join(f"{n:,}" for n in step.sizes.values())
        name = f"classes of {min(step.sizes)} to {max(step.sizes)} people after {step.name or 'nothing'}"
        last = step.name == found.steps[-1].name
        bars = counted.values() if last else [PRINTED_STEPS[step.name][1]]
        printed = "; ".join(f"{n:,}" for n in bars) + " by Steps and Table 1; the rest is a picture"
        out.append(Line("Figure 1", name, printed, sizes, DIFFERS, NOT_PUBLIC))
    for cost in found.costs:
        printed = f"{PRINTED_K[cost.k]:,} to k, {PRINTED_L[cost.k]:,} to directional diversity"
        computed = f"{cost.dropped_k:,} to k, {cost.dropped_directional:,} to directional diversity"
        if cost.k == 9:
            printed += f"; plain 2-diversity {PRINTED_PLAIN_AT_9:,}"
        computed += f"; plain 2-diversity {cost.dropped_plain:,}"
        out.append(Line("Table 1", f"records lost at k = {cost.k}", printed, computed, DIFFERS, NOT_PUBLIC))
    return [
        *out,
        *_print_alone(),
        Line(
            "Table 1",
            "classes of 1 to 10 people that follow from the records lost",
            "whole numbers",
            "; ".join(f"{n:,}" for n in counted.values()),
            AGREES,
            f"the other {PRINTED_CLASSES - sum(counted.values()):,} of {PRINTED_CLASSES:,} have 11 or more",
        ),
        Line(
            "Text",
            "records lost to diversity at k = 9",
            "4,195",
            f"{PRINTED_L[9]:,}",
            WRONG,
            "a slip: computed is what the study's own Table 1 says",
        ),
    ]


def _print_alone() -> list[Line]:
    """What the printed steps say about themselves and about Table 1."""
    steps = list(PRINTED_STEPS.values())
    falling = all(a >= b for one, two in pairwise(steps) for a, b in zip(one, two))
    classes, uniques = steps[0]
    return [
        same(
            "Steps",
            "classes and unique records never rise from step to step, from the print",
            "true",
            str(falling).lower(),
            "coarser values cannot make more classes",
        ),
        Line(
            "Steps",
            "fewest records that the first classes and unique ones allow, from the print",
            "(not printed)",
            f"{uniques + 2 * (classes - uniques):,}",
            OURS,
        ),
        same(
            "Table 1",
            "records lost at k = 2 are the unique ones after the last step, from the print",
            f"{PRINTED_K[2]:,}",
            f"{steps[-1][1]:,}",
            "the table and the steps contradict each other",
        ),
    ]


def figure_1(found: Deidentification) -> Any:
    """Figure 1: how many classes have 1 to 12 people after each step, as an altair chart."""
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingExtra("altair", "report", "drawing Figure 1") from None
    alt: Any = altair
    bars = [
        {"people in a class": size, "classes": n, "step": f"{i}. {step.name or 'columns left out'}"}
        for i, step in enumerate(found.steps)
        for size, n in step.sizes.items()
    ]
    return (
        alt.Chart(alt.Data(values=bars))
        .mark_bar()
        .encode(x="people in a class:O", y="classes:Q", facet=alt.Facet("step:N", columns=3, title=None))
        .resolve_scale(y="independent")
        .resolve_axis(x="independent")
        .properties(title="Figure 1: classes by size after each step")
    )


def page(found: Deidentification, used: ChoiceStudy, people: Table) -> str:
    """The tables as Markdown."""
    text = [
        "# De-identification case study: printed beside computed",
        "",
        f"Synthetic population, {len(people):,} people.",
        "",
    ]
    text += [
        "## Steps",
        "",
        "| step | classes printed | computed | unique printed | computed |",
        "|---|---:|---:|---:|---:|",
    ]
    for step in found.steps:
        classes, uniques = PRINTED_STEPS[step.name]
        name = step.name or "columns left out only"
        text.append(f"| {name} | {classes:,} | {step.classes:,} | {uniques:,} | {step.uniques:,} |")
    text += ["", "## Figure 1: classes of each size after each step", ""]
    for step in found.steps:
        most = max(step.sizes.values())
        text += [f"after {step.name or 'nothing'}", "```"]
        text += [f"{size:>3} {'#' * round(50 * n / most)} {n:,}" for size, n in step.sizes.items()]
        text += ["```", ""]
    text += [
        "## Table 1: records lost",
        "",
        "| k | to k, printed | computed | to directional diversity, printed | computed | plain 2-diversity |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for cost in found.costs:
        text.append(
            f"| {cost.k} | {PRINTED_K[cost.k]:,} | {cost.dropped_k:,} | {PRINTED_L[cost.k]:,} | "
            f"{cost.dropped_directional:,} | {cost.dropped_plain:,} |"
        )
    sizes = printed_class_sizes()
    text += [
        "",
        "## The arithmetic of the printed Table 1",
        "",
        "Each increment of the records lost to k divides by k - 1, as it must. Classes of size 1 to 10: "
        + ", ".join(f"{n:,}" for n in sizes.values())
        + f"; the other {PRINTED_CLASSES - sum(sizes.values()):,} of {PRINTED_CLASSES:,} have 11 or more.",
        f"The text says 4,195 records are lost to diversity at k = 9, the table says {PRINTED_L[9]:,}: a slip.",
        f"Plain 2-diversity would have cost {PRINTED_PLAIN_AT_9:,} records at k = 9 in the study.",
        "",
        "## Use cases, choice of k, pseudonym, remaining risks",
        "",
        "| where | what | printed | computed | verdict | remark |",
        "|---|---|---|---|---|---|",
        *(
            f"| {line.where} | {line.what} | {line.printed} | {line.computed} | {line.verdict} | {line.remark} |"
            for line in study_lines(used, people)
        ),
        "",
    ]
    return "\n".join(text)
