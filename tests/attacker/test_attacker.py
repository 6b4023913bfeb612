"""A slice of the attacks that `make soak` runs for as long as it is told, and attacks on the checker itself."""

from __future__ import annotations

import ast
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import lookalike as la
from attacker import checking, counting, jobs, published
from attacker.battery import battery
from attacker.checking import problems
from attacker.jobs import FRAMES, METHODS, Job
from attacker.joining import joining
from attacker.killing import kill
from attacker.optima import optimum
from attacker.running import REFUSED, Attack, Tally, attempt, job
from attacker.twins import twins
from lookalike.measures.attacks.attacking import NAMES
from lookalike.models.registry import MODELS

pytestmark = pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")


@pytest.mark.parametrize("module", [checking, counting, published])
def test_the_checker_imports_nothing_of_the_library(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    ours = {"attacker.counting", "attacker.published"}
    assert {name.partition(".")[0] for name in names - ours} <= {
        "__future__", "collections", "dataclasses", "json", "math", "pathlib", "re", "typing",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "attack", "seeds"),
    [
        ("job", job, range(150)),
        ("optimum", optimum, range(60)),
        ("battery", battery, range(60)),
        ("joining", joining, range(60)),
        ("kill", kill, range(2)),
        ("twins", twins, range(88)),
    ],
)
def test_nothing_falls(name: str, attack: Attack, seeds: range) -> None:
    tally = Tally()
    for seed in seeds:
        attempt(name, attack, seed, tally)
    assert not tally.fell
    assert sum(tally.done.values()) >= len(seeds)


def test_every_attack_is_tried_on_some_job(tmp_path: Path) -> None:
    """Pseudonyms are attacked in `tests/measures/attacks/test_who.py`, rows that joined in `joining`."""
    tried, elsewhere = set[str](), {"pseudonym-recomputation", "subtraction"}
    for seed in range(40):
        made = jobs.make(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            people = made.table(folder)
            release = la.anonymize(people, *made.models, population=made.population(), **made.options)
        except REFUSED:
            continue
        found = la.attack(people, release, second=release, population=made.population())
        tried |= set(NAMES) - set(found.skipped)
        if tried >= set(NAMES) - elsewhere:
            return
    raise AssertionError(f"never tried: {set(NAMES) - tried}")


def test_jobs_are_of_every_kind() -> None:
    made = [jobs.make(seed) for seed in range(400)]
    assert {one.case.method for one in made} == set(METHODS)
    assert {one.frame for one in made} == set(FRAMES)
    assert {promise["model"] for one in made for promise in one.case.promises} == set(MODELS)
    traits = Counter[str]()
    for one in made:
        traits["unit"] += one.case.unit is not None
        traits["published unit"] += one.case.unit is not None and one.case.unit not in one.case.hidden
        traits["population"] += one.case.population is not None
        traits["population of people"] += one.case.population is not None and one.case.unit is not None
        traits["stars"] += one.case.stars
        traits["weights"] += "weights" in one.options
        traits["survey weights"] += "weight" in one.roles
        traits["spreadsheet safe"] += one.save["spreadsheet_safe"]
        traits["numbers"] += bool(one.case.as_numbers)
    assert min(traits.values()) >= 10, traits


def test_a_number_always_gives_the_same_job() -> None:
    for seed in range(20):
        assert jobs.make(seed).case == jobs.make(seed).case


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, Path]:
    """A release with people left out, and nothing wrong with it."""
    for seed in range(500):
        made = jobs.make(seed)
        if made.case.method != "optimal" or made.case.stars or made.case.unit or made.case.as_numbers:
            continue
        folder = tmp_path_factory.mktemp("honest")
        try:
            release = la.anonymize(
                made.table(folder), *made.models, population=made.population(), **made.options
            )
        except la.LookalikeError:
            continue
        if release.suppressed > 0 and release.k > 1 and release.classes > 1:
            release.save(folder / "out")
            assert list(problems(made.case, folder / "out")) == []
            return made, folder / "out"
    raise AssertionError("no job of this kind")


def _row_gone(made: Job, folder: Path) -> None:
    path = folder / "release.csv"
    rows = pl.read_csv(path, infer_schema=False)
    smallest = rows.group_by(made.case.quasi).len().sort("len").head(1).drop("len")
    lost = rows.join(smallest, on=made.case.quasi, how="semi", nulls_equal=True)["tag"][0]
    rows.filter(pl.col("tag") != lost).write_csv(path)


def _value_changed(made: Job, folder: Path) -> None:
    path = folder / "release.csv"
    rows = pl.read_csv(path, infer_schema=False)
    rows.with_columns(pl.lit("colic").alias("ill")).write_csv(path)


