"""Jobs of every kind, each from one number: a table, what is known about its columns, a method, promises, a frame.

The same seed gives the same job, so a failure is one number to remember.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl

import lookalike as la
from attacker.checking import TAG, Case
from attacker.published import Meaning, Row

METHODS = ("optimal", "local", "mondrian", "sangreea", "datafly", "semantic", "levels")
FRAMES = ("polars", "pandas", "pandas categories", "pyarrow", "csv", "parquet")
GRADES = ["low", "mid", "high", "top"]
TOWNS = [
    "Gent",
    "Liège, la",
    'the "old" town',
    "{x}",
    "*",
    "∅",
    "a | ∅",
    "[1, 2]",
    "İzmir",
    "ısı",
    "CON",
    "=1+1",
]
TOWN_TREE = {town: [town, f"part {i // 4}", f"side {i // 8}", "*"] for i, town in enumerate(TOWNS)}
SEX_TREE = {sex: [sex, "*"] for sex in "fm"}
ILL = ["flu", "cold", "ulcer", "colic", "canary-ill-rare"]
ILL_TREE = {ill: [ill, "lung" if i < 2 else "gut", "*"] for i, ill in enumerate(ILL)}
SENSITIVE = ("ill", "score")


@dataclass(frozen=True)
class Job:
    """One call of `anonymize`: the case as the checker sees it, and the arguments."""

    seed: int
    case: Case
    roles: Mapping[str, Any]
    models: Sequence[la.Model]
    options: Mapping[str, Any]
    frame: str
    save: Mapping[str, Any] = field(default_factory=dict)

    def table(self, folder: Path) -> la.Table:
        """The table in the job's kind of frame; files go into the folder."""
        return as_table(self.case.rows, self.roles, self.frame, folder)

    def population(self) -> pl.DataFrame | None:
        """The population as a frame."""
        return None if self.case.population is None else typed(self.case.population)


def typed(rows: Sequence[Row]) -> pl.DataFrame:
    """Rows of texts as a frame with the types of their columns."""
    frame = pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String), infer_schema_length=None)
    kinds: dict[str, Any] = {"age": pl.Int64, "score": pl.Int64, "income": pl.Float64}
    kinds |= {"pid": pl.Int64, "survey": pl.Float64}
    frame = frame.with_columns(pl.col(name).cast(kinds[name]) for name in frame.columns if name in kinds)
    return frame.with_columns(pl.col("born").str.to_date()) if "born" in frame.columns else frame


def as_table(rows: Sequence[Row], roles: Mapping[str, Any], kind: str, folder: Path) -> la.Table:
    """Rows as a table that came in one kind of frame, or out of a file."""
    frame = typed(rows)
    makers: dict[str, Callable[[], Any]] = {
        "polars": lambda: frame,
        "pandas": frame.to_pandas,
        "pandas categories": lambda: frame.to_pandas().astype({TAG: "category", "ill": "category"}),
        "pyarrow": frame.to_arrow,
    }
    if kind in makers:
        return la.table(makers[kind](), **roles)
    path = folder / f"people.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    return la.read(path, **roles)


