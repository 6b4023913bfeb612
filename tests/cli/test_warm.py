"""After `lookalike warm` no command compiles anything. It compiles everything itself, so it takes a minute or two."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from lookalike import datasets
from lookalike.cli import COMMANDS, warm

DecisionTreeClassifier = pytest.importorskip("sklearn.tree").DecisionTreeClassifier
skops_io = pytest.importorskip("skops.io")

QUASI = "area,age,gender,num_children,qualifications"
HOW = "--others= -k 4 --suppression 0.3 --despite tried"
MAKE = f"anonymize people.csv -q {QUASI} -s home_ownership,credit_score {HOW}"
VISITS = f"anonymize visits.csv -q area,age,gender -s credit_score --unit name {HOW}"
#: other people, columns and numbers than those of the rehearsals
CALLS = (
    f"risk people.csv -q {QUASI} -s credit_score",
    f"risk people.csv -q {QUASI} --sampling-fraction 0.1",
    f"risk people.csv -q {QUASI} -s credit_score --missing wildcard",
    f"risk visits.csv -q {QUASI} -s credit_score --unit name",
    "risk people.csv -q age,qualifications --semantic",
    "semantic people.csv -q age,qualifications --rules --chains --noise --delete 3,5",
    "semantic people.csv -q age,qualifications --confidence 0.75",
    "inspect people.csv",
    "search people.csv",
    "search people.csv --minimal 0.9 --by separation",
    f"measure people.csv -q {QUASI} -s credit_score",
    "deidentify people.csv -q age,area --levels age=2,area=1 -k 3",
    "hierarchy people.csv -c age",
    f"{MAKE} -o optimal --method optimal",
    f"{MAKE} -o optimal-l --method optimal -l home_ownership=2 -t credit_score=0.7",
    f"anonymize people.csv -q {QUASI},marital_status,occupation,income,credit_score --others= -k 4 --suppression 0.3 "
    "--method optimal --seconds 1 -o many --despite tried",
    f"{MAKE} -o local",
    f"{MAKE} -o local-t --method local -t credit_score=0.3",
    f"{MAKE} -o nodes --method local --publish hierarchy -l home_ownership=2",
    f"{MAKE} -o sets --method local --publish sets",
    f"{MAKE} -o mondrian --method mondrian",
    f"{MAKE} -o mondrian-l --method mondrian -l home_ownership=2",
    f"{MAKE} -o relaxed --method mondrian --relaxed",
    f"{MAKE} -o sangreea --method sangreea",
    f"{MAKE} -o sangreea-l --method sangreea -l home_ownership=2",
    f"{MAKE} -o datafly --method datafly",
    "anonymize people.csv -q age,qualifications --others= --method semantic --suppression 0.9 -o semantic "
    "--despite tried",
    f"{VISITS} -o visits",
    f"{VISITS} -o visits-optimal --method optimal",
    f"{VISITS} -o visits-mondrian --method mondrian",
    f"{VISITS} -o visits-sangreea --method sangreea",
    f"interact people.csv -q {QUASI} --answers 2",
    "attack people.csv local --second mondrian --population people.csv --json",
    "attack people.csv optimal",
    "attack visits.csv visits --unit name",
    "apply optimal next.csv -o next",
    "apply local next.csv --joins --suppression 0.9 -o joined",
    "evaluate people.csv local --target home_ownership",
    f"choose-k people.csv -q {QUASI} -s credit_score --others= --questions questions.toml --ks 2-3",
    "prepare people.csv -o recipe.toml",
    "run people.csv --yes -o runs/run",
    "report local",
    "verify local/release.csv local/certificate.json",
    "explain lent.csv --model model.skops -q age,num_children -s income --row 1 -k 5",
)
QUESTIONS = """
[[question]]
kind = "mean"
of = "credit_score"
by = "gender"
"""
SCRIPT = """
import contextlib, io, json, os, shlex, sys
from lookalike.cli import app
from lookalike.kernels.compiling import tell_compiling

compiled = {}
tell_compiling(lambda name: compiled[line].append(name))
for line in json.loads(sys.argv[1]):
    compiled[line] = []
    sys.stdin = io.StringIO("a\\nb\\n")
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        failed = app(shlex.split(line), standalone_mode=False)
    assert not failed, line + said.getvalue()
print(json.dumps(compiled))
"""


def test_after_warm_no_command_compiles_anything(tmp_path: Path) -> None:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-m", "lookalike", "warm"], env=env, check=True, capture_output=True)
    invent(tmp_path)
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(CALLS)],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    compiled = json.loads(run.stdout)
    assert {line: names for line, names in compiled.items() if names} == {}


def invent(folder: Path) -> None:
    """People, people with several rows, next month's, and a model that decided about some."""
    people = datasets.population(700, 5).drop("dob", "postcode")
    people.write_csv(folder / "people.csv")
    pl.concat([people.head(500), people.head(200)]).write_csv(folder / "visits.csv")
    people.head(300).write_csv(folder / "next.csv")
    (folder / "questions.toml").write_text(QUESTIONS)
    asked = people.select("age", "num_children", "income").sort("income")
    asked.write_csv(folder / "lent.csv")
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    lent = (asked["income"] > asked["income"].median()).cast(int).to_numpy()
    skops_io.dump(tree.fit(asked.to_pandas(), lent), folder / "model.skops")


def test_every_command_is_called_after_warming_up_or_needs_no_kernel() -> None:
    called = {line.split()[0] for line in CALLS}
    #: no kernels, or those of other commands: a demo and the papers take minutes, and the workbench waits for a browser
    left_out = {"demo", "key", "sign", "paper", "serve", "warm"}
    assert called | left_out == set(COMMANDS)
    assert not called & left_out


def test_every_rehearsal_is_a_command() -> None:
    rehearsed = {command.split()[0] for line in warm.REHEARSALS for command in line.split(" && ")}
    assert rehearsed <= set(COMMANDS)
