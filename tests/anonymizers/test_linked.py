"""No release is undone by its own columns unless somebody said so, whatever the method."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la

METHODS = ["optimal", "local", "mondrian", "datafly", "sangreea"]


def frame(n: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    area, age = rng.integers(0, 12, n), rng.integers(20, 80, n)
    return pl.DataFrame(
        {
            "area": [f"area {a}" for a in area],
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "density": (rng.permutation(100)[:12] * 2.5)[area],
            "opinion": rng.integers(0, 4, n),
            "disease": rng.choice(["flu", "ulcer", "cold"], n),
        }
    )


def people(**roles: object) -> la.Table:
    return la.table(
        frame(), **{"quasi": ["area", "age", "sex"], "sensitive": ["disease"], "others": [], **roles}
    )  # type: ignore[arg-type]


def smallest(rows: pl.DataFrame, by: list[str]) -> int:
    return min(rows.group_by(by).len()["len"].to_list())


@pytest.mark.parametrize("method", METHODS)
def test_a_column_that_undoes_the_promise_is_refused_with_its_fall(method: str) -> None:
    with pytest.raises(
        la.GuaranteeError, match=r"density is one to one with area: published, k \d+ would be 1 .*`linked`"
    ):
        la.anonymize(people(), la.KAnonymity(10), method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stars", ["drop", "star"])
def test_a_column_that_follows_tells_nobody_further_apart(method: str, stars: str, tmp_path: Path) -> None:
    release = la.anonymize(
        people(),
        la.KAnonymity(10),
        method=method,
        linked={"density": "follow"},
        suppressed=stars,
        suppression=0.2,
    )
    rows = release.rows.filter(pl.col("disease").is_not_null())
    quasi = ["area", "age", "sex"]
    assert smallest(rows, [*quasi, "density"]) == smallest(rows, quasi) >= 10
    assert rows.group_by("area").agg(pl.col("density").n_unique())["density"].max() == 1
    assert release.recoding.apply(people()).rows.sort(pl.all()).equals(release.rows.sort(pl.all()))
    folder = release.save(tmp_path / "out")
    checked = la.verify(folder / "release.csv", folder / "certificate.json")
    assert checked.ok, str(checked)
    assert "holds    linked column density: tells nobody further apart" in str(checked)


def test_what_follows_covers_every_value_it_stands_for() -> None:
    from lookalike.recodings.labels import Range, ValueSet, read_label

    table = people()
    release = la.anonymize(
        table, la.KAnonymity(10), linked={"density": "follow"}, shuffle=False, suppression=0
    )
    for text, value in zip(release.rows["density"].to_list(), table.rows["density"].to_list(), strict=True):
        label = read_label(text)
        if isinstance(label, ValueSet):
            assert value in {float(str(one)) for one in label.values}
        elif isinstance(label, Range):
            assert float(label.lo) <= value <= float(label.hi)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("linked_to", ["age", "area"])
@pytest.mark.parametrize("unit", [None, "who"])
def test_what_follows_ends_with_no_number_that_a_few_people_have(
    method: str, linked_to: str, unit: str | None
) -> None:
    """Born in step with age, density one to one with area; the least and the greatest of each are one person's own."""
    data = frame().with_columns(
        born=2020.5 - pl.col("age") + pl.int_range(1, 401) * 0.0001371, who=pl.int_range(400)
    )
    follower = "born" if linked_to == "age" else "density"
    lowest, highest = (0.0321, 97123.4567)
    data = data.with_columns(
        pl.when(pl.int_range(400) == 7).then(lowest).when(pl.int_range(400) == 9).then(highest)
        .otherwise(pl.col(follower)).alias(follower)
    )  # fmt: skip
    table = la.table(data, quasi=["area", "age", "sex"], sensitive=["disease"], others=[], unit=unit)
    release = la.anonymize(
        table, la.KAnonymity(10), method=method, linked={follower: "follow"}, suppression=0,
        drop=[name for name in ("born", "density", "who") if name != follower],
    )  # fmt: skip
    shown = {str(text) for text in release.rows[follower].to_list()}
    values = data[follower].value_counts().rows()
    rare = {str(value) for value, count in values if count < 5 and len(str(value).split(".")[1]) > 3}
    assert {str(lowest), str(highest)} <= rare
    for text in shown:
        assert not set(re.findall(r"[\d.]+", text)) & rare, text


