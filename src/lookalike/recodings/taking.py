"""Rows in a frame, read as a recoding reads them: the roles, kinds and hierarchies it was made with."""

from __future__ import annotations

from typing import Any

from lookalike.columns.coding import KindLike
from lookalike.recodings.recoding import Recoding
from lookalike.recodings.treatments import Box, Generalise
from lookalike.tables.intake import table
from lookalike.tables.table import Table


def take_as(recoding: Recoding, frame: Any, *, unit: str | None = None) -> Table:
    """The table that a recoding would be applied to; columns it does not speak of are only there."""
    there = table(frame, others=[])
    hierarchies = {
        name: treatment.hierarchy
        for name, treatment in recoding.columns.items()
        if isinstance(treatment, Generalise | Box)
    }
    types: dict[str, KindLike] = {
        name: list(known["order"]) for name, known in recoding.meanings.items() if "order" in known
    }
    return table(
        frame,
        identifiers=[] if unit is None or unit in recoding.quasi else [unit],
        quasi=[name for name in recoding.quasi if name in there.names],
        sensitive=[name for name in recoding.sensitive if name in there.names],
        others=[],
        hierarchies={name: one for name, one in hierarchies.items() if name in there.names},
        types={name: kind for name, kind in types.items() if name in there.names},
        unit=unit,
    )
