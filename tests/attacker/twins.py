"""Twins: two tables that differ in nothing but the values of people who are left out of both releases.

Where the same people are released in the same classes, everything that goes out must be the same, to the byte: else
whoever has it can tell one guess about somebody left out from another. And no value that only people left out have may
be found in it, planted ones (an amount, a word, a day, a code, all of them far from the others) or natural ones.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl

import lookalike as la
from attacker.checking import TAG

LEAVING_OUT = (
    "optimal",
    "datafly",
    "semantic",
    "levels",
)  #: methods that leave people out of their own accord
METHODS = (*LEAVING_OUT, "optimal", "datafly", "mondrian", "sangreea", "local", "nodes", "sets")
FORMATS = ("csv", "parquet")
SOURCES = ("memory", "streaming", "duckdb")
KINDS = ("amount", "share", "town", "job", "code", "born", "grade", "age")
GRADES = [f"g{i}" for i in range(9)]
_TOWNS = [
    "Wien",
    "Graz",
    "Linz",
    "Steyr",
    "Wels",
    "Baden",
    "Krems",
    "Hall",
    "Lienz",
    "Murau",
    "Imst",
    "Reutte",
]
_OF_ONE: Mapping[str, Sequence[str]] = {
    "amount": ("7031483", "9046217", "8150729"),
    "share": ("93.718", "97.431", "95.263"),
    "town": ("Kitzcanary", "Aacanary", "Zzcanary"),
    "job": ("canary keeper", "an odd canary", "zero canaries"),
    "code": ("99813", "99127", "98246"),
    "born": ("1903-02-17", "1904-08-23", "1902-11-19"),
    "grade": ("g8", "g7", "g6"),
    "age": ("103", "107", "105"),
}  # in the order of the columns: what some people left out have, and what their twins have


@dataclass(frozen=True)
class Asked:
    """One call of `anonymize`, as text and as arguments."""

    quasi: Sequence[str]
    k: int
    method: str
    options: Mapping[str, Any]
    source: str
    format: str


def draw_rows(draw: random.Random, n: int) -> list[dict[str, str]]:
    """People with skewed amounts, words of which few are frequent, codes, days, grades and ages."""
    return [
        {
            "amount": str(round(draw.lognormvariate(9, 1.2))),
            "share": f"{draw.gammavariate(1, 3):.2f}",
            "town": _TOWNS[min(int(draw.expovariate(0.5)), 11)],
            "job": f"{draw.choice('abcde')}{min(int(draw.expovariate(0.05)), 90)} work",
            "code": f"{draw.choice([8, 8, 8, 1])}{draw.choice('01')}{draw.randint(0, 99):03d}",
            "born": str(date(1950, 1, 1) + timedelta(days=int(draw.triangular(0, 20000)))),
            "grade": GRADES[min(int(draw.expovariate(0.9)), 5)],
            "age": str(int(draw.triangular(18, 90, 40))),
            "ill": draw.choice(["flu", "cold", "ulcer"]),
            TAG: f"tag{i}",
        }
        for i in range(n)
    ]


def draw_asked(draw: random.Random, method: str) -> Asked:
    """What is asked for: any columns, limits, source and format that a method can have."""
    quasi = draw.sample(KINDS, draw.choice([1, 2, 2, 3]))
    options: dict[str, Any] = {"suppression": draw.choice([0.05, 0.1, 0.3]), "seed": draw.randint(0, 9)}
    options["suppressed"] = draw.choice(["drop", "drop", "star"])
    if method == "levels":
        options["levels"] = {name: draw.randint(0, 3) for name in quasi}
        options["suppression"] = 0.95
    if method == "semantic":
        options |= {"threshold": draw.choice([0.35, 0.6]), "suppression": 0.95}
    if method in ("nodes", "sets"):
        options["output"], method = {"nodes": "hierarchy", "sets": "sets"}[method], "local"
    source = "memory" if method == "semantic" else draw.choice(SOURCES)
    return Asked(quasi, draw.choice([2, 3, 5]), method, options, source, draw.choice(FORMATS))


def release_of(rows: Sequence[Mapping[str, str]], asked: Asked, folder: Path) -> None:
    """The release of these people, saved with all that goes out."""
    frame = pl.DataFrame(rows).with_columns(
        pl.col("amount", "age").cast(pl.Int64), pl.col("share").cast(pl.Float64), pl.col("born").str.to_date()
    )
    frame = frame.select(*asked.quasi, "ill", TAG)
    said: dict[str, Any] = {"quasi": asked.quasi, "sensitive": ["ill"], "others": [TAG]}
    said["types"] = {
        name: kind for name, kind in (("grade", GRADES), ("code", "nominal")) if name in asked.quasi
    }
    folder.mkdir()
    if asked.source == "memory":
        people = la.table(frame, **said)
    elif asked.source == "streaming":
        frame.write_csv(folder / "people.csv")
        people = la.read(folder / "people.csv", engine="streaming", **said)
    else:
        import duckdb

        people = la.table(duckdb.connect().from_arrow(frame.to_arrow()), **said)
    release = la.anonymize(people, la.KAnonymity(asked.k), method=asked.method, **asked.options)
    release.save(folder / "out", format=asked.format)


def released_in(folder: Path, asked: Asked) -> dict[str, tuple[str, ...]]:
    """Who is in a release, and what is published of each."""
    path = folder / "out" / f"release.{asked.format}"
    rows = pl.read_csv(path, infer_schema=False) if asked.format == "csv" else pl.read_parquet(path)
    rows = rows.filter(pl.col(TAG).is_not_null()).cast(pl.String)
    return {row[TAG]: tuple(str(row[name]) for name in asked.quasi) for row in rows.to_dicts()}


def files_of(folder: Path, *, counts: bool = True, order: bool = True) -> dict[str, bytes]:
    """All that goes out, but for the commitment to the private recoding, which is keyed.

    counts: with what depends on how many records there were and how many are left out. order: with that of the rows.
    """
    out = {path.name: path.read_bytes() for path in sorted((folder / "out").iterdir()) if path.is_file()}
    certificate = json.loads(out["certificate.json"])
    for keyed in ("recoding", "checksum", "beside"):
        del certificate[keyed]
    if not counts:
        del certificate["measured"]["records"], certificate["measured"]["suppressed"], out["report.html"]
    if not order:
        del certificate["release"]
        out = {name: content for name, content in out.items() if not name.startswith("release.")}
    return {**out, "certificate.json": json.dumps(certificate).encode()}


def twins(seed: int, folder: Path, done: Counter[str]) -> Iterator[str]:
    """Tables that differ in people who are left out: what goes out is the same, and tells nothing of them."""
    draw = random.Random(f"twins {seed}")
    method = METHODS[seed % len(METHODS)]
    asked = draw_asked(draw, method)
    rows = draw_rows(draw, draw.choice([40, 120, 250]))
    odd = draw.sample(range(len(rows)), draw.choice([1, 2]))
    planted = {i: [name for name in asked.quasi if draw.random() < 0.8] for i in odd}
    done["tables"] += 1
    try:
        release_of(_planted(rows, planted, 0), asked, folder / "one")
    except la.LookalikeError:
        done["refusals"] += 1
        return
    found = released_in(folder / "one", asked)
    yield from traces(_planted(rows, planted, 0), found, asked, folder / "one")
    changed = {i: names for i, names in planted.items() if rows[i][TAG] not in found}
    if not changed:
        return
    done["releases without planted people"] += 1
    stay = {i: names for i, names in planted.items() if i not in changed}
    without = [row for i, row in enumerate(_planted(rows, stay, 0)) if i not in changed]
    others = [_planted(_planted(rows, stay, 0), changed, number) for number in (1, 2)]
    for number, other in enumerate([*others, *([] if asked.options["suppressed"] == "star" else [without])]):
        try:
            release_of(other, asked, folder / f"twin {number}")
        except la.LookalikeError:
            done["twins refused"] += 1
            continue
        theirs = released_in(folder / f"twin {number}", asked)
        if theirs.keys() != found.keys() or _classes(theirs) != _classes(found):
            done["twins released otherwise"] += 1
            continue
        done[f"twins by {method}"] += 1
        if theirs != found:
            yield f"{asked}: labels tell somebody left out from twin {number}"
        same = {"counts": number < 2, "order": number < 2 or asked.source == "memory"}
        one, two = (files_of(folder / name, **same) for name in ("one", f"twin {number}"))
        for file in one.keys() | two.keys():
            if one.get(file) != two.get(file):
                yield f"{asked}: {file} tells somebody left out from twin {number}"


def _planted(
    rows: Sequence[Mapping[str, str]], planted: Mapping[int, Sequence[str]], number: int
) -> list[dict[str, str]]:
    return [
        {**row, **{name: _OF_ONE[name][number] for name in planted.get(i, ())}} for i, row in enumerate(rows)
    ]


def _classes(found: Mapping[str, tuple[str, ...]]) -> set[frozenset[str]]:
    classes: dict[tuple[str, ...], set[str]] = {}
    for tag, labels in found.items():
        classes.setdefault(labels, set()).add(tag)
    return {frozenset(tags) for tags in classes.values()}


def traces(
    rows: Sequence[Mapping[str, str]], found: Mapping[str, Any], asked: Asked, folder: Path
) -> Iterator[str]:
    """Values that only people left out have, in what goes out: days that are planted, all else at its natural rate."""
    there = "\n".join(_texts(folder, asked.format))
    for name in asked.quasi:
        if name in ("grade", "age"):  # short enough to be found anywhere
            continue
        mine = {row[name] for row in rows if row[TAG] in found}
        for value in sorted({row[name] for row in rows if row[TAG] not in found} - mine):
            natural = name in ("amount", "town", "job", "code") and not value.endswith("000")
            if (natural or value in _OF_ONE[name]) and _spelt(value).search(there):
                yield f"{asked}: {name} {value!r} of people left out is in what goes out"


def _spelt(value: str) -> re.Pattern[str]:
    return re.compile(f"(?<![0-9A-Za-z.-]){re.escape(value)}(?![0-9A-Za-z.]|-[0-9])")


def _texts(folder: Path, form: str) -> Iterator[str]:
    for path in sorted((folder / "out").iterdir()):
        if path.is_file():
            yield path.read_bytes().decode("utf-8", errors="replace")
    if form == "parquet":
        yield pl.read_parquet(folder / "out" / "release.parquet").cast(pl.String).write_csv()
