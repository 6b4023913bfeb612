"""Whether other published columns undo the promise: classes recounted with each single column known as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.columns.texts import FEW
from lookalike.verifier.findings import SHOWN, Finding

LISTED = 40  #: columns that a message names, the worst first where there are more


def check_known(kept: pl.DataFrame, written: Mapping[str, Any]) -> list[Finding]:
    """The smallest class with each single column known besides the quasi-identifiers, beside k; and what was stated."""
    quasi = written["quasi"]
    by = [f"column {name}" for name in quasi]
    if written["suppressed_rows"] == "star" and written["measured"]["suppressed"]:
        stars = [pl.lit(written["columns"][name].get("star"), dtype=pl.String) for name in quasi]
        kept = kept.filter(~pl.all_horizontal(pl.col(name).eq_missing(star) for name, star in zip(by, stars)))
    if not kept.height:
        return []
    others = [name for name in kept.columns if name not in (*by, "row")]
    kept = kept.select(pl.col("row").first().over(by).alias("class"), *others)
    of_row = kept["class"].cast(pl.Int64).to_numpy()
    k = _smallest(of_row)
    found = {name.removeprefix("column "): _smallest((of_row << 32) + _places(kept[name])) for name in others}
    stated = written["known"]
    wrong = [
        f"with {name!r} known the smallest class has {found.get(name)}, certified {stated.get(name)}"
        for name in {**found, **stated}
        if found.get(name) != stated.get(name)
    ]
    worst = found if len(found) <= LISTED else dict(sorted(found.items(), key=lambda one: one[1])[:LISTED])
    told = ", ".join(f"{name} {n:,}" for name, n in worst.items()) or "there is no other column"
    told += f"; {len(found) - len(worst):,} others at least as large" if len(worst) < len(found) else ""
    message = f"k {k:,} with the quasi-identifiers known; with one more column (records): {told}"
    return [
        Finding("one more column known", not wrong, "; ".join(wrong[:SHOWN]) or message),
        *(_check_choice(kept, link, found, k) for link in written["linked"] if link["choice"] is not None),
    ]


def _places(texts: pl.Series) -> NDArray[np.int64]:
    """A number for each distinct text, 0 for missing."""
    if len(texts) <= FEW:
        place: dict[str | None, int] = {None: 0}
        return np.array([place.setdefault(text, len(place)) for text in texts.to_list()], dtype=np.int64)
    return (texts.to_physical().cast(pl.Int64) + 1).fill_null(0).to_numpy()


def _smallest(keys: NDArray[np.int64]) -> int:
    """The length of the shortest run once equal keys stand beside each other."""
    ordered = np.sort(keys)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return int(np.diff(ends, prepend=-1).min())


def _check_choice(kept: pl.DataFrame, link: Mapping[str, Any], found: Mapping[str, int], k: int) -> Finding:
    """Whether a decision about a linked column was carried out."""
    columns = " and ".join(link["columns"])
    check = f"linked column {columns}"
    shown = [name for name in link["columns"] if name in found]
    known = min((found[name] for name in shown), default=k)
    match link["choice"]:
        case "accept":
            gives = f"may give {' and '.join(link['quasi'])} away" if link["quasi"] else "is known as well"
            return Finding(check, True, f"{gives}, accepted by the publisher: k {k:,} becomes {known:,}")
        case "follow":
            fine = known >= k
            return Finding(
                check, fine, "tells nobody further apart" if fine else "tells people further apart"
            )
        case choice:
            fine = len(shown) < len(link["columns"])
            told = "left out" if choice == "drop" else "counted among the quasi-identifiers"
            return Finding(check, fine, told if fine else f"was to be {told}, but is published")
