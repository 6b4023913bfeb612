"""Small tables and releases of them, safe and unsafe on purpose, and covering counted the long way."""

from __future__ import annotations

import numpy as np
import polars as pl

import lookalike as la
from lookalike.measures.attacks.attacking import AttackedRelease
from lookalike.measures.attacks.exposure import Exposure, expose

METHODS = ("optimal", "datafly", "mondrian", "local", "sangreea")


def crowd(
    n: int = 300, *, seed: int = 0, towns: int = 6, missing: float = 0.0, illness: int = 4
) -> pl.DataFrame:
    """People whose illness has nothing to do with anything."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": rng.integers(18, 70, n),
            "town": [f"t{i}" for i in rng.integers(0, towns, n)],
            "sex": rng.choice(["f", "m"], n),
            "illness": [f"i{i}" for i in rng.integers(0, illness, n)],
        }
    )
    gone = pl.Series(rng.random(n) < missing)
    return frame.with_columns(pl.when(gone).then(None).otherwise(pl.col("age")).alias("age"))


def table(frame: pl.DataFrame, **more: object) -> la.Table:
    """The crowd with its roles."""
    roles = {"identifiers": ["name"], "quasi": ["age", "town", "sex"], "sensitive": ["illness"], "others": []}
    return la.table(frame, **{**roles, **more})  # type: ignore[arg-type]


def exposed(people: la.Table, release: AttackedRelease, population: object = None) -> Exposure:
    """The release and the truth."""
    return expose(people, release.rows, release.recoding, method=release.method, population=population)


def covers(exposure: Exposure, c: int, row: int) -> bool:
    """Whether a class covers a row of the table, label by label."""
    cell = exposure.cells.of_row[row]
    return all(
        side.inside[side.label[c], codes[cell]]
        for side, codes in zip(exposure.sides, exposure.cells.codes, strict=True)
    )


def raw(people: la.Table) -> la.Release:
    """The table as it is: no promise at all."""
    return la.anonymize(people, la.KAnonymity(1), method="levels", levels={})


def starred(people: la.Table) -> la.Release:
    """Every quasi-identifier as a star: one class."""
    top = {name: people.tree(name).height for name in people.quasi}
    return la.anonymize(people, la.KAnonymity(1), method="levels", levels=top)
