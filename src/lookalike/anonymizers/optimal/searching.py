"""The best full-domain generalisation: one level per attribute, classes that break a model suppressed, least loss.

Globally optimal for every model alone or combined: branch and bound that prunes only with bounds that hold for every
model (`requirements.py`, `lookalike.kernels.lattice.bounds`). Small lattices are searched depth first; in large ones
`neighbourhoods` find good nodes and `covers` raise the bound (`parts`, where more than the sizes of classes count),
until a time limit; the result then says how far it may be from the optimum. The optimum and its definition of
suppression are those of ARX (Prasser, Eicher, Spengler, Bild and Kuhn 2020, https://doi.org/10.1002/spe.2812). A node
costs O(rows still distinct and not suppressed); the number of nodes grows with the product of the numbers of levels.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.anonymizers.optimal.boxes import LatticeBoxes
from lookalike.anonymizers.optimal.branching import Branching
from lookalike.anonymizers.optimal.covers import ColumnCover
from lookalike.anonymizers.optimal.fences import fenced
from lookalike.anonymizers.optimal.lattice import GeneralisationLattice, Judgement, Node, refusal
from lookalike.anonymizers.optimal.neighbourhoods import Neighbourhoods
from lookalike.anonymizers.optimal.parts import Whole
from lookalike.base.checks import number, whole_number
from lookalike.base.errors import GuaranteeError
from lookalike.base.progress import Progress, Report, track
from lookalike.models import Model
from lookalike.tables.cells import Cells

#: Nodes from which on a first good node is worth a short walk, or a local search and bounds by parts.
SMALL, LARGE = 2_000, 300_000


class Alternative(NamedTuple):
    """Another node that was looked at."""

    levels: Node
    loss: float
    suppressed: int  #: records


@dataclass(frozen=True, eq=False)
class OptimalSearch:
    """The node chosen, and how sure it is that none is better, what each leaves out being settled as described."""

    levels: Node  #: one per attribute of the cells
    suppressed: NDArray[np.bool_]  #: per cell
    loss: float
    bound: float  #: no allowed node loses less than this
    proven_optimal: bool
    nodes: int  #: size of the lattice
    visited: int  #: nodes evaluated
    alternatives: tuple[Alternative, ...]  #: the best nodes seen, best first, the chosen one among them
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Everything but the cells, as plain JSON values."""
        return {
            "levels": list(self.levels),
            "loss": self.loss,
            "bound": self.bound,
            "proven_optimal": self.proven_optimal,
            "nodes": self.nodes,
            "visited": self.visited,
            "alternatives": [
                {"levels": list(a.levels), "loss": a.loss, "suppressed": a.suppressed}
                for a in self.alternatives
            ],
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        sure = "optimal" if self.proven_optimal else f"at best {self.bound:.4f}"
        return (
            f"OptimalSearch(levels {self.levels}, loss {self.loss:.4f}, {sure}; {self.visited:,} of "
            f"{self.nodes:,} nodes)"
        )


class Standing(float):
    """What progress is told: the share done, and the loss and bound so far."""

    loss: float
    bound: float

    def __new__(cls, share: float, loss: float, bound: float) -> Standing:
        out = super().__new__(cls, share)
        out.loss, out.bound = loss, bound
        return out


def search(
    cells: Cells,
    models: Sequence[Model],
    *,
    suppression: float = 0.0,
    loss: str = "loss",
    weights: Mapping[str, float] | None = None,
    min_levels: Mapping[str, int] | None = None,
    max_levels: Mapping[str, int] | None = None,
    seconds: float | None = None,
    alternatives: int = 10,
    compared: str = "original",
    progress: Progress = False,
) -> OptimalSearch:
    """Find the levels that keep every model with at most a share `suppression` of the people left out.

    loss: "loss", "ncp", "precision", "entropy", "discernibility" or "average class size".
    weights: how much each attribute counts (the last two measures have none).
    min_levels, max_levels: the levels allowed per attribute.
    seconds: stop after about this long with the best node so far; `proven_optimal` and `bound` say how good it is.
    alternatives: how many of the best nodes seen to list.
    compared: whether models that compare with the whole table compare with the "original", as ARX does, or with the
        "release": then classes that break against what is left of the others go as well, until none does.
    progress: True for a bar, or a function that is told the share done; what it is told also has `loss` and `bound`.
    """
    if seconds is not None:
        number(seconds, "seconds", least=0, above=True)
    whole_number(alternatives, "alternatives")
    started = time.perf_counter()
    lattice = GeneralisationLattice(
        cells,
        models,
        suppression=suppression,
        loss=loss,
        weights=weights,
        min_levels=min_levels,
        max_levels=max_levels,
        compared=compared,
    )
    branching = Branching(fenced(lattice) if lattice.spare == 0 else lattice, alternatives=alternatives)
    if seconds is not None:
        _compile(branching)
    with track(progress, "Searching the best levels") as report:
        clock = _Clock(branching, time.perf_counter(), seconds, report)
        bound = _search(branching, clock)
    if not np.isfinite(branching.losses[0]):
        if clock.over:
            raise GuaranteeError(
                "no generalisation that keeps the promise was found in the time given. Allow more seconds."
            )
        raise refusal(lattice)
    levels = branching.node(branching.levels[0])
    if branching.records[0]:
        judgement = lattice.evaluate(levels)
    else:
        judgement = Judgement(np.zeros(len(cells), dtype=bool), 0, float(branching.losses[0]))
    seen = [
        Alternative(branching.node(prefix.tolist()), float(lost), int(records))
        for lost, prefix, records in zip(branching.losses, branching.levels, branching.records, strict=True)
        if np.isfinite(lost)
    ]
    return OptimalSearch(
        levels,
        judgement.suppressed,
        judgement.loss,
        min(bound, judgement.loss) if clock.over else judgement.loss,
        not clock.over,
        lattice.nodes,
        int(branching.walk.state[2]),
        tuple(seen),
        time.perf_counter() - started,
    )


def _compile(branching: Branching) -> None:
    """Have the kernels compiled before the clock starts."""
    lattice = branching.lattice
    branching.try_node(branching.prefix(lattice.high))
    if lattice.nodes > LARGE and branching.sizes_only:
        LatticeBoxes(lattice, lattice.order[-1:], lattice.high)


_LONG = 4.0  #: seconds
_PATIENCE = 7.0  #: times as long as the best node took to find before the bound has a turn
_STARTS = 2  #: of the search for good nodes before the bound has a turn, where time is limited


class _Clock:
    """Says whether to go on, and passes on how things stand."""

    def __init__(self, branching: Branching, started: float, seconds: float | None, report: Report) -> None:
        self.branching, self.started, self.seconds, self.report = branching, started, seconds, report
        self.bound = 0.0
        self.over = False
        self.last, self.spent, self.looking = started, 0.0, True
        self.loss, self.gained = np.inf, 0.0

    def settled(self) -> bool:
        """Say how things stand; whether good nodes had time enough for themselves, where time is limited.

        That is seven times what the best took to find, a tenth of the time at least, and no more than two fifths of a
        second and a fifth of the time.
        """
        if self.seconds is None:
            return not self.go_on()
        enough = max(_PATIENCE * self.gained, 0.1 * self.seconds)
        return self.past(min(0.2 + 0.4 / self.seconds, enough / self.seconds))

    def past(self, share: float) -> bool:
        """Say how things stand; whether this share of the time is used up."""
        self.go_on()
        return self.seconds is not None and time.perf_counter() - self.started >= share * self.seconds

    def turn(self) -> bool:
        """Whether it is the turn of better nodes, not of the bound, where time is limited.

        A third of the time is theirs, a ninth when it is long and nothing better was found for half of it.
        """
        now = time.perf_counter()
        passed, self.last = now - self.last, now
        late = now - self.started > max(2 * self.gained, _LONG)
        self.spent += passed if self.looking else -passed / (8 if late else 2)
        self.looking = self.seconds is not None and self.spent <= 0
        return self.looking

    def go_on(self) -> bool:
        """Say how things stand; False when the time is over."""
        passed = time.perf_counter() - self.started
        self.over = self.seconds is not None and passed >= self.seconds
        loss = float(self.branching.losses[0])
        if loss < self.loss:
            self.loss, self.gained = loss, passed
        proven = self.bound / loss if 0 < loss < np.inf else 0.0
        share = max(proven, passed / self.seconds) if self.seconds is not None else proven
        self.report(Standing(min(share, 1.0), loss, min(self.bound, loss)))
        return not self.over


def _search(branching: Branching, clock: _Clock) -> float:
    """Search to the end, or until the time is over; return what no node can beat."""
    if branching.lattice.nodes <= LARGE:
        if branching.lattice.nodes > SMALL and branching.lattice.spare:
            _scout(branching)
        if branching.explore(lambda: not clock.past(0.5)):
            return float(branching.losses[0])
    around = Neighbourhoods(branching)
    starts = 1 if clock.seconds is None else _STARTS
    while not (around.stuck and around.starts == starts) and not clock.settled():
        around.step(clock.go_on)
    hurry = clock.seconds is not None
    bounds = ColumnCover(branching, hurry=hurry) if branching.sizes_only else Whole(branching, hurry=hurry)
    while not bounds.done() and clock.go_on():
        if clock.turn():
            around.step(clock.go_on)
        else:
            bounds.step()
            clock.bound = bounds.least
    return bounds.least


def _scout(branching: Branching) -> None:
    """A good node soon: a short walk in the opposite order, in which bounds tell more early, but steps cost more."""
    lattice = branching.lattice
    scout = Branching(lattice, alternatives=1, order=lattice.order[::-1])
    more = iter((True, True))
    scout.explore(lambda: next(more, False), work=15 * len(lattice.cells))
    branching.adopt(scout)
