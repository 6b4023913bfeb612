"""What an attack reports: how often it succeeds, with Wilson's interval, beside a baseline, a control and a bound.

The three threats are those of the Article 29 Working
Party's opinion 05/2014 (WP216).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, Literal, get_args

from lookalike.base.errors import RequestError, amount, percent
from lookalike.base.intervals import wilson
from lookalike.base.printing import plain

Threat = Literal["singling out", "linkability", "inference"]
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Attacked:
    """The outcome of one attack on a release."""

    name: str
    threat: Threat
    story: str  #: what the attacker knows and does, in plain words
    trials: int
    successes: float  #: expected ones, where the attacker chooses among equals
    baseline: float  #: the same question answered without the part of the release under test
    column: str | None = None  #: the sensitive column attacked, where there is one
    control: float | None = None  #: the same attack aimed at people who are not in the release
    bound: float | None = None  #: what the promise implies, for `worst` where there is one, else for `rate`
    worst: float | None = None  #: the chance against the most exposed person
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Share of trials that succeed."""
        return self.successes / self.trials if self.trials else 0.0

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return wilson(self.successes, self.trials)[0]

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return wilson(self.successes, self.trials)[1]

    @property
    def succeeds(self) -> bool:
        """The rate lies above the baseline, beyond chance."""
        return self.low > self.baseline + _ROUNDING

    @property
    def breaks_bound(self) -> bool:
        """The promise implies less than was reached: a defect of the method that made the release."""
        if self.bound is None:
            return False
        reached = self.low if self.worst is None else self.worst
        return reached > self.bound + _ROUNDING

    @property
    def verdict(self) -> str:
        """One sentence."""
        tried = amount(self.trials, "attempt")
        against = f"{percent(self.rate)} of {tried} succeed, {percent(self.baseline)} without it"
        if self.control is not None:
            against += f", {percent(self.control)} against people who are not in it"
        if self.breaks_bound:
            return f"Beyond the promise ({percent(self.bound or 0.0)}): {against}. Do not release."
        if self.bound is not None:
            against += f"; the promise allows {percent(self.bound)}"
        below = self.rate < self.baseline - _ROUNDING
        where = "Above" if self.succeeds else "No better than" if below else "At"
        return f"{where} the baseline: {against}."

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        own = {key: value for key, value in vars(self).items() if key != "details"}
        seen = {
            "rate": self.rate,
            "low": self.low,
            "high": self.high,
            "succeeds": self.succeeds,
            "breaks_bound": self.breaks_bound,
            "verdict": self.verdict,
        }
        return {**own, **seen, "details": plain(self.details)}

    def __repr__(self) -> str:
        return (
            f"{self.title}: {percent(self.rate)} ({percent(self.low)} to {percent(self.high)}; "
            f"baseline {percent(self.baseline)})"
        )

    @property
    def title(self) -> str:
        """Name and column."""
        return self.name if self.column is None else f"{self.name} of {self.column}"


@dataclass(frozen=True)
class Attacks:
    """What a battery of attacks found; iterate over it, or look one up by its name.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> attacks = la.attack(people, release, only=["linkage"])
        >>> attacks.records, attacks.released
        (200, 200)
    """

    results: tuple[Attacked, ...]  #: each attack that was tried
    skipped: Mapping[str, str]  #: attacks that do not apply, and why
    records: int  #: rows of the original
    released: int  #: rows of the release
    without_values: tuple[str, ...] = ()  #: of the skipped, those that lack a published sensitive column

    def __iter__(self) -> Iterator[Attacked]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str) -> Attacked:
        for found in self.results:
            if name in (found.name, found.title):
                return found
        raise RequestError(
            f"there is no result {name!r}; there are {', '.join(found.title for found in self.results)}."
        )

    @property
    def defects(self) -> list[Attacked]:
        """Attacks that succeed beyond what the promise implies."""
        return [found for found in self.results if found.breaks_bound]

    @property
    def summary(self) -> str:
        """A line for each of the three threats: how many were tried, and the one furthest above its baseline."""
        lines = []
        for threat in get_args(Threat):
            tried = [found for found in self.results if found.threat == threat]
            if tried:
                worst = max(tried, key=lambda found: found.rate - found.baseline)
                lines.append(
                    f"{threat}: {amount(len(tried), 'attack')}; furthest, {worst.title}. {worst.verdict}"
                )
        broken = [f"BEYOND THE PROMISE: {found.title}. {found.verdict}" for found in self.defects]
        return "\n".join([*broken, *lines, *self._untried])

    @property
    def _untried(self) -> list[str]:
        names: dict[str, list[str]] = {}
        for name, why in self.skipped.items():
            names.setdefault(why, []).append(name)
        return [f"not tried: {', '.join(each)} ({why})" for why, each in names.items()]

    @property
    def told(self) -> dict[str, Any]:
        """What a release keeps of them for its internal report."""
        return {"attacks": [found.to_dict() for found in self.results], "untried": dict(self.skipped)}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "attacks": [found.to_dict() for found in self.results],
            "skipped": dict(self.skipped),
            "records": self.records,
            "released": self.released,
        }

    def __repr__(self) -> str:
        above = sum(found.succeeds for found in self.results)
        return (
            f"Attacks({len(self)} on {self.released:,} of {self.records:,} records: {above} above their baseline, "
            f"{len(self.defects)} beyond the promise)"
        )

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [
            ("attack", "threat", "rate", "95 % interval", "baseline", "control", "worst", "bound")
        ]
        for found in self.results:
            interval = f"{percent(found.low)} to {percent(found.high)}"
            numbers = (_short(x) for x in (found.baseline, found.control, found.worst, found.bound))
            mark = " !" if found.breaks_bound else ""
            rows.append((found.title + mark, found.threat, _short(found.rate), interval, *numbers))
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = [
            "  ".join(
                text.ljust(width) if i < 2 else text.rjust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        lines += self._untried
        if self.defects:
            lines.append("! succeeds beyond what the promise implies: do not release")
        return "\n".join(lines)


def _short(share: float | None) -> str:
    return "" if share is None or isnan(share) else percent(share)
