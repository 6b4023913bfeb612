"""The CF-K paper's worked example: Lisa, Fiona, and what k = 1 to 10 costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import lookalike as la
from explanations import brute, toy
from lookalike.explanations.cfk import search
from lookalike.explanations.wording import Wording
from lookalike.recodings.labels import Range, ValueSet

DISTANCES = {"Fiona": 1.2066869300911853, "Jade": 2.331306990881459, "Gina": 2.556231003039514,
             "Edward": 2.613981762917933, "Derek": 4.267477203647417}  # fmt: skip
# k: age, gender, city, NCP x 141, pureness; the best box by NCP, then pureness, over all boxes
OPTIMA = {
    1: ((24, 24), "F", "A", 0, "1/1"),
    2: ((24, 26), "F", "A", 2, "2/3"),
    3: ((24, 27), "F", "A", 3, "2/4"),
    4: ((23, 27), "FM", "A", 51, "6/10"),
    5: ((23, 47), "FM", "A", 71, "6/16"),
    6: ((23, 34), "FM", "AB", 105, "12/24"),
    7: ((23, 38), "FM", "AB", 109, "12/28"),
    8: ((23, 47), "FM", "AB", 118, "12/32"),
    9: ((23, 50), "FM", "AB", 121, "12/36"),
    10: ((23, 70), "FM", "AB", 141, "12/40"),
}
CITY = {"A": "Antwerp", "B": "Brussels"}
ROWS = list(toy.TRAIN.select("age", "gender", "city").iter_rows())
FIONA = (24, "F", "Antwerp")
ORDERED = (True, False, False)
OBJECTIVES = {
    "lex_ncp": lambda loss, pure: (loss, -pure),
    "lex_pureness": lambda loss, pure: (-pure, loss),
    "weighted": lambda loss, pure: loss + 1 - pure,
}


def fiona_is_accepted(values: tuple[int, str, str]) -> bool:
    return values[0] <= 25  # at her salary of 60


def test_the_rule_gives_every_printed_prediction() -> None:
    assert toy.decide(toy.TRAIN) == toy.TRAIN["prediction"].to_list()
    assert toy.decide({"age": [21], "salary_k": [50]}) == ["Reject"]


def test_lisa_is_as_far_from_the_accepted_as_computed_by_hand() -> None:
    near = toy.explainer().nearest(toy.LISA, 5)
    assert [toy.NAMES[row] for row in near.rows] == list(DISTANCES)
    assert near.distances == pytest.approx(list(DISTANCES.values()), abs=1e-12)


def test_euclid_and_city_block_agree_on_the_winner() -> None:
    near = toy.explainer(p=2).nearest(toy.LISA, 1)
    assert toy.NAMES[near.rows[0]] == "Fiona"


def test_merging_fiona_and_gina_gives_the_printed_explanation() -> None:
    told = toy.explainer(k=3).explain(toy.LISA)
    assert toy.box(told) == ("[24, 27]", "F", "Antwerp")
    assert (told.k, told.k_all, told.k_desired) == (3, 3, 2)
    assert told.pureness == 2 / 4
    assert told.ncp == pytest.approx(1 / 47)
    assert told.ncp_of["age"] == pytest.approx(3 / 47)
    assert told.values == {"salary_k": 60, "relationship": "Single"}
    assert told.record == toy.NAMES.index("Fiona")


def ends(seeds: int, **options: Any) -> Counter[tuple[str, str, str, float, float]]:
    """Where the search ends from Fiona, over many seeds: age, gender, city, NCP, pureness."""
    told = toy.explainer(**options)
    fiona = int(told.features.of_row[toy.NAMES.index("Fiona")])
    found: Counter[tuple[str, str, str, float, float]] = Counter()
    for seed in range(seeds):
        rules = replace(told.rules, seed=seed)
        end = search(
            told.ground,
            [told.boxes.task(fiona)],
            rules,
            lambda q: told.boxes.ask([(fiona, t) for _, t in q]),
        )[0]
        age, gender, city = (str(side) for side in told.space.sides(end.mask, end.level).values())
        found[age, gender, city, round(end.ncp, 6), round(end.pureness, 6)] += 1
    return found


@pytest.mark.parametrize("objective", ["lex_ncp", "weighted"])
@pytest.mark.parametrize("alpha", [1, 20])
@pytest.mark.parametrize(
    ("k", "age", "loss", "pure"), [(2, "[24, 26]", 2 / 141, 2 / 3), (3, "[24, 27]", 1 / 47, 2 / 4)]
)
def test_every_seed_ends_at_the_published_box(
    objective: str, alpha: int, k: int, age: str, loss: float, pure: float
) -> None:
    printed = (age, "F", "Antwerp", round(loss, 6), round(pure, 6))
    assert ends(200, k=k, alpha=alpha, objective=objective) == {printed: 200}


def test_searching_on_by_default_keeps_the_published_boxes_and_free_moves_reach_the_optimum() -> None:
    options = {"desired": "Accept", "features": toy.FEATURES}
    found = {
        k: toy.box(
            la.KAnonymousExplainer(toy.decide, toy.people(), k=k, **options, values="exact").explain(toy.LISA)
        )
        for k in (2, 3, 4)
    }
    assert found[2] == ("[24, 26]", "F", "Antwerp")
    assert found[3] == ("[24, 27]", "F", "Antwerp")
    assert found[4] == ("[24, 38]", "F", "{Antwerp, Brussels}")
    free = la.KAnonymousExplainer(
        toy.decide, toy.people(), k=4, moves="free", **options, values="exact"
    ).explain(toy.LISA)
    assert toy.box(free) == ("[23, 27]", "{F, M}", "Antwerp")


def test_a_short_candidate_list_traps_k_4_and_a_long_one_mostly_frees_it() -> None:
    assert {round(end[3], 4) for end in ends(40, k=4, alpha=1)} == {0.4965}
    usual, times = ends(40, k=4, alpha=20).most_common(1)[0]
    assert usual[:3] == ("[24, 38]", "F", "{Antwerp, Brussels}")
    assert round(usual[3], 4) == 0.4326
    assert times > 30


def test_pureness_first_may_give_up_all_detail_for_a_sure_outcome() -> None:
    found = ends(20, k=2, objective="lex_pureness")
    assert ("[24, 25]", "{F, M}", "{Antwerp, Brussels}", 0.673759, 1.0) in found


@pytest.mark.parametrize("k", OPTIMA)
def test_brute_force_finds_the_optima_of_the_fixture(k: int) -> None:
    (low, high), gender, city, loss, pure = OPTIMA[k]
    (found_loss, found_pure), box = brute.best(
        FIONA, ROWS, ORDERED, fiona_is_accepted, k, OBJECTIVES["lex_ncp"]
    )
    assert (min(box[0]), max(box[0]), set(box[1])) == (low, high, set(gender))
    assert set(box[2]) == {CITY[c] for c in city}
    assert found_loss == Fraction(loss, 141)
    assert -found_pure == Fraction(pure)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("k", OPTIMA)
def test_no_search_beats_brute_force_and_free_moves_close_most_of_the_gap(objective: str, k: int) -> None:
    quality = OBJECTIVES[objective]
    best, _ = brute.best(FIONA, ROWS, ORDERED, fiona_is_accepted, k, quality)
    gaps = []
    for options in ({}, {"effort": 100.0}, {"effort": 100.0, "moves": "free"}):
        told = toy.explainer(k=k, objective=objective, **options).explain(toy.LISA)
        sides = [[v for v in domain if side_holds(told.box[name], v)] for name, domain in domains().items()]
        found = quality(
            brute.ncp(sides, list(domains().values()), ORDERED), brute.pureness(sides, fiona_is_accepted)
        )
        assert found >= best
        assert told.k == len(brute.covered(sides, ROWS)) >= k
        gaps.append(found)
    assert gaps[1] <= gaps[0]
    if objective == "weighted":
        assert gaps[2] <= best * Fraction(11, 10)


def domains() -> dict[str, list]:
    return {
        name: sorted(set(column))
        for name, column in zip(("age", "gender", "city"), zip(*ROWS, strict=True), strict=True)
    }


def side_holds(side: Range | ValueSet, value: object) -> bool:
    return float(side.lo) <= value <= float(side.hi) if isinstance(side, Range) else value in side.values  # type: ignore[operator]


def test_the_printed_sentence_can_be_written() -> None:
    wording = Wording(
        sentence="If you {conditions}, the credit would have been {outcome}.",
        columns={"age": {"more": "were {difference} years older"}, "city": "lived in {then}",
                 "salary_k": "had an income of {then}K"},
        outcomes={"Accept": "granted"}, unsure="", meant="", own="",
    )  # fmt: skip
    told = toy.explainer(k=3, wording=wording).explain(toy.LISA)
    assert told.text == (
        "If you were 3 to 6 years older, lived in Antwerp and had an income of 60K, the credit would have been granted."
    )


def test_only_desired_people_count_when_asked() -> None:
    told = toy.explainer(k=3, count="desired").explain(toy.LISA)
    assert told.k == told.k_desired >= 3
    assert told.k_all > told.k_desired


def test_private_values_must_differ_when_asked() -> None:
    assert toy.explainer(k=2).explain(toy.LISA).private_tuples == 1  # Fiona and Ingrid: both 60K, both single
    told = toy.explainer(k=2, l=2).explain(toy.LISA)
    assert told.private_tuples >= 2
    assert toy.box(told) == ("[24, 27]", "F", "Antwerp")


def test_a_floor_under_pureness_is_kept() -> None:
    told = toy.explainer(k=2, floor=0.9, iterations=10).explain(toy.LISA)
    assert told.pureness >= 0.9
    with pytest.raises(la.GuaranteeError, match="keeps pureness at 100%"):
        toy.explainer(k=9, floor=1.0).explain(toy.LISA)
