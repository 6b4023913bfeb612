"""CF-K: the least general box around a counterfactual that covers k training records and keeps the outcome.

Greedy randomised construction, then best-improvement local search, repeated; Goethals, Sörensen and Martens 2022,
https://doi.org/10.48550/arXiv.2210.12051, algorithm 1. All searches advance together: each asks for the outcomes it
lacks, one call of the model answers them all. A step costs O(cells x columns) and at most one such call.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import choice, number, share, whole_number
from lookalike.explanations.space import BoxLevels, Mask, Space
from lookalike.kernels.cfk import growth as cfk_growth
from lookalike.kernels.cfk import moves as cfk_moves
from lookalike.kernels.cfk import pureness as cfk_pureness
from lookalike.kernels.cfk.boxes import Outline

Objective = Literal["weighted", "lex_ncp", "lex_pureness"]
Moves = Literal["paper", "free"]
Tuples = NDArray[np.int32]
Asking = Generator[None, None, "Solution"]
_NO_BETTER = 1e-12  # a gain below rounding is no gain
_HALF = 32  # bits
_LOWER = 2**_HALF - 1


@dataclass(frozen=True)
class Rules:
    """What a box must keep and what makes one better than another."""

    k: int
    alpha: int = 20
    iterations: int = 3
    objective: Objective = "weighted"
    mu: float = 1.0  #: price of pureness in the weighted objective
    floor: float = 0.0  #: least pureness allowed
    l: int = 1  #: least number of distinct private tuples covered  # noqa: E741
    combinations: int = 100  #: tuples of a box that are tried out: all if there are no more, else a sample
    effort: float = 100.0  #: further searches per unit of loss (NCP + 1 - pureness)
    moves: Moves = "paper"  #: grow single values and shrink the others; or "free": grow and shrink all
    seed: int = 0

    def __post_init__(self) -> None:
        for what in ("k", "alpha", "iterations", "l", "combinations"):
            whole_number(getattr(self, what), what, least=1)
        whole_number(self.seed, "seed")
        choice(self.objective, "objective", ("weighted", "lex_ncp", "lex_pureness"))
        choice(self.moves, "moves", ("paper", "free"))
        number(self.mu, "mu", least=0)
        number(self.effort, "effort", least=0)
        share(self.floor, "floor")

    def quality(self, ncp: float, pureness: float) -> tuple[float, ...]:
        """Smaller is better."""
        short = max(0.0, self.floor - pureness)
        if self.objective == "lex_ncp":
            return short, ncp, -pureness
        if self.objective == "lex_pureness":
            return short, -pureness, ncp
        return short, ncp + self.mu * (1 - pureness), ncp


@dataclass(frozen=True, eq=False)
class Solution:
    """A box, what it covers and what it costs."""

    mask: Mask
    level: BoxLevels
    ncp: float
    pureness: float
    tried: int  #: tuples that pureness was measured on
    quality: tuple[float, ...]
    steps: int
    exhausted: bool  #: too few desired records nearby: the whole domain had to be taken


@dataclass(eq=False)
class Ground:
    """The training set as the search sees it."""

    space: Space
    weight: NDArray[np.int64]  #: what counts towards k, per cell
    pool: NDArray[np.int64]  #: records with the desired outcome, per cell
    meant: NDArray[np.int64]  #: of those, the ones that could be a counterfactual
    private: (
        NDArray[np.int64] | None
    )  #: distinct (cell, private tuple) keys: cell, then tuple; only where l > 1
    spare: NDArray[np.int64]  #: of the weight, what no explanation ever starts from, per cell
    units: bool

    @cached_property
    def both(self) -> NDArray[np.int64]:
        """Weight and spare weight in one number, so that one survey counts both."""
        return self.weight + (self.spare << _HALF)

    def kept(self, both: NDArray[np.int64], rules: Rules) -> NDArray[np.bool_]:
        """Which sums of `both` have k, and somebody spare beside whoever is meant.

        Boxes of different records belong to different rows. Each has one more than the rows its own records take, so no
        matching of boxes to rows rules a candidate out (Hall 1935). At k=1 nobody is hidden.
        """
        out: NDArray[np.bool_] = (both & _LOWER >= rules.k) & ((both >> _HALF > 0) | (rules.k == 1))
        return out

    def enough(self, mask: Mask, rules: Rules) -> bool:
        """Does a box keep k (in people, where the table names them) and l?"""
        if self.units and self.space.people(mask) < rules.k:
            return False
        return self.private is None or self.variety(mask) >= rules.l

    def variety(self, mask: Mask) -> int:
        """Distinct private tuples inside a box."""
        assert self.private is not None
        return len(np.unique(self.private[1][self.space.inside(mask)[self.private[0]]]))


@dataclass(eq=False)
class Task:
    """One counterfactual: its tuple, its neighbours, and the outcomes known so far."""

    own: NDArray[np.int32]
    order: NDArray[np.int64]  #: cells (or cells of records), nearest first, where the pool is not empty
    pool: NDArray[np.int64]  #: pool records of each
    spare: NDArray[np.int64]  #: cells with somebody spare, nearest first
    entropy: tuple[int, ...]  #: seeds everything random about this counterfactual
    priority: NDArray[np.float32] = field(init=False)
    known: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    answer: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    asked: list[tuple[NDArray[np.int64], Tuples]] = field(default_factory=list)

    def prepare(self, ground: Ground, rules: Rules) -> None:
        """Draw the shuffled orders that samples of tuples are taken by."""
        rng = np.random.Generator(np.random.PCG64([rules.seed, *self.entropy]))
        self.priority = rng.random((rules.combinations, int(ground.space.shape.off[-1])), dtype=np.float32)

    def judge(
        self, ground: Ground, rules: Rules, masks: Mask
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Pureness of boxes and the number of tuples tried; what is not known yet is put in `asked`."""
        space, most = ground.space, len(masks) * rules.combinations
        pureness, tried = np.empty(len(masks)), np.empty(len(masks), dtype=np.int64)
        held = np.empty((rules.combinations, len(space)), dtype=np.int32)
        keys, tuples = np.empty(most, dtype=np.int64), np.empty((most, len(space)), dtype=np.int32)
        known = cfk_pureness.Answers(space.radix, self.known, self.answer)
        n = cfk_pureness.judge(
            masks, space.shape.off, self.priority, known, held, pureness, tried, keys, tuples
        )
        if n:
            self.asked.append((keys[:n].copy(), tuples[:n].copy()))
        return pureness, tried

    def question(self) -> Tuples:
        """The tuples asked for, each once; `learn` takes the answers."""
        keys = np.concatenate([keys for keys, _ in self.asked])
        tuples = np.concatenate([tuples for _, tuples in self.asked])
        fresh, first = np.unique(keys, return_index=True)
        self.asked = [(fresh, tuples[first])]
        return tuples[first]

    def learn(self, answers: NDArray[np.bool_]) -> None:
        """Remember the answers to `question`."""
        keys = np.concatenate([self.known, self.asked[0][0]])
        order = np.argsort(keys, kind="stable")
        self.known = keys[order]
        self.answer = np.concatenate([self.answer, answers.astype(np.int8)])[order]
        self.asked = []


