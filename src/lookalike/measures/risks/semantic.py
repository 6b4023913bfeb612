"""Semantic risk of a table: who can be told apart by the attributes they share with others, why, and what to do.

The procedure of Aranda-Corral, Borrego-Díaz and Galán-Páez (2023), with corrected theorems: scale the columns, compute
the basic risk r_BS of every record, sort records into three regions, find the greatest safe set, and see what dropping
a column or an attribute would buy. The attacker knows attributes a person has and never ones the person lacks; the
classical risk, for an attacker who knows both, stands beside every number. Cost: see `kernels.fca.risk`; lattice,
rules and chains are built only when asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.base.progress import Progress, track
from lookalike.fca.chains import Chain, risk_chains
from lookalike.fca.contexts import Context, Counts
from lookalike.fca.drawing import draw_most_frequent
from lookalike.fca.forgetting import Forgetting, forget, knowledge
from lookalike.fca.implications import Implications, Rule, stem_basis
from lookalike.fca.lattices import CONCEPT_LIMIT, Lattice, concept_lattice
from lookalike.fca.people import SafePeople, person_of, risk_of, safe_of
from lookalike.fca.scales import Scale
from lookalike.fca.scaling import Scaling, scale_records
from lookalike.fca.semantics import (
    BasicRisk,
    Deletion,
    Risks,
    SafeSet,
    ThreeWay,
    check_threshold,
    delete_in_turn,
    semantic_chain_risk,
    three_way,
)
from lookalike.measures.risks.semantic_report import (
    Elimination,
    ExactRules,
    RiskyGroup,
    next_steps,
    report_text,
)
from lookalike.recognition.frames import takes_frames

if TYPE_CHECKING:
    from lookalike.tables.table import Table

FINDINGS = 10
RULE_VISITS = 200_000  # sets to look at for rules unless told otherwise: seconds on a table of 50,000 rows
SMALL = 20_000  # concepts, sets and rows up to which a report looks at rules


@dataclass(frozen=True, eq=False)
class SemanticRisk:
    """The outcome of `semantic_risk`. `text` is the report for a person, `to_dict()` the one for a program.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> frame = pl.DataFrame({"sex": ["f", "f", "m", "m"], "job": ["nurse", "baker", "baker", "baker"]})
        >>> risk = la.semantic_risk(frame, quasi=["sex", "job"], threshold=0.5)
        >>> risk.context
        Context(4 objects, 4 attributes, 3 distinct rows)
    """

    scaling: Scaling  #: how each column was read as attributes
    threshold: float  #: the largest risk to accept
    basic: BasicRisk  #: basic semantic risk of each distinct row
    regions: ThreeWay  #: records to keep, to look at and to discard
    #: the largest set of records that can be kept with no risk above the threshold
    safe: SafeSet | SafePeople
    person: Counts | None = None  #: of each row, where the table names a `unit`: risks then count people
    _by_column: dict[str, Elimination] = field(default_factory=dict, init=False)

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
    def people(self) -> Risks:
        """r_BS of each person, that of their riskiest row; the same as `records` where everybody has one."""
        if self.person is None:
            return self.records
        out = np.zeros(int(self.person.max(initial=-1)) + 1)
        np.maximum.at(out, self.person, self.records)
        return out

    def refuse_people(self, what: str) -> None:
        """Refuse what can only count records."""
        if self.person is not None:
            raise RequestError(
                f"{what} counts records, but people have several rows here; reduce the table to one row per person."
            )

    @cached_property
    def chain(self) -> Risks:
        """Semantic risk r_S of each row: a product along chains, informative but no guarantee."""
        self.refuse_people("the risk along chains")
        return self.basic.of_objects(semantic_chain_risk(self.context, limit=CONCEPT_LIMIT))

    @cached_property
    def chain_summary(self) -> tuple[float, float] | None:
        """Largest and mean r_S; None for people with several rows, or too many concepts for a report to wait for."""
        try:
            return float(self.chain.max(initial=0.0)), float(self.chain.mean()) if len(self.chain) else 0.0
        except RequestError:
            return None

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
    def findings(self) -> tuple[RiskyGroup, ...]:
        """The riskiest groups of equal records above the threshold, at most ten; `explain` gives any record's."""
        risky = np.flatnonzero(self.basic.basic > self.threshold)
        order = np.lexsort((risky, self.basic.extent[risky], self.basic.gap[risky]))
        return tuple(self._finding(row) for row in risky[order[:FINDINGS]])

    def explain(self, row: int) -> RiskyGroup:
        """Why one row (counted from 1) has the risk it has."""
        if not 1 <= row <= self.context.size:
            raise RequestError(f"there is no row {row}; the table has rows 1 to {self.context.size:,}.")
        return self._finding(int(self.context.number[row - 1]))

    def _finding(self, row: int) -> RiskyGroup:
        basic, context = self.basic, self.context
        further = basic.witness[row]
        attributes = context.decode(context.rows[row])
        return RiskyGroup(
            rows=tuple(int(i) + 1 for i in np.flatnonzero(context.number == row)[:10]),
            records=int(context.weights[row]),
            attributes=attributes,
            words=self.scaling.sharpest(attributes),
            shared_by=int(basic.extent[row]),
            further=None if further < 0 else context.attributes[further],
            left=int(basic.gap[row]),
            risk=float(basic.basic[row]),
            classical=float(basic.classical[row]),
            counted="record" if self.person is None else "person",
        )

    @property
    def columns(self) -> tuple[Elimination, ...]:
        """What dropping each column would buy, the one that saves most records first."""
        return self.compare_columns()

    def compare_columns(self, *, progress: Progress = False) -> tuple[Elimination, ...]:
        """The same as `columns`, with a progress bar: on a million rows this takes a while, the first time."""
        if not self._by_column:
            with track(progress, "comparing columns") as report:
                for i, (name, attributes) in enumerate(self.scaling.columns.items(), 1):
                    self._by_column[name] = self.without(attributes, name=name)
                    report(i / len(self.scaling.columns))
        return tuple(sorted(self._by_column.values(), key=lambda e: (-e.kept, e.at_risk, e.name)))

    def without(self, attributes: Sequence[str], *, name: str | None = None) -> Elimination:
        """What dropping these attributes would buy."""
        context = self.context
        # An attribute that nobody has changes no risk, so emptying the columns does for dropping them.
        words = context.rows & ~context.encode(attributes)
        smaller = Context.from_rows(words, attributes=context.attributes, number=context.number)
        risk = risk_of(smaller, self.person)
        safe = safe_of(smaller, self.person, threshold=self.threshold, start=risk)
        return Elimination(
            name=", ".join(attributes) if name is None else name,
            attributes=len(attributes),
            at_risk=int(smaller.weights[risk.basic > self.threshold].sum()),
            kept=safe.kept,
            max=float(risk.basic.max(initial=0.0)),
            mean=risk.mean(risk.basic),
            knowledge_loss=self._knowledge_loss(attributes),
        )

    @cached_property
    def _knowledge(self) -> float | None:
        try:
            return knowledge(self.context, limit=SMALL)
        except RequestError:
            return None

    def _knowledge_loss(self, attributes: Sequence[str]) -> float | None:
        if not self._knowledge:
            return self._knowledge
        # A smaller context has no more concepts, so this stays within the limit.
        left = knowledge(self.context.without_attributes(attributes), limit=SMALL)
        return max(0.0, 1 - left / self._knowledge)

    def forget(self, attributes: Sequence[str]) -> Forgetting:
        """The exact rules that survive without these attributes, and what is lost."""
        return forget(self.context, attributes, limit=CONCEPT_LIMIT)

    def lattice(self, *, minimum_support: float = 0.0, limit: int = CONCEPT_LIMIT) -> Lattice:
        """The concept lattice of the scaled table."""
        return concept_lattice(self.context, minimum_support=minimum_support, limit=limit)

    def chains(self, *, limit: int = 100) -> tuple[Chain, ...]:
        """Chains with identification risk at the threshold: towers of concepts that grow by few records per step."""
        self.refuse_people("a chain")
        return risk_chains(self.lattice(), threshold=self.threshold, limit=limit)

    def rules(self, *, limit: int = RULE_VISITS) -> Implications:
        """The stem basis of the scaled table."""
        return stem_basis(self.context, limit=limit)

    def uncontrolled(self, *, limit: int = RULE_VISITS) -> tuple[Rule, ...]:
        """Exact rules that hold for real people, most people first: no bound on risk limits what they disclose."""
        return _held(self.rules(limit=limit))

    @cached_property
    def exact_rules(self) -> ExactRules | None:
        """The best-supported rules that no risk bound controls, as a report shows them; None for a very large table."""
        if len(self.context.rows) > SMALL:
            return None
        basis = self.rules(limit=SMALL)
        return ExactRules(_held(basis), basis.complete)

    def delete(self, rows: Iterable[int], *, limit: int = CONCEPT_LIMIT) -> tuple[Deletion, ...]:
        """Delete rows (counted from 1) one after the other and watch who becomes unique next; labels are positions."""
        self.refuse_people("deleting in turn")
        return delete_in_turn(self.context, [row - 1 for row in rows], limit=limit)

    def draw(self, *, most: int = 60) -> str:
        """The lattice as SVG, risk shaded, the threshold ringed; of a large one the most frequent concepts."""
        self.refuse_people("the picture")
        return draw_most_frequent(self.context, threshold=self.threshold, most=most)

    @property
    def next_steps(self) -> tuple[str, ...]:
        """What a careful person would do with these numbers."""
        return next_steps(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "records": self.context.size,
            "people": len(self.people),
            "people_at_risk": int((self.people > self.threshold).sum()),
            "classes": len(self.context.rows),
            "attributes": len(self.context.attributes),
            "scales": {name: str(scale) for name, scale in self.scaling.scales.items()},
            "attacker": "knows attributes a person has, never ones the person lacks",
            "threshold": self.threshold,
            "max": self.max,
            "mean": self.mean,
            "chain_max": None if self.chain_summary is None else self.chain_summary[0],
            "chain_mean": None if self.chain_summary is None else self.chain_summary[1],
            "classical_max": float(self.basic.classical.max(initial=0.0)),
            "classical_mean": self.basic.mean(self.basic.classical),
            "uniques": self.uniques,
            "at_risk": self.at_risk,
            "three_way": self.regions.to_dict(),
            "safe_set": self.safe.to_dict(),
            "exact_rules": None if self.exact_rules is None else self.exact_rules.to_dict(),
            "findings": [finding.to_dict() for finding in self.findings],
            "columns": [option.to_dict() for option in self.columns],
            "next_steps": list(self.next_steps),
        }

    @property
    def text(self) -> str:
        """The report for a person."""
        return report_text(self)

    def __repr__(self) -> str:
        return (
            f"SemanticRisk({self.context.size:,} records: maximum {self.max:.3g}, mean {self.mean:.3g}, "
            f"{self.at_risk:,} above {self.threshold:g}; {self.safe.kept:,} can stay)"
        )


