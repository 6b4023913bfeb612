"""What a verification found, one finding per thing that was checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

SHOWN = 5  #: rows or columns named in one finding, at most


@dataclass(frozen=True)
class Finding:
    """One thing that was checked. `ok` is None where the release alone cannot tell."""

    check: str
    ok: bool | None
    message: str
    rows: tuple[int, ...] = ()  #: lines of the release concerned, the first row being 1; at most a few


@dataclass(frozen=True)
class Verification:
    """All that was checked; `ok` when nothing failed."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Nothing failed."""
        return all(finding.ok is not False for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"ok": self.ok, "findings": [asdict(finding) for finding in self.findings]}

    def __str__(self) -> str:
        marks = {True: "holds  ", False: "FAILS  ", None: "unknown"}
        return "\n".join(f"{marks[f.ok]}  {f.check}: {f.message}" for f in self.findings)


def compare(check: str, found: int, expected: int) -> Finding:
    """Whether a number is the certified one."""
    return Finding(
        check,
        found == expected,
        f"{found:,}" if found == expected else f"{found:,} where {expected:,} are certified",
    )
