"""Recognition as a step of a scikit-learn pipeline, and scored like a model."""

from __future__ import annotations

import pandas as pd
import pytest

import lookalike as la
from lookalike.base.errors import RequestError

pytest.importorskip("sklearn")
FRAME = la.datasets.population(300, seed=2).select("age", "gender", "area", "income")


def test_the_step_keeps_what_inspect_recognises_or_leaves_it_out() -> None:
    frame = FRAME.to_pandas()
    quasi = la.inspect(la.table(FRAME, others=[])).quasi
    kept = la.QuasiSelector().fit_transform(frame)
    left = la.QuasiSelector(keep=False).fit_transform(frame)
    assert set(kept.columns) == set(quasi)
    assert [*kept.columns, *left.columns] == sorted(FRAME.columns, key=lambda name: name not in quasi)
    assert kept.index.equals(frame.index)


def test_a_search_is_another_way_and_takes_its_options() -> None:
    step = la.QuasiSelector("exhaustive", options={"fitness": lambda one: -len(one.columns) + one.uniqueness})
    found = la.search_quasi(
        la.table(FRAME, others=[]),
        method="exhaustive",
        fitness=lambda one: -len(one.columns) + one.uniqueness,
    )
    assert step.fit(FRAME).quasi_ == list(found.columns)
    assert step.transform(FRAME).columns == list(found.columns)


def test_it_is_cloned_and_searched_over_like_any_estimator() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    step = clone(la.QuasiSelector("greedy", keep=False, seed=3))
    assert step.get_params() == {"method": "greedy", "keep": False, "options": None, "seed": 3}
    truth = ["age", "gender", "area"]
    grid = GridSearchCV(
        la.QuasiSelector(), {"method": ["greedy", "inspect"]}, scoring=la.recognition_scorer(truth), cv=2
    ).fit(FRAME.to_pandas())
    assert grid.best_params_ == {"method": "inspect"}
    assert grid.best_score_ == 1.0


def test_scores_are_those_of_the_recognition() -> None:
    step = la.QuasiSelector().fit(FRAME)
    truth = ["age", "income"]
    expected = la.score_recognition(step.quasi_, truth, FRAME.columns)
    assert step.score(FRAME, truth) == pytest.approx(expected.f1)
    assert la.recognition_scorer(truth, measure="recall")(step, FRAME) == pytest.approx(expected.recall)
    assert step.score(FRAME, ["income"]) == 0.0


def test_what_does_not_belong_is_refused() -> None:
    with pytest.raises(RequestError, match="`method` must be inspect, greedy"):
        la.QuasiSelector("nope").fit(FRAME)
    with pytest.raises(RequestError, match="`X` must be a frame with named columns, found list"):
        la.QuasiSelector().fit([[1, 2], [3, 4]])
    with pytest.raises(RequestError, match="`measure` must be a measure of a recognition"):
        la.recognition_scorer(["age"], measure="tp")


def test_frames_come_back_as_they_were() -> None:
    assert isinstance(la.QuasiSelector().fit_transform(FRAME.to_pandas()), pd.DataFrame)
    assert la.QuasiSelector().fit_transform(FRAME).columns == ["age", "gender", "area"]