def make(seed: int) -> Job:
    """The job of a number."""
    draw = random.Random(seed)
    method = draw.choice(METHODS)
    counted = method in ("optimal", "datafly", "levels", "local", "sangreea") and draw.random() < 0.2
    several = draw.random() < 0.35
    shown = [TAG, *(["pid"] if several and draw.random() < 0.5 else [])]
    chosen = draw.sample(["town", "sex"], 2) if counted else draw.sample(sorted(COLUMNS), draw.randint(1, 4))
    rows = _rows(
        draw, draw.choice([2, 5, 12, 25, 40]), chosen, several=several, gaps=draw.choice([0, 0.1, 0.3])
    )
    meanings, roles = _known(draw, chosen, given=counted)
    population = None
    if counted:
        strangers = _rows(draw, draw.randint(1, 60), chosen, several=several, gaps=0.1, first=len(rows))
        if draw.random() < 0.5:  # as many strangers like each person, so that presence can be hidden
            alike = [{name: row[name] for name in chosen} for row in rows]
            strangers = _rows(draw, len(rows), chosen, several=several, gaps=0.1, first=len(rows))
            strangers = [stranger | like for stranger, like in zip(strangers, alike, strict=True)]
        names = [*chosen, *(["pid"] if several else [])]
        everybody = {row["pid"] if several else row[TAG]: row for row in (*rows, *strangers)}
        if several:  # a population has one row for each person, and the table must agree with it
            rows = [row | {name: everybody[row["pid"]][name] for name in chosen} for row in rows]
        population = [{name: row[name] for name in names} for row in everybody.values()]
    models = _promises(draw, population=population is not None, strict=not several, method=method)
    numbers = {"age": draw.choice(["midpoint", "mean"])} if "age" in chosen and draw.random() < 0.15 else {}
    if method == "semantic":
        numbers = {}
    options: dict[str, Any] = {
        "method": method,
        "suppression": draw.choice([0.9, 1.0] if method == "semantic" else [0.0, 0.05, 0.2, 0.5, 0.9, 1.0]),
        "seed": draw.randint(0, 3),
        "suppressed": draw.choice(["drop", "drop", "star"]),
        "linked": dict.fromkeys((*shown, *SENSITIVE), "accept"),
        "numbers": numbers,
        **_options(draw, method, chosen, several=several),
    }
    if draw.random() < 0.3:
        options["weights"] = {name: draw.choice([0.0, 0.5, 3.0]) for name in chosen[1:]}
    if several:
        roles["unit"] = "pid"
    if draw.random() < 0.2:
        roles["weight"] = "survey"
        options["drop"] = ["survey"]
    if not several:
        rows = [{name: value for name, value in row.items() if name != "pid"} for row in rows]
    if "weight" not in roles:
        rows = [{name: value for name, value in row.items() if name != "survey"} for row in rows]
    case = Case(
        rows=rows,
        quasi=[name for name in rows[0] if name in chosen],
        sensitive=SENSITIVE,
        hidden=[name for name in rows[0] if name not in (*shown, *chosen, *SENSITIVE)],
        promises=[model.to_dict() for model in models],
        method=method,
        suppression=options["suppression"],
        stars=options["suppressed"] == "star",
        meanings=meanings,
        unit="pid" if several else None,
        population=population,
        as_numbers=list(numbers),
    )
    roles |= {"quasi": chosen, "sensitive": list(SENSITIVE), "identifiers": ["name"], "others": shown}
    save = {"spreadsheet_safe": draw.random() < 0.3}
    return Job(seed, case, roles, models, options, draw.choice(FRAMES), save)


def _town(draw: random.Random) -> str:
    return draw.choice(TOWNS[: draw.choice([2, 5, 12])])


def _day(draw: random.Random) -> str:
    return str(date(1980, 1, 1) + timedelta(days=draw.randint(0, 4000)))


COLUMNS: dict[str, Callable[[random.Random], str]] = {
    "age": lambda draw: str(draw.choice([draw.randint(20, 29), draw.randint(20, 95)])),
    "born": _day,
    "grade": lambda draw: draw.choice(GRADES),
    "income": lambda draw: str(draw.randint(0, 40) / 2),
    "sex": lambda draw: draw.choice("fm"),
    "town": _town,
    "zip": lambda draw: f"80{draw.randint(0, 9)}{draw.randint(0, 3)}",
}


