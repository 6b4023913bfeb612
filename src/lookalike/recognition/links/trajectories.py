"""Rows that tell they are one person's: columns published as they are that stay the same in all rows of a person.

Together they act as a pseudonym: whoever puts a person's rows together may intersect what is blurred in each of them.
A column stays the same when a person's rows agree in it beyond chance, by a kappa of at least 0.9. Some do so only
within a kind of row, which another column tells: amounts vary, but base pay does not. Numbers may do so nearly.
O(columns x kinds x n).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookalike.recognition.links.agreement import STAYS, Codes, rows_of_people
from lookalike.recognition.links.link import class_sizes

_BANDS = (48, 32, 24, 16, 12, 8, 6, 4)  #: how many are tried; fewer tell next to nothing


def steady_bands(codes: Codes, ranks: Codes, unit: Codes, looked_at: Codes) -> Codes | None:
    """The band of each row by the order of its numbers, 0 where it has none; None where a person's rows do not agree.

    A weight that is measured again differs a little each time; beside what people differ by, that is nothing. Bands
    hold about as many rows each, and the narrowest in which a person's rows agree are taken. O(n) per width.
    codes: what is published; ranks: the places of the numbers in their order, negative where there is none; looked_at:
    the rows by which is told whether they agree.
    """
    order = np.full(int(codes.max(initial=0)) + 1, int(ranks.max(initial=-1)), dtype=np.int64)
    np.minimum.at(order, codes, ranks)  # numbers that are published as one have one place
    places = order[codes]
    known = places >= 0
    if not known.any():
        return None
    times = np.bincount(places[known])
    middle = (np.cumsum(times) - times / 2) / times.sum()
    some = looked_at[known[looked_at]]
    rows = rows_of_people(unit[some])

    def cut(many: int) -> Codes:
        return np.where(known, 1 + np.minimum((middle * many).astype(np.int64), many - 1)[places], 0)

    def steady(bands: Codes) -> bool:
        return bool(rows.agreement(bands[some]).stays[0])

    if not len(some) or not steady(cut(_BANDS[-1])):
        return None
    return next(bands for bands in map(cut, _BANDS) if steady(bands))


#: people with several rows, and the share of them whose rows can be put together, from which that matters
SEVERAL, TOLD = 10, 0.05
_KINDS = 50  #: values of a column that tells kinds of rows, at most
_TRIED = 8  #: columns that may tell kinds of rows, those of fewest values
_LOOKED_AT = 100_000  #: rows by which is told what stays the same, all of some people


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Columns by which rows of one person can be put together."""

    columns: tuple[str, ...]
    of_row: NDArray[np.int32]  #: rows that are alike in all of these columns share a number
    people: int  #: who have several rows
    told: int  #: of these, people with rows that are alike, and like nobody else's
    kind: str | None = None  #: the column that tells kinds of rows, where these matter
    within: tuple[str, ...] = ()  #: of the columns, those that stay the same only within some kinds
    nearly: tuple[str, ...] = ()  #: of the columns, numbers that stay nearly the same

    @property
    def many(self) -> bool:
        """Whether so many people's rows can be put together that something has to be done."""
        return self.people >= SEVERAL and self.told > TOLD * self.people

    @property
    def text(self) -> str:
        """The columns, in words."""
        always = ", ".join(
            f"{name} (nearly)" if name in self.nearly else name
            for name in self.columns
            if name not in self.within
        )
        inside = f"{', '.join(self.within)} in rows that are alike in {self.kind}" if self.within else ""
        return ", and ".join(filter(None, [always, inside]))


def find_trajectories(
    columns: Mapping[str, Codes], unit: Codes, numbers: Mapping[str, Codes] | None = None
) -> Trajectories | None:
    """The columns that stay the same in all rows of a person, and whom they tell; None where there are none.

    Kinds of rows matter where they tell more than one in twenty people more.
    columns: the code of each row in each published column; unit: whose row it is; numbers: of columns of numbers, the
    place of each row's number in their order, negative where it has none.
    """
    people = int((np.bincount(unit) > 1).sum())
    if not people:
        return None
    some = np.flatnonzero(unit % -(-len(unit) // _LOOKED_AT) == 0)  # whatever the order of rows
    whose, looked_at = unit[some], {name: codes[some] for name, codes in columns.items()}
    rows = rows_of_people(whose)
    stay = {
        name: columns[name] for name, codes in looked_at.items() if rows.agreement(codes).kappa[0] >= STAYS
    }
    vary = {name: codes for name, codes in looked_at.items() if name not in stay}
    bands = {
        name: steady_bands(columns[name], ranks, unit, some)
        for name, ranks in (numbers or {}).items()
        if name in vary
    }
    nearly = tuple(name for name, each in bands.items() if each is not None)
    lasting = {**stay, **{name: each for name, each in bands.items() if each is not None}}
    best = (
        Trajectories(tuple(lasting), *_put_together([*lasting.values()], unit), nearly=nearly)
        if lasting
        else None
    )
    least = (best.told if best else 0) + TOLD * people
    for kind, inside in _within_kinds(vary, whose):
        at = {name: np.isin(columns[kind], codes) for name, codes in inside.items()}
        telling = np.where(np.logical_or.reduce(list(at.values())), columns[kind] + 1, 0)
        shown = [np.where(rows, columns[name] + 1, 0) for name, rows in at.items()]
        found = _put_together([telling, *lasting.values(), *shown], unit)
        if found[2] > least:
            names = tuple(dict.fromkeys([*lasting, *inside]))
            best, least = Trajectories(names, *found, kind, tuple(inside), nearly), found[2]
    return best


def _within_kinds(columns: Mapping[str, Codes], unit: Codes) -> Iterator[tuple[str, dict[str, Codes]]]:
    """Columns that tell kinds of rows, with the columns that stay the same within kinds, and the codes of these."""
    for kind in _kinds(columns):
        rows = rows_of_people(unit, columns[kind])
        inside: dict[str, Codes] = {}
        for name, codes in columns.items():
            stays = np.flatnonzero(rows.agreement(codes).stays)
            if name != kind and len(stays):
                inside[name] = stays
        if inside:
            yield kind, inside


def _kinds(columns: Mapping[str, Codes]) -> list[str]:
    """The columns that may tell kinds of rows; one of those that tell the same."""
    values = {name: int(np.count_nonzero(np.bincount(codes))) for name, codes in columns.items()}
    few = sorted((name for name in values if 1 < values[name] <= _KINDS), key=values.__getitem__)
    out: list[str] = []
    for name in few:
        like = [other for other in out if values[other] == values[name]]
        pairs = ([columns[name], columns[other]] for other in like)
        if all(len(class_sizes(pair, len(pair[0]))[1]) > values[name] for pair in pairs):
            out.append(name)
        if len(out) == _TRIED:
            break
    return out


def _put_together(columns: Sequence[Codes], unit: Codes) -> tuple[NDArray[np.int32], int, int]:
    """Groups of rows that are alike; people with several rows; those of them with several in a group of their own."""
    of_row, people = class_sizes(columns, len(unit), unit)
    mine = (people == 1) & (np.bincount(of_row) > 1)
    return of_row, int((np.bincount(unit) > 1).sum()), len(np.unique(unit[mine[of_row]]))
