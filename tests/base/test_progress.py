"""Progress reaches whoever watches: a function, a cell of a notebook that is really executed, or nobody."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lookalike.base.progress import track

PEOPLE = (
    "import lookalike as la\n"
    "people = la.table(la.datasets.population(300, seed=1).select('age', 'gender'), quasi=['age', 'gender'])\n"
)


def test_a_function_gets_the_shares_and_nobody_gets_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[float] = []
    with track(seen.append, "work") as report:
        report(0.5)
    for watched in (False, True):  # nobody sits at the terminal of a test
        with track(watched, "work") as report:
            report(0.5)
    assert seen == [0.5]
    assert capsys.readouterr() == ("", "")


def test_a_bar_moves_in_a_jupyter_notebook_and_goes_away() -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = [PEOPLE + "people", "la.anonymize(people, la.KAnonymity(3), progress=True)"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(book, timeout=300, kernel_name="python3")
    shown: list[str] = []
    process = client.process_message

    def watch(message: Any, cell: Any, index: int) -> Any:
        if message["msg_type"] == "update_display_data":
            shown.append(message["content"]["data"]["text/html"])
        return process(message, cell, index)

    client.process_message = watch
    client.execute()
    assert all("<progress max='1' value='" in text for text in shown[:-1])
    assert "Anonymising" in shown[0]
    assert len(shown) >= 3
    assert shown[-1] == ""
    bar, release = book.cells[1].outputs
    assert bar["data"]["text/html"] == ""
    assert "<strong>Release</strong>" in release["data"]["text/html"]
    assert "rows about people" in book.cells[0].outputs[0]["data"]["text/html"]


def test_a_bar_moves_in_a_marimo_notebook_and_goes_away(tmp_path: Path) -> None:
    pytest.importorskip("marimo")
    app = tmp_path / "app.py"
    body = (
        "import json, pathlib, marimo as mo\n" + PEOPLE + "seen, replace = [], mo.output.replace\n"
        "def spy(value):\n    seen.append('' if value is None else value.text)\n    replace(value)\n"
        "mo.output.replace = spy\n"
        "release = la.anonymize(people, la.KAnonymity(3), progress=True)\n"
        f"pathlib.Path({str(tmp_path / 'seen.json')!r}).write_text(json.dumps(seen))\n"
        "release"
    )
    cell = "\n".join(f"    {line}" for line in body.splitlines())
    app.write_text(f"import marimo\napp = marimo.App()\n\n@app.cell\ndef _():\n{cell}\n    return\n")
    export = [sys.executable, "-m", "marimo", "export", "html", str(app), "-o", str(tmp_path / "app.html")]
    subprocess.run(export, check=True, capture_output=True, timeout=300)
    shown = json.loads((tmp_path / "seen.json").read_text())
    assert "Anonymising" in shown[0]
    assert all("<progress" in text for text in shown[:-1])
    assert shown[-1] == ""
    assert "Release" in (tmp_path / "app.html").read_text(encoding="utf-8")
