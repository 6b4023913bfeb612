"""Groups of values as they are put together by hand: a hierarchy as one path per value, and moves that keep it one.

A path goes from the value through its group at every step to the root. Whatever is moved goes with all below it, and a
group has one group above it, so what comes out always nests. O(values) per move.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

Paths = list[list[str]]
ROOT = "*"


def groups_at(paths: Sequence[Sequence[str]], step: int) -> dict[str, list[str]]:
    """The groups of a step, each with what it holds of the step below, in the order of the values."""
    out: dict[str, list[str]] = {}
    for path in paths:
        below = out.setdefault(path[step], [])
        if path[step - 1] not in below:
            below.append(path[step - 1])
    return out


def steps_of(paths: Sequence[Sequence[str]]) -> range:
    """The steps that can be changed: all but the values and the root."""
    return range(1, len(paths[0]) - 1) if paths else range(0)


def with_a_step(paths: Sequence[Sequence[str]]) -> Paths:
    """The same paths; where nothing is grouped yet, with a step in which all values are together."""
    return [[path[0], ROOT, path[-1]] if len(path) == 2 else list(path) for path in paths]


def move(paths: Sequence[Sequence[str]], step: int, items: Collection[str], to: str) -> Paths:
    """Move items of the step below into another group of this one."""
    above = next(list(path[step:]) for path in paths if path[step] == to)
    return [
        [*path[:step], *above] if path[step - 1] in items and path[step] != to else list(path)
        for path in paths
    ]


def split(paths: Sequence[Sequence[str]], step: int, items: Collection[str], label: str) -> Paths:
    """Put items into a group of their own, under what the first of them was under."""
    label = free_label(label, groups_at(paths, step))
    above = next(list(path[step + 1 :]) for path in paths if path[step - 1] in items)
    return [[*path[:step], label, *above] if path[step - 1] in items else list(path) for path in paths]


def rename(paths: Sequence[Sequence[str]], step: int, label: str, to: str) -> Paths:
    """Give a group another name; one that another group has makes one group of the two."""
    to = to.strip()
    if not to or to == label:
        return [list(path) for path in paths]
    groups = groups_at(paths, step)
    if to in groups:
        return move(paths, step, groups[label], to)
    return [[*path[:step], to, *path[step + 1 :]] if path[step] == label else list(path) for path in paths]


def add_step(paths: Sequence[Sequence[str]], step: int) -> Paths:
    """A further step above this one, where its groups can be put together again."""
    return [[*path[: step + 1], *path[step:]] for path in paths]


def remove_step(paths: Sequence[Sequence[str]], step: int) -> Paths:
    """Without a step: what was in its groups is directly in those above."""
    return [[*path[:step], *path[step + 1 :]] for path in paths]


def free_label(label: str, taken: Collection[str]) -> str:
    """A label that no group has yet."""
    return next(
        one for one in (label, *(f"{label} {i}" for i in range(2, len(taken) + 3))) if one not in taken
    )
