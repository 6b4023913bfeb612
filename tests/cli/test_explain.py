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

sklearn_tree = pytest.importorskip("sklearn.tree")
skops_io = pytest.importorskip("skops.io")

run = CliRunner().invoke
FEATURES = ["age", "children", "income"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
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
    assert "people fit this description" in " ".join(spoken.stdout.split())
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
