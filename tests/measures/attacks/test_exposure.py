"""What classes cover and hold, counted on bit sets, is what one finds row by row."""

from __future__ import annotations

import numpy as np
import pytest

import lookalike as la
from measures.attacks.releases import METHODS, covers, crowd, exposed, raw, table


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_candidates_are_the_records_whose_published_values_cover_the_person(
    method: str, missing: float
) -> None:
    people = table(crowd(140, missing=missing, seed=3))
    release = la.anonymize(people, la.KAnonymity(4), method=method, suppression=0.1)
    found = exposed(people, release)
    assert found.kept.sum() == release.records - release.suppressed
    assert np.array_equal(np.sort(found.sizes), np.sort(np.bincount(found.of_row[found.kept])))
    values = found.values("illness")
    around = found.around(values)
    for row in range(0, len(people), 3):
        fits = [c for c in range(found.classes) if covers(found, c, row)]
        cell = found.cells.of_row[row]
        assert found.candidates[cell] == found.sizes[fits].sum()
        if found.kept[row]:
            assert found.of_row[row] in fits
        held = values.codes[np.isin(found.of_row, fits)]
        counts = np.bincount(held, minlength=values.size)
        assert around[0][cell] == (counts > 0).sum()
        assert around[2][cell] == counts.max()
        assert around[3][cell] == len(held)
        if len(held):
            assert around[1][cell] == counts.argmax()
    everybody = found.covered_cells(found.cells.records)
    for c in range(found.classes):
        assert everybody[c] == sum(covers(found, c, row) for row in range(len(people)))


def test_boxes_overlap_so_candidates_are_more_than_the_class() -> None:
    people = table(crowd(400, seed=1))
    found = exposed(people, la.anonymize(people, la.KAnonymity(5), method="local"))
    assert (found.candidates[found.cells.of_row[found.kept]] > found.sizes[found.of_row[found.kept]]).any()


def test_people_are_counted_once_where_they_have_several_rows() -> None:
    frame = crowd(120, seed=2).with_columns(name=np.array([f"p{i // 3}" for i in range(120)]))
    people = table(frame, unit="name")
    found = exposed(people, la.anonymize(people, la.KAnonymity(3), method="mondrian"))
    unit = people.column("name").codes
    for row in range(0, 120, 7):
        fits = [c for c in range(found.classes) if covers(found, c, row)]
        expected = len(np.unique(unit[np.isin(found.of_row, fits)]))
        assert found.candidates[found.cells.of_row[row]] == expected


def test_partial_knowledge_ignores_the_other_columns() -> None:
    people = table(crowd(90, seed=5))
    found = exposed(people, la.anonymize(people, la.KAnonymity(3), method="local"))
    counts = found.covering(found.cells.codes, ["town"])
    town = found.cells.names.index("town")
    side = found.sides[town]
    for cell in range(len(found.cells)):
        fits = side.inside[side.label, found.cells.codes[town, cell]]
        assert counts[cell] == found.sizes[fits].sum()


def test_a_raw_table_has_a_class_for_each_tuple() -> None:
    people = table(crowd(60))
    found = exposed(people, raw(people))
    assert found.classes == len(found.cells)


def test_another_table_is_refused() -> None:
    people = table(crowd(80))
    release = la.anonymize(people, la.KAnonymity(4), method="optimal")
    with pytest.raises(la.RequestError, match="do not give this release again"):
        la.attack(table(crowd(80, seed=9)), release)


def test_stars_are_no_candidates() -> None:
    people = table(crowd(200, towns=12))
    release = la.anonymize(people, la.KAnonymity(6), method="optimal", suppression=0.3, suppressed="star")
    found = exposed(people, release)
    assert found.kept.sum() == release.records - release.suppressed
    assert found.sizes.min() >= 6
