"""Rows that Spark hands to Python as a few numbers: a hash of their tuple, and one of each value that is kept besides.

Spark writes rows one value at a time, and texts cost most; a hash it makes at next to no cost. A tuple's is the
exclusive or of its values' hashes, each under the number of its column, so only the distinct values of columns are
hashed for workers to look tuples up by. Where two tuples, or two values of a column, share a hash, or a type has more
than one form, rows are handed over as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.engines.engine import Piece, Places
from lookalike.engines.keeping import Keeping
from lookalike.engines.known_values import CHANGED
from lookalike.engines.spark_writing import asking
from lookalike.errors import FileError

_HASHED = ("bigint", "int", "smallint", "tinyint", "double", "boolean", "string", "date")
_MOST = 1 << 23  # tuples, or values of a column, of which all workers get the hashes
_TUPLE = "hash of the tuple"
Hashes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HashedKeeping(Keeping):
    """Keeps rows that are handed over as hashes."""

    tuples: Hashes  #: of every tuple that was counted
    of_tuple: NDArray[np.int32]  #: where it is among those of `places`
    told: Mapping[str, NDArray[np.int32]]  #: column -> its code in each tuple
    values: Mapping[str, Hashes]  #: column that no tuple tells -> the hash of each value, missing last

    @property
    def columns(self) -> list[str]:
        """What is handed over."""
        return [_TUPLE, *self.values]

    def code(
        self, piece: Piece
    ) -> tuple[NDArray[np.int32], list[NDArray[np.int32]], NDArray[np.int32] | None]:
        """Of some rows the tuple, the published codes of other columns, and the person where told apart."""
        assert isinstance(piece, pl.DataFrame)
        rows = {name: known.find(piece[name].to_numpy()) for name, known in self._known.items()}
        if any(len(found) and found.min() < 0 for found in rows.values()):
            raise FileError(CHANGED)
        counted = rows.pop(_TUPLE)
        codes = {**rows, **{name: each[counted] for name, each in self.told.items()}}
        return self.published(self.of_tuple[counted], codes)

    @cached_property
    def _known(self) -> dict[str, Any]:
        from lookalike.kernels.grouping import KnownKeys

        return {name: KnownKeys(each) for name, each in ((_TUPLE, self.tuples), *self.values.items())}


def hash_rows(engine: Any, keeping: Keeping, places: Places) -> tuple[HashedKeeping, Any] | None:
    """How rows are kept by hashes, and a Spark frame of these; None where they have to be handed over as they are.

    places: those that the keeping was planned for, of tuples as they were counted.
    """
    known = keeping.dictionaries
    kinds = {field.name: field.dataType.simpleString() for field in engine.only(list(known)).frame.schema}
    if any(kind not in _HASHED for kind in kinds.values()):
        return None
    if max(places.tuples.height, *(each.size for each in known.values())) > _MOST:
        return None
    hashes = _hash_values(engine, {name: each.values for name, each in known.items()}, kinds)
    codes = {name: known[name].codes(places.tuples[name]) for name in places.tuples.columns}
    tuples = reduce(np.bitwise_xor, (hashes[name][each] for name, each in codes.items()))
    rest = {name: each for name, each in hashes.items() if name not in codes}
    if any(len(np.unique(each)) < len(each) for each in (tuples, *rest.values())):
        return None
    asked = {
        *keeping.places.others,
        keeping.places.unit,
        *(n for made, _ in places.made.values() for n in made.columns),
    }
    handed = HashedKeeping(
        **{field.name: getattr(keeping, field.name) for field in fields(Keeping)},
        tuples=tuples,
        of_tuple=keeping.find(codes, places.tuples.height),
        told={name: each for name, each in codes.items() if name in asked},
        values=rest,
    )
    return handed, _hashed(engine, list(known), list(codes), list(rest))


def _hash_values(engine: Any, values: Mapping[str, pl.Series], kinds: Mapping[str, str]) -> dict[str, Hashes]:
    """What Spark makes of each value of each column, missing last."""
    from pyspark.sql import functions as F

    most = max(len(each) for each in values.values()) + 1
    columns = [
        each.extend_constant(None, most - len(each)).alias(f"c{i}") for i, each in enumerate(values.values())
    ]
    table = pl.DataFrame(columns).to_arrow(compat_level=pl.CompatLevel.oldest())
    with asking():
        rows = engine.frame.sparkSession.createDataFrame(table)
        typed = (F.col(f"c{i}").cast(kinds[name]) for i, name in enumerate(values))
        found = pl.DataFrame(rows.select(*(_hash(i, each) for i, each in enumerate(typed))).toArrow())
    return {
        name: np.append(column.to_numpy()[: len(each)], column.to_numpy()[-1])
        for (name, each), column in zip(values.items(), found.iter_columns())
    }


def _hashed(engine: Any, columns: Sequence[str], tuples: Sequence[str], rest: Sequence[str]) -> Any:
    from pyspark.sql import functions as F

    rows = engine.only(columns).frame.toDF(*(f"c{i}" for i in range(len(columns))))
    hashes = {name: _hash(i, F.col(f"c{i}")) for i, name in enumerate(columns)}
    of_tuple = reduce(lambda one, other: one.bitwiseXOR(other), (hashes[name] for name in tuples))
    return rows.select(of_tuple.alias("h"), *(hashes[name].alias(f"h{i}") for i, name in enumerate(rest)))


def _hash(column: int, value: Any) -> Any:
    """A hash of a value under the number of its column; missing has one too."""
    from pyspark.sql import functions as F

    return F.xxhash64(F.lit(column), value)
