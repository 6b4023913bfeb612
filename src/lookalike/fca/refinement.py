"""The effect of scales: risk and knowledge as scales are refined, and the finest scales that keep the risk low.

Future work of Aranda-Corral, Borrego-Díaz and Galán-Páez (https://doi.org/10.1093/jigpal/jzae011). A rung of a ladder
adds its attributes to those of the rungs below, and basic risk never falls when attributes are added, so what is too
risky stays so when refined further: the search visits safe rungs and their neighbours only, each at the cost of
`basic_risk`. Where a table names a `unit`, people are counted, and the same holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.base.errors import RequestError
from lookalike.fca.contexts import Context
from lookalike.fca.forgetting import knowledge
from lookalike.fca.people import person_of, risk_of
from lookalike.fca.scales import Scale
from lookalike.fca.scaling import scale_records
from lookalike.tables.columns.domains import Domain
from lookalike.tables.table import Table

Ladders = Mapping[str, Sequence[Scale | str]]
RUNG_LIMIT = 10_000  #: combinations of rungs a search may look at


@dataclass(frozen=True)
class Refinement:
    """One choice of a rung per column (0: the column is left out) and the basic risk it gives."""

    rungs: Mapping[str, int]
    scales: Mapping[str, str]  #: the finest scale in use of each column
    attributes: int
    maximum: float  #: the largest basic risk
    mean: float  #: the mean basic risk over records
    above: float  #: share of the people with a record whose basic risk is above the threshold
    context: Context

    @property
    def knowledge(self) -> float:
        """Bits held by the exact rules of the context; counts its concepts."""
        return knowledge(self.context)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "rungs": dict(self.rungs),
            "scales": dict(self.scales),
            "attributes": self.attributes,
            "maximum": self.maximum,
            "mean": self.mean,
            "above": self.above,
        }

    def __repr__(self) -> str:
        shown = "; ".join(f"{name}: {scale}" for name, scale in self.scales.items())
        return f"Refinement({shown}; r_BS at most {self.maximum:.3g}, mean {self.mean:.3g})"


def risk_along_scales(people: Table, *, ladders: Ladders, threshold: float = 0.2) -> tuple[Refinement, ...]:
    """Risk as all columns climb their ladders together, from nothing known to the finest scales.

    ladders: for each quasi-identifier its scales, coarse to fine. A shorter ladder stays at its top.
    """
    climb = _Climb(people, ladders, threshold)
    height = max(len(ladder) for ladder in climb.ladders.values())
    return tuple(
        climb.measure(tuple(min(step, len(ladder)) for ladder in climb.ladders.values()))
        for step in range(height + 1)
    )


def finest_scales(
    people: Table, *, ladders: Ladders, threshold: float, outliers: float = 0.0
) -> tuple[Refinement, ...]:
    """All choices of scales that keep the basic risk at or below a threshold and allow no refinement that does.

    ladders: for each quasi-identifier its scales, coarse to fine; rungs add up. outliers: the share of the people (of
    records where there is no `unit`) who may lie above the threshold, to be suppressed. Most attributes first.
    """
    if not 0 <= outliers < 1:
        raise RequestError(f"outliers is a share from 0 to below 1, not {outliers}.")
    climb = _Climb(people, ladders, threshold)
    tops = [len(ladder) for ladder in climb.ladders.values()]
    start = (0,) * len(tops)
    known = {start: climb.measure(start)}
    if known[start].above > outliers:
        return ()
    border, finest = [start], []
    while border:
        here = border.pop()
        further = [(*here[:i], here[i] + 1, *here[i + 1 :]) for i, top in enumerate(tops) if here[i] < top]
        safe = []
        for rungs in further:
            if rungs not in known:
                if len(known) >= RUNG_LIMIT:
                    raise RequestError(
                        f"more than {RUNG_LIMIT:,} combinations of scales are safe; give shorter ladders."
                    )
                known[rungs] = climb.measure(rungs)
                if known[rungs].above <= outliers:
                    border.append(rungs)
            safe.append(known[rungs].above <= outliers)
        if not any(safe):
            finest.append(known[here])
    return tuple(sorted(finest, key=lambda one: (-one.attributes, one.mean, tuple(one.rungs.values()))))


class _Climb:
    """A table, its ladders in the order of its quasi-identifiers, and the risk at any rungs."""

    def __init__(self, people: Table, ladders: Ladders, threshold: float) -> None:
        if not 0 < threshold <= 1:
            raise RequestError(f"threshold is a probability above 0 and at most 1, not {threshold}.")
        lacking = [name for name in people.quasi if not ladders.get(name)]
        strange = [name for name in ladders if name not in people.quasi]
        if lacking or strange:
            raise RequestError(
                f"ladders need at least one scale for each quasi-identifier ({', '.join(people.quasi)}) and no other "
                f"column; {', '.join(lacking or strange)} {'has none' if lacking else 'is none'}."
            )
        self.people, self.person, self.threshold = people, person_of(people), threshold
        self.ladders = {
            name: [Scale.parse(one) if isinstance(one, str) else one for one in ladders[name]]
            for name in people.quasi
        }

    def measure(self, rungs: tuple[int, ...]) -> Refinement:
        """The risk where every column uses its scales up to a rung."""
        used = {name: ladder[:rung] for (name, ladder), rung in zip(self.ladders.items(), rungs, strict=True)}
        context = scale_records(self.people, scales={n: _together(s) for n, s in used.items()}).context
        risk = risk_of(context, self.person)
        # a hair above the threshold is rounding: 1/3 against 0.333333
        risky = risk.of_objects(risk.basic > self.threshold + 1e-9)
        if self.person is not None:
            risky = np.bincount(self.person, weights=risky) > 0
        return Refinement(
            dict(zip(used, rungs, strict=True)),
            {name: str(scales[-1]) if scales else "left out" for name, scales in used.items()},
            len(context.attributes) - sum(not scales for scales in used.values()),
            float(risk.basic.max()) if len(risk.basic) else 0.0,
            risk.mean(risk.basic),
            float(risky.mean()) if len(risky) else 0.0,
            context,
        )


def _together(scales: Sequence[Scale]) -> Scale:
    """The attributes of several scales of one column, each once; one that everybody has where there is none."""

    def attributes(name: str, domain: Domain) -> list[tuple[str, Any]]:
        found: dict[bytes, tuple[str, Any]] = {}
        for scale in scales:
            for text, having in scale.attributes(name, domain):
                found.setdefault(having.tobytes(), (text, having))
        return list(found.values()) or [(f"{name} left out", np.ones(domain.size, dtype=bool))]

    return Scale(" + ".join(map(str, scales)) or "left out", attributes, partial=True)
