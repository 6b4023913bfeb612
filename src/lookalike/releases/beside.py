"""Releases of the same people in folders beside each other: what somebody learns who holds both.

Each keeps its promise; but a person is among those alone who share both classes. An earlier release is of the same
people where its rules, applied to them, give the very groups it published. O(n) for each folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import GuaranteeError, LookalikeError, amount
from lookalike.models.model import Model
from lookalike.recodings import Recoding
from lookalike.recodings.files import RECODING, read_recoding, read_release_in_pieces
from lookalike.recodings.recoding import Placed
from lookalike.recodings.taking import hierarchies_of, kinds_of
from lookalike.tables.columns.grouping import group_codes, tally
from lookalike.tables.columns.naming import named
from lookalike.tables.engines.engine import TIMES
from lookalike.tables.engines.stored.beside import count_pieces
from lookalike.tables.table import Table


@dataclass(frozen=True)
class Overlap:
    """An earlier release of the same people, and how many of them fewer than promised share both classes with."""

    folder: Path
    people: int
    k: int

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"folder": self.folder.name, "people": self.people, "k": self.k}


def refuse_overlaps(
    people: Table, of_row: NDArray[np.int32], models: Sequence[Model], folder: Path, despite: str | None
) -> list[Overlap]:
    """The releases beside a new one that undo it together, refused unless somebody says why both may be held."""
    found = list(_overlaps(people, of_row, models, folder))
    if found and not (despite or "").strip():
        worst = max(found, key=lambda one: one.people)
        who = "record" if people.unit is None else "person"
        many = amount(worst.people, who, "records" if people.unit is None else "people")
        raise GuaranteeError(
            f"{worst.folder} holds another release of the same people. Whoever has both finds {many} in groups smaller "
            f"than {worst.k:,}. Delete the release that will not be handed out, save this one elsewhere if the other "
            "is only a draft, or say with `despite` why both may be held."
        )
    return found


def _overlaps(
    people: Table, of_row: NDArray[np.int32], models: Sequence[Model], folder: Path
) -> Iterator[Overlap]:
    promised = _smallest(models)
    beside = folder.absolute().parent
    for other in sorted(beside.iterdir()) if beside.is_dir() else ():
        if other.name == folder.name or not (other / RECODING).is_file():
            continue
        try:
            recoding = read_recoding(other)
            earlier = _classes_of(people, recoding, other)
        except LookalikeError:  # not a release, damaged, or of a table with other columns
            continue
        k = min(promised, _smallest(recoding.models))
        if earlier is None or k < 2:
            continue
        alone = _people_below(people, earlier, of_row, k)
        if alone:
            yield Overlap(other, alone, k)


def _smallest(models: Sequence[Model]) -> int:
    return max((model.smallest_class for model in models), default=1)


def _classes_of(people: Table, recoding: Recoding, folder: Path) -> NDArray[np.int32] | None:
    """The class that each row has in an earlier release, where that is of these people; else nothing."""
    known = {name: role for name, role in people.roles.items() if name in people.counted}
    if not recoding.quasi or not set(recoding.quasi) <= set(known):
        return None
    said = {n: kind for n, kind in kinds_of(recoding).items() if n in people.names}
    read = people.with_kinds({**people.kinds, **said}).with_hierarchies(hierarchies_of(recoding))
    placed = replace(recoding, models=()).place(read)
    here = _published(placed, recoding, read).rename({TIMES: "here"})
    (out,) = count_pieces(read_release_in_pieces(folder), [recoding.quasi])
    texts = out.select(*(named(name).cast(pl.String) for name in recoding.quasi), named(TIMES))
    both = texts.join(here, on=recoding.quasi, how="left", nulls_equal=True)
    if not both.height or not both[TIMES].equals(both["here"].cast(pl.Int64).alias(TIMES)):
        return None
    went_out = here.join(texts, on=recoding.quasi, how="semi", nulls_equal=True)["class"].to_numpy()
    return np.where(np.isin(placed.of_row, went_out), placed.of_row, -1).astype(np.int32)


def _published(placed: Placed, recoding: Recoding, people: Table) -> pl.DataFrame:
    """What the rules publish of the quasi-identifiers, how many records have each tuple of that, and its class."""
    kept = placed.of_row >= 0
    columns = []
    for name in recoding.quasi:
        where, labels = placed.texts[name]
        texts = pl.Series(labels, strict=False).cast(pl.String)
        columns.append(texts.gather(pl.Series(where[kept])).alias(name))
    records = np.ones(int(kept.sum()), dtype=np.int64) if people.times is None else people.times[kept]
    rows = pl.DataFrame([*columns, pl.Series(TIMES, records), pl.Series("class", placed.of_row[kept])])
    return rows.group_by(named(recoding.quasi)).agg(pl.col(TIMES).sum(), pl.col("class").first())


def _people_below(people: Table, earlier: NDArray[np.int32], now: NDArray[np.int32], k: int) -> int:
    """How many people have a row in both releases that fewer than k people share both classes with."""
    both = np.flatnonzero((earlier >= 0) & (now >= 0))
    if not len(both):
        return 0
    codes = [earlier[both], now[both]]
    group, n = group_codes(codes, [int(each.max()) + 1 for each in codes], len(both))
    if people.unit is None:
        times = None if people.times is None else people.times[both]
        sizes = tally(group, n, times)
        return int(sizes[sizes < k].sum())
    unit = people.column(people.unit).codes[both]
    pairs = np.unique(np.stack([group, unit], axis=1), axis=0)
    sizes = np.bincount(pairs[:, 0], minlength=n)
    return len(np.unique(pairs[sizes[pairs[:, 0]] < k, 1]))
