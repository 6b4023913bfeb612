"""What a report shows, as plain JSON values, in two halves.

`of_release` looks at the released rows and their certificate and at nothing else: whoever receives them could compute
it, and the recipient's report is made of it alone. `of_original` adds what only the steward may see. Cost: two
group-bys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.models import model_from_dict
from lookalike.tables.cells import Cells
from lookalike.tables.coded import ReleasedRows
from lookalike.tables.table import Table

#: Sizes of classes as pictures show them: name, smallest, largest.
SIZES = (
    ("1", 1, 1),
    ("2", 2, 2),
    ("3-4", 3, 4),
    ("5-10", 5, 10),
    ("11-19", 11, 19),
    ("20-99", 20, 99),
    ("100+", 100, 2**62),
)
_VALUES = 200  #: so many values of a column are listed at most


@dataclass(frozen=True)
class Evidence:
    """All that a report is made of."""

    release: Mapping[str, Any]  #: what the release and its certificate tell everybody
    original: Mapping[str, Any] | None = None  #: what stays with the steward
    questions: Sequence[Mapping[str, Any]] = ()
    attacks: Sequence[Mapping[str, Any]] = ()
    untried: Mapping[str, str] = field(default_factory=dict)  #: attacks that were not tried, and why
    choice: Mapping[str, Any] | None = None  #: how k was chosen: the table of `la.choose_k`
    signature: Mapping[str, str] | None = None  #: name, date and note of whoever stands for the release

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dict(vars(self))


def of_release(rows: ReleasedRows, certificate: Mapping[str, Any]) -> dict[str, Any]:
    """What can be said of a release by whoever has it and its certificate."""
    schema = rows.schema
    quasi = {name: None for name in certificate["quasi"] if name in schema}
    sizes = rows.class_sizes(list(quasi))
    columns = []
    certified = certificate["columns"]
    published = [name for name in schema if name in certified]  # an order that everybody sees
    for name in [*published, *sorted(set(certified) - set(published))]:
        entry = certified[name]
        about: dict[str, Any] = {"name": name, "role": entry["role"], "treatment": entry["treatment"]}
        if name in quasi:
            counts = rows.counts(name)
            found = zip(counts.values.to_list(), counts.times.tolist(), strict=True)
            common = sorted(found, key=lambda pair: (-pair[1], str(pair[0])))[:_VALUES]
            about["distinct"] = len(counts.values)
            about["values"] = [list(pair) for pair in common]
        columns.append(about)
    measured = certificate["measured"]
    return {
        "records": measured["records"],
        "suppressed": measured["suppressed"],
        "method": measured["method"],
        "promises": [_promise(asked, certificate["counted"]) for asked in certificate["promise"]],
        "counted": certificate["counted"],
        "columns": columns,
        **_sizes(sizes),
        **(_of_people(measured["k"]) if certificate["counted"] == "people" else {}),
    }


def of_original(
    people: Table,
    *,
    lost: float,
    weighted: float,
    columns: Sequence[Mapping[str, Any]],
    who_pays: Sequence[Mapping[str, Any]] = (),
    downcoded: float | None = None,
) -> dict[str, Any]:
    """What the steward sees besides: the risk before, what each column kept and lost, and who lost it.

    lost: the plain mean over records and columns. weighted: the mean by the columns' weights. downcoded: the share of
    blurred values of which a finer one is certain.
    """
    cells = people.cells(sensitive=[])
    alike = _worst(cells)
    return {
        **(_sizes(cells.counts) if alike is None else _of_each(alike, len(cells.counts))),
        "uniques": int(((cells.counts if alike is None else alike) == 1).sum()),
        "loss": lost,
        "weighted": weighted,
        "downcoded": downcoded,
        "columns": list(columns),
        "who_pays": list(who_pays),
    }


def groups_of_people(people: Table) -> list[str]:
    """Columns by which one asks who pays: sex, race and the like, or whatever has few groups; two at most."""
    few = [
        n
        for n in people.quasi
        if not people.column(n).kind.ordered and 2 <= people.column(n).domain.size <= 12
    ]
    first = [name for name in few if people.concept(people.column(name)) in ("sex", "race", "nationality")]
    return [*first, *(name for name in few if name not in first)][:2]


def average_risk(part: Mapping[str, Any]) -> str:
    """The average risk in words: where nobody can count people in the release, it is at most the highest."""
    return f"{'at most ' if part.get('bounded') else ''}{part['average']:.4f}"


def _promise(asked: Mapping[str, Any], counted: str) -> dict[str, Any]:
    model = model_from_dict(asked)
    words = model.in_words if counted == "people" else model.counting(None)
    return {"text": str(model), "words": words, "columns": list(model.columns)}


def _sizes(sizes: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Classes by size: the share of people in classes of each size, and the risks that follow."""
    total = int(sizes.sum()) or 1
    return {
        "k": int(sizes.min()) if len(sizes) else 0,
        "classes": len(sizes),
        "average": len(sizes) / total,
        "sizes": [int(sizes[(sizes >= low) & (sizes <= high)].sum()) / total for _, low, high in SIZES],
    }


def _of_people(k: int) -> dict[str, Any]:
    """What rows do not tell where people have several of them, as certified: nobody can count people by rows."""
    return {"k": k, "average": 1 / max(k, 1), "bounded": True, "sizes": None}


def _worst(cells: Cells) -> NDArray[np.int64] | None:
    """For each person who may have several rows, the people in the smallest class that one of them is in."""
    if cells.entries.unit is None:
        return None
    persons, of_entry = np.unique(cells.entries.unit, return_inverse=True)
    alike = np.full(len(persons), np.iinfo(np.int64).max)
    np.minimum.at(alike, of_entry, cells.counts[cells.entries.cell])
    return alike


def _of_each(alike: NDArray[np.int64], classes: int) -> dict[str, Any]:
    """As `_sizes`, of people by the smallest class that one of their rows is in."""
    shares = [float(((alike >= low) & (alike <= high)).mean()) for _, low, high in SIZES]
    return {"k": int(alike.min()), "classes": classes, "average": float((1 / alike).mean()), "sizes": shares}
