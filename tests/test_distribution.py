"""The wheel holds what users need: it installs into an empty environment and the demo runs from there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run([str(part) for part in command], cwd=cwd, env=clean, capture_output=True, text=True)


def test_the_wheel_installs_in_a_clean_environment_and_runs_the_demo(tmp_path: Path) -> None:
    built = run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, cwd=tmp_path
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("lookalike-*.whl")
    assert run(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path).returncode == 0
    command = tmp_path / "env" / "bin"
    installed = run(command / "python", "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    if "Temporary failure in name resolution" in installed.stderr:
        pytest.skip("no package index can be reached from here")
    assert installed.returncode == 0, installed.stderr
    demo = run(command / "lookalike", "demo", "--rows", "500", cwd=tmp_path)
    assert demo.returncode == 0, demo.stderr
    checked = run(
        command / "lookalike",
        "verify",
        "demo/release/release.csv",
        "demo/release/certificate.json",
        cwd=tmp_path,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
