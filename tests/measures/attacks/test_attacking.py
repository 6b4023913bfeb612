"""`la.attack`: the battery as a whole, from memory and from a folder, the same for the same seed."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from lookalike.base.intervals import wilson
from lookalike.measures.attacks.attacking import NAMES
from measures.attacks.releases import METHODS, crowd, starred, table

KEYS = {
    "name",
    "rate",
    "low",
    "high",
    "baseline",
    "control",
    "bound",
    "trials",
    "successes",
    "story",
    "verdict",
}


@pytest.mark.parametrize("method", METHODS)
def test_no_method_lets_an_attack_beyond_its_promise(method: str) -> None:
    people = table(crowd(300, missing=0.05))
    release = la.anonymize(
        people, la.KAnonymity(5), la.LDiversity("illness", 2), method=method, suppression=0.1
    )
    found = la.attack(people, release)
    assert found.defects == []
    tried = {one.name for one in found}
    assert {"prosecutor linkage", "homogeneity", "skewness", "deFinetti", "downcoding"} <= tried
    assert "composition" in found.skipped


@pytest.mark.parametrize("method", ["optimal", "local", "sangreea"])
def test_a_saved_release_is_attacked_as_the_one_in_memory(method: str, tmp_path: Path) -> None:
    people = table(crowd(200))
    release = la.anonymize(people, la.KAnonymity(5), method=method, suppression=0.1)
    assert la.attack(people, release.save(tmp_path / "out")).to_dict() == la.attack(people, release).to_dict()


def test_same_seed_same_answer_whatever_the_order_of_rows() -> None:
    frame = crowd(240)
    found = []
    for rows in (frame, frame, frame.sample(fraction=1.0, shuffle=True, seed=1)):
        people = table(rows)
        found.append(la.attack(people, la.anonymize(people, la.KAnonymity(6), method="local"), seed=4))
    assert found[0].to_dict() == found[1].to_dict()
    for one, other in zip(found[0], found[2], strict=True):
        if one.name not in ("attribute inference", "deFinetti", "predicate singling out"):  # drawn by lot
            assert one.to_dict() == other.to_dict()


def test_results_say_all_that_is_needed() -> None:
    people = table(crowd(200))
    found = la.attack(people, la.anonymize(people, la.KAnonymity(5), suppression=0.1))
    written = json.loads(json.dumps(found.to_dict()))
    assert all(set(one) >= KEYS for one in written["attacks"])
    for one in found:
        assert one.threat in ("singling out", "linkability", "inference")
        assert 0 <= one.low <= one.rate <= one.high <= 1
        assert one.verdict.endswith(".")
        assert len(one.story) > 40
    text = str(found)
    assert all(one.title in text for one in found)
    assert found["prosecutor linkage"] is found.results[0]
    with pytest.raises(la.RequestError, match="no result 'telepathy'"):
        found["telepathy"]


def test_stars_resist_everything() -> None:
    people = table(crowd(300))
    found = la.attack(people, starred(people))
    above = [one.title for one in found if one.succeeds and one.name != "linkage by a known column"]
    assert above == []


def test_attacks_are_chosen_by_name() -> None:
    people = table(crowd(120))
    release = la.anonymize(people, la.KAnonymity(5))
    found = la.attack(people, release, only=["homogeneity", "partial knowledge"])
    assert {one.name for one in found} == {
        "homogeneity",
        "background knowledge",
        "partial knowledge",
        "linkage by a known column",
    }
    with pytest.raises(la.RequestError, match="no attack 'telepathy'; there are linkage"):
        la.attack(people, release, only=["telepathy"])
    with pytest.raises(la.RequestError, match="must be what `la"):
        la.attack(people, 3)  # type: ignore[arg-type]


def test_progress_runs_from_nothing_to_all() -> None:
    people = table(crowd(120))
    shares: list[float] = []
    la.attack(people, la.anonymize(people, la.KAnonymity(5)), progress=shares.append)
    assert shares == sorted(shares)
    assert len(shares) == len(NAMES)
    assert shares[-1] == 1


def test_a_second_release_and_a_population_add_their_attacks() -> None:
    everybody = crowd(400)
    people = table(everybody.head(200))
    first, second = (la.anonymize(people, la.KAnonymity(5), method=m) for m in ("mondrian", "local"))
    found = la.attack(people, first, second=second, population=everybody)
    assert {"composition", "composition of rows", "journalist linkage", "membership"} <= {
        one.name for one in found
    }


def test_without_sensitive_columns_only_linkage_is_tried() -> None:
    people = table(crowd(100).drop("illness"), sensitive=[])
    found = la.attack(people, la.anonymize(people, la.KAnonymity(5)))
    assert found.skipped["homogeneity"] == "no sensitive column is published"
    assert found["prosecutor linkage"].worst is not None


def test_why_no_gap_was_looked_at_is_the_reason_that_holds() -> None:
    people, nobody_out = table(crowd(100)), "nobody with a tuple of their own was held back"
    release = la.anonymize(people, la.KAnonymity(5), suppression=0)
    assert la.attack(people, release, only=["gap-inference"]).skipped == {"gap-inference": nobody_out}
    plain = table(crowd(100).drop("illness"), sensitive=[])
    found = la.attack(plain, la.anonymize(plain, la.KAnonymity(5)), only=["gap-inference"])
    assert found.skipped == {"gap-inference": "no sensitive column is published"}


def test_one_person_and_one_class() -> None:
    people = table(crowd(2))
    found = la.attack(people, starred(people))
    assert found["prosecutor linkage"].rate == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634)]
)
def test_wilson_known_answers(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_battery_finds_no_defect_on_adult(shared_data: Path) -> None:
    quasi = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    people = la.read(shared_data / "adult" / "adult.csv", quasi=quasi, sensitive=["income"], others=[])
    drop = ["fnlwgt"]
    release = la.anonymize(
        people, la.KAnonymity(10), method="local", drop=drop, linked={"education-num": "accept"}
    )
    found = la.attack(people, release)
    assert found.defects == []
    assert found["prosecutor linkage"].worst == pytest.approx(0.1)


def test_the_order_of_rows_changes_no_attack() -> None:
    frame = la.datasets.population(900, seed=2).select("age", "gender", "area", "income", "on_benefits")

    def told(rows: pl.DataFrame) -> list[dict]:
        people = la.table(rows, quasi=["age", "gender", "area"], sensitive=["on_benefits"], others=["income"])
        release = la.anonymize(people, la.KAnonymity(5), seed=1)
        return la.attack(people, release, seed=0).to_dict()["attacks"]

    assert told(frame) == told(frame.sample(fraction=1, shuffle=True, seed=9))
