"""Next month's rows: the same rules, counted alone or with the release they join, and what is different said."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from checker import keeps


def month(seed: int, n: int = 400, *, oldest: int = 80) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(20, oldest, n),
            "region": draw.choice(["north", "south", "east", "west"], n),
            "disease": draw.choice(["flu", "cold", "ulcer"], n),
        }
    )


ROLES: dict[str, Any] = {"quasi": ["age", "region"], "sensitive": ["disease"]}
AGES = {"age": la.Hierarchy.intervals(5, 10, 20, 40)}


@pytest.fixture(scope="module", params=["optimal", "mondrian"])
def january(request: pytest.FixtureRequest) -> la.Release:
    return la.anonymize(
        month(1),
        la.KAnonymity(5),
        la.LDiversity("disease", 2),
        method=request.param,
        hierarchies=AGES,
        **ROLES,
    )


def smallest(rows: pl.DataFrame) -> int:
    return int(rows.group_by("age", "region").len()["len"].min())  # type: ignore[arg-type]


def test_the_same_rows_give_the_same_release(january: la.Release) -> None:
    again = la.apply(january, month(1))
    assert again.rows.sort(pl.all()).equals(january.rows.sort(pl.all()))
    assert again.unseen == {}
    assert set(again.drift.values()) == {0.0}


def test_new_rows_are_blurred_by_the_same_rules_and_keep_the_promise(january: la.Release) -> None:
    february = la.apply(january, month(2), suppression=1.0)
    assert smallest(february.rows) >= 5
    assert february.k == smallest(february.rows)
    assert set(february.rows["age"]) <= set(january.rows["age"])
    assert february.records == 400
    assert february.rows.height == 400 - february.suppressed
    assert sum(february.held_back.values()) == february.suppressed


def test_a_folder_does_as_well_as_what_is_in_memory(january: la.Release, tmp_path: Path) -> None:
    january.save(tmp_path / "out")
    asked: dict[str, Any] = {"suppression": 1.0, "seed": 3}
    by_folder = la.apply(tmp_path / "out", month(2), **asked)
    assert by_folder.rows.equals(la.apply(january, month(2), **asked).rows)
    by_folder.save(tmp_path / "next")
    found = la.verify(tmp_path / "next" / "release.csv", tmp_path / "next" / "certificate.json")
    assert found.ok, found
    assert la.apply(tmp_path / "next", month(3), suppression=1.0).rows.height


def test_rows_that_join_a_release_are_counted_with_it(january: la.Release, tmp_path: Path) -> None:
    more = month(5, n=300)
    both = la.apply(january, more, joins=True, suppression=1.0)
    assert both.rows.height == january.rows.height + 300 - sum(both.held_back.values())
    assert smallest(both.rows) >= 5
    assert both.records == 700
    january.save(tmp_path / "out", format="parquet")
    saved = la.apply(tmp_path / "out", more, joins=tmp_path / "out", suppression=1.0)
    assert saved.rows.equals(both.rows)
    saved.save(tmp_path / "next")
    found = la.verify(tmp_path / "next" / "release.csv", tmp_path / "next" / "certificate.json")
    assert found.ok, found


def subtracted(later: pl.DataFrame, earlier: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of one release that another does not have, in plain Python."""
    left = Counter(later.iter_rows()) - Counter(earlier.select(later.columns).iter_rows())
    return [dict(zip(later.columns, row, strict=True)) for row in left.elements()]


@pytest.mark.parametrize("method", ["optimal", "local", "mondrian"])
@pytest.mark.parametrize(
    "models",
    [
        [la.KAnonymity(5)],
        [la.KAnonymity(3), la.LDiversity("disease", 3)],
        [la.KAnonymity(4), la.LDiversity("disease", 2, kind="entropy")],
        [la.KAnonymity(3), la.TCloseness("disease", 0.35)],
        [la.AlphaK("disease", 0.7, 3)],
        [la.KAnonymity(2), la.AverageRisk(0.25)],
        [la.KAnonymity(3), la.BetaLikeness("disease", 1.5)],
    ],
    ids=str,
)
def test_what_is_left_after_subtracting_the_earlier_release_keeps_the_promise(
    method: str, models: list[la.Model]
) -> None:
    made = la.anonymize(month(1), *models, method=method, hierarchies=AGES, suppression=1.0, **ROLES)
    published = 0
    for seed, n in ((2, 150), (3, 400), (4, 900)):
        try:
            both = la.apply(made, month(seed, n=n), joins=True, suppression=1.0)
        except la.GuaranteeError:
            continue
        newcomers = subtracted(both.rows, made.rows)
        assert len(newcomers) == both.rows.height - both.joined > 0
        for rows in (newcomers, both.rows.to_dicts()):
            for model in models:
                assert keeps(rows, ["age", "region"], model), model
        published += len(newcomers)
    assert published


