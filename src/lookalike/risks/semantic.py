"""Semantic risk of a table: who can be told apart by the attributes they share with others, why, and what to do.

The procedure of Aranda-Corral, Borrego-Díaz and Galán-Páez (2023), with corrected theorems: scale the columns, compute
the basic risk r_BS of every record, sort records into three regions, find the greatest safe set, and see what dropping
a column or an attribute would buy. The attacker knows attributes a person has and never ones the person lacks; the
classical risk, for an attacker who knows both, stands beside every number. Cost: see `kernels.fca_risk`; lattice,
rules and chains are built only when asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lookalike.errors import RequestError
from lookalike.fca.chains import Chain, risk_chains
from lookalike.fca.contexts import Context
from lookalike.fca.drawing import draw_lattice
from lookalike.fca.forgetting import forget
from lookalike.fca.implications import Implications, Rule, stem_basis
from lookalike.fca.lattices import Lattice, concept_lattice
from lookalike.fca.scales import Scale, Scaling, scale_table
from lookalike.fca.semantics import (
    BasicRisk,
    Deletion,
    Risks,
    SafeSet,
    ThreeWay,
    basic_risk,
    delete_in_turn,
    safe_set,
    semantic_chain_risk,
    three_way,
)
from lookalike.progress import Progress, track

if TYPE_CHECKING:
    from lookalike.tables import Table

FINDINGS = 10
CONCEPTS = 200_000


@dataclass(frozen=True)
class Finding:
    """People with the same attributes who are above the threshold, and the reason in words."""

    rows: tuple[int, ...]  #: row numbers, counted from 1; at most ten of them
    records: int
    attributes: tuple[str, ...]
    shared_by: int  #: records that have all these attributes
    further: str | None  #: the attribute they lack and most of the others have
    left: int  #: records that remain when those with the further attribute are set aside
    risk: float
    classical: float

    @property
    def text(self) -> str:
        """The finding as a sentence."""
        who = (
            "row " + str(self.rows[0])
            if self.records == 1
            else f"{self.records:,} records, first row {self.rows[0]}"
        )
        have = ", ".join(self.attributes) or "no attribute at all"
        why = f"{self.shared_by:,} record{'s' if self.shared_by != 1 else ''} in all"
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class SemanticRisk:
    """The outcome of `semantic_risk`. `text` is the report for a person, `to_dict()` the one for a program."""

    scaling: Scaling
    threshold: float
    basic: BasicRisk
    regions: ThreeWay
    safe: SafeSet

    @property
    def context(self) -> Context:
        """The table as a context; objects are row positions from 0."""
        return self.scaling.context

    @cached_property
    def records(self) -> Risks:
        """Basic semantic risk r_BS of each row."""
        return self.basic.of_objects(self.basic.basic)

    @cached_property
    def classical(self) -> Risks:
        """Classical risk of each row of the scaled table: one over the records with exactly its attributes."""
        return self.basic.of_objects(self.basic.classical)

    @cached_property
    def chain(self) -> Risks:
        """Semantic risk r_S of each row: a product along chains, informative but no guarantee."""
        return self.basic.of_objects(semantic_chain_risk(self.context, limit=CONCEPTS))

    @property
    def max(self) -> float:
        """Largest r_BS of a record."""
        return float(self.basic.basic.max(initial=0.0))

    @property
    def mean(self) -> float:
        """Mean r_BS over records."""
        return self.basic.mean(self.basic.basic)

    @property
    def at_risk(self) -> int:
        """Records with r_BS above the threshold."""
        return int(self.context.weights[self.basic.basic > self.threshold].sum())

    @property
    def uniques(self) -> int:
        """Records whose attributes nobody else has all of."""
        return int((self.basic.extent == 1).sum())

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The riskiest groups of equal records above the threshold, at most ten; `explain` gives any record's."""
        risky = np.flatnonzero(self.basic.basic > self.threshold)
        order = np.lexsort((risky, self.basic.extent[risky], self.basic.gap[risky]))
        return tuple(self._finding(row) for row in risky[order[:FINDINGS]])

    def explain(self, row: int) -> Finding:
        """Why one row (counted from 1) has the risk it has."""
        if not 1 <= row <= self.context.size:
            raise RequestError(f"there is no row {row}; the table has rows 1 to {self.context.size:,}.")
        return self._finding(int(self.context.number[row - 1]))

    def _finding(self, row: int) -> Finding:
        basic, context = self.basic, self.context
        further = basic.witness[row]
        return Finding(
            rows=tuple(int(i) + 1 for i in np.flatnonzero(context.number == row)[:10]),
            records=int(context.weights[row]),
            attributes=context.decode(context.rows[row]),
            shared_by=int(basic.extent[row]),
            further=None if further < 0 else context.attributes[further],
            left=int(basic.gap[row]),
            risk=float(basic.basic[row]),
            classical=float(basic.classical[row]),
        )

    @cached_property
    def columns(self) -> tuple[Elimination, ...]:
        """What dropping each column would buy, the one that saves most records first."""
        found = [self.without(attributes, name=name) for name, attributes in self.scaling.columns.items()]
        return tuple(sorted(found, key=lambda e: (-e.kept, e.at_risk, e.name)))

    def without(self, attributes: Sequence[str], *, name: str | None = None) -> Elimination:
        """What dropping these attributes would buy."""
        smaller = self.context.without_attributes(attributes)
        risk = basic_risk(smaller)
        return Elimination(
            name=", ".join(attributes) if name is None else name,
            attributes=len(attributes),
            at_risk=int(smaller.weights[risk.basic > self.threshold].sum()),
            kept=safe_set(smaller, threshold=self.threshold, start=risk).kept,
            max=float(risk.basic.max(initial=0.0)),
            mean=risk.mean(risk.basic),
        )

    def knowledge_loss(self, attributes: Sequence[str]) -> float:
        """Share of what the exact rules say that would go with these attributes."""
        return forget(self.context, attributes, limit=CONCEPTS).knowledge_loss

    def lattice(self, *, minimum_support: float = 0.0, limit: int = CONCEPTS) -> Lattice:
        """The concept lattice of the scaled table."""
        return concept_lattice(self.context, minimum_support=minimum_support, limit=limit)

    def chains(self, *, limit: int = 100) -> tuple[Chain, ...]:
        """Chains with identification risk at the threshold: towers of concepts that grow by few records per step."""
        return risk_chains(self.lattice(), threshold=self.threshold, limit=limit)

    def rules(self, *, limit: int = CONCEPTS) -> Implications:
        """The stem basis of the scaled table."""
        return stem_basis(self.context, limit=limit)

    def uncontrolled(self, *, limit: int = CONCEPTS) -> tuple[Rule, ...]:
        """Exact rules that hold for real people, most people first: no bound on risk limits what they disclose."""
        rules = [rule for rule in self.rules(limit=limit) if rule.premise_support]
        return tuple(sorted(rules, key=lambda rule: (-(rule.premise_support or 0), rule.premise)))

    def delete(self, rows: Iterable[int], *, limit: int = CONCEPTS) -> tuple[Deletion, ...]:
        """Delete rows (counted from 1) one after the other and watch who becomes unique next; labels are positions."""
        return delete_in_turn(self.context, [row - 1 for row in rows], limit=limit)

    def draw(self, *, minimum_support: float = 0.0) -> str:
        """The lattice as SVG, risk shaded, the threshold ringed."""
        return draw_lattice(self.lattice(minimum_support=minimum_support), threshold=self.threshold)

    @cached_property
    def next_steps(self) -> tuple[str, ...]:
        """What a careful person would do with these numbers."""
        n = self.context.size
        if not self.at_risk:
            steps = [f"No record is above {self.threshold:g}; nothing has to go for this attacker."]
        else:
            steps = [
                f"Leave out records: {self.safe.kept:,} of {n:,} can stay with every risk at most {self.threshold:g}; "
                f"this costs {self.safe.cost:,} records ({self.safe.cost / n:.1%}), and no larger set is safe."
            ]
            best = self.columns[0]
            if best.kept > self.safe.kept and len(self.columns) > 1:
                steps.append(
                    f"Or drop a column: without {best.name} the safe set grows to {best.kept:,} records "
                    f"({best.kept - self.safe.kept:,} more), {best.at_risk:,} above the threshold."
                )
            elif len(self.columns) > 1:
                steps.append("Dropping any single column would not save a record.")
        if float(self.basic.classical.max(initial=0.0)) > self.max:
            steps.append(
                "An attacker who also knows what people are not has the classical risk, which is higher here; scale "
                "with Scale.dichotomic(...) to guard against that."
            )
        steps.append(
            "Exact rules between attributes are not limited by this risk: look at .uncontrolled() before releasing. "
            "Publish the scaled attributes, not the original values."
        )
        return tuple(steps)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "records": self.context.size,
            "classes": len(self.context.rows),
            "attributes": len(self.context.attributes),
            "scales": {name: str(scale) for name, scale in self.scaling.scales.items()},
            "attacker": "knows attributes a person has, never ones the person lacks",
            "threshold": self.threshold,
            "max": self.max,
            "mean": self.mean,
            "classical_max": float(self.basic.classical.max(initial=0.0)),
            "classical_mean": self.basic.mean(self.basic.classical),
            "uniques": self.uniques,
            "at_risk": self.at_risk,
            "three_way": self.regions.to_dict(),
            "safe_set": self.safe.to_dict(),
            "findings": [finding.to_dict() for finding in self.findings],
            "columns": [option.to_dict() for option in self.columns],
            "next_steps": list(self.next_steps),
        }

    @property
    def text(self) -> str:
        """The report for a person."""
        context, n = self.context, max(self.context.size, 1)
        lines = [
            f"{context.size:,} records, {len(context.attributes)} attributes, {len(context.rows):,} different records",
            *(f"  {name}: {scale}" for name, scale in self.scaling.scales.items()),
            "",
            f"{'':22}{'semantic':>10}{'classical':>11}",
            f"{'largest risk':22}{self.max:>10.3f}{float(self.basic.classical.max(initial=0.0)):>11.3f}",
            f"{'mean risk':22}{self.mean:>10.3f}{self.basic.mean(self.basic.classical):>11.3f}",
            f"{f'records above {self.threshold:g}':22}{self.at_risk:>10,}"
            f"{int(context.weights[self.basic.classical > self.threshold].sum()):>11,}",
            "",
            f"keep {len(self.regions.keep):,} ({len(self.regions.keep) / n:.1%}, risk <= {self.regions.alpha:g}), "
            f"look at {len(self.regions.look):,}, discard {len(self.regions.discard):,} "
            f"(risk >= {self.regions.beta:g})",
        ]
        if self.findings:
            lines += ["", "Who is at risk, and why"]
            lines += [f"  {finding.text}" for finding in self.findings]
        if self.at_risk and len(self.columns) > 1:
            lines += ["", f"{'Without the column':22}{'at risk':>10}{'can stay':>11}"]
            lines += [f"  {e.name[:19]:20}{e.at_risk:>10,}{e.kept:>11,}" for e in self.columns]
        lines += ["", "What to do next", *(f"  {i}. {step}" for i, step in enumerate(self.next_steps, 1))]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"SemanticRisk({self.context.size:,} records: maximum {self.max:.3g}, mean {self.mean:.3g}, "
            f"{self.at_risk:,} above {self.threshold:g}; {self.safe.kept:,} can stay)"
        )


