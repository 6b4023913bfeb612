"""`choose_k`: the largest k up to which a release still answers the questions asked of it as the original does.

Hemmati, de Jong, Ang and Ng: for k ascending a release is made and every question asked of it; chosen is the largest k
such that no question is significantly impacted at it or at any smaller one tried. Codes, cells and trees are made once
for all k; every release is the one `la.anonymize` makes with the same options.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from inspect import signature
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lookalike.anonymizers.anonymization import anonymize
from lookalike.anonymizers.requests import check_models, fitting_methods
from lookalike.base.charts import INK, altair, dress
from lookalike.base.checks import whole_number, whole_numbers
from lookalike.base.errors import GuaranteeError, LinkedColumnError, RequestError, warn
from lookalike.base.progress import Progress, track
from lookalike.base.writing import write_file
from lookalike.measures.utility.questions.answers import Answer, ask, check_questions
from lookalike.measures.utility.questions.question import Question
from lookalike.measures.utility.released import link, open_release
from lookalike.measures.utility.views import Pair
from lookalike.models import KAnonymity
from lookalike.models.model import Model
from lookalike.recognition.frames import takes_frames
from lookalike.releases.release import Release
from lookalike.tables.table import Table

_OF_ANONYMIZE = frozenset(signature(anonymize).parameters)
_ROUNDS = 3  #: of local recoding for every k, where the caller says nothing


@dataclass(frozen=True)
class Tried:
    """One k: what the release costs, what risk is left, and which questions it changes."""

    k: int
    records: int
    suppressed: int | None  #: None, as all numbers, where no release can be made at this k
    loss: float | None
    risk: float | None  #: the largest chance to find a person, one over the smallest class
    mean_risk: float | None  #: over all released people
    impact: bool
    impacted: tuple[str, ...]  #: the questions with a significant impact
    answers: tuple[Answer, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            **vars(self),
            "impacted": list(self.impacted),
            "answers": [one.to_dict() for one in self.answers],
        }


@dataclass(frozen=True)
class ChosenK:
    """The outcome of `la.choose_k`: the k chosen (None: impact from the first on), and everything tried.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "num_children")
        >>> people = la.table(frame, quasi=["age"], others=["num_children"])
        >>> both = la.Question("correlation", of=["age", "num_children"], tolerance=0.02)
        >>> chosen = la.choose_k(people, ks=[2, 10, 150], questions=[both])
        >>> [(row.k, row.impact) for row in chosen.table]
        [(2, False), (10, False), (150, True)]
    """

    k: int | None  #: the largest k that answers every question; None where no k does
    table: tuple[Tried, ...]  #: each k tried, with its answers
    method: str  #: the method of the releases
    warnings: tuple[str, ...] = ()  #: what to know before relying on it

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "k": self.k,
            "table": [one.to_dict() for one in self.table],
            "method": self.method,
            "warnings": list(self.warnings),
        }

    def plot(self) -> Any:
        """Risk, loss, records left out and changed questions over k, as an altair chart."""
        alt = altair()
        curves = {"largest risk": "risk", "mean risk": "mean_risk", "loss": "loss"}
        points = [
            {"k": one.k, "share": value, "curve": name}
            for one in self.table
            for name, value in (
                *((name, getattr(one, attribute)) for name, attribute in curves.items()),
                ("left out", None if one.suppressed is None else one.suppressed / max(one.records, 1)),
                ("questions changed", len(one.impacted) / max(len(one.answers), 1) if one.answers else None),
            )
            if value is not None
        ]
        lines = (
            alt.Chart(alt.Data(values=points), title="what k costs and what it buys")
            .mark_line(point=True)
            .encode(
                x=alt.X("k:Q", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(zero=False)),
                y=alt.Y("share:Q", title="share", axis=alt.Axis(format="%")),
                color=alt.Color("curve:N", title=None),
            )
        )
        if self.k is None:
            return dress(lines)
        chosen = alt.Chart(alt.Data(values=[{"k": self.k}])).mark_rule(strokeDash=[4, 4], color=INK)
        return dress(lines + chosen.encode(x="k:Q"))

    def save(self, path: str | Path) -> Path:
        """Write the picture: svg, png or html, by the ending."""
        with TemporaryDirectory() as elsewhere:
            drawn = Path(elsewhere) / Path(path).name
            self.plot().save(str(drawn))
            return write_file(path, drawn.read_bytes(), what="the picture")

    def __str__(self) -> str:
        lines = [f"{'k':>4}{'left out':>10}{'loss':>9}{'risk':>9}{'mean risk':>11}  significant impact"]
        for one in self.table:
            if one.loss is None or one.suppressed is None or one.risk is None or one.mean_risk is None:
                lines.append(f"{one.k:>4}  no release keeps the promise within the limits")
                continue
            what = ", ".join(one.impacted) or "no"
            lines.append(
                f"{one.k:>4}{one.suppressed:>10,}{one.loss:>9.4f}{one.risk:>9.4f}{one.mean_risk:>11.4f}  {what}"
            )
        chosen = _none(self.table[0]) if self.k is None else str(self.k)
        return "\n".join([*lines, f"chosen k: {chosen}", *(f"note: {text}" for text in self.warnings)])

    def __repr__(self) -> str:
        return f"ChosenK(k={self.k}, {len(self.table)} tried, method {self.method!r})"


@takes_frames
def choose_k(
    people: Table,
    /,
    *models: Model,
    ks: Iterable[int] = range(2, 12),
    questions: Sequence[Question],
    method: str = "auto",
    resamples: int = 0,
    seed: int = 0,
    progress: Progress = False,
    **options: Any,
) -> ChosenK:
    """The largest k at and below which no question is significantly impacted, and the whole table of all k tried.

    models: promises kept at every k besides k-anonymity, such as `la.LDiversity("disease", 2)`.
    questions: made with `la.Question`, or read from a TOML file by `la.read_questions`.
    resamples: drawings of people for the intervals of the answers; no verdict needs them.
    options: of `la.anonymize` and of the method, such as `suppression`, `weights`, `levels`.
    ks: the values of k to try. method: as in `la.anonymize`.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "num_children")
        >>> people = la.table(frame, quasi=["age"], others=["num_children"])
        >>> both = la.Question("correlation", of=["age", "num_children"], tolerance=0.02)
        >>> chosen = la.choose_k(people, ks=[2, 10, 150], questions=[both])
        >>> chosen.k
        10
    """
    tried = sorted(set(whole_numbers(ks, "ks", least=1)))
    if not tried:
        raise RequestError("`ks` is empty: give the values of k to try, such as range(2, 12).")
    asked = check_questions(questions)
    if not asked:
        raise RequestError("`questions` is empty: without a question every k would do.")
    check_models(models)
    whole_number(resamples, "resamples")
    if any(model.name == KAnonymity.name for model in models):
        raise RequestError("k-anonymity is what is chosen here; give `ks`, and other models only.")
    of_method = {name: value for name, value in options.items() if name not in _OF_ANONYMIZE}
    ways = dict.fromkeys(fitting_methods(method, people, models, of_method), options)
    notes = []
    if "local" in ways and "rounds" not in options and "seconds" not in options:
        ways["local"] = {**options, "rounds": _ROUNDS}
        notes.append(
            f"local recoding was improved in {_ROUNDS} rounds for every k (rounds={_ROUNDS}); `la.anonymize` by itself "
            "takes more, and loses a little less."
        )
    found = []
    with track(progress, "Choosing k") as report:
        for i, k in enumerate(tried):
            found.append(_try(people, k, models, asked, ways, resamples, seed))
            report((i + 1) / len(tried))
    chosen = None
    for one in found:
        if one.impact:
            break
        chosen = one.k
    for note in (warned := _notes(found, chosen)):
        warn(note)
    return ChosenK(chosen, tuple(found), method, (*warned, *notes))


def _try(
    people: Table,
    k: int,
    models: tuple[Model, ...],
    questions: list[Question],
    ways: dict[str, dict[str, Any]],
    resamples: int,
    seed: int,
) -> Tried:
    """One k, by the first method that can keep it."""
    for method, options in ways.items():
        try:
            release = anonymize(people, KAnonymity(k), *models, method=method, seed=seed, **options)
            break
        except LinkedColumnError:
            raise
        except GuaranteeError:
            continue
    else:
        return Tried(k, len(people), None, None, None, None, True, tuple(one.name for one in questions))
    published = open_release(people, release)
    linked = link(people, published) if resamples else None
    answers = ask(Pair(people, published, linked), questions, resamples=resamples, seed=seed)
    impacted = tuple(one.question for one in answers if one.impact)
    return Tried(
        k,
        release.records,
        release.suppressed,
        release.detail_lost,
        1 / release.k,
        _mean_risk(release),
        bool(impacted),
        impacted,
        answers,
    )


def _mean_risk(release: Release) -> float:
    """Mean over released records of one over the size of their class: classes per record."""
    return release.classes / max(release.records - release.suppressed, 1)


def _none(first: Tried) -> str:
    if first.loss is None:
        return "none: no release keeps the first k tried; allow more suppression, or blur fewer columns"
    return "none: the first k tried has an impact already"


def _notes(found: list[Tried], chosen: int | None) -> list[str]:
    out = []
    if any(before.impact and not after.impact for before, after in pairwise(found)):
        good = [one.k for one in found if not one.impact and (chosen is None or one.k > chosen)]
        out.append(
            "the impact is not monotone in k: a larger k "
            f"({', '.join(map(str, good))}) has none where a smaller one has. Look at the whole table."
        )
    if chosen is not None and chosen == found[-1].k:
        out.append(f"k = {chosen} is the largest tried: a larger one may do as well. Try more.")
    return out
