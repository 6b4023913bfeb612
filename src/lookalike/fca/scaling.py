"""Read the quasi-identifiers of a table as a formal context: one scale per column, one object per row.

Works on domains and cells, never on rows: O(cells x words). Ganter and Wille (1999), section 1.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.base.checks import choice
from lookalike.base.errors import ColumnError, RequestError, unknown_column
from lookalike.fca.contexts import Context, pack
from lookalike.fca.scales import Scale, fitting_scale

if TYPE_CHECKING:
    from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Scaling:
    """A table read as a context, with the attributes and the scale of each column."""

    context: Context
    columns: Mapping[str, tuple[str, ...]]
    scales: Mapping[str, Scale]
    wider: Mapping[
        str, frozenset[str]
    ]  #: for an attribute those of its column that follow from it: >= 18 from >= 65

    def sharpest(self, attributes: Iterable[str]) -> tuple[str, ...]:
        """The attributes without those that follow from another one of the same column: shorter to read."""
        given = tuple(attributes)
        implied = set().union(*(self.wider.get(name, frozenset()) for name in given))
        return tuple(name for name in given if name not in implied)

    def __repr__(self) -> str:
        shown = "; ".join(f"{name}: {scale}" for name, scale in self.scales.items())
        return f"Scaling({self.context!r}; {shown})"


def scale_table(
    people: Table,
    *,
    scales: Mapping[str, Scale | str] | None = None,
    uncovered: Literal["error", "empty"] = "error",
) -> Scaling:
    """Read the quasi-identifiers of a table as a context; objects are row positions.

    scales: one per column, as a `Scale` or as text (see `Scale.parse`); columns without one are scaled automatically.
    uncovered: what to do with a value that no attribute covers: an error that names a row, or a record that simply
    has no attribute of this column.
    """
    if people.unit is not None:
        raise RequestError(
            f"this counts records, but people may have several rows here (`unit` is {people.unit!r}). "
            "`semantic_risk`, `method='semantic'`, `finest_scales` and `add_noise` count people; for everything else "
            "reduce the table to one row per person first."
        )
    return scale_records(people, scales=scales, uncovered=uncovered)


def scale_records(
    people: Table,
    *,
    scales: Mapping[str, Scale | str] | None = None,
    uncovered: Literal["error", "empty"] = "error",
) -> Scaling:
    """The same where people may have several rows: for whoever counts the people behind the records."""
    wanted = {name: Scale.parse(s) if isinstance(s, str) else s for name, s in (scales or {}).items()}
    for name, scale in wanted.items():
        if name not in people.quasi:
            raise unknown_column(name, people.quasi, "scales (quasi-identifiers only)")
        if not isinstance(scale, Scale):
            raise RequestError(
                f"scales: column {name!r} needs a Scale or a text such as 'ordinal', found {type(scale).__name__}."
            )
    if not people.quasi:
        raise ColumnError("semantic risk needs quasi-identifiers; name them with `quasi`.")
    choice(uncovered, "uncovered", ("error", "empty"))
    chosen = {name: wanted.get(name, Scale.automatic()) for name in people.quasi}
    for name, scale in chosen.items():
        if scale.text == "automatic":
            chosen[name] = fitting_scale(
                people.column(name).domain
            )  # so that the result says what was chosen
    names: list[str] = []
    masks: list[NDArray[np.bool_]] = []
    columns: dict[str, tuple[str, ...]] = {}
    wider: dict[str, frozenset[str]] = {}
    for name, scale in chosen.items():
        attributes = scale.attributes(name, people.column(name).domain)
        matrix = np.stack([having for _, having in attributes], axis=1)
        if uncovered == "error" and not scale.partial and not matrix.any(axis=1).all():
            _complain(people, name, scale, ~np.any(matrix, axis=1))
        columns[name] = _fresh([attribute for attribute, _ in attributes], names)
        wider.update(_wider(columns[name], matrix))
        names.extend(columns[name])
        masks.append(matrix)
    cells = people.cells(sensitive=())
    words = np.zeros((len(cells), max(1, -(-len(names) // 64))), dtype=np.uint64)
    before = 0
    for codes, matrix in zip(cells.codes, masks, strict=True):
        wide = np.zeros((len(matrix), len(names)), dtype=bool)
        wide[:, before : before + matrix.shape[1]] = matrix
        words |= pack(wide)[codes]
        before += matrix.shape[1]
    context = Context.from_rows(words, attributes=names, number=cells.of_row)
    return Scaling(context, columns, chosen, wider)


def _wider(names: tuple[str, ...], matrix: NDArray[np.bool_]) -> dict[str, frozenset[str]]:
    """For each attribute the attributes that more values have, among them all of its own."""
    lacking = matrix.T.astype(np.float32) @ (~matrix).astype(np.float32)
    sizes = matrix.sum(axis=0)
    follows = (lacking == 0) & (sizes[:, None] < sizes[None, :]) & (sizes[:, None] > 0)
    return {
        names[i]: frozenset(names[j] for j in np.flatnonzero(follows[i]))
        for i in np.flatnonzero(follows.any(axis=1))
    }


def _complain(people: Table, name: str, scale: Scale, bare: NDArray[np.bool_]) -> None:
    rows = np.flatnonzero(bare[people.column(name).codes])
    more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
    raise RequestError(
        f"column {name!r}, row {rows[0] + 1:,}{more}: the scale ({scale.text.split()[0]}) leaves the value uncovered. "
        "Widen the scale, or pass `uncovered` empty to let such records have no attribute of this column."
    )


def _fresh(names: list[str], taken: Sequence[str]) -> tuple[str, ...]:
    """Names not used before: columns with odd names and values could otherwise spell the same attribute."""
    used = set(taken)
    out = []
    for name in names:
        number, fresh = 2, name
        while fresh in used:
            fresh, number = f"{name} ({number})", number + 1
        used.add(fresh)
        out.append(fresh)
    return tuple(out)
