"""Which columns stay the same in all rows of a person, or in those of one kind, and whose rows they put together."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from lookalike.recognition.links.agreement import rows_of_people
from lookalike.recognition.links.trajectories import find_trajectories

SEEDS = range(8)


def wages(seed: int = 0, people: int = 120) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Six months of base pay, the same each month, and of overtime, never the same; an insurer each."""
    rng = np.random.default_rng(seed)
    base, insurer = rng.integers(0, 60, people), rng.integers(0, 4, people)
    whose = np.repeat(np.arange(people), 9)
    kind = np.tile([0, 0, 0, 0, 0, 0, 1, 1, 1], people)
    amount = np.where(kind == 0, base[whose], rng.integers(0, 60, len(whose)))
    place = rng.permutation(len(whose))
    columns = {"amount": amount, "kind": kind, "name_of_kind": 1 - kind, "insurer": insurer[whose]}
    return {name: codes[place] for name, codes in columns.items()}, whose[place]


@pytest.mark.parametrize("seed", SEEDS)
def test_agreement_is_kappa_of_all_pairs_each_row_counting_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, kinds = 120, 3
    unit, kind = rng.integers(0, 40, n), rng.integers(0, kinds, n)
    codes = np.where(rng.random(n) < 0.7, unit % 5, rng.integers(0, 5, n))
    kappa, by_chance = rows_of_people(unit, kind).agreement(codes)
    for k in range(kinds):
        rows = np.flatnonzero(kind == k)
        seen = []
        for row in rows:
            others = [r for r in rows if r != row and unit[r] == unit[row]]
            if others:
                seen.append(np.mean([codes[r] == codes[row] for r in others]))
        chance = sum((times / len(rows)) ** 2 for times in Counter(codes[rows].tolist()).values())
        again = len(rows) - len(set(unit[rows].tolist()))
        assert kappa[k] == pytest.approx((np.mean(seen) - chance) / (1 - chance))
        assert by_chance[k] == pytest.approx(again * (1 - chance))


def test_nothing_agrees_beyond_chance_where_all_is_one_value_or_nobody_comes_again() -> None:
    assert rows_of_people(np.array([0, 0, 1])).agreement(np.zeros(3, dtype=int)).kappa.tolist() == [0]
    assert rows_of_people(np.arange(3)).agreement(np.arange(3)).kappa.tolist() == [0]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_stays_the_same_within_a_kind_of_row_tells_whose_rows_they_are(seed: int) -> None:
    columns, whose = wages(seed)
    found = find_trajectories(columns, whose)
    assert found is not None
    assert (found.columns, found.kind, found.within) == (("insurer", "amount"), "kind", ("amount",))
    assert found.text == "insurer, and amount in rows that are alike in kind"
    groups = defaultdict(list)
    for row, kind in enumerate(columns["kind"]):
        own = columns["amount"][row] if kind == 0 else None  # overtime tells nothing
        groups[kind, own, columns["insurer"][row]].append(row)
    assert len({tuple(sorted(rows)) for rows in groups.values()}) == found.of_row.max() + 1
    assert all(len(set(found.of_row[rows])) == 1 for rows in groups.values())
    told = {whose[rows[0]] for rows in groups.values() if len(rows) > 1 and len(set(whose[rows])) == 1}
    assert found.told == len(told)
    assert found.many


def test_without_the_column_of_kinds_or_the_amounts_only_what_always_stays_is_told() -> None:
    columns, whose = wages()
    for gone in (("kind", "name_of_kind"), ("amount",)):
        found = find_trajectories({n: c for n, c in columns.items() if n not in gone}, whose)
        assert found is not None
        assert (found.columns, found.kind, found.told) == (("insurer",), None, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_varies_at_random_tells_nothing_within_any_kind(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 600
    sizes = {"two": 2, "three": 3, "dice": 6, "ward": 40, "rare": 2, "amount": 300}
    columns = {name: rng.integers(0, size, n) for name, size in sizes.items()}
    columns["rare"] = (rng.random(n) < 0.05).astype(int)
    assert find_trajectories(columns, rng.integers(0, 150, n)) is None


def test_a_price_that_is_the_same_for_everybody_puts_nobody_s_rows_together() -> None:
    columns, whose = wages()
    columns["amount"] = columns["kind"] * 7
    found = find_trajectories(columns, whose)
    assert found is not None
    assert found.kind is None


def test_neither_the_order_of_rows_nor_that_of_people_changes_anything() -> None:
    columns, whose = wages()
    columns["amount"] = np.where(np.random.default_rng(1).random(len(whose)) < 0.03, 0, columns["amount"])
    place = np.random.default_rng(2).permutation(len(whose))
    one = find_trajectories(columns, whose)
    other = find_trajectories({name: codes[place] for name, codes in columns.items()}, whose[place])
    assert one is not None
    assert other is not None
    assert (one.columns, one.kind, one.told) == (other.columns, other.kind, other.told)
    assert one.of_row[place].tolist() == other.of_row.tolist()


def test_of_many_rows_some_people_are_looked_at_and_all_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    columns, whose = wages(people=400)
    whole = find_trajectories(columns, whose)
    monkeypatch.setattr("lookalike.recognition.links.trajectories._LOOKED_AT", 900)
    some = find_trajectories(columns, whose)
    assert whole is not None
    assert some is not None
    assert (some.kind, some.told, some.people) == (whole.kind, whole.told, 400)


def test_rows_of_one_person_each_tell_nothing() -> None:
    pairs = list(combinations(range(5), 2))
    assert find_trajectories({"a": np.array([a for a, _ in pairs])}, np.arange(len(pairs))) is None
