"""`la.Anonymizer` in scikit-learn: its own checks, pipelines, grid search, frames, what training rows are promised."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

import lookalike as la

# Every failure that is expected, and why.
EXPECTED = {
    "auto": {
        "check_methods_subset_invariance": "equal rows may be split over several classes: the whole training table is "
        "blurred row by row as it was released, a part of it by the smallest class that covers each row",
        "check_methods_sample_order_invariance": "equal rows that were split over classes cannot be told apart: "
        "in another order they are dealt to the same classes, each to perhaps another one",
    },
    "optimal": {},
}


@parametrize_with_checks(
    [la.Anonymizer(method=method) for method in EXPECTED],
    expected_failed_checks=lambda made: EXPECTED[made.method],
)
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def people(n: int = 300, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "town": rng.choice(["Gent", "Leuven", "Namur"], n),
            "income": np.round(rng.normal(3000, 500, n), 2),
        },
        index=[f"row {i}" for i in range(n)],
    )


def target(frame: pd.DataFrame) -> np.ndarray:
    return np.where(frame["age"] > 45, "old", "young")


QUASI = ["age", "town"]


@pytest.mark.parametrize("method", ["auto", "optimal", "mondrian"])
@pytest.mark.parametrize("k", [3, 10])
def test_every_tuple_of_the_training_rows_is_shared_by_k_or_is_the_top(method: str, k: int) -> None:
    frame = people()
    frame.loc["row 3", "age"] = 250
    blurred = la.Anonymizer(k, quasi=QUASI, method=method, output="labels").fit_transform(frame)
    assert len(blurred) == len(frame)
    sizes = blurred.groupby(QUASI, dropna=False).size()
    assert (sizes.drop(("*", "*"), errors="ignore") >= k).all()


def test_training_rows_are_those_of_the_release() -> None:
    frame = people()
    made = la.anonymize(
        la.table(frame[QUASI].reset_index(drop=True), quasi=QUASI), la.KAnonymity(5), shuffle=False
    )
    blurred = la.Anonymizer(5, quasi=QUASI, output="labels").fit(frame).transform(frame)
    assert pl.DataFrame(blurred[QUASI].to_dict("list")).equals(made.rows)


def test_rows_that_a_release_leaves_out_are_at_the_top() -> None:
    frame = pd.DataFrame({"town": ["Gent"] * 40 + ["Namur"], "sex": ["f", "m"] * 20 + ["m"]})
    blurred = la.Anonymizer(5, method="optimal", output="labels").fit_transform(frame)
    assert blurred.iloc[-1].tolist() == ["*", "*"]
    assert (blurred.iloc[:-1] == frame.iloc[:-1]).all(axis=None)


def test_new_rows_meet_the_labels_of_the_training_rows_or_the_top() -> None:
    fitted = la.Anonymizer(5, quasi=QUASI, output="labels").fit(people())
    known = {*fitted.transform(people())[QUASI].itertuples(index=False, name=None)}
    new = people(100, seed=1)
    new.iloc[0, 0], new.iloc[1, 1] = 999, "Bruxelles"
    blurred = fitted.transform(new)[QUASI]
    tuples = [*blurred.itertuples(index=False, name=None)]
    assert set(tuples) <= known | {("*", "*")}
    assert tuples[0] == tuples[1] == ("*", "*")
    assert {*tuples[2:]} != {("*", "*")}


def test_a_value_that_is_no_number_goes_to_the_top() -> None:
    fitted = la.Anonymizer(2, output="labels").fit(pd.DataFrame({"age": [30, 31] * 10}))
    assert fitted.transform(pd.DataFrame({"age": ["thirty", "30"]}))["age"].tolist() == ["*", "30"]


def test_numbers_are_the_middle_of_what_a_label_covers_and_the_top_the_middle_of_all() -> None:
    frame = pd.DataFrame({"age": [20, 21, 40, 44], "town": ["x"] * 4})
    numbers = la.Anonymizer(2, quasi=["age"]).fit(frame)
    assert numbers.transform(frame)["age"].tolist() == [20.5, 20.5, 42.0, 42.0]
    assert numbers.transform(pd.DataFrame({"age": [90], "town": ["x"]}))["age"].tolist() == [32.0]


def test_missing_values_stay_missing_or_join_a_range() -> None:
    frame = pd.DataFrame({"age": [30.0, 31.0] * 10 + [np.nan] * 5})
    blurred = la.Anonymizer(5, quasi=["age"]).fit_transform(frame)["age"]
    assert blurred.isna().tolist() == [False] * 20 + [True] * 5


def test_columns_that_are_not_quasi_identifiers_pass_as_they_are() -> None:
    frame = people()
    blurred = la.Anonymizer(5, quasi=QUASI).fit_transform(frame)
    assert blurred["income"].equals(frame["income"])
    assert blurred.index.equals(frame.index)


def test_frames_stay_frames_arrays_arrays_and_set_output_is_respected() -> None:
    frame = people()
    blurring = la.Anonymizer(5, quasi=QUASI)
    assert isinstance(blurring.fit_transform(frame), pd.DataFrame)
    assert isinstance(blurring.fit_transform(pl.from_pandas(frame)), pl.DataFrame)
    asked = la.Anonymizer(5, quasi=[0, 1]).set_output(transform="polars")
    out = asked.fit_transform(frame)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == asked.get_feature_names_out().tolist() == ["age", "town", "income"]
    numbers = la.Anonymizer(5).fit(frame[["age"]].to_numpy())
    assert isinstance(numbers.transform(frame[["age"]].to_numpy()), np.ndarray)
    assert numbers.get_feature_names_out().tolist() == ["x0"]


def pipeline(**how: Any) -> Pipeline:
    words = make_column_selector(dtype_exclude="number")
    return make_pipeline(
        la.Anonymizer(quasi=QUASI, **how),
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), words), remainder="passthrough"),
        LogisticRegression(max_iter=2000),
    )


def test_a_classifier_learns_in_a_pipeline_and_grid_search_goes_over_k() -> None:
    frame = people()
    search = GridSearchCV(pipeline(), {"anonymizer__k": [2, 100]}, cv=3, error_score="raise")
    search.fit(frame, target(frame))
    assert search.best_params_ == {"anonymizer__k": 2}
    assert search.best_score_ > 0.85


def test_clones_and_pickles_answer_the_same() -> None:
    frame = people()
    fitted = la.Anonymizer(5, quasi=QUASI, seed=3).fit(frame)
    want = fitted.transform(frame)
    assert clone(fitted).get_params() == fitted.get_params()
    assert clone(fitted).fit(frame).transform(frame).equals(want)
    assert pickle.loads(pickle.dumps(fitted)).transform(frame).equals(want)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"k": 0}, "`k` must be a whole number from 1 on"),
        ({"k": 301}, "n_samples=300"),
        ({"quasi": ["aeg"]}, "Did you mean 'age'"),
        ({"quasi": "age"}, "a list of columns, by name or position"),
        ({"quasi": []}, "nothing to blur"),
        ({"output": "middle"}, "`output` must be one of 'numbers', 'labels'"),
        ({"types": {"aeg": "integer"}}, "types: there is no column 'aeg'"),
    ],
)
def test_a_wrong_request_is_refused_in_words(how: dict[str, Any], message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        la.Anonymizer(**how).fit(people())


def test_without_scikit_learn_the_name_is_there_and_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['sklearn'] = sys.modules['sklearn.base'] = None\n"
        "import lookalike as la\n"
        "made = la.Anonymizer\n"
        "try: made(5)\nexcept la.MissingExtra as problem: print(problem)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("Blurring in a pipeline needs scikit-learn.")