def _held(rules: Implications) -> tuple[Rule, ...]:
    """The rules whose premise somebody meets, most people first."""
    met = [rule for rule in rules if rule.premise_support]
    return tuple(sorted(met, key=lambda rule: (-(rule.premise_support or 0), rule.premise)))


@takes_frames
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
    Where the table names a `unit`, different people are counted; the attacker knows attributes of one of their rows.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> frame = pl.DataFrame({"sex": ["f", "f", "m", "m"], "job": ["nurse", "baker", "baker", "baker"]})
        >>> risk = la.semantic_risk(frame, quasi=["sex", "job"], threshold=0.5)
        >>> [round(value, 2) for value in risk.records.tolist()]
        [1.0, 1.0, 0.5, 0.5]
    """
    check_threshold(threshold)
    with track(progress, "semantic risk") as report:
        scaling = scale_records(people, scales=scales, uncovered=uncovered)
        report(0.3)
        person = person_of(people)
        basic = risk_of(scaling.context, person)
        safe = safe_of(scaling.context, person, threshold=threshold, start=basic)
        low = (0.2 if threshold > 0.2 else threshold / 2) if alpha is None else alpha
        high = threshold if beta is None else beta
        regions = three_way(basic.of_objects(basic.basic), alpha=low, beta=high)
        report(1.0)
    return SemanticRisk(scaling, threshold, basic, regions, safe, person)
