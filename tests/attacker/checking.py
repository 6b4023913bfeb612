"""An independent checker: a saved release against the rows it was made from. Nothing of the library is imported.

It matches every released row with its original by a tag, recounts every promise and every number of the certificate,
looks whether each label covers the value behind it, and searches all that goes out for what must not be there.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attacker.counting import Class, broken
from attacker.published import Meaning, Row, covers, read_csv

BY_LEVELS = ("optimal", "datafly", "levels")
TAG = "tag"  #: the column that is different in every row, and published


@dataclass(frozen=True)
class Case:
    """What a release was made from, and what was asked: all as plain text."""

    rows: Sequence[Row]
    quasi: Sequence[str]
    sensitive: Sequence[str]
    hidden: Sequence[str]  #: columns that must not go out
    promises: Sequence[Mapping[str, Any]]
    method: str
    suppression: float
    stars: bool
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    unit: str | None = None
    population: Sequence[Row] | None = None
    as_numbers: Sequence[str] = ()  #: quasi-identifiers published as a midpoint or a mean


def problems(case: Case, folder: Path, *, said: str = "") -> Iterator[str]:
    """Everything that is wrong with a saved release; `said` is what was written to the terminal meanwhile."""
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    safe = certificate["release"]["spreadsheet_safe"]
    released = read_csv(folder / "release.csv", apostrophes=safe)
    by_tag = {row[TAG]: row for row in case.rows}
    kept = [row for row in released if row[TAG] is not None]
    stars = [row for row in released if row[TAG] is None]
    if len({row[TAG] for row in kept}) < len(kept) or not {row[TAG] for row in kept} <= set(by_tag):
        yield "a row was released twice, or nobody's"
        return
    tags = {row[TAG] for row in kept}
    gone = [row for row in case.rows if row[TAG] not in tags]
    yield from _left_out(case, certificate, gone, stars, tags)
    yield from _cells(case, kept, by_tag)
    yield from _promises(case, certificate, kept, by_tag)
    yield from _canaries(case, folder, gone, kept, said)


def _left_out(
    case: Case,
    certificate: Mapping[str, Any],
    gone: Sequence[Row],
    stars: Sequence[Row],
    tags: set[str | None],
) -> Iterator[str]:
    measured = certificate["measured"]
    if (measured["records"], measured["suppressed"]) != (len(case.rows), len(gone)):
        yield "the certificate counts other records than there are"
    if len(stars) != (len(gone) if case.stars else 0):
        yield "rows of stars are not the rows left out"
    for row in stars:
        if any(
            value is not None and not (name in case.quasi and value == "*") for name, value in row.items()
        ):
            yield "a row of stars says something"
    unit = case.unit or TAG
    left, everybody = {row[unit] for row in gone}, {row[unit] for row in case.rows}
    if len(left) > case.suppression * len(everybody) + 1e-9:
        yield "more people were left out than may be"
    if any(row[unit] in left for row in case.rows if row[TAG] in tags):
        yield "somebody is left out in one row and released in another"


def _cells(case: Case, kept: Sequence[Row], by_tag: Mapping[str | None, Row]) -> Iterator[str]:
    for row in kept:
        original = by_tag[row[TAG]]
        for name, value in row.items():
            meaning = case.meanings.get(name, Meaning())
            if name in case.hidden:
                yield f"column {name} was to stay at home"
            elif name in case.as_numbers:
                continue
            elif name in case.quasi:
                if not covers(value, original[name], meaning):
                    yield f"label {value!r} of {name} does not cover {original[name]!r}"
            elif not _same(value, original[name], meaning):
                yield f"{name} was changed from {original[name]!r} to {value!r}"


def _same(value: str | None, original: str | None, meaning: Meaning) -> bool:
    if meaning.numeric and value is not None and original is not None:
        return float(value) == float(original)
    return value == original


def _promises(
    case: Case, certificate: Mapping[str, Any], kept: Sequence[Row], by_tag: Mapping[str | None, Row]
) -> Iterator[str]:
    if certificate["promise"] != list(case.promises):
        yield "the certificate promises something else"
    classes: dict[tuple[str | None, ...], Class] = defaultdict(list)
    for row in kept:
        original = by_tag[row[TAG]]
        classes[tuple(row[name] for name in case.quasi)].append((original[case.unit or TAG], original))
    sizes = [len({person for person, _ in one}) for one in classes.values()]
    measured = (certificate["measured"]["k"], certificate["measured"]["classes"])
    if measured != (min(sizes), len(sizes)) and not case.as_numbers:
        yield f"k and classes are certified as {measured}, and are {(min(sizes), len(sizes))}"
    if certificate["measured"]["k"] > min(sizes):
        yield "a larger k is certified than there is"
    population, empty = _population(case, certificate, classes)
    for promise in case.promises:
        found = broken(
            promise,
            list(classes.values()),
            sensitive=case.sensitive,
            meanings={name: case.meanings.get(name, Meaning()) for name in case.sensitive},
            population=population,
            empty=empty,
        )
        if found:
            yield f"{promise} is broken: {found}"


def _population(
    case: Case, certificate: Mapping[str, Any], classes: Mapping[tuple[str | None, ...], Class]
) -> tuple[list[int] | None, list[int]]:
    """People of the population in each class, and in each of its classes that the release does not show."""
    if case.population is None:
        return None, []
    people: dict[tuple[str | None, ...], set[Any]] = defaultdict(set)
    for place, row in enumerate(case.population):
        person = row[case.unit] if case.unit else place
        if case.method in BY_LEVELS:
            levels = certificate["measured"]["levels"]
            people[tuple(_label(row[name], levels[name], case.meanings[name]) for name in case.quasi)].add(
                person
            )
        else:  # whoever is exactly like somebody in the class
            people[tuple(row[name] for name in case.quasi)].add(person)
    if case.method in BY_LEVELS:
        shown = [_plain(key, case) for key in classes]
        return [len(people[key]) for key in shown], [len(p) for key, p in people.items() if key not in shown]
    alike = [{tuple(row[name] for name in case.quasi) for _, row in one} for one in classes.values()]
    return [len(set().union(*(people[one] for one in some))) for some in alike], []


def _label(value: str | None, level: int, meaning: Meaning) -> str | None:
    height = len(next(iter(meaning.tree.values()))) - 1
    if value is None:
        return "*" if level == height else None
    return meaning.tree[value][level]


def _plain(key: tuple[str | None, ...], case: Case) -> tuple[str | None, ...]:
    """A class's labels without the quotes that tell a value from a sign."""
    quoted = {'"' + leaf.replace('"', '""') + '"': leaf for m in case.meanings.values() for leaf in m.tree}
    return tuple(None if label is None else quoted.get(label, label) for label in key)


