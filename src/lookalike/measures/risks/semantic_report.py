"""Semantic risk in words: who is at risk and why, what dropping a column buys, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lookalike.base.errors import amount, percent
from lookalike.fca.implications import Rule

if TYPE_CHECKING:
    from lookalike.measures.risks.semantic import SemanticRisk

RULES = 5  # rules a report shows


@dataclass(frozen=True)
class RiskyGroup:
    """People with the same attributes who are above the threshold, and the reason in words."""

    rows: tuple[int, ...]  #: row numbers, counted from 1; at most ten of them
    records: int
    attributes: tuple[str, ...]
    words: tuple[str, ...]  #: the attributes without those that follow from another one of the same column
    shared_by: int  #: records, or people, that have all these attributes
    further: str | None  #: the attribute they lack and most of the others have
    left: int  #: of these, who remain when those with the further attribute are set aside
    risk: float
    classical: float
    counted: str  #: "record", or "person" where people have several rows

    @property
    def text(self) -> str:
        """The finding as a sentence."""
        who = (
            "row " + str(self.rows[0])
            if self.records == 1
            else f"{self.records:,} records, first row {self.rows[0]}"
        )
        have = ", ".join(self.words) or "no attribute at all"
        why = f"{amount(self.shared_by, self.counted, 'people' if self.counted == 'person' else '')} in all"
        if self.further is not None:
            others = self.shared_by - self.left
            why += f", {others:,} of them also with {self.further}; that leaves {self.left:,}"
        return f"{who}: {have}: {why}. Risk {self.risk:.2f} (classical {self.classical:.2f})."

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "rows": list(self.rows),
            "records": self.records,
            "attributes": list(self.attributes),
            "shared_by": self.shared_by,
            "further": self.further,
            "left": self.left,
            "risk": self.risk,
            "classical": self.classical,
            "counted": self.counted,
            "text": self.text,
        }


@dataclass(frozen=True)
class Elimination:
    """What dropping a column (or a single attribute) would buy."""

    name: str
    attributes: int  #: attributes that would go
    at_risk: int  #: records above the threshold afterwards
    kept: int  #: records in the greatest safe set afterwards
    max: float
    mean: float
    knowledge_loss: (
        float | None
    )  #: share of what the exact rules say that would go; None for a very large lattice

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return dict(vars(self))


@dataclass(frozen=True)
class ExactRules:
    """Rules without exception that hold for somebody."""

    rules: tuple[Rule, ...]
    complete: bool  #: False when the search stopped before it had seen all

    @property
    def lines(self) -> list[str]:
        """The first few, one per line, under a heading."""
        if not self.rules:
            return []
        count = (
            f"{len(self.rules):,}"
            if self.complete
            else f"{len(self.rules):,} found, the search stopped there"
        )
        more = [f"  and {len(self.rules) - RULES:,} more"] if len(self.rules) > RULES else []
        shown = [f"  {rule}" for rule in self.rules[:RULES]]
        return [
            "",
            f"Exact rules between attributes, which no bound on risk controls ({count})",
            *shown,
            *more,
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values; the best-supported rules only."""
        shown = [rule.to_dict() for rule in self.rules[:RULES]]
        return {"count": len(self.rules), "complete": self.complete, "rules": shown}


def next_steps(risk: SemanticRisk) -> tuple[str, ...]:
    """What a careful person would do with these numbers."""
    n = risk.context.size
    if not risk.at_risk:
        steps = [f"No record is above {risk.threshold:g}; nothing has to go for this attacker."]
    else:
        steps = [
            f"Leave out records: {risk.safe.kept:,} of {n:,} can stay with every risk at most {risk.threshold:g}; "
            f"this costs {amount(risk.safe.cost, 'record')} ({percent(risk.safe.cost / n)}), and no larger set is safe."
        ]
        best = risk.columns[0]
        if best.kept > risk.safe.kept and len(risk.columns) > 1:
            steps.append(
                f"Or drop a column: without {best.name} the safe set grows to {amount(best.kept, 'record')} "
                f"({best.kept - risk.safe.kept:,} more), {best.at_risk:,} above the threshold."
            )
        elif len(risk.columns) > 1:
            steps.append("Dropping any single column would not save a record.")
    if float(risk.basic.classical.max(initial=0.0)) > risk.max:
        steps.append(
            "An attacker who also knows what people are not has the classical risk, which is higher here; a "
            "dichotomic scale guards against that."
        )
    if risk.person is not None:
        steps.append(
            "All rows of a person stay or go together. Counted are different people, for an attacker who knows one row "
            "of a person; describe people by one row each where all of them may be known."
        )
        return tuple(steps)
    steps.append(
        "Publish the scaled attributes, not the original values: `anonymize` does with the method semantic. Exact "
        "rules between attributes stay true in any such release; forget an attribute to break one."
    )
    return tuple(steps)


def _of_people(risk: SemanticRisk) -> str:
    return (
        "" if risk.person is None else f" of {amount(len(risk.people), 'person', 'people')}, who are counted"
    )


def report_text(risk: SemanticRisk) -> str:
    """The whole result as text of about a page."""
    context, n = risk.context, max(risk.context.size, 1)
    unknown = "too large" if risk.person is None else "-"
    chain = [unknown] * 2 if risk.chain_summary is None else [f"{x:.3f}" for x in risk.chain_summary]
    lines = [
        f"{amount(context.size, 'record')}{_of_people(risk)}, "
        f"{amount(len(context.attributes), 'attribute')}, "
        f"{amount(len(context.rows), 'different record')}",
        *(f"  {name}: {scale}" for name, scale in risk.scaling.scales.items()),
        "",
        f"{'':22}{'semantic':>10}{'along chains':>14}{'classical':>11}",
        f"{'largest risk':22}{risk.max:>10.3f}{chain[0]:>14}{float(risk.basic.classical.max(initial=0.0)):>11.3f}",
        f"{'mean risk':22}{risk.mean:>10.3f}{chain[1]:>14}{risk.basic.mean(risk.basic.classical):>11.3f}",
        f"{f'records above {risk.threshold:g}':22}{risk.at_risk:>10,}{'':14}"
        f"{int(context.weights[risk.basic.classical > risk.threshold].sum()):>11,}",
        "",
        f"keep {len(risk.regions.keep):,} ({percent(len(risk.regions.keep) / n)}, risk <= {risk.regions.alpha:g}), "
        f"look at {len(risk.regions.look):,}, discard {len(risk.regions.discard):,} "
        f"(risk >= {risk.regions.beta:g})",
    ]
    if risk.findings:
        lines += ["", "Who is at risk, and why"]
        lines += [f"  {finding.text}" for finding in risk.findings]
    if risk.at_risk and len(risk.columns) > 1:
        lines += ["", f"{'Without the column':22}{'at risk':>10}{'can stay':>11}{'rules lost':>12}"]
        for e in risk.columns:
            lost = "too large" if e.knowledge_loss is None else percent(e.knowledge_loss)
            lines.append(f"  {e.name[:19]:20}{e.at_risk:>10,}{e.kept:>11,}{lost:>12}")
    if risk.exact_rules is not None:
        lines += risk.exact_rules.lines
    lines += ["", "What to do next", *(f"  {i}. {step}" for i, step in enumerate(risk.next_steps, 1))]
    return "\n".join(lines)