def _label_changed(made: Job, folder: Path) -> None:
    path = folder / "release.csv"
    rows = pl.read_csv(path, infer_schema=False)
    rows.with_columns(pl.lit("no such label").alias(made.case.quasi[0])).write_csv(path)


def _row_doubled(made: Job, folder: Path) -> None:
    path = folder / "release.csv"
    rows = pl.read_csv(path, infer_schema=False)
    pl.concat([rows, rows.head(1)]).write_csv(path)


def _name_in_the_dictionary(made: Job, folder: Path) -> None:
    with (folder / "dictionary.md").open("a") as file:
        file.write(str(made.case.rows[0]["name"]))


def _someone_left_out_in_the_package(made: Job, folder: Path) -> None:
    kept = set(pl.read_csv(folder / "release.csv", infer_schema=False)["tag"])
    left_out = next(row["tag"] for row in made.case.rows if row["tag"] not in kept)
    (folder / "datapackage.json").write_text(json.dumps({"example": left_out}))


def _promise_lowered(made: Job, folder: Path) -> None:
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text())
    certificate["promise"] = certificate["promise"][1:]
    path.write_text(json.dumps(certificate))


def _k_raised(made: Job, folder: Path) -> None:
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text())
    certificate["measured"]["k"] += 1
    path.write_text(json.dumps(certificate))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (_row_gone, "counts other records"),
        (_value_changed, "ill was changed"),
        (_label_changed, "does not cover"),
        (_row_doubled, "released twice"),
        (_name_in_the_dictionary, "dictionary.md holds"),
        (_someone_left_out_in_the_package, "datapackage.json holds"),
        (_promise_lowered, "promises something else"),
        (_k_raised, "larger k is certified"),
    ],
)
def test_the_checker_finds_what_is_wrong(
    honest: tuple[Job, Path], tmp_path: Path, damage: Callable[[Job, Path], None], words: str
) -> None:
    made, folder = honest
    copy = tmp_path / "out"
    shutil.copytree(folder, copy)
    damage(made, copy)
    assert any(words in problem for problem in problems(made.case, copy))


@pytest.mark.parametrize("model", MODELS)
def test_the_checker_finds_every_broken_promise(model: str) -> None:
    """One class in which everybody is alone with one value, beside one in which nobody is."""
    rows = [
        {"ill": "flu", "score": "1"},
        *({"ill": ill, "score": "2"} for ill in ("cold", "ulcer", "flu", "cold")),
    ]
    classes = [[(0, rows[0])], [(i, rows[i]) for i in range(1, 5)]]
    numbers = {"k": 2, "sampling_fraction": None, "significance": 0.05, "low": 0.3, "high": 0.9, "limit": 0.1}
    numbers |= {"alpha": 0.5, "l": 2, "c": 1.0, "t": 0.2, "beta": 0.5, "delta": 0.5}  # type: ignore[dict-item]
    words = {"value": None, "negative": "flu", "kind": "distinct", "distance": "equal"}
    promise = {"model": model, "column": "ill", "strict": False, "enhanced": True, **numbers, **words}
    if model not in ("k-anonymity", "k-map", "(alpha,k)-anonymity"):
        del promise["k"]
    told = counting.broken(
        promise,
        classes,
        sensitive=["ill"],
        meanings={"ill": published.Meaning()},
        population=[1, 40],
        empty=[3],
    )
    assert told is not None


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        ("[20, 29]", "29", "30"),
        ("[20, 30)", "20", "30"),
        ("< 20", "19", "20"),
        (">= 20", "20", "19"),
        ("[20, 29] | ∅", None, "30"),
        ("25", "25.0", "26"),
        ("*", None, "x"),
    ],
)
def test_the_checker_reads_numbers_as_the_dictionary_explains(
    label: str, inside: str | None, outside: str
) -> None:
    meaning = published.Meaning(numeric=True)
    assert published.covers(label, inside, meaning)
    assert label == "*" or not published.covers(label, outside, meaning)


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        ("{a, b}", "b", "c"),
        ('{"a, b", c}', "a, b", "a"),
        ("{∅, a}", None, "∅"),
        ('"*"', "*", "a"),
        ('"{x}"', "{x}", "x"),
        ("80**", "8010", "8110"),
        ("1980-Q2", "1980-06-30", "1980-07-01"),
        ("1980s", "1989-12-31", "1990-01-01"),
        ("[low, mid]", "mid", "high"),
    ],
)
def test_the_checker_reads_words_as_the_dictionary_explains(
    label: str, inside: str | None, outside: str
) -> None:
    meaning = published.Meaning(order=["low", "mid", "high"] if label == "[low, mid]" else [])
    assert published.covers(label, inside, meaning)
    assert not published.covers(label, outside, meaning)
