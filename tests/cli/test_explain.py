"""`lookalike explain`: in words that k people fit, and never from a pickle that nobody vouched for."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.explanations.files import read_model

pytest.importorskip("sklearn")

run = CliRunner().invoke
FEATURES = ["age", "children", "income"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    sklearn_tree, skops_io = pytest.importorskip("sklearn.tree"), pytest.importorskip("skops.io")
    folder = tmp_path_factory.mktemp("explain")
    people = la.datasets.population(400, seed=2).select(
        "age", pl.col("num_children").alias("children"), "income"
    )
    people.write_csv(folder / "people.csv")
    decided = (people["income"] > people["income"].median()).cast(int).to_numpy()
    model = sklearn_tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(
        people.to_pandas()[FEATURES], decided
    )
    skops_io.dump(model, folder / "model.skops")
    with (folder / "model.pkl").open("wb") as file:
        pickle.dump(model, file)
    return folder / "people.csv", folder / "model.skops", folder / "model.pkl"


def test_a_refused_person_is_told_what_would_have_to_be_different(trained: tuple[Path, Path, Path]) -> None:
    people, model, _ = trained
    frame = pl.read_csv(people)
    row = int((frame["income"] < 10_000).arg_max() or 0) + 1
    options = ["--quasi", "age,children", "--sensitive", "income", "-k", "5"]
    spoken = run(app, ["explain", str(people), "--model", str(model), "--row", str(row), *options])
    assert spoken.exit_code == 0, spoken.output
    assert "people fit all of this" in " ".join(spoken.stdout.split())
    told = json.loads(
        run(app, ["explain", str(people), "-m", str(model), "--row", str(row), *options, "--json"]).stdout
    )
    assert told["explanations"][0]["k"] >= 5


def test_a_pickle_is_not_loaded_unless_trusted(trained: tuple[Path, Path, Path], tmp_path: Path) -> None:
    people, _, safe = trained
    ran = tmp_path / "ran"

    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return Path.touch, (ran,)

    planted = tmp_path / "model.pkl"
    planted.write_bytes(pickle.dumps(Evil()))
    refused = run(app, ["explain", str(people), "-m", str(planted), "--quasi", "age", "--row", "1"])
    assert refused.exit_code == 2
    assert "--trust-model" in refused.stderr
    assert not ran.exists()
    assert read_model(safe, trusted=True).max_depth == 3


def test_other_files_are_refused_in_a_sentence(trained: tuple[Path, Path, Path], tmp_path: Path) -> None:
    people = trained[0]
    (tmp_path / "m.skops").write_bytes(b"not a model")
    (tmp_path / "m.txt").write_text("x")
    for name, said in (
        ("m.skops", "is not a skops file"),
        ("m.txt", "models come as"),
        ("none.skops", "no such file"),
    ):
        found = run(app, ["explain", str(people), "-m", str(tmp_path / name), "--quasi", "age", "--row", "1"])
        assert found.exit_code == 2
        assert said in found.stderr


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People with an outcome, for a model that the command trains."""
    people = la.datasets.population(400, seed=2).select("age", "gender", "num_children", "income")
    path = tmp_path_factory.mktemp("labelled") / "people.csv"
    people.with_columns(
        good=pl.when(pl.col("income") > 20_000).then(pl.lit("yes")).otherwise(pl.lit("no"))
    ).write_csv(path)
    return path


TRAINED_HERE = ["--target", "good", "--desired", "yes", "--quasi", "age,gender", "--effort", "0", "-k", "4"]


def test_rows_that_can_be_explained_are_and_the_others_are_named(labelled: Path, tmp_path: Path) -> None:
    frame = pl.read_csv(labelled)
    asked = pl.concat([frame.filter(pl.col("good") == "no")[:3], frame.filter(pl.col("good") == "yes")[:1]])
    asked.write_csv(tmp_path / "asked.csv")
    typed = ["explain", str(labelled), "--rows", str(tmp_path / "asked.csv"), *TRAINED_HERE, "--attack"]
    found = run(app, typed)
    assert found.exit_code == 0, found.output
    assert "row 4: it already has the desired outcome" in found.stderr
    assert "singled out by matching: 0.0%" in found.stdout
    told = json.loads(run(app, [*typed, "--json"]).stdout)
    assert told["rows"] == [1, 2, 3]
    assert list(told["unexplained"]) == ["4"]
    assert told["attack"]["k_min_matched"] >= 4
    assert all(one["k"] >= 4 and not one["values"] for one in told["explanations"])


def test_the_papers_parameters_reach_the_search(labelled: Path) -> None:
    row = int((pl.read_csv(labelled)["good"] == "no").arg_max() or 0) + 1
    asked = ["explain", str(labelled), "--row", str(row), *TRAINED_HERE, "--json"]
    paper = json.loads(run(app, [*asked, "--values", "exact", "--alpha", "1", "--iterations", "1"]).stdout)
    assert set(paper["explanations"][0]["box"]) == {"age", "gender"}
    assert set(paper["explanations"][0]["values"]) == {"num_children", "income"}
    fixed = json.loads(run(app, [*asked, "--immutable", "num_children,age,gender"]).stdout)
    assert {change["column"] for change in fixed["explanations"][0]["changes"]} == {"income"}
    several = run(app, [*asked, "--alternatives", "2"])
    assert several.exit_code == 0, several.output
    wrong = run(app, [*asked, "--objective", "best"])
    assert wrong.exit_code == 2
    assert "objective" in wrong.stderr
    assert "--row 17" in run(app, ["explain", str(labelled), *TRAINED_HERE]).stderr


def test_the_whole_experiment_is_one_command(labelled: Path) -> None:
    typed = ["explain", str(labelled), *TRAINED_HERE, "--experiment", "--group", "gender"]
    found = run(app, typed)
    assert found.exit_code == 0, found.output
    assert "k people share all" in found.stdout
    assert "membership AUC" in found.stdout
