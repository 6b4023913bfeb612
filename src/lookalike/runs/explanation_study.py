"""The experiment of the CF-K paper on one's own table: split, model, everybody refused explained, and what it costs.

A part of the people is held out. The model is trained on the rest, or given, and every refused person of the held-out
part is explained: by the raw neighbour, by the paper's CF-K, and so that k people share everything that is shown;
beside these by perturbation, which starts from nobody. Each way is measured, and attacked by linkage, matching and
membership.
Goethals, Sörensen and Martens 2022, section 6, https://doi.org/10.48550/arXiv.2210.12051.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.checks import share, whole_number
from lookalike.base.errors import RequestError, unknown_column
from lookalike.base.progress import Progress
from lookalike.explanations.explainer import KAnonymousExplainer
from lookalike.explanations.explanation import Explanation
from lookalike.explanations.spheres import perturb
from lookalike.explanations.trained import train_model
from lookalike.measures.attacks.explanation_linkage import attack_explanations
from lookalike.measures.attacks.explanation_membership import attack_membership
from lookalike.recognition.frames import takes_frames
from lookalike.tables.columns.naming import nameless
from lookalike.tables.table import Table

_COLUMNS = (
    ("explained", "explained", "{:,}"),
    ("ncp", "NCP", "{:.2%}"),
    ("pureness", "pureness", "{:.1%}"),
    ("holds", "holds", "{:.1%}"),
    ("ways", "ways", "{:,.0f}"),
    ("seconds", "s each", "{:.3f}"),
    ("singled_out", "singled out", "{:.1%}"),
    ("matched_out", "by matching", "{:.1%}"),
    ("k_left", "people left", "{:,}"),
    ("auc", "membership AUC", "{:.3f}"),
)


@dataclass(frozen=True)
class _Shown:
    """A made-up row as an explanation shows it."""

    values: Mapping[str, Any]
    box: Mapping[str, Any]
    record: int = -1


@dataclass(frozen=True)
class StudyLine:
    """One way to explain, over everybody it explained. None: does not apply."""

    way: str
    explained: int
    ncp: float | None  #: mean share of detail lost over the columns that are blurred
    pureness: float | None  #: mean share of a box that gets the outcome
    holds: float | None  #: mean share of what is told that gets the outcome, all else being the person's own
    ways: float | None  #: median number of valid ways out
    seconds: float  #: CPU seconds each
    singled_out: float | None  #: share of explanations that fit one person
    matched_out: (
        float | None
    )  #: share of records left with one person once all are matched to different people
    k_left: int | None  #: fewest people left for a record after matching
    membership: Mapping[str, Any]  #: how well the explanations tell who was in the training table

    @property
    def auc(self) -> float:
        """How well the explanations tell training people from others; .5 is guessing."""
        return float(self.membership["auc"])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dict(vars(self))


@dataclass(frozen=True)
class ExplanationStudy:
    """What explaining everybody who was refused costs and gives away, by way and by group.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "income")
        >>> model = lambda rows: (rows["income"] > 25_000).cast(int)
        >>> study = la.study_explanations(frame, model=model, quasi=["age", "gender"], k=5, most=20)
        >>> study.lines[0].singled_out > 0, study.lines[1].singled_out
        (True, 0.0)
    """

    k: int  #: people who share what is shown
    trained: int  #: people in the training part
    refused: int  #: people whose decision was to be explained
    lines: tuple[StudyLine, ...]  #: one for each way to explain
    by_group: tuple[Mapping[str, Any], ...]  #: detail lost and validity by group, of what k people share
    unexplained: Mapping[str, int]  #: why the last way could not explain somebody -> how many people

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "lines": [line.to_dict() for line in self.lines]}

    def __repr__(self) -> str:
        head = f"{self.refused:,} refused people explained from {self.trained:,} training people, k={self.k}."
        titles = ["", *(title for _, title, _ in _COLUMNS)]
        rows = [
            [
                line.way,
                *(
                    form.format(value) if (value := getattr(line, name)) is not None else "-"
                    for name, _, form in _COLUMNS
                ),
            ]
            for line in self.lines
        ]
        groups = [["group", "people", "explained", "NCP", "holds"]] if self.by_group else []
        groups += [
            [
                one["group"],
                f"{one['people']:,}",
                f"{one['explained']:,}",
                f"{one['ncp']:.2%}",
                f"{one['holds']:.1%}",
            ]
            for one in self.by_group
        ]
        why = [f"{n:,} people: {reason}" for reason, n in self.unexplained.items()]
        return "\n".join([head, "", *_aligned([titles, *rows]), "", *_aligned(groups), *why]).rstrip()


@takes_frames
def study_explanations(
    people: Table,
    /,
    *,
    model: Any = None,
    target: str | None = None,
    desired: Any = 1,
    k: int = 10,
    group: str | None = None,
    held_out: float = 0.4,
    most: int = 1000,
    features: Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress = False,
    **options: Any,
) -> ExplanationStudy:
    """Explain everybody that a model refuses, in every way, and measure detail, validity, time and attacks.

    model: a fitted one, where there is one.
    target: else the column to train one of. desired: the outcome people want. k: people who share what is shown.
    group: a column whose groups are compared. held_out: share of people who are not trained on; half of them are
        explained, the others are whom the membership attack compares training people with.
    most: people explained. features: the columns the model looks at, where it does not say itself.
    options: of `KAnonymousExplainer`, for the ways that are k-anonymous.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "income")
        >>> model = lambda rows: (rows["income"] > 25_000).cast(int)
        >>> study = la.study_explanations(frame, model=model, quasi=["age", "gender"], k=5, most=20)
        >>> [line.singled_out for line in study.lines if line.way == "k people share all"]
        [0.0]
    """
    if (model is None) == (target is None):
        raise RequestError("say which model: `model`, or `target`, the column to train one of.")
    if group is not None and group not in people.names:
        raise unknown_column(group, people.names, "group")
    share(held_out, "held_out", above=True)
    whole_number(most, "most", least=1)
    whole_number(k, "k", least=2)
    options.pop("values", None)
    asking, strangers = _draw(people, held_out, seed)
    training = people.filter(~(asking | strangers))
    if model is None:
        assert target is not None
        model = train_model(training, target, seed=seed)
        features = features or model.feature_names_in_
        options.setdefault("justified", False)  # its outcomes are texts, the column's may be numbers
    common = {"desired": desired, "features": features, "unknown": "differs", "seed": seed}
    shared = KAnonymousExplainer(model, training, k=k, **common, **options)
    asked = np.flatnonzero(asking)
    rows = people.rows[asked]
    refused = np.flatnonzero(~shared.outcomes.desired_of(shared.features.take(rows)))[:most]
    if not len(refused):
        raise RequestError("the model refuses nobody of the held-out part; there is nothing to explain.")
    asked, rows = asked[refused], rows[refused]
    tried = _Tried(training, people.filter(~asking), ~strangers[~asking], rows, progress)
    exact = KAnonymousExplainer(model, training, k=k, values="exact", **common, **options)
    raw = KAnonymousExplainer(
        model, training, k=1, values="exact", justified=options.get("justified"), **common
    )
    lines = [tried.line("raw neighbour (NICE)", raw)[0], tried.line("CF-K, values as they are", exact)[0]]
    last, told, why = tried.line("k people share all", shared)
    lines += [last, tried.made_up(shared, seed)]
    groups = [] if group is None else _groups(nameless(people.rows[group])[asked], told)
    return ExplanationStudy(k, len(training), len(rows), tuple(lines), tuple(groups), why)


@dataclass(frozen=True, eq=False)
class _Tried:
    """What all ways are tried on."""

    training: Table
    known: Table  #: the training part, and people who were neither trained on nor explained
    trained: NDArray[np.bool_]  #: which of these were trained on
    rows: pl.DataFrame
    progress: Progress

    def line(
        self, way: str, explainer: KAnonymousExplainer
    ) -> tuple[StudyLine, dict[int, Explanation], dict[str, int]]:
        """One way, what it told by row, and why it left some out."""
        started = time.process_time()
        found = explainer.explain_each(self.rows, progress=self.progress)
        seconds = (time.process_time() - started) / self.rows.height
        told = list(found.explanations.values())
        reasons = list(found.unexplained.values())
        if not told:
            raise RequestError(f"{way}: nobody could be explained. {reasons[0]}")
        linked = attack_explanations(told, self.training)
        ways = explainer.ways_out(self.rows[[number - 1 for number in found.explanations]], told)
        line = StudyLine(
            way,
            len(told),
            float(np.mean([one.ncp for one in told])),
            float(np.mean([one.pureness for one in told])),
            float(np.mean([one.holds for one in told])),
            float(np.median([one.valid_ways for one in ways])),
            seconds,
            linked.singled_out.rate,
            linked.matched.rate,
            linked.k_min_matched,
            self._membership(told),
        )
        return line, found.explanations, {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}

    def made_up(self, explainer: KAnonymousExplainer, seed: int) -> StudyLine:
        """Perturbation: no record, so nobody to be linked to."""
        started = time.process_time()
        found = perturb(explainer, self.rows, seed=seed)
        seconds = (time.process_time() - started) / self.rows.height
        told = found.rows.filter(pl.Series(found.changed.any(axis=1)))
        shown = [_Shown(row, {}) for row in told.iter_rows(named=True)]
        nothing = (None,) * 4
        return StudyLine(
            "perturbation (spheres)", len(shown), *nothing, seconds, None, None, None, self._membership(shown)
        )  # fmt: skip

    def _membership(self, told: Sequence[Any]) -> dict[str, Any]:
        found = attack_membership(told, self.known, self.trained.tolist())
        return found.to_dict()


def _draw(people: Table, held_out: float, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Two equal parts that no model is trained on: people to explain, and strangers to compare training people with."""
    order = people.content_order()[np.random.default_rng(seed).permutation(len(people))]
    some = round(held_out * len(people) / 2)
    out = np.zeros((2, len(people)), dtype=bool)
    out[0, order[:some]] = out[1, order[some : 2 * some]] = True
    return out[0], out[1]


def _groups(groups: pl.Series, told: Mapping[int, Explanation]) -> list[dict[str, Any]]:
    """Detail lost and validity by group, of what k people share."""
    names = ["missing" if name is None else str(name) for name in groups.to_list()]
    out = []
    for name in sorted(set(names)):
        mine = [told[i] for i, one in enumerate(names, 1) if one == name and i in told]
        out.append(
            {
                "group": name,
                "people": names.count(name),
                "explained": len(mine),
                "ncp": float(np.mean([one.ncp for one in mine])) if mine else float("nan"),
                "holds": float(np.mean([one.holds for one in mine])) if mine else float("nan"),
            }
        )
    return out


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of a table of text."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
