"""`la.attack`: a battery of attacks on a release, each with a rate, an interval, a baseline and a bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import polars as pl

from lookalike.base.checks import whole_number
from lookalike.base.errors import MissingExtra, RequestError
from lookalike.base.progress import Progress, track
from lookalike.measures.attacks import (
    attribute_inference,
    composition,
    definetti,
    downcoding,
    extremes,
    gap_inference,
    homogeneity,
    intersection,
    linkage,
    membership,
    minimality,
    partial_knowledge,
    predicate_singling_out,
    pseudonym_recomputation,
    rule_mining,
    skewness,
    subtraction,
)
from lookalike.measures.attacks.exposure import Exposure, expose
from lookalike.measures.attacks.results import Attacked, Attacks
from lookalike.recodings import Recoding
from lookalike.recodings.files import read_recoding, read_release
from lookalike.recodings.treatments import Keep, Round
from lookalike.recognition.frames import takes_frames
from lookalike.tables.sources.documents import read_document
from lookalike.tables.table import Table


@runtime_checkable
class AttackedRelease(Protocol):
    """What is needed of a release in memory."""

    @property
    def people(self) -> Table:
        """The table it was made from."""

    @property
    def rows(self) -> pl.DataFrame:
        """The released table."""

    @property
    def recoding(self) -> Recoding:
        """How it was made."""

    @property
    def method(self) -> str:
        """By which method."""


@dataclass(frozen=True)
class AttackKind:
    """How an attack is run, roughly how long it takes beside the others, and when it cannot be."""

    run: Callable[[Exposure, int], list[Attacked]]
    effort: int
    otherwise: str  #: why there may be no result
    about_values: bool = False  #: there is none without a sensitive column either


NO_VALUES = "no sensitive column is published"

#: name -> the attack, in the order in which they are told
BATTERY: dict[str, AttackKind] = {
    "linkage": AttackKind(lambda e, seed: linkage.attack(e), 3, ""),
    "partial-knowledge": AttackKind(
        lambda e, seed: partial_knowledge.attack(e, seed=seed), 10, "one quasi-identifier and no other column"
    ),
    "predicate-singling-out": AttackKind(lambda e, seed: predicate_singling_out.attack(e, seed=seed), 5, ""),
    "intersection": AttackKind(
        lambda e, seed: intersection.attack(e, seed=seed),
        5,
        "people have one row each or no `unit` tells them apart, or nothing is published that stays the same for a "
        "person",
    ),
    "pseudonym-recomputation": AttackKind(
        lambda e, seed: pseudonym_recomputation.attack(e, seed=seed), 2, "no pseudonym is published"
    ),
    "homogeneity": AttackKind(lambda e, seed: homogeneity.attack(e), 2, NO_VALUES, about_values=True),
    "skewness": AttackKind(lambda e, seed: skewness.attack(e), 2, NO_VALUES, about_values=True),
    "attribute-inference": AttackKind(
        lambda e, seed: attribute_inference.attack(e, seed=seed), 10, NO_VALUES, about_values=True
    ),
    "rule-mining": AttackKind(
        lambda e, seed: rule_mining.attack(e, seed=seed), 5, NO_VALUES, about_values=True
    ),
    "definetti": AttackKind(lambda e, seed: definetti.attack(e, seed=seed), 10, NO_VALUES, about_values=True),
    "minimality": AttackKind(
        lambda e, seed: minimality.attack(e, seed=seed),
        5,
        "it needs optimal, datafly or mondrian with a promise about a published column of not too many values",
    ),
    "downcoding": AttackKind(lambda e, seed: downcoding.attack(e), 3, ""),
    "gap-inference": AttackKind(
        lambda e, seed: gap_inference.attack(e, seed=seed),
        2,
        "nobody with a tuple of their own was held back",
        about_values=True,
    ),
    "membership": AttackKind(
        lambda e, seed: membership.attack(e, seed=seed), 3, "nobody is known who is not in the release"
    ),
    "extremes": AttackKind(lambda e, seed: extremes.attack(e), 1, "no range and no mean is published"),
}
COMPOSITION, SUBTRACTION = "composition", "subtraction"
TWO_RELEASES = (COMPOSITION, SUBTRACTION)
NO_SECOND = "a second release is needed"
NOT_ALIKE = "the two releases do not publish the same people alike, or publish the same rows"
NAMES = (*BATTERY, *TWO_RELEASES)


@takes_frames
def attack(
    people: Table,
    release: AttackedRelease | str | Path,
    *,
    only: Sequence[str] | None = None,
    second: AttackedRelease | str | Path | None = None,
    population: Any = None,
    seed: int = 0,
    progress: Progress = False,
) -> Attacks:
    """Attack a release as its maker can, knowing the truth, and report how often each attack succeeds.

    release: what `la.anonymize` returned, or the folder it was saved in.
    only: some of the attacks by name, such as ["linkage", "homogeneity"].
    second: another release about the same people, for composition and subtraction.
    population: a table or frame of the population, the people among them, for the journalist and for membership.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> people = la.table(frame, quasi=["age", "gender"], sensitive=["income"])
        >>> release = la.anonymize(people, la.KAnonymity(5))
        >>> attacks = la.attack(people, release, only=["linkage"])
        >>> [attack.name for attack in attacks][:2]
        ['prosecutor linkage', 'marketer linkage']
    """
    wanted = _wanted(only)
    whole_number(seed, "seed", most=2**32 - 1)
    if not people.in_memory:
        why = "the rows are not in memory: attack a release of a part of them"
        return Attacks((), dict.fromkeys(wanted, why), people.records, 0)
    if wanted == [SUBTRACTION]:  # rows that joined a release are not made again from one table
        left = _subtract(people, release, second)
        untried = {} if left else {SUBTRACTION: NO_SECOND if second is None else NOT_ALIKE}
        return Attacks(tuple(left), untried, len(people), _open(release).rows.height)
    exposure = _expose(people, release, population)
    other = None if second is None else _expose(_people(people, second), second, population, outsiders=False)
    results: list[Attacked] = []
    skipped: dict[str, str] = {}
    without_values: list[str] = []
    efforts = {name: BATTERY[name].effort if name in BATTERY else 5 for name in wanted}
    done = 0
    with track(progress, "Attacking") as report:
        for name in wanted:
            try:
                found = (
                    _subtract(people, release, second)
                    if name == SUBTRACTION
                    else _run(name, exposure, other, seed)
                )
            except MissingExtra as problem:
                found, why = [], str(problem)
            else:
                if name in TWO_RELEASES:
                    why = NO_SECOND if second is None else NOT_ALIKE
                else:
                    why = _why_not(BATTERY[name], exposure)
                if not found and name in BATTERY and _lacks_values(BATTERY[name], exposure):
                    without_values.append(name)
            if not found:
                skipped[name] = why
            results += found
            done += efforts[name]
            report(done / sum(efforts.values()))
    return Attacks(tuple(results), skipped, len(people), int(exposure.kept.sum()), tuple(without_values))


def _why_not(kind: AttackKind, exposure: Exposure) -> str:
    """Why an attack has no result."""
    return NO_VALUES if _lacks_values(kind, exposure) else kind.otherwise


def _lacks_values(kind: AttackKind, exposure: Exposure) -> bool:
    """Whether an attack is about sensitive values, and none is published."""
    return kind.about_values and not exposure.sensitive


def _run(name: str, exposure: Exposure, other: Exposure | None, seed: int) -> list[Attacked]:
    if name == COMPOSITION:
        return [] if other is None else composition.attack(exposure, other)
    return BATTERY[name].run(exposure, seed)


def _wanted(only: Sequence[str] | None) -> list[str]:
    if only is None:
        return list(NAMES)
    if isinstance(only, str):
        raise RequestError(f"`only` must be a list of names, such as [{only!r}].")
    plain = [name.strip().lower().replace("_", "-").replace(" ", "-") for name in only]
    for name in plain:
        if name not in NAMES:
            raise RequestError(f"`only`: there is no attack {name!r}; there are {', '.join(NAMES)}.")
    return [name for name in NAMES if name in plain]


def _people(people: Table, release: AttackedRelease | str | Path) -> Table:
    return (
        people
        if isinstance(release, str | Path) or not isinstance(release, AttackedRelease)
        else release.people
    )


def _expose(
    people: Table, release: AttackedRelease | str | Path, population: Any, *, outsiders: bool = True
) -> Exposure:
    opened = _open(release)
    if opened.counts_people and people.unit is None:
        raise RequestError(
            "the release counts people: make the table with the column that tells them apart as `unit`."
        )
    return expose(
        people, opened.rows, opened.recoding, method=opened.method, population=population, outsiders=outsiders
    )


class _Opened(NamedTuple):
    """A release as made or as saved."""

    rows: pl.DataFrame
    recoding: Recoding
    method: str
    counts_people: bool


def _open(release: AttackedRelease | str | Path) -> _Opened:
    if isinstance(release, str | Path):
        certificate = read_document(Path(release) / "certificate.json", "certificate")
        method = str(certificate.get("measured", {}).get("method", ""))
        counts_people = certificate.get("counted") == "people"
        return _Opened(read_release(release), read_recoding(release), method, counts_people)
    if isinstance(release, AttackedRelease):
        return _Opened(release.rows, release.recoding, release.method, False)
    raise RequestError(
        "`release` must be what `la.anonymize` returned, or the folder it was saved in; "
        f"found {type(release).__name__}."
    )


def _subtract(
    people: Table, release: AttackedRelease | str | Path, second: AttackedRelease | str | Path | None
) -> list[Attacked]:
    """What is left of two releases; nothing but what was published is needed."""
    if second is None:
        return []
    return subtraction.attack(*(_published(people, _open(one)) for one in (release, second)))


def _published(people: Table, opened: _Opened) -> subtraction.PublishedRows:
    recoding, unit = opened.recoding, people.unit
    shown = [name for name, how in recoding.columns.items() if isinstance(how, Keep | Round)]
    sensitive = [name for name in recoding.sensitive if name in shown]
    return subtraction.PublishedRows(
        opened.rows, recoding.quasi, sensitive, recoding.models, unit if unit in shown else None
    )
