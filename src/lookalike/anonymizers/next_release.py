"""NextRelease: new rows recoded as an earlier release was, with what is different from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lookalike.base.errors import amount, percent
from lookalike.measures.utility.loss import detail_lost
from lookalike.measures.utility.losses import column_losses
from lookalike.recodings import Recoding
from lookalike.releases.certificate import certify
from lookalike.releases.release import CERTIFIED, Release
from lookalike.releases.reports.evidence import Evidence, of_original, of_release
from lookalike.tables.coded import ValueCounts
from lookalike.tables.table import Table

FEW = 100  #: a column with more published values has no shares worth comparing, quasi-identifiers aside


@dataclass(frozen=True, eq=False, repr=False)
class NextRelease(Release):
    """New rows, recoded as an earlier release was. Saved, certified and reported as any other.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5), method="optimal")
        >>> new = la.datasets.population(300, seed=1).select("age", "gender", "income").tail(100)
        >>> later = la.apply(release, new, suppression=0.5)
        >>> later.unseen, later.joined
        ({}, 0)
    """

    unseen: Mapping[str, int] = field(default_factory=dict)  #: column -> rows with a value no rule covers
    held_back: Mapping[str, int] = field(default_factory=dict)  #: reason -> new rows
    drift: Mapping[str, float] = field(
        default_factory=dict
    )  #: column -> total variation distance to the release
    joined: int = 0  #: rows of the release they joined, which are in `rows` too
    counted: Table | None = field(
        default=None, repr=False
    )  #: all rows as published, where they joined a release

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What is promised and what was measured, with digests of the released values."""
        return certify(
            self.counted or self.people,
            self.coded,
            self.recoding,
            models=self.models,
            achieved=self.achieved,
            measured={name: getattr(self, name) for name in CERTIFIED},
            salt=self._salt,
            linked=self.linked,
        )

    @cached_property
    def evidence(self) -> Evidence:
        """What reports are made of; of rows that were out already, nobody knows the original here."""
        if not self.joined:
            return super().evidence
        columns = [outcome.to_dict() for outcome in self.outcomes]
        original = of_original(self.people, lost=self.detail_lost, weighted=self.loss, columns=columns)
        return Evidence(of_release(self.coded, self.certificate), original)

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the release as plain JSON values."""
        return {
            **super().to_dict(),
            "unseen": dict(self.unseen),
            "held_back": dict(self.held_back),
            "drift": dict(self.drift),
            "joined": self.joined,
        }

    @property
    def summary(self) -> str:
        """What is different from the release these rows follow, in sentences."""
        new = self.coded.height - self.joined
        lines = [
            f"{amount(new, 'new row')} published" + (f" beside {self.joined:,}" if self.joined else "") + "."
        ]
        lines += [
            f"{name}: {amount(n, 'row')} with a value that no rule covers." for name, n in self.unseen.items()
        ]
        lines += [f"held back, {why}: {amount(n, 'row')}." for why, n in self.held_back.items() if n]
        moved = sorted(self.drift.items(), key=lambda pair: -pair[1])
        lines += [
            f"{name}: {percent(far)} of the rows have moved to other values."
            for name, far in moved
            if far >= 0.1
        ]
        return "\n".join(lines)


def losses_of(kept: Table, recoding: Recoding, records: int) -> tuple[dict[str, Any], int]:
    """`loss`, `ncp` and what is `kept` of each column, of so many records; and how many of these are gone."""
    lost = dict(column_losses(kept, recoding, np.ones(len(kept), dtype=bool)))
    gone = records - kept.records

    def mean(measure: str) -> float:
        return float(np.mean([(one.mean(measure) * kept.records + gone) / records for one in lost.values()]))

    share = {name: 1 - one.mean("loss") for name, one in lost.items()}
    return {"loss": mean("loss"), "ncp": mean("ncp"), "kept": share}, gone


def measure_together(
    now: Mapping[str, Any], *, published: int, records: int, before: Mapping[str, Any]
) -> dict[str, Any]:
    """`loss`, `ncp` and what is `kept` of new records and of those of a release that they join.

    before: what was measured of that release; where nobody knows what it kept, the new records speak for all.
    """
    if not before.get("kept") or set(before["kept"]) != set(now["kept"]):
        return dict(now)
    many, gone = int(before["records"]), int(before["suppressed"])
    shares = {
        name: (share * published, before["kept"][name] * (many - gone)) for name, share in now["kept"].items()
    }
    lost = detail_lost(before["kept"], records=many, suppressed=gone)
    return {
        "loss": (now["loss"] * records + lost * many) / (records + many),
        "ncp": (now["ncp"] * records + before["ncp"] * many) / (records + many),
        "kept": {name: sum(both) / (published + many - gone) for name, both in shares.items()},
    }


def compare_shares(
    before: Mapping[str, ValueCounts], now: Mapping[str, ValueCounts], quasi: Sequence[str]
) -> dict[str, float]:
    """Per column, half the sum of differences between the shares of its published values: 0 the same, 1 all new."""
    out = {}
    for name in now:
        shares = [
            {value: n / max(int(counts.times.sum()), 1) for value, n in counts.pairs()}
            for counts in (before[name], now[name])
        ]
        values = {*shares[0], *shares[1]}
        if name in quasi or len(values) <= FEW:
            out[name] = sum(abs(shares[0].get(value, 0) - shares[1].get(value, 0)) for value in values) / 2
    return out
