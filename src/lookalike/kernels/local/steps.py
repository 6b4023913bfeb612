"""The steps of local recoding, for others to call: build classes, settle who is left over, move records, rebuild.

They share most of their parts, so one kernel has all of them, and each part is compiled once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel
from lookalike.kernels.local.boxes import Boxes, LocalProblem, empty_boxes
from lookalike.kernels.local.build import GATHER, WIDEN, build_part, room_for
from lookalike.kernels.local.rebuild import pool_for, rebuild_part
from lookalike.kernels.local.search import Chains, move_part, place_part

__all__ = ["GATHER", "WIDEN", "build", "move", "place", "rebuild"]
_PLACE, _MOVE, _REBUILD = 2, 3, 4
_NONE = np.empty(0, np.int64)


def build(problem: LocalProblem, order: Any, way: int) -> tuple[Any, int]:
    """Classes seeded in `order`: (label per record, how many). Records left over get -1."""
    labels = np.empty(len(problem.rows), np.int32)
    made = _take(way, problem, empty_boxes(problem.shape, 1), labels, order=order)
    return labels, int(made)


def place(problem: LocalProblem, labels: Any, classes: int) -> tuple[float, Boxes]:
    """Give every record without a class the one that it increases least; loss summed over records, and the boxes."""
    boxes = empty_boxes(problem.shape, classes)
    return _take(_PLACE, problem, boxes, labels, classes), boxes


def move(problem: LocalProblem, labels: Any, classes: int) -> None:
    """One sweep, classes of highest loss first: dissolve the class, or else move its members one by one."""
    _, boxes = place(problem, labels, classes)
    _take(_MOVE, problem, boxes, labels, order=np.argsort(boxes.loss, kind="stable"))


def rebuild(problem: LocalProblem, labels: Any, classes: int, steps: int, seed: int) -> int:
    """Pool neighbouring classes and build them anew, so many times; returns the number of labels in use, emptied too.

    A pool may come back as more classes than it was.
    """
    boxes = empty_boxes(problem.shape, classes + len(problem.rows) // problem.k)
    for whole, filled in zip(boxes, place(problem, labels, classes)[1], strict=True):
        whole[:classes] = filled
    return int(_take(_REBUILD, problem, boxes, labels, classes, steps=steps, seed=seed))


def _take(
    what: int,
    problem: LocalProblem,
    boxes: Boxes,
    labels: Any,
    classes: int = 0,
    *,
    order: Any = _NONE,
    steps: int = 0,
    seed: int = 0,
) -> float:
    """Take a step, with room for it."""
    n, most = len(labels), len(boxes.size)
    room = room_for(problem.shape, max(n, most))
    chains = Chains(labels, np.full(most, -1), np.empty(n, np.int64))
    pool = pool_for(problem, *((n, most) if steps else (0, 0)), seed)
    return float(_step(what, problem, boxes, room, chains, pool, order, classes, steps))


@kernel
def _step(
    what: Any,
    problem: Any,
    boxes: Any,
    room: Any,
    chains: Any,
    pool: Any,
    order: Any,
    classes: Any,
    steps: Any,
) -> Any:
    """Boxes are those of the classes; order is of seeds or of classes."""
    n = len(problem.rows)
    if what == _PLACE:
        return place_part(problem, boxes, room, chains.labels, room.numbers, n, classes)
    if what == _MOVE:
        move_part(problem, boxes, room, chains, order)
        return 0.0
    if what == _REBUILD:
        return 1.0 * rebuild_part(problem, boxes, room, chains, pool, classes, steps)
    return 1.0 * build_part(problem, boxes, room, order, room.numbers, n, chains.labels, what)
