"""Rows in a frame, read as a recoding reads them: with the kinds and hierarchies it was made with.

New rows may hold values that do not read as their column's kind; `readable` tells those rows apart. O(distinct values).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import ColumnError
from lookalike.recodings.covering import grow_known
from lookalike.recodings.recoding import Recoding
from lookalike.recodings.treatments import Box, Generalise
from lookalike.tables.columns.coding import Distinct, KindLike, code, distinct
from lookalike.tables.columns.roles import Kind
from lookalike.tables.hierarchies import Hierarchy
from lookalike.tables.intake import read, table
from lookalike.tables.table import Table


def take_as(
    recoding: Recoding,
    frame: Any,
    *,
    unit: str | None = None,
    na: Collection[str] = ("?",),
    memory: str | int | None = None,
) -> Table:
    """The table that a recoding would be applied to; columns it does not speak of are only there.

    Rows in files that are named stay there, and `memory` says how much of it they may take.
    """
    make: Callable[..., Table] = table
    if isinstance(frame, str | Path):
        make = partial(read, engine="streaming", memory=memory)
    there = make(frame, others=[]).names
    return make(
        frame,
        identifiers=[] if unit is None or unit in recoding.quasi else [unit],
        quasi=[name for name in recoding.quasi if name in there],
        sensitive=[name for name in recoding.sensitive if name in there],
        others=[],
        hierarchies={name: one for name, one in hierarchies_of(recoding).items() if name in there},
        types={name: kind for name, kind in kinds_of(recoding).items() if name in there},
        unit=unit,
        na=na,
    )


def hierarchies_of(recoding: Recoding) -> dict[str, Hierarchy]:
    """The hierarchy of each quasi-identifier, as it was grown for the release."""
    return {
        name: treatment.hierarchy
        for name, treatment in recoding.columns.items()
        if isinstance(treatment, Generalise | Box)
    }


def kinds_of(recoding: Recoding) -> dict[str, KindLike]:
    """How the columns that were looked at were read: their order where they have one, else their kind."""
    return {
        name: list(known["order"]) if "order" in known else Kind(known["kind"])
        for name, known in recoding.meanings.items()
        if "order" in known or "kind" in known
    }


def readable(
    rows: pl.DataFrame, kinds: Mapping[str, KindLike], na: Collection[str]
) -> dict[str, NDArray[np.bool_]]:
    """Per column, which rows hold a value that reads as its kind; missing values do."""
    out = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which day comes first was settled when the release was made
        for name, kind in kinds.items():
            found = distinct(rows[name])
            each = [found.values[i : i + 1] for i in range(len(found.values))]
            fits = (
                [True] * len(each) if _reads(found, kind, na) else [_reads(_one(v), kind, na) for v in each]
            )
            out[name] = np.array([*fits, True])[found.codes]
    return out


def _one(values: pl.Series) -> Distinct:
    return Distinct(np.zeros(1, dtype=np.int32), values)


def _reads(written: Distinct, kind: KindLike, na: Collection[str]) -> bool:
    try:
        code("", written, kind=kind, na=na)
    except ColumnError:
        return False
    return True


def known_rows(recoding: Recoding, people: Table) -> dict[str, NDArray[np.bool_]]:
    """Per quasi-identifier, which rows hold a value that its hierarchy, or some box, covers."""
    out = {}
    for name, treatment in recoding.columns.items():
        if not isinstance(treatment, Generalise | Box):
            continue
        column = people.column(name)
        if isinstance(treatment, Box):
            known = np.any(recoding.boxes[name].contains(column.domain, treatment.hierarchy), axis=0)
        else:
            known = np.isin(np.arange(column.domain.size), grow_known(treatment.hierarchy, column.domain)[1])
        out[name] = np.asarray(known)[column.codes]
    return out
