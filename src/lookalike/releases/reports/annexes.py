"""What four bodies ask of whoever releases data about people, answered in their own terms from the same evidence.

WP216: Article 29 Working Party, opinion 05/2014. EMA policy 0070 and Health Canada's PRCI: a technique, an initial and
a residual risk. HIPAA: expert determination, 45 CFR 164.514(b)(1). EHDS: regulation (EU) 2025/327, article 66. Facts,
never a conclusion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.base.errors import percent
from lookalike.releases.reports.evidence import average_risk
from lookalike.releases.reports.page import Markup, section, table

Part = Mapping[str, Any]
_THREATS = {
    "singling out": "Can somebody be singled out?",
    "linkability": "Can records about somebody be linked?",
    "inference": "Can something be inferred about somebody?",
}


def wp216(after: Part, attacks: Sequence[Part]) -> Markup:
    """Three questions, each with what was measured."""
    rows = []
    for threat, question in _THREATS.items():
        found = [a for a in attacks if a["threat"] == threat]
        worst = max(found, key=lambda a: a["rate"] - a["baseline"], default=None)
        if threat == "singling out" and worst is None:
            answer = f"By the quasi-identifiers, everybody shares a class of at least {after['k']:,}."
        elif worst is None:
            answer = "Not measured: run the attacks on this release."
        else:
            answer = f"{len(found)} attacks tried; furthest above its baseline: {worst['name']}. {worst['verdict']}"
        rows.append((question, answer))
    return section("Annex: the three questions of WP216", table(("Question", "What was found"), rows))


def clinical(after: Part, before: Part, words: Mapping[str, str]) -> Markup:
    """Technique per variable, initial risk, threshold, residual risk, as EMA policy 0070 and Health Canada ask."""
    rows = [
        (c["name"], words.get(c["name"]) or c["treatment"])
        for c in after["columns"]
        if c["role"] in ("quasi", "identifier")
    ]
    numbers = [
        ("Initial risk, highest", f"{1 / max(before['k'], 1):.4f}"),
        ("Initial risk, average", average_risk(before)),
        ("Threshold in most cases", "0.09 (a group of 11)"),
        ("Residual risk, highest", f"{1 / max(after['k'], 1):.4f}"),
        ("Residual risk, average", average_risk(after)),
    ]
    return section(
        "Annex: EMA policy 0070 and Health Canada",
        table(("Variable", "Technique"), rows),
        table(("Measure", "Value"), numbers, numbers=(1,)),
    )


def hipaa(after: Part, before: Part) -> Markup:
    """What an expert documents; the expert decides."""
    rows = [
        ("Methods", f"{after['method']}; promises: {', '.join(p['text'] for p in after['promises'])}"),
        (
            "Results",
            f"smallest group {after['k']:,}, average risk {average_risk(after)}, "
            f"{percent(1 - before['loss'])} of the detail kept",
        ),
        ("Anticipated recipient", "to be named by the expert"),
        ("Determination that the risk is very small", "for the expert to make and sign"),
    ]
    return section("Annex: HIPAA expert determination", table(("Asked", "Here"), rows))


def ehds(after: Part) -> Markup:
    """Anonymised unless justified: in which form the data are made available."""
    names = ", ".join(c["name"] for c in after["columns"] if c["treatment"] == "pseudonymise")
    form = (
        f"pseudonymised in {names}: a reason is needed" if names else "no pseudonyms, no direct identifiers"
    )
    rows = [
        ("Form of the data", form),
        ("Why not less", "to be justified by the data holder where a finer form is asked for"),
    ]
    return section("Annex: European Health Data Space, article 66", table(("Asked", "Here"), rows))