def _canaries(case: Case, folder: Path, gone: Sequence[Row], kept: Sequence[Row], said: str) -> Iterator[str]:
    """What must be nowhere: hidden columns, tags and sensitive values that only people left out have."""
    forbidden = {row[name] for row in case.rows for name in case.hidden}
    forbidden |= {row[TAG] for row in gone}
    texts = {TAG: {row[TAG] for row in kept}}
    for name in case.sensitive:
        if not case.meanings.get(name, Meaning()).numeric:
            texts[name] = {row[name] for row in kept}
            forbidden |= {row[name] for row in gone} - texts[name]
    sought = [value for value in forbidden if value is not None and value.startswith("canary")]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "private" not in path.relative_to(folder).parts:
            found = path.read_bytes()
            for value in sought:
                if value.encode() in found:
                    yield f"{path.name} holds {value!r}, which nobody released has"
    everything = {
        value for row in case.rows for value in row.values() if value and value.startswith("canary")
    }
    yield from (f"the terminal shows {value!r}" for value in everything if value in said)


def leaks(case: Case, said: str) -> Iterator[str]:
    """Private cells in what was said to somebody, an error for one."""
    cells = {value for row in case.rows for value in row.values() if value and value.startswith("canary")}
    yield from (f"a message shows {value!r}" for value in sorted(cells) if value in said)
