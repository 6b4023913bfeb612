"""Rows that join a release: the later release without the rows of the earlier one must be a release of its own."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import lookalike as la
from attacker import jobs
from attacker.checking import TAG, leaks
from attacker.counting import Class, broken
from attacker.jobs import as_table
from attacker.published import Meaning, read_csv
from attacker.running import REFUSED, overheard


def joining(seed: int, folder: Path, done: Counter[str]) -> Iterator[str]:
    """A random job of which some rows come later: refused in words, or newcomers who keep the promise by themselves."""
    made = jobs.make(seed)
    case, draw = made.case, random.Random(f"joining {seed}")
    if case.unit or case.population or "weight" in made.roles or case.as_numbers:
        return
    later = set(draw.sample(range(len(case.rows)), len(case.rows) // 2))
    old, new = (
        [row for i, row in enumerate(case.rows) if (i in later) == is_new] for is_new in (False, True)
    )
    if not old or not new:
        return
    made = replace(made, case=replace(case, rows=old))
    try:
        with overheard() as said:
            release = la.anonymize(made.table(folder), *made.models, **made.options)
            release.save(folder / "old")
            both = la.apply(
                release, as_table(new, made.roles, made.frame, folder), joins=True, suppression=1.0
            )
            both.save(folder / "both")
            found = la.attack(made.table(folder), release, second=both, only=["subtraction"])
    except REFUSED as refusal:
        done["joins refused"] += 1
        yield from leaks(case, str(refusal))
        return
    done["joins"] += 1
    yield from leaks(case, said.getvalue())
    yield from (f"{one.title} on rows that joined by apply: {one.verdict}" for one in found.defects)
    before = {row[TAG] for row in read_csv(folder / "old" / "release.csv")}
    by_tag = {row[TAG]: row for row in case.rows}
    classes: dict[tuple[str | None, ...], Class] = defaultdict(list)
    for row in read_csv(folder / "both" / "release.csv"):
        if row[TAG] is not None and row[TAG] not in before:
            classes[tuple(row[name] for name in case.quasi)].append((row[TAG], by_tag[row[TAG]]))
    done["newcomers"] += sum(map(len, classes.values()))
    meanings = {name: case.meanings.get(name, Meaning()) for name in case.sensitive}
    for promise in case.promises if classes else ():
        if what := broken(promise, list(classes.values()), sensitive=case.sensitive, meanings=meanings):
            yield f"newcomers by themselves break {promise}: {what}"
