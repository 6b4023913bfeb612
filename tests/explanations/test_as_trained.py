"""Models see values as they were trained on them: of frames, and of text files that were read before training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import polars as pl
import pytest

import lookalike as la
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.trained import train_model

RNG = np.random.default_rng(3)
N = 200
LOANS = pandas.DataFrame(
    {
        "age": RNG.integers(20, 70, N),
        "term": RNG.choice([12, 24, 36], N),
        "income": np.where(RNG.random(N) < 0.2, np.nan, RNG.integers(10, 60, N) * 100.5),
        "own": RNG.choice([True, False], N),
        "job": RNG.choice(["clerk", "NA", "nurse", None], N),
        "code": [f"{i % 7:03d}" for i in range(N)],
    }
)
FEATURES = ["term", "income", "own", "job", "code"]


class Remembers:
    """Says yes to long terms, and keeps what it was asked about."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def predict(self, frame: pandas.DataFrame) -> np.ndarray:
        self.asked.append(frame)
        return (np.asarray(frame["term"]) == 36).astype(int)


def test_a_text_file_is_seen_as_pandas_reads_it(tmp_path: Path) -> None:
    LOANS.to_csv(tmp_path / "loans.csv", index=False)
    read = pandas.read_csv(tmp_path / "loans.csv")
    people = la.read(tmp_path / "loans.csv", quasi=["age"], others=FEATURES)
    model = Remembers()
    asked = Outcomes(model, people, desired=1, features=FEATURES)
    assert asked.predict(people.rows).tolist() == (read["term"] == 36).astype(int).tolist()
    asked.desired_at({name: np.arange(N) for name in FEATURES})
    for frame in model.asked:
        pandas.testing.assert_frame_equal(frame, read[FEATURES])


def test_values_of_new_rows_are_of_the_types_of_the_file(tmp_path: Path) -> None:
    LOANS.to_csv(tmp_path / "loans.csv", index=False)
    people = la.read(tmp_path / "loans.csv", quasi=["age"], others=FEATURES)
    model = Remembers()
    new = pl.DataFrame({"term": "12", "income": "17.25", "own": "True", "job": "NA", "code": "009"})
    Outcomes(model, people, desired=1, features=FEATURES).predict(new)
    (frame,) = model.asked
    assert frame.dtypes.to_dict() == pandas.read_csv(tmp_path / "loans.csv")[FEATURES].dtypes.to_dict()
    assert frame.iloc[0, [0, 1, 2, 4]].tolist() == [12, 17.25, True, 9]
    assert frame["job"].isna().all()


def test_a_model_trained_here_is_asked_in_texts(tmp_path: Path) -> None:
    LOANS.assign(ok=LOANS["term"] > 12).to_csv(tmp_path / "loans.csv", index=False)
    people = la.read(tmp_path / "loans.csv", quasi=["age"], others=[*FEATURES, "ok"])
    model = train_model(people, "ok")
    right = (
        Outcomes(model, people, desired="True", features=None).predict(people.rows)
        == people.rows["ok"].to_numpy()
    )
    assert right.mean() > 0.99


@pytest.mark.parametrize("nothing", [None, np.nan])
def test_missing_among_objects_comes_back_as_it_was_written(nothing: object) -> None:
    jobs = pandas.Series(["clerk", nothing, "nurse"] * 20, dtype=object)
    people = la.table(pandas.DataFrame({"age": range(60), "job": jobs}), quasi=["age"], others=["job"])
    back = people.give_back(people.rows)["job"]
    assert back.dtype == object
    assert all(one is None if nothing is None else one != one for one in back[1::3])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_row_of_the_training_frame_is_explained_whatever_its_dates_count_in(unit: str) -> None:
    days = pandas.Series(np.array(["2020-01-01"], "datetime64[D]") + RNG.integers(0, 900, N)).astype(
        f"datetime64[{unit}]"
    )
    frame = pandas.DataFrame({"age": LOANS["age"], "applied": days, "term": LOANS["term"]})
    explainer = la.KAnonymousExplainer(
        Remembers(), frame, quasi=["age"], others=["applied", "term"], k=5, values="exact"
    )
    refused = frame[frame["term"] != 36].iloc[0]
    assert explainer.explain(refused).k >= 5
    assert explainer.explain(refused.to_dict()).k >= 5


def test_a_fraction_is_explained_where_training_values_happen_to_be_whole() -> None:
    frame = pandas.DataFrame({"age": LOANS["age"], "term": LOANS["term"].astype(float)})
    explainer = la.KAnonymousExplainer(
        Remembers(), frame, quasi=["age"], others=["term"], k=5, values="exact"
    )
    assert explainer.explain({"age": 30.5, "term": 12.5}).k >= 5


def test_errors_call_rows_by_the_numbers_that_they_are_given() -> None:
    frame = pandas.DataFrame({"age": LOANS["age"], "term": LOANS["term"]})
    explainer = la.KAnonymousExplainer(
        Remembers(), frame, quasi=["age"], others=["term"], k=5, values="exact"
    )
    granted = frame[frame["term"] == 36].head(1)
    with pytest.raises(la.RequestError, match="row 17: it already has"):
        explainer.explain_many(granted, called=[17])
    with pytest.raises(la.RequestError, match="called has 2 numbers for 1 rows"):
        explainer.explain_many(granted, called=[17, 18])
