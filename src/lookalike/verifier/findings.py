"""What a verification found, one finding per thing that was checked, and what nobody could check."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

SHOWN = 5  #: rows or columns named in one finding, at most
UNSIGNED = "not signed: whoever changes the certificate with care is not found out"


@dataclass(frozen=True)
class Finding:
    """One thing that was checked. `ok` is None where the release alone cannot tell."""

    check: str
    ok: bool | None
    message: str
    rows: tuple[int, ...] = ()  #: lines of the release concerned, the first row being 1; at most a few


@dataclass(frozen=True)
class Verification:
    """All that was checked; `ok` when everything holds, and nothing is unknown unless that was allowed.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> _ = release.save("out")
        >>> checks = la.verify("out/release.csv", "out/certificate.json")
        >>> checks.findings[0]
        Finding(check='file', ok=True, message='is the file the certificate was made for', rows=())
    """

    findings: tuple[Finding, ...]  #: each check with its result
    stated: tuple[
        str, ...
    ] = ()  #: fields of the certificate that the release alone neither proves nor disproves
    signature: str = UNSIGNED  #: who signed the certificate, in words
    allow_unknown: bool = False  #: whether a promise that the release alone cannot show counts as kept

    @property
    def ok(self) -> bool:
        """Nothing failed, and nothing that was promised stayed unknown unless that was allowed."""
        return all(finding.ok or (finding.ok is None and self.allow_unknown) for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "ok": self.ok,
            "findings": [asdict(finding) for finding in self.findings],
            "stated": list(self.stated),
            "signature": self.signature,
        }

    def __str__(self) -> str:
        marks = {True: "holds  ", False: "FAILS  ", None: "unknown"}
        lines = [f"{marks[f.ok]}  {f.check}: {f.message}" for f in self.findings]
        return "\n".join(
            [*lines, f"stated, not checked: {', '.join(self.stated) or 'nothing'}", self.signature]
        )


def compare(check: str, found: int, expected: int) -> Finding:
    """Whether a number is the certified one."""
    return Finding(
        check,
        found == expected,
        f"{found:,}" if found == expected else f"{found:,} where {expected:,} are certified",
    )