def semantic_risk(
    people: Table,
    *,
    scales: Mapping[str, Scale | str] | None = None,
    threshold: float = 0.35,
    alpha: float | None = None,
    beta: float | None = None,
    uncovered: Literal["error", "empty"] = "error",
    progress: Progress = False,
) -> SemanticRisk:
    """Risk by formal concept analysis over the quasi-identifiers.

    scales: how to read each column as attributes (see `Scale`); columns without one are scaled automatically.
    threshold: the largest risk to accept. alpha, beta: records up to alpha are kept without a look, from beta on
    discarded (default: 0.2, or half the threshold where that is smaller, and the threshold).
    uncovered: "error", or "empty" to let a value outside its scale count as no attribute.
    """
    if not 0 < threshold <= 1:
        raise RequestError(f"threshold is a probability above 0 and at most 1, not {threshold}.")
    with track(progress, "semantic risk") as report:
        scaling = scale_table(people, scales=scales, uncovered=uncovered)
        report(0.3)
        basic = basic_risk(scaling.context)
        report(0.6)
        low = (0.2 if threshold > 0.2 else threshold / 2) if alpha is None else alpha
        high = threshold if beta is None else beta
        regions = three_way(basic.of_objects(basic.basic), alpha=low, beta=high)
        safe = safe_set(scaling.context, threshold=threshold, start=basic)
        report(1.0)
    return SemanticRisk(scaling, threshold, basic, regions, safe)
