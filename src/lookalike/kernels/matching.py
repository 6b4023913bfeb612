"""Maximum matchings of tasks to places with room for several, and which pairs some maximum matching has.

Matchings grow along breadth-first augmenting paths, O(tasks x pairs) at worst. A pair is in some maximum matching if
it is matched, or if both ends are in one strongly connected component of the residual graph (Régin 1994), O(pairs).
Pairs come by task: those of task t are `start[t]` to `start[t + 1]`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookalike.kernels.compiling import kernel, part

Numbers = NDArray[np.int64]


class _Matched(NamedTuple):
    """A matching, and who is in each place as a linked list of tasks; -1 is nobody."""

    place: Any  #: of each task
    load: Any  #: tasks in each place
    head: Any  #: of each place: its first task
    after: Any  #: of each task: the next one in its place


class _Room(NamedTuple):
    """Room to search in: nobody makes arrays inside a kernel."""

    queue: Any
    seen: Any  #: of each place: the last task that a path was searched for
    origin: Any  #: of each place: the task it was reached from


class _Visits(NamedTuple):
    """Room to find components in."""

    order: Any
    low: Any
    at: Any
    path: Any
    open: Any


def in_some_matching(start: Numbers, place: Numbers, capacity: Numbers) -> NDArray[np.bool_]:
    """Which pairs belong to at least one maximum matching of tasks to places."""
    tasks, places = len(start) - 1, len(capacity)
    matched = _Matched(
        np.full(tasks, -1), np.zeros(places, np.int64), np.full(places, -1), np.full(tasks, -1)
    )
    room = _Room(np.empty(tasks, np.int64), np.full(places, -1), np.empty(places, np.int64))
    match(start, place, capacity, matched, room)
    task = np.repeat(np.arange(tasks), np.diff(start))
    held = matched.place[task] == place
    component = _components(*_residual(task, place, held, matched, capacity))
    out: NDArray[np.bool_] = held | (component[task] == component[tasks + place])
    return out


def _residual(
    task: Numbers, place: Numbers, held: NDArray[np.bool_], matched: _Matched, capacity: Numbers
) -> tuple[Numbers, Numbers, int]:
    """Arrows along which a maximum matching can be changed: tasks, then places, then a source and a sink."""
    tasks, places = len(matched.place), len(capacity)
    source, sink = tasks + places, tasks + places + 1
    rooms, at_work = np.arange(tasks, tasks + places), matched.place >= 0
    every = np.arange(tasks)
    tails = [
        np.where(held, tasks + place, task),
        np.where(at_work, every, source),
        rooms[matched.load < capacity],
        np.full(int((matched.load > 0).sum()), sink),
    ]
    heads = [
        np.where(held, task, tasks + place),
        np.where(at_work, source, every),
        np.full(len(tails[2]), sink),
        rooms[matched.load > 0],
    ]
    return np.concatenate(tails), np.concatenate(heads), sink + 1


def _components(tails: Numbers, heads: Numbers, nodes: int) -> Numbers:
    """The strongly connected component of each node."""
    start = np.zeros(nodes + 1, np.int64)
    start[1:] = np.cumsum(np.bincount(tails, minlength=nodes))
    arrows = heads[np.argsort(tails, kind="stable")]
    component = np.full(nodes, -1)
    visits = _Visits(np.full(nodes, -1), *np.empty((4, nodes), np.int64))
    find_components(start, arrows, visits, component)
    return component


@kernel
def match(start: Any, place: Any, capacity: Any, matched: Any, room: Any) -> None:
    """Give each task a place, as many as there can be."""
    for task in range(len(start) - 1):
        end = _search(start, place, capacity, matched, room, task)
        while end >= 0:
            moved = room.origin[end]
            left = matched.place[moved]
            if left >= 0:
                _leave(matched, moved, left)
            matched.place[moved], matched.after[moved] = end, matched.head[end]
            matched.head[end] = moved
            matched.load[end] += 1
            end = left


@part
def _search(start: Any, place: Any, capacity: Any, matched: Any, room: Any, task: Any) -> Any:
    """A place with room that a task can have, others moving on; -1 if there is none."""
    room.queue[0] = task
    first, last = 0, 1
    while first < last:
        now = room.queue[first]
        first += 1
        for pair in range(start[now], start[now + 1]):
            to = place[pair]
            if room.seen[to] == task:
                continue
            room.seen[to], room.origin[to] = task, now
            if matched.load[to] < capacity[to]:
                return to
            other = matched.head[to]
            while other >= 0:
                room.queue[last] = other
                last += 1
                other = matched.after[other]
    return -1


@part
def _leave(matched: Any, task: Any, place: Any) -> None:
    """Take a task out of its place."""
    matched.load[place] -= 1
    if matched.head[place] == task:
        matched.head[place] = matched.after[task]
        return
    before = matched.head[place]
    while matched.after[before] != task:
        before = matched.after[before]
    matched.after[before] = matched.after[task]


@kernel
def find_components(start: Any, arrows: Any, visits: Any, component: Any) -> None:
    """Strongly connected components (Tarjan 1972), without recursion."""
    order, low, at, path, waiting = visits
    clock, opened, found = 0, 0, 0
    for root in range(len(component)):
        if order[root] >= 0:
            continue
        depth = 1
        path[0], order[root], low[root], at[root] = root, clock, clock, start[root]
        waiting[opened] = root
        clock, opened = clock + 1, opened + 1
        while depth > 0:
            node = path[depth - 1]
            if at[node] < start[node + 1]:
                to = arrows[at[node]]
                at[node] += 1
                if order[to] < 0:
                    path[depth], order[to], low[to], at[to] = to, clock, clock, start[to]
                    waiting[opened] = to
                    clock, opened, depth = clock + 1, opened + 1, depth + 1
                elif component[to] < 0 and order[to] < low[node]:
                    low[node] = order[to]
                continue
            depth -= 1
            if depth > 0 and low[node] < low[path[depth - 1]]:
                low[path[depth - 1]] = low[node]
            if low[node] == order[node]:
                opened = _close(waiting, opened, node, component, found)
                found += 1


@part
def _close(waiting: Any, opened: Any, node: Any, component: Any, number: Any) -> Any:
    """Number all that was opened since a node; returns how many stay open."""
    while True:
        opened -= 1
        component[waiting[opened]] = number
        if waiting[opened] == node:
            return opened
