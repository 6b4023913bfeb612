"""The steps of local recoding, for others to call: build classes, settle who is left over, move records, rebuild.

They share most of their parts, so one kernel has all of them, and each part is compiled once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.columns import Shape
from lookalike.kernels.compiling import kernel
from lookalike.kernels.local.boxes import Boxes, empty_boxes
from lookalike.kernels.local.build import GATHER, WIDEN, build_part, room_for
from lookalike.kernels.local.rebuild import pool_for, rebuild_part
from lookalike.kernels.local.search import Chains, move_part, settle_part

__all__ = ["GATHER", "WIDEN", "build", "move", "rebuild", "settle"]
_SETTLE, _MOVE, _REBUILD = 2, 3, 4
_NONE, _NO_KINDS, _NO_DRAWS = np.empty(0, np.int64), np.empty(0, np.uint64), np.empty(0, np.uint64)


def build(shape: Shape, rows: Any, kinds: Any, k: int, variety: int, order: Any, way: int) -> tuple[Any, int]:
    """Classes of at least k records with at least `variety` kinds, seeded in `order`: (label per record, how many).

    kinds: a bit per record (its sensitive value); variety 1 asks for nothing. Records left over get -1.
    """
    n = len(rows)
    labels, boxes, room, pool = (
        np.empty(n, np.int32),
        empty_boxes(shape, 1),
        room_for(shape, n),
        pool_for(shape, 0, 0),
    )
    chains = Chains(labels, _NONE, _NONE)
    made = _step(
        way, shape, boxes, boxes, room, rows, kinds, chains, pool, order, k, variety, 0, 0, 0, _NO_DRAWS
    )
    return labels, int(made)


def settle(shape: Shape, rows: Any, labels: Any, classes: int) -> tuple[float, Boxes]:
    """Give every record without a class the one that it increases least; loss summed over records, and the boxes."""
    boxes, room, pool = (
        empty_boxes(shape, classes),
        room_for(shape, max(len(rows), classes)),
        pool_for(shape, 0, 0),
    )
    chains = Chains(labels, _NONE, _NONE)
    loss = _step(
        _SETTLE,
        shape,
        boxes,
        boxes,
        room,
        rows,
        _NO_KINDS,
        chains,
        pool,
        _NONE,
        0,
        0,
        classes,
        0,
        0,
        _NO_DRAWS,
    )
    return float(loss), boxes


def move(shape: Shape, rows: Any, kinds: Any, labels: Any, classes: int, k: int, variety: int) -> None:
    """One sweep, classes of highest loss first: dissolve the class, or else move its members one by one."""
    n = len(rows)
    _, boxes = settle(shape, rows, labels, classes)
    order = np.argsort(boxes.loss, kind="stable")
    room, pool = room_for(shape, n), pool_for(shape, 0, 0)
    room.count[:] = 0
    chains = Chains(labels, np.full(classes, -1), np.empty(n, np.int64))
    _step(
        _MOVE,
        shape,
        boxes,
        boxes,
        room,
        rows,
        kinds,
        chains,
        pool,
        order,
        k,
        variety,
        classes,
        0,
        0,
        _NO_DRAWS,
    )


def rebuild(
    shape: Shape,
    rows: Any,
    kinds: Any,
    labels: Any,
    classes: int,
    k: int,
    variety: int,
    steps: int,
    seed: int,
) -> int:
    """Pool neighbouring classes and build them anew, so many times; returns the number of labels in use, emptied too.

    A pool may come back as more classes than it was.
    """
    n = len(rows)
    most = classes + n // k
    boxes = empty_boxes(shape, most)
    for whole, filled in zip(boxes, settle(shape, rows, labels, classes)[1]):
        whole[:classes] = filled
    unused = np.flatnonzero(boxes.size == 0)[::-1]
    spare = len(unused)
    new, room, pool = empty_boxes(shape, n // k + 1), room_for(shape, n), pool_for(shape, n, most)
    chains = Chains(labels, np.full(most, -1), np.empty(n, np.int64))
    unused, state = np.resize(unused, most), np.array([seed * 2 + 1], np.uint64)
    return int(
        _step(
            _REBUILD,
            shape,
            boxes,
            new,
            room,
            rows,
            kinds,
            chains,
            pool,
            unused,
            k,
            variety,
            classes,
            spare,
            steps,
            state,
        )
    )


@kernel
def _step(
    what: Any,
    shape: Any,
    boxes: Any,
    new: Any,
    room: Any,
    rows: Any,
    kinds: Any,
    chains: Any,
    pool: Any,
    order: Any,
    k: Any,
    variety: Any,
    classes: Any,
    spare: Any,
    steps: Any,
    state: Any,
) -> Any:
    """Boxes are those of the classes, new ones those that a pool is built in; order is of seeds, classes, or names."""
    n = len(rows)
    if what == _SETTLE:
        return settle_part(shape, boxes, rows, chains.labels, room.numbers, n, room.numbers, classes)
    if what == _MOVE:
        move_part(shape, boxes, room, rows, kinds, chains, k, variety, order)
        return 0.0
    if what == _REBUILD:
        return 1.0 * rebuild_part(
            shape,
            boxes,
            new,
            room,
            rows,
            kinds,
            chains,
            pool,
            order,
            spare,
            classes,
            k,
            variety,
            steps,
            state,
        )
    return 1.0 * build_part(
        shape, boxes, room, rows, kinds, k, variety, order, room.numbers, n, chains.labels, what
    )
