"""`loss`: everything a release has lost, in one call: per measure, per column, and who pays.

loss        (leaves covered - 1) / (leaves - 1), the loss of ARX: 0 for a value, 1 for everything
ncp         normalised certainty penalty; Xu et al. 2006, https://doi.org/10.1145/1150402.1150504
gil         generalised information loss: width over full width of numbers, else the height of the lowest common
            node over that of the hierarchy; Byun et al. 2007, https://doi.org/10.1007/978-3-540-71703-4_18
precision   level of the lowest common node over the height; Sweeney 2002, https://doi.org/10.1142/S021848850200165X
entropy     log(records covered / records with the value) over the column's entropy; Gionis and Tassa 2009,
            https://doi.org/10.1109/TKDE.2008.129
Discernibility and average class size are of the whole release. A record left out loses everything. O(n x columns).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError, amount, percent, unknown_column, warn
from lookalike.base.intervals import wilson
from lookalike.measures.utility.loss import average_class_size, discernibility
from lookalike.measures.utility.released import Made, link, open_release
from lookalike.recodings import Recoding
from lookalike.recodings.boxes import BoxSide
from lookalike.recodings.covering import BoxTexts
from lookalike.recodings.labels import ValueSet, read_label
from lookalike.recodings.treatments import Box, Generalise
from lookalike.recognition.frames import takes_frames
from lookalike.tables.cells import Attribute
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.grouping import first_of_each, tally
from lookalike.tables.hierarchies.losses import entropy_of, level_losses, suppressed_losses
from lookalike.tables.table import Table

MEASURES = ("loss", "ncp", "gil", "precision", "entropy")
MOST_GROUPS = 50
Floats = NDArray[np.float64]
Z = 1.959963984540054


@dataclass(frozen=True)
class GroupLoss:
    """What one group pays: records left out and detail lost, with 95 % intervals."""

    group: str
    records: int
    suppressed: int
    rate: float  #: share of its records left out
    rate_low: float
    rate_high: float
    loss: float  #: detail lost per record, records left out counting 1
    loss_low: float
    loss_high: float
    share_before: float  #: of all records
    share_after: float

    def __str__(self) -> str:
        return (
            f"{self.group}: {self.suppressed:,} of {amount(self.records, 'record')} left out "
            f"({percent(self.rate)} [{percent(self.rate_low)}, {percent(self.rate_high)}]), detail lost {self.loss:.3f}"
        )


@dataclass(frozen=True)
class Losses:
    """The outcome of `la.loss`: means over records and columns, the same per column, and per group where asked for.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> losses = la.loss(people, release, by="gender")
        >>> sorted(losses.measures)
        ['entropy', 'gil', 'loss', 'ncp', 'precision']
        >>> [group.group for group in losses.groups]
        ['female', 'male']
    """

    records: int  #: rows of the original
    suppressed: int  #: rows left out
    classes: int  #: number of equivalence classes
    measures: Mapping[str, float]  #: measure -> mean over records and columns; a record left out counts 1
    columns: Mapping[str, Mapping[str, float]]  #: column -> measure -> mean over records
    discernibility: int  #: sum of squared class sizes, plus all records for each one left out
    average_class_size: float  #: records over classes
    by: str | None = None  #: the column whose groups are compared
    groups: tuple[GroupLoss, ...] = ()  #: what each group pays
    warnings: tuple[str, ...] = field(default=())  #: groups that pay far more than others

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            **vars(self),
            "measures": dict(self.measures),
            "columns": {name: dict(found) for name, found in self.columns.items()},
            "groups": [asdict(one) for one in self.groups],
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        width = max([len("all columns"), *(len(name) for name in self.columns)])
        lines = [f"{'':<{width}}" + "".join(f"{measure:>11}" for measure in MEASURES)]
        for name, found in {**self.columns, "all columns": self.measures}.items():
            lines.append(f"{name:<{width}}" + "".join(f"{found[measure]:>11.4f}" for measure in MEASURES))
        lines.append(
            f"{amount(self.suppressed, 'record')} of {self.records:,} left out; "
            f"{amount(self.classes, 'class', 'classes')}, {self.average_class_size:.1f} records each on average; "
            f"discernibility {self.discernibility:,}"
        )
        if self.by is not None:
            lines += [f"who pays, by {self.by}:", *(f"  {one}" for one in self.groups)]
        return "\n".join([*lines, *(f"note: {text}" for text in self.warnings)])

    def __repr__(self) -> str:
        return f"Losses(loss {self.measures['loss']:.4f}, {self.suppressed:,} of {self.records:,} records left out)"


@takes_frames
def loss(people: Table, release: Made | str | Path, *, by: str | None = None) -> Losses:
    """What a release has lost against the table it was made from.

    release: what `la.anonymize` returned, or the folder it was saved in.
    by: a column, to see what each of its groups pays; one with an order and many values is cut into quarters.
        A group that is dropped, or loses far more records than the others, is warned about.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> losses = la.loss(people, release)
        >>> losses.records, losses.suppressed, losses.classes == release.classes
        (200, 0, True)
    """
    published = open_release(people, release)
    linked = link(people, published)
    if linked is None:
        raise RequestError(
            "the release cannot be made again from its recoding, so nobody knows which records were left out. Use the "
            "table it was made from, with the same `types`, and for a local recoding the release in memory."
        )
    (found,) = losses_of(people, published.recoding, linked.of_row, *([] if by is None else [by]))
    for note in found.warnings:
        warn(note)
    return found


def losses_of(people: Table, recoding: Recoding, of_row: NDArray[np.int32], *by: str) -> list[Losses]:
    """What is lost where the class of each record is known, -1 for those left out; once per grouping, or once."""
    kept = of_row >= 0
    lost = dict(column_losses(people, recoding, kept))
    columns = {name: {m: each.mean(m) for m in MEASURES} for name, each in lost.items()}
    measures = {m: float(np.mean([found[m] for found in columns.values()])) for m in MEASURES}
    times = np.ones(len(kept), dtype=np.int64) if people.times is None else people.times
    sizes = tally(of_row[kept], int(of_row.max(initial=-1)) + 1, times[kept])
    gone = int(times[~kept].sum())
    plain = Losses(
        people.records,
        gone,
        int((sizes > 0).sum()),
        measures,
        columns,
        discernibility(sizes, suppressed=gone),
        average_class_size(sizes, suppressed=gone),
    )
    if not by:
        return [plain]
    per_record = sum((each.records("loss") for each in lost.values()), np.zeros(len(kept))) / len(lost)
    out = []
    for name in by:
        groups = tuple(_groups(people, name, kept, per_record, times))
        notes = _notes(name, groups, gone / max(people.records, 1))
        out.append(replace(plain, by=name, groups=groups, warnings=tuple(notes)))
    return out


@dataclass(frozen=True, eq=False)
class ColumnLoss:
    """What every record loses in one column, by every measure: a number per value or class, and whose it is."""

    kept: NDArray[np.bool_]
    codes: NDArray[np.int32]  #: value of each record
    found: Mapping[str, Floats]  #: measure -> what is lost by `place`
    place: Mapping[str, NDArray[np.integer[Any]]]  #: measure -> of each record
    nothing: Mapping[str, Floats]  #: measure -> what a record of each value loses that is left out
    times: NDArray[np.int64] | None = None  #: records that each row stands for, where it is not one
    _tallies: dict[tuple[int, bool], NDArray[np.int64]] = field(default_factory=dict, repr=False)

    def records(self, measure: str) -> Floats:
        """What each record loses."""
        released: Floats = self.found[measure][self.place[measure]]
        if self.kept.all():
            return released
        return np.where(self.kept, released, self.nothing[measure][self.codes])

    def mean(self, measure: str) -> float:
        """What a record loses on average."""
        found, nothing = self.found[measure], self.nothing[measure]
        counts = self._tally(self.place[measure], self.kept, len(found))
        gone = self._tally(self.codes, ~self.kept, len(nothing))
        return float(counts @ found + gone @ nothing) / max(int(counts.sum() + gone.sum()), 1)

    def _tally(
        self, place: NDArray[np.integer[Any]], rows: NDArray[np.bool_], size: int
    ) -> NDArray[np.int64]:
        """How many of some records are in each place; counted once, however many measures ask."""
        key = (id(place), bool(rows is self.kept))
        if key not in self._tallies:
            times = None if self.times is None else self.times[rows]
            self._tallies[key] = tally(place[rows], size, times)
        return self._tallies[key]


def column_losses(
    people: Table, recoding: Recoding, kept: NDArray[np.bool_]
) -> Iterator[tuple[str, ColumnLoss]]:
    """Per quasi-identifier, what every record loses by every measure."""
    # the box of every row, also of those that were held back later: a box is as wide as it was published
    boxes = recoding.box_rows(people)[0] if recoding.boxes else None
    for name in recoding.quasi:
        treatment, column = recoding.columns[name], people.column(name)
        counts, codes = column.counts, column.codes
        nothing = {m: suppressed_losses(m, column.domain.size, counts) for m in MEASURES}
        if isinstance(treatment, Box):
            assert boxes is not None
            found = _of_boxes(people, column, treatment, recoding.boxes[name], boxes)
            place = {m: np.arange(len(codes)) if m == "entropy" else boxes for m in MEASURES}
        else:
            assert isinstance(treatment, Generalise)
            found = _of_level(column, treatment)
            place = dict.fromkeys(MEASURES, codes)
        yield name, ColumnLoss(kept, codes, found, place, nothing, people.times)


def _of_level(column: Column, treatment: Generalise) -> dict[str, Floats]:
    """What a record of each value loses."""
    tree = treatment.hierarchy.grow(column.domain, column.counts)
    level = treatment.level
    nodes = tree.up[level]
    out = {m: level_losses(m, tree, level, column.counts) for m in MEASURES if m != "gil"}
    places = column.domain.places
    if column.kind.numeric and not column.domain.missing:
        low, high = np.full(len(tree.labels[level]), np.inf), np.full(len(tree.labels[level]), -np.inf)
        np.minimum.at(low, nodes, places)
        np.maximum.at(high, nodes, places)
        width = places.max(initial=0) - places.min(initial=0)
        out["gil"] = (high - low)[nodes] / width if width > 0 else np.zeros(len(nodes))
    else:
        tall = tree.heights[tree.height].max(initial=0)
        out["gil"] = tree.heights[level][nodes] / max(tall, 1)
    return out


def _of_boxes(
    people: Table, column: Column, treatment: Box, published: BoxTexts, of_row: NDArray[np.int32]
) -> dict[str, Floats]:
    """What a record of each box loses by what the box publishes, whoever is in it, and of entropy each record; last,
    what one without a box does."""
    inside, label = published.sides(column.domain, treatment.hierarchy)
    placed = of_row >= 0
    used = np.unique(label[of_row[placed]])
    out = {measure: np.ones(len(label) + 1) for measure in MEASURES}
    if len(used):
        tree = people.tree(column.name)
        owner, code = np.nonzero(inside[used])
        attribute = Attribute(column, lambda: tree)
        side = BoxSide(attribute, treatment.style, owner, code, len(used))  # type: ignore[arg-type]
        if (
            published.levels is not None
        ):  # a node is as coarse as it is called, however few of its values are here
            called = np.array(published.levels)[first_of_each(label.astype(np.int32), len(inside))][used]
            level = np.maximum(side.nodes[0], np.minimum(called, tree.height))
            side = replace(
                side, at=(level, np.stack(tree.up)[level, code[side.starts[:-1]]].astype(np.int64))
            )
        level, node = side.nodes
        lost, ncp = side.loss(), side.ncp()
        if treatment.style == "set":
            lost, ncp = (found[used] for found in _of_sets(published, label, column, tree.total))
        precision = level / max(tree.height, 1)
        of_used = {"loss": lost, "ncp": ncp, "gil": _gil(side, level, node), "precision": precision}
        for measure, losses in of_used.items():
            of_label = np.ones(len(inside))
            of_label[used] = losses
            out[measure][:-1] = of_label[label]
    mine = column.counts[column.codes]
    reach = (inside @ column.counts)[label]
    out["entropy"] = np.log(np.where(placed, reach[of_row], mine) / mine) / entropy_of(column.counts)
    return out


def _of_sets(
    published: BoxTexts, label: NDArray[np.int64], column: Column, total: int
) -> tuple[Floats, Floats]:
    """Loss and NCP of each different set: it may name values that nobody here has."""
    first = first_of_each(label.astype(np.int32), int(label.max()) + 1)
    sets = [read_label(published.labels[at]) for at in first.tolist()]
    named = [one.values if isinstance(one, ValueSet) else () for one in sets]
    known = {*column.domain.texts, *([None] if column.domain.missing else [])}
    total = max(total, len(known.union(*named)))
    sizes = np.array([len(values) if values else total for values in named])
    return (sizes - 1) / max(total - 1, 1), np.where(sizes > 1, sizes / total, 0.0)


def _gil(side: BoxSide, level: NDArray[np.int64], node: NDArray[np.int64]) -> Floats:
    """Width of a range of numbers over the full width, else height of the lowest common node over the tree's."""
    domain, tree = side.attribute.domain, side.attribute.tree
    if domain.kind.numeric and not domain.missing:
        places, (lo, hi) = domain.places, side.ends
        width = places[-1] - places[0]
        return np.asarray((places[hi] - places[lo]) / width if width > 0 else np.zeros(side.boxes))
    heights = np.zeros(len(node))
    for each in range(tree.height + 1):
        here = level == each
        heights[here] = tree.heights[each][node[here]]
    return heights / max(int(tree.heights[tree.height].max(initial=0)), 1)


