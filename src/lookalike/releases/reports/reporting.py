"""`report`: one HTML file about a release, for the steward (internal) or for whoever receives it (recipient)."""

from __future__ import annotations

from lookalike.releases.reports import annexes, sections
from lookalike.releases.reports.evidence import Evidence
from lookalike.releases.reports.page import page


def recipient(evidence: Evidence) -> str:
    """The report that goes out: made of what the release and its certificate tell, and of nothing else."""
    after = evidence.release
    return page(
        "About this release",
        "What was promised, what was done to the columns, and what is not promised.",
        (
            sections.overview(after, None),
            sections.columns(after, {}),
            sections.identifiability(after, None),
            sections.limits(),
        ),
    )


def internal(evidence: Evidence) -> str:
    """The report that stays: what was found before and after, what it cost, what is left, and where a person signs."""
    after, before = evidence.release, evidence.original
    if before is None:
        return recipient(evidence)
    words = {
        entry["column"]: entry["text"].removeprefix(f"{entry['column']}: ") for entry in before["columns"]
    }
    return page(
        "Report on a release",
        "Internal: this file tells about the original table. It does not go out.",
        (
            sections.overview(after, before),
            sections.columns(after, words),
            sections.identifiability(after, before),
            sections.losses(after, before),
            sections.questions(evidence.questions),
            sections.attacks(evidence.attacks, evidence.untried),
            sections.choice(evidence.choice),
            sections.limits(),
            sections.governance(evidence.signature),
            annexes.wp216(after, evidence.attacks),
            annexes.clinical(after, before, words),
            annexes.hipaa(after, before),
            annexes.ehds(after),
        ),
    )
