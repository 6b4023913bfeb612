"""Finding the classes of rows: by what is published of single values where a plan allows it, else by whole tuples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from lookalike.tables.columns.coding import Distinct
from lookalike.tables.engines.engine import Places
from lookalike.tables.engines.stored.coarsening import coarsen
from lookalike.tables.engines.stored.keeping import Keeping
from lookalike.tables.engines.stored.known_values import KnownValues
from lookalike.tables.engines.stored.packing import Mixer


def places_of(rows: pl.DataFrame, labels: list[dict[str, str | None]], k: int) -> Places:
    """Every column by a table of its own; classes of fewer than k rows are held back."""
    counted = rows.group_by(pl.all()).len().sort(pl.all())
    tuples = counted.drop("len")
    shown = tuples.with_columns(
        pl.Series(name, [table[value] for value in tuples[name]], dtype=pl.String)
        for name, table in zip(tuples.columns, labels, strict=True)
    )
    sizes = (
        shown.with_columns(counted["len"]).group_by(tuples.columns, maintain_order=True).agg(pl.sum("len"))
    )
    large = sizes.filter(pl.col("len") >= k).drop("len").with_row_index("class")
    of_tuple = shown.join(large, on=tuples.columns, how="left", nulls_equal=True, maintain_order="left")
    boxes = {}
    for name in tuples.columns:
        known = large[name].unique().drop_nulls().sort()
        codes = [-1 if label is None else known.to_list().index(label) for label in large[name]]
        boxes[name] = Distinct(np.array(codes, dtype=np.int32), known)
    return Places(
        tuples,
        np.arange(tuples.height, dtype=np.int32),
        of_tuple["class"].cast(pl.Int64).fill_null(-1).cast(pl.Int32).to_numpy(),
        counted["len"].cast(pl.Int64).to_numpy(),
        boxes,
        tuple(tuples.columns),
    )


@pytest.mark.parametrize("seed", range(20))
def test_rows_find_the_same_classes_by_labels_as_by_tuples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values: list[str | None] = ["a", "b", "c", "d", "e", None]
    rows = pl.DataFrame(
        {f"q{i}": [values[v] for v in rng.integers(0, 6, 60)] for i in range(3)},
        schema_overrides={f"q{i}": pl.String for i in range(3)},
    )
    some: list[str | None] = ["x", "y", None]
    labels = [{value: some[rng.integers(3)] for value in values} for _ in range(3)]
    places = places_of(rows, labels, int(rng.integers(1, 12)))
    dictionaries = {name: KnownValues.of(places.tuples[name]) for name in rows.columns}
    found = coarsen(places, dictionaries)
    assert found is not None
    by_label, coarse = found
    assert by_label.tuples.height <= places.tuples.height
    assert by_label.sizes.tolist() == places.sizes.tolist()
    assert by_label.height == places.height
    classes = []
    for keeping in (
        Keeping(places, dictionaries, Mixer.of(0), 0, {}),
        Keeping(by_label, dictionaries, Mixer.of(0), 0, coarse),
    ):
        of_tuple, _, _ = keeping.code(rows)
        classes.append(keeping.only[of_tuple].tolist())
    assert classes[0] == classes[1]
    stars = int(places.classes.max()) + 1  # rows that were held back are kept as stars, which is a class too
    boxes = {
        name: Distinct(
            np.append(box.codes, len(box.values)).astype(np.int32), box.values.extend_constant("*", 1)
        )
        for name, box in places.boxes.items()
    }
    everywhere = np.where(places.classes < 0, stars, places.classes).astype(np.int32)
    found = coarsen(replace(places, classes=everywhere, boxes=boxes, stars=stars), dictionaries)
    assert found is not None
    keeping = Keeping(found[0], dictionaries, Mixer.of(0), 0, found[1])
    assert keeping.only[keeping.code(rows)[0]].tolist() == [stars if c < 0 else c for c in classes[0]]


def test_plans_that_look_at_several_columns_are_left_as_they_are() -> None:
    rows = pl.DataFrame({"q0": ["a", "a", "b", "b"] * 5, "q1": ["a", "b", "a", "b"] * 5})
    same: dict[str, str | None] = {"a": "a", "b": "b"}
    places = places_of(rows, [same, same], 1)
    dictionaries = {name: KnownValues.of(places.tuples[name]) for name in rows.columns}
    assert coarsen(places, dictionaries) is not None
    box = places.boxes["q1"]
    mixed = {
        **places.boxes,
        "q1": Distinct(box.codes[[1, 0, 2, 3]], box.values),
    }  # what is shown depends on q0
    assert coarsen(replace(places, boxes=mixed), dictionaries) is None
    one = {name: Distinct(np.zeros(4, dtype=np.int32), pl.Series(["*"])) for name in rows.columns}
    assert coarsen(replace(places, boxes=one), dictionaries) is None  # two classes that publish the same
    held = replace(places, boxes=one, classes=np.array([0, 0, 0, -1], dtype=np.int32))
    assert coarsen(held, dictionaries) is None  # held back by something that labels do not tell
    split = replace(
        places,
        of_tuple=np.array([0, 0, 1, 2, 3], dtype=np.int32),
        classes=np.array([0, 1, 1, 2, 3], dtype=np.int32),
        records=np.array([2, 3, 5, 5, 5]),
    )
    assert coarsen(split, dictionaries) is None
