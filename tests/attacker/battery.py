"""The battery of attacks on random releases, whatever the table, the method and the promise: it ends in numbers that
can be true, none is beyond the promise, a release that says nothing stays at the baseline, and no cell is shown."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

import lookalike as la
from attacker import jobs
from attacker.checking import TAG, leaks
from attacker.jobs import Job
from attacker.running import REFUSED, overheard
from lookalike.measures.attacks.attacking import NAMES, SUBTRACTION
from lookalike.measures.attacks.results import Attacked, Attacks

SURE = 5.0  #: standard deviations beyond which a rate is no luck, however many are looked at
_SLACK = 1e-9


def battery(seed: int, folder: Path, done: Counter[str]) -> Iterator[str]:
    """Every attack on the release of a random job, and on one of stars, with a population and a second where asked."""
    made = jobs.make(seed)
    draw = random.Random(f"battery {seed}")
    try:
        with overheard():
            people = made.table(folder)
            release = la.anonymize(people, *made.models, population=made.population(), **made.options)
    except REFUSED:
        done["refusals before an attack"] += 1
        return
    second = draw.choice([None, None, release, _second(people, made)])
    how: dict[str, Any] = {"population": made.population(), "second": second, "seed": draw.randint(0, 9)}
    with overheard() as said:
        found = la.attack(people, release, **how)
    done["releases attacked"] += 1
    done["attacks"] += len(found)
    yield from _credible(found)
    shown = [str(found), repr(found), found.summary, *(one.story for one in found)]
    shown.append(json.dumps(found.to_dict(), allow_nan=False, ensure_ascii=False))
    yield from leaks(made.case, "\n".join([said.getvalue(), *shown]))
    for one in found.defects:
        if one.name == SUBTRACTION:  # nobody promised anything about the two together
            continue
        yield f"{one.title} on a release that keeps its promises: {one.verdict}"
    if draw.random() < 0.25:
        with overheard():
            out = release.save(folder / "out", **made.save)
            again = la.attack(people, out, **how)
        if again.to_dict() != found.to_dict():
            yield "the saved release is attacked with other numbers than the one in memory"
    yield from _stars(people, made, done)


def _second(people: la.Table, made: Job) -> la.Release | None:
    """Another release about the same people."""
    rest = {key: made.options[key] for key in ("linked", "drop") if key in made.options}
    with overheard():
        try:
            return la.anonymize(people, la.KAnonymity(2), method="mondrian", suppression=0.5, **rest)
        except REFUSED:
            return None


def _stars(people: la.Table, made: Job, done: Counter[str]) -> Iterator[str]:
    """Where every quasi-identifier is a star and nothing else is published, no attack gets beyond its baseline."""
    top = {name: people.tree(name).height for name in people.quasi}
    drop = [name for name in (TAG, "pid", "survey", "score") if name in people.names]
    with overheard():
        release = la.anonymize(people, la.KAnonymity(1), method="levels", levels=top, drop=drop)
        found = la.attack(people, release, seed=made.seed % 7)
    done["releases of stars attacked"] += 1
    yield from _credible(found)
    for one in found:
        if lowest(one.successes, one.trials) > one.baseline + _SLACK:
            yield f"{one.title} on stars alone: {one.verdict}"


def _credible(found: Attacks) -> Iterator[str]:
    """Whether the numbers of a battery can be true, whoever was attacked."""
    told = {one.name for one in found}
    if not told and not found.skipped:
        yield "no attack was tried, and none is said to have been skipped"
    unknown = set(found.skipped) - set(NAMES)
    if unknown or not all(found.skipped.values()):
        yield f"skipped without a reason, or never heard of: {dict(found.skipped)}"
    for one in found:
        yield from (f"{one.title}: {problem}" for problem in _wrong(one))


def _wrong(one: Attacked) -> Sequence[str]:
    shares = {"rate": one.rate, "low": one.low, "high": one.high, "baseline": one.baseline}
    optional = {"control": one.control, "bound": one.bound, "worst": one.worst}
    shares |= {name: share for name, share in optional.items() if share is not None}
    out = [
        f"{name} is {x}" for name, x in shares.items() if not isfinite(x) or not -_SLACK <= x <= 1 + _SLACK
    ]
    if not 0 <= one.successes <= one.trials + _SLACK:
        out.append(f"{one.successes} of {one.trials} succeed")
    if not one.low - _SLACK <= one.rate <= one.high + _SLACK:
        out.append(f"the rate {one.rate} is not within {one.low} to {one.high}")
    chosen_blindly = "linkage" in one.name and one.worst is not None and one.trials
    if chosen_blindly and one.worst < one.rate - _SLACK:  # type: ignore[operator]
        out.append(f"the most exposed person has a chance of {one.worst}, all together {one.rate}")
    return out


def lowest(successes: float, trials: int) -> float:
    """The lower end of Wilson's interval, so wide that chance does not leave it."""
    if not trials:
        return 0.0
    share, z = successes / trials, SURE
    middle = share + z * z / (2 * trials)
    spread = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return float((middle - spread) / (1 + z * z / trials))
