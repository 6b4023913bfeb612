"""Whether other published columns undo the promise: classes recounted with each single column known as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.verifier.contents import starred
from lookalike.verifier.findings import SHOWN, Finding
from lookalike.verifier.released import Released

LISTED = 40  #: columns that a message names, the worst first where there are more


def check_known(kept: Released, written: Mapping[str, Any]) -> list[Finding]:
    """The smallest class with each single column known besides the quasi-identifiers, beside k; and what was stated."""
    if written["suppressed_rows"] == "star" and written["measured"]["suppressed"]:
        kept = kept.take(~starred(kept, written))
    if not kept.height:
        return []
    quasi = written["quasi"]
    k = int(kept.classes(quasi).sizes.min())
    found = {name: kept.rarest(quasi, name) for name in kept.columns if name not in quasi}
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
        *(_check_choice(link, found, k) for link in written["linked"] if link["choice"] is not None),
    ]


def _check_choice(link: Mapping[str, Any], found: Mapping[str, int], k: int) -> Finding:
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
