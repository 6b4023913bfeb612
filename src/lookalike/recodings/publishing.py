"""Hierarchies as they go out: what a level grown from the data is called once it is known who is in the release.

Cuts between the values of a table, an order of them, groups that merge the rarest first: all of these know the people
who are left out. So the groups that hold released people are named anew, from nothing but how many of these have each
value. Cuts move to a round number or to the begin of a month, quarter, year or decade, around which enough people lie;
groups that no such number tells apart become one. Groups of words name the values that enough people have and call the
rest `…`. A level that nobody grew from the data (of a file, of given intervals, the calendar, the beginning of a code)
says the same whoever is left out, and stays. O(d log d) for d distinct values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.recodings.edges import Grid, grids
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.notation import write_range, write_set, write_value
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies import ROOT, Hierarchy, Tree
from lookalike.tables.table import Table

Counts = NDArray[np.integer[Any]]
_REST = str(write_set((), others=True))
LEVEL = 1  #: of a published hierarchy that has the groups


def count_released(people: Table, name: str, kept: NDArray[np.bool_], domain: Domain) -> NDArray[np.int64]:
    """How many people have each value of a domain in the rows that are kept."""
    have = np.zeros(domain.size, dtype=np.int64)
    have[domain.find(people.column(name).part(kept).domain)] = people.people_having(name, among=kept)
    return have


def publish_level(
    tree: Tree, level: int, people: Counts, least: int, finest: float = 0.0
) -> Hierarchy | None:
    """What the groups of a level are called, as a hierarchy of one level; None where they keep their names.

    people: how many released people have each value. least: of them, for a value to be named. finest: the narrowest
        grid on which intervals may end, where the meaning of the column sets one.
    """
    if not tree.recipe.is_grown or level in (0, tree.height):
        return None
    if tree.recipe.how == "cuts":
        return Hierarchy.cuts(_points(tree.domain, tree.up[level], people, least, finest))
    return _named(tree, level, people, least)


def publish_cuts(tree: Tree, people: Counts, least: int, finest: float = 0.0) -> Hierarchy | None:
    """All levels of a hierarchy of cuts, for boxes that lie on several of them; None where it keeps its names."""
    if not tree.recipe.is_grown or tree.recipe.how != "cuts":
        return None
    levels: list[list[Any]] = []
    for up in reversed(tree.up[1:-1]):
        mine = _points(tree.domain, up, people, least, finest)
        levels.append(sorted({*mine, *(levels[-1] if levels else [])}))
    return Hierarchy.cuts(*[level for level in reversed(levels) if level] or [[]])


def _named(tree: Tree, level: int, people: Counts, least: int) -> Hierarchy:
    """Words by the values of their group that enough people have; who is in no named group is one of the others."""
    whole = tree.whole()
    have = np.zeros(whole.domain.size, dtype=np.int64)
    have[whole.domain.find(tree.domain)] = people
    place = {text: code for code, text in enumerate(whole.domain.texts)}
    order = [place[text] for text in tree.recipe.options.get("values", whole.domain.texts)]
    groups: dict[int, list[int]] = {}
    for code in order:
        groups.setdefault(int(whole.up[level][code]), []).append(code)
    texts, ordered, called = whole.domain.texts, tree.recipe.how == "ordering", {}
    for codes in groups.values():
        there = [code for code in codes if have[code] > 0]
        label, covered = _name(codes, there, [c for c in there if have[c] >= least], texts, ordered=ordered)
        called.update({code: label if code in covered else _REST for code in codes})
    return Hierarchy.rows([[text, called[code], ROOT] for code, text in enumerate(texts)])


def _name(
    codes: list[int], there: list[int], named: list[int], texts: list[str], *, ordered: bool
) -> tuple[str, set[int]]:
    """What a group is called, and which of its values that covers."""
    if len(there) == 1 and named:
        text = texts[there[0]]
        return text if text == text.strip() else write_value(text), set(there)
    if there and named == there:
        first, last = there[0], there[-1]
        label = write_range(texts[first], texts[last]) if ordered else str(write_set(texts[c] for c in there))
        if label not in set(texts):  # some value may be spelt like a set of others
            covered = codes[codes.index(first) : codes.index(last) + 1] if ordered else there
            return label, set(covered)
    return str(write_set((texts[code] for code in named), others=True)), set(codes)


def _points(domain: Domain, nodes: Counts, people: Counts, least: int, finest: float) -> list[Any]:
    """Cut points between the groups that hold released people."""
    n = len(domain.values)
    there = np.flatnonzero(people[:n] > 0)
    numbers, node = domain.numbers[there], nodes[there]
    last = np.flatnonzero(np.diff(node))
    firsts, lasts = [0, *(last + 1).tolist()], [*last.tolist(), len(there) - 1]
    held = _Held(numbers.tolist(), np.concatenate([[0], np.cumsum(people[there])]).tolist(), least)
    ladder = list(grids(domain.kind, numbers, finest, single=True))
    points: set[float] = set()
    for i in range(len(last)):
        below, above = numbers[lasts[i]], numbers[firsts[i + 1]]
        gap = _Gap(float(below), float(above), ladder, held)
        points.update(gap.cut(float(below - numbers[firsts[i]]), float(numbers[lasts[i + 1]] - above)))
    return [_plain(point, domain.kind) for point in sorted(points)]


@dataclass(frozen=True)
class _Held:
    """Released values in their order, and how many people have smaller ones than each."""

    numbers: list[float]
    before: list[int]
    least: int

    def share(self, low: float, high: float) -> bool:
        """Whether enough people have a value from `low` on and below `high`."""
        here, there = bisect_left(self.numbers, low), bisect_left(self.numbers, high)
        return self.before[there] - self.before[here] >= self.least


@dataclass(frozen=True)
class _Gap:
    """Between two released values that belong to different groups; a cut lies above the one and not above the other."""

    below: float
    above: float
    ladder: list[Grid]  #: finest first
    held: _Held

    def cut(self, wide: float, next_wide: float) -> list[float]:
        """Where the lower group ends and the upper one begins, on grids about as wide as they are; nowhere, if that
        would tell of fewer people than enough."""
        ends = self._find(self.below, wide, lambda cell: cell[1])
        begins = self._find(self.above, next_wide, lambda cell: cell[0])
        found = [one for one in (ends, begins) if one is not None]
        if ends is not None and begins is not None and ends[1] > begins[1]:
            found = [max(found)]
        return [point for _, point in found]

    def _find(
        self, value: float, wide: float, side: Callable[[tuple[float, float]], float]
    ) -> tuple[float, float] | None:
        """The width of a cell around a value and its edge in the gap: cells as wide as the group, else wider ones,
        else finer ones."""
        cells = [_cell(grid, value) for grid in self.ladder]
        first = next((i for i, (down, up) in enumerate(cells) if up - down >= wide), len(cells))
        for down, up in [*cells[first:], *reversed(cells[:first])]:
            point, width = side((down, up)), up - down
            fits = self.below < point <= self.above
            if fits and self.held.share(point - width, point + width):
                return width, point
        return None


def _cell(grid: Grid, value: float) -> tuple[float, float]:
    down, up = grid(np.array([value]))
    return float(down[0]), float(up[0])


def _plain(number: float, kind: Kind) -> float | int | str:
    if kind is Kind.DATE:
        return str(np.datetime64(int(number), "D"))
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