def test_what_follows_says_nothing_of_rows_left_out() -> None:
    data = (
        frame()
        .with_columns(age=pl.Series([50] * 400))
        .extend(
            pl.DataFrame(
                {
                    "area": ["area 99"],
                    "age": [50],
                    "sex": ["f"],
                    "density": [9999.0],
                    "opinion": [1],
                    "disease": ["flu"],
                }
            ).cast(frame().schema)
        )
    )
    table = la.table(data, quasi=["area", "age", "sex"], sensitive=["disease"], others=[])
    release = la.anonymize(
        table, la.KAnonymity(5), method="levels", levels={}, linked={"density": "follow"}, suppression=0.2
    )
    assert release.suppressed > 0
    assert not any("9999" in str(text) for text in release.rows["density"].to_list())


@pytest.mark.parametrize("choice", ["quasi", "drop", "accept"])
def test_every_other_choice_gives_a_release_that_says_so(choice: str, tmp_path: Path) -> None:
    release = la.anonymize(people(), la.KAnonymity(10), linked={"density": choice})
    certificate = release.certificate
    assert [link["choice"] for link in certificate["linked"] if link["columns"] == ["density"]] == [choice]
    assert ("density" in certificate["quasi"]) == (choice == "quasi")
    assert ("density" in release.rows.columns) == (choice != "drop")
    folder = release.save(tmp_path / "out")
    checked = la.verify(folder / "release.csv", folder / "certificate.json")
    assert checked.ok
    assert ("becomes 1" in str(checked)) == (choice == "accept")
    json.dumps(release.to_dict())


def test_the_certificate_counts_with_each_column_known_and_verify_recounts(tmp_path: Path) -> None:
    release = la.anonymize(people(), la.KAnonymity(10), linked={"density": "accept"})
    quasi = ["area", "age", "sex"]
    known = {name: smallest(release.rows, [*quasi, name]) for name in ("density", "opinion", "disease")}
    assert release.certificate["known"] == known
    folder = release.save(tmp_path / "out")
    path = folder / "certificate.json"
    written = json.loads(path.read_text())
    written["known"]["density"] = 10
    path.write_text(json.dumps(written))
    checked = la.verify(folder / "release.csv", path)
    assert not checked.ok
    assert "with 'density' known the smallest class has 1, certified 10" in str(checked)


def test_a_link_that_takes_nothing_from_k_is_no_reason_to_refuse() -> None:
    release = la.anonymize(
        people(), la.KAnonymity(2), method="levels", levels={"age": 4, "sex": 1}, suppression=1
    )
    assert release.certificate["linked"] == []  # nothing was decided
    assert release.linked == [
        {"columns": ["density"], "quasi": ["area"], "how": "one to one", "choice": None}
    ]


def test_a_sensitive_column_is_warned_about_and_refused_only_where_one_to_one() -> None:
    with pytest.raises(la.GuaranteeError, match="density is one to one with area"):
        la.anonymize(people(sensitive=["density"]), la.KAnonymity(10))
    region = frame().with_columns(
        region=pl.col("area").replace_strict({f"area {i}": i % 5 for i in range(12)})
    )
    table = la.table(
        region, quasi=["area", "age", "sex"], sensitive=["region"], others=["opinion", "disease", "density"]
    )
    with pytest.warns(la.LookalikeWarning, match=r"region follows from area: k \d+ would be \d+.*by design"):
        la.anonymize(table, la.KAnonymity(10), drop=["density"])


def test_the_warning_says_which_way_a_sensitive_column_tells() -> None:
    region = frame().with_columns(
        region=pl.col("area").replace_strict({f"area {i}": f"r{i % 5}" for i in range(12)})
    )
    for quasi, private, said in (
        ("area", "region", "Whoever knows the quasi-identifier knows such a sensitive value anyway"),
        ("region", "area", "reads it in a row, knows what is blurred beside it"),
    ):
        table = la.table(region, quasi=[quasi, "age", "sex"], sensitive=[private], others=[])
        with pytest.warns(la.LookalikeWarning, match=f"{private} .* {quasi}: k .*{said}") as told:
            la.anonymize(table, la.KAnonymity(10), drop=["density", "opinion", "disease"])
        assert len([one for one in told if "by design" in str(one.message)]) == 1
        assert ("anyway" in str(told[0].message)) == (quasi == "area")


