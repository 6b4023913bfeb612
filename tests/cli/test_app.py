"""The command line as a whole: what it lists, what it loads, how it fails."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike import cli
from lookalike.cli import app
from lookalike.cli._options import Json

run = CliRunner().invoke


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module with one command, `act`, that does what the test puts into `module.deed`."""
    module = ModuleType("lookalike.cli.fake")

    def act(json: Json = False) -> None:
        """Act.

        A second paragraph that is
        wrapped in the source.
        """
        module.deed()

    module.act = act
    monkeypatch.setitem(sys.modules, "lookalike.cli.fake", module)
    monkeypatch.setitem(cli.COMMANDS, "act", ("fake:act", "Act, in one line."))
    return module


def failing(error: BaseException) -> object:
    def deed() -> None:
        raise error

    return deed


def test_help_lists_every_command_with_its_line() -> None:
    text = " ".join(run(app, ["--help"]).output.split())
    for name, (_, line) in cli.COMMANDS.items():
        assert name in text
        assert line.split(".")[0] in text.replace("│ │ ", "")


def test_help_imports_no_command() -> None:
    script = (
        "import sys\nfrom lookalike.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "print([m for m in sys.modules if m.startswith('lookalike.cli.') and '._' not in m], 'polars' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] False"


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_loads_and_explains_itself(name: str) -> None:
    result = run(app, [name, "--help"])
    assert result.exit_code == 0
    assert f"lookalike {name}" in result.output or f"root {name}" in result.output
    assert ("--json" in result.output) != (name == "serve")  # a page in a browser is no answer


def test_paragraphs_of_help_are_wrapped_by_the_terminal(fake: ModuleType) -> None:
    assert "A second paragraph that is wrapped in the source." in run(app, ["act", "--help"]).output


def test_indented_lines_of_help_are_examples_below_the_options() -> None:
    shown = run(app, ["risk", "--help"]).output
    assert shown.index("--require") < shown.index("Examples:") < shown.index("lookalike risk people.csv")


@pytest.mark.parametrize(
    ("name", "told"), [("paper", "quasi-identifiers"), ("risk", "parquet"), ("key", "must not exist")]
)
def test_arguments_are_explained(name: str, told: str) -> None:
    arguments = run(app, [name, "--help"]).output.split("─ Arguments")[1].split("─ Options")[0]
    assert told in arguments


def test_a_command_that_does_its_job_exits_with_0(fake: ModuleType) -> None:
    fake.deed = lambda: None
    assert run(app, ["act"]).exit_code == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (la.RequestError("no such thing"), 2),
        (la.ColumnError("no such thing"), 2),
        (la.MissingExtra("thing", "extra", "no such thing"), 2),
        (la.GuaranteeError("no such thing"), 1),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(fake: ModuleType, error: la.LookalikeError, code: int) -> None:
    fake.deed = failing(error)
    result = run(app, ["act"])
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr == f"error: {error}\n"


def test_an_error_after_json_is_json(fake: ModuleType) -> None:
    fake.deed = failing(la.GuaranteeError('k=5 is "missed"'))
    result = run(app, ["act", "--json"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert json.loads(result.stderr) == {"error": 'k=5 is "missed"'}


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_argument_of_the_library_is_shown_as_its_option(fake: ModuleType, form: list[str]) -> None:
    fake.deed = failing(la.RequestError("name them with `json`, or see `inspect`"))
    said = run(app, ["act", *form]).stderr
    assert "name them with --json, or see `inspect`" in said


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        (b"a,b\n1,\xff\n", [], "Say what it is with --encoding, for example cp1252"),
        (b"a,b\n1,2,3\n", [], "with --delimiter"),
        (b"17,4\n1,2\n", [], "say so with --no-header"),
        (b'a,b\n1,"2\n', [], "an empty --quote"),
        (b"a,b\n1,2\n", ["--sampling-fraction", "3"], "--sampling-fraction must be a number above 0"),
        (b"a,b\n1,2\n3,4\n", ["--scale", "a=intervals:1..2", "--semantic"], "or pass --uncovered empty"),
    ],
)
def test_what_to_do_is_said_in_options(tmp_path: Path, content: bytes, more: list[str], said: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    result = run(app, ["risk", str(path), "--quasi", "a", *more])
    assert result.exit_code == 2
    assert said in result.stderr
    assert "=[" not in result.stderr


def test_an_option_in_the_singular_is_shown_as_it_is_typed(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,income\n" + "30,low\n40,high\n" * 9)
    made = ["anonymize", str(path), "--quasi", "age", "--others", "", "-k", "2", "-o", str(tmp_path / "out")]
    assert run(app, made).exit_code == 0
    result = run(app, ["evaluate", str(path), str(tmp_path / "out"), "--target", ""])
    assert result.stderr == (
        "error: no target to predict and no question to ask: give --target, --questions, or both.\n"
    )


def test_columns_without_a_role_are_warned_about_unless_others_is_given(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "30,f\n" * 9)
    call = ["anonymize", str(path), "--quasi", "age", "-k", "2", "-o"]
    warned = run(app, [*call, str(tmp_path / "one")])
    assert (
        "no role was given to 1 column, taken as 'other' and published as is: sex. Name them in --others"
        in warned.stderr
    )
    assert run(app, [*call, str(tmp_path / "two"), "--others", ""]).stderr == ""


def test_an_interruption_exits_with_130(fake: ModuleType) -> None:
    fake.deed = failing(KeyboardInterrupt())
    result = run(app, ["act"])
    assert result.exit_code == 130
    assert "Traceback" not in result.stderr


def test_a_warning_is_one_line_on_stderr(fake: ModuleType) -> None:
    fake.deed = lambda: warnings.warn("look at this", la.LookalikeWarning, stacklevel=2)
    result = run(app, ["act"])
    assert result.exit_code == 0
    assert result.stderr == "warning: look at this\n"


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--nonsense"], ["demo", "--rows", "many"]])
def test_a_wrong_request_exits_with_2(arguments: list[str]) -> None:
    assert run(app, arguments).exit_code == 2


def test_a_misspelt_command_is_answered_with_the_nearest() -> None:
    assert "Did you mean 'risk'?" in run(app, ["riks"]).stderr


def test_trouble_with_a_file_is_one_line_too(fake: ModuleType) -> None:
    fake.deed = failing(PermissionError(13, "Permission denied", "out/x.csv"))
    result = run(app, ["act"])
    assert result.exit_code == 2
    assert result.stderr == "error: out/x.csv: not permitted.\n"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_too_little_memory_is_told_with_what_to_do(fake: ModuleType, form: list[str]) -> None:
    fake.deed = failing(MemoryError())
    result = run(app, ["act", *form])
    assert result.exit_code == 2
    assert "too little memory" in result.stderr
    assert "leave columns out" in result.stderr


def test_a_sheet_is_asked_of_workbooks_only(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age\n30\n")
    result = run(app, ["risk", str(path), "--quasi", "age", "--sheet", "one"])
    assert result.exit_code == 2
    assert "is no workbook" in result.stderr


def test_version_is_the_packages() -> None:
    assert run(app, ["--version"]).output == f"lookalike {la.__version__}\n"


def test_python_dash_m_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lookalike", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"lookalike {la.__version__}\n"
