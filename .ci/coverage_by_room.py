"""Print how much of each room the tests run, the least covered first, from the JSON report of coverage."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

_PACKAGE = "src/lookalike/"
#: rooms that hold rooms
_HOUSES = ("base", "measures", "recognition", "releases", "tables")


def room_of(file: str) -> str:
    """`tables/columns` for `src/lookalike/tables/columns/coding.py`, `web` for whatever lies in it."""
    parts = Path(file.partition(_PACKAGE)[2]).parts
    if len(parts) == 1:
        return "(ground floor)"
    return "/".join(parts[:2]) if parts[0] in _HOUSES and len(parts) > 2 else parts[0]


def by_room(report: dict[str, dict[str, dict[str, dict[str, int]]]]) -> list[tuple[str, int, int]]:
    """Per room how many statements there are, and how many of them ran."""
    statements: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file, found in report["files"].items():
        room = statements[room_of(file.replace("\\", "/"))]
        room[0] += found["summary"]["num_statements"]
        room[1] += found["summary"]["covered_lines"]
    rows = [(room, total, covered) for room, (total, covered) in statements.items()]
    return sorted(rows, key=lambda row: row[2] / max(row[1], 1))


def main() -> None:
    """The table, on standard output."""
    rows = by_room(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    everything = ("all", sum(total for _, total, _ in rows), sum(covered for _, _, covered in rows))
    width = max(len(room) for room, _, _ in rows)
    for room, total, covered in [*rows, everything]:
        print(f"{room:<{width}}  {covered:>6,} of {total:>6,}  {covered / max(total, 1):7.1%}")


if __name__ == "__main__":
    main()
