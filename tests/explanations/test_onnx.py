"""ONNX models: they decide as the model they were made from, and what does not fit is refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.explanations.files import read_model

pytest.importorskip("onnxruntime", reason="ONNX models need onnxruntime: pip install 'lookalike[models]'")
skl2onnx = pytest.importorskip(
    "skl2onnx", reason="making ONNX models needs skl2onnx, a part of lookalike[test]"
)
tree = pytest.importorskip("sklearn.tree")

Float, Int, String = (
    getattr(skl2onnx.common.data_types, f"{kind}TensorType") for kind in ("Float", "Int64", "String")
)


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return la.datasets.population(400, seed=2).select("age", "gender", "num_children", "on_benefits")


def save(path: Path, model: Any, *inputs: tuple[str, Any]) -> Path:
    path.write_bytes(skl2onnx.to_onnx(model, initial_types=list(inputs)).SerializeToString())
    return path


def mixed(people: pl.DataFrame) -> Any:
    """A forest over a text and a number."""
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    coding = ColumnTransformer([("text", OneHotEncoder(), ["gender"])], remainder="passthrough")
    made = make_pipeline(coding, RandomForestClassifier(10, random_state=0))
    return made.fit(people.select("age", "gender").to_pandas(), people["on_benefits"].to_list())


@pytest.mark.parametrize("given", ["polars", "pandas", "pyarrow"])
def test_a_model_of_several_inputs_takes_columns_by_name(
    people: pl.DataFrame, tmp_path: Path, given: str
) -> None:
    model = mixed(people)
    path = save(tmp_path / "m.onnx", model, ("age", Int([None, 1])), ("gender", String([None, 1])))
    loaded = read_model(path)
    assert loaded.feature_names_in_ == ["age", "gender"]
    shuffled = people.select("gender", "age")
    rows = {"polars": shuffled, "pandas": shuffled.to_pandas(), "pyarrow": shuffled.to_arrow()}[given]
    expected = model.predict(people.select("age", "gender").to_pandas())
    assert loaded.predict(rows).tolist() == expected.tolist()


def test_a_model_of_one_matrix_takes_the_columns_in_their_order(people: pl.DataFrame, tmp_path: Path) -> None:
    names = ["age", "num_children"]
    rows = people.select(names).cast(pl.Float64)
    model = tree.DecisionTreeClassifier(max_depth=4, random_state=0).fit(
        rows.to_numpy(), people["on_benefits"].to_list()
    )
    loaded = read_model(save(tmp_path / "m.onnx", model, ("x", Float([None, 2]))))
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.predict(rows).tolist() == model.predict(rows.to_numpy()).tolist()
    with pytest.raises(
        la.RequestError, match=r"does not take these 3 columns .* It wants: x tensor\(float\)"
    ):
        loaded.predict(rows.with_columns(more=1.0))


def test_an_explanation_by_an_onnx_model_is_shared_by_k(people: pl.DataFrame, tmp_path: Path) -> None:
    path = save(tmp_path / "m.onnx", mixed(people), ("age", Int([None, 1])), ("gender", String([None, 1])))
    table = la.table(people, quasi=["age", "gender"], targets=["on_benefits"], others=["num_children"])
    model = read_model(path)
    explainer = la.KAnonymousExplainer(model, table, desired="no", k=5, values="exact")
    refused = int(np.flatnonzero(model.predict(people) == "yes")[0])
    assert explainer.explain(people[refused : refused + 1]).k >= 5


def test_missing_values_are_nan_for_floats_and_refused_where_they_cannot_be(
    people: pl.DataFrame, tmp_path: Path
) -> None:
    model = mixed(people)
    texts = ("gender", String([None, 1]))
    gaps = people.select("gender", pl.lit(None, dtype=pl.Int64).alias("age")).head(2)
    with pytest.raises(la.RequestError, match=r"column 'age' cannot be the ONNX model's tensor\(int64\)"):
        read_model(save(tmp_path / "i.onnx", model, ("age", Int([None, 1])), texts)).predict(gaps)
    tolerant = tree.DecisionTreeClassifier(max_depth=2, random_state=0)
    numbers = np.array([[20.0], [30.0], [40.0], [50.0]])
    path = save(tmp_path / "f.onnx", tolerant.fit(numbers, ["a", "a", "b", "b"]), ("x", Float([None, 1])))
    assert len(read_model(path).predict(gaps.select("age"))) == 2


def test_a_model_that_names_another_file_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnx

    monkeypatch.chdir(tmp_path)

    (tmp_path / "secret.bin").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    outside = onnx.TensorProto(name="w", data_type=onnx.TensorProto.FLOAT, dims=[1, 4])
    outside.data_location = onnx.TensorProto.EXTERNAL
    outside.external_data.add(key="location", value="secret.bin")
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [None, 4])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [None, 4])],
        [outside],
    )
    made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "m.onnx").write_bytes(made.SerializeToString())
    with pytest.raises(la.FileError, match="is not an ONNX model"):
        read_model(tmp_path / "m.onnx")


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(b"not a model")
    with pytest.raises(la.FileError, match="is not an ONNX model"):
        read_model(tmp_path / "m.onnx")