def test_people_are_counted_in_what_is_left_after_subtracting() -> None:
    def visits(seed: int, n: int) -> pl.DataFrame:
        return month(seed, n).with_columns(person=pl.format("p{}", pl.int_range(pl.len()) // 3 + 100 * seed))

    asked: dict[str, Any] = {"unit": "person", "others": ["person"], "linked": {"person": "accept"}}
    made = la.anonymize(
        visits(1, 300),
        la.KAnonymity(4),
        method="optimal",
        hierarchies=AGES,
        suppression=1.0,
        **asked,
        **ROLES,
    )
    both = la.apply(made, visits(2, 180), joins=True, suppression=1.0)
    newcomers = subtracted(both.rows, made.rows)
    people: dict[Any, set[str]] = {}
    for row in newcomers:
        people.setdefault((row["age"], row["region"]), set()).add(row["person"])
    assert people
    assert min(map(len, people.values())) >= 4
    assert both.held_back["in a class that would break the promise"] > 0


def test_where_nobody_can_join_it_is_said_how_many_to_wait_for() -> None:
    made = la.anonymize(
        pl.DataFrame({"region": ["north"] * 60 + ["south"] * 30 + ["east"] * 10}),
        la.KAnonymity(5),
        method="optimal",
        quasi=["region"],
    )
    few = pl.DataFrame({"region": ["north"] * 4 + ["south"] * 2})
    with pytest.raises(la.GuaranteeError, match=r"[Ww]ait until there are about 9 new people"):
        la.apply(made, few, joins=True)
    more = pl.DataFrame({"region": ["north"] * 6 + ["south"] * 2})
    # 66, 32 and 10 of 108 people: north and south hold more than the 0.9 that are to go out
    with pytest.raises(la.GuaranteeError, match=r"[Ww]ait until there are about 17 new people"):
        la.apply(made, more, joins=True, suppression=0.1)
    assert la.apply(made, more, joins=True, suppression=0.25).rows.height == 106


def test_more_held_back_than_allowed_is_refused(january: la.Release) -> None:
    with pytest.raises(
        la.GuaranteeError, match=r"new records would have to be held back, where 5\.0% may be"
    ):
        la.apply(january, month(2, n=120))


def test_a_refusal_says_why_and_what_to_do(january: la.Release) -> None:
    with pytest.raises(la.GuaranteeError) as refused:
        la.apply(january, month(2, n=120))
    said = str(refused.value)
    assert "in classes that would break the promise, since too few new rows share them" in said
    assert "run the recipe with their file" in said
    assert "`joins`" not in said  # who joins must keep the promise among newcomers all the same
    assert ('method "optimal"' in said) == bool(january.recoding.boxes)
    with pytest.raises(la.GuaranteeError) as refused:
        la.apply(january, month(2, n=120).with_columns(region=pl.lit("isle")), joins=True)
    assert "(by column: region 120)" in str(refused.value)
    assert "`joins`" not in str(refused.value)


def test_a_refusal_names_the_columns_whose_values_no_rule_covers() -> None:
    made = la.anonymize(month(1), la.KAnonymity(5), method="local", **ROLES)
    later = month(2).with_columns(pl.col("age") + 200)
    with pytest.raises(la.GuaranteeError) as refused:
        la.apply(made, later)
    said = str(refused.value)
    assert f"{later.height} rows with values that no rule covers (by column: age {later.height})" in said
    assert "`joins`" not in said  # the earlier rows would not help
    assert 'method "optimal"' in said


def test_what_is_out_stays_out(january: la.Release) -> None:
    both = la.apply(january, month(5, n=300), joins=january, suppression=1.0, shuffle=False)
    assert both.rows.head(january.rows.height).equals(january.rows)


def test_an_interval_covers_a_value_never_seen_and_a_group_does_not() -> None:
    made = la.anonymize(
        month(1),
        la.KAnonymity(5),
        method="levels",
        levels={"age": 4, "region": 1},
        suppression=0.5,
        hierarchies={
            **AGES,
            "region": la.Hierarchy.groups({"up": ["north", "east"], "down": ["south", "west"]}),
        },
        **ROLES,
    )
    new = month(2, oldest=119).with_columns(
        region=pl.when(pl.int_range(pl.len()) < 7).then(pl.lit("centre")).otherwise("region")
    )
    found = la.apply(made, new)
    assert found.unseen == {"region": 7}
    assert "[80, 120)" in set(found.rows["age"])
    assert "region: 7 rows with a value that no rule covers." in found.summary
    assert found.drift["age"] > 0.1


def test_a_value_that_does_not_read_as_its_kind_holds_its_row_back(january: la.Release) -> None:
    new = month(1).with_columns(
        age=pl.when(pl.int_range(pl.len()) < 3)
        .then(pl.lit("unknown"))
        .otherwise(pl.col("age").cast(pl.String))
    )
    found = la.apply(january, new, suppression=0.5)
    assert found.unseen == {"age": 3}
    assert found.rows.height <= 397


def test_nothing_that_fits_is_refused_in_words(january: la.Release) -> None:
    with pytest.raises(la.ColumnError, match="rows: there is no column 'age'"):
        la.apply(january, month(1).drop("age"))
    strangers = month(1).with_columns(age=pl.lit("old"))
    with pytest.raises(la.GuaranteeError, match="nothing is left of the new rows"):
        la.apply(january, strangers)


def test_people_are_counted_not_rows() -> None:
    def visits(seed: int) -> pl.DataFrame:
        return month(seed).with_columns(person=pl.int_range(pl.len()) // 2)

    made = la.anonymize(
        visits(1),
        la.KAnonymity(3),
        method="optimal",
        unit="person",
        hierarchies=AGES,
        suppression=0.3,
        **ROLES,
    )
    found = la.apply(made, visits(2), suppression=1.0)
    assert found.people.unit == "person"
    counted = found.people.classes(found.recoding.apply(found.people).of_row, sensitive=[])
    assert int(counted.counts.min()) >= 3
    with pytest.raises(la.RequestError, match="told apart by 'person'"):
        la.apply(made, visits(2), joins=True)


def test_a_recoding_takes_and_gives_the_callers_frame(january: la.Release) -> None:
    frame = month(2).to_pandas()
    applied = january.recoding.apply(frame)
    assert type(applied.frame) is type(frame)
    assert len(applied.frame) == applied.rows.height


@pytest.mark.parametrize("kept_where", ["memory", "folder", "files"])
def test_detail_kept_is_that_of_all_rows_that_go_out_as_they_are_labelled(
    kept_where: str, tmp_path: Path
) -> None:
    draw = np.random.default_rng(3)
    towns = [chr(97 + i) for i in range(12)]
    first, more = (
        pl.DataFrame({"town": draw.choice(towns, n), "sex": draw.choice(["f", "m"], n)}) for n in (300, 500)
    )
    made: Any = la.anonymize(first, la.KAnonymity(30), method="local", quasi=["town", "sex"])
    if kept_where != "memory":
        made = made.save(tmp_path / "first")
    rows: Any = more.filter(pl.col("town").is_in(towns[:9]))  # not every town has somebody new
    if kept_where == "files":
        rows.write_csv(tmp_path / "more.csv")
        rows = str(tmp_path / "more.csv")
    both = la.apply(made, rows, joins=True, suppression=1)
    out = la.read_release(both.save(tmp_path / "both"))

    def kept(column: str, size: int) -> float:
        named = [1 + text.count(",") for text in out[column]]
        return 1 - float(np.mean([(n - 1) / (size - 1) for n in named]))

    assert both.kept["town"] == pytest.approx(kept("town", 12))
    assert both.kept["sex"] == pytest.approx(kept("sex", 2))
    left = 1 - (both.kept["town"] + both.kept["sex"]) / 2
    assert both.loss == pytest.approx((left * out.height + both.suppressed) / both.records)


def test_a_row_alone_in_its_set_has_lost_what_the_set_says() -> None:
    first = pl.DataFrame({"town": list("aabbccdd") * 2})
    release = la.anonymize(first, la.KAnonymity(16), method="local", quasi=["town"])
    alone = la.apply(release, pl.DataFrame({"town": ["a"] * 16}))
    assert alone.kept["town"] == release.kept["town"] == 0
