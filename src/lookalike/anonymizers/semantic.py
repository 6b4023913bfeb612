"""Keep the greatest safe set: publish scaled values and leave out every record whose basic semantic risk is too high.

Aranda-Corral, Borrego-Díaz and Galán-Páez (2023), section 4, with the fixpoint G* shown to be the largest possible.
Each value is published as the range or set of all values that have the same attributes, so a release says no more than
the scaled table. On request the attributes whose loss saves most records are forgotten first, one at a time, as long as
some exact rule survives. Where the table names a `unit`, people are counted and leave with all their records. Cost: see
`kernels.fca.risk` and `kernels.fca.people`, times the attributes for each one forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import GuaranteeError, RequestError, percent
from lookalike.base.progress import Report
from lookalike.fca.contexts import Context, Counts
from lookalike.fca.forgetting import is_disposable
from lookalike.fca.people import person_of, safe_of
from lookalike.fca.scales import Scale
from lookalike.fca.scaling import Scaling, scale_records
from lookalike.models.model import Model
from lookalike.recodings.boxes import BoxSide, Style
from lookalike.recodings.edges import find_edges
from lookalike.recodings.plans import Clusters
from lookalike.recodings.publishing import count_released
from lookalike.recodings.settling import settle
from lookalike.tables.cells import Attribute
from lookalike.tables.columns.grouping import group_codes
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class SafeClasses(Clusters):
    """A class per set of attributes (-1: left out); a box holds every released value with the same attributes."""

    groups: Mapping[str, NDArray[np.int64]] = field(
        default_factory=dict
    )  #: per column, codes with equal attributes
    forgotten: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        boxes, kept = int(self.of_row.max(initial=-1)) + 1, self.of_row >= 0
        for attribute in self.people.cells(sensitive=[]).attributes:
            group = self.groups[attribute.name]
            of_box = np.zeros(boxes, dtype=np.int64)
            of_box[self.of_row[kept]] = group[attribute.column.codes[kept]]
            people = count_released(self.people, attribute.name, kept, attribute.domain)
            released = np.flatnonzero(people > 0)
            codes = released[np.argsort(group[released], kind="stable")]
            starts = np.searchsorted(group[codes], np.arange(int(group.max()) + 2))
            sizes = np.diff(starts)[of_box]
            owner = np.repeat(np.arange(boxes), sizes)
            within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            code = codes[np.repeat(starts[of_box], sizes) + within]
            least = int(np.bincount(self.of_row[kept]).min(initial=self.shared))
            self.sides[attribute.name] = self._name(
                attribute, BoxSide(attribute, "set", owner, code, boxes, people=people, least=least), of_box
            )

    def _name(self, attribute: Attribute, side: BoxSide, of_box: NDArray[np.int64]) -> BoxSide:
        """Ranges, or else sets. Where two sets of attributes would be called the same, all values are named."""
        assert side.people is not None
        domain, group = attribute.domain, self.groups[attribute.name]
        as_ranges = domain.kind.ordered and _contiguous(group)
        for least in (side.least, 1):
            edges = find_edges(domain, side.people, least) if as_ranges and domain.kind.numeric else None
            style: Style = "range" if as_ranges else "set"
            side = replace(side, style=style, edges=edges, least=least)
            if len(set(zip(side.texts(), of_box.tolist(), strict=True))) == len(set(side.texts())):
                break
        return side


def keep_safe(
    people: Table,
    models: Sequence[Model],
    *,
    scales: Mapping[str, Scale | str] | None = None,
    threshold: float = 0.35,
    suppression: float = 1.0,
    forget: int = 0,
    uncovered: Literal["error", "empty"] = "error",
    progress: Report = lambda share: None,
) -> SafeClasses:
    """The classes of the greatest safe set that also keeps the given models.

    scales: as in `semantic_risk`. threshold: the largest basic semantic risk of a released record.
    suppression: the largest share of people (of records where there is no `unit`) that may be left out.
    forget: how many attributes may be forgotten first, those that save most records; 0 keeps all.
    """
    if forget < 0:
        raise RequestError(f"forget is the number of attributes that may go, from 0 on; found {forget}.")
    scaling, person = scale_records(people, scales=scales, uncovered=uncovered), person_of(people)
    context, forgotten = _forget(scaling.context, person, forget, threshold, progress)
    groups = _equal_codes(people, scaling, forgotten)
    columns = [groups[name][people.column(name).codes] for name in people.quasi]
    of_row, _ = group_codes(columns, [int(group.max()) + 1 for group in groups.values()], len(people))
    # Dropping unsafe records can break a promise that compares classes, and dropping classes can make records
    # unsafe: repeat until both hold. Every round drops somebody, so this ends.
    while True:
        of_row = settle(people, of_row, models)
        kept = of_row >= 0
        safe = np.zeros(len(people), dtype=bool)
        left = None if person is None else person[kept]
        safe[kept] = safe_of(context.keep(kept), left, threshold=threshold).keep
        if not kept.any() or safe[kept].all():
            break
        of_row = np.where(safe, of_row, -1).astype(np.int32)
    if not kept.any():
        raise GuaranteeError(
            f"no record can be released with a semantic risk of at most {threshold:g} that also keeps the promise: "
            "no combination of attributes occurs often enough. Use coarser scales, fewer columns or a higher threshold."
        )
    who = np.arange(len(people)) if person is None else person
    lost, everybody = len(np.unique(who[~kept])), len(np.unique(who))
    if lost > suppression * everybody:
        counted = "records" if person is None else "people"
        raise GuaranteeError(
            f"{lost:,} of {everybody:,} {counted} would have to be left out for a semantic risk of at most "
            f"{threshold:g}, more than the limit of {percent(suppression)}; no larger set is safe. Allow more "
            "suppression, use coarser scales or fewer columns, `forget` attributes, or raise the threshold."
        )
    _, labels = np.unique(of_row[kept], return_inverse=True)
    dense = np.full(len(people), -1, dtype=np.int32)
    dense[kept] = labels
    measured: dict[str, Any] = {"largest basic semantic risk": threshold}
    plan = SafeClasses(people, dense, {}, measured=measured, groups=groups, forgotten=forgotten)
    measured["attributes"] = _attributes_of_labels(plan, scaling)
    return plan


def _forget(
    context: Context, person: Counts | None, count: int, threshold: float, progress: Report
) -> tuple[Context, tuple[str, ...]]:
    """Drop up to `count` disposable attributes, each time the one that lets most records stay."""
    gone: list[str] = []
    kept = safe_of(context, person, threshold=threshold).kept
    for step in range(count):
        best: tuple[int, str, Context] | None = None
        for i, name in enumerate(context.attributes):
            progress((step + i / len(context.attributes)) / count)
            smaller = context.without_attributes([name])
            if not is_disposable(smaller):
                continue
            saved = safe_of(smaller, person, threshold=threshold).kept
            if saved > (kept if best is None else best[0]):
                best = saved, name, smaller
        if best is None:
            break
        kept, name, context = best
        gone.append(name)
    return context, tuple(gone)


def _equal_codes(people: Table, scaling: Scaling, forgotten: tuple[str, ...]) -> dict[str, NDArray[np.int64]]:
    """For each column a number per code, equal for codes with the same remaining attributes."""
    groups = {}
    for name, scale in scaling.scales.items():
        described = scale.attributes(name, people.column(name).domain)
        having = [
            column
            for (_, column), known in zip(described, scaling.columns[name], strict=True)
            if known not in forgotten
        ]
        matrix = (
            np.stack(having, axis=1) if having else np.zeros((people.column(name).domain.size, 1), dtype=bool)
        )
        groups[name] = np.unique(matrix, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return groups


def _attributes_of_labels(
    plan: SafeClasses, scaling: Scaling
) -> dict[str, list[tuple[str | None, list[int]]]]:
    """For each column the labels that go out, with the numbers of the attributes they stand for.

    By these a checker can count the risk again. Only attributes that somebody released has are numbered: others
    change no risk, and would speak of whoever was left out.
    """
    out: dict[str, list[tuple[str | None, list[int]]]] = {}
    before = 0
    for name, side in plan.sides.items():
        described = scaling.scales[name].attributes(name, side.attribute.domain)
        kept = [
            has
            for (_, has), known in zip(described, scaling.columns[name], strict=True)
            if known not in plan.forgotten
        ]
        first = side.code[side.starts[:-1]]
        held = (
            np.stack([has[first] for has in kept], axis=1) if kept else np.zeros((side.boxes, 0), dtype=bool)
        )
        held = held[:, held.any(axis=0)]
        _, distinct = np.unique(plan.groups[name][first], return_index=True)
        texts = side.texts()
        out[name] = [(texts[box], (before + np.flatnonzero(held[box])).tolist()) for box in distinct]
        before += held.shape[1]
    return out


def _contiguous(group: NDArray[np.int64]) -> bool:
    """Whether equal codes stand side by side, so that each group is a range."""
    return int((np.diff(group) != 0).sum()) + 1 == len(np.unique(group))
