"""What type checkers and editors know about the public verbs: results have types, whatever the frame."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike as la

pytest.importorskip("mypy")

CALLER = """
import pandas as pd
import polars as pl
import lookalike as la

polars, pandas = pl.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]})
table = la.table(polars, quasi=["a"])
promise = la.KAnonymity(3)
reveal_type(la.anonymize(polars, promise))  # Release
reveal_type(la.anonymize(polars.lazy(), promise, quasi=["a"], others=[]))  # Release
reveal_type(la.anonymize(pandas, promise, quasi=["a"]))  # Release
reveal_type(la.anonymize("people.csv", promise, quasi=["a"]))  # Release
reveal_type(la.anonymize(table, promise, suppression=0.1))  # Release
reveal_type(la.table(pandas))  # Table
reveal_type(la.inspect("people.csv"))  # Inspection
reveal_type(la.risk(polars, quasi=["a"]))  # Risk
reveal_type(la.semantic_risk(polars, quasi=["a"]))  # SemanticRisk
reveal_type(la.levels(polars, quasi=["a"]))  # Levels
reveal_type(la.attack(polars, la.anonymize(table, promise)))  # Attacks
reveal_type(la.evaluate(table, la.anonymize(table, promise)))  # Evaluation
reveal_type(la.interact(polars, k=3))  # Dialogue
reveal_type(la.choose_k(table, ks=[2], questions=[]))  # ChosenK
reveal_type(la.prepare("people.csv"))  # Recipe
la.risk(polars, quasi=3)  # refused
la.risk(3)  # refused
la.table(3)  # refused
la.choose_k(table, kays=[2])  # refused
"""


def test_verbs_have_typed_results_for_tables_and_frames_alike(tmp_path: Path) -> None:
    caller = tmp_path / "caller.py"
    caller.write_text(CALLER, encoding="utf-8")
    package = Path(la.__file__).parent
    options = ["--follow-imports=silent", "--ignore-missing-imports", f"--cache-dir={tmp_path / 'cache'}"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "caller.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(package.parent), "PATH": ""},
        capture_output=True,
        text=True,
    )
    revealed = dict(
        re.findall(r'^caller.py:(\d+): note: Revealed type is "(?:\w+\.)*(\w+)"', run.stdout, re.M)
    )
    refused = set(re.findall(r"^caller.py:(\d+): error", run.stdout, re.M))
    for number, line in enumerate(CALLER.split("\n"), 1):
        expected = line.partition("  # ")[2]
        if expected == "refused":
            assert str(number) in refused, f"{line}\n{run.stdout}"
        elif expected:
            assert revealed.get(str(number)) == expected, f"{line}\n{run.stdout}{run.stderr}"
    assert len(refused) == CALLER.count("# refused"), run.stdout
