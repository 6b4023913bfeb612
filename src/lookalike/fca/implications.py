"""Implications between attributes: the stem basis, the Luxenburger basis, closure and entailment.

Stem basis: Guigues and Duquenne (1986), computed in lectic order (`kernels.fca.stem`). Luxenburger basis: Luxenburger
(1991), one inexact rule per cover of the lattice. Closing one set costs O(rules x words) per pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError, unknown_column
from lookalike.fca.contexts import Context, Counts, Words, pack, unpack
from lookalike.fca.lattices import Lattice, at_least, concept_lattice

VISIT_LIMIT = 2_000_000
SHOWN = 50  #: rules that `print` lists, of each kind


@dataclass(frozen=True)
class Rule:
    """Whoever has the premise has the conclusion: always (confidence 1), or this often.

    `support` counts the objects with premise and conclusion, `premise_support` those with the premise; None where the
    rule was not counted in a context.
    """

    premise: tuple[str, ...]
    conclusion: tuple[str, ...]
    premise_support: int | None = None
    support: int | None = None

    @property
    def confidence(self) -> float | None:
        """Share of the objects with the premise that also have the conclusion; 1 for a premise nobody has."""
        if self.premise_support is None or self.support is None:
            return None
        return self.support / self.premise_support if self.premise_support else 1.0

    @property
    def exact(self) -> bool:
        """Holds without exception."""
        return self.support == self.premise_support

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "premise": list(self.premise),
            "conclusion": list(self.conclusion),
            "premise_support": self.premise_support,
            "support": self.support,
            "confidence": self.confidence,
        }

    def __str__(self) -> str:
        left = ", ".join(self.premise) or "anyone"
        count = "" if self.premise_support is None else f" ({self.premise_support})"
        more = "" if self.exact or self.support is None else f" ({self.support}, {self.confidence:.0%})"
        return f"{left}{count} -> {', '.join(self.conclusion)}{more}"


@dataclass(frozen=True, eq=False)
class Implications:
    """A set of exact rules over named attributes. Made by `stem_basis` or `Implications.of`."""

    attributes: tuple[str, ...]
    premises: Words
    conclusions: Words  #: without the premises
    supports: Counts | None = None  #: objects with the premise, where the rules come from a context
    complete: bool = True  #: False when the search stopped at its limit
    visited: int = 0  #: sets looked at: intents and rules together

    @classmethod
    def of(
        cls, rules: Iterable[tuple[Iterable[str], Iterable[str]]], *, attributes: Iterable[str]
    ) -> Implications:
        """Rules from (premise, conclusion) pairs of attribute names."""
        names = tuple(attributes)
        pairs = [(tuple(left), tuple(right)) for left, right in rules]
        place = {name: m for m, name in enumerate(names)}
        sides = np.zeros((2, len(pairs), len(names)), dtype=bool)
        for i, pair in enumerate(pairs):
            for side, set_ in enumerate(pair):
                for name in set_:
                    if name not in place:
                        raise unknown_column(name, names, f"rule {i + 1}")
                    sides[side, i, place[name]] = True
        return cls(names, pack(sides[0]), pack(sides[1] & ~sides[0]))

    def __len__(self) -> int:
        return len(self.premises)

    def __iter__(self) -> Iterator[Rule]:
        return (self.rule(i) for i in range(len(self)))

    @cached_property
    def _names(self) -> NDArray[np.object_]:
        names = np.empty(len(self.attributes), dtype=object)
        names[:] = self.attributes
        return names

    def rule(self, number: int) -> Rule:
        """One rule by name."""
        left, right = unpack(
            np.stack([self.premises[number], self.conclusions[number]]), len(self.attributes)
        )
        count = None if self.supports is None else int(self.supports[number])
        return Rule(tuple(self._names[left]), tuple(self._names[right]), count, count)

    def _encode(self, sets: list[tuple[str, ...]]) -> Words:
        return Implications.of([(s, ()) for s in sets], attributes=self.attributes).premises

    def close(self, attributes: Iterable[str]) -> tuple[str, ...]:
        """Everything that follows from a set of attributes."""
        from lookalike.kernels.fca.stem import close_all_under

        words = self._encode([tuple(attributes)])
        close_all_under(self.premises, self.conclusions, words)
        return tuple(self._names[unpack(words, len(self.attributes))[0]])

    def entails(self, other: Implications) -> bool:
        """Whether every rule of `other` follows from these."""
        if other.attributes != self.attributes:
            place = set(self.attributes)
            strange = next((name for name in other.attributes if name not in place), None)
            if strange is not None:
                raise unknown_column(strange, self.attributes, "entails")
            other = Implications.of([(r.premise, r.conclusion) for r in other], attributes=self.attributes)
        return bool(self.follows(other).all())

    def follows(self, other: Implications) -> NDArray[np.bool_]:
        """For each rule of `other` (same attributes) whether it follows from these."""
        from lookalike.kernels.fca.stem import close_all_under

        closed = other.premises.copy()
        close_all_under(self.premises, self.conclusions, closed)
        return np.asarray(((other.conclusions & ~closed) == 0).all(axis=1))

    def equivalent(self, other: Implications) -> bool:
        """Whether both say the same."""
        return self.entails(other) and other.entails(self)

    def minimised(self) -> Implications:
        """The stem basis of what these rules say: the same knowledge in the fewest rules."""
        from lookalike.kernels.fca.stem import minimise

        premises, closed = minimise(self.premises, self.conclusions)
        order = np.lexsort(premises.T) if len(premises) else np.empty(0, dtype=np.int64)
        return Implications(self.attributes, premises[order], (closed & ~premises)[order])

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"complete": self.complete, "rules": [rule.to_dict() for rule in self]}

    def __str__(self) -> str:
        return _listing(repr(self), self)

    def __repr__(self) -> str:
        end = "" if self.complete else f", stopped after {self.visited:,} sets"
        return f"Implications({len(self):,} rules over {len(self.attributes)} attributes{end})"


def stem_basis(context: Context, *, limit: int = VISIT_LIMIT) -> Implications:
    """The smallest set of exact rules from which all exact rules of the context follow.

    limit: sets (intents and premises) to look at; where that does not suffice the result holds the rules found so far,
    all of them valid, and says `complete=False`.
    """
    from lookalike.kernels.fca.stem import stem

    if limit < 1:
        raise RequestError(f"limit must be at least 1, not {limit}.")
    premises, conclusions, supports, visited, complete = stem(
        context.rows, context.weights, context.columns, context.everything, len(context.attributes), limit
    )
    return Implications(context.attributes, premises, conclusions, supports, complete, visited)


@dataclass(frozen=True)
class RuleBasis:
    """Inexact rules, most confident first, next to the exact ones."""

    inexact: tuple[Rule, ...]
    exact: Implications
    objects: int
    confidence: float
    support: float

    def __len__(self) -> int:
        return len(self.inexact) + len(self.exact)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "confidence": self.confidence,
            "support": self.support,
            "objects": self.objects,
            "inexact": [rule.to_dict() for rule in self.inexact],
            "exact": self.exact.to_dict(),
        }

    def __str__(self) -> str:
        return "\n".join([_listing(repr(self), self.inexact), *str(self.exact).splitlines()[1:]])

    def __repr__(self) -> str:
        return (
            f"RuleBasis({len(self.inexact):,} inexact rules of confidence >= {self.confidence:g}, "
            f"{len(self.exact):,} exact)"
        )


def _listing(title: str, rules: Implications | tuple[Rule, ...]) -> str:
    """The rules under a title, one per line; objects that have it behind each side, and the confidence if inexact."""
    lines = [title, *(f"  {rule}" for rule in islice(rules, SHOWN))]
    if len(rules) > SHOWN:
        lines.append(f"  … and {len(rules) - SHOWN:,} more")
    return "\n".join(lines)


def luxenburger_basis(
    context: Context, *, confidence: float = 0.5, support: float = 0.0, lattice: Lattice | None = None
) -> RuleBasis:
    """Inexact rules between neighbouring concepts, at least this confident and supported, and the stem basis.

    support: share of all objects that have premise and conclusion. Rules that nobody satisfies are left out.
    """
    if not 0 <= confidence <= 1:
        raise RequestError(f"a confidence lies between 0 and 1, not {confidence}.")
    lattice = concept_lattice(context) if lattice is None else lattice
    minimum = max(at_least(support, context.size), 1)
    upper, lower = lattice.supports[lattice.upper], lattice.supports[lattice.lower]
    chosen = (lower >= minimum) & (lower / np.maximum(upper, 1) >= confidence)
    rules = [
        Rule(
            context.decode(lattice.intents[a]),
            context.decode(lattice.intents[b] & ~lattice.intents[a]),
            int(lattice.supports[a]),
            int(lattice.supports[b]),
        )
        for a, b in zip(lattice.upper[chosen], lattice.lower[chosen], strict=True)
    ]
    rules.sort(
        key=lambda rule: (-(rule.confidence or 0.0), -(rule.support or 0), rule.premise, rule.conclusion)
    )
    return RuleBasis(tuple(rules), stem_basis(context), context.size, confidence, support)
