"""`la.evaluate`: labels encoded as they mean, no leaks, baselines and intervals, memory and folder alike."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.measures.utility.classifiers import SCORES, cross_validate, interval
from lookalike.measures.utility.encoding import Published, original_features
from lookalike.measures.utility.regressors import cross_validate_numbers
from lookalike.tables.coded import CodedRows

pytest.importorskip("sklearn")

TOWNS = ["Gent", "Leuven", "Liège", "Namur"]
GROUPS = la.Hierarchy.groups({"Flanders": TOWNS[:2], "Wallonia": TOWNS[2:]})
FAST = ["logistic regression"]


def people(n: int = 240, **options: Any) -> la.Table:
    """Age decides the outcome; town says nothing; age and town may be missing."""
    rng = np.random.default_rng(7)
    age = rng.integers(20, 60, n)
    frame = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": [None if i % 40 == 0 else int(a) for i, a in enumerate(age)],
            "town": [None if i % 50 == 1 else TOWNS[t] for i, t in enumerate(rng.integers(0, 4, n))],
            "outcome": np.where(age + rng.normal(0, 4, n) > 40, "yes", "no"),
            "note": rng.choice(["x", "y"], n),
        }
    )
    roles = {"quasi": ["age", "town"], "targets": ["outcome"], "identifiers": ["name"], "others": ["note"]}
    return la.table(frame, **{**roles, "hierarchies": {"town": GROUPS}, **options})


def published(table: la.Table, column: str, release: la.Release) -> np.ndarray:
    return Published(release.rows, release.recoding, table).features(column, labels=False)


# --- encoding ------------------------------------------------------------------------------------------------------


def test_a_range_becomes_its_middle_and_width() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(10), method="sangreea")
    features = published(table, "age", release)
    for label, (middle, width, missing) in zip(release.rows["age"].to_list(), features.tolist(), strict=True):
        if label is None:
            assert np.isnan(middle)
            assert missing == 1
        elif label.endswith("| ∅"):
            assert missing == 0.5
        elif label.startswith("["):
            lo, hi = (float(end) for end in label.strip("[]").split(","))
            assert (middle, width, missing) == ((lo + hi) / 2, hi - lo, 0)
        else:
            assert (middle, width, missing) == (float(label), 0, 0)


def test_a_node_spreads_evenly_over_its_leaves() -> None:
    table = people()
    release = la.anonymize(
        table, la.KAnonymity(2), method="levels", levels={"age": 0, "town": 1}, suppression=1.0
    )
    features = published(table, "town", release)
    expected = {"Flanders": [0.5, 0.5, 0, 0, 0], "Wallonia": [0, 0, 0.5, 0.5, 0], None: [0, 0, 0, 0, 1]}
    for label, row in zip(release.rows["town"].to_list(), features.tolist(), strict=True):
        assert row == expected[label]


def test_the_root_spreads_over_everything_missing_included() -> None:
    table = people()
    release = la.anonymize(
        table,
        la.KAnonymity(2),
        method="levels",
        levels={"age": table.tree("age").height, "town": 2},
        suppression=0,
    )
    assert published(table, "town", release).tolist() == [[pytest.approx(0.2)] * 5] * 240
    middle, width, missing = published(table, "age", release)[0]
    known = [age for age in table.rows["age"].to_list() if age is not None]
    assert (middle, width) == ((min(known) + max(known)) / 2, max(known) - min(known))
    assert missing == 0.5


def test_sets_of_odd_spellings_are_read_back() -> None:
    frame = pl.DataFrame({"town": ["a, b", "{x}", 'say "hi"', "ü"] * 3, "y": ["0", "1"] * 6})
    table = la.table(frame, quasi=["town"], targets=["y"])
    release = la.anonymize(table, la.KAnonymity(6), method="local")
    features = published(table, "town", release)
    assert features.sum(axis=1) == pytest.approx(np.ones(12))
    assert set((features > 0).sum(axis=1).tolist()) <= {2, 3, 4}


@pytest.mark.parametrize("method", ["sangreea", "local", "mondrian", "optimal"])
def test_what_was_not_generalised_is_encoded_as_in_the_original(method: str) -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(1), method=method, shuffle=False)
    for name in ("age", "town", "note"):
        ours, theirs = original_features(table, name), published(table, name, release)
        np.testing.assert_allclose(ours, theirs)


def test_labels_get_a_feature_each_when_asked_for() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(10), method="sangreea")
    features = Published(release.rows, release.recoding, table).features("town", labels=True)
    assert (features.sum(axis=1) == 1).all()
    assert len(np.unique(features, axis=0)) == release.rows["town"].n_unique()


# --- evaluation ----------------------------------------------------------------------------------------------------


def test_everything_asked_for_is_reported_with_baseline_and_intervals() -> None:
    table = people()
    found = la.evaluate(table, la.anonymize(table, la.KAnonymity(5), method="sangreea"))
    (target,) = found.targets
    assert target.target == "outcome"
    assert [one.classifier for one in target.classifiers] == [
        "linear SVC",
        "logistic regression",
        "gradient boosting",
        "random forest",
    ]
    for one in (*target.classifiers, target.baseline):
        for side in (one.original, one.release):
            assert set(side) == set(SCORES)
            for estimate in side.values():
                assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1
                assert len(estimate.folds) == 5
    assert target.baseline.original["auc"].mean == 0.5
    assert all(one.original["auc"].mean > 0.85 for one in target.classifiers)
    assert "held" in found.test_fold or "tested on" in found.test_fold
    json.dumps(found.to_dict())


def test_a_release_without_detail_teaches_no_more_than_a_guess() -> None:
    table = people().with_roles(note="identifier")
    release = la.anonymize(table, la.KAnonymity(200), method="sangreea", drop=["note"])
    (target,) = la.evaluate(table, release, classifiers=FAST).targets
    guess = target.baseline.release["f1_weighted"].mean
    assert target.classifiers[0].release["auc"].mean == pytest.approx(0.5)
    assert target.classifiers[0].release["f1_weighted"].mean == pytest.approx(guess)


def test_noise_cannot_be_learnt_so_nothing_leaks() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.integers(0, 300, 600), "y": rng.choice(["0", "1"], 600)})
    table = la.table(frame, quasi=["a"], targets=["y"])
    release = la.anonymize(table, la.KAnonymity(3), method="sangreea")
    for one in la.evaluate(table, release).targets[0].classifiers:
        assert one.original["auc"].mean == pytest.approx(0.5, abs=0.08)
        assert one.release["auc"].mean == pytest.approx(0.5, abs=0.08)


def visits(unit: str | None) -> la.Table:
    """Persons have five rows with the same random outcome and a tell-tale number."""
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(60), 5)
    frame = pl.DataFrame(
        {"person": person, "mark": rng.permutation(60)[person] * 7, "y": rng.choice(["0", "1"], 60)[person]}
    )
    return la.table(frame, quasi=["mark"], targets=["y"], others=[], unit=unit)


@pytest.mark.parametrize("saved", [False, True])
def test_nobody_is_in_training_and_test_at_once(saved: bool, tmp_path: Path) -> None:
    aucs = {}
    for unit in ("person", None):
        table = visits(unit)
        release: Any = la.anonymize(
            table, la.KAnonymity(1), method="levels", levels={"mark": 0}, drop=["person"]
        )
        if saved:
            release = release.save(tmp_path / str(unit))
        (target,) = la.evaluate(table, release, classifiers=["random forest"]).targets
        scores = target.classifiers[0]
        aucs[unit] = [scores.original["auc"].mean, scores.release["auc"].mean]
    assert max(aucs["person"]) < 0.7
    assert min(aucs[None]) > 0.9


def test_persons_who_cannot_be_told_in_a_release_are_warned_about(tmp_path: Path) -> None:
    table = visits("person")
    release = la.anonymize(table, la.KAnonymity(7), method="sangreea", drop=["person"])  # boxes that overlap
    la.evaluate(table, release, classifiers=FAST)
    folder = release.save(tmp_path / "out")
    la.evaluate(table, folder, classifiers=FAST)
    (folder / "private" / "assignment.json").unlink()
    with pytest.warns(la.LookalikeWarning, match="one person"):
        found = la.evaluate(table, folder, classifiers=FAST)
    assert "in memory" in found.targets[0].warnings[0]


def test_a_pseudonym_does_not_keep_a_release_from_being_tied_to_its_persons() -> None:
    table = visits("person")
    made = la.pseudonymise(table, ["person"])
    with pytest.warns(la.LookalikeWarning, match="pseudonym"):
        release = la.anonymize(
            table,
            la.KAnonymity(1),
            method="levels",
            levels={"mark": 0},
            pseudonyms={"person": made},
        )
    (target,) = la.evaluate(table, release, classifiers=["random forest"]).targets
    assert target.classifiers[0].release["auc"].mean < 0.7


def test_the_same_seed_gives_the_same_numbers() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(5), method="sangreea")
    first, second = (la.evaluate(table, release, seed=3).to_dict() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("sample", [None, 100])
@pytest.mark.parametrize("unit", [None, "who"])
def test_the_order_of_rows_changes_no_number(sample: int | None, unit: str | None) -> None:
    rng = np.random.default_rng(6)
    rows = pl.DataFrame(
        {"who": np.arange(300) // 2, "age": rng.integers(20, 70, 300), "ill": rng.choice(["yes", "no"], 300)}
    )
    found = []
    for frame in (rows, rows.sample(fraction=1, shuffle=True, seed=1)):
        table = la.table(frame, quasi=["age"], targets=["ill"], identifiers=["who"], unit=unit)
        release = la.anonymize(table, la.KAnonymity(5), method="mondrian")
        found.append(la.evaluate(table, release, classifiers=FAST, folds=2, sample=sample).to_dict())
    assert found[0] == found[1]


def test_memory_and_folder_give_the_same_numbers(tmp_path: Path) -> None:
    table = people()
    for format in ("csv", "parquet"):
        release = la.anonymize(table, la.KAnonymity(5), method="sangreea")
        folder = release.save(tmp_path / f"[{format}]", format=format)
        ours = la.evaluate(table, release, classifiers=FAST).to_dict()
        assert la.evaluate(table, folder, classifiers=FAST).to_dict() == ours


@pytest.mark.filterwarnings("ignore::lookalike.base.errors.LookalikeWarning")
@pytest.mark.parametrize("method", ["local", "mondrian", "sangreea"])
def test_a_folder_tells_whose_each_row_is_whatever_the_order_of_the_columns(
    tmp_path: Path, method: str
) -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "zone": rng.choice(["n", "s"], 300),
            "height": rng.integers(150, 200, 300),
            "area": rng.choice(list("abcdef"), 300),
        }
    )
    table = la.table(frame, quasi=["zone", "height", "area"])
    release = la.anonymize(table, la.KAnonymity(5), method=method)
    folder = release.save(tmp_path / "out")
    assert la.loss(table, folder, by="area").to_dict() == la.loss(table, release, by="area").to_dict()
    found = (
        la.evaluate(table, one, targets=["area"], classifiers=FAST).to_dict() for one in (release, folder)
    )
    assert next(found) == next(found)


def test_a_target_among_the_quasi_identifiers_is_warned_about_and_never_generalised() -> None:
    table = people(quasi=["age", "town", "outcome"], targets=[])
    release = la.anonymize(table, la.KAnonymity(10), method="sangreea")
    with pytest.warns(la.LookalikeWarning, match="quasi-identifier"):
        found = la.evaluate(table, release, targets=["outcome"], classifiers=FAST)
    (target,) = found.targets
    assert target.classes == 2
    assert target.warnings
    assert target.records == {"original": 240, "release": 240}


@pytest.mark.filterwarnings("ignore:target 'outcome' is a quasi-identifier")
def test_a_saved_release_answers_for_a_blurred_target_while_it_knows_whose_row_is_whose(
    tmp_path: Path,
) -> None:
    table = people(quasi=["age", "town", "outcome"], targets=[])  # a file has them in another order
    release = la.anonymize(table, la.KAnonymity(10), method="sangreea")
    folder = release.save(tmp_path / "out")
    ours = la.evaluate(table, release, targets=["outcome"], classifiers=FAST).to_dict()
    assert la.evaluate(table, folder, targets=["outcome"], classifiers=FAST).to_dict() == ours
    (folder / "private" / "assignment.json").unlink()
    with pytest.raises(la.RequestError, match=r"assignment\.json"):
        la.evaluate(table, folder, targets=["outcome"], classifiers=FAST)


def test_suppressed_records_and_stars_are_left_out_and_counted() -> None:
    table = people(sensitive=["outcome"], targets=[])
    for suppressed in ("drop", "star"):
        release = la.anonymize(
            table,
            la.KAnonymity(4),
            method="levels",
            levels={"age": 1, "town": 1},
            suppression=1.0,
            suppressed=suppressed,
        )
        assert release.suppressed > 0
        (target,) = la.evaluate(table, release, targets=["outcome"], classifiers=FAST).targets
        assert target.records["release"] == 240 - release.suppressed
        assert target.left_out["release"] == (release.suppressed if suppressed == "star" else 0)


def test_classes_too_rare_to_test_are_left_out_and_counted() -> None:
    rows = people().rows.with_columns(
        pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("perhaps")).otherwise("outcome").alias("outcome")
    )
    table = la.table(rows, quasi=["age", "town"], targets=["outcome"], identifiers=["name"], others=["note"])
    (target,) = la.evaluate(
        table, la.anonymize(table, la.KAnonymity(5), method="sangreea"), classifiers=FAST
    ).targets
    assert target.classes == 2
    assert target.left_out == {"original": 3, "release": 3}


def test_intervals_are_those_of_nadeau_and_bengio() -> None:
    estimate = interval([0.8, 0.82, 0.78, 0.81, 0.79], 0.25)
    half = 2.7764451 * np.sqrt((1 / 5 + 0.25) * np.var([0.8, 0.82, 0.78, 0.81, 0.79], ddof=1))
    assert (estimate.mean, estimate.low, estimate.high) == pytest.approx((0.8, 0.8 - half, 0.8 + half))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targets": []}, "no target"),
        ({"targets": ["outcom"]}, "Did you mean 'outcome'"),
        ({"targets": ["name"]}, "different values"),
        ({"classifiers": ["oracle"]}, "linear SVC"),
        ({"targets": "outcome"}, r"\['outcome'\]"),
        ({"classifiers": "random forest"}, r"\['random forest'\]"),
        ({"classifiers": []}, "no classifier"),
        ({"folds": 1}, "from 2 on, found 1"),
        ({"folds": 2.5}, "whole number from 2 on"),
        ({"folds": 10**6}, "fewer than two classes have 1000000 records"),
        ({"seed": -1}, "from 0 to 4,294,967,295"),
        ({"seed": 99999999999}, "from 0 to 4,294,967,295"),
        ({"seed": 0.5}, "whole number"),
        ({"encoding": "x"}, "leaves"),
    ],
)
def test_wrong_requests_say_what_is_allowed(options: dict[str, Any], message: str) -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(5), method="sangreea")
    with pytest.raises(la.RequestError, match=message):
        la.evaluate(table, release, **options)


@pytest.mark.parametrize("release", [None, 5, people().rows])
def test_what_is_no_release_is_refused(release: Any) -> None:
    with pytest.raises(la.RequestError, match=f"found {type(release).__name__}"):
        la.evaluate(people(), release)


@pytest.mark.parametrize(
    "written", ["{", "[]", "null", "5", '{"format": 1}', '{"format": 1, "columns": []}', "[" * 10**5]
)
def test_what_is_no_recoding_is_refused(written: str, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "recoding.json").write_text(written)
    with pytest.raises(la.FileError, match="is not a recoding"):
        la.evaluate(people(), tmp_path)


def test_a_recoding_of_another_version_says_so(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "recoding.json").write_text('{"format": 9}')
    with pytest.raises(la.FileError, match="format 9"):
        la.evaluate(people(), tmp_path)


@pytest.mark.parametrize(
    "written",
    [b"", b"age,town,outcome\n\xff\xfe,Gent,yes\n", b"age,town,outcome\n30,Gent,yes\n31,Gent,no,extra\n"],
)
def test_a_damaged_file_is_no_release(written: bytes, tmp_path: Path) -> None:
    table = people()
    folder = la.anonymize(table, la.KAnonymity(5), method="local").save(tmp_path / "out")
    (folder / "release.csv").write_bytes(written)
    with pytest.raises(la.FileError, match=r"release\.csv: cannot be read"):
        la.evaluate(table, folder, classifiers=FAST)


@pytest.mark.parametrize(
    ("column", "label"),
    [
        ("age", "[30, 31"),
        ("age", "[30, 31}"),
        ("age", "30, 31"),
        ("age", "[30]"),
        ("age", "[a, b]"),
        ("age", "[31, 30]"),
        ("age", "[30, 31, 32]"),
        ("age", ""),
        ("age", '"30'),
        ("town", "{Gent, Leuven"),
        ("town", "{Gent, Atlantis}"),
        ("town", "[Gent, Leuven]"),
    ],
)
def test_a_label_that_no_release_has_is_refused(column: str, label: str) -> None:
    table = people(hierarchies={})
    release = la.anonymize(table, la.KAnonymity(5), method="local")
    first = pl.int_range(pl.len()) == 0
    broken = release.rows.with_columns(pl.when(first).then(pl.lit(label)).otherwise(column).alias(column))
    with pytest.raises(la.RequestError, match=f"'{column}': 1 published label without a meaning"):
        la.evaluate(table, replace(release, coded=CodedRows.of(broken)), classifiers=FAST)


def test_what_is_no_number_is_refused_where_numbers_are_published() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(5), method="local", numbers={"age": "mean"})
    broken = release.rows.with_columns(age=pl.lit("old"))
    with pytest.raises(la.RequestError, match="without a meaning"):
        la.evaluate(table, replace(release, coded=CodedRows.of(broken)), classifiers=FAST)


def test_a_name_given_twice_counts_once() -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(5), method="local")
    twice = la.evaluate(table, release, targets=["outcome"] * 2, classifiers=FAST * 2)
    assert twice == la.evaluate(table, release, targets=["outcome"], classifiers=FAST)


def test_fewer_people_than_folds_are_refused() -> None:
    rows = visits(None).rows.with_columns(person=pl.col("person") % 3)
    table = la.table(rows, quasi=["mark"], targets=["y"], others=[], unit="person")
    release = la.anonymize(table, la.KAnonymity(1), method="levels", levels={"mark": 0}, drop=["person"])
    with pytest.raises(la.RequestError, match="3 people in `unit`, too few for 5 folds"):
        la.evaluate(table, release, classifiers=FAST)
    la.evaluate(table, release, classifiers=FAST, folds=2)


def test_a_class_of_fewer_people_than_folds_is_too_rare_however_many_records_they_have() -> None:
    rare = pl.when(pl.col("person") < 4).then(pl.lit("rare")).otherwise("y")
    rows = visits(None).rows.with_columns(y=rare)
    for unit, classes, left_out in (("person", 2, 20), (None, 3, 0)):
        table = la.table(rows, quasi=["mark"], targets=["y"], others=[], unit=unit)
        release = la.anonymize(table, la.KAnonymity(1), method="levels", levels={"mark": 0}, drop=["person"])
        (target,) = la.evaluate(table, release, classifiers=FAST).targets
        assert target.classes == classes
        assert target.left_out == {"original": left_out, "release": left_out}


def test_no_fold_is_tested_on_a_class_that_nobody_in_training_has() -> None:
    y, person = np.array([0, 1, 1, 0], np.int32), np.array([0, 1, 2, 2], np.int32)
    with pytest.raises(la.RequestError, match="nobody in training"):
        cross_validate(np.zeros((len(y), 1), np.float32), y, person, FAST, 2, 0, lambda share: None)


def test_a_folder_without_a_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(la.FileError, match=r"recoding\.json"):
        la.evaluate(people(), tmp_path)


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    table = people()
    release = la.anonymize(table, la.KAnonymity(5), method="sangreea")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(la.MissingExtra, match=r"scikit-learn\. Install it with: "):
        la.evaluate(table, release)


def test_the_command_prints_targets_as_json(tmp_path: Path) -> None:
    table = people()
    table.rows.write_csv(tmp_path / "people.csv")
    la.anonymize(table, la.KAnonymity(5), method="sangreea").save(tmp_path / "out")
    call = ["evaluate", str(tmp_path / "people.csv"), str(tmp_path / "out"), "--target", "outcome"]
    result = CliRunner().invoke(app, [*call, "--classifiers", "logistic regression", "--json"])
    assert result.exit_code == 0, result.stderr
    (target,) = json.loads(result.stdout)["targets"]
    assert target["target"] == "outcome"
    assert target["classifiers"][0]["name"] == "logistic regression"
    for wrong in (
        [*call[:2], str(tmp_path), *call[3:]],
        [*call, "--seed", "99999999999"],
        [*call, "--unit", "note"],
    ):
        refused = CliRunner().invoke(app, wrong)
        assert refused.exit_code == 2
        assert refused.stderr.startswith("error: ")


# --- numbers, unchanged targets, samples ---------------------------------------------------------------------------


def test_a_target_with_many_numbers_is_learnt_as_a_number() -> None:
    table = people().with_roles(outcome="other")
    rows = table.rows.with_columns(
        income=pl.col("age").fill_null(40) * 10.0 + pl.Series(np.random.default_rng(0).normal(0, 60, 240))
    )
    table = la.table(rows, quasi=["age", "town"], targets=["income"], identifiers=["name"], others=[])
    (target,) = la.evaluate(table, la.anonymize(table, la.KAnonymity(5), method="local")).targets
    assert target.classes == 0
    assert [one.classifier for one in target.classifiers] == [
        "ridge regression",
        "gradient boosting",
        "random forest",
    ]
    for one in target.classifiers:
        assert one.original["r2"].mean > 0.6
        assert one.release["r2"].mean > 0.4
        assert one.original["rmse"].mean < target.baseline.original["rmse"].mean
    assert target.baseline.original["r2"].mean == pytest.approx(0, abs=0.1)
    shown = str(la.evaluate(table, la.anonymize(table, la.KAnonymity(5)), classifiers=FAST))
    assert "income: R2 on numbers" in shown


def test_r2_and_rmse_are_those_of_scikit_learn() -> None:
    from sklearn.linear_model import LinearRegression
    from sklearn.metrics import r2_score, root_mean_squared_error
    from sklearn.model_selection import KFold

    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 2)).astype(np.float32)
    y = x @ [1.0, 2.0] + rng.normal(size=60)
    found = cross_validate_numbers(x, y, None, ["logistic regression"], 3, 5, lambda share: None)
    expected = []
    for train, test in KFold(3, shuffle=True, random_state=5).split(x):
        guessed = LinearRegression().fit(x[train], y[train]).predict(x[test])
        expected.append((r2_score(y[test], guessed), root_mean_squared_error(y[test], guessed)))
    for i, score in enumerate(("r2", "rmse")):
        ours = found["ridge regression"][score].folds
        assert ours == pytest.approx([one[i] for one in expected], abs=0.05)


def test_numbers_of_a_person_stay_in_one_fold() -> None:
    rows = visits(None).rows.with_columns(
        y=pl.Series(np.random.default_rng(3).normal(size=60)[np.repeat(np.arange(60), 5)])
    )
    found = {}
    for unit in ("person", None):
        table = la.table(rows, quasi=["mark"], targets=["y"], others=[], unit=unit)
        release = la.anonymize(table, la.KAnonymity(1), method="levels", levels={"mark": 0}, drop=["person"])
        (target,) = la.evaluate(table, release, classifiers=["random forest"]).targets
        found[unit] = target.classifiers[0].release["r2"].mean
    assert found["person"] < 0.2
    assert found[None] > 0.4


@pytest.mark.parametrize("method", ["levels", "local"])
def test_a_quasi_identifier_published_unchanged_is_a_target_like_any_other(
    method: str, tmp_path: Path
) -> None:
    table = people(quasi=["town", "outcome"], targets=[], others=["note", "age"], hierarchies={})
    how: dict[str, Any] = {"levels": {"town": 1, "outcome": 0}} if method == "levels" else {}
    release = la.anonymize(table, la.KAnonymity(2), method=method, **how)
    assert set(release.rows["outcome"]) == {"yes", "no"}
    folder = release.save(tmp_path / "out")
    for one in (release, folder):
        (target,) = la.evaluate(table, one, targets=["outcome"], classifiers=FAST).targets
        assert target.warnings == ()
        assert target.classifiers[0].release["auc"].mean > 0.8


def test_a_sample_is_said_aloud_and_keeps_people_together() -> None:
    table = visits("person")
    release = la.anonymize(table, la.KAnonymity(1), method="levels", levels={"mark": 0}, drop=["person"])
    (target,) = la.evaluate(table, release, classifiers=FAST, sample=100).targets
    assert target.records == {"original": 300, "release": 300}
    assert "original: trained and tested on 100 of 300 records" in target.warnings[0]
    assert not la.evaluate(table, release, classifiers=FAST, sample=None).targets[0].warnings
    with pytest.raises(la.RequestError, match="sample"):
        la.evaluate(table, release, sample=0)


def test_many_values_share_features_and_that_is_said() -> None:
    rng = np.random.default_rng(0)
    codes = {f"c{i}": [f"v{v}" for v in rng.integers(0, 100, 300)] for i in range(5)}
    rows = pl.DataFrame({**codes, "q": ["a", "b"] * 150, "y": rng.choice(["0", "1"], 300)})
    table = la.table(rows, quasi=["q"], targets=["y"], others=list(codes))
    release = la.anonymize(table, la.KAnonymity(2))
    (target,) = la.evaluate(table, release, classifiers=FAST).targets
    assert "only the 79 most frequent values" in target.warnings[0]


def test_numbers_too_large_to_be_learnt_are_refused() -> None:
    rows = pl.DataFrame({"q": [1, 2] * 30, "x": [1e200 * n for n in range(60)]})
    table = la.table(rows, quasi=["q"], sensitive=["x"])
    with pytest.raises(la.RequestError, match=r"target 'x': numbers beyond 1e\+100"):
        la.evaluate(table, la.anonymize(table, la.KAnonymity(2)), targets=["x"])


def test_the_auc_of_several_classes_is_that_of_probabilities() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=600)
    kind = np.digitize(x + rng.normal(scale=0.2, size=600), [-0.5, 0.5])
    frame = pl.DataFrame({"x": x, "kind": np.array(["low", "mid", "high"])[kind]})
    table = la.table(frame, quasi=["x"], targets=["kind"])
    release = la.anonymize(table, la.KAnonymity(2), method="mondrian")
    (target,) = la.evaluate(table, release, classifiers=["logistic regression"]).targets
    assert (
        target.classifiers[0].original["auc"].mean > 0.95
    )  # the middle class is in the middle of the raw scores