def _groups(
    people: Table, by: str, kept: NDArray[np.bool_], lost: Floats, times: NDArray[np.int64]
) -> list[GroupLoss]:
    if by not in people.names:
        raise unknown_column(by, people.names, "by")
    names, of_row = _grouping(people.column(by))
    records, left_out = tally(of_row, len(names), times), tally(of_row[~kept], len(names), times[~kept])
    means = np.bincount(of_row, lost * times, len(names)) / records
    spreads = np.bincount(of_row, (lost - means[of_row]) ** 2 * times, len(names))
    out = []
    for group, name in enumerate(names):
        n, gone, mean, spread = int(records[group]), int(left_out[group]), means[group], spreads[group]
        low, high = wilson(gone, n)
        half = Z * np.sqrt(spread / (n - 1)) / np.sqrt(n) if n > 1 else 1.0
        out.append(
            GroupLoss(
                name,
                n,
                gone,
                gone / n,
                low,
                high,
                float(mean),
                max(float(mean - half), 0.0),
                min(float(mean + half), 1.0),
                n / people.records,
                (n - gone) / max(int(times[kept].sum()), 1),
            )
        )
    return out


def _grouping(column: Column) -> tuple[list[str], NDArray[np.int64]]:
    """The groups of a column and the group of each row: its values, or quarters of an ordered column with many."""
    domain = column.domain
    names = [*domain.texts, *(["missing"] if domain.missing else [])]
    if domain.size <= MOST_GROUPS:
        return names, column.codes.astype(np.int64)
    if not domain.kind.ordered:
        raise RequestError(
            f"by: column {column.name!r} has {domain.size} values without an order; at most {MOST_GROUPS} groups can "
            "be compared. Group it first."
        )
    known = len(domain.values)
    upto = np.cumsum(column.counts[:known])
    cuts = np.unique(np.searchsorted(upto, upto[-1] * np.array([0.25, 0.5, 0.75])))
    of_code = np.searchsorted(cuts, np.arange(domain.size), side="left")
    of_code[known:] = len(cuts) + 1
    ends = [0, *(int(c) + 1 for c in cuts), known]
    bands = [f"{names[a]} to {names[b - 1]}" for a, b in pairwise(ends) if b > a]
    return [*bands, *(["missing"] if domain.missing else [])], of_code[column.codes]


def _notes(by: str, groups: tuple[GroupLoss, ...], overall: float) -> list[str]:
    """Said loudly: groups that are gone, and groups that lose far more records than everybody does."""
    out = []
    gone = [one for one in groups if one.suppressed == one.records]
    if gone:
        out.append(
            f"{amount(len(gone), 'group')} of {by!r} with {amount(sum(one.records for one in gone), 'record')} left "
            "the release altogether: whoever reads it will not know that these people exist. See `groups`."
        )
    hit = [one for one in groups if one not in gone and one.rate_low > 2 * overall]
    if hit:
        out.append(
            f"{amount(len(hit), 'group')} of {by!r} lost more than twice as large a share of records as everybody "
            f"({percent(max(one.rate for one in hit))} at most, {percent(overall)} of all): the release speaks less "
            "for them. See `groups`."
        )
    return out
