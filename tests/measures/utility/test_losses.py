"""`la.loss`: the same numbers as the release states and as the definitions give, per column, and who pays."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
import strategies
from lookalike.base.intervals import wilson
from lookalike.measures.utility.loss import average_class_size, discernibility
from lookalike.measures.utility.losses import MEASURES
from lookalike.recodings.reading import contents
from lookalike.recodings.treatments import Box
from measures.utility.losses_by_definition import entropy_loss

METHODS: list[tuple[str, dict[str, Any]]] = [
    ("optimal", {}),
    ("local", {}),
    ("local", {"output": "hierarchy"}),
    ("mondrian", {}),
    ("sangreea", {}),
]


def people(n: int = 200) -> la.Table:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 50, n),
            "town": [None if i % 20 == 0 else t for i, t in enumerate(rng.choice(["a", "b", "c", "d"], n))],
            "sex": rng.choice(["f", "m"], n),
        }
    )
    groups = la.Hierarchy.groups({"ab": ["a", "b"], "cd": ["c", "d"]})
    return la.table(frame, quasi=["age", "town"], others=["sex"], hierarchies={"town": groups})


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_loss_and_ncp_are_those_the_release_states(method: str, options: dict[str, Any]) -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(4), method=method, **options)
    found = la.loss(table, release)
    assert found.measures["loss"] == pytest.approx(release.loss)
    assert found.measures["ncp"] == pytest.approx(release.ncp)
    assert (found.records, found.suppressed, found.classes) == (200, release.suppressed, release.classes)
    sizes = release.rows.group_by("age", "town").len()["len"].to_numpy()
    assert found.discernibility == discernibility(sizes, suppressed=release.suppressed)
    assert found.average_class_size == average_class_size(sizes, suppressed=release.suppressed)
    for each in found.columns.values():
        assert set(each) == set(MEASURES)
        assert all(0 <= value <= 1 + 1e-12 for value in each.values())
    json.dumps(found.to_dict())
    assert "discernibility" in str(found)


@settings(max_examples=30, deadline=None)
@given(table=strategies.people(least=4), which=st.sampled_from(METHODS), k=st.integers(1, 4))
def test_entropy_is_that_of_the_definition(
    table: la.Table, which: tuple[str, dict[str, Any]], k: int
) -> None:
    method, options = which
    release = la.anonymize(
        table,
        la.KAnonymity(k),
        method=method,
        shuffle=False,
        suppression=0.0,
        linked=strategies.ACCEPT,
        **options,
    )
    found = la.loss(table, release)
    codes = np.array([table.column(name).codes for name in table.quasi])
    tuples = release.rows.select(table.quasi).with_row_index("row").group_by(table.quasi, maintain_order=True)
    of_row = np.zeros(len(table), dtype=int)
    covered: list[list[int]] = [[] for _ in table.quasi]
    for number, (labels, part) in enumerate(tuples):
        of_row[part["row"].to_numpy()] = number
        for i, (name, label) in enumerate(zip(table.quasi, labels, strict=True)):
            column, treatment = table.column(name), release.recoding.columns[name]
            if isinstance(treatment, Box):  # by what is behind its label
                inside = release.recoding.boxes[name].contains(column.domain, treatment.hierarchy)
                inside = inside[release.of_row[part["row"][0]]]
            else:
                inside = contents([label], column.domain, treatment)[0]  # type: ignore[list-item,arg-type]
            covered[i].append(int(column.counts[inside].sum()))
    assert found.measures["entropy"] == pytest.approx(entropy_loss(codes, of_row, covered))


def test_a_column_is_lost_by_hand() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(1), method="levels", levels={"age": 0, "town": 1})
    found = la.loss(table, release).columns
    assert set(found["age"].values()) == {0.0}
    known = 190 / 200  # a missing town is a leaf of its own: five leaves, two under each group
    assert found["town"]["loss"] == pytest.approx(known * 1 / 4)
    assert found["town"]["ncp"] == pytest.approx(known * 2 / 5)
    assert found["town"]["precision"] == pytest.approx(1 / 2)
    assert found["town"]["gil"] == pytest.approx(known * 1 / 2)


def test_gil_of_numbers_is_their_width() -> None:
    frame = pl.DataFrame({"age": [20, 21, 30, 60], "x": ["a"] * 4})
    table = la.table(frame, quasi=["age"], others=["x"])
    release = la.anonymize(table, la.KAnonymity(2), method="local", ends=1)
    assert la.loss(table, release).measures["gil"] == pytest.approx((2 * 1 + 2 * 30) / 40 / 4)


def test_who_pays_is_counted_by_hand() -> None:
    rows = pl.DataFrame(
        {
            "q": ["common"] * 90 + [f"rare {i}" for i in range(10)],
            "origin": ["here"] * 90 + ["here"] * 2 + ["far"] * 8,
        }
    )
    table = la.table(rows, quasi=["q"], others=["origin"])
    release = la.anonymize(table, la.KAnonymity(2), method="levels", levels={}, suppression=1.0)
    with pytest.warns(
        la.LookalikeWarning, match=r"1 group of 'origin' with 8 records left the release altogether"
    ):
        found = la.loss(table, release, by="origin")
    far, here = found.groups
    assert (far.group, far.records, far.suppressed, far.rate, far.loss) == ("far", 8, 8, 1.0, 1.0)
    assert (here.records, here.suppressed, here.loss) == (92, 2, pytest.approx(2 / 92))
    assert (far.share_before, far.share_after, here.share_after) == (0.08, 0.0, 1.0)
    assert here.rate_low < 2 / 92 < here.rate_high
    assert "far" not in found.warnings[0], "a message names the column, the answer names the group"


def test_a_minority_hit_twice_as_hard_is_said_loudly() -> None:
    q = ["common"] * 900 + [f"rare {i}" for i in range(40)] + ["common"] * 60
    rows = pl.DataFrame({"q": q, "origin": ["here"] * 900 + ["far"] * 100})
    table = la.table(rows, quasi=["q"], others=["origin"])
    release = la.anonymize(table, la.KAnonymity(2), method="levels", levels={}, suppression=1.0)
    with pytest.warns(la.LookalikeWarning, match="more than twice as large a share"):
        la.loss(table, release, by="origin")
    la.loss(table, la.anonymize(table, la.KAnonymity(2), method="local"), by="origin")


def test_an_ordered_column_with_many_values_is_cut_into_quarters() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"q": rng.choice(["a", "b"], 400), "pay": rng.permutation(400)})
    table = la.table(frame, quasi=["q"], sensitive=["pay"])
    found = la.loss(table, la.anonymize(table, la.KAnonymity(2)), by="pay")
    assert [one.records for one in found.groups] == [100] * 4
    assert [one.group for one in found.groups] == ["0 to 99", "100 to 199", "200 to 299", "300 to 399"]


def test_what_cannot_be_told_is_refused(tmp_path: Any) -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(4), method="local")
    with pytest.raises(la.RequestError, match="Did you mean 'town'"):
        la.loss(table, release, by="twon")
    other = la.table(
        table.rows.head(100), quasi=["age", "town"], others=["sex"], hierarchies=table.hierarchies
    )
    with pytest.raises(la.RequestError, match="cannot be made again"):
        la.loss(other, release)


def test_the_interval_is_wilsons() -> None:
    stats = pytest.importorskip("scipy.stats")
    for hits, n in ((0, 10), (3, 10), (10, 10), (40, 100)):
        expected = stats.binomtest(hits, n).proportion_ci(method="wilson")
        assert wilson(hits, n) == pytest.approx((expected.low, expected.high))
