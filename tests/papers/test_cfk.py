"""`lookalike paper cfk`: the worked example agrees everywhere; the data sets run where they are found; runs resume."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookalike.papers.cfk import findings, tuning
from lookalike.papers.cfk import paper as cfk
from lookalike.papers.cfk import runs as cfk_runs
from lookalike.papers.cfk.comparisons import COLUMNS, table_6
from lookalike.papers.cfk.figures import figure_rows
from lookalike.papers.cfk.findings import figures
from lookalike.papers.cfk.statements import choices, in_print, toy
from lookalike.papers.cfk.studies import STUDIES, forest, load, prepare
from lookalike.papers.comparison import CONTRADICTS, NOT_RUN

pytest.importorskip("sklearn")


def test_the_worked_example_agrees_with_the_print() -> None:
    assert [line.verdict for line in toy()] == ["agrees"] * 10 + ["-"] * 2


def test_table_3_is_shown_on_the_worked_example() -> None:
    (anonymous,) = (line for line in toy() if line.where == "Table 3")
    assert anonymous.computed == "yes, no"


def test_figures_1_and_3_are_those_of_the_worked_example() -> None:
    told = {line.where: line for line in toy()}
    assert told["Figure 1"].computed == "3 years older, in Antwerp, with an income of $60K"
    assert told["Figure 3"].computed == "[24, 27] F A covers 3; then [24, 26] F A covers 2"


def test_without_data_every_missing_set_has_a_line_in_every_table_and_figure() -> None:
    lines = cfk.lines(output=None, full=False, seed=0, folder=None, shown=False)
    for item in ("Table 5", "Table 6", "Figure 4", "Figure 5", "Figure 7"):
        missed = [line.what for line in lines if line.where == item and line.verdict == NOT_RUN]
        assert missed == list(STUDIES)
    assert any(line.where == "Figure 6" and "LOOKALIKE_DATA" in line.remark for line in lines)


def test_a_set_that_is_missing_or_lacks_a_column_is_said(tmp_path: Path) -> None:
    (tmp_path / "cmc").mkdir()
    (tmp_path / "cmc" / "cmc.csv").write_text("age,children\n24,3\n")
    told = {line.what: line.remark for line in cfk.absent(tmp_path) if line.where == "Table 6"}
    assert list(told) == list(STUDIES)
    assert "lacks the columns Weducation" in told["CMC"]
    assert "heart_cleveland.csv is not in" in told["Heart"]


def test_the_slip_of_the_text_is_on_the_list() -> None:
    slip, names = (line for line in in_print() if line.where == "Text")
    assert (slip.printed, slip.computed, slip.verdict) == ("CMC", "Informs", CONTRADICTS)
    assert min(slip.proof, key=slip.proof.__getitem__) == "Informs"
    assert names.printed == "Inform and Informs; Dobby"


def test_everything_left_open_is_listed_with_our_choice() -> None:
    told = {line.what for line in choices()}
    assert {"objective", "pool", "distance", "Mondrian", *STUDIES} <= told


def results(ncp: float) -> dict[str, Any]:
    """What one data set measured, made up."""
    same = {"low": -0.01, "high": 0.02, "gap": 0.005, "majority": 0.02, "minority": 0.025}
    rates = {"attacks": [{"rate": 0.0}], "k_min": 10, "k_min_intersected": 10}
    values = {
        "plain_ncp": ncp,
        "ncp": 0.02,
        "mondrian_ncp": 0.05,
        "free_ncp": 0.02,
        "choices_ncp": 0.02,
        "sharp_ncp": 0.03,
    }
    pure = {
        "plain_pureness": 1.0,
        "confirmed": 1.0,
        "mondrian_pureness": 1.0,
        "free_pureness": 1.0,
        "sharp_pureness": 0.9,
    }
    return {
        "splits": {
            key: [value - 0.001, value, value + 0.001] if key in values else [value] * 3
            for key, value in (values | pure).items()
        }
        | {"majority_ncp": [0.02, 0.021, 0.022], "minority_ncp": [0.03, 0.032, 0.031]},
        **{key: [value - 0.001, value + 0.001] * 20 for key, value in values.items()},
        **{key: [value] * 40 for key, value in pure.items()},
        **{f"{kind}fairness": {"ncp": same} for kind in ("effort_", "choices_")},
        "fairness": {
            "ncp": same,
            "pureness": same,
            "sizes": {"F": 10, "M": 30},
            "ncp_by_group": {"F": 0.025, "M": 0.02},
        },
        "span": [{"ncp": 0.02, "pureness": 1.0}, {"explained": 0}, {"ncp": 0.03, "pureness": 0.9}],
        "gaps": [[0.01, 0.03], [0.02, 0.05], [0.01, 0.04]],
        "seconds": 0.01,
        "plain_seconds": 0.001,
        "explained": 40,
        "forest": {"trees": 100, "leaves": 10},
        "grid": [
            {"accuracy": 0.8, "explained": 0},
            *({"accuracy": 0.8, "explained": 4, "ncp": 0.02, "pureness": pure} for pure in (1, 0.9, 0.8)),
        ],
        "accuracy": 0.8,
        "attack": rates,
        "attack_raw": rates,
        "importance": {"age": 3},
        "quality": {"boxes": 40, "ways": 6.0, "nearest": 0.5, "record": 0.75},
    }


def test_table_6_compares_the_papers_algorithm_and_shows_ours_and_mondrian_beside_it() -> None:
    near, far = (table_6({"Heart": results(ncp)})[0] for ncp in (0.0264, 0.0201))
    assert near.computed == "the paper's algorithm 2.64% ± 0.25%; ours 2.00% ± 0.25%; Mondrian 5.00% ± 0.25%"
    assert (near.judged, far.verdict) == ("agrees within the spread of 3 seeds", "differs")
    assert far.remark
    leaves = next(line for line in table_6({"Heart": results(0.02)}) if "100 leaves" in line.what)
    assert leaves.computed == "3.00% ± 0.25%, 90.00% ± 0.00%; 40 explained in the first of 3 splits"


def test_table_6_shows_every_forest_of_the_grid() -> None:
    (fast,) = (line for line in table_6({"Heart": results(0.02)}) if "people explained" in line.what)
    assert fast.what.endswith("by a forest of 100 trees, the paper's algorithm")
    assert fast.computed == (
        "10 leaves nobody to explain; 100 leaves 2.00%/100.00%/4; 500 leaves 2.00%/90.00%/4; "
        "any number of leaves 2.00%/80.00%/4"
    )
    made = results(0.02)
    made["forest"]["areas"] = [[0.1 * leaves + 0.01 * trees for trees in range(6)] for leaves in range(4)]
    made["grid"] = [{"explained": n, "ncp": 0.01, "pureness": 1.0} for n in range(1, 25)]
    area, full = (line for line in table_6({"Heart": made}) if "5,000 trees" in line.what)
    assert "any number of leaves 0.300, 0.310, 0.320, 0.330, 0.340, 0.350; best 100 trees" in area.computed
    assert "500 leaves 1.00%/100.00%/13, " in full.computed
    assert full.computed.endswith("1.00%/100.00%/24")


def test_what_is_left_open_accounts_for_a_print_where_one_way_gives_both_numbers() -> None:
    def line(*ways: tuple[float, float]) -> tuple[str, str]:
        made = results(0.02)
        made["span"] = [{"ncp": ncp, "pureness": pure} for ncp, pure in ways] + [{"explained": 0}]
        one = next(line for line in table_6({"Heart": made}) if "left open" in line.what)
        return one.verdict, one.computed

    assert line((0.0264, 1.0), (0.05, 0.9))[0] == "agrees within the spread"
    apart = line((0.0264, 0.9), (0.05, 1.0))
    assert apart[0] == "differs", "each number alone is met, both together are not"
    assert "0 ways give both" in apart[1]
    assert apart[1].endswith("one by one 2.64% to 5.00%, 90.00% to 100.00%")


def test_figures_agree_where_the_finding_holds() -> None:
    told = {line.where: line.verdict for line in figures({"Heart": results(0.02)}) if line.verdict != "-"}
    assert told == {
        "Figure 4": "agrees",
        "Figure 5": "agrees",
        "Figure 7": "agrees",
        "Section 6.4": "agrees",
    }
    told = {line.where: line.verdict for line in figures({"Heart": results(0.09)}) if line.verdict != "-"}
    assert told["Figure 4"] == "differs"


def test_the_pictures_show_what_the_lines_say() -> None:
    points = figure_rows({"Heart": results(0.09)})
    assert list(dict.fromkeys(one["series"] for one in points["figure4"])) == list(COLUMNS)
    assert [round(one["y"], 3) for one in points["figure7"]] == [0.021, 0.031], "means over the splits"
    alone = [one["y"] for one in points["figure4"] if one["series"] == COLUMNS[0]]
    assert sorted(alone) == alone
    assert min(alone) > 0.08, "the paper's algorithm alone, not ours"


def test_what_the_text_says_about_groups_is_checked_too() -> None:
    made = results(0.02)
    told = {one.what: one for one in figures({"Heart": made})}
    by_value = told["Heart: NCP of each group in the first split (people)"]
    assert by_value.computed == "F 2.50% (10), M 2.00% (30)"
    grown = told["Heart: the gap in NCP at k=5 and k=50"]
    assert (grown.computed, grown.verdict) == ("+1.33%, +4.00%; +2.67% ± 1.43% more", "agrees")
    made["gaps"] = [[0.03, 0.01], [0.05, 0.02], [0.04, 0.01]]
    made["fairness"]["pureness"] = {**made["fairness"]["pureness"], "low": 0.01}
    verdicts = {one.what: one.verdict for one in figures({"Heart": made})}
    assert verdicts["Heart: the gap in NCP at k=5 and k=50"] == "differs"
    assert verdicts["Heart: pureness of majority, minority in the first split"] == "differs"


def test_the_rank_of_quasi_identifiers_is_compared_with_what_is_said_of_cmc_and_heart() -> None:
    sets = {name: results(0.02) for name in ("CMC", "Heart")}
    sets["CMC"]["importance"], sets["Heart"]["importance"] = {"age": 2, "children": 1}, {"age": 7, "sex": 11}
    line = next(one for one in figures(sets) if one.what.startswith("mean rank"))
    assert (line.computed, line.verdict) == ("0.19, 0.75", "agrees")


def test_figure_7_tells_a_clear_gap_from_an_unclear_one() -> None:
    def line(majority: list[float], minority: list[float]) -> tuple[str, str]:
        made = results(0.02)
        made["splits"] |= {"majority_ncp": majority, "minority_ncp": minority}
        found = next(one for one in figures({"Heart": made}) if one.where == "Figure 7")
        return found.verdict, found.remark

    low, high, wide = [0.01, 0.011, 0.012], [0.03, 0.031, 0.032], [0.0, 0.02, 0.05]
    assert line(low, high) == ("agrees", "")
    assert line(high, low) == ("differs", "Heart: the other way")
    unclear = ("agrees within the spread", "Heart: no clear difference either way")
    assert line(low, wide) == line(wide, low) == unclear, "as unclear one way as the other"


def test_a_setting_is_best_only_if_seeds_move_the_search_less() -> None:
    def verdict(*sweeps: tuple[float, float, float]) -> str:
        points = [
            [{"alpha": alpha, "ncp": ncp} for alpha, ncp in zip((1, 20, 80), sweep, strict=True)]
            for sweep in sweeps
        ]
        return findings._lower("", "best near 20", [0.02], points, 20, [1, 80]).verdict

    assert verdict((0.03, 0.02, 0.03), (0.031, 0.02, 0.03)) == "agrees"
    assert verdict((0.01, 0.02, 0.03), (0.011, 0.02, 0.03)) == "differs"
    assert verdict((0.0174, 0.0175, 0.018), (0.0176, 0.0175, 0.018)) == "agrees within the spread"


@pytest.mark.parametrize("name", list(STUDIES))
def test_every_studys_table_has_the_kinds_it_declares(shared_data: Path, name: str) -> None:
    study = STUDIES[name]
    people = prepare(study, shared_data, most=1, trees=1).people
    assert [column for column in study.nominal if people.column(column).kind != "nominal"] == []
    assert study.nominal or name in ("Adult", "German", "Hospital")


def test_what_was_measured_once_is_not_measured_again(tmp_path: Path) -> None:
    calls = []
    for _ in range(2):
        kept = cfk_runs.remember(tmp_path / "deep" / "one.json", lambda: calls.append(1) or {"ncp": 0.5})  # type: ignore[func-returns-value]
        assert kept == {"ncp": 0.5}
    assert calls == [1]
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["one.json"]


@pytest.mark.parametrize(
    ("name", "columns"),
    [("Adult", 11), ("CMC", 8), ("German", 19), ("Heart", 12), ("Hospital", 20), ("Informs", 13)],
)
def test_every_data_set_has_the_papers_number_of_predictors(
    shared_data: Path, name: str, columns: int
) -> None:
    rows = load(STUDIES[name], shared_data)
    assert rows.width - 1 == columns
    assert set(STUDIES[name].quasi) <= set(rows.columns)
    assert rows["favourable"].n_unique() == 2


def test_the_full_run_tunes_over_the_papers_whole_grid() -> None:
    assert tuning.TREES == (10, 50, 100, 500, 1_000, 5_000)
    assert tuning.LEAVES == (10, 100, 500, None)
    assert cfk.SPLITS >= 5


def test_tuning_takes_the_setting_that_ranks_people_best(shared_data: Path) -> None:
    from sklearn.model_selection import cross_val_score

    study = STUDIES["Heart"]
    people = prepare(study, shared_data, most=1, trees=1).people.rows
    features = [name for name in people.columns if name != "favourable"]
    area = {}
    for leaves in (2, 10):
        model = forest(people, features, trees=40, leaves=leaves, seed=0)
        folds = cross_val_score(model, people[features], people["favourable"].to_numpy(), scoring="roc_auc")
        area[leaves] = folds.mean()
    found = tuning.tune(study, shared_data, seed=0, trees=(40,), leaves=(2, 10))
    assert (found["trees"], found["leaves"]) == (40, max(area, key=area.__getitem__))
    assert found["auc"] == pytest.approx(max(area.values()))
    grown = tuning.tune(study, shared_data, seed=0, trees=(1, 150), leaves=(10,))
    assert grown["trees"] == 150, "a hundred trees and then fifty more"


def test_a_forest_without_limit_holds_every_forest_with_fewer_leaves() -> None:
    from sklearn.ensemble import RandomForestClassifier

    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 6, (int(rng.integers(30, 400)), 5)).astype(np.float32)
        y = (x[:, 0] + x[:, 1] + rng.normal(0, 2, len(x)) > 5).astype(int)
        new = rng.integers(0, 6, (60, 5)).astype(np.float32)
        grown = tuning.grow(x, y, trees=7, seed=seed)
        read = sum(tuning.share_at(tree, new, (2, 5, 20, None)) for tree in grown) / 7
        for shares, leaves in zip(read[:3], (2, 5, 20), strict=True):
            alone = RandomForestClassifier(7, max_leaf_nodes=leaves, random_state=seed).fit(x, y)
            assert shares == pytest.approx(alone.predict_proba(new)[:, 1])
        whole = sum(tree.value[tree.apply(new), 0, 1] for tree in grown) / 7
        assert read[3] == pytest.approx(whole)


def test_tuning_goes_on_where_it_stopped(shared_data: Path, tmp_path: Path) -> None:
    started: list[str] = []

    def step(name: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        def once() -> dict[str, Any]:
            if len(started) == 2:
                raise KeyboardInterrupt
            started.append(name)
            return compute()

        return cfk_runs.remember(tmp_path / f"{name}.json", once)

    def tune(step: tuning.Step) -> dict[str, Any]:
        return tuning.tune(STUDIES["Heart"], shared_data, seed=0, trees=(2, 5), leaves=(10, None), step=step)

    with pytest.raises(KeyboardInterrupt):
        tune(step)
    first = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert sorted(first) == ["-fold-0.json", "-fold-1.json"]
    again = tune(lambda name, compute: cfk_runs.remember(tmp_path / f"{name}.json", compute))
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in first} == first, "no fold twice"
    assert again == tuning.tune(STUDIES["Heart"], shared_data, seed=0, trees=(2, 5), leaves=(10, None))


def test_heart_is_better_than_printed_and_than_mondrian(shared_data: Path) -> None:
    experiment = prepare(STUDIES["Heart"], shared_data)
    found = cfk_runs.measure(experiment)
    count = found["explained"]
    assert sum(found["ncp"]) / count <= 0.0264
    assert sum(found["confirmed"]) / count == 1.0
    assert sum(found["ncp"]) <= sum(found["mondrian_ncp"])
    assert found["k_min"] >= 10
    assert found["attack"]["attacks"][0]["rate"] == 0
    assert found["attack_raw"]["attacks"][0]["rate"] > 0
    json.dumps(found)


@pytest.mark.parametrize("name", ["Heart", "Hospital"])
def test_the_nearest_way_out_is_never_farther_than_the_record_behind_the_box(
    shared_data: Path, name: str
) -> None:
    experiment = prepare(STUDIES[name], shared_data, most=30, trees=10)
    for k in (1, 10):
        told = cfk_runs.explain(experiment, k=k, effort=0)[1]
        far = [(cfk_runs.way_to(experiment, one), one.distance) for one in told]
        assert all(nearest <= record + 1e-9 for nearest, record in far)
        if k == 1:  # the box is the record
            assert all(nearest == pytest.approx(record) for nearest, record in far)


def test_the_quality_of_explanations_is_told() -> None:
    told = [line.computed for line in figures({"Heart": results(0.02)}) if "ways out" in line.what]
    assert told == ["6 (median); 0.500, 0.750; 40 boxes"]
