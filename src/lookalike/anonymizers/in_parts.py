"""`anonymize_in_parts`: where even the distinct tuples outgrow the driver, Spark's workers anonymise a part each.

A sample decides the top-level cuts of Mondrian; each part is anonymised on a worker by the same code as any table in
memory. Classes of different parts that publish the same are one class, so only promises that hold for a union of
classes that keep them can be made. Afterwards workers check the whole release, class by class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from lookalike.anonymizers.anonymization import anonymize
from lookalike.base.checks import checked, whole_number
from lookalike.base.errors import GuaranteeError, RequestError, percent
from lookalike.models.model import Model
from lookalike.tables.columns.naming import named
from lookalike.tables.columns.roles import Role
from lookalike.tables.engines.opening import open_engine
from lookalike.tables.engines.origin import Origin
from lookalike.tables.engines.spark.frames import Spark
from lookalike.tables.intake import table
from lookalike.tables.sources.frames import is_spark
from lookalike.tables.table import LOOKED_AT

_CHECKED = "records long, classes long, k long, broken long"


@dataclass(frozen=True, eq=False)
class PartedRelease:
    """A release that Spark's workers made a part each; without a certificate, since no recoding covers all parts.

    Examples:
        >>> release = la.anonymize_in_parts(spark_frame, la.KAnonymity(10), parts=8)  # doctest: +SKIP
        >>> release.k, release.parts  # doctest: +SKIP
    """

    frame: Any = field(repr=False)  #: the released rows, a Spark frame
    models: tuple[Model, ...]  #: the promises
    records: int  #: rows of the original
    suppressed: int  #: rows left out
    classes: int  #: number of equivalence classes
    k: int  #: size of the smallest class
    parts: int  #: parts the table was cut into
    seed: int  #: the seed that gives the same release again
    _source: Spark = field(repr=False)
    _origin: Origin = field(repr=False)

    def to_table(self, name: str) -> None:
        """Write the rows to a new table of Spark's catalogue, or to an address if there is a `/`, as parquet."""
        self._origin.refuse_changed()
        self._source.write(self.frame, name)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain JSON values."""
        names = ("records", "suppressed", "classes", "k", "parts")
        return {name: getattr(self, name) for name in names} | {"promise": [str(one) for one in self.models]}


@checked
def anonymize_in_parts(
    frame: Any,
    *models: Model,
    parts: int,
    method: str = "mondrian",
    suppression: float = 0.05,
    linked: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    **said: Any,
) -> PartedRelease:
    """A release of a Spark frame that its workers make, each of a part that fits into its memory.

    parts: into how many parts the table is cut; choose it so that each has some hundred thousand rows.
    method, suppression, linked, drop, seed, options: as in `la.anonymize`, which every worker calls.
    said: what `la.table` takes: quasi, sensitive, identifiers, others, hierarchies, types, na.
    frame: a Spark frame.

    Examples:
        >>> people = spark.table("people")  # doctest: +SKIP
        >>> la.anonymize_in_parts(people, la.KAnonymity(10), quasi=["age"], parts=8)  # doctest: +SKIP
    """
    if not is_spark(frame):
        raise RequestError("`anonymize_in_parts` is for Spark frames. Any other table goes to la.anonymize.")
    whole_number(parts, "parts", least=1)
    for model in models:
        if not model.monotone or model.relative or model.needs_population:
            raise RequestError(
                f"{model}: compares classes with the whole table, or is lost when classes are joined; no worker can "
                "promise that for its part. Promise k-anonymity or l-diversity, or use la.anonymize."
            )
    if not models or said.get("unit") is not None or said.get("weight") is not None:
        raise RequestError(
            "say what to promise; and `unit` and `weight` need all rows together: use la.anonymize."
        )
    from lookalike.tables.engines.spark.parts import Cut, cut_sample, work_on_classes, work_on_parts

    engine = open_engine(frame)
    assert isinstance(engine, Spark)
    origin, records = Origin(engine, engine.most, engine.fingerprint()), engine.height()
    some = origin.some(min(LOOKED_AT / max(records, 1), 1.0), enough=LOOKED_AT)
    how = {"method": method, "seed": seed, "drop": list(drop), **(options or {})}
    people = table(some, **said)
    rehearsed = anonymize(
        people, *models, suppression=1.0, linked=linked, **how
    )  # refuses what is wrong at once
    names = list(rehearsed.rows.columns)
    accepted = {n: "accept" for n in names if people.roles[n] not in (Role.QUASI, Role.IDENTIFIER)}
    choices = {**accepted, **(linked or {})}
    tree = cut_sample(some, people.quasi, parts)
    work = partial(_anonymise_part, models=models, how={**how, "linked": choices}, said=said, names=names)
    made = work_on_parts(engine.only(names), tree, work, people.quasi).persist()
    released = Spark(made, engine.most, engine.budget)
    check = partial(_check_classes, models=models, quasi=people.quasi)
    found = Spark(work_on_classes(released, people.quasi, parts, check, _CHECKED)).rows()
    kept, broken = int(found["records"].sum()), int(found["broken"].sum())
    origin.refuse_changed()
    if broken:
        raise GuaranteeError(
            f"{broken:,} classes of the whole release break a promise. Nothing was released."
        )
    if records - kept > suppression * records or not kept:
        raise GuaranteeError(
            f"the promise cannot be kept within the limits: {records - kept:,} of {records:,} records would have to be "
            f"left out, where {percent(suppression)} may be. Cut fewer `parts`, allow more, or ask for less."
        )
    return PartedRelease(
        released.shuffled(seed),
        models,
        records,
        records - kept,
        int(found["classes"].sum()),
        int(found["k"].min()),  # type: ignore[arg-type]
        tree.parts if isinstance(tree, Cut) else 1,
        seed,
        engine,
        origin,
    )


def _anonymise_part(
    rows: Any,
    *,
    models: Sequence[Model],
    how: Mapping[str, Any],
    said: Mapping[str, Any],
    names: Sequence[str],
) -> Any:
    """A part on a worker, as an Arrow table on both sides; nothing of it where the promise cannot be kept."""
    import warnings

    import pyarrow as pa

    people = table(pl.DataFrame(rows), **_there(said, rows.column_names))
    kinds = [
        pa.string() if name in people.quasi else rows.schema.field(name).type for name in rows.column_names
    ]
    schema = pa.schema(list(zip(rows.column_names, kinds, strict=True)))
    try:
        with warnings.catch_warnings():  # the rehearsal gave them
            warnings.simplefilter("ignore")
            release = anonymize(people, *models, suppression=1.0, **how)
    except GuaranteeError:
        return schema.empty_table()
    shown = release.rows.select(named(names)).with_columns(named(people.quasi).cast(pl.String))
    return shown.to_arrow().select(rows.column_names).cast(schema)


def _there(said: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """What was said about columns, those left out of the release aside."""
    roles = ("identifiers", "quasi", "sensitive", "targets", "others")
    out = dict(said)
    for role in roles:
        if isinstance(out.get(role), list | tuple):
            out[role] = [name for name in out[role] if name in columns]
    for word in ("types", "hierarchies"):
        if isinstance(out.get(word), Mapping):
            out[word] = {name: value for name, value in out[word].items() if name in columns}
    return out


def _check_classes(rows: Any, *, models: Sequence[Model], quasi: Sequence[str]) -> Any:
    """How many classes some of the released rows have, the smallest one, and how many break a promise."""
    import pyarrow as pa

    sensitive = list(dict.fromkeys(name for model in models for name in model.columns))
    kinds = dict.fromkeys(quasi, "nominal")
    people = table(pl.DataFrame(rows), quasi=list(quasi), sensitive=sensitive, others=[], types=kinds, na=())
    classes = people.cells(sensitive=sensitive).classes()
    broken = np.zeros(len(classes), dtype=bool)
    for model in models:
        broken |= model.breaks(classes)
    numbers = [len(people), len(classes), int(classes.counts.min()), int(broken.sum())]
    return pa.table({one.split()[0]: [n] for one, n in zip(_CHECKED.split(", "), numbers, strict=True)})
