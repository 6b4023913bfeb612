"""Measuring many sets of columns at once: the same numbers as counting each set on its own."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.recognition.subsets import Universe


def random_table(seed: int, rows: int, sizes: list[int]) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    columns = {}
    for i, size in enumerate(sizes):
        values = rng.integers(0, size, rows).astype(object)
        values[rng.random(rows) < 0.1] = None
        columns[f"c{i}"] = pl.Series(f"c{i}", values.tolist(), dtype=pl.Int64)
    return pl.DataFrame(columns)


def brute(rows: pl.DataFrame, names: tuple[str, ...]) -> tuple[int, int, int, int]:
    sizes = Counter(rows.select(names).iter_rows()).values() if names else [len(rows)]
    return len(sizes), sum(s * (s - 1) // 2 for s in sizes), sum(s == 1 for s in sizes), min(sizes)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(1, 60),
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    threads=st.integers(1, 3),
)
def test_every_subset_is_counted_as_by_hand(seed: int, rows: int, sizes: list[int], threads: int) -> None:
    frame = random_table(seed, rows, sizes)
    universe = Universe(la.table(frame, others=[]), threads=threads)
    found = universe.measure_all()
    for subset in range(2 ** len(sizes)):
        measured = tuple(int(x[subset]) for x in (found.classes, found.pairs, found.uniques, found.k_min))
        assert measured == brute(frame, universe.columns(subset))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), asked=st.lists(st.integers(0, 127), max_size=40))
def test_any_list_of_subsets_in_any_order_with_repeats(seed: int, asked: list[int]) -> None:
    frame = random_table(seed, 40, [2, 3, 4, 5, 2, 9, 3])
    universe = Universe(la.table(frame, others=[]))
    found = universe.measure(asked)
    assert len(found) == len(asked)
    for i, subset in enumerate(asked):
        assert int(found.classes[i]) == brute(frame, universe.columns(subset))[0]
        assert int(found.pairs[i]) == brute(frame, universe.columns(subset))[1]
    again = universe.measure(asked)
    assert (again.uniques == found.uniques).all()


def test_threads_do_not_change_a_number() -> None:
    table = la.table(random_table(3, 3000, [2, 3, 5, 40, 7, 4, 200, 2, 9, 3]), others=[])
    one, three = (Universe(table, threads=t).measure_all() for t in (1, 3))
    for name in ("classes", "pairs", "uniques", "k_min"):
        assert (getattr(one, name) == getattr(three, name)).all()


def test_adding_a_column_never_hides_anybody() -> None:
    universe = Universe(la.table(random_table(5, 200, [2, 3, 4, 2, 3, 5]), others=[]))
    found = universe.measure_all()
    for subset in range(64):
        for bit in range(6):
            wider = subset | 1 << bit
            assert found.distinction[wider] >= found.distinction[subset]
            assert found.separation[wider] >= found.separation[subset]
            assert found.uniqueness[wider] >= found.uniqueness[subset]
            assert found.k_min[wider] <= found.k_min[subset]


def test_measures_agree_with_the_metrics() -> None:
    table = la.table(random_table(6, 100, [3, 4, 5]), others=[])
    universe = Universe(table)
    for size in (1, 2, 3):
        for names in combinations(table.names, size):
            found = universe.measure([universe.subset(names)])
            assert found.distinction[0] == la.measure(table, "distinction", quasi=names).value
            assert found.separation[0] == pytest.approx(la.measure(table, "separation", quasi=names).value)
            assert found.k_mean[0] == pytest.approx(la.measure(table, "k_anonymity", quasi=names).mean)
            assert found.length_penalty[0] == la.measure(table, "attribute_length_penalty", quasi=names).value


def test_progress_ends_at_one() -> None:
    shares: list[float] = []
    Universe(la.table(random_table(1, 50, [2] * 6), others=[])).measure_all(progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_all_subsets_of_too_many_columns_are_refused() -> None:
    wide = la.table(pl.DataFrame({f"c{i}": [0, 1] for i in range(21)}), others=[])
    with pytest.raises(la.RequestError, match="up to 20 columns"):
        Universe(wide).measure_all()


@pytest.mark.parametrize(
    ("columns", "error"),
    [([], "at least one column"), (["a", "a"], "named twice"), (["b"], "there is no column 'b'")],
)
def test_a_wrong_universe_is_refused(columns: list[str], error: str) -> None:
    with pytest.raises(la.RequestError, match=error):
        Universe(la.table(pl.DataFrame({"a": [1]}), others=[]), columns)
