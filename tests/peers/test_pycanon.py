"""The README's comparison with pycanon: each line is run here, on both sides."""

from __future__ import annotations

import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import lookalike as la
from models import oracles as o

pycanon = pytest.importorskip("pycanon.anonymity")
as_compared = pytest.mark.skipif(
    version("pycanon") != "1.3.5", reason="the README compares with pycanon 1.3.5"
)


def k_and_l(frame: pd.DataFrame) -> tuple[int, int]:
    classes = la.table(frame, quasi=["q"], sensitive=["s"]).cells().classes()
    return int(classes.counts.min()), int(np.bincount(classes.histogram("s").owner).min())


@as_compared
def test_a_missing_value_is_a_value() -> None:
    frame = pd.DataFrame({"q": ["a", "a", "a", None], "s": ["x", "y", "z", "x"]})
    assert k_and_l(frame) == (1, 1)
    assert (pycanon.k_anonymity(frame, ["q"]), pycanon.l_diversity(frame, ["q"], ["s"])) == (3, 3)


@as_compared
def test_row_labels_do_not_matter() -> None:
    frame = pd.DataFrame({"q": list("bbaaaa"), "s": list("xxzyzy")})
    relabelled = frame.set_axis([3, 2, 0, 5, 4, 1], axis=0)
    assert k_and_l(frame) == k_and_l(relabelled) == (2, 1)
    assert pycanon.l_diversity(frame, ["q"], ["s"]) == 1
    assert pycanon.l_diversity(relabelled, ["q"], ["s"]) == 2


@as_compared
def test_a_category_nobody_has_does_not_count() -> None:
    frame = pd.DataFrame({"q": pd.Categorical(["a", "a", "b", "b"], ["a", "b", "c"]), "s": list("xyxy")})
    assert k_and_l(frame) == (2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        assert pycanon.k_anonymity(frame, ["q"]) == 0


@given(o.tables(missing=False))
@settings(max_examples=100, deadline=None)
def test_k_l_t_and_beta_agree_where_pycanon_is_right(people: la.Table) -> None:
    frame, classes = people.rows.to_pandas(), people.cells().classes()
    frame["s"] = frame["s"].astype(object)
    quasi = ["a", "b"]
    assert la.KAnonymity(1).achieved(classes) == pycanon.k_anonymity(frame, quasi)
    assert la.LDiversity("s", 1).achieved(classes) == pycanon.l_diversity(frame, quasi, ["s"])
    if frame["s"].nunique() > 1:
        assert la.TCloseness("s", 0).achieved(classes) == pytest.approx(
            pycanon.t_closeness(frame, quasi, ["s"])
        )
    if frame["v"].nunique() > 1:
        assert la.TCloseness("v", 0).achieved(classes) == pytest.approx(
            pycanon.t_closeness(frame, quasi, ["v"])
        )
    basic = la.BetaLikeness("s", 1, enhanced=False).achieved(classes)
    assert basic == pytest.approx(pycanon.basic_beta_likeness(frame, quasi, ["s"]), abs=1e-9)