def test_people_count_where_there_is_a_unit() -> None:
    doubled = pl.concat([frame().with_row_index("who")] * 2)
    table = la.table(doubled, unit="who", quasi=["area", "age", "sex"], sensitive=["disease"], others=[])
    with pytest.raises(
        la.GuaranteeError, match=r"density is one to one with area: published, k [0-9,]+ would be 1 "
    ):
        la.anonymize(table, la.KAnonymity(10))


def visits(people: int = 300) -> pl.DataFrame:
    """Three visits each; height and weight stay, the ward does not, and nearly nobody smokes."""
    draw = np.random.default_rng(3)
    who = np.repeat(np.arange(people), 3)
    stays = {"age": draw.integers(20, 80, people), "height": draw.integers(150, 200, people)}
    stays["weight"] = draw.integers(50, 110, people)
    each = {name: values[who] for name, values in stays.items()}
    ward = draw.choice(["a", "b", "c"], len(who))
    return pl.DataFrame({"who": who, **each, "ward": ward, "smokes": draw.random(len(who)) < 0.01})


def test_columns_that_tell_which_rows_are_one_persons_are_named() -> None:
    table = la.table(visits(), unit="who", quasi=["age", "ward"], others=[])
    with pytest.warns(la.LookalikeWarning, match=r"2\d\d of 300 such people can be put .*: height, weight\."):
        la.anonymize(table, la.KAnonymity(5))
    la.anonymize(table, la.KAnonymity(5), drop=["height", "weight"])
    la.anonymize(table, la.KAnonymity(5), rounding={"height": 50, "weight": 50})
    la.anonymize(table, la.KAnonymity(5), linked={"height": "accept", "weight": "accept"})
    alone = la.table(visits().unique("who"), unit="who", quasi=["age", "ward"], others=[])
    la.anonymize(alone, la.KAnonymity(5))


@pytest.mark.parametrize(
    ("linked", "message"),
    [
        ({"densty": "drop"}, "Did you mean 'density'"),
        ({"density": "hide"}, "must be one of 'follow', 'quasi', 'drop', 'accept', found 'hide'"),
        ({"age": "drop"}, "is quasi already"),
        ({"disease": "drop"}, "a promise is made about column 'disease'"),
        ({"opinion": "follow"}, "not linked to a quasi-identifier"),
        (["density"], "must be a mapping"),
    ],
)
def test_a_wrong_choice_is_refused(linked: object, message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        la.anonymize(people(), la.KAnonymity(5), la.LDiversity("disease", 2), linked=linked)  # type: ignore[arg-type]


def test_adult_is_refused_with_the_right_numbers_and_then_as_told(shared_data: Path) -> None:
    quasi = ["age", "sex", "race", "education"]
    table = la.read(shared_data / "adult/adult.csv", quasi=quasi, others=[])
    accepted = la.anonymize(table, la.KAnonymity(50), linked={"education-num": "accept"})
    sizes = accepted.rows.group_by(*quasi, "education-num").len()["len"]
    below = int(sizes.filter(sizes < 50).sum())
    assert below > 1000
    said = f"education-num is one to one with education: published, k {accepted.k} would be {sizes.min()} ({below:,} "
    with pytest.raises(la.GuaranteeError, match=re.escape(said)):
        la.anonymize(table, la.KAnonymity(50))
    release = la.anonymize(table, la.KAnonymity(50), linked={"education-num": "follow"})
    assert release.certificate["known"]["education-num"] == release.k


@pytest.mark.parametrize("choice", ["accept", "follow", "drop"])
def test_the_certificate_tells_decisions_and_not_what_people_left_out_made_of_a_link(choice: str) -> None:
    """One person, who is left out, makes density determined by area no longer; nothing tells."""
    lone = {"area": "area 0", "age": 20, "sex": "x", "density": -1.0, "opinion": 1, "disease": "flu"}
    told = []
    for density in (frame().filter(pl.col("area") == "area 0")["density"][0], -1.0):
        data = frame().extend(pl.DataFrame({**lone, "density": density}).cast(frame().schema))
        table = la.table(data, quasi=["area", "age", "sex"], sensitive=["disease"], others=[])
        levels = {"area": 1, "age": 5, "sex": 0}
        release = la.anonymize(
            table,
            la.KAnonymity(10),
            method="levels",
            levels=levels,
            linked={"density": choice},
            suppression=0.3,
        )
        assert release.suppressed == 1
        told.append({**release.certificate, "recoding": None})
    assert told[0] == told[1]
    assert set(told[0]["linked"][0]) == {"columns", "quasi", "choice"}
