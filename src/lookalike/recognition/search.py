"""Search the sets of columns for the one that is most likely the quasi-identifier, by any of six methods.

All methods share one fitness and one memory of measured sets; the same seed gives the same answer on any number of
threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import choice, whole_number
from lookalike.base.errors import RequestError
from lookalike.base.progress import Progress, Report, track
from lookalike.recognition.fitness import Fitness, LinearFitness
from lookalike.recognition.frames import takes_frames
from lookalike.recognition.optimisers.annealing import annealing
from lookalike.recognition.optimisers.evolutionary import evolutionary
from lookalike.recognition.optimisers.greedy import greedy
from lookalike.recognition.optimisers.nsga2 import nsga2
from lookalike.recognition.optimisers.problem import Problem, Scorer
from lookalike.recognition.optimisers.tabu import tabu
from lookalike.recognition.own_fitness import MeasuredSet, OwnFitness
from lookalike.recognition.subsets import Measures, Universe
from lookalike.tables.table import Table

OPTIMISERS: dict[str, Callable[..., None]] = {
    "greedy": greedy,
    "tabu": tabu,
    "annealing": annealing,
    "evolutionary": evolutionary,
}
METHODS = (*OPTIMISERS, "exhaustive", "nsga2")
RISKS = ("distinction", "separation", "uniqueness")


@dataclass(frozen=True)
class Candidate:
    """A set of columns with its fitness and what it measures."""

    columns: tuple[str, ...]
    fitness: float
    distinction: float
    separation: float
    uniqueness: float
    k_min: int
    k_mean: float
    cost: float | None = None  #: the second objective, on a front

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {**vars(self), "columns": list(self.columns)}


@dataclass(frozen=True, eq=False)
class QuasiSearch:
    """What a search found: the best set, the runners-up (or the whole front), and how it got there."""

    method: str
    best: Candidate
    ranking: tuple[Candidate, ...] = field(repr=False)
    history: tuple[float, ...] = field(
        repr=False
    )  #: best fitness after each step; sets on the front for nsga2
    measured: int
    seed: int | None
    evolution: tuple[Candidate, ...] = field(
        default=(), repr=False
    )  #: the best set after each step, with all terms

    @property
    def columns(self) -> tuple[str, ...]:
        """The best set."""
        return self.best.columns

    @property
    def fitness(self) -> float:
        """Its fitness."""
        return self.best.fitness

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "method": self.method,
            "best": self.best.to_dict(),
            "ranking": [candidate.to_dict() for candidate in self.ranking],
            "history": list(self.history),
            "evolution": [candidate.to_dict() for candidate in self.evolution],
            "measured": self.measured,
            "seed": self.seed,
        }

    def plot(self) -> Any:
        """Fitness and every term of the best set after each step, or the front of risk against cost, by altair."""
        from lookalike.recognition.charts import plot_front, plot_history

        return plot_front(self) if self.method == "nsga2" else plot_history(self)

    def __repr__(self) -> str:
        best = self.best
        return (
            f"QuasiSearch({self.method}: {', '.join(best.columns)}; fitness {best.fitness:.4g}, distinction "
            f"{best.distinction:.4g}, separation {best.separation:.4g}, mean class {best.k_mean:.4g}; "
            f"{self.measured:,} sets measured)"
        )


@takes_frames
def search_quasi(
    table: Table,
    /,
    *,
    method: str = "greedy",
    columns: Sequence[str] | None = None,
    fitness: Fitness | LinearFitness | Callable[[MeasuredSet], float] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = False,
    top: int = 10,
    **options: Any,
) -> QuasiSearch:
    """Find the set of columns with the highest fitness.

    method: "greedy", "tabu", "annealing", "evolutionary", "exhaustive" (up to 20 columns; the truth) or "nsga2" (a
    front of risk against cost, nothing weighed). columns: where to look; all columns but the identifiers unless
    given. fitness: the weights of the QID paper unless given; or a function of your own, which gets each set with
    `columns`, `distinction`, `separation`, `uniqueness`, `k_min`, `k_mean`, `length_penalty`, and gives a number.
    top: how many runners-up to keep. options: those of the method, such as population=50. For nsga2, risk is
    "distinction", "separation" or "uniqueness", and cost is "columns" (how many) or a `LinearFitness` to keep low.
    table: the table. threads: how many to use; all cores unless given.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> found = la.search_quasi(la.table(frame, others=[]), method="exhaustive")
        >>> found.columns
        ('age',)
    """
    choice(method, "method", METHODS)
    if not (fitness is None or isinstance(fitness, Fitness | LinearFitness) or callable(fitness)):
        raise RequestError(
            f"`fitness` must be a la.Fitness, a la.LinearFitness or a function, found {type(fitness).__name__}."
        )
    if columns is not None and not columns:
        raise RequestError("`columns` names no column, so there is nothing to search.")
    whole_number(top, "top", least=1)
    universe = Universe(table, columns, threads=threads)
    scorer: Scorer = Fitness()
    if fitness is not None:
        scorer = fitness if isinstance(fitness, Fitness | LinearFitness) else OwnFitness(fitness)
    with track(progress, f"Searching sets of columns ({method})") as report:
        try:
            if method == "nsga2":
                return _front(universe, scorer, seed, report, **options)
            if method == "exhaustive":
                return _exhaust(universe, scorer, report, top, **options)
            problem = Problem(universe, scorer, report)
            seeded = {} if method == "greedy" else {"seed": seed}
            OPTIMISERS[method](problem, **seeded, **options)
        except TypeError as wrong:
            if options and "unexpected keyword" in str(wrong):
                raise RequestError(f"{method} takes no such option: {', '.join(options)}.") from None
            raise
    ranked = sorted(problem.known, key=problem.rank)[:top]
    found = _candidates(universe, ranked, [problem.known[s] for s in ranked])
    return QuasiSearch(
        method,
        found[0],
        found,
        tuple(problem.known[s] for s in problem.path),
        len(problem.known),
        None if method == "greedy" else seed,
        _candidates(universe, problem.path, [problem.known[s] for s in problem.path]),
    )


def _exhaust(universe: Universe, fitness: Scorer, report: Report, top: int) -> QuasiSearch:
    """Every set there is, the empty one aside."""
    if isinstance(fitness, Fitness):
        values, measures = fitness.evaluate_all(universe, report)
    else:
        every = range(2 ** len(universe))
        measures = universe.measure_all(progress=report)
        values = fitness.evaluate(universe, every)
    ordered = np.lexsort([measures.sizes, -np.nan_to_num(values, nan=-np.inf)])
    # the alphabet decides among equals, so all sets tied with the last of the top are looked at
    last = values[ordered[min(top, len(values)) - 1]]
    tied = int(np.count_nonzero(values >= last))
    ranked = sorted(
        (int(s) for s in ordered[:tied] if s),
        key=lambda s: (-values[s], s.bit_count(), universe.columns(s)),
    )[:top]
    found = _pick(universe, measures, ranked, values)
    return QuasiSearch("exhaustive", found[0], found, (found[0].fitness,), len(values) - 1, None, found[:1])


def _front(
    universe: Universe,
    fitness: Scorer,
    seed: int,
    report: Report,
    *,
    risk: str = "separation",
    cost: str | LinearFitness = "columns",
    **options: Any,
) -> QuasiSearch:
    if risk not in RISKS:
        raise RequestError(f"nsga2: risk is one of {', '.join(RISKS)}, not {risk!r}.")
    if isinstance(cost, str) and cost != "columns":
        raise RequestError(f"nsga2: cost is 'columns' or a LinearFitness, not {cost!r}.")

    def objectives(subsets: Sequence[int]) -> NDArray[np.float64]:
        high: NDArray[np.float64] = getattr(universe.measure(subsets), risk)
        low = (
            np.array([s.bit_count() for s in subsets], dtype=np.float64)
            if isinstance(cost, str)
            else cost.evaluate(universe, subsets)
        )
        return np.column_stack([high, low])

    front, sizes = nsga2(len(universe), objectives, seed=seed, progress=report, **options)
    values = fitness.evaluate(universe, list(front))
    found = _candidates(universe, list(front), values.tolist(), [c for _, c in front.values()])
    best = min(found, key=lambda c: (-c.fitness, len(c.columns), c.columns))
    return QuasiSearch("nsga2", best, found, tuple(sizes), universe.measured, seed)


def _candidates(
    universe: Universe, subsets: Sequence[int], values: Sequence[float], costs: Sequence[float] | None = None
) -> tuple[Candidate, ...]:
    measures = universe.measure(subsets)
    return tuple(
        _candidate(universe, measures, i, s, values[i], None if costs is None else costs[i])
        for i, s in enumerate(subsets)
    )


def _pick(
    universe: Universe, measures: Measures, subsets: Sequence[int], values: NDArray[np.float64]
) -> tuple[Candidate, ...]:
    return tuple(_candidate(universe, measures, s, s, float(values[s]), None) for s in subsets)


def _candidate(
    universe: Universe, measures: Measures, i: int, subset: int, fitness: float, cost: float | None
) -> Candidate:
    return Candidate(
        universe.columns(subset),
        fitness,
        float(measures.distinction[i]),
        float(measures.separation[i]),
        float(measures.uniqueness[i]),
        int(measures.k_min[i]),
        float(measures.k_mean[i]),
        cost,
    )
