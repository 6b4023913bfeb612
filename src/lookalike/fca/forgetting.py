"""Forgetting attributes: what the rules still say once some attributes are gone, and how much knowledge that costs.

Two ways that must agree (and are tested against each other): the stem basis of the smaller context, and resolution on
the rules alone. The loss ratio is ours: rules over M leave c closed sets out of 2^|M|, so they hold |M| - log2 c
bits; forgetting leaves |M'| - log2 c' bits, never more, and 0 exactly when the remaining rules say nothing.
Resolution multiplies rules: O(rules^2) per forgotten attribute before simplifying.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import percent, unknown_column
from lookalike.fca.contexts import Context, pack, unpack
from lookalike.fca.implications import Implications, stem_basis
from lookalike.fca.lattices import CONCEPT_LIMIT, concept_lattice

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Forgetting:
    """What is left after forgetting attributes."""

    forgotten: tuple[str, ...]
    before: Implications
    after: Implications
    rules_lost: int  #: rules of the old basis that no longer follow
    knowledge_loss: float  #: share of the bits that the rules held, between 0 and 1

    @property
    def disposable(self) -> bool:
        """Some rule survives without these attributes; False means that they carry all there is to know."""
        return len(self.after) > 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "forgotten": list(self.forgotten),
            "rules_before": len(self.before),
            "rules_after": len(self.after),
            "rules_lost": self.rules_lost,
            "knowledge_loss": self.knowledge_loss,
            "disposable": self.disposable,
            "rules": [rule.to_dict() for rule in self.after],
        }

    def __repr__(self) -> str:
        return (
            f"Forgetting({', '.join(self.forgotten)}: {len(self.before)} rules -> {len(self.after)}, "
            f"{percent(self.knowledge_loss)} of the knowledge lost)"
        )


def forget(context: Context, attributes: Collection[str], *, limit: int = CONCEPT_LIMIT) -> Forgetting:
    """The exact rules of a context that survive deleting attributes, and what was lost."""
    before = stem_basis(context, limit=2 * limit)
    smaller = context.without_attributes(attributes)
    after = stem_basis(smaller, limit=2 * limit)
    lifted = Implications.of([(r.premise, r.conclusion) for r in after], attributes=context.attributes)
    old, new = knowledge(context, limit=limit), knowledge(smaller, limit=limit)
    return Forgetting(
        forgotten=tuple(attributes),
        before=before,
        after=after,
        rules_lost=int((~lifted.follows(before)).sum()),
        knowledge_loss=max(0.0, 1.0 - new / old) if old > 0 else 0.0,
    )


def is_disposable(context: Context) -> bool:
    """Whether some exact rule holds in a context, so that what was forgotten to get there was disposable.

    None holds exactly when every set of attributes is closed, and that is when for each attribute somebody has all
    others but not this one: O(distinct rows), no basis needed.
    """
    crosses = unpack(context.rows, len(context.attributes))
    lacking = ~crosses[crosses.sum(axis=1) == len(context.attributes) - 1]
    return not lacking.any(axis=0).all()


def knowledge(context: Context, *, limit: int = CONCEPT_LIMIT) -> float:
    """Bits held by the exact rules of a context: |M| - log2(number of concepts)."""
    return len(context.attributes) - log2(len(concept_lattice(context, limit=limit)))


def forget_in_rules(rules: Implications, attributes: Collection[str]) -> Implications:
    """The rules over the remaining attributes that follow from the given ones; no context needed."""
    for name in attributes:
        if name not in rules.attributes:
            raise unknown_column(name, rules.attributes, "forget")
    left = unpack(rules.premises, len(rules.attributes))
    right = unpack(rules.conclusions, len(rules.attributes))
    for name in attributes:
        left, right = _resolve(left, right, rules.attributes.index(name))
    kept = [m for m, name in enumerate(rules.attributes) if name not in attributes]
    names = tuple(rules.attributes[m] for m in kept)
    return Implications(names, pack(left[:, kept]), pack(right[:, kept])).minimised()


def _resolve(left: Bools, right: Bools, q: int) -> tuple[Bools, Bools]:
    """One attribute out: rules that never needed it stay, rules that gave it are chained into those that took it."""
    gives = right[:, q] & ~left[:, q]
    takes = left[:, q]
    chained_left = left[gives][:, None, :] | left[takes][None, :, :]
    chained_right = np.broadcast_to(right[takes][None, :, :], chained_left.shape)
    width = left.shape[1]
    new_left = np.concatenate([left[~takes], chained_left.reshape(-1, width)])
    new_right = np.concatenate([right[~takes], chained_right.reshape(-1, width)])
    new_left[:, q] = False
    new_right = new_right & ~new_left
    new_right[:, q] = False
    said = new_right.any(axis=1)
    names = tuple(str(m) for m in range(width))
    short = Implications(names, pack(new_left[said]), pack(new_right[said])).minimised()
    return unpack(short.premises, width), unpack(short.conclusions, width)
