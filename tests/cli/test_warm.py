"""After `lookalike warm` no command compiles anything. It compiles everything itself, so it takes a minute or two."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from lookalike import datasets
from lookalike.cli import COMMANDS, warm

QUASI = "area,age,gender,num_children,qualifications"
MAKE = f"anonymize people.csv -q {QUASI} -s home_ownership,credit_score --others= -k 4 --suppression 0.3"
#: other people, columns and numbers than those of the rehearsals
CALLS = (
    f"risk people.csv -q {QUASI} -s credit_score",
    "risk people.csv -q age,qualifications --semantic",
    "inspect people.csv",
    f"{MAKE} -o optimal",
    f"{MAKE} -o optimal-l -l home_ownership=2 -t credit_score=0.7",
    f"{MAKE} -o local --method local",
    f"{MAKE} -o nodes --method local --publish hierarchy",
    f"{MAKE} -o mondrian --method mondrian",
    f"{MAKE} -o relaxed --method mondrian --relaxed",
    f"{MAKE} -o sangreea --method sangreea",
    f"{MAKE} -o datafly --method datafly",
    "anonymize people.csv -q age,qualifications --others= --method semantic --suppression 0.9 -o semantic",
    f"interact people.csv -q {QUASI} --answers 2",
    "attack people.csv local --second mondrian --population people.csv --json",
)
SCRIPT = """
import contextlib, io, json, os, shlex, sys
from lookalike.cli import app
from lookalike.kernels.compiling import tell_compiling

compiled = {}
for line in json.loads(sys.argv[1]):
    names = compiled[line] = []
    tell_compiling(names.append)
    sys.stdin = io.StringIO("a\\nb\\n")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert not app(shlex.split(line), standalone_mode=False), line
print(json.dumps(compiled))
"""


def test_after_warm_no_command_compiles_anything(tmp_path: Path) -> None:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-m", "lookalike", "warm"], env=env, check=True, capture_output=True)
    datasets.population(700, 5).drop("dob", "postcode").write_csv(tmp_path / "people.csv")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(CALLS)],
        env=env,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    compiled = json.loads(run.stdout)
    assert {line: names for line, names in compiled.items() if names} == {}


def test_every_command_that_computes_is_rehearsed() -> None:
    rehearsed = {command.split()[0] for line in warm.REHEARSALS for command in line.split(" && ")}
    no_kernels = {"demo", "verify", "evaluate", "key", "paper", "warm"}
    assert {"risk", "inspect", "anonymize", "interact", "attack"} <= rehearsed
    assert rehearsed - {"explain"} <= set(COMMANDS) - no_kernels