def search(
    ground: Ground,
    tasks: Sequence[Task],
    rules: Rules,
    ask: Callable[[list[tuple[int, Tuples]]], list[NDArray[np.bool_]]],
    *,
    advance: Callable[[float], None] = lambda share: None,
    together: int = 512,
) -> list[Solution]:
    """The best box found for each task. `ask` answers (task, tuples) pairs; `together` tasks run side by side."""
    best: list[Solution | None] = [None] * len(tasks)
    waiting = list(range(len(tasks)))[::-1]
    live: dict[int, list[Asking]] = {}
    tired: set[int] = set()
    done = 0
    while waiting or live:
        while waiting and len(live) < together:
            at = waiting.pop()
            tasks[at].prepare(ground, rules)
            live[at] = [climb(ground, tasks[at], rules, turn) for turn in range(rules.iterations)]
        for at in list(live):
            live[at] = _advance(live[at], best, at)
            if not live[at] and at not in tired:
                tired.add(at)
                live[at] = _advance(_try_harder(ground, tasks[at], rules, best[at]), best, at)
            if not live[at]:
                del live[at]
                tasks[at].priority = np.empty((0, 0), dtype=np.float32)
                done += 1
        advance(done / len(tasks))
        asking = [at for at in live if tasks[at].asked]
        if asking:
            answers = ask([(at, tasks[at].question()) for at in asking])
            for at, answer in zip(asking, answers, strict=True):
                tasks[at].learn(answer)
    return [solution for solution in best if solution is not None]


def _advance(running: Iterable[Asking], best: list[Solution | None], at: int) -> list[Asking]:
    """Let each search of a task go on until it asks or ends; keep the best that ended."""
    still = []
    for one in running:
        try:
            next(one)
            still.append(one)
        except StopIteration as end:
            found: Solution = end.value
            current = best[at]
            if current is None or found.quality < current.quality:
                best[at] = found
    return still


def climb(ground: Ground, task: Task, rules: Rules, turn: int) -> Asking:
    """One construction and one local search; yields whenever it needs outcomes it has asked for."""
    space = ground.space
    mask, level, exhausted = construct(ground, task, rules, turn)
    ncp = space.ncp(mask, level)
    pureness, tried = yield from _judge(ground, task, rules, mask[None])
    here = Solution(
        mask,
        level,
        ncp,
        float(pureness[0]),
        int(tried[0]),
        rules.quality(ncp, float(pureness[0])),
        0,
        exhausted,
    )
    around = cfk_moves.Surroundings(*np.empty((2, len(mask)), dtype=np.int64))
    while True:
        moves, ncps = _moves(ground, task, rules, here, around)
        cheap = _cheap(rules, here, ncps)
        moves, ncps = moves[cheap], ncps[cheap]
        if not len(moves):
            return here
        masks, levels = _apply(space, here, moves)
        pureness, tried = yield from _judge(ground, task, rules, masks)
        found = min(range(len(moves)), key=lambda i: (rules.quality(float(ncps[i]), float(pureness[i])), i))
        quality = rules.quality(float(ncps[found]), float(pureness[found]))
        if not _better(quality, here.quality):
            return here
        here = Solution(
            masks[found],
            levels[found],
            float(ncps[found]),
            float(pureness[found]),
            int(tried[found]),
            quality,
            here.steps + 1,
            exhausted,
        )


