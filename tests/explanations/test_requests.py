"""Wrong requests are refused with a reason, and no message, text or JSON gives a training person away."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la
from explanations import toy
from lookalike.explanations.files import read_model
from lookalike.explanations.wording import DUTCH


def test_a_model_that_predicts_one_class_is_refused() -> None:
    with pytest.raises(la.RequestError, match="every training row"):
        la.KAnonymousExplainer(
            lambda f: ["Accept"] * len(f), toy.people(), desired="Accept", k=2, values="exact"
        )
    with pytest.raises(
        la.RequestError, match=r"never gives the desired outcome 1 .* it gives: Accept, Reject"
    ):
        la.KAnonymousExplainer(toy.decide, toy.people(), k=2, values="exact")


def test_a_row_that_already_has_the_outcome_is_refused() -> None:
    with pytest.raises(la.RequestError, match="row 1: it already has the desired outcome"):
        toy.explainer(k=2).explain({**toy.LISA, "salary_k": 100})
    rows = toy.TRAIN.select(toy.FEATURES)
    with pytest.raises(la.RequestError, match=r"row 4: it already has .* for 5 of 10 rows"):
        toy.explainer(k=2).explain_many(rows)


def test_fewer_than_k_training_records_are_refused() -> None:
    with pytest.raises(
        la.GuaranteeError, match=r"the training table has 10 people. The largest reachable k is 10"
    ):
        toy.explainer(k=11)
    with pytest.raises(la.GuaranteeError, match="5 people with the desired outcome"):
        toy.explainer(k=6, count="desired")
    with pytest.raises(la.GuaranteeError, match="l=50 cannot be met"):
        toy.explainer(k=2, l=50)
    assert toy.explainer(k=10).explain(toy.LISA).k == 10


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {**toy.LISA, "city": "Ghent"},
            "row 1: column 'city' holds a value that the training table does not have",
        ),
        ({k: v for k, v in toy.LISA.items() if k != "age"}, "lacks 1 of the model's columns: age"),
        ({**toy.LISA, "age": "twenty-one"}, "column 'age' is String here and Int64 in the training table"),
        ({**toy.LISA, "city": 3}, "column 'city' is Int64 here"),
    ],
)
def test_rows_that_do_not_fit_the_training_table_are_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        toy.explainer(k=2).explain(row)


def test_an_unknown_name_may_count_as_different_from_all() -> None:
    told = toy.explainer(k=3, unknown="differs").explain({**toy.LISA, "city": "Ghent"})
    assert toy.box(told) == ("[24, 27]", "F", "Antwerp")


def test_explain_takes_one_row_and_explain_many_at_least_one() -> None:
    explainer = toy.explainer(k=2)
    with pytest.raises(la.RequestError, match="explain takes one row and got 2"):
        explainer.explain(pl.DataFrame([toy.LISA, toy.LISA]))
    with pytest.raises(la.RequestError, match="no rows to explain"):
        explainer.explain_many(pl.DataFrame([toy.LISA])[:0])
    assert len(explainer.explain_many(pl.DataFrame([toy.LISA, toy.LISA]))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "`k` must be a whole number from 1 on, found 0"),
        ({"alpha": 1.5}, "`alpha` must be a whole number"),
        ({"iterations": True}, "`iterations` must be .* found True"),
        ({"objective": "best"}, "`objective` must be one of 'weighted', .* found 'best'"),
        ({"count": "some"}, "`count` must be one of"),
        ({"floor": 2}, "`floor` must be a number from 0 to 1"),
        ({"k": "ten"}, "`k` must be a whole number from 1 on, found 'ten'"),
        ({"mu": "a"}, "`mu` must be a number from 0 on, found 'a'"),
        ({"weights": {"agee": 1}}, "Did you mean 'age'"),
        ({"weights": {"age": -1}}, "weights"),
        ({"immutable": ["cities"]}, "immutable: there is no column 'cities'"),
        ({"features": ["age", "height"]}, "does not have: height"),
        ({"features": ["salary_k"]}, "none of the columns the model looks at is a quasi-identifier"),
        ({"justified": True}, "justified=True needs the label"),
        ({"iteration": 3}, "no option `iteration`. Did you mean `iterations`"),
        ({"quasi": ["age"]}, "`quasi` is said when a table is made, and this one is made already"),
    ],
)
def test_wrong_options_say_what_is_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        toy.explainer(**options)


@pytest.mark.parametrize("kind", ["polars", "pandas"])
def test_a_frame_will_do_in_the_place_of_the_table(kind: str) -> None:
    frame = toy.TRAIN if kind == "polars" else toy.TRAIN.to_pandas()
    options = {"desired": "Accept", "features": toy.FEATURES, "k": 3}
    said = {"identifiers": ["name"], "quasi": ["age", "gender", "city"], "sensitive": ["salary_k"]}
    told = la.KAnonymousExplainer(toy.decide, frame, **said, **options, values="exact").explain(toy.LISA)
    same = la.KAnonymousExplainer(
        toy.decide, la.table(frame, **said, others=[]), **options, values="exact"
    ).explain(toy.LISA)
    assert told.to_dict() | {"seconds": 0} == same.to_dict() | {"seconds": 0}


def test_a_frame_without_roles_is_read_as_inspect_proposes() -> None:
    with pytest.warns(la.LookalikeWarning, match="`inspect` proposed"):
        explainer = la.KAnonymousExplainer(
            toy.decide, toy.TRAIN, desired="Accept", features=toy.FEATURES, k=3, values="exact"
        )
    assert "age" in explainer.people.quasi


def test_a_model_is_never_unpickled_unasked(tmp_path: Path) -> None:
    file = tmp_path / "model.pkl"
    file.write_bytes(pickle.dumps({"weights": [1, 2]}))
    with pytest.raises(la.RequestError, match="the model is a path"):
        la.KAnonymousExplainer(str(file), toy.people(), values="exact")
    with pytest.raises(la.RequestError, match="runs whatever its author put inside"):
        read_model(file)
    assert read_model(file, trusted=True) == {"weights": [1, 2]}
    with pytest.raises(la.FileError, match="no such file"):
        read_model(tmp_path / "absent.pkl", trusted=True)


@pytest.mark.parametrize("model", [3, dict, lambda frame: [1], lambda frame: [[1, 0]] * 10])
def test_what_is_no_model_is_refused(model: Any) -> None:
    with pytest.raises(la.RequestError):
        la.KAnonymousExplainer(model, toy.people(), k=2, values="exact")


def test_nothing_handed_out_names_the_record_or_its_own_quasi_identifiers() -> None:
    told = toy.explainer(k=4).explain(toy.LISA)
    handed_out = json.dumps(told.to_dict()) + told.text + repr(told) + json.dumps(told.table)
    assert not {"record", "distance"} & set(told.to_dict())
    assert "Fiona" not in handed_out
    assert told.box["age"].to_dict()["range"] == ["24", "38"]


def test_the_explanation_reads_well_and_translates() -> None:
    told = toy.explainer(k=3).explain(toy.LISA)
    assert told.text == (
        "If your age were 24 to 27 (3 to 6 more), your city were Antwerp and your salary k were 60 (10 more), "
        "the outcome would have been Accept. This holds for 50% of the combinations it covers. "
        "In the training data at least 3 people fit this in age, gender and city. "
        "What it says of salary k is one person's own."
    )
    assert told.sentence(DUTCH).startswith(
        "Indien uw age 24 tot 27 was (3 tot 6 meer), uw city Antwerp was en uw"
    )
    rows = {row["column"]: row for row in told.table}
    assert (rows["age"]["now"], rows["age"]["then"], rows["gender"]["changes"]) == (21, "24 to 27", False)
    assert [change["column"] for change in told.to_dict()["changes"]] == ["age", "city", "salary_k"]
    assert json.loads(json.dumps(told.to_dict()))["k_desired"] == 2


def test_a_set_reads_as_alternatives_and_missing_as_unknown() -> None:
    told = toy.explainer(k=8).explain(toy.LISA)
    assert "city" not in [
        change.column for change in told.changes
    ]  # both cities are meant: hers is among them
    frame = toy.TRAIN.with_columns(
        city=pl.Series(
            [None if n == "Fiona" else c for n, c in zip(toy.NAMES, toy.TRAIN["city"], strict=True)]
        )
    )
    alone = toy.explainer(frame, k=1).explain(toy.LISA)
    assert "your city were unknown" in alone.text
    assert "one person fits this in age, gender and city" in alone.text
