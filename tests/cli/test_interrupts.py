"""Ctrl-C ends a command with exit code 130, also in a compiled kernel; a reader that leaves ends it quietly, and a full
disk in a sentence."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """
import signal, sys, types
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
from lookalike import cli
from lookalike.kernels.grouping import group

def act() -> None:
    keys = np.arange(200_000) // 2
    group(keys)
    print("ready", flush=True)
    for _ in range(20_000):
        group(keys)

fake = types.ModuleType("lookalike.cli.fake")
fake.act = act
sys.modules["lookalike.cli.fake"] = fake
cli.COMMANDS["act"] = ("fake:act", "Act.")
sys.argv = ["lookalike", "act"]
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_an_interrupted_kernel_ends_in_exit_code_130() -> None:
    for delay in (0.0, 0.013, 0.05):
        child = subprocess.Popen(
            [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert child.stdout is not None
        assert child.stdout.readline().strip() == b"ready"
        time.sleep(delay)
        child.send_signal(signal.SIGINT)
        errors = child.communicate()[1]
        assert child.returncode == 130, errors
        assert errors.strip() == b"interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_one_interrupt_ends_a_dialogue_that_waits_for_an_answer(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("age,sex\n" + "".join(f"{20 + i},{'fm'[i % 2]}\n" for i in range(40)))
    child = subprocess.Popen(
        [sys.executable, "-m", "lookalike", "interact", str(people), "--quasi", "age,sex", "-k", "3"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stderr is not None
    said = b""
    while b"q(uit): " not in said:
        said += child.stderr.read(1)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=30) == 130
    assert child.stderr.read().strip() == b"interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGPIPE")
@pytest.mark.parametrize("command", [["--help"], ["paper", "fca"], ["paper", "fca", "--json"]])
def test_a_reader_that_leaves_ends_the_command_without_a_word(command: list[str]) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "lookalike", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    assert child.wait() == -signal.SIGPIPE, "1 would mean that a guarantee is not kept"


PRINTED = [
    ["--version"],
    ["--help"],
    ["anonymize", "--help"],
    ["inspect", "{people}"],
    ["inspect", "{people}", "--json"],
    ["risk", "{people}", "--quasi", "age,sex"],
    ["risk", "{people}", "--quasi", "age,sex", "--json"],
    ["hierarchy", "{people}", "--column", "age"],
    ["anonymize", "{people}", "--quasi", "age,sex", "-k", "2", "-o", "{out}"],
    ["anonymize", "{people}", "--quasi", "age,sex", "-k", "2", "-o", "{out}", "--json"],
    ["prepare", "{people}", "-o", "{out}"],
    ["run", "{people}", "--yes", "-o", "{out}"],
    ["run", "{people}", "--yes", "-o", "{out}", "--json"],
    ["measure", "{people}", "--quasi", "age,sex"],
    ["search", "{people}", "--json"],
    ["key", "{out}"],
    ["demo", "--rows", "100", "--json"],
]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
@pytest.mark.parametrize("command", PRINTED, ids=" ".join)
def test_an_output_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path, command: list[str]) -> None:
    people = tmp_path / "people.csv"
    people.write_text("age,sex,ill\n" + "".join(f"{20 + i // 4},{'fm'[i % 2]},flu\n" for i in range(40)))
    places = {"people": people, "out": tmp_path / "out"}
    call = [sys.executable, "-m", "lookalike", *(part.format(**places) for part in command)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "error: the output cannot be written (the disk is full)."
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
def test_where_not_even_the_error_can_be_written_the_exit_code_tells() -> None:
    call = [sys.executable, "-m", "lookalike", "risk", "nowhere.csv", "--quasi", "a"]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(call, stdout=full, stderr=full, check=False).returncode == 2
