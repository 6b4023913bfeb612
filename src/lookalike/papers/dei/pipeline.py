"""The first half of the de-identification study: its steps, Figure 1 and Table 1, on invented people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import lookalike as la
from lookalike.anonymizers.deidentification import Deidentification
from lookalike.base.errors import MissingExtra
from lookalike.papers.comparison import AGREES, CONTRADICTS, OURS, Line, over_seeds, same
from lookalike.papers.dei.printed import (
    CLASSES,
    DROPPED_K,
    DROPPED_L,
    DROPPED_L_IN_TEXT,
    NOT_PUBLIC,
    PLAIN_AT_9,
    STEPS,
    class_sizes,
)

QUASI = ["area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation"]
LEVELS = {name: 1 for name in STEPS if name}
NEGATIVE = {"on_benefits": "yes", "home_ownership": "no"}
LEFT_OUT = ["dob", "postcode"]


def pipeline(n: int, seed: int) -> Deidentification:
    """The study's pipeline at k = 9 on invented people."""
    people = la.table(
        la.datasets.population(n, seed),
        identifiers=["name"],
        quasi=QUASI,
        sensitive=["income", "on_benefits", "home_ownership", "credit_score"],
        others=["postcode", "dob"],
        hierarchies={name: la.Hierarchy.groups(g) for name, g in la.datasets.population_groupings().items()},
    )
    return la.deidentify(
        people, levels=LEVELS, k=9, negative=NEGATIVE, drop=LEFT_OUT, ks=list(DROPPED_K), seed=seed
    )


def pipeline_lines(runs: Sequence[Deidentification]) -> list[Line]:
    """Printed beside the range over seeds; and what the print says about itself."""
    steps = list(zip(*(one.steps for one in runs), strict=True))
    costs = list(zip(*(one.costs for one in runs), strict=True))
    counted = class_sizes()
    out = []
    for each in steps:
        name = f"after {each[0].name}" if each[0].name else "columns left out only"
        values = [(step.classes, step.uniques) for step in each]
        template = "{} classes, {} unique"
        out.append(over_seeds("Steps", name, STEPS[each[0].name], values, NOT_PUBLIC, template=template))
    for each in steps:
        last = each is steps[-1]
        bars = list(counted.values()) if last else [STEPS[each[0].name][1]]
        name = f"classes of 1{f' to {len(bars)}' if last else ''} people after {each[0].name or 'nothing'}"
        shown = [list(step.sizes.values())[: len(bars)] for step in each]
        template = "; ".join(["{}"] * len(bars))
        out.append(over_seeds("Figure 1", name, bars, shown, NOT_PUBLIC, template=template))
    for at_k in costs:
        k = at_k[0].k
        values = [(cost.dropped_k, cost.dropped_directional) for cost in at_k]
        template = "{} to k, {} to directional diversity"
        what = f"records lost at k = {k}"
        out.append(
            over_seeds("Table 1", what, (DROPPED_K[k], DROPPED_L[k]), values, NOT_PUBLIC, template=template)
        )
    at_nine = next(at_k for at_k in costs if at_k[0].k == 9)
    plain = [[cost.dropped_plain] for cost in at_nine]
    what = "records lost at k = 9 to plain 2-diversity"
    out.append(over_seeds("Section 5", what, [PLAIN_AT_9], plain, NOT_PUBLIC, template="{}"))
    return [*out, *print_alone()]


def print_alone() -> list[Line]:
    """What the printed steps and Table 1 say about themselves and each other."""
    steps, counted = list(STEPS.values()), class_sizes()
    falling = all(a >= b for one, two in pairwise(steps) for a, b in zip(one, two, strict=True))
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
            f"{DROPPED_K[2]:,}",
            f"{steps[-1][1]:,}",
            "the table and the steps say otherwise",
        ),
        Line(
            "Table 1",
            "classes of 1 to 10 people that follow from the records lost",
            "whole numbers",
            "; ".join(f"{n:,}" for n in counted.values()),
            AGREES,
            f"the other {CLASSES - sum(counted.values()):,} of {CLASSES:,} have 11 or more",
        ),
        Line(
            "Section 5",
            "records lost to diversity at k = 9",
            f"{DROPPED_L_IN_TEXT:,}",
            f"{DROPPED_L[9]:,}",
            CONTRADICTS,
            "a slip: computed is what the study's own Table 1 says",
            proof={"text": DROPPED_L_IN_TEXT, "Table 1": DROPPED_L[9]},
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
