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

from lookalike.meanings.meaning import understand
from lookalike.models import model_from_dict
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
            found = zip(counts.values.to_list(), counts.times.tolist())
            common = sorted(found, key=lambda pair: (-pair[1], str(pair[0])))[:_VALUES]
            about["distinct"] = len(counts.values)
            about["values"] = [list(pair) for pair in common]
        columns.append(about)
    measured = certificate["measured"]
    return {
        "records": measured["records"],
        "suppressed": measured["suppressed"],
        "method": measured["method"],
        "promises": [_promise(asked) for asked in certificate["promise"]],
        "counted": certificate["counted"],
        "columns": columns,
        **_sizes(sizes),
    }


def of_original(
    people: Table,
    *,
    lost: float,
    weighted: float,
    columns: Sequence[Mapping[str, Any]],
    who_pays: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What the steward sees besides: the risk before, what each column kept and lost, and who lost it.

    lost: the plain mean over records and columns. weighted: the mean by the columns' weights.
    """
    sizes = people.cells(sensitive=[]).counts
    return {
        **_sizes(sizes),
        "uniques": int((sizes == 1).sum()),
        "loss": lost,
        "weighted": weighted,
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
    first = [
        name for name in few if understand(people.column(name)).concept.name in ("sex", "race", "nationality")
    ]
    return [*first, *(name for name in few if name not in first)][:2]


def _promise(asked: Mapping[str, Any]) -> dict[str, Any]:
    model = model_from_dict(asked)
    return {"text": str(model), "words": model.in_words, "columns": list(model.columns)}


def _sizes(sizes: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Classes by size: the share of people in classes of each size, and the risks that follow."""
    total = int(sizes.sum()) or 1
    return {
        "k": int(sizes.min()) if len(sizes) else 0,
        "classes": len(sizes),
        "average": len(sizes) / total,
        "sizes": [int(sizes[(sizes >= low) & (sizes <= high)].sum()) / total for _, low, high in SIZES],
    }