def _try_harder(ground: Ground, task: Task, rules: Rules, found: Solution | None) -> list[Asking]:
    """Further searches where much is still lost: as many as effort x (NCP + 1 - pureness)."""
    more = round(rules.effort * (found.ncp + 1 - found.pureness)) if found is not None else 0
    return [climb(ground, task, rules, rules.iterations + turn) for turn in range(more)]


def _cheap(rules: Rules, here: Solution, ncps: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which neighbours could be better: NCP alone bounds the quality from below, so the others are not tried out."""
    if rules.objective == "lex_pureness" or here.quality[0] > 0 or not len(ncps):
        return np.ones(len(ncps), dtype=bool)
    if rules.objective == "weighted":
        return ncps < here.quality[1] - _NO_BETTER
    return ncps <= (here.ncp if rules.floor else min(here.ncp, float(ncps.min())))


def construct(ground: Ground, task: Task, rules: Rules, turn: int) -> tuple[Mask, BoxLevels, bool]:
    """Phase 1: merge randomly chosen near records into the box until it keeps what it must."""
    space = ground.space
    mask, level = space.start(task.own)
    rng = np.random.Generator(np.random.PCG64([rules.seed, *task.entropy, turn]))
    chances = rng.random(
        len(mask) + 1
    )  # every merge adds a value, so there are never more merges than values
    near = cfk_growth.NearRecords(task.order, task.pool, rules.alpha)
    spare = cfk_growth.NearRecords(task.spare, ground.spare[task.spare], rules.alpha)

    def widen(towards: cfk_growth.NearRecords, weight: NDArray[np.int64], need: int) -> bool:
        """Merge records until the box holds so much weight; whether there were enough."""
        nonlocal chances
        used, dry = cfk_growth.construct(
            space.shape, space.missing, task.own, towards, space.codes, weight, need, chances, Outline(mask, level)
        )  # fmt: skip
        chances = chances[used:]
        return not dry

    need = rules.k
    while widen(near, ground.weight, need):
        if rules.k > 1 and not widen(spare, ground.spare, 1):
            break
        if ground.enough(mask, rules):
            return mask, level, False
        need = space.count(mask, ground.weight) + 1
    return *space.everything(), True


def _judge(
    ground: Ground, task: Task, rules: Rules, masks: Mask
) -> Generator[None, None, tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Pureness of boxes, waiting for outcomes where some are not known."""
    pureness, tried = task.judge(ground, rules, masks)
    while (pureness < 0).any():
        yield
        pureness, tried = task.judge(ground, rules, masks)
    return pureness, tried


def _moves(
    ground: Ground,
    task: Task,
    rules: Rules,
    here: Solution,
    around: cfk_moves.Surroundings,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The neighbours of a box that keep what it must, and their NCP."""
    space = ground.space
    box, free = Outline(here.mask, here.level), rules.moves == "free"
    total = cfk_moves.survey(space.codes, ground.both, space.shape.off, here.mask, around)
    move = np.empty((len(here.mask) + 2 * len(space), 4), dtype=np.int64)
    n = cfk_moves.list_moves(
        space.shape, space.missing, space.height, task.own, free, box, around, total, move
    )
    move = move[:n][ground.kept(move[:n, 3], rules)]
    now, ncps = np.empty(len(space)), np.empty(len(move))
    cfk_moves.price_moves(space.shape, space.missing, space.steps, move, here.mask, here.level, now, ncps)
    if ground.units or ground.private is not None:
        masks, _ = _apply(space, here, move)
        kept = np.array([ground.enough(mask, rules) for mask in masks], dtype=bool)
        move, ncps = move[kept], ncps[kept]
    return move, ncps


def _apply(space: Space, here: Solution, moves: NDArray[np.int64]) -> tuple[Mask, BoxLevels]:
    """The boxes that moves lead to."""
    masks = np.repeat(here.mask[None], len(moves), axis=0)
    levels = np.repeat(here.level[None], len(moves), axis=0)
    cfk_moves.make_moves(space.shape, moves, masks, levels)
    return masks, levels


def _better(new: tuple[float, ...], old: tuple[float, ...]) -> bool:
    """Is a quality better by more than rounding?"""
    for a, b in zip(new, old, strict=True):
        if abs(a - b) > _NO_BETTER:
            return a < b
    return False