def _rows(
    draw: random.Random, n: int, chosen: Sequence[str], *, several: bool, gaps: float, first: int = 0
) -> list[Row]:
    people = max(1, n * 2 // 3) if several else n
    out: list[Row] = []
    for i in range(n):
        row: Row = {
            "name": f"canary-name-{first + i}",
            TAG: f"canary-tag-{first + i:03d}-{draw.randint(0, 9)}",
        }
        row["pid"] = str(100 + first + draw.randrange(people))
        for name in COLUMNS:
            value = COLUMNS[name](draw)
            if name in chosen:
                row[name] = None if draw.random() < gaps else value
        row["ill"] = ILL[4] if draw.random() < 0.02 else draw.choice(ILL[: draw.choice([2, 4])])
        row["score"] = None if draw.random() < gaps / 3 else str(draw.randint(1, 4))
        row["survey"] = str(draw.randint(2, 9) / 2)
        out.append(row)
    return out


def _known(
    draw: random.Random, chosen: Sequence[str], *, given: bool
) -> tuple[dict[str, Meaning], dict[str, Any]]:
    """What is known of the columns, and the same as arguments of `la.table`."""
    meanings = {name: Meaning(numeric=True) for name in ("age", "income", "score", "pid", "survey")}
    meanings["ill"] = Meaning(tree=ILL_TREE)
    trees: dict[str, Any] = {"ill": la.Hierarchy.rows(list(ILL_TREE.values()))}
    types: dict[str, Any] = {"zip": "nominal", "sex": "nominal", "town": "nominal", "ill": "nominal"}
    for name, tree in (("town", TOWN_TREE), ("sex", SEX_TREE)):
        if name in chosen and (given or draw.random() < 0.5):
            meanings[name] = Meaning(tree=tree)
            trees[name] = la.Hierarchy.rows(list(tree.values()))
    if "grade" in chosen:
        meanings["grade"] = Meaning(order=GRADES)
        types["grade"] = GRADES
    if "age" in chosen and draw.random() < 0.4:
        trees["age"] = la.Hierarchy.intervals(5, 10, 20, top=80)
    return meanings, {
        "types": {name: kind for name, kind in types.items() if name in (*chosen, "ill")},
        "hierarchies": trees,
    }


def _promises(draw: random.Random, *, population: bool, strict: bool, method: str) -> list[la.Model]:
    k, strictly = draw.choice([1, 2, 2, 3, 5]), strict and draw.random() < 0.2
    score = draw.choice(["ill", "score"])
    makers: list[Callable[[], la.Model]] = [
        lambda: la.KAnonymity(k),
        lambda: la.AlphaK("ill", draw.choice([0.5, 0.7, 0.9]), k, draw.choice([None, "flu"])),
        lambda: la.LDiversity(score, draw.choice([2, 3]), strict=strictly),
        lambda: la.LDiversity("ill", draw.choice([1.5, 2]), kind="entropy"),
        lambda: la.LDiversity("ill", 2, kind="recursive", c=draw.choice([1.5, 3])),
        lambda: la.DirectionalDiversity("ill", "flu"),
        lambda: la.TCloseness("ill", draw.choice([0.2, 0.5]), distance="equal", strict=strictly),
        lambda: la.TCloseness("score", draw.choice([0.2, 0.5]), distance="ordered"),
        lambda: la.TCloseness("ill", draw.choice([0.2, 0.5]), distance="hierarchical"),
        lambda: la.KLCloseness("ill", draw.choice([0.3, 1.0])),
        lambda: la.BetaLikeness("ill", draw.choice([0.5, 2.0]), enhanced=draw.random() < 0.5),
        lambda: la.DeltaDisclosure("ill", draw.choice([0.7, 1.5])),
        lambda: la.AverageRisk(draw.choice([0.2, 0.5])),
        lambda: la.SampleUniqueness(draw.choice([0.05, 0.3])),
        lambda: la.KMap(k + 1, sampling_fraction=draw.choice([0.2, 0.6])),
    ]
    if population:
        makers = [makers[0], makers[2], lambda: la.KMap(k + 2)]
        if method in ("optimal", "datafly", "levels"):
            makers.append(lambda: la.DeltaPresence(draw.choice([0.0, 0.1]), draw.choice([0.5, 0.8])))
        return [makers[-1](), *(makers[0](),) * (draw.random() < 0.5)]
    chosen = draw.sample(range(len(makers)), draw.choice([1, 1, 2]))
    return [makers[0](), *(makers[i]() for i in chosen if i)]


def _options(draw: random.Random, method: str, chosen: Sequence[str], *, several: bool) -> dict[str, Any]:
    if method == "local":
        return {"output": draw.choice(["sets", "hierarchy"]), "rounds": draw.choice([1, 2])}
    if method == "mondrian":
        return {"strict": several or draw.random() < 0.5}
    if method == "optimal":
        return {"loss": draw.choice(["loss", "loss", "discernibility"])}
    if method == "semantic":
        return {"threshold": draw.choice([0.35, 0.6, 1.0])}
    if method == "levels":
        return {"levels": {name: draw.randint(0, 1 if name == "sex" else 3) for name in chosen}}
    return {}
