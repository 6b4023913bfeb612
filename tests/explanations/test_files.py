"""Models from skops files: ordinary pipelines are read, what could run something is refused with a way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, StandardScaler
from skops import io

import lookalike as la
from lookalike.explanations.files import read_model

X = np.random.default_rng(0).random((60, 2))
Y = (X[:, 0] > 0.5).astype(int)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
        make_pipeline(KBinsDiscretizer(quantile_method="averaged_inverted_cdf"), LogisticRegression()),
        VotingClassifier([("a", LogisticRegression()), ("b", RandomForestClassifier(3))]),
        CalibratedClassifierCV(RandomForestClassifier(3)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_ordinary_models_are_read_and_decide_the_same(model: Any, tmp_path: Path) -> None:
    io.dump(model.fit(X, Y), tmp_path / "model.skops")
    assert (read_model(tmp_path / "model.skops").predict(X) == model.predict(X)).all()


def test_a_function_inside_is_refused(tmp_path: Path) -> None:
    model = make_pipeline(FunctionTransformer(np.save), LogisticRegression())
    io.dump(model, tmp_path / "model.skops")
    with pytest.raises(la.FileError, match=r"not known to be safe.*\.onnx"):
        read_model(tmp_path / "model.skops")
