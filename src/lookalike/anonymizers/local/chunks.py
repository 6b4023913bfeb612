"""Cut a table into chunks of similar records, so that quadratic work stays small and threads can share it.

Top-down, at the middle of the column whose halves lose least (as Mondrian splits, LeFevre et al. 2006,
https://doi.org/10.1109/ICDE.2006.101). O(n log n). Chunks do not depend on the number of threads.
"""

from __future__ import annotations

import _thread
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lookalike.kernels.columns import Shape

Where = NDArray[np.int64]
T = TypeVar("T")


def cut(
    rows: NDArray[np.int32], shape: Shape, limit: int, *, moods: NDArray[np.float64] | None = None
) -> list[Where]:
    """Positions of the rows of each chunk; a chunk is larger than `limit` only where no column can be cut.

    moods: a factor per column on how much it is liked for cutting, so that other rounds cut elsewhere.
    """
    place = places(shape)
    waiting = [np.arange(len(rows))]
    done = []
    while waiting:
        here = waiting.pop()
        if len(here) <= limit:
            done.append(here)
            continue
        best, side = 0.0, None
        for a in range(rows.shape[1]):
            where = place[rows[here, a]]
            found = _halves(where, least=limit // 8)
            if found is None:
                continue
            left = where < found
            gain = _parted(rows[here, a], left, shape, a) * (1.0 if moods is None else float(moods[a]))
            if side is None or gain > best:
                best, side = gain, left
        if side is None:
            done.append(here)
        else:
            waiting += [here[~side], here[side]]
    return done


def share_out(work: Callable[[int], T], jobs: int) -> list[T]:
    """Do numbered jobs on all cores; answers come back in order, whoever was first.

    The caller is one of those who work, so that a thread that gets no memory to start with is not waited for.
    """
    answers: dict[int, T] = {}
    failed: list[BaseException] = []
    waiting = deque(range(jobs))
    done = threading.Semaphore(0)

    def take() -> None:
        while waiting:
            with suppress(IndexError):  # somebody else was first
                job = waiting.popleft()
                try:
                    if not failed:
                        answers[job] = work(job)
                except BaseException as problem:
                    failed.append(problem)
                finally:
                    done.release()

    for _ in range(min(os.cpu_count() or 1, jobs) - 1):
        with suppress(RuntimeError, MemoryError):
            _thread.start_new_thread(take, ())
    take()
    for _ in range(jobs):
        done.acquire()
    if failed:
        raise failed[0]
    return [answers[job] for job in range(jobs)]


def places(shape: Shape) -> NDArray[np.int64]:
    """A place for every value such that neighbours are alike: rank, depth-first order of the tree, or number."""
    out = np.arange(len(shape.rank))
    for a in range(len(shape.style)):
        here = slice(int(shape.off[a]), int(shape.off[a + 1]))
        order = np.lexsort([np.arange(here.stop - here.start), shape.rank[here], *shape.up[:, here]])
        out[here][order] = np.arange(len(order))
    return out


def _halves(where: NDArray[np.int64], *, least: int) -> int | None:
    """The place nearest the middle before which to cut, leaving at least `least` rows on both sides."""
    upto = np.cumsum(np.bincount(where))
    cuts = np.flatnonzero((upto[:-1] >= max(least, 1)) & (len(where) - upto[:-1] >= max(least, 1)))
    if not len(cuts):
        return None
    return int(cuts[np.argmin(np.abs(upto[cuts] - len(where) / 2))]) + 1


def _parted(values: NDArray[np.int32], left: NDArray[np.bool_], shape: Shape, a: int) -> float:
    """Loss per record that cutting a column here saves."""
    halves = ((left.sum(), values[left]), ((~left).sum(), values[~left]))
    return _loss(values, shape, a) - sum(float(n) * _loss(v, shape, a) for n, v in halves) / len(values)


def _loss(values: NDArray[np.int32], shape: Shape, a: int) -> float:
    """Loss per record of publishing these values of a column together."""
    from lookalike.kernels.columns import RANGE, SET

    present = np.flatnonzero(np.bincount(values - int(shape.off[a]))) + int(shape.off[a])
    style = int(shape.style[a])
    if style == RANGE:
        rank = shape.rank[present]
        rank = rank[rank >= 0]
        return float(shape.scale[a]) * float(rank[-1] - rank[0] if len(rank) else 0)
    if style == SET:
        return float(shape.scale[a]) * (len(present) - 1)
    same = (shape.up[:, present] == shape.up[:, present[:1]]).all(axis=1)
    return float(shape.cost[int(np.argmax(same)), present[0]])


def rows_of(chunks: Sequence[Where], of_row: NDArray[np.int32]) -> list[Where]:
    """Rows of the classes in each chunk of classes, from the class of each row."""
    chunk_of = np.empty(int(of_row.max(initial=0)) + 1, dtype=np.int64)
    for number, classes in enumerate(chunks):
        chunk_of[classes] = number
    mine = chunk_of[of_row]
    order = np.argsort(mine, kind="stable")
    return np.split(order, np.cumsum(np.bincount(mine, minlength=len(chunks)))[:-1])
